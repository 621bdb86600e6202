"""An index opened for reading, as of one commit."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
import tantivy
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.cells import Box, cells_around, cells_in
from toponaut.index.georeference import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS, code
from toponaut.index.layout import IndexPaths, StoredPage, open_index, read_marker, schema
from toponaut.index.query.terms import SearchTerms, SearchWord, TermIndex
from toponaut.index.table import Floats, Numbers, PageTable
from toponaut.records import Address, Precision

Query = tantivy.Query
_MUST, _SHOULD = tantivy.Occur.Must, tantivy.Occur.Should
_STREET_PAGES = 20  # pages with a street that are searched for its location
_MAX_HOSTS = 500  # at home in a place, whose pages without a tie are searched
_PRECISION_ORDER = {one: number for number, one in enumerate(Precision)}


class FoundPages(Struct, frozen=True):
    """The pages of a query, best first."""

    numbers: Numbers
    scores: Floats
    addresses: list[tantivy.DocAddress]  # of the tantivy documents
    total: int


class IndexReader:
    def __init__(self, root: Path) -> None:
        marker = read_marker(root)
        if marker is None:
            raise InputError(
                f"{root.parent} has no index, or one of another version",
                f"Build it: toponaut index {root.parent}",
            )
        self.marker = marker
        paths = IndexPaths(root)
        self.schema = schema()
        self._index = open_index(self.schema, str(paths.words))
        self.searcher = self._index.searcher()
        # After the searcher: then the table has every page that can be found, and maybe more.
        self.table = PageTable(paths.pages)
        self.terms = TermIndex(self.searcher, self.schema)

    @property
    def pages(self) -> int:
        return self.searcher.num_docs

    @cached_property
    def located_pages(self) -> int:
        """The number of pages about any place."""
        return self.table.count_tied(LEAST_MEANT)

    # --- queries -----------------------------------------------------------------------------

    def tied(self, place: int, strengths: Iterable[int]) -> Query:
        """Pages with a tie of one of these strengths to a place."""
        codes = [code(place, strength) for strength in strengths]
        return Query.term_set_query(self.schema, "tie", codes)

    def about_or_at_home(self, place: int, strengths: Iterable[int]) -> Query:
        """Pages with such a tie to a place, or of hosts that are at home there."""
        hosts = self.table.hosts_at(place)[:_MAX_HOSTS]
        by_host = Query.term_set_query(self.schema, "host", hosts)
        return Query.boolean_query([(_SHOULD, self.tied(place, strengths)), (_SHOULD, by_host)])

    def around(self, field: str, lat: float, lon: float, km: float) -> Query:
        """Pages with a point ("cell") or an area ("area") in a circle, and some just outside."""
        return self._in_cells(field, cells_around(lat, lon, km))

    def in_box(self, field: str, box: Box) -> Query:
        return self._in_cells(field, cells_in(box))

    def _in_cells(self, field: str, cells: list[int] | None) -> Query:
        if cells is None:
            return Query.range_query(
                self.schema, field, tantivy.FieldType.Unsigned, 0, use_inverted_index=True
            )
        return Query.term_set_query(self.schema, field, cells)

    @staticmethod
    def both(text: Query | None, place: Query | None, needed: bool = True) -> Query:
        """Pages that match both; only the text is scored. If not `needed`, the text may miss."""
        if place is None:
            return text if text is not None else Query.all_query()
        if text is None:
            return place
        return Query.boolean_query(
            [(_MUST if needed else _SHOULD, text), (_MUST, Query.const_score_query(place, 0.0))]
        )

    @staticmethod
    def without(text: Query, place: Query) -> Query:
        """Pages with the words that are not in the place."""
        return Query.boolean_query([(_MUST, text), (tantivy.Occur.MustNot, place)])

    def find(self, query: Query, limit: int) -> FoundPages:
        result = self.searcher.search(query, limit)
        addresses = [address for _, address in result.hits]
        numbers = np.array(self.searcher.fast_field_values("number", addresses), np.int64)
        scores = np.array([score for score, _ in result.hits], np.float64)
        known = np.flatnonzero(numbers < len(self.table))
        addresses = [addresses[k] for k in known.tolist()]
        return FoundPages(numbers[known], scores[known], addresses, _count(result))

    def count(self, query: Query) -> int:
        return _count(self.searcher.search(query, 1))

    # --- single pages and places ---------------------------------------------------------------

    def about(self, place: int, strengths: Iterable[int] = range(LEAST_MEANT, STRENGTHS)) -> int:
        """The number of pages with such a tie, by default those about the place."""
        return sum(self.searcher.doc_freq("tie", code(place, strength)) for strength in strengths)

    def document(self, address: tantivy.DocAddress) -> tuple[StoredPage, tantivy.Document]:
        found = self.searcher.doc(address)
        return msgspec.msgpack.decode(bytes(found["shown"][0]), type=StoredPage), found

    def page(self, url: str) -> FoundPages:
        """The page with a URL, if the index has it."""
        return self.find(Query.term_query(self.schema, "url", url, "basic"), 1)

    def page_by_number(self, number: int) -> FoundPages:
        return self.find(Query.term_query(self.schema, "number", number, "basic"), 1)

    def has(self, number: int, word: SearchWord) -> bool:
        """Whether a page has a word."""
        page = Query.term_query(self.schema, "number", number, "basic")
        return self.count(self.both(self.terms.query(SearchTerms((word,)), every=True), page)) > 0

    def find_spot(self, spot: str, place: int) -> Address | None:
        """An address at a spot: in that street, else of an organisation or page of that name."""
        return self._find_street(spot, place) or self._find_named(spot, place)

    def _find_named(self, name: str, place: int) -> Address | None:
        terms = self.terms.terms(name)
        if terms.missing or not terms.words:
            return None
        there = self.tied(place, range(LEAST_ADDRESSED, STRENGTHS))
        found = self.find(self.both(self.terms.named(terms), there), _STREET_PAGES)
        words = {form for one in terms.words for form in one.forms}
        best: list[Address] = []
        for address in found.addresses:
            page, _ = self.document(address)
            located = [one for one in page.addresses if one.lat is not None]
            best += [one for one in located if words & {*self.terms.analyse(one.organisation)}]
            if len(located) == 1:
                best += located
        return min(best, key=lambda one: _PRECISION_ORDER[one.precision], default=None)

    def _find_street(self, street: str, place: int) -> Address | None:
        """The address with the most precise location in a street, with its number if possible."""
        words = self.terms.analyse(street)
        names = [word for word in words if not word[0].isdigit()]
        for wanted in (words, names):
            found = self._in_street(wanted, place) if names else []
            if found:
                return min(found, key=lambda address: _PRECISION_ORDER[address.precision])
        return None

    def pages_in_street(self, street: str, place: int, most: int) -> list[StoredPage]:
        """Pages with an address in a place whose street has all these words."""
        words = self.terms.analyse(street)
        terms = [(_MUST, Query.term_query(self.schema, "street", word, "basic")) for word in words]
        there = self.tied(place, range(LEAST_ADDRESSED, STRENGTHS))
        found = self.find(Query.boolean_query([*terms, (_MUST, there)]), most)
        return [self.document(address)[0] for address in found.addresses]

    def _in_street(self, words: Sequence[str], place: int) -> list[Address]:
        return [
            address
            for page in self.pages_in_street(" ".join(words), place, _STREET_PAGES)
            for address in page.addresses
            if address.lat is not None and self._street_words(address).issuperset(words)
        ]

    def _street_words(self, address: Address) -> set[str]:
        street = f"{address.number} {address.street} {address.normal.partition(',')[0]}"
        return set(self.terms.analyse(street))


def _count(result: tantivy.SearchResult) -> int:
    return int(getattr(result, "count"))  # noqa: B009 - missing in the package's type hints
