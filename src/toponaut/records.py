"""What flows down the river: one frozen record per stage, named by what has happened to it.

    Link -> Response -> Page (+ Mention, Address) -> JudgedPage -> ScoredLink links -> Visit

Records hold data only. They are msgspec structs: immutable, comparable, and written to the log or to JSON
without further code. Those of which a page has many hold nothing but words and numbers, so that they cannot be part
of a cycle: `gc=False` spares the collector of cycles to look at them.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, to_builtins


class Kind(StrEnum):
    """What a place is, from broad to narrow."""

    CONTINENT = "continent"
    COUNTRY = "country"
    STATE = "state"
    COUNTY = "county"
    CITY = "city"
    NEIGHBOURHOOD = "neighbourhood"
    LANDMARK = "landmark"


class Record(Struct, frozen=True):
    """A result that users of the Python API get."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, ready for JSON."""
        plain: dict[str, Any] = to_builtins(self)
        return plain


class Place(Record, frozen=True):
    """An entry of the gazetteer. `path` leads from the country down to the place itself."""

    id: int
    name: str
    kind: Kind
    country: str  # ISO 3166 alpha-2, "" for a continent
    admin1: str  # GeoNames admin1 code ("CA", "06"), "" where there is none
    lat: float
    lon: float
    population: int
    timezone: str
    path: tuple[str, ...]


class Link(Struct, frozen=True, array_like=True, gc=False):
    """A discovered hyperlink, and where it stands in the page that holds it: parse/around.py gives the words beside it."""

    url: str  # absolute, in normal form
    source: str  # URL of the page that holds it
    anchor: str = ""  # the link text (an image link: its alt text)
    title: str = ""  # the title attribute
    rel: tuple[str, ...] = ()
    start: int = -1  # where the anchor stands in the page's text; -1 for a link that does not
    end: int = -1


class Outcome(StrEnum):
    """What came of a URL. Every visit has one; the words are shown to people as they stand."""

    FETCHED = "fetched"  # a page, now part of the crawl
    UNCHANGED = "unchanged"  # 304: as it was when we last came
    REDIRECT = "redirect"  # leads elsewhere; the target is a link of its own
    ROBOTS_FILE = "robots.txt"  # a host's rules, read, or known not to be there
    SITEMAP = "sitemap"  # a host's list of pages, read
    SEEDED = "seeded"  # no request: the seeds of the job enter the crawl
    GONE = "gone"  # 404 and 410: there is no such page, or none any more
    CLIENT_ERROR = "client error"  # any other 4xx: the page may be there, but not for us
    SERVER_ERROR = "server error"  # 5xx, 429
    NO_HOST = "no such host"
    NO_CONNECTION = "no connection"
    NO_TLS = "no secure connection"
    TIMEOUT = "timeout"
    BROKEN = "broken answer"  # cut short, no HTTP, packed wrongly
    UNREADABLE = "unreadable page"  # it came, and our reading of it failed
    TOO_LARGE = "too large"
    WRONG_TYPE = "unwanted type"
    PRIVATE = "private network"
    FORBIDDEN = "forbidden by robots.txt"
    NO_RULES = "robots.txt unreachable"
    WRONG_LANGUAGE = "unwanted language"
    NO_INDEX = (
        "not to be indexed"  # the page says noindex: its links are followed, nothing of it is kept
    )
    NEAR_COPY = "near copy"  # much like other pages of its host: kept, its links not followed


PAGES = frozenset(
    {Outcome.FETCHED, Outcome.UNCHANGED, Outcome.NEAR_COPY}
)  # outcomes that are pages of the crawl


class Request(Struct, frozen=True):
    """What a Fetcher is asked for."""

    url: str  # in normal form
    etag: str = ""  # of our last copy: the server may answer "unchanged"
    modified: str = ""  # its Last-Modified
    types: tuple[str, ...] = ()  # content types that are wanted; () for all
    node: str = ""  # that asks: each has a bandwidth of its own


class Response(Struct, frozen=True):
    """What a server sent. `body` is unpacked; `payload` and the heads are the bytes as they went over the wire."""

    url: str
    status: int  # of HTTP; 0 if no answer came
    body: bytes
    content_type: str = ""  # the Content-Type header, parameters included
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case, in their order
    outcome: Outcome = Outcome.FETCHED
    detail: str = ""  # the outcome in the words of the cause: "certificate has expired"
    location: str = ""  # where a redirect leads, in normal form
    retry_after: float = 0.0  # seconds that the server asks us to wait
    started: float = 0.0  # Unix time of the request
    seconds: float = 0.0  # until the last byte
    ip: str = ""  # the server's address
    request_head: bytes = b""  # request line and headers, with the empty line
    response_head: bytes = b""  # status line and headers, with the empty line
    payload: bytes = b""  # the body as received, still gzip where the server packed it


