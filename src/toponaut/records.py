"""The records that flow through the crawler, one per stage: immutable msgspec structs, only data.

Link -> Response -> Page (+ Mention, Address) -> JudgedPage -> ScoredLink -> QueuedLink, Visit
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, to_builtins


class Kind(StrEnum):
    """The kind of a place, from large to small."""

    CONTINENT = "continent"
    COUNTRY = "country"
    STATE = "state"
    COUNTY = "county"
    CITY = "city"
    NEIGHBOURHOOD = "neighbourhood"
    LANDMARK = "landmark"


class Record(Struct, frozen=True):
    """Base of the records that users of the Python API get."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, ready for JSON."""
        return to_builtins(self)  # type: ignore[no-any-return]


class Place(Record, frozen=True):
    """An entry of the gazetteer. `path` has the names from the country down to the place itself."""

    id: int
    name: str
    kind: Kind
    country: str  # ISO 3166 alpha-2, "" for a continent
    admin1: str  # GeoNames admin1 code ("CA", "06"), "" if there is none
    lat: float
    lon: float
    population: int
    timezone: str
    path: tuple[str, ...]


class Link(Struct, frozen=True, array_like=True, gc=False):  # many a page, in no cycle
    """A discovered hyperlink. parse/links.py extracts the words around it from the page's text."""

    url: str  # absolute, in normal form
    source: str  # URL of the page with the link
    anchor: str = ""  # the link text; for an image link, its alt text
    title: str = ""  # the title attribute
    rel: tuple[str, ...] = ()
    start: int = -1  # offsets of the anchor in the page's text; -1 if it has none
    end: int = -1
    path: int = 0  # its place in the page's template: parse/tag_path.py; 0 if unknown


class Outcome(StrEnum):
    """The outcome of a visit. The values are shown to users."""

    FETCHED = "fetched"  # a page, now part of the crawl
    UNCHANGED = "unchanged"  # 304: the same as on our last visit
    REVISED = "changed"  # a later visit to a page: its facts are others now
    CONFIRMED = "confirmed"  # a later visit: its facts are the same; the page is not logged again
    REDIRECT = "redirect"  # the target is a link of its own
    ROBOTS_FILE = "robots.txt"  # a host's robots.txt, read or known to be missing
    SITEMAP = "sitemap"  # a sitemap, read
    REQUISITE = "page requisite"  # CSS, a picture, a font: archived with the pages, never read
    SEEDED = "seeded"  # no request: the job's seeds enter the crawl
    CONTROL = "operator command"  # no request: a command to the running crawl (crawl/control.py)
    GONE = "gone"  # 404 and 410: the page does not exist, or no longer
    CLIENT_ERROR = "client error"  # any other 4xx: the page may exist, but not for us
    SERVER_ERROR = "server error"  # 5xx, 429
    NO_HOST = "no such host"
    NO_CONNECTION = "no connection"
    NO_TLS = "no secure connection"
    TIMEOUT = "timeout"
    BROKEN = "broken answer"  # cut short, not HTTP, or wrongly compressed
    UNREADABLE = "unreadable page"  # fetched, but our parser failed
    TOO_LARGE = "too large"
    WRONG_TYPE = "unwanted type"
    PRIVATE = "private network"
    FORBIDDEN = "forbidden by robots.txt"
    NO_RULES = "robots.txt unreachable"
    WRONG_LANGUAGE = "unwanted language"
    NO_INDEX = "not to be indexed"  # noindex: we follow the page's links but keep nothing of it
    TWIN = "same page as another"  # no request: http/https, www, slash or index (gate/twins.py)
    NO_ROOM = "enough of its domain"  # no request: its domain has reached a limit
    NEAR_COPY = "near copy"  # similar to other pages of its host: kept, its links not followed


