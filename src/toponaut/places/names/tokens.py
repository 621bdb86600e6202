"""Text -> tokens, as arrays.

Characters are folded one to one (alphabet.py), so no offset table is needed. A token is a run of
letters and digits; a character of a script without spaces (Han, Kana, Thai) is a token of its own.
A token's hash depends on its folded characters only. The hash of a run of tokens is chained from
their hashes, so "New York", "NEW-YORK" and "new york" are equal and no text is copied to look it
up (token_hashes.py).

The loops are compiled: 3 ns a character to read a text, 4 ns to find its tokens.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.lazy_value import lazy_value
from toponaut.places.names import alphabet
from toponaut.places.names.token_hashes import token_hashes

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Index = NDArray[np.int64]
Codes = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

_WORD = cython.declare(cython.uchar, alphabet.WORD)
_UPPER = cython.declare(cython.uchar, alphabet.UPPER)
_SOLO = cython.declare(cython.uchar, alphabet.WORD | alphabet.SOLO)
_SPACE = cython.declare(cython.uchar, alphabet.SPACE)
_LINK = cython.declare(cython.uchar, alphabet.SPACE | alphabet.JOINER)
_DOT = cython.declare(cython.uchar, alphabet.DOT)
_BRACKET = cython.declare(cython.uchar, alphabet.BRACKET)
_NEWLINE = cython.declare(cython.uchar, alphabet.NEWLINE)

_ACCENTS = cython.declare(cython.uint, 0x300)  # the first combining accent
# Punctuation after it that does not combine either.
_PUNCTUATION = cython.declare(cython.uint, 0x2000)
_PUNCTUATION_END = cython.declare(cython.uint, 0x2070)
# Texts are read in chunks of this many code points. Swept 2**12 to 2**18: 2**15 is fastest on
# pages.
CHUNK = 1 << 15

_MIX = np.uint64(0xD6E8FEB86659FD93)
_CHAIN = np.uint64(0x2545F4914F6CDD1D)
_SHIFT = np.uint64(32)


@dataclass(eq=False)
class TextTokens:
    """The tokens of one chunk of text; offsets are code points from the start of the whole text.

    Properties that only few callers need are computed on request.
    """

    start: Index
    end: Index
    upper: Bools  # begins with a capital, or with a letter of a script without capitals
    chars: "Characters"  # of the whole text
    chunk: slice

    @lazy_value
    def hash(self) -> Hashes:
        return token_hashes(self.chars.planes, self.start, self.end)

    def hash_at(self, at: Index) -> Hashes:
        """The hashes of some tokens."""
        return self.hash[at]

    @lazy_value
    def joined(self) -> Bools:
        """Whether the token after each may continue a name ("New York", "St. Paul")."""
        return _joined(self.chars.kind, self.start, self.end)

    def joined_at(self, at: Index) -> Bools:
        """As `joined`, for some tokens."""
        return self.joined[at]

    @lazy_value
    def line(self) -> Index:
        """The line of each, counted from the chunk's first line."""
        return _lines(self.chars.kind, self.start, self.chunk.start)


class Characters(NamedTuple):
    """A text, character by character: class bits and folded codes (0: not part of a word)."""

    kind: Bytes
    # The codes' bytes: a row of the lowest, the next, the highest. Western text has one row.
    planes: Bytes
    composed: bool  # the text is known to be in NFC


def mix(value: Hashes) -> Hashes:
    value = (value ^ (value >> _SHIFT)) * _MIX
    return value ^ (value >> _SHIFT)


def chain(first: Hashes, following: Hashes) -> Hashes:
    """The hash of a run of tokens: from the hash of the run before, and of its last token."""
    return mix(first * _CHAIN + following)


# --- reading ----------------------------------------------------------------------------------


