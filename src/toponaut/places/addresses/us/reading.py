"""The best reading of the words after an anchor."""

import cython

from toponaut.places.addresses.us.hints import NOT_BARE
from toponaut.places.addresses.us.street import StreetKind, UsStreet, directed, read_streets
from toponaut.places.addresses.us.tail import PARTED, RUN_ON, Strength, Tail, read_tail
from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.addresses.us.unit import read_units
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import DIRECTIONS, FOLLOWERS, ONWARD

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_MOST_SKIPPED = 4  # lines, cells or phrases between a street and its town
_NEAR = 2  # the same where no ZIP shows that the address continues
_BRACKETED = 10  # most words in brackets that are skipped
_BARE = cython.declare(cython.int, StreetKind.BARE)
_GRID = cython.declare(cython.int, StreetKind.GRID)
_TYPED = cython.declare(cython.int, StreetKind.TYPED)
_STATE = cython.declare(cython.int, Strength.STATE)
_FULL = cython.declare(cython.int, Strength.FULL)
_SPACE = cython.declare(cython.int, Gap.SPACE)
_OPEN = cython.declare(cython.int, Gap.OPEN)
_SHUT = cython.declare(cython.int, Gap.SHUT)
_BLOCK = cython.declare(cython.int, Gap.BLOCK)


class UsReading:
    """The units are words[street.stop:units_stop]; `direct`: nothing comes before the tail."""

    def __init__(
        self, score: float, street: UsStreet, units_stop: int, tail: Tail | None, direct: bool
    ) -> None:
        self.score = score
        self.street = street
        self.units_stop = units_stop
        self.tail = tail
        self.direct = direct


def best_reading(words: list[UsWord], towns: UsTowns) -> UsReading | None:
    """The reading whose parts support each other best."""
    search = _ReadingSearch(words, towns)
    street: UsStreet
    for street in read_streets(words, 0):
        best, most = search.best, _score(street, _FULL, 2, True)
        if best is not None and best.tail is not None and best.score >= most:
            break
        search.read_on(street)
    return search.best


@cython.cfunc
def _score(
    street: UsStreet, strength: cython.int, known: cython.int, direct: cython.bint
) -> cython.double:
    return 10 * strength + 3 * known + 8 * direct + street.kind + street.strong


@cython.cclass
class _ReadingSearch:
    """Reads on after a street. The tail beyond a gap is read once for all streets before it."""

    words: list[UsWord]
    towns: UsTowns
    best: UsReading | None
    _beyond: dict[int, Tail | None]

    def __init__(self, words: list[UsWord], towns: UsTowns) -> None:
        self.words = words
        self.towns = towns
        self._beyond = {}

    @cython.cfunc
    def read_on(self, street: UsStreet) -> cython.void:
        """Reads with and without a direction after the street ("Main St West Hartford")."""
        if street.kind == _BARE and not _may_be_bare(self.words, street.stop):
            return
        self._read(street, 0)
        stop: cython.Py_ssize_t = directed(self.words, street.stop)
        if stop > street.stop:
            self._read(UsStreet(street.kind, stop, street.strong), 0.5)

    @cython.cfunc
    def _read(self, street: UsStreet, bonus: cython.double) -> cython.void:
        words = self.words
        count: cython.Py_ssize_t = len(words)
        units_stop: cython.Py_ssize_t = read_units(words, street.stop)
        at: cython.Py_ssize_t = _skip_brackets(words, units_stop)
        # "38 Union St. in Worcester"
        inside: cython.bint = at + 1 < count and words[at].key == "in" and words[at].gap == _SPACE
        parted: cython.bint = inside or at > street.stop or at >= count or words[at].gap > _SPACE
        tail: Tail | None = read_tail(
            words, at + inside, self.towns, _smallest_town(street, parted)
        )
        if tail is not None and _believable(street, tail, parted):
            score: cython.double = _score(street, tail.strength, tail.known, True) + bonus
            score -= 6 * (tail.city_start == tail.city_stop)
            self._keep(score, street, units_stop, tail, True)
        elif street.kind > _BARE:
            self._read_far(street, units_stop, at, bonus)

    @cython.cfunc
    def _read_far(
        self,
        street: UsStreet,
        units_stop: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        bonus: cython.double,
    ) -> cython.void:
        """Where the tail does not follow at once, or is missing."""
        clean: cython.bint = _is_clean(self.words, street.stop, at)
        tail: Tail | None = self._further_tail(at)
        score: cython.double
        if tail is not None and (clean or tail.strength == _FULL):
            score = _score(street, tail.strength, tail.known, False) - 4 * (not clean)
            self._keep(score + bonus, street, units_stop, tail, False)
        elif clean:
            self._keep(_score(street, 0, 0, False) + bonus, street, units_stop, None, False)

    @cython.cfunc
    def _keep(
        self,
        score: cython.double,
        street: UsStreet,
        units_stop: cython.Py_ssize_t,
        tail: Tail | None,
        direct: cython.bint,
    ) -> cython.void:
        """Keeps a reading if it is the best so far."""
        if self.best is None or score > self.best.score:
            self.best = UsReading(score, street, units_stop, tail, direct)

    @cython.cfunc
    def _further_tail(self, at: cython.Py_ssize_t) -> Tail | None:
        """A tail after a building's name, a phone number or hours, before the next street."""
        while at < len(self.words) and self.words[at].gap == _SPACE:
            at += 1
        if at not in self._beyond:
            self._beyond[at] = self._search(at)
        return self._beyond[at]

    @cython.cfunc
    def _search(self, at: cython.Py_ssize_t) -> Tail | None:
        words = self.words
        index: cython.Py_ssize_t
        skipped: cython.int = 0
        for index in range(at, len(words)):
            gap: cython.int = words[index].gap
            if gap == _SPACE:
                continue
            skipped += 1
            if skipped > _MOST_SKIPPED:
                return None
            tail: Tail | None = read_tail(words, read_units(words, index), self.towns)
            if tail is not None and tail.city_start < tail.city_stop:
                near: cython.bint = skipped <= _NEAR and gap < _BLOCK
                if tail.strength == _FULL or (tail.known and near):
                    return tail
            if begins_street(words, index):
                return None
        return None


