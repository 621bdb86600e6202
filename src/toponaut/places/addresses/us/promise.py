"""Whether a street may be read from the words after a number: a test before the words are made.

It rejects half of the numbers that begin no address. A street (street.py) is known by more than its
form, by a type, a route, a grid or a leading word, and then that word is in its name; or it is a
bare name, and then a state that is hardly another word, or a state and a ZIP code, must follow
closely.
"""

import cython

from toponaut.places.addresses.us.hints import (
    KINDS,
    MOST_LETTERS,
    STATE_BEGINNINGS,
    STATE_NAMES,
    WINDOW,
    WordKind,
    is_clear_state,
    lengths_by_start,
)
from toponaut.places.addresses.us.scan import gap_between, is_cut, key_of, word_end, word_start
from toponaut.places.addresses.us.word import Gap
from toponaut.places.addresses.us.words import LONGEST_STATE

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_MOST = cython.declare(cython.Py_ssize_t, 45)  # words, as in scan.py
_KINDS = cython.declare(dict, KINDS)
_KIND_LENGTHS = cython.declare(bytes, lengths_by_start(KINDS))
_MOST_LETTERS = cython.declare(cython.Py_ssize_t, MOST_LETTERS)
_LONGEST_RUN = cython.declare(cython.Py_ssize_t, 9)  # words of one name, as in street.py
# Words among which units, brackets and labels move a town further away.
_ODD_REACH = cython.declare(cython.Py_ssize_t, 12)
# Words that hold the state otherwise: four of a name, a direction, "in", five of a town, three of
# its own.
_STATE_REACH = cython.declare(cython.Py_ssize_t, 14)
_ZIP = cython.declare(cython.Py_ssize_t, 5)  # digits
_WINDOW = cython.declare(cython.Py_ssize_t, WINDOW)
_COMMA = cython.declare(cython.int, Gap.COMMA)
_OPEN = cython.declare(cython.int, Gap.OPEN)
_TYPE = cython.declare(cython.int, WordKind.TYPE)
_NAMED = cython.declare(cython.int, WordKind.NAMED)
_ROUTE = cython.declare(cython.int, WordKind.ROUTE)
_DIRECTION = cython.declare(cython.int, WordKind.DIRECTION)
_THE = cython.declare(cython.int, WordKind.THE)
_LEADS = cython.declare(cython.int, WordKind.LEADS)
_INSIDE = cython.declare(cython.int, WordKind.INSIDE)
_JUNIOR = cython.declare(cython.int, WordKind.JUNIOR)
_MILE = cython.declare(cython.int, WordKind.MILE)
_BETWEEN = cython.declare(cython.int, WordKind.BETWEEN)
_STATE = cython.declare(cython.int, WordKind.STATE)
_NOT_BARE = cython.declare(cython.int, WordKind.NOT_BARE)
_STATE_BEGINNINGS = cython.declare(frozenset, STATE_BEGINNINGS)
_STATE_NAMES = cython.declare(frozenset, STATE_NAMES)
_LONGEST_STATE = cython.declare(cython.Py_ssize_t, LONGEST_STATE)  # words


def is_promising(text: str, at: cython.Py_ssize_t) -> cython.bint:
    """Whether a street may be read from the words that follow a number at `at`."""
    words = _Words(text, at, at + _WINDOW)
    return words.may_be_typed() or words.may_be_bare()