PAGES = frozenset({Outcome.FETCHED, Outcome.UNCHANGED, Outcome.NEAR_COPY})  # of the crawl
CONTENT = PAGES | {Outcome.REVISED}  # of visits that hold the content of a page
# Outcomes that are nothing for the crawl, and teach it not to try that host again and again.
FAILURES = frozenset({
    Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.SERVER_ERROR, Outcome.NO_HOST,
    Outcome.NO_CONNECTION, Outcome.NO_TLS, Outcome.TIMEOUT, Outcome.BROKEN, Outcome.UNREADABLE,
    Outcome.TOO_LARGE, Outcome.WRONG_TYPE, Outcome.PRIVATE, Outcome.FORBIDDEN, Outcome.NO_RULES,
    Outcome.WRONG_LANGUAGE,
})  # fmt: skip


class Request(Struct, frozen=True):
    """A request to a Fetcher."""

    url: str  # in normal form
    etag: str = ""  # of our last copy, for a conditional request
    modified: str = ""  # Last-Modified of our last copy
    types: tuple[str, ...] = ()  # wanted content types; () for all
    node: str = ""  # the node that asks; each has its own bandwidth
    now: float = 0.0  # by the crawl's clock: a simulated web may change
    newcomer: bool = False  # to a host that has not proved to work: others may need its slot


class Response(Struct, frozen=True):
    """A server's response. `body` is decompressed; `payload` and the heads are the raw bytes."""

    url: str
    status: int  # HTTP status; 0 without a response
    body: bytes
    content_type: str = ""  # the Content-Type header with its parameters
    headers: tuple[tuple[str, str], ...] = ()  # in order, names in lower case
    outcome: Outcome = Outcome.FETCHED
    detail: str = ""  # the cause of the outcome: "certificate has expired"
    location: str = ""  # target of a redirect, in normal form
    retry_after: float = 0.0  # seconds that the server asks us to wait
    started: float = 0.0  # Unix time of the request
    seconds: float = 0.0  # until the last byte, without what we made it wait
    ip: str = ""  # the server's address
    request_head: bytes = b""  # request line and headers, with the empty line
    response_head: bytes = b""  # status line and headers, with the empty line
    payload: bytes = b""  # the body as received, still compressed if the server compressed it
    rendered: bytes = b""  # HTML after the page's scripts ran, if a browser rendered it


class Mark(Struct, frozen=True, gc=False):
    """A highlighted span of a page's text: "h1".."h6", "b" (bold) or "address"."""

    tag: str
    start: int
    end: int


class StructuredItem(Struct, frozen=True):
    """An item of structured data in a page, as nested plain data.

    `syntax` is json-ld, microdata, rdfa or hcard. `data` maps property names to lists of strings or
    of nested maps; "@type" is the type without its vocabulary's URL ("PostalAddress").
    """

    syntax: str
    data: dict[str, object]
    start: int = -1  # the item's span in the page's text; -1 for JSON-LD, which has none
    end: int = -1


class Page(Struct, frozen=True):
    """A fetched document, parsed.

    `text` is the visible text: "\\n" ends a line, block, list item or table row, "\\t" separates
    table cells, and an empty line separates distant blocks. All offsets index `text`.
    """

    url: str
    title: str = ""
    language: str = ""  # primary subtag in lower case ("en"), "" if not declared
    text: str = ""
    links: Sequence[Link] = ()
    marks: tuple[Mark, ...] = ()
    structured: tuple[StructuredItem, ...] = ()
    geo: tuple[tuple[str, str], ...] = ()  # geo meta tags: ("geo.position", "53.1;8.2")
    description: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()  # robots directives in lower case: {"noindex"}
    encoding: str = "utf-8"
    truncated: bool = False  # a limit of the parser cut it short
    site_name: str = ""  # the site's name, from meta tags


class Mention(Record, frozen=True):
    """A place name found in text, URL or anchor, with its candidates and the chosen place."""

    text: str
    start: int
    end: int
    place: int  # id of the chosen place
    candidates: tuple[int, ...]  # ids, most likely first; the first is `place`
    confidence: float  # 0..1: that it is a place name, and this place


