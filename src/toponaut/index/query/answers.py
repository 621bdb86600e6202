"""The records that a search returns: the same for the terminal, the JSON API and the web page."""

from html import escape

from msgspec import Struct

from toponaut.index.georeference import AddressPoint
from toponaut.index.query.prepositions import Manner
from toponaut.records import Kind, Place, Record


class Extract(Struct, frozen=True):
    """Part of a page's text around the searched words. Plain text: escape it before display."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()  # offsets of the searched words in `text`

    def html(self) -> str:
        """As HTML, with <mark> around the searched words and all else escaped."""
        parts, at = [], 0
        for start, end in self.marks:
            parts += [escape(self.text[at:start]), f"<mark>{escape(self.text[start:end])}</mark>"]
            at = end
        return "".join([*parts, escape(self.text[at:])])


class PlaceCandidate(Place, frozen=True):
    """A place that a query may mean."""

    path_ids: tuple[int, ...]  # ids of the places in `path`
    pages: int  # pages of the index about it or with an address there
    matching: int  # those of them with the searched words, if they were counted


class QueryLocation(Struct, frozen=True):
    """How the place of a query was understood."""

    text: str  # the words of the query that name it
    manner: Manner
    place: PlaceCandidate | None  # None: a named area, or the user's own location
    lat: float  # distances are measured from here
    lon: float
    radius_km: float | None = None
    spot: str = ""  # a street, quarter or landmark in the place, as in the query
    spot_found: bool = False  # the index has an address there, so its location is known
    area: str = ""  # the name of an area that is no place of the gazetteer


class Hit(Record, frozen=True):
    """A page that answers a query."""

    url: str
    title: str
    extract: Extract
    captured: str  # when it was fetched: "2026-11-16T04:46:38Z"
    language: str = ""
    place: int = 0  # the place it is listed under
    path: tuple[str, ...] = ()  # of that place
    address: str = ""
    organisation: str = ""
    phone: str = ""
    point: AddressPoint | None = None  # of `address`
    points: tuple[AddressPoint, ...] = ()  # of all its addresses
    distance_km: float | None = None  # to `point`; the mean distance if that is an area
    score: float = 0.0  # words_score times place_score
    words_score: float = 0.0  # 0..1, relative to the best
    place_score: float = 0.0  # 0..1
    why: str = ""
    copies: int = 0  # near copies with the same addresses, which are not shown
    number: int = 0  # of the page in the index


class SearchAnswer(Record, frozen=True):
    """The answer to a query, with how it was understood and the alternatives."""

    query: str
    what: str
    where: QueryLocation | None
    total: int  # matching pages, including near copies
    hits: tuple[Hit, ...]
    others: tuple[PlaceCandidate, ...] = ()  # other places that may be meant
    as_words: bool = False  # it may also mean no place at all
    did_you_mean: tuple[str, ...] = ()  # queries with corrected spelling
    note: str = ""  # if the search was relaxed, how
    pages: int = 0  # in the index


class MapPin(Struct, frozen=True):
    """A matching page on a map. Search.hit() returns the details."""

    number: int  # of the page
    point: AddressPoint
    score: float


class Facet(Struct, frozen=True):
    """A place inside the one of the query, and its number of matching pages."""

    id: int
    name: str
    kind: Kind
    lat: float
    lon: float
    pages: int
