"""Every section and key of a job file, with type, bounds, default and help."""

from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta, Struct, field

from toponaut.urls import MAX_LENGTH

MANY = 10**15  # more than any crawl has, and whole in every number type that it may pass through
PlaceName = str | Annotated[int, Meta(ge=1, le=MANY)]  # "Oldenburg, DE", or a GeoNames id
Name = Annotated[
    str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z")
]  # of a strategy or preset; plug-ins add some


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the job file. The docstrings of sections are the comments above them in the example."""

    @classmethod
    def hints(cls) -> dict[str, Any]:
        """The type of every key, with its bounds and its help."""
        return get_type_hints(cls, include_extras=True)

    @classmethod
    def help(cls) -> dict[str, str]:
        """The help line of every key."""
        return {name: help_in(hint) for name, hint in cls.hints().items()}


def help_in(hint: Any) -> str:
    """The help line that a type carries, "" if none."""
    return next(
        (meta.description for meta in getattr(hint, "__metadata__", ()) if meta.description), ""
    )


class TargetsSection(Section, frozen=True):
    """The places that pages are wanted about. Give places, presets, or both."""

    places: Annotated[
        tuple[PlaceName, ...],
        Meta(description='Places: "Oldenburg, DE", "Glendale, AZ", or a GeoNames id'),
    ] = ()
    presets: Annotated[
        tuple[Name, ...], Meta(description='Ready lists of places: "us-top-100"')
    ] = ()
    relevant: Annotated[
        Literal["address", "scope"],
        Meta(
            description="What makes a page relevant: an address in a target, or its scope being there"
        ),
    ] = "address"


class TerritorySection(Section, frozen=True):
    """A node written out by hand: partition = "written"."""

    name: Annotated[str, Meta(description="The node's name in reports")] = ""
    targets: Annotated[tuple[PlaceName, ...], Meta(description="The places it answers for")] = ()


class NodesSection(Section, frozen=True):
    """The crawling nodes. Geographic ones have a territory; general ones take what nobody else claims."""

    geographic: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Geographic nodes; timezone and written make their own number",
        ),
    ] = 1
    general: Annotated[int, Meta(ge=0, le=10_000, description="General nodes")] = 0
    shards: Annotated[
        int, Meta(ge=1, le=10_000, description="On a cluster: parts of a node, split by host")
    ] = 1
    territories: Annotated[
        tuple[TerritorySection, ...],
        Meta(
            description='Only for "written": { name = "north", targets = ["Oldenburg, DE"] }, ...'
        ),
    ] = ()


class CollaborationSection(Section, frozen=True):
    """Who fetches a link."""

    strategy: Annotated[
        Name, Meta(description="hash, url, anchor, content, classifier, ip, combined, or a plug-in")
    ] = "combined"
    policy: Annotated[
        Literal["A", "B"],
        Meta(
            description="A: the node of the likeliest place; B: every node with a place that is possible"
        ),
    ] = "A"
    exclusive: Annotated[
        bool, Meta(description="One owner for each URL, so that nothing is fetched twice")
    ] = False
    anchor_window: Annotated[
        int, Meta(ge=0, le=25, description="anchor: tokens read on each side of the link text")
    ] = 10
    content_a: Annotated[
        float, Meta(ge=0, le=1, description="content: weight of a city named with its state")
    ] = 0.7
    content_b: Annotated[
        float,
        Meta(ge=0, le=1, description="content: weight of population against the page's own states"),
    ] = 0.5
    model: Annotated[str, Meta(description="classifier, combined: the file of a trained model")] = (
        ""
    )
    mmdb: Annotated[str, Meta(description="ip, combined: an IP-to-city database (MMDB)")] = ""


class OrderingSection(Section, frozen=True):
    """When a link is fetched."""

    strategy: Annotated[
        Name,
        Meta(
            description="breadth-first, link-distance, lookahead, interest, geo-rank, combined, or a plug-in"
        ),
    ] = "combined"
    decay: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="link-distance, lookahead, combined: what a link away from a relevant page keeps",
        ),
    ] = 0.5
    depth: Annotated[
        int, Meta(ge=1, le=10, description="lookahead, combined: how many links it looks ahead")
    ] = 3
    model: Annotated[
        str,
        Meta(
            description="lookahead, combined: state/ordering.model of an earlier crawl, to begin with"
        ),
    ] = ""
    interests: Annotated[
        dict[str, Annotated[float, Meta(ge=0, le=1e6)]],
        Meta(description="interest: terms with priorities, { tehran = 2, iran = 4 }"),
    ] = field(default_factory=dict)
    scheme: Annotated[
        Literal["nxx", "tfidf", "lnu"],
        Meta(description="interest: how a page is weighed against the terms"),
    ] = "lnu"
    pivot: Annotated[float, Meta(ge=0, le=1e6, description="lnu: usual number of unique terms")] = (
        107.89
    )
    slope: Annotated[float, Meta(ge=0, le=1, description="lnu: how far a page's length counts")] = (
        0.2
    )
    window: Annotated[int, Meta(ge=1, le=50, description="geo-rank: tokens read around a link")] = (
        50
    )
    registrant: Annotated[
        bool, Meta(description="geo-rank: ask RDAP where the owner of a domain is")
    ] = False
    rdap: Annotated[str, Meta(description="geo-rank: the RDAP service that is asked")] = (
        "https://rdap.org/"
    )


class PolitenessSection(Section, frozen=True):
    """How servers are treated. Each host has one clock, whichever nodes fetch from it."""

    user_agent: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z][A-Za-z_-]*\Z",
            description="The name that robots.txt rules are looked up for",
        ),
    ] = "Toponaut"
    contact: Annotated[
        str, Meta(description="Where site owners reach you: a web or mail address")
    ] = ""
    delay: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="Seconds between two requests to a host; a longer crawl-delay wins",
        ),
    ] = 1.0
    per_ip: Annotated[
        bool, Meta(description="One clock for all hosts behind one IP address, too")
    ] = False
    robots: Annotated[bool, Meta(description="Obey robots.txt, meta robots and nofollow")] = True
    sitemaps: Annotated[bool, Meta(description="Read the sitemaps that robots.txt names")] = True
    concurrent: Annotated[int, Meta(ge=1, le=10_000, description="Requests under way at once")] = 64
    connect_timeout: Annotated[float, Meta(gt=0, le=3600, description="Seconds to connect")] = 10.0
    read_timeout: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between two parts of an answer")
    ] = 20.0
    total_timeout: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds for a whole answer")
    ] = 60.0
    verify_tls: Annotated[
        bool, Meta(description="Refuse servers whose certificate is not valid")
    ] = True
    retries: Annotated[
        int, Meta(ge=0, le=20, description="Further tries after 5xx, 429 or a lost connection")
    ] = 2


class LimitsSection(Section, frozen=True):
    """Where the crawl stops and what it leaves alone. 0 and [] mean no limit."""

    pages: Annotated[int, Meta(ge=0, le=MANY, description="Pages in all")] = 10_000
    total_bytes: Annotated[int, Meta(ge=0, le=MANY, description="Bytes received in all")] = 0
    seconds: Annotated[int, Meta(ge=0, le=MANY, description="Seconds that one run may take")] = 0
    depth: Annotated[int, Meta(ge=0, le=MANY, description="Links deep into a host")] = 5
    pages_per_host: Annotated[int, Meta(ge=0, le=MANY, description="Pages of one host")] = 1000
    body_bytes: Annotated[int, Meta(ge=1, le=MANY, description="Bytes of a page, unpacked")] = (
        10_000_000
    )
    url_length: Annotated[int, Meta(ge=1, le=MAX_LENGTH, description="Characters of a URL")] = (
        MAX_LENGTH
    )
    bandwidth: Annotated[int, Meta(ge=0, le=MANY, description="Bytes a second for each node")] = 0
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]{2,3}\Z")], ...],
        Meta(description='Only pages in these languages: "de", "en"'),
    ] = ()
    tlds: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9-]{2,}\Z")], ...],
        Meta(description='Only hosts under these top-level domains: "de", "at"'),
    ] = ()
    content_types: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]+/[a-z0-9.+-]+\Z")], ...],
        Meta(description="Only these types"),
    ] = ("text/html", "application/xhtml+xml", "text/plain")
    exclude: Annotated[
        tuple[str, ...],
        Meta(description="No URLs in which one of these regular expressions is found"),
    ] = ()
    private_networks: Annotated[bool, Meta(description="Allow private and local IP addresses")] = (
        False
    )


class StorageSection(Section, frozen=True):
    """What the crawl directory keeps beside the log."""

    warc: Annotated[bool, Meta(description="Archive every answer as WARC")] = True
    warc_bytes: Annotated[
        int, Meta(ge=1_000_000, le=MANY, description="Size at which a new WARC file begins")
    ] = 1_000_000_000
    seal_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=86_400,
            description="How often the log is sealed; a lost machine repeats at most this",
        ),
    ] = 300
    disk: Annotated[
        str,
        Meta(
            description="On a cluster: a folder of each machine's own disk; none: that for temporary files"
        ),
    ] = ""


class Job(Section, frozen=True):
    """A whole job file."""

    seeds: Annotated[tuple[str, ...], Meta(description="Where the crawl starts")] = ()
    partition: Annotated[
        Literal["timezone", "even", "population", "nearest", "written"],
        Meta(description="How targets become territories; written: as in nodes.territories"),
    ] = "nearest"
    random_seed: Annotated[
        int,
        Meta(ge=0, le=MANY, description="Ties are broken by this; the same number, the same crawl"),
    ] = 0
    targets: TargetsSection = TargetsSection()
    nodes: NodesSection = NodesSection()
    collaboration: CollaborationSection = CollaborationSection()
    ordering: OrderingSection = field(
        default_factory=OrderingSection
    )  # it holds a dict, which must not be shared
    politeness: PolitenessSection = PolitenessSection()
    limits: LimitsSection = LimitsSection()
    storage: StorageSection = StorageSection()