@cython.cfunc
def _skip_brackets(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after a bracket that opens at `at`: "(at Bush)"."""
    index: cython.Py_ssize_t
    if at >= len(words) or words[at].gap != _OPEN:
        return at
    for index in range(at + 1, min(at + _BRACKETED, len(words))):
        if words[index].gap >= _SHUT:
            return index
    return at


@cython.cfunc
def _smallest_town(street: UsStreet, parted: cython.bint) -> cython.int:
    """The population that a town named without its state needs; 0: none is accepted."""
    if street.kind == _BARE:
        return 0
    if parted:
        return PARTED
    return RUN_ON if street.kind == _TYPED and street.strong else 0


@cython.cfunc
def _believable(street: UsStreet, tail: Tail, parted: cython.bint) -> cython.bint:
    words: cython.Py_ssize_t = tail.city_stop - tail.city_start
    full: cython.bint = tail.strength == _FULL
    if not parted and not tail.known and words:  # "1 Oak St. Little Hamlet, GA 31558"
        return full and street.kind == _TYPED and street.strong and words <= 3
    if street.kind == _BARE:
        return words > 0 and (full or (tail.strength == _STATE and tail.known != 0))
    return True


@cython.cfunc
def _may_be_bare(words: list[UsWord], stop: cython.Py_ssize_t) -> cython.bint:
    """A name without a type: a few capitalised words, and none that a street never has."""
    index: cython.Py_ssize_t
    has_name: cython.bint = False
    for index in range(stop):
        word: UsWord = words[index]
        if not word.is_name or word.key in NOT_BARE or word.text in "#&":
            return False
        is_direction: cython.bint = word.key in DIRECTIONS
        has_name = has_name or (len(word.key) > 2 and word.text[0].isalpha() and not is_direction)
    return has_name or (stop > 1 and words[stop - 1].key in DIRECTIONS)


def begins_street(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    """Whether a phrase begins with a street number and a typed street."""
    street: UsStreet
    if not words[index].text[0].isdigit() or index + 2 >= len(words):
        return False
    if words[index + 1].gap != _SPACE:
        return False
    for street in read_streets(words[index + 1 : index + 9], 0):
        if street.kind >= _GRID and street.strong:
            return True
    return False


@cython.cfunc
def _is_clean(words: list[UsWord], stop: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.bint:
    """Whether a street may end here: before a gap, a unit, or a word that continues no name."""
    if at > stop or at >= len(words):
        return True
    after: UsWord = words[at]
    return after.gap > _SPACE or after.key in FOLLOWERS or after.key in ONWARD
