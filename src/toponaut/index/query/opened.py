"""An index opened for reading, as it stood at one commit."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import tantivy
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.build.writing import read_marker
from toponaut.index.cells import Box, cells_around, cells_in
from toponaut.index.layout import Paths
from toponaut.index.schema import Shown, open_index, schema
from toponaut.index.table import Floats, Numbers, Table
from toponaut.index.ties import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS, code, codes
from toponaut.index.words import Words
from toponaut.records import Address

Query = tantivy.Query
_MUST, _SHOULD = tantivy.Occur.Must, tantivy.Occur.Should
_STREETS = 20  # pages with a street that are looked at for its spot


class Found(Struct, frozen=True):
    """Pages that a query found, best first."""

    numbers: Numbers
    scores: Floats
    addresses: list[tantivy.DocAddress]  # where tantivy has them
    total: int


class Opened:
    def __init__(self, root: Path) -> None:
        marker = read_marker(root)
        if marker is None:
            cure = f"Make one: toponaut index {root.parent}"
            raise InputError(f"{root.parent} has no index yet, or one of another version", cure)
        self.marker = marker
        paths = Paths(root)
        self.schema = schema()
        self._index = open_index(self.schema, str(paths.words))
        self.searcher = self._index.searcher()
        self.table = Table(
            paths.pages
        )  # after the searcher: it has every page that can be found, and maybe more
        self.words = Words(self.searcher, self.schema)

    @property
    def pages(self) -> int:
        return self.searcher.num_docs

    # --- queries -----------------------------------------------------------------------------------------

    def tied(self, place: int, strengths: Iterable[int]) -> Query:
        """Pages that are tied to a place so strongly."""
        return Query.term_set_query(self.schema, "tie", codes(place, strengths))

    def around(self, field: str, lat: float, lon: float, km: float) -> Query:
        """Pages with a point ("cell") or an area ("area") in a circle, and some beside it."""
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
        """Pages that both find; only the words give a score. They may be wanted, but not `needed`."""
        if place is None:
            return text if text is not None else Query.all_query()
        if text is None:
            return place
        return Query.boolean_query(
            [(_MUST if needed else _SHOULD, text), (_MUST, Query.const_score_query(place, 0.0))]
        )

    @staticmethod
    def without(text: Query, place: Query) -> Query:
        """Pages with the words that are not there."""
        return Query.boolean_query([(_MUST, text), (tantivy.Occur.MustNot, place)])

    def find(self, query: Query, limit: int) -> Found:
        result = self.searcher.search(query, limit)
        addresses = [address for _, address in result.hits]
        numbers = np.array(self.searcher.fast_field_values("number", addresses), np.int64)
        scores = np.array([score for score, _ in result.hits], np.float64)
        known = np.flatnonzero(numbers < len(self.table))
        return Found(
            numbers[known], scores[known], [addresses[k] for k in known.tolist()], _count(result)
        )

    def count(self, query: Query) -> int:
        return _count(self.searcher.search(query, 1))

    # --- single things -----------------------------------------------------------------------------------

    def about(self, place: int, strengths: Iterable[int] = range(LEAST_MEANT, STRENGTHS)) -> int:
        """How many pages are tied to a place so strongly: are about it or have an address there."""
        return sum(self.searcher.doc_freq("tie", code(place, strength)) for strength in strengths)

    def document(self, address: tantivy.DocAddress) -> tuple[Shown, tantivy.Document]:
        found = self.searcher.doc(address)
        return msgspec.msgpack.decode(bytes(found["shown"][0]), type=Shown), found

    def page(self, url: str) -> Found:
        """One page by its URL, if the index has it."""
        return self.find(Query.term_query(self.schema, "url", url, "basic"), 1)

    def page_at(self, number: int) -> Found:
        """One page by its number."""
        return self.find(Query.term_query(self.schema, "number", number, "basic"), 1)

    def spot(self, street: str, place: int) -> Address | None:
        """An address of some page in this street (at this number, if any page has it) whose point is known best."""
        words = self.words.analysed(street)
        named = [word for word in words if not word[0].isdigit()]
        for wanted in (words, named):
            found = self._in_street(wanted, place) if named else []
            if found:
                return min(found, key=lambda address: _VAGUE[address.precision])
        return None

    def _in_street(self, words: Sequence[str], place: int) -> list[Address]:
        terms = [(_MUST, Query.term_query(self.schema, "street", word, "basic")) for word in words]
        query = Query.boolean_query(
            [*terms, (_MUST, self.tied(place, range(LEAST_ADDRESSED, STRENGTHS)))]
        )
        wanted = set(words)
        shown = [self.document(address)[0] for address in self.find(query, _STREETS).addresses]
        return [
            address
            for one in shown
            for address in one.addresses
            if address.lat is not None
            and wanted
            <= set(
                self.words.analysed(
                    f"{address.number} {address.street} {address.normal.partition(',')[0]}"
                )
            )
        ]


def _count(result: tantivy.SearchResult) -> int:
    return int(getattr(result, "count"))  # noqa: B009 - the package's type hints do not know it


_VAGUE = {"given": 0, "postcode": 1, "city": 2, "": 3}