class Mark(Struct, frozen=True, gc=False):
    """A stretch of a page's text that its author set apart: "h1".."h6", "b" (bold) or "address"."""

    tag: str
    start: int
    end: int


class StructuredItem(Struct, frozen=True):
    """One item of structured data in a page, as nested plain data.

    `syntax` is json-ld, microdata, rdfa or hcard. `data` maps property names to lists of strings or of further
    such maps; "@type" holds the type without its vocabulary's address ("PostalAddress").
    """

    syntax: str
    data: dict[str, object]
    start: int = -1  # the item's stretch of the page's text, where it has one (not JSON-LD)
    end: int = -1


class Page(Struct, frozen=True):
    """A fetched document, parsed.

    `text` is what a reader sees: "\\n" ends a line, block, list item or table row, "\\t" parts table cells, and an
    empty line parts blocks that stand apart. All offsets in `links`, `marks` and `structured` index `text`.
    """

    url: str
    title: str = ""
    language: str = ""  # primary subtag, lower case: "en"; "" where the page does not say
    text: str = ""
    links: Sequence[Link] = ()
    marks: tuple[Mark, ...] = ()
    structured: tuple[StructuredItem, ...] = ()
    geo: tuple[tuple[str, str], ...] = ()  # geo meta tags by name: ("geo.position", "53.1;8.2")
    description: str = ""
    canonical: str = ""
    robots: frozenset[str] = (
        frozenset()
    )  # meta robots directives, lower case: {"noindex", "nofollow"}
    encoding: str = "utf-8"
    truncated: bool = False  # a limit of parse.py cut it short
    site_name: str = ""  # what the page calls the site that it is part of, in its meta tags


class Mention(Record, frozen=True):
    """A place name found in text, URL or anchor: where it stands, what it may mean, what was chosen."""

    text: str
    start: int
    end: int
    place: int  # id of the chosen place
    candidates: tuple[int, ...]  # ids, likeliest first; the first is `place`
    confidence: float  # 0..1: that this is a place name, and that it is this place


class Precision(StrEnum):
    """What a point stands for, from the exact to the vague."""

    GIVEN = "given"  # the page says so
    POSTCODE = "postcode"  # the centre of the postcode's area
    CITY = "city"  # the middle of the city
    NONE = ""  # no point known


class Address(Record, frozen=True):
    """A postal address found in a page: the papers' geographic entity.

    Parts are as written in the page, except `state` and `country`, which are codes ("CA", "US"). `normal` is equal for
    two spellings of one address, so it identifies the entity.
    """

    text: str  # the stretch of the page's text that holds it ("" if it stands in structured data only)
    start: int  # -1 if it stands in structured data only
    end: int
    number: str = ""
    street: str = (
        ""  # with directionals and type; of a PO box "PO Box 12"; of an intersection "5th & Main"
    )
    unit: str = ""
    city: str = ""
    state: str = ""
    postcode: str = ""
    country: str = ""
    normal: str = ""
    organisation: str = ""
    phone: str = ""
    hours: str = ""
    lat: float | None = None
    lon: float | None = None
    precision: Precision = Precision.NONE
    place: int = 0  # id of the city's place, 0 where the gazetteer has none
    evidence: tuple[str, ...] = ()  # text, json-ld, microdata, rdfa, hcard, address
    inferred: tuple[str, ...] = ()  # names of the parts that the address itself leaves out
    confidence: float = 0.0


class JudgedPage(Struct, frozen=True):
    """A page with what it is about, and whether that is wanted."""

    page: Page
    addresses: tuple[Address, ...] = ()
    scope: tuple[tuple[int, float], ...] = ()  # places by id with their weights, heaviest first
    relevant: bool = False  # it has an address (or, by choice, a scope) in the targets
    simhash: int = 0  # near copies differ in few of its 64 bits
    ip: str = ""  # of the server that sent it
    registrant: int = (
        0  # id of the place of its domain's owner, where the job asks for that; 0: not known
    )
    content: tuple[
        tuple[int, float], ...
    ] = ()  # targets by id with formula 3's weights, where the job asks for that
    prints: tuple[int, ...] = ()  # fingerprints of the URLs of the page's links, in their order


