"""What flows down the river: one frozen record per stage, named by what has happened to it.

    Link -> Fetched -> Page (+ Mention, Address) -> Judged -> Scored links -> Visit

Records hold data only. They are msgspec structs: immutable, comparable, and written to the log or to JSON
without further code.
"""

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a place is, from broad to narrow."""

    CONTINENT = "continent"
    COUNTRY = "country"
    STATE = "state"
    COUNTY = "county"
    CITY = "city"
    NEIGHBOURHOOD = "neighbourhood"
    LANDMARK = "landmark"


class Place(Struct, frozen=True):
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


class Link(Struct, frozen=True):
    """A discovered hyperlink, with the words around it in the page that holds it."""

    url: str  # absolute, in normal form
    source: str  # URL of the page that holds it
    anchor: str = ""  # the link text (an image link: its alt text)
    title: str = ""  # the title attribute
    rel: tuple[str, ...] = ()
    before: str = ""  # up to 25 tokens before the anchor
    after: str = ""  # up to 25 tokens after it
    start: int = 0  # where the anchor stands in the page's text
    end: int = 0


class Fetched(Struct, frozen=True):
    """What a server sent: the bytes as received and what the headers say about them."""

    url: str
    status: int
    body: bytes
    content_type: str = ""  # the Content-Type header, parameters included
    headers: tuple[tuple[str, str], ...] = ()


class Mark(Struct, frozen=True):
    """A stretch of a page's text that its author set apart: "h1".."h6", "b" (bold) or "address"."""

    tag: str
    start: int
    end: int


class Structured(Struct, frozen=True):
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
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()
    structured: tuple[Structured, ...] = ()
    geo: tuple[tuple[str, str], ...] = ()  # geo meta tags by name: ("geo.position", "53.1;8.2")
    description: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()  # meta robots directives, lower case: {"noindex", "nofollow"}
    encoding: str = "utf-8"
    truncated: bool = False  # a limit of parse.py cut it short


class Mention(Struct, frozen=True):
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


class Address(Struct, frozen=True):
    """A postal address found in a page: the papers' geographic entity.

    Parts are as written in the page, except `state` and `country`, which are codes ("CA", "US"). `normal` is equal for
    two spellings of one address, so it identifies the entity.
    """

    text: str  # the stretch of the page's text that holds it ("" if it stands in structured data only)
    start: int  # -1 if it stands in structured data only
    end: int
    number: str = ""
    street: str = ""  # with directionals and type; of a PO box "PO Box 12"; of an intersection "5th & Main"
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


class Judged(Struct, frozen=True):
    """A page with what it is about, and whether that is wanted."""

    page: Page
    mentions: tuple[Mention, ...] = ()
    addresses: tuple[Address, ...] = ()
    scope: tuple[tuple[int, float], ...] = ()  # places by id with their weights, heaviest first
    relevant: bool = False  # it has an address (or, by choice, a scope) in the targets


class Scored(Struct, frozen=True):
    """A link of a judged page with the two decisions on it, and the reasons in words."""

    link: Link
    priority: float  # when: the ordering's answer, higher is sooner
    owners: tuple[str, ...]  # who: names of nodes, the collaboration's answer
    why_then: str = ""
    why_they: str = ""


class Visit(Struct, frozen=True):
    """One fetch and every decision taken on it: what the log keeps, and what all else is rebuilt from."""

    sequence: int  # counts the visits of a node, from 0
    node: str
    url: str
    status: int  # of HTTP; 0 if no answer came
    outcome: str  # "fetched", or why not: "robots", "timeout", "too large", ...
    digest: str = ""  # of the body, so that copies are known
    language: str = ""
    addresses: tuple[Address, ...] = ()
    scope: tuple[tuple[int, float], ...] = ()
    relevant: bool = False
    links: tuple[Scored, ...] = ()
