"""Visits as pages of an index: which ones count, and their tantivy document and table row."""

from collections import Counter

import msgspec
import tantivy

from toponaut.index.categories import page_categories
from toponaut.index.cells import cells_at
from toponaut.index.georeference import LEAST_MEANT, AddressPoint, GeoReferencer, code
from toponaut.index.layout import StoredPage
from toponaut.index.table import IndexRow, hash_addresses
from toponaut.places.names.finder import NameFinder
from toponaut.records import CONTENT, Outcome, Visit
from toponaut.urls import fingerprint

_GONE = (Outcome.GONE, Outcome.NO_INDEX)  # the URL is no longer a page
# The columns of the log that an index is built from.
FIELDS = (
    "outcome", "time", "simhash", "title", "description", "language", "text", "addresses", "scope",
    "own_scope", "relevant",
)  # fmt: skip
_MAX_TEXT = 100_000  # characters, as many as the judge reads for names
_MAX_STREETS = 200  # addresses of a page that can be found by street


def is_page(visit: Visit) -> bool:
    """Whether a visit has text to search."""
    return visit.outcome in CONTENT and bool(visit.text or visit.title)


def is_gone(visit: Visit) -> bool:
    """Whether a visit says that the URL is no longer a page."""
    return visit.outcome in _GONE


class PageBuilder:
    """Builds pages from visits. Caches the areas around places. `secret`: the key of the index."""

    def __init__(self, names: NameFinder, secret: int) -> None:
        self._secret = secret
        self._georeferencer = GeoReferencer(names.gazetteer, names.urls)

    def build(self, visit: Visit, number: int) -> tuple[tantivy.Document, IndexRow]:
        """The page with this number."""
        ties, points = self._georeferencer.ties(visit), self._georeferencer.points(visit)
        row = IndexRow(
            url=fingerprint(visit.url, self._secret),
            time=visit.time,
            simhash=visit.simhash,
            entities=hash_addresses(visit.addresses),
            host=fingerprint(visit.url.split("/", 3)[2], self._secret),
            seat=_seat(visit),
            points=points,
            ties=ties,
        )
        document = _document(visit, number, ties, points)
        document.add_unsigned("host", row.host)
        return document, row


def _seat(visit: Visit) -> int:
    """The place of more than half of a page's addresses; 0 if there is none."""
    places = Counter(address.place for address in visit.addresses)
    place, most = places.most_common(1)[0] if places else (0, 0)
    return place if 2 * most > len(visit.addresses) else 0


def _document(
    visit: Visit, number: int, ties: dict[int, int], points: list[AddressPoint]
) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("url", visit.url)
    document.add_unsigned("number", number)
    document.add_text("title", visit.title)
    document.add_text("text", visit.text[:_MAX_TEXT])
    if visit.description:
        document.add_text("description", visit.description)
    names = (address.organisation for address in visit.addresses if address.organisation)
    for name in dict.fromkeys(names):
        document.add_text("name", name)
    for category in page_categories(visit):
        document.add_text("category", category)
    for address in visit.addresses[:_MAX_STREETS]:
        if address.street:
            document.add_text("street", f"{address.number} {address.street}")
            # Also in full: "100 milam street" for "100 Milam St."
            document.add_text("street", address.normal.partition(",")[0])
    for place, strength in ties.items():
        document.add_unsigned("tie", code(place, strength))
        if strength >= LEAST_MEANT:  # a passing mention is not a facet
            document.add_unsigned("within", place)
    for field, is_area in (("cell", False), ("area", True)):
        spots = {(point.lat, point.lon) for point in points if point.is_area is is_area}
        for cell in {cell for lat, lon in spots for cell in cells_at(lat, lon)}:
            document.add_unsigned(field, cell)
    stored = StoredPage(*(getattr(visit, name) for name in StoredPage.__struct_fields__))
    document.add_bytes("shown", msgspec.msgpack.encode(stored))
    return document