class Precision(StrEnum):
    """The precision of a location, from exact to vague."""

    GIVEN = "given"  # from the page
    HOUSE = "house"  # of the house, from the user's own data (--points)
    POSTCODE = "postcode"  # centre of the postcode area
    CITY = "city"  # centre of the city
    NONE = ""  # no location


# Who is at an address, as far as the page says: the organisation's name, and all that it has.
OWNER_PARTS = ("organisation", "category", "phone", "hours", "website", "email")


class Address(Record, frozen=True):
    """A postal address found in a page: the papers' geographic entity.

    Parts are as written in the page, except the codes `state` and `country` ("CA", "US"). `normal`
    is the same for all spellings of an address, so it identifies the entity.
    """

    text: str  # its span of the page's text; "" if it is in structured data only
    start: int  # -1 if it is in structured data only
    end: int
    number: str = ""
    street: str = ""  # with directionals and type; also "PO Box 12" or "5th & Main"
    unit: str = ""
    city: str = ""
    state: str = ""
    postcode: str = ""
    country: str = ""
    normal: str = ""
    organisation: str = ""  # the name of who is there
    category: str = ""  # "restaurant": places/addresses/contact/categories.py has them all
    phone: str = ""  # E.164: "+12175550100"
    hours: str = ""  # OpenStreetMap's opening_hours: "Mo-Fr 09:00-17:00; Sa off"
    website: str = ""
    email: str = ""
    lat: float | None = None
    lon: float | None = None
    precision: Precision = Precision.NONE
    place: int = 0  # id of the city's place, 0 if the gazetteer has none
    evidence: tuple[str, ...] = ()  # text, json-ld, microdata, rdfa, hcard, address
    inferred: tuple[str, ...] = ()  # names of the parts that are not written in the address
    confidence: float = 0.0


class JudgedPage(Struct, frozen=True):
    """A page with its addresses and scope, and whether it is relevant."""

    page: Page
    addresses: tuple[Address, ...] = ()
    scope: tuple[tuple[int, float], ...] = ()  # place ids with weights, heaviest first
    relevant: bool = False  # it has an address (or, by choice, a scope) in the targets
    simhash: int = 0  # near copies differ in few of its 64 bits
    ip: str = ""  # of the server that sent it
    registrant: int = 0  # place id of the domain's owner, if the job asks for it; 0: unknown
    content: tuple[tuple[int, float], ...] = ()  # target ids with weights by the content formula
    link_fingerprints: tuple[int, ...] = ()  # of the URLs of page.links, in order
    own_scope: tuple[tuple[int, float], ...] = ()  # the same by the page alone
    home: int = 0  # place id of its site's home, which counts in `scope`; 0: not known yet
    seconds: float = 0.0  # of CPU that reading it took, if that is long


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
    NOT_INCLUDED = "not included by the job"
    WRONG_HOST = "unwanted host"
    OUT_OF_BOUNDS = "off the seeds' sites"
    MAP = "map or directions link"
    SHARE = "share link"
    CALENDAR_ENTRY = "add-to-calendar link"
    FEED = "feed or API link"
    PRINT = "print view"
    REPLY = "reply or edit form"
    LOGIN = "login or registration"
    CART = "cart or checkout"
    CONTACT = "mail, phone or script link"
    REORDER = "list in another order"
    FORM = "captcha or unsubscribe link"
    HOST_FULL = "host has enough pages"
    DOMAIN_FULL = "domain has enough pages"
    HOST_FLOODS = "host repeats itself"
    HOST_DEAD = "host does not answer"
    HOST_FAILS = "host has given no page"
    TOO_MANY_REDIRECTS = "too many redirects"
    TWIN = "other form of a known URL"  # http/https, www, slash or index
    NO_PLACE = "names no place"  # the ordering rejects it


class RefusedLink(Struct, frozen=True, gc=False):
    """A link that was refused, and why."""

    url: str
    why: Refusal


