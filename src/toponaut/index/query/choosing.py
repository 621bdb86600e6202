"""Which reading of a query is meant: the wording proposes (splitting.py), the index decides.

A name that the wording ties to the query ("in", a state behind it) is a place. A bare one is, if the index has pages about it or if
it is large. One that is a word of everyday use is only where the index says so: "plumbing reading" is about the town if most
pages with these words are, "reading glasses" is not. Which of the places of a name is meant, namesakes.py says; all others are part
of the answer.
"""

from collections.abc import Sequence

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.query.answers import Meant, Where
from toponaut.index.query.joints import Manner
from toponaut.index.query.namesakes import Namesakes
from toponaut.index.query.opened import Opened
from toponaut.index.query.splitting import Split, Splitter, Wording
from toponaut.index.ties import STRENGTHS
from toponaut.places.gazetteer import Gazetteer

# A bare name counts without any page in the index if the place has so many people: to find nothing in Athens is an answer.
_LARGE = 100_000
# An everyday word is a place if so many matching pages lie there, and so many times as many as have the words elsewhere.
_ENOUGH, _MORE = 3, 2
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
        self._namesakes = Namesakes(opened, gazetteer)

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
            meant = self._namesakes.ranked(
                split.rows, split.what, always=split.wording is Wording.PERHAPS
            )
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

    def _there(
        self, split: Split, meant: Sequence[Meant], place: int | None, doubtful: Sequence[Meant]
    ) -> Chosen:
        best = meant[0] if place is None else next(one for one in meant if one.id == place)
        # Whoever looks for the one in Greece may say so, in a crawl of Georgia, too.
        largest = max(meant, key=lambda one: one.population)
        others = [
            one
            for one in meant
            if one.id != best.id and (one.pages or one in (*meant[:3], largest))
        ]
        others.sort(
            key=lambda one: not one.pages
        )  # an area around the best has pages, too, and stands last in `meant`
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
        return Chosen(
            split.what, where, tuple([*others, *doubtful][:_OTHERS]), bare and bool(split.what)
        )

    def _by_hand(self, what: str, place: int) -> Chosen:
        """A place that the query does not name: a facet that was clicked on."""
        try:
            meant = self._namesakes.meant(self._gazetteer.row(place), self._opened.about(place), 0)
        except KeyError:
            raise InputError(
                f"there is no place {place}", "Give the id of one: toponaut places NAME --json"
            ) from None
        return Chosen(what, Where("", Manner.IN, meant, meant.lat, meant.lon))
