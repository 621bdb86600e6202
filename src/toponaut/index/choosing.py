"""Which place a query means: the wording proposes (splitting.py), the index decides.

Of the places of a name the one is taken for which this is largest:

    ln(1 + matching pages) + 0.3 ln(1 + pages) + 0.1 ln(1 + people)

where *pages* are those that are about the place or have an address there, and *matching* those of them with the words of the
query. So "Athens public schools" means Georgia in a crawl of American schools, Greece in one of Attica, and Greece where the
index knows neither. All others are part of the answer.

A bare name that is a word of everyday use is taken for a place only where the index says so: "plumbing reading" is about the
town if most pages with these words are, "reading glasses" is not.
"""

import math
from collections.abc import Sequence

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.answers import Meant, Where
from toponaut.index.opened import Opened
from toponaut.index.splitting import Manner, Split, Splitter, Wording
from toponaut.index.ties import LEAST_MEANT, STRENGTHS
from toponaut.places.gazetteer import Gazetteer

BY_MATCHING, BY_PAGES, BY_PEOPLE = 1.0, 0.3, 0.1
# A bare name counts without any page in the index if the place has so many people: to find nothing in Athens is an answer.
_LARGE = 100_000
# An everyday word is a place if so many matching pages lie there, and so many times as many as have the words elsewhere.
_ENOUGH, _MORE = 3, 2
_CANDIDATES = 40  # places of a name that are looked up in the index, the most populous first
_COUNTED = 6  # of those whose matching pages are counted
_OTHERS = 5

Spot = tuple[float, float]


class Chosen(Struct, frozen=True):
    """A query understood."""

    what: str
    where: Where | None
    others: tuple[Meant, ...] = ()
    as_words: bool = False


class Chooser:
    def __init__(self, opened: Opened, splitter: Splitter, gazetteer: Gazetteer) -> None:
        self._opened, self._splitter, self._gazetteer = opened, splitter, gazetteer

    def choose(self, text: str, here: Spot | None, place: int | None = None) -> Chosen:
        """`here`: where the asker is. `place`: one that was chosen by hand; 0 for none at all."""
        splits = self._splitter.splits(text)
        if place == 0:
            return Chosen(splits[-1].what, None)
        doubtful: list[Meant] = []
        for split in splits:
            if split.here:
                return self._at(split, here)
            if not split.rows:
                break
            meant = self._ranked(split, place)
            if place is not None and all(one.id != place for one in meant):
                continue
            if place is not None or self._is_believed(split, meant):
                return self._there(split, meant, place, doubtful)
            doubtful += [one for one in meant[:2] if one.pages]
        if place is not None:
            return self._by_hand(splits[-1].what, place)
        return Chosen(splits[-1].what, self.here(here), tuple(doubtful[:_OTHERS]))

    @staticmethod
    def here(here: Spot | None) -> Where | None:
        """Where the asker is, if he says so."""
        return None if here is None else Where("", Manner.NEAR, None, *here)

    # --- which split -------------------------------------------------------------------------------------

    def _is_believed(self, split: Split, meant: Sequence[Meant]) -> bool:
        match split.wording:
            case Wording.SAID:
                return True
            case Wording.NAMED:
                known = any(one.pages for one in meant)
                return known or not split.what or max(one.population for one in meant) >= _LARGE
        return meant[0].pages > 0 and self._speaks_for(split, meant[0])

    def _speaks_for(self, split: Split, best: Meant) -> bool:
        """Whether the pages that would match speak for an everyday word as a place: more of them lie there than have all
        the words and do not."""
        opened = self._opened
        words = opened.words.wanted(f"{split.name} {split.what}")
        if words.missing or not words.words:
            return best.matching >= _ENOUGH
        there = opened.tied(best.id, range(1, STRENGTHS))
        elsewhere = opened.count(opened.without(opened.words.query(words, every=True), there))
        return best.matching >= _ENOUGH and best.matching > _MORE * elsewhere

    def _at(self, split: Split, here: Spot | None) -> Chosen:
        if here is None:
            cause = f'"{split.where}" needs to know where that is'
            raise InputError(cause, "Give the coordinates: --near 53.14,8.21")
        return Chosen(split.what, Where(split.where, split.manner, None, *here, split.radius_km))

    def _there(self, split: Split, meant: Sequence[Meant], place: int | None, doubtful: Sequence[Meant]) -> Chosen:
        best = meant[0] if place is None else next(one for one in meant if one.id == place)
        others = [one for one in meant if one.id != best.id and (one.pages or one in meant[:3])]
        spot = self._opened.spot(split.street, best.id) if split.street else None
        where = Where(
            split.where,
            split.manner if not split.street or split.manner is Manner.WITHIN else Manner.NEAR,
            best,
            best.lat if spot is None or spot.lat is None else spot.lat,
            best.lon if spot is None or spot.lon is None else spot.lon,
            split.radius_km,
            split.street,
            spot is not None,
        )
        bare = split.wording is not Wording.SAID
        return Chosen(split.what, where, tuple([*others, *doubtful][:_OTHERS]), bare and bool(split.what))

    def _by_hand(self, what: str, place: int) -> Chosen:
        """A place that the query does not name: a facet that was clicked on."""
        try:
            meant = self._meant(self._gazetteer.row(place), self._opened.about(place), 0)
        except KeyError:
            raise InputError(f"there is no place {place}", "Give the id of one: toponaut places NAME --json") from None
        return Chosen(what, Where("", Manner.IN, meant, meant.lat, meant.lon))

    # --- which place -------------------------------------------------------------------------------------

    def _ranked(self, split: Split, place: int | None) -> list[Meant]:
        """The places that a split may mean, the best first."""
        opened, ids = self._opened, self._gazetteer.ids
        rows = split.rows[:_CANDIDATES]
        pages = {row: opened.about(int(ids[row])) for row in rows}
        wanted = opened.words.wanted(split.what)
        text = opened.words.query(wanted, every=True) if wanted.words and not wanted.missing else None
        counted = sorted((row for row in rows if pages[row]), key=lambda row: -pages[row])[:_COUNTED]
        matching = {}
        for row in counted if len(rows) > 1 or split.wording is Wording.PERHAPS else ():
            tied = opened.tied(int(ids[row]), range(LEAST_MEANT, STRENGTHS))
            matching[row] = pages[row] if text is None else opened.count(opened.both(text, tied))
        meant = [self._meant(row, pages[row], matching.get(row, 0)) for row in rows]
        order = sorted(range(len(rows)), key=lambda k: (self._is_around(rows[k], rows), -_belief(meant[k])))
        return [meant[k] for k in order if place is None or meant[k].id == place or k < _CANDIDATES]

    def _is_around(self, row: int, rows: Sequence[int]) -> bool:
        """Whether it is an area with a city of its name in it, which then is meant: Lisbon, not the district of Lisbon."""
        return any(row != other and row in self._gazetteer.lineage[other] for other in rows)

    def _meant(self, row: int, pages: int, matching: int) -> Meant:
        place = self._gazetteer.at(row)
        return Meant(
            place.id, place.name, place.kind, place.path, place.lat, place.lon, place.population, pages, matching
        )


def _belief(meant: Meant) -> float:
    return (
        BY_MATCHING * math.log1p(meant.matching)
        + BY_PAGES * math.log1p(meant.pages)
        + BY_PEOPLE * math.log1p(meant.population)
    )