class Refusal(StrEnum):
    """Why a link does not enter the frontier."""

    NOFOLLOW = "nofollow"
    TOO_DEEP = "too deep in its host"
    TOO_LONG = "URL too long"
    REPEATING = "repeating path"
    CALENDAR = "calendar"
    MANY_PARAMETERS = "too many parameters"
    FILE_TYPE = "unwanted file type"
    WRONG_DOMAIN = "unwanted top-level domain"
    EXCLUDED = "excluded by the job"
    HOST_FULL = "host has enough pages"
    HOST_FLOODS = "host repeats itself"
    HOST_DEAD = "host does not answer"
    TOO_MANY_REDIRECTS = "too many redirects"
    NO_PLACE = "names no place"  # the ordering does not want it at all


class RefusedLink(Struct, frozen=True, gc=False):
    """A link that was not taken, and why."""

    url: str
    why: Refusal


class ScoredLink(Struct, frozen=True, gc=False):
    """A link of a judged page with the two decisions on it, and the reasons in words."""

    url: str
    promise: float  # when: the ordering's answer, higher is sooner
    owners: tuple[str, ...]  # who: names of nodes, the collaboration's answer
    depth: int = 0  # links deep into its host: 0 where the crawl enters a host
    hops: int = 0  # links from a seed
    score: float = 0.0  # what the ordering wants to hand on to the links of the page behind it
    redirects: int = 0  # redirects that led to it in a row
    sitemap: bool = False  # to be read as a sitemap, not as a page
    anchor: str = ""
    ordering_reason: str = ""
    owner_reason: str = ""
    ordering_memo: bytes = (
        b""  # what the ordering wants to be shown again when the page behind it is judged
    )
    owner_memo: bytes = b""  # and the collaboration


class QueuedLink(Struct, frozen=True, array_like=True, gc=False):
    """A link that waits in a frontier. On the wire it goes without the names of its fields, which would be half of it."""

    url: str
    promise: float
    depth: int = 0
    hops: int = 0
    found: int = -1  # sequence of the visit that found it
    tries: int = 0  # requests made for it so far
    score: float = 0.0
    redirects: int = 0
    sitemap: bool = False
    ordering_memo: bytes = b""
    owner_memo: bytes = b""


class Visit(Struct, frozen=True):
    """One fetch and every decision taken on it: what the log keeps, and what all else is rebuilt from.

    `links` are those that the node had not met before or rates higher now, with all that was decided on them. Of the
    others `known` holds the fingerprints, so that the whole link graph can be read from the log.
    """

    sequence: int  # counts the visits of a log, from 0; on a cluster from where its epoch begins (log/epochs.py)
    node: str
    url: str
    status: int  # of HTTP; 0 if no answer came
    outcome: Outcome
    detail: str = ""
    time: float = 0.0  # Unix time of the request
    seconds: float = 0.0  # until the last byte
    ip: str = ""
    content_type: str = ""
    size: int = 0  # bytes received
    promise: float = 0.0  # with which it was taken from the frontier
    depth: int = 0
    hops: int = 0
    found: int = -1  # sequence of the visit that found it
    tries: int = 0  # requests made for it before this one
    score: float = 0.0
    redirects: int = 0
    sitemap: bool = False
    retry: bool = False  # it went back into the frontier, to be tried again
    dropped: int = 0  # links given up with it, because their host does not answer
    ordering_memo: bytes = b""  # of the link that led here
    owner_memo: bytes = b""
    etag: str = ""
    modified: str = ""
    digest: str = ""  # of the payload: "sha1:" and 32 letters, as in the archive
    simhash: int = 0
    title: str = ""
    description: str = ""
    language: str = ""
    text: str = ""
    addresses: tuple[Address, ...] = ()
    scope: tuple[tuple[int, float], ...] = ()
    relevant: bool = False
    links: tuple[ScoredLink, ...] = ()
    known: tuple[int, ...] = ()  # fingerprints of links met before
    refused: tuple[RefusedLink, ...] = ()
    registrant: int = 0
    sent: int = 0  # links that went to other nodes, each as often as it has owners there
    messages: int = 0  # that carried them
    message_bytes: int = 0
    archive: str = ""  # the WARC file that holds the answer
    offset: int = 0  # of its record there
    length: int = 0  # of its record there, packed
    stamp: float = (
        0.0  # when it was written down, never before what was known then: the order of several logs
    )
