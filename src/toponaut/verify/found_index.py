"""The organisations of a crawl, by what a listed place may share with them.

Only those that share a phone, a website, a house, a rare word of the name or the neighbourhood are
compared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from toponaut.export.one_row import identifying_words
from toponaut.export.rows import AddressRow
from toponaut.places.addresses.normal import house_line
from toponaut.urls import site_of
from toponaut.verify.listed_place import ListedPlace
from toponaut.verify.matching import match_score
from toponaut.verify.verdict import PlaceMatch

_CELL = 500  # cells a degree: a cell is about 200 m wide
_COMMON = 200  # organisations with a word: more and it does not help to find one
_KEPT = 5  # best matches of a place

Key = tuple[str, object]


class FoundIndex:
    """Finds the organisations that a listed place may be."""

    def __init__(self, rows: Sequence[AddressRow]) -> None:
        self._rows = rows
        self._by_key: dict[Key, list[int]] = defaultdict(list)
        self._addresses_of: Counter[Key] = Counter()
        for number, row in enumerate(rows):
            for key in set(_row_keys(row)):
                self._by_key[key].append(number)
            for key in set(_owner_keys(row.phone, (row.website,))):
                self._addresses_of[key] += 1

    def matches(self, listed: ListedPlace) -> list[PlaceMatch]:
        """The best matches, the most probable first."""
        scored = [
            PlaceMatch(row, match_score(listed, row), self._is_only(row))
            for row in self._candidates(listed)
        ]
        scored.sort(key=lambda one: (-one.score.probability, -one.score.identity, one.row.id))
        return scored[:_KEPT]

    def _candidates(self, listed: ListedPlace) -> Iterator[AddressRow]:
        numbers: dict[int, None] = {}
        for key in _listed_keys(listed):
            found = self._by_key.get(key, ())
            if len(found) <= _COMMON or key[0] in ("phone", "house"):
                numbers.update(dict.fromkeys(found))
        return (self._rows[number] for number in numbers)

    def _is_only(self, row: AddressRow) -> bool:
        keys = _owner_keys(row.phone, (row.website,))
        return all(self._addresses_of[key] == 1 for key in keys)


def _owner_keys(phone: str, urls: Iterable[str]) -> Iterator[Key]:
    if phone:
        yield "phone", phone
    for url in urls:
        if url:
            yield "site", site_of(url)


def _row_keys(row: AddressRow) -> Iterator[Key]:
    yield from _owner_keys(row.phone, (row.website, *row.urls))
    yield from _place_keys(row.number, row.street, row.organisation, row.city)
    yield from _cells(row.lat, row.lon, 0)


def _listed_keys(listed: ListedPlace) -> Iterator[Key]:
    yield from _owner_keys(listed.phone, (listed.website,))
    yield from _place_keys(listed.number, listed.street, listed.name, listed.city)
    yield from _cells(listed.lat, listed.lon, 1)


def _place_keys(number: str, street: str, name: str, city: str) -> Iterator[Key]:
    if number and street:
        yield "house", house_line(number, street)
    for word in identifying_words(name, city):
        yield "word", word


def _cells(lat: float | None, lon: float | None, around: int) -> Iterator[Key]:
    """The cell of a point, and those around it."""
    if lat is None or lon is None:
        return
    y, x = round(lat * _CELL), round(lon * _CELL)
    for north in range(-around, around + 1):
        for east in range(-around, around + 1):
            yield "cell", (y + north, x + east)