class ScoredLink(Struct, frozen=True, gc=False):
    """A link of a judged page with the two decisions on it and their reasons."""

    url: str
    promise: float  # when it is fetched: the ordering's decision, higher is sooner
    owners: tuple[str, ...]  # which nodes fetch it: the collaboration's decision
    depth: int = 0  # links deep into its host: 0 where the crawl enters a host
    hops: int = 0  # links from a seed
    score: float = 0.0  # the ordering passes it on to the links of the linked page
    redirects: int = 0  # number of consecutive redirects that led here
    sitemap: bool = False  # to be read as a sitemap, not as a page
    anchor: str = ""
    ordering_reason: str = ""
    owner_reason: str = ""
    ordering_memo: bytes = b""  # returned to the ordering when the linked page is judged
    owner_memo: bytes = b""  # the same for the collaboration
    requisite: bool = False  # to be archived for the pages that need it, not to be read


class QueuedLink(Struct, frozen=True, array_like=True, gc=False):
    """A link in a frontier. Encoded as an array: field names would be half of the bytes."""

    url: str
    promise: float
    depth: int = 0
    hops: int = 0
    found_by: int = -1  # sequence of the visit that found it
    tries: int = 0  # requests made so far
    score: float = 0.0
    redirects: int = 0
    sitemap: bool = False
    ordering_memo: bytes = b""
    owner_memo: bytes = b""
    requisite: bool = False
    revisit: bool = False  # a page that was fetched before
    price: float = 0.0  # when it was taken; not kept while it waits


class Visit(Struct, frozen=True):
    """One fetch and every decision about it. The log keeps visits; all state is rebuilt from them.

    `links` are new to the node, or rated higher than before; `known` completes the link graph."""

    sequence: int  # number in the log, from 0; on a cluster from its epoch's start (log/epochs.py)
    node: str
    url: str
    status: int  # HTTP status; 0 without a response
    outcome: Outcome
    detail: str = ""
    time: float = 0.0  # Unix time of the request
    seconds: float = 0.0  # until the last byte
    ip: str = ""
    content_type: str = ""
    size: int = 0  # bytes received
    promise: float = 0.0  # when it was taken from the frontier
    price: float = 0.0  # the promise that a link needed then; a lower one was taken to explore
    depth: int = 0
    hops: int = 0
    found_by: int = -1  # sequence of the visit that found it
    tries: int = 0  # requests made before this one
    score: float = 0.0
    redirects: int = 0
    sitemap: bool = False
    retry: bool = False  # it went back into the frontier for another try
    dropped: int = 0  # links dropped with it, because their host does not answer
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
    known: tuple[int, ...] = ()  # fingerprints of links seen before
    refused: tuple[RefusedLink, ...] = ()
    canonical: str = ""  # another form of the URL that the page or the redirect names as its own
    registrant: int = 0
    sent: int = 0  # links sent to other nodes, counted once per owner
    messages: int = 0  # messages that carried them
    message_bytes: int = 0
    archive: str = ""  # the WARC file with the response
    offset: int = 0  # of its record there
    length: int = 0  # of its record there, compressed
    stamp: float = 0.0  # logical time of writing: the order of visits across several logs
    requisite: bool = False
    own_scope: tuple[tuple[int, float], ...] = ()  # the same by the page alone, without `home`
    home: int = 0  # place id of its site's home, which counts in `scope`; 0: not known yet
    revisit: bool = False  # its URL was fetched before, and this is a later look at it
    facts: int = 0  # a digest of what the page says about places (watch/facts.py)
    rendered: bool = False  # by a browser: text and links are those after the page's scripts ran
    sunk: tuple[str, ...] = ()  # links whose promise had fallen at their turn, since the last visit
    sunk_to: tuple[float, ...] = ()
    rules_of: str = ""  # it is the robots.txt of this origin, or a redirect to that
    retry_after: float = 0.0  # seconds that the server asked us to wait