def names_state(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether text[start:end] names a state by a capitalised word that is hardly another one."""
    at: cython.Py_ssize_t = start
    first: cython.Py_ssize_t
    sign: cython.Py_UCS4
    end = min(end, len(text))
    while at < end:
        first = at
        sign = text[at]
        at += 1
        if not "A" <= sign <= "Z":
            continue
        while at < end:
            sign = text[at]
            if not ("a" <= sign <= "z" or "A" <= sign <= "Z" or sign in ".'’"):
                break
            at += 1
        word: str = text[first:at]
        key: str = key_of(word)
        if key in _STATE_BEGINNINGS and is_clear_state(word, key):
            return True
    return False


@cython.cfunc
def _may_be_key(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a word may be in the table of kinds, by its first two letters and its length."""
    at: cython.Py_ssize_t
    pair: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = min(end - start, _MOST_LETTERS)
    sign: cython.Py_UCS4
    code: cython.Py_ssize_t
    if length < 2:
        return True
    for at in range(start, end):
        sign = text[at]
        if at < start + 2:
            if not ("a" <= sign <= "z" or "A" <= sign <= "Z"):
                return True
            code = sign
            pair = 26 * pair + (code | 32) - 97
        elif sign == "." or sign > "\x7f":
            return True
    return _KIND_LENGTHS[2 * pair + (length >> 3)] >> (length & 7) & 1


@cython.cclass
class _Words:
    """The words after a number: spans and gaps, as far as they are read, and kinds."""

    _text: str
    _at: cython.Py_ssize_t
    _stop: cython.Py_ssize_t
    _count: cython.Py_ssize_t  # words that are read
    _start: cython.Py_ssize_t[45]
    _end: cython.Py_ssize_t[45]
    _gap: cython.int[45]
    _kinds: cython.int[45]  # -1 before they are looked up

    def __init__(self, text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> None:
        self._text = text
        self._at = max(0, start)
        self._stop = min(len(text), stop)
        self._count = 0

    @cython.cfunc
    def exists(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether there is a word k; reads on as far as it."""
        while self._count <= k:
            if not self.read_on():
                return False
        return True

    @cython.cfunc
    def read_on(self) -> cython.bint:
        """Reads one more word. False if there is none."""
        start: cython.Py_ssize_t = word_start(self._text, self._at, self._stop)
        if self._count == _MOST or start >= self._stop:
            return False
        end: cython.Py_ssize_t = word_end(self._text, start, self._stop)
        if self._count + 1 < _MOST and is_cut(self._text, end, self._stop):
            return False
        self._start[self._count], self._end[self._count] = start, end
        self._gap[self._count] = gap_between(self._text, self._at, start)
        self._kinds[self._count] = -1
        self._at = end
        self._count += 1
        return True

    @cython.cfunc
    def may_be_typed(self) -> cython.bint:
        k: cython.Py_ssize_t
        leads: cython.bint = True  # only directions and "the" came before
        small: cython.bint = self.is_small(0)
        if self.has(0, _DIRECTION):
            small = small or self.is_small(1) or self.is_small(2)
        for k in range(_LONGEST_RUN):
            if not self.exists(k):
                return False
            if k and self._gap[k] and not (self._gap[k] == _COMMA and self.has(k, _JUNIOR)):
                return False
            if not small and self.is_small(k) and not self.has(k, _INSIDE):
                return False
            if k and self.has(k, _TYPE):
                return True
            if self.has(k, _ROUTE) and self.may_number(k + 1):
                return True
            if leads and self.has(k, _NAMED | _LEADS):
                return True
            if (leads or self.has_dash(k)) and self.digits(k):
                return True
            only_digits: cython.bint = self.digits(k) == self.length(k)
            inside: cython.bint = self.has(k + 1, _MILE | _TYPE)  # "12 Mile Rd", "Stop 18 Road"
            if k and only_digits and not inside and not self.has(k - 1, _LEADS):
                return False
            leads = leads and self.has(k, _DIRECTION | _THE)
        return False

    @cython.cfunc
    def may_be_bare(self) -> cython.bint:
        """Whether a name, a town and a state may follow each other."""
        k: cython.Py_ssize_t
        state: cython.Py_ssize_t = 0  # the first
        gaps: cython.Py_ssize_t = 0  # before the town and before the state
        if not self.exists(0) or self.is_small(0) or self.first(0) in "#&":
            return False
        if self.has(0, _NOT_BARE):
            return False
        odd: cython.bint = self.is_odd()
        for k in range(1, _MOST if odd else _STATE_REACH):
            gaps += self.is_parted(k)
            if not self.exists(k) or (gaps > 2 and not odd):
                break
            if self.is_state(k) and (odd or self.may_end_town(k - 1)):
                if self.is_clear_state(k):
                    return True
                state = state or k
        k = state + 1
        while state and self.exists(k):
            if self.begins_with_zip(k):
                return True
            k += 1
        return False

    @cython.cfunc
    def is_odd(self) -> cython.bint:
        """Whether a unit, a bracket or a label may move the town further away."""
        k: cython.Py_ssize_t
        for k in range(1, _ODD_REACH):
            if not self.exists(k):
                break
            if self._gap[k] == _OPEN or self.has(k, _BETWEEN) or self.is_penthouse(k):
                return True
        return False

    # Each of one word; False for one after the last.

    @cython.cfunc
    def has(self, k: cython.Py_ssize_t, kinds: cython.int) -> cython.bint:
        """Whether a word is of one of some kinds."""
        if not self.exists(k):
            return False
        if self._kinds[k] < 0:
            may_have: cython.bint = _may_be_key(self._text, self._start[k], self._end[k])
            self._kinds[k] = _KINDS.get(key_of(self.said(k)), 0) if may_have else 0
        return self._kinds[k] & kinds != 0

    @cython.cfunc
    def said(self, k: cython.Py_ssize_t) -> str:
        return self._text[self._start[k] : self._end[k]]

    @cython.cfunc
    def length(self, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
        return self._end[k] - self._start[k]

    @cython.cfunc
    def first(self, k: cython.Py_ssize_t) -> cython.Py_UCS4:
        return self._text[self._start[k]]

    @cython.cfunc
    def is_small(self, k: cython.Py_ssize_t) -> cython.bint:
        return self.exists(k) and self.first(k).islower()

    @cython.cfunc
    def has_dash(self, k: cython.Py_ssize_t) -> cython.bint:
        return "-" in self.said(k)

    @cython.cfunc
    def digits(self, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many there are."""
        at: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        sign: cython.Py_UCS4
        for at in range(self._start[k], self._end[k]):
            sign = self._text[at]
            count += sign.isdigit()
        return count

    @cython.cfunc
    def may_number(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a word may be the number of a road: "19", "K", "K-12", "#"."""
        if not self.exists(k):
            return False
        return self.length(k) <= 2 or self.has_dash(k) or self.first(k).isdigit()

    @cython.cfunc
    def is_penthouse(self, k: cython.Py_ssize_t) -> cython.bint:
        if self.first(k) not in "Pp" or not self.digits(k):
            return False
        return key_of(self.said(k)).startswith("ph")

    @cython.cfunc
    def is_parted(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a gap comes before a word, which a street's name does not have inside."""
        if not self.exists(k) or not self._gap[k]:
            return False
        return self._gap[k] != _COMMA or not self.has(k, _JUNIOR | _DIRECTION)

    @cython.cfunc
    def may_end_town(self, k: cython.Py_ssize_t) -> cython.bint:
        return k > 0 and not self.first(k).isdigit() and self.first(k) not in "#&"

    @cython.cfunc
    def is_state(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a state's whole name begins at a word."""
        last: cython.Py_ssize_t
        if not self.has(k, _STATE):
            return False
        name: str = key_of(self.said(k))
        for last in range(k + 1, k + _LONGEST_STATE):
            if name in _STATE_NAMES or not self.exists(last) or self._gap[last]:
                break
            name = f"{name} {key_of(self.said(last))}"
        return name in _STATE_NAMES

    @cython.cfunc
    def is_clear_state(self, k: cython.Py_ssize_t) -> cython.bint:
        said: str = self.said(k)
        return self.first(k).isupper() and is_clear_state(said, key_of(said))

    @cython.cfunc
    def begins_with_zip(self, k: cython.Py_ssize_t) -> cython.bint:
        at: cython.Py_ssize_t
        sign: cython.Py_UCS4
        if self.length(k) < _ZIP:
            return False
        for at in range(self._start[k], self._start[k] + _ZIP):
            sign = self._text[at]
            if not sign.isdecimal():
                return False
        return True
