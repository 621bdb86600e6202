"""Every section and key of a job file: type, bounds, default and description.

This is the only definition of a key. The checks, the error messages, `toponaut job --example` and
the key reference in the docs (`writing.job_keys`) are derived from it.
"""

from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta, Struct, field

from toponaut.urls import MAX_LENGTH

MANY = 10**15  # more than any crawl needs, and exact as a float, too


def doc(description: str) -> Meta:
    """The description of a key."""
    return Meta(description=description)


Count = Annotated[int, Meta(ge=0, le=MANY)]
Positive = Annotated[int, Meta(ge=1, le=MANY)]
NodeCount = Annotated[int, Meta(ge=0, le=10_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Patience = Literal["auto"] | Annotated[int, Meta(ge=0, le=MANY)]
Timeout = Annotated[float, Meta(gt=0, le=3600)]
PlaceName = str | Annotated[int, Meta(ge=1, le=MANY)]  # "Oldenburg, DE", or a GeoNames id
Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z")]  # a strategy or a preset


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the job file. Its docstring is the comment above it in the example."""

    @classmethod
    def hints(cls) -> dict[str, Any]:
        """The type of every key, with its bounds and its description."""
        return get_type_hints(cls, include_extras=True)


def description_of(hint: Any) -> str:
    """The description that the type of a key carries, "" if there is none."""
    metas = getattr(hint, "__metadata__", ())
    return next((meta.description for meta in metas if meta.description), "")


class TargetsSection(Section, frozen=True):
    """The places to find pages about. Give places, presets, or both."""

    places: Annotated[
        tuple[PlaceName, ...], doc('Places: "Oldenburg, DE", "Glendale, AZ", or a GeoNames id')
    ] = ()
    presets: Annotated[tuple[Name, ...], doc('Predefined lists of places: "us-top-100"')] = ()
    relevant: Annotated[
        Literal["address", "scope"],
        doc("A page is relevant if it has an address in a target, or if its scope is in one"),
    ] = "address"
    least_share: Annotated[
        float,
        Meta(ge=0, le=1),
        doc("Of a page's addresses, the least share that must be in targets"),
    ] = 0.0


class TerritorySection(Section, frozen=True):
    """The territory of one node, for partition = "written"."""

    name: Annotated[str, doc("The node's name in reports")] = ""
    targets: Annotated[tuple[PlaceName, ...], doc("The places in its territory")] = ()


class NodesSection(Section, frozen=True):
    """The crawling nodes. Geographic nodes have a territory; general nodes take all other links."""

    geographic: Annotated[
        NodeCount, doc("Number of geographic nodes (not used by timezone and written)")
    ] = 1
    general: Annotated[NodeCount, doc("Number of general nodes")] = 0
    shards: Annotated[
        int, Meta(ge=1, le=10_000), doc("On a cluster: shards per node, split by host")
    ] = 1
    territories: Annotated[
        tuple[TerritorySection, ...],
        doc('Only for "written": { name = "north", targets = ["Oldenburg, DE"] }, ...'),
    ] = ()


class CollaborationSection(Section, frozen=True):
    """Which node fetches a link."""

    strategy: Annotated[
        Name, doc("hash, url, anchor, content, classifier, ip, combined, or a plug-in")
    ] = "combined"
    policy: Annotated[
        Literal["A", "B"],
        doc("A: the node of the most probable target; B: every node with a possible target"),
    ] = "A"
    exclusive: Annotated[bool, doc("One owner per URL, so that no page is fetched twice")] = False
    anchor_window: Annotated[
        int, Meta(ge=0, le=25), doc("anchor: tokens read on each side of the link text")
    ] = 10
    content_a: Annotated[Share, doc("content: weight of a city named with its state")] = 0.7
    content_b: Annotated[
        Share, doc("content: weight of population against the states that the page names")
    ] = 0.5
    model: Annotated[str, doc("classifier, combined: file of a trained model")] = ""
    blocks: Annotated[
        bool,
        doc("classifier: count the words of a link's own list item, row or paragraph ten times"),
    ] = False
    mmdb: Annotated[str, doc("ip, combined: IP-to-city database (MMDB)")] = ""


class OrderingSection(Section, frozen=True):
    """When a link is fetched."""

    strategy: Annotated[
        Name,
        doc(
            "breadth-first, link-distance, lookahead, interest, geo-rank, category-bayes, "
            "page-score, tag-path-bandit, tree-frontier, combined, or a plug-in"
        ),
    ] = "combined"
    decay: Annotated[
        Share,
        doc(
            "link-distance, lookahead, tree-frontier, combined: score factor per link from a "
            "relevant page"
        ),
    ] = 0.5
    cutoff: Annotated[
        int,
        Meta(ge=0, le=1000),
        doc("link-distance: links from a relevant page beyond which none is followed; 0: no bound"),
    ] = 0
    depth: Annotated[
        int, Meta(ge=1, le=10), doc("lookahead, combined: number of links to look ahead")
    ] = 3
    model: Annotated[
        str,
        doc(
            "lookahead, tag-path-bandit, tree-frontier, combined: state/ordering.model of an "
            "earlier crawl to start from"
        ),
    ] = ""
    interests: Annotated[
        dict[str, Annotated[float, Meta(ge=0, le=1e6)]],
        doc("interest: terms with priorities, { tehran = 2, iran = 4 }"),
    ] = field(default_factory=dict)
    scheme: Annotated[
        Literal["nxx", "tfidf", "lnu"], doc("interest: how a page is weighted by the terms")
    ] = "lnu"
    pivot: Annotated[
        float, Meta(ge=0, le=1e6), doc("lnu: pivot, the typical number of unique terms in a page")
    ] = 107.89
    slope: Annotated[Share, doc("lnu: how much the length of a page counts")] = 0.2
    window: Annotated[int, Meta(ge=1, le=50), doc("geo-rank: tokens read around a link")] = 50
    registrant: Annotated[bool, doc("geo-rank: look up the domain owner's place by RDAP")] = False
    rdap: Annotated[str, doc("geo-rank: URL of the RDAP service")] = "https://rdap.org/"
    whois: Annotated[
        str, doc('geo-rank: WHOIS server for domains that RDAP does not know, "" for none')
    ] = "whois.iana.org"


class RegionSection(Section, frozen=True):
    """A group of readers: the places and terms that they care about (ordering "interest")."""

    name: Annotated[str, doc("The region's name in reports and on the search page")] = ""
    targets: Annotated[tuple[PlaceName, ...], doc("Its places; they are targets of the job")] = ()
    interests: Annotated[
        dict[str, Annotated[float, Meta(ge=0, le=1e6)]],
        doc("Its terms with priorities, { tehran = 2, iran = 4 }"),
    ] = field(default_factory=dict)
    clients: Annotated[
        tuple[str, ...],
        doc('IP ranges of its readers, for `toponaut serve`: "192.0.2.0/24"'),
    ] = ()


class PolitenessSection(Section, frozen=True):
    """How servers are treated. Each host has one clock, whichever nodes fetch from it."""

    user_agent: Annotated[
        str, Meta(pattern=r"^[A-Za-z][A-Za-z_-]*\Z"), doc("The crawler's name in robots.txt rules")
    ] = "Toponaut"
    contact: Annotated[str, doc("Web or mail address where site owners can reach you")] = ""
    delay: Annotated[
        float,
        Meta(ge=0, le=3600),
        doc("Seconds between two requests to a host; a longer Crawl-delay wins"),
    ] = 1.0
    per_domain: Annotated[
        Count,
        doc("Hosts of one registered domain that are asked at the same time; 0: no bound"),
    ] = 8
    per_ip: Annotated[
        Count, doc("Hosts at one IP address that are asked at the same time; 0: no bound")
    ] = 8
    robots: Annotated[bool, doc("Obey robots.txt, meta robots and nofollow")] = True
    sitemaps: Annotated[bool, doc("Read the sitemaps that robots.txt lists")] = True
    concurrent: Annotated[int, Meta(ge=1, le=10_000), doc("Requests in flight at once")] = 64
    connect_timeout: Annotated[Timeout, doc("Seconds to connect")] = 10.0
    read_timeout: Annotated[Timeout, doc("Seconds between two parts of a response")] = 20.0
    total_timeout: Annotated[Timeout, doc("Seconds for a whole response")] = 60.0
    verify_tls: Annotated[bool, doc("Refuse servers with an invalid certificate")] = True
    retries: Annotated[
        int, Meta(ge=0, le=20), doc("Retries after 5xx, 429 or a lost connection")
    ] = 2


class FetchSection(Section, frozen=True):
    """Pages that need JavaScript: a browser runs their scripts. Needs toponaut[render]."""

    render: Annotated[
        Literal["never", "when-empty", "always"],
        doc("Which pages a browser renders; when-empty: those with scripts and hardly any text"),
    ] = "never"
    render_seconds: Annotated[
        float, Meta(gt=0, le=600), doc("Seconds for a page, with the requests of its scripts")
    ] = 30.0
    browsers: Annotated[
        int, Meta(ge=1, le=64), doc("Browsers; each renders one page at a time")
    ] = 1
    browser_bytes: Annotated[
        int, Meta(ge=200_000_000, le=MANY), doc("Memory of a browser; a page that needs more fails")
    ] = 1_000_000_000


class LimitsSection(Section, frozen=True):
    """When the crawl stops, and which pages it skips. 0 and [] mean no limit."""

    pages: Annotated[Count, doc("Pages in total")] = 10_000
    total_bytes: Annotated[Count, doc("Bytes received in total")] = 0
    seconds: Annotated[Count, doc("Seconds per run")] = 0
    patience: Annotated[
        Patience,
        doc(
            "Seconds that a crawl looks ahead, if limits.seconds is not set: it waits for resting "
            "hosts rather than spend its pages on worse links, and spreads its requests over half "
            "of that time. 0: never; auto: 3600 with the ordering combined, 0 with others"
        ),
    ] = "auto"
    depth: Annotated[
        Count, doc("Links from the first page of a host, on all hosts of its domain")
    ] = 5
    pages_per_host: Annotated[Count, doc("Pages per host")] = 1000
    pages_per_domain: Annotated[
        Literal["auto"] | Annotated[int, Meta(ge=0, le=MANY)],
        doc("Pages per registered domain; auto: five times pages_per_host"),
    ] = "auto"
    body_bytes: Annotated[Positive, doc("Bytes per page, uncompressed")] = 10_000_000
    url_length: Annotated[int, Meta(ge=1, le=MAX_LENGTH), doc("Characters in a URL")] = MAX_LENGTH
    bandwidth: Annotated[Count, doc("Bytes per second and node")] = 0
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]{2,3}\Z")], ...],
        doc('Only pages in these languages: "de", "en"'),
    ] = ()
    tlds: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9-]{2,}\Z")], ...],
        doc('Only hosts in these top-level domains: "de", "at"'),
    ] = ()
    without_tlds: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9-]{2,}\Z")], ...],
        doc('No hosts in these top-level domains: "ru", "jp"'),
    ] = ()
    content_types: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]+/[a-z0-9.+-]+\Z")], ...],
        doc("Only these content types"),
    ] = ("text/html", "application/xhtml+xml", "text/plain")
    scope: Annotated[
        Literal["any", "seeds", "domain"],
        doc("seeds: only the seeds' hosts, with and without www; domain: their whole domains"),
    ] = "any"
    hosts: Annotated[
        tuple[str, ...], doc('Only these hosts and their subdomains: "example.org"')
    ] = ()
    include: Annotated[
        tuple[str, ...], doc("Only URLs that match one of these regular expressions")
    ] = ()
    exclude: Annotated[
        tuple[str, ...], doc("Skip URLs that match one of these regular expressions")
    ] = ()
    actions: Annotated[
        bool, doc("Fetch action links, too: maps, share, calendar, feed, print, login, cart")
    ] = False
    private_networks: Annotated[bool, doc("Allow private and local IP addresses")] = False


class StorageSection(Section, frozen=True):
    """What the crawl directory keeps in addition to the log."""

    warc: Annotated[bool, doc("Archive every response as WARC")] = True
    warc_bytes: Annotated[
        int, Meta(ge=1_000_000, le=MANY), doc("Size at which a new WARC file is started")
    ] = 1_000_000_000
    requisites: Annotated[
        bool, doc("Fetch and archive what pages need to be shown: style sheets, pictures, fonts")
    ] = False
    requisites_per_page: Annotated[
        int, Meta(ge=1, le=1000), doc("New requisites that one page or style sheet may bring")
    ] = 50
    seal_seconds: Annotated[
        int,
        Meta(ge=1, le=86_400),
        doc("How often the log is sealed; losing a machine costs at most this much work"),
    ] = 300
    disk: Annotated[
        str, doc("On a cluster: a folder on each machine's own disk (default: temporary folder)")
    ] = ""


class WatchSection(Section, frozen=True):
    """How `toponaut watch` comes back to pages."""

    requests_per_day: Annotated[
        Positive, doc("Requests in a day, for known pages and new ones together")
    ] = 5000
    schedule: Annotated[
        Literal["lambda", "interest", "fixed", "stormcrawler", "nutch"],
        doc(
            "lambda: by importance and rate of changes; interest: by the weight of interests and "
            "queries in the page, or by importance if there are none; the others are for comparison"
        ),
    ] = "lambda"
    new_page_days: Annotated[
        float,
        Meta(gt=0, le=10_000),
        doc("A new relevant page is worth as much as a relevant one that was stale for these days"),
    ] = 30.0
    longest_days: Annotated[
        float, Meta(gt=0, le=10_000), doc("Days between two visits to a page, at most")
    ] = 90.0
    shortest_hours: Annotated[
        float, Meta(gt=0, le=10_000), doc("Hours between two visits to a page, at least")
    ] = 1.0


class Job(Section, frozen=True):
    """A whole job file."""

    seeds: Annotated[tuple[str, ...], doc("URLs at which the crawl starts")] = ()
    partition: Annotated[
        Literal["timezone", "even", "population", "nearest", "written"],
        doc("How targets are divided into territories; written: as listed in nodes.territories"),
    ] = "nearest"
    random_seed: Annotated[Count, doc("Breaks ties; the same seed gives the same crawl")] = 0
    regions: Annotated[
        tuple[RegionSection, ...],
        doc('Groups of readers: { name = "iran", targets = ["Tehran, IR"], interests = { ... } }'),
    ] = ()
    targets: TargetsSection = TargetsSection()
    nodes: NodesSection = NodesSection()
    collaboration: CollaborationSection = CollaborationSection()
    ordering: OrderingSection = field(default_factory=OrderingSection)  # its dict is not shared
    politeness: PolitenessSection = PolitenessSection()
    fetch: FetchSection = FetchSection()
    limits: LimitsSection = LimitsSection()
    storage: StorageSection = StorageSection()
    watch: WatchSection = WatchSection()
