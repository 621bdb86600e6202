"""The best reading of the words after an anchor."""

from collections.abc import Iterator
from typing import NamedTuple

from toponaut.places.addresses.us.scan import Gap, Word, skip_brackets
from toponaut.places.addresses.us.street import Street, StreetKind, directed, read_streets
from toponaut.places.addresses.us.tail import PARTED, RUN_ON, Strength, Tail, read_tail
from toponaut.places.addresses.us.towns import Towns
from toponaut.places.addresses.us.unit import read_units
from toponaut.places.addresses.us.words import (
    DIRECTIONS,
    FOLLOWERS,
    MONTHS,
    NOT_STREETS,
    ONWARD,
    UNITS,
)

_NEAR = 2  # of these where no ZIP shows that an address goes on
_MOST_SKIPPED = 4  # lines, cells or phrases that may stand between a street and its town
_NOT_BARE = MONTHS | FOLLOWERS | NOT_STREETS | frozenset(UNITS)


class Reading(NamedTuple):
    score: float
    street: Street
    units: tuple[int, int]  # words from, to
    tail: Tail | None
    direct: bool  # nothing stands between street, unit and tail


def best_reading(words: list[Word], towns: Towns) -> Reading | None:
    """Of all readings the one whose parts support each other best."""
    best: Reading | None = None
    reader = _Reader(words, towns)
    for street in read_streets(words, 0):
        if best is not None and best.tail is not None and best.score >= _most(street):
            break
        for reading in reader.readings(street):
            if best is None or reading.score > best.score:
                best = reading
    return best


def _most(street: Street) -> float:
    """The most that a reading of this kind could score."""
    return _score(street, Strength.FULL, 2, direct=True)


def _score(street: Street, strength: int, known: int, *, direct: bool) -> float:
    return 10 * strength + 3 * known + 8 * direct + street.kind + street.strong


class _Reader:
    """Reads what follows a street. What lies beyond the next gap is read once for all streets before it."""

    def __init__(self, words: list[Word], towns: Towns) -> None:
        self.words = words
        self.towns = towns
        self._beyond: dict[int, Tail | None] = {}

    def readings(self, street: Street) -> Iterator[Reading]:
        """With and without a directional after the street ("Main St West Hartford")."""
        if street.kind == StreetKind.BARE and not _may_be_bare(self.words, street):
            return
        yield from self._reading(street, 0)
        with_direction = directed(self.words, street.stop)
        if with_direction > street.stop:
            yield from self._reading(street._replace(stop=with_direction), 0.5)

    def _reading(self, street: Street, bonus: float) -> Iterator[Reading]:
        words = self.words
        units = (street.stop, read_units(words, street.stop))
        at = skip_brackets(words, units[1])
        inside = (
            at + 1 < len(words) and words[at].key == "in" and words[at].gap == Gap.SPACE
        )  # "38 Union St. in Worcester"
        parted = inside or at > street.stop or at >= len(words) or words[at].gap > Gap.SPACE
        tail = read_tail(words, at + inside, self.towns, alone=_smallest_town(street, parted))
        if tail and _believable(street, tail, parted):
            score = _score(street, tail.strength, tail.known, direct=True) + bonus
            yield Reading(score - 6 * (tail.city[0] == tail.city[1]), street, units, tail, True)
        elif street.kind > StreetKind.BARE:
            yield from self._distant(street, units, at, bonus)

    def _distant(
        self, street: Street, units: tuple[int, int], at: int, bonus: float
    ) -> Iterator[Reading]:
        """The tail does not follow at once, or there is none."""
        clean = _is_clean(self.words, street.stop, at)
        tail = self._further_tail(at)
        if tail and (clean or tail.strength == Strength.FULL):
            score = (
                _score(street, tail.strength, tail.known, direct=False) - 4 * (not clean) + bonus
            )
            yield Reading(score, street, units, tail, False)
        elif clean:
            yield Reading(_score(street, 0, 0, direct=False) + bonus, street, units, None, False)

    def _further_tail(self, at: int) -> Tail | None:
        """A tail behind a building's name, a telephone number, opening hours; not behind the next street."""
        gap = next((k for k in range(at, len(self.words)) if self.words[k].gap > Gap.SPACE), -1)
        if gap not in self._beyond:
            self._beyond[gap] = self._search(gap) if gap >= 0 else None
        return self._beyond[gap]

    def _search(self, at: int) -> Tail | None:
        words, skipped = self.words, 0
        for index in range(at, len(words)):
            if words[index].gap == Gap.SPACE:
                continue
            skipped += 1
            if skipped > _MOST_SKIPPED:
                return None
            tail = read_tail(words, read_units(words, index), self.towns)
            near = skipped <= _NEAR and words[index].gap < Gap.BLOCK
            if (
                tail
                and tail.city[0] < tail.city[1]
                and (tail.strength == Strength.FULL or (tail.known and near))
            ):
                return tail
            if begins_street(words, index):
                return None
        return None


def _smallest_town(street: Street, parted: bool) -> int:
    """How large a town must be to be named without its state."""
    if street.kind == StreetKind.BARE:
        return 0
    if parted:
        return PARTED
    return RUN_ON if street.kind == StreetKind.TYPED and street.strong else 0


def _believable(street: Street, tail: Tail, parted: bool) -> bool:
    if (
        not parted and not tail.known and tail.city[0] < tail.city[1]
    ):  # "1 Oak St. Little Hamlet, GA 31558"
        return (
            tail.strength == Strength.FULL
            and street.kind == StreetKind.TYPED
            and street.strong
            and tail.city[1] - tail.city[0] <= 3
        )
    if street.kind == StreetKind.BARE:
        named = tail.city[0] < tail.city[1]
        return named and (
            tail.strength == Strength.FULL or (tail.strength == Strength.STATE and bool(tail.known))
        )
    return True


def _may_be_bare(words: list[Word], street: Street) -> bool:
    """A name without type: a few capitalised words, none of which says that it is something else."""
    name = words[: street.stop]
    if not all(word.is_name for word in name):
        return False
    if any(word.key in _NOT_BARE or word.text in "#&" for word in name):
        return False
    return (
        any(word.text[0].isalpha() and len(word.key) > 2 for word in name)
        or name[-1].key in DIRECTIONS
    )


def begins_street(words: list[Word], index: int) -> bool:
    """Whether a phrase begins with a street number and a typed street."""
    if (
        not words[index].text[0].isdigit()
        or index + 2 >= len(words)
        or words[index + 1].gap != Gap.SPACE
    ):
        return False
    return any(
        street.kind >= StreetKind.GRID and street.strong
        for street in read_streets(words[index + 1 : index + 9], 0)
    )


def _is_clean(words: list[Word], stop: int, at: int) -> bool:
    """Whether a street may end here: a gap follows, a unit, or a word that no name goes on with."""
    if at > stop or at >= len(words):
        return True
    after = words[at]
    return after.gap > Gap.SPACE or after.key in FOLLOWERS or after.key in ONWARD
