"""What the sources of a crawl's seeds knew about them, for its results: ids and categories.

A crawl keeps the seeds that were found for it as given/seeds.tsv. An organisation of the crawl is
one of them if it is on the seed's host and has its name or its point, or if the host has only that
seed and is the organisation's own website.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from toponaut.export.one_row import same_name
from toponaut.export.rows import AddressRow
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.seeds.seed import Seed, from_tsv, merge, to_tsv
from toponaut.store.disk import write_whole
from toponaut.urls import site_of

FILE = "seeds.tsv"
_SAME_KM = 0.15  # a house and its entrance
_EXACT = ("given", "house")


def keep_seeds(given: Path, seeds: Iterable[Seed]) -> None:
    """Adds seeds to those that a crawl keeps. Plain addresses say nothing, and are left out."""
    new = [seed for seed in seeds if seed.id or seed.name]
    if new:
        given.mkdir(parents=True, exist_ok=True)
        write_whole(given / FILE, to_tsv(merge([*_read(given), *new])).encode())


def _read(given: Path) -> list[Seed]:
    try:
        text = (given / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return list(from_tsv(text, str(given / FILE)))


class KnownSeeds:
    """The seeds of some crawls, by host."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._by_host: dict[str, list[Seed]] = defaultdict(list)
        for seed in merge(seed for given in folders for seed in _read(given)):
            self._by_host[site_of(seed.url)].append(seed)

    def completed(self, row: AddressRow) -> AddressRow:
        """An organisation with its ids, and with the category that its source gives."""
        if not self._by_host:
            return row
        own = site_of(row.website) if row.website else ""
        sites = dict.fromkeys([own, *map(site_of, row.urls)])
        found = [
            seed
            for site in sites
            for seed in self._by_host.get(site, ())
            if self._is_same(seed, row, alone=site == own and len(self._by_host[site]) == 1)
        ]
        if not found:
            return row
        ids = dict.fromkeys(one for seed in found for one in seed.id.split(",") if one)
        category = next((seed.category for seed in found if seed.category), "")
        return replace(row, ids=tuple(ids), category=row.category or category)

    def _is_same(self, seed: Seed, row: AddressRow, alone: bool) -> bool:
        if seed.lat is not None and seed.lon is not None and row.lat is not None:
            assert row.lon is not None
            km = great_circle_km(seed.lat, seed.lon, row.lat, row.lon)
            if km > (row.radius_km or 0.0) + 2.0:  # another branch
                return False
            if row.precision in _EXACT and km <= _SAME_KM:
                return True
        if seed.name and row.organisation:
            return same_name(seed.name, row.organisation, row.city)
        return alone
