"""Which of the places of a name is meant: the one that the index knows most of.

    belief = 2 ln(1 + matching) + 0.3 ln(1 + pages) + 0.2 ln(1 + country) + 0.1 ln(1 + people)

*pages* are those that are about the place or have an address there, *matching* those of them with the words of the query. A page
with an address counts twice: an address lies in one Athens, while a page that only says "Athens" was read as speaking of the
largest. If the host of such a page has its address in another Athens, it counts there. *country* are the pages with an address in the
place's country: a crawl of American pages means an American Athens. But a place that the index has pages of comes before all that it has
none of: there nothing could be found.

So "Athens public schools" means Georgia in a crawl of American schools, Greece in one of Attica, and Greece where the index knows
neither.
"""

import math
from collections.abc import Sequence

import numpy as np
import tantivy

from toponaut.index.query.answers import Meant
from toponaut.index.query.opened import Opened
from toponaut.index.ties import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind

# Set by hand, in this order of weight: that something is found at all counts most, the people of a place decide between equals.
BY_MATCHING, BY_PAGES, BY_COUNTRY, BY_PEOPLE = 2.0, 0.3, 0.2, 0.1
OF_ADDRESS = 2
_MENTIONED, _ADDRESSED = range(LEAST_MEANT, LEAST_ADDRESSED), range(LEAST_ADDRESSED, STRENGTHS)
_CANDIDATES = 40  # places of a name that are looked up in the index, the most populous first
_COUNTED = 6  # of those whose matching pages are counted
_COUNTRY = KINDS.index(Kind.COUNTRY)
_SAMPLE = 100  # pages that mention a place, whose hosts are looked at


class Namesakes:
    def __init__(self, opened: Opened, gazetteer: Gazetteer) -> None:
        self._opened, self._gazetteer = opened, gazetteer

    def ranked(self, rows: Sequence[int], what: str, always: bool = False) -> list[Meant]:
        """Some places of one name, the best first. Matching pages are counted where there is a choice, or `always`."""
        opened, ids = self._opened, self._gazetteer.ids
        rows = rows[:_CANDIDATES]
        pages = {row: opened.about(int(ids[row])) for row in rows}
        addressed = {row: opened.about(int(ids[row]), _ADDRESSED) for row in rows if pages[row]}
        counted = sorted(addressed, key=lambda row: -pages[row])[:_COUNTED]
        matching, weight = self._matching(counted, what) if always or len(counted) > 1 else ({}, {})
        belief = {}
        for row in rows:
            all_pages = pages[row] + (OF_ADDRESS - 1) * addressed.get(row, 0)
            belief[row] = (
                BY_MATCHING * math.log1p(weight.get(row, 0.0))
                + BY_PAGES * math.log1p(all_pages)
                + BY_COUNTRY * math.log1p(self._in_country(row))
                + BY_PEOPLE * math.log1p(int(self._gazetteer.population[row]))
            )
        order = sorted(
            rows, key=lambda row: (self._is_around(row, rows), not pages[row], -belief[row])
        )
        return [self.meant(row, pages[row], matching.get(row, 0)) for row in order]

    def _in_country(self, row: int) -> int:
        """Pages with an address in a place's country."""
        country = int(self._gazetteer.lineage[row, _COUNTRY])
        return (
            self._opened.about(int(self._gazetteer.ids[country]), _ADDRESSED) if country >= 0 else 0
        )

    def meant(self, row: int, pages: int, matching: int) -> Meant:
        place = self._gazetteer.place_at(row)
        ids = self._path_ids(row, len(place.path))
        return Meant(
            place.id,
            place.name,
            place.kind,
            place.path,
            ids,
            place.lat,
            place.lon,
            place.population,
            pages,
            matching,
        )

    def _path_ids(self, row: int, steps: int) -> tuple[int, ...]:
        ids = []
        for _ in range(steps):
            ids.append(int(self._gazetteer.ids[row]))
            row = int(self._gazetteer.parents[row])
        return tuple(reversed(ids))

    def _matching(self, rows: Sequence[int], what: str) -> tuple[dict[int, int], dict[int, float]]:
        """For each place the matching pages, and what they weigh."""
        opened = self._opened
        wanted = opened.words.wanted(what)
        text = (
            opened.words.query(wanted, every=True) if wanted.words and not wanted.missing else None
        )
        by_place = {int(self._gazetteer.ids[row]): row for row in rows}
        matching, weight = dict[int, int](), dict.fromkeys(rows, 0.0)
        for place, row in by_place.items():
            with_address = opened.count(opened.both(text, opened.tied(place, _ADDRESSED)))
            shares, mentioning = self._mentioning(text, place, by_place)
            matching[row] = with_address + mentioning
            weight[row] += OF_ADDRESS * with_address
            for other, share in shares.items():
                weight[by_place[other]] += share * mentioning
        return matching, weight

    def _mentioning(
        self, text: tantivy.Query | None, place: int, places: dict[int, int]
    ) -> tuple[dict[int, float], int]:
        """Of the pages that speak of a place the share that each of some places gets, by where their hosts are at home."""
        opened = self._opened
        found = opened.find(opened.both(text, opened.tied(place, _MENTIONED)), _SAMPLE)
        if not len(found.numbers):
            return {}, 0
        homes = opened.table.homes(found.numbers)
        homes = np.where(np.isin(homes, list(places)), homes, place)
        known, counts = np.unique(homes, return_counts=True)
        return dict(zip(known.tolist(), (counts / len(homes)).tolist(), strict=True)), found.total

    def _is_around(self, row: int, rows: Sequence[int]) -> bool:
        """Whether it is an area with a city of its name in it, which then is meant: Lisbon, not the district of Lisbon."""
        return any(row != other and row in self._gazetteer.lineage[other] for other in rows)
