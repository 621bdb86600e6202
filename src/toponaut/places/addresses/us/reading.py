"""The best reading of the words after an anchor."""

from collections.abc import Iterator
from typing import NamedTuple

from toponaut.places.addresses.us.scan import Gap, Word, skip_brackets
from toponaut.places.addresses.us.street import Street, StreetKind, directed, read_streets
from toponaut.places.addresses.us.tail import PARTED, RUN_ON, Strength, Tail, read_tail
from toponaut.places.addresses.us.towns import Towns
from toponaut.places.addresses.us.unit import read_units
from toponaut.places.addresses.us.words import DIRECTIONS, FOLLOWERS, MONTHS, NOT_STREETS, ONWARD, UNITS

_MOST_SKIPPED = 4  # lines, cells or phrases that may stand between a street and its town
_NOT_BARE = MONTHS | FOLLOWERS | NOT_STREETS | frozenset(UNITS)
_LONGEST_BARE = 4  # words of a street's name without type


class Reading(NamedTuple):
    score: float
    street: Street
    units: tuple[int, int]  # words from, to
    tail: Tail | None
    direct: bool  # nothing stands between street, unit and tail


def best_reading(words: list[Word], towns: Towns) -> Reading | None:
    best: Reading | None = None
    for street in read_streets(words, 0):
        if best is not None and best.tail is not None and street.kind < best.street.kind and best.score >= _enough(street):
            break
        for reading in _readings(words, street, towns):
            if best is None or reading.score > best.score:
                best = reading
    return best


def _enough(street: Street) -> float:
    """The most that a reading of this kind could score."""
    return _score(street, Strength.FULL, 2, direct=True)


def _score(street: Street, strength: int, known: int, *, direct: bool) -> float:
    return 10 * strength + 3 * known + 8 * direct + street.kind + street.strong


def _readings(words: list[Word], street: Street, towns: Towns) -> Iterator[Reading]:
    """With and without a directional after the street ("Main St West Hartford")."""
    yield from _reading(words, street, towns)
    with_direction = directed(words, street.stop)
    if with_direction > street.stop:
        yield from _reading(words, street._replace(stop=with_direction), towns, 0.5)


def _reading(words: list[Word], street: Street, towns: Towns, bonus: float = 0) -> Iterator[Reading]:
    units_stop = read_units(words, street.stop)
    units = (street.stop, units_stop)
    if street.kind == StreetKind.BARE and not _may_be_bare(words, street):
        return
    at = skip_brackets(words, units_stop)
    parted = at > street.stop or at >= len(words) or words[at].gap > Gap.SPACE
    at_in = at + 1 if at < len(words) and words[at].key == "in" and words[at].gap == Gap.SPACE else at
    tail = read_tail(words, at_in, towns, alone=_smallest_town(street, parted or at_in > at))
    if tail and _believable(street, tail, parted or at_in > at):
        bonus -= 6 * (tail.city[0] == tail.city[1])
        yield Reading(_score(street, tail.strength, tail.known, direct=True) + bonus, street, units, tail, True)
        return
    if street.kind == StreetKind.BARE:
        return
    tail = _further_tail(words, at, towns)
    clean = _is_clean(words, street.stop, at)
    if tail and (clean or tail.strength == Strength.FULL):
        yield Reading(_score(street, tail.strength, tail.known, direct=False) - 4 * (not clean) + bonus, street, units, tail, False)
    elif clean:
        yield Reading(_score(street, 0, 0, direct=False) + bonus, street, units, None, False)


def _smallest_town(street: Street, parted: bool) -> int:
    """How large a town must be to be named without its state."""
    if street.kind == StreetKind.BARE:
        return 0
    if parted:
        return PARTED
    return RUN_ON if street.kind == StreetKind.TYPED and street.strong else 0


def _believable(street: Street, tail: Tail, parted: bool) -> bool:
    if not parted and not tail.known and tail.city[0] < tail.city[1]:  # "1 Oak St. Little Hamlet, GA 31558"
        return tail.strength == Strength.FULL and street.kind == StreetKind.TYPED and street.strong and tail.city[1] - tail.city[0] <= 3
    if street.kind == StreetKind.BARE:
        named = tail.city[0] < tail.city[1]
        return named and (tail.strength == Strength.FULL or (tail.strength == Strength.STATE and bool(tail.known)))
    return True


def _may_be_bare(words: list[Word], street: Street) -> bool:
    """A name without type: a few capitalised words, none of which says that it is something else."""
    name = words[: street.stop]
    if len(name) > _LONGEST_BARE or not all(word.is_name for word in name):
        return False
    if any(word.key in _NOT_BARE or word.text in "#&" for word in name):
        return False
    return any(word.text[0].isalpha() and len(word.key) > 2 for word in name) or name[-1].key in DIRECTIONS


def _further_tail(words: list[Word], at: int, towns: Towns) -> Tail | None:
    """A tail behind a building's name, a telephone number, opening hours; not behind the next street."""
    skipped = 0
    for index in range(at, len(words)):
        if words[index].gap == Gap.SPACE:
            continue
        skipped += 1
        if skipped > _MOST_SKIPPED:
            return None
        start = read_units(words, index)
        tail = read_tail(words, start, towns)
        if tail and tail.city[0] < tail.city[1] and (tail.known or tail.strength == Strength.FULL):
            return tail
        if begins_street(words, index):
            return None
    return None


def begins_street(words: list[Word], index: int) -> bool:
    """Whether a phrase begins with a street number and a typed street."""
    if not words[index].text[0].isdigit() or index + 2 >= len(words) or words[index + 1].gap != Gap.SPACE:
        return False
    return any(street.kind >= StreetKind.GRID for street in read_streets(words[index + 1 : index + 9], 0))


def _is_clean(words: list[Word], stop: int, at: int) -> bool:
    """Whether a street may end here: a gap follows, a unit, or a word that no name goes on with."""
    if at > stop or at >= len(words):
        return True
    after = words[at]
    if after.gap > Gap.SPACE or after.key in FOLLOWERS or after.key in ONWARD:
        return True
    return False
