"""What a search gives back: plain records, the same for the terminal, for JSON and for the page."""

from html import escape

from msgspec import Struct

from toponaut.index.query.joints import Manner
from toponaut.index.ties import Point
from toponaut.records import Kind


class Extract(Struct, frozen=True):
    """A stretch of a page's text, with the searched words in it. Never markup: whoever shows it escapes it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()  # offsets into `text`

    def html(self) -> str:
        """For a page: everything escaped but the marks of ours."""
        parts, at = [], 0
        for start, end in self.marks:
            parts += [
                escape(self.text[at:start]),
                "<mark>",
                escape(self.text[start:end]),
                "</mark>",
            ]
            at = end
        return "".join([*parts, escape(self.text[at:])])


class Meant(Struct, frozen=True):
    """A place that a query may mean."""

    id: int
    name: str
    kind: Kind
    path: tuple[str, ...]
    path_ids: tuple[int, ...]  # of the places that the path names
    lat: float
    lon: float
    population: int
    pages: int  # of the index that are about it or have an address there
    matching: int  # of those the ones with the searched words, as far as they were counted


class Where(Struct, frozen=True):
    """How the place of a query was understood."""

    text: str  # the words of the query that name it
    manner: Manner
    place: Meant | None  # None: where the asker is
    lat: float  # the spot that distances are measured from
    lon: float
    radius_km: float | None = None
    street: str = ""  # the address that was asked for
    street_found: bool = False  # some page of the index has it, and so its spot is known


class Hit(Struct, frozen=True):
    """A page that answers a query."""

    url: str
    title: str
    extract: Extract
    captured: str  # when it was fetched: "2026-11-16T04:46:38Z"
    language: str = ""
    place: int = 0  # that it is shown under
    path: tuple[str, ...] = ()  # of that place
    address: str = ""
    organisation: str = ""
    phone: str = ""
    point: Point | None = None  # of that address
    points: tuple[Point, ...] = ()  # of all its addresses
    distance_km: float | None = None  # of that point; to an area the mean
    score: float = 0.0  # words times place
    words_score: float = 0.0  # 0..1, of the best
    place_score: float = 0.0  # 0..1
    why: str = ""
    copies: int = 0  # near copies with the same addresses that are not shown
    number: int = 0  # of the page in the index


class Answer(Struct, frozen=True):
    """The answer to a query, with how it was understood and how else it might have been."""

    query: str
    what: str
    where: Where | None
    total: int  # pages that match, near copies included
    hits: tuple[Hit, ...]
    others: tuple[Meant, ...] = ()  # places that may have been meant instead
    as_words: bool = False  # it might also mean no place at all
    did_you_mean: tuple[str, ...] = ()  # queries in another spelling
    note: str = ""  # what was done to find anything: "not every page has all words"
    pages: int = 0  # in the index


class Pin(Struct, frozen=True):
    """A matching page on a map: no more than a map needs of thousands."""

    number: int  # of the page; Search.hit tells the rest
    point: Point
    score: float


class Facet(Struct, frozen=True):
    """A place below the one asked for, and how many matching pages it has."""

    id: int
    name: str
    kind: Kind
    lat: float
    lon: float
    pages: int
