"""The best reading of the words after an anchor."""

from collections.abc import Iterator
from typing import NamedTuple

from toponaut.places.addresses.us.hints import NOT_BARE
from toponaut.places.addresses.us.street import StreetKind, UsStreet, directed, read_streets
from toponaut.places.addresses.us.tail import PARTED, RUN_ON, Strength, Tail, read_tail
from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.addresses.us.unit import read_units
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import DIRECTIONS, FOLLOWERS, ONWARD

_MOST_SKIPPED = 4  # lines, cells or phrases between a street and its town
_NEAR = 2  # the same where no ZIP shows that the address continues
_BRACKETED = 10  # most words in brackets that are skipped


class UsReading(NamedTuple):
    score: float
    street: UsStreet
    units: tuple[int, int]  # words from, to
    tail: Tail | None
    direct: bool  # nothing comes between street, unit and tail


def best_reading(words: list[UsWord], towns: UsTowns) -> UsReading | None:
    """The reading whose parts support each other best."""
    best: UsReading | None = None
    search = _ReadingSearch(words, towns)
    for street in read_streets(words, 0):
        if best and best.tail and best.score >= _score(street, Strength.FULL, 2, direct=True):
            break
        for reading in search.readings(street):
            if best is None or reading.score > best.score:
                best = reading
    return best


def _score(street: UsStreet, strength: int, known: int, *, direct: bool) -> float:
    return 10 * strength + 3 * known + 8 * direct + street.kind + street.strong


class _ReadingSearch:
    """Reads on after a street. The tail beyond a gap is read once for all streets before it."""

    def __init__(self, words: list[UsWord], towns: UsTowns) -> None:
        self.words = words
        self.towns = towns
        self._beyond: dict[int, Tail | None] = {}

    def readings(self, street: UsStreet) -> Iterator[UsReading]:
        """With and without a direction after the street ("Main St West Hartford")."""
        if street.kind == StreetKind.BARE and not _may_be_bare(self.words, street):
            return
        yield from self._reading(street, 0)
        with_direction = directed(self.words, street.stop)
        if with_direction > street.stop:
            yield from self._reading(street._replace(stop=with_direction), 0.5)

    def _reading(self, street: UsStreet, bonus: float) -> Iterator[UsReading]:
        words = self.words
        units = (street.stop, read_units(words, street.stop))
        at = _skip_brackets(words, units[1])
        # "38 Union St. in Worcester"
        inside = at + 1 < len(words) and words[at].key == "in" and words[at].gap == Gap.SPACE
        parted = inside or at > street.stop or at >= len(words) or words[at].gap > Gap.SPACE
        tail = read_tail(words, at + inside, self.towns, alone=_smallest_town(street, parted))
        if tail and _believable(street, tail, parted):
            score = _score(street, tail.strength, tail.known, direct=True) + bonus
            yield UsReading(score - 6 * (tail.city[0] == tail.city[1]), street, units, tail, True)
        elif street.kind > StreetKind.BARE:
            yield from self._distant(street, units, at, bonus)

    def _distant(
        self, street: UsStreet, units: tuple[int, int], at: int, bonus: float
    ) -> Iterator[UsReading]:
        """The readings where the tail does not follow at once, or is missing."""
        clean = _is_clean(self.words, street.stop, at)
        tail = self._further_tail(at)
        if tail and (clean or tail.strength == Strength.FULL):
            score = _score(street, tail.strength, tail.known, direct=False) - 4 * (not clean)
            yield UsReading(score + bonus, street, units, tail, False)
        elif clean:
            yield UsReading(_score(street, 0, 0, direct=False) + bonus, street, units, None, False)

    def _further_tail(self, at: int) -> Tail | None:
        """A tail after a building's name, a phone number or hours, before the next street."""
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
            believed = tail and (tail.strength == Strength.FULL or (tail.known and near))
            if tail and believed and tail.city[0] < tail.city[1]:
                return tail
            if begins_street(words, index):
                return None
        return None


def _skip_brackets(words: list[UsWord], at: int) -> int:
    """The index after a bracket that opens at `at`: "(at Bush)"."""
    if at >= len(words) or words[at].gap != Gap.OPEN:
        return at
    for index in range(at + 1, min(at + _BRACKETED, len(words))):
        if words[index].gap >= Gap.SHUT:
            return index
    return at


def _smallest_town(street: UsStreet, parted: bool) -> int:
    """The population that a town named without its state needs; 0: none is accepted."""
    if street.kind == StreetKind.BARE:
        return 0
    if parted:
        return PARTED
    return RUN_ON if street.kind == StreetKind.TYPED and street.strong else 0


def _believable(street: UsStreet, tail: Tail, parted: bool) -> bool:
    words = tail.city[1] - tail.city[0]
    full = tail.strength == Strength.FULL
    if not parted and not tail.known and words:  # "1 Oak St. Little Hamlet, GA 31558"
        return full and street.kind == StreetKind.TYPED and street.strong and words <= 3
    if street.kind == StreetKind.BARE:
        return words > 0 and (full or (tail.strength == Strength.STATE and bool(tail.known)))
    return True


def _may_be_bare(words: list[UsWord], street: UsStreet) -> bool:
    """A name without a type: a few capitalised words, and none that a street never has."""
    name = words[: street.stop]
    if any(not word.is_name or word.key in NOT_BARE or word.text in "#&" for word in name):
        return False
    if name[-1].key in DIRECTIONS:
        return True
    return any(word.text[0].isalpha() and len(word.key) > 2 for word in name)


def begins_street(words: list[UsWord], index: int) -> bool:
    """Whether a phrase begins with a street number and a typed street."""
    if not words[index].text[0].isdigit() or index + 2 >= len(words):
        return False
    if words[index + 1].gap != Gap.SPACE:
        return False
    streets = read_streets(words[index + 1 : index + 9], 0)
    return any(street.kind >= StreetKind.GRID and street.strong for street in streets)


def _is_clean(words: list[UsWord], stop: int, at: int) -> bool:
    """Whether a street may end here: before a gap, a unit, or a word that continues no name."""
    if at > stop or at >= len(words):
        return True
    after = words[at]
    return after.gap > Gap.SPACE or after.key in FOLLOWERS or after.key in ONWARD
