"""What the sources of a crawl's seeds knew about them, for its results: names, ids, categories.

A crawl keeps the seeds that were found for it as given/seeds.tsv. A seed is evidence for the owner
of an address on a page of its site, if its point is there: it confirms the name that was read, and
gives it where none was read or where only the text gives another one at the seed's own house.

An organisation of the crawl is a seed if it is on the seed's host and has its name or its point, or
if the host has only that seed and is the organisation's own website.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from toponaut.export.address_fold import AddressSighting
from toponaut.export.one_row import same_name
from toponaut.export.rows import AddressRow
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.seeds.seed import Seed, from_tsv, merge, to_tsv
from toponaut.store.disk import write_whole
from toponaut.urls import site_of

FILE = "seeds.tsv"
EVIDENCE = "seed"
_SAME_KM, _FAR_KM = 0.15, 2.0  # a house and its entrance; another branch, outside the area
_EXACT = ("given", "house")
_READ = {"text", "address"}  # evidence of an owner that was only read


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

    def with_owner(self, seen: AddressSighting) -> AddressSighting:
        """An address of a page, with the owner that the seeds of its site confirm or give."""
        if not self._by_host:
            return seen
        seeds = self._by_host.get(site_of(seen.url), ())
        for seed in seeds:
            name = self._owner(seed, seen, alone=len(seeds) == 1)
            if name:
                return replace(seen, organisation=name, evidence=(*seen.evidence, EVIDENCE))
        return seen

    def _owner(self, seed: Seed, seen: AddressSighting, alone: bool) -> str:
        """The name of a seed, if it is the owner; its spelling counts if it was only read."""
        km = _distance_km(seed, seen)
        if not seed.name or km is None or km > (seen.radius_km or 0.0) + _FAR_KM:
            return ""
        read = _READ.issuperset(seen.evidence)
        if seen.organisation and same_name(seed.name, seen.organisation, seen.city):
            return seed.name if read else seen.organisation
        at_house = seen.precision in _EXACT and km <= _SAME_KM
        given = alone and (not seen.organisation or (read and at_house))
        return seed.name if given else ""

    def _is_same(self, seed: Seed, row: AddressRow, alone: bool) -> bool:
        km = _distance_km(seed, row)
        if km is not None:
            if km > (row.radius_km or 0.0) + _FAR_KM:
                return False
            if row.precision in _EXACT and km <= _SAME_KM:
                return True
        if seed.name and row.organisation:
            return same_name(seed.name, row.organisation, row.city)
        return alone


def _distance_km(seed: Seed, one: AddressRow | AddressSighting) -> float | None:
    if seed.lat is None or seed.lon is None or one.lat is None or one.lon is None:
        return None
    return great_circle_km(seed.lat, seed.lon, one.lat, one.lon)