@cython.cclass
class Tokeniser:
    """Holds the alphabet; immutable."""

    _fold: cython.const[cython.uint][::1]
    _kind: cython.const[cython.uchar][::1]

    def __init__(self, fold: Codes, kind: Bytes) -> None:
        self._fold, self._kind = fold, kind

    def read(self, text: str) -> Characters:
        kinds = bytearray(len(text))
        lowest = bytearray(len(text))
        fold: cython.const[cython.uint][::1] = self._fold
        kind: cython.const[cython.uchar][::1] = self._kind
        last: cython.uint = fold.shape[0] - 1  # also for all code points after it
        sign: cython.Py_UCS4
        code: cython.uint
        folded: cython.uint
        every: cython.uint = 0  # all bits of folded codes
        composed: cython.bint = True
        at: cython.Py_ssize_t
        for at, sign in enumerate(text):
            code = sign if sign < last else last
            folded = fold[code]
            kinds[at] = kind[code]
            lowest[at] = folded & 0xFF
            every |= folded
            if code >= _ACCENTS and not _PUNCTUATION <= code < _PUNCTUATION_END:
                composed = False
        planes = np.frombuffer(lowest, np.uint8)[None] if every <= 0xFF else self._planes(text)
        return Characters(np.frombuffer(kinds, np.uint8), planes, composed)

    @cython.cfunc
    def _planes(self, text: str):  # type: ignore[no-untyped-def]
        """The three bytes of all folded codes."""
        planes = np.empty((3, len(text)), np.uint8)
        byte: cython.uchar[:, ::1] = planes
        last: cython.uint = self._fold.shape[0] - 1
        sign: cython.Py_UCS4
        folded: cython.uint
        at: cython.Py_ssize_t
        for at, sign in enumerate(text):
            folded = self._fold[sign if sign < last else last]
            byte[0, at] = folded & 0xFF
            byte[1, at] = folded >> 8 & 0xFF
            byte[2, at] = folded >> 16 & 0xFF
        return planes

    def read_composed(self, text: str) -> tuple[str, Characters]:
        """The text in NFC, which offsets refer to, and its characters."""
        chars = self.read(text)
        if chars.composed or unicodedata.is_normalized("NFC", text):
            return text, chars
        text = unicodedata.normalize("NFC", text)
        return text, self.read(text)

    def words(self, text: str) -> TextTokens:
        """The tokens of a short text (a name, a query): at most CHUNK characters of it."""
        chars = self.read(text[:CHUNK])
        return _tokens(chars, 0, len(chars.kind))

    def chunks(self, text: str) -> Iterator[TextTokens]:
        """The tokens of any text, in chunks that end at white space if possible."""
        return self.chunked(self.read(text))

    def chunked(self, chars: Characters) -> Iterator[TextTokens]:
        """As `chunks`, for a text that has been read."""
        begin, length = 0, len(chars.kind)
        while length - begin > CHUNK:
            spaces = np.flatnonzero(chars.kind[begin + CHUNK // 2 : begin + CHUNK] & alphabet.SPACE)
            stop = begin + CHUNK // 2 + int(spaces.max()) + 1 if len(spaces) else begin + CHUNK
            yield _tokens(chars, begin, stop)
            begin = stop
        yield _tokens(chars, begin, length)


def _tokens(chars: Characters, begin: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> TextTokens:
    """The tokens of a chunk of text.

    Starts and ends are written for every character, and kept by counting on: branches would be
    mispredicted at each end of a word.
    """
    room: cython.Py_ssize_t = stop - begin + 1
    columns = np.empty((2, room), np.int64)
    uppers = bytearray(room)
    span: cython.longlong[:, ::1] = columns  # starts, ends
    kind: cython.const[cython.uchar][::1] = chars.kind
    at: cython.Py_ssize_t
    inside: cython.bint
    alone: cython.bint  # of a script without spaces
    cut: cython.bint
    was_inside: cython.bint = False
    was_alone: cython.bint = False
    started: cython.Py_ssize_t = 0
    ended: cython.Py_ssize_t = 0
    for at in range(begin, stop):
        inside = (kind[at] & _WORD) != 0
        alone = (kind[at] & _SOLO) == _SOLO
        cut = alone | was_alone
        span[0, started] = at
        uppers[started] = (kind[at] & _UPPER) != 0
        started += inside & (cut | (not was_inside))
        span[1, ended] = at
        ended += was_inside & (cut | (not inside))
        was_inside, was_alone = inside, alone
    if was_inside:
        span[1, ended] = stop
    start, end = columns[:, :started].copy()
    upper = np.frombuffer(uppers, np.bool_, started)
    return TextTokens(start, end, upper, chars, slice(begin, stop))


# --- tokens -----------------------------------------------------------------------------------


def _joined(kinds: Bytes, starts: Index, ends: Index) -> Bools:
    """Whether the gap after each token may be inside a name.

    One space, hyphen or apostrophe, or two of them ("d' Alene"); a full stop after one or two
    letters ("L.A."), or with a space after up to four ("St. Paul"); an opening bracket ("Halle
    (Saale)"); nothing at all (Han).
    """
    joined = np.zeros(len(starts), np.bool_)
    result: cython.uchar[::1] = joined.view(np.uint8)
    kind: cython.const[cython.uchar][::1] = kinds
    start: cython.const[cython.longlong][::1] = starts
    end: cython.const[cython.longlong][::1] = ends
    k: cython.Py_ssize_t
    gap: cython.longlong
    length: cython.longlong
    first: cython.uchar
    second: cython.uchar
    for k in range(start.shape[0] - 1):
        gap = start[k + 1] - end[k]
        if gap == 0:
            result[k] = True
        if gap != 1 and gap != 2:
            continue
        first, length = kind[end[k]], end[k] - start[k]
        if gap == 1:
            result[k] = (first & _LINK) != 0 or (first == _DOT and length <= 2)
            continue
        second = kind[end[k] + 1]
        if second & _LINK:
            result[k] = (first & _LINK) != 0 or (first == _DOT and length <= 4)
        else:
            result[k] = (first & _SPACE) != 0 and second == _BRACKET
    return joined


def _lines(kinds: Bytes, starts: Index, begin: cython.Py_ssize_t) -> Index:
    """How many lines end before each token, from `begin` on."""
    lines = np.empty(len(starts), np.int64)
    line: cython.longlong[::1] = lines
    kind: cython.const[cython.uchar][::1] = kinds
    start: cython.const[cython.longlong][::1] = starts
    ended: cython.longlong = 0
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    for k in range(start.shape[0]):
        for at in range(begin, start[k]):
            ended += kind[at] >= _NEWLINE
        line[k], begin = ended, start[k]
    return lines
