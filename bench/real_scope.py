"""Places of real pages: is the heaviest place of a page that of its site?

    python -m bench.real_scope FOLDER [CRAWL]

FOLDER has real sites (manifest.tsv and sites.tsv, as `toponaut compare --replay` reads them). They
are crawled breadth-first from their seeds into CRAWL; a crawl that is there is read again. Sites
of one town count: their place is the truth. A place is right if it is the town, inside it, or less
than SAME_KM away. The figures are printed by the page alone and with the home of its site.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import toponaut
from toponaut.compare.real_sites import read_sites
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job.targets import find_place
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.names.tokens import Bools
from toponaut.records import PAGES, Kind, Place
from toponaut.urls import host_of

SAME_KM = 6.0
_SEVERAL = ("/", "...")  # in the place of a site of several towns, or of a region
_LOCAL = (Kind.CITY, Kind.NEIGHBOURHOOD)
_FIELDS = ("url", "outcome", "scope", "own_scope")


class Truth:
    """The town of a site."""

    def __init__(self, gazetteer: Gazetteer, town: Place) -> None:
        self._gazetteer, self._town = gazetteer, town
        self._inside: Bools = rows_inside(gazetteer, [gazetteer.row(town.id)])

    def is_right(self, scope: Sequence[tuple[int, float]]) -> bool:
        """Whether the heaviest place is the town."""
        if not scope:
            return False
        place = self._gazetteer.place(scope[0][0])
        if self._inside[self._gazetteer.row(place.id)]:
            return True
        km = great_circle_km(place.lat, place.lon, self._town.lat, self._town.lon)
        return place.kind in _LOCAL and km < SAME_KM


@dataclass
class Tally:
    """Pages of a site: all, and those with the right place by page alone and with the home."""

    pages: int = 0
    alone: int = 0
    right: int = 0
    sums: Counter[int] = field(default_factory=Counter)


def truths(folder: Path) -> dict[str, Truth]:
    """The towns of one-town sites, by host."""
    gazetteer, found = open_gazetteer(), {}
    for site in read_sites(folder):
        if any(mark in site.place for mark in _SEVERAL):
            continue
        try:
            town = find_place(gazetteer, f"{site.place}, {site.country}")
        except InputError:
            continue  # not in the gazetteer under that name
        if town.kind in _LOCAL:
            found[host_of(site.seed)] = Truth(gazetteer, town)
    return found


def tally(crawl: Path, towns: dict[str, Truth]) -> dict[str, Tally]:
    """The pages of a crawl by host."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for visit in Directory(crawl).logs.read(_FIELDS):
        truth = towns.get(host_of(visit.url)) if visit.outcome in PAGES else None
        if truth:
            one = tallies[host_of(visit.url)]
            one.pages += 1
            one.alone += truth.is_right(visit.own_scope)
            one.right += truth.is_right(visit.scope)
            one.sums.update(dict(visit.scope))
    return tallies


def crawl(folder: Path, out: Path) -> None:
    seeds = [site.seed for site in read_sites(folder)]
    job = {
        "seeds": seeds,
        "targets": {"places": ["Lexington, KY"]},
        "ordering": {"strategy": "breadth-first"},
        "politeness": {"contact": "https://bench.example/", "delay": 0},
        "limits": {"pages": 20_000},
        "storage": {"warc": False},
    }
    toponaut.crawl(job, out, replay=folder)


def print_scope(folder: Path, out: Path) -> None:
    """The share of right pages by site and in all; crawls the folder if `out` is not there."""
    if not out.exists():
        crawl(folder, out)
    towns = truths(folder)
    tallies = tally(out, towns)
    for host, one in tallies.items():
        print(f"{host:45} {one.pages:5} pages, {one.right / one.pages:.2f} right")
    pages = sum(one.pages for one in tallies.values())
    alone, right = (
        sum(getattr(one, name) for one in tallies.values()) for name in ("alone", "right")
    )
    sites = sum(towns[host].is_right(one.sums.most_common(1)) for host, one in tallies.items())
    print(
        f"heaviest place right: {alone / pages:.3f} by the page alone, {right / pages:.3f} of pages"
    )
    print(f"by sums over pages: {sites} of {len(tallies)} one-town sites")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("crawl", type=Path, nargs="?")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print_scope(given.folder, given.crawl or Path(scratch) / "crawl")


if __name__ == "__main__":
    main()
