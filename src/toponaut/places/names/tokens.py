"""Text -> tokens, as arrays, so that place names are found at the speed of memory.

A text becomes an array of characters, and everything else is vector operations on it. Characters
are folded one to one (alphabet.py), so no offset table is needed. Western text is read through
Latin-1: `bytes.translate` folds and classifies it in 20 us for 15,000 characters. Other text is
read as code points.

A token is a run of letters and digits; a character of a script without spaces (Han, Kana, Thai) is
a token of its own. A token's hash is read from the folded text 16 characters at a time, and only on
request: most tokens begin no name. The hash of a run of tokens is chained from their hashes, so
"New York", "NEW-YORK" and "new york" are equal and no text is copied to look it up.

The compiled kernels (kernels/names.c) do the same in a quarter of the time.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.names.alphabet import (
    BRACKET,
    CODE_POINTS,
    COMMA,
    DOT,
    HYPHEN,
    JOINER,
    NEWLINE,
    SOLO,
    SPACE,
    UPPER,
    WORD,
)

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Index = NDArray[np.int64]
Codes = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

_LINK = SPACE | JOINER

_ACCENTS = 0x300  # the first combining accent; text of lower code points is in NFC
# Texts are read in chunks of this many code points. Swept 2**12 to 2**18: 2**15 is fastest on
# pages.
CHUNK = 1 << 15

_MIX = np.uint64(0xD6E8FEB86659FD93)
_CHAIN = np.uint64(0x2545F4914F6CDD1D)
_SHIFT = np.uint64(32)

_BLOCK = 16  # characters read at once, as two numbers
# Characters of a token that its hash depends on. The longest word of a name has 58.
_HASHED = 4 * _BLOCK
# By length, the bits of the two numbers that belong to a token. As a type of 16 bytes, which numpy
# gathers fast; nothing is computed with it.
_MASKS = np.array(
    [
        [(1 << 8 * min(count, 8)) - 1, (1 << 8 * max(count - 8, 0)) - 1]
        for count in range(_BLOCK + 1)
    ],
    np.uint64,
).view(np.complex128)[:, 0]
_FIRST, _SECOND, _LATER = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0x94D049BB133111EB)
)
# Factors of the second and third byte of a character.
_PLANES = np.uint64(0xD1342543DE82EF95), np.uint64(0xAF251AF3B0F025B5)


@dataclass(frozen=True)
class TextTokens:
    """The tokens of one chunk of text; offsets are code points from the start of the whole text.

    Properties that only few callers need are computed on request.
    """

    start: Index
    end: Index
    upper: Bools  # begins with a capital, or with a letter of a script without capitals
    chars: "Characters"  # of the whole text
    chunk: slice
    kernels: Kernels | None  # read hashes, if compiled

    @cached_property
    def hash(self) -> Hashes:
        return self.hash_at(np.arange(len(self.start)))

    def hash_at(self, at: Index) -> Hashes:
        """The hashes of some tokens."""
        if self.kernels:
            signs, which = len(self.chars.kind), np.ascontiguousarray(at, np.int64)
            return np.frombuffer(
                self.kernels.hash_at(signs, self.chars.planes, self.start, self.end, which),
                np.uint64,
            )
        start = self.start[at]
        length = self.end[at] - start
        first, *others = self.chars.planes
        hashes = _hashed(first, start, length)
        for plane, factor in zip(others, _PLANES, strict=False):
            hashes += _hashed(plane, start, length) * factor
        return hashes

    @cached_property
    def joined(self) -> Bools:
        """Whether the token after each may continue a name ("New York", "St. Paul")."""
        return self.joined_at(np.arange(len(self.start)))

    @cached_property
    def hyphened(self) -> Bools:
        """Whether just a hyphen separates each from the next token."""
        hyphened = np.zeros(len(self.start), np.bool_)
        hyphened[:-1] = (self.start[1:] - self.end[:-1] == 1) & (
            self._kind_at(self.end[:-1]) == HYPHEN
        )
        return hyphened

    @cached_property
    def comma(self) -> Bools:
        """Whether a separator of lists follows each: a comma, bullet or bar."""
        if not len(self.end):
            return np.zeros(0, np.bool_)
        first, second = self._kind_at(self.end), self._kind_at(self.end + 1)
        return np.asarray((first == COMMA) | (((first & SPACE) != 0) & (second == COMMA)))

    @cached_property
    def line(self) -> Index:
        """The line of each, counted from the chunk's first line."""
        ends = (self.chars.kind[self.chunk] >= NEWLINE).nonzero()[0] + self.chunk.start
        return np.searchsorted(ends, self.start)

    def joined_at(self, at: Index) -> Bools:
        """As `joined`, for some tokens: whether the gap after them may be inside a name.

        One space, hyphen or apostrophe, or two of them ("d' Alene"); a full stop after one or two
        letters ("L.A."), or with a space after up to four ("St. Paul"); an opening bracket
        ("Halle (Saale)"); nothing at all (Han).
        """
        end = self.end[at]
        after = np.minimum(at + 1, len(self.start) - 1)
        gap = self.start[after] - end  # negative after the last token
        first = self._kind_at(end)  # of the next token if the gap is empty
        linked = (first & _LINK) != 0
        joined = (gap == 0) | ((gap == 1) & linked)
        rare = ((gap == 2) | ((gap == 1) & ~linked)).nonzero()[0]
        if len(rare):
            joined[rare] = self._joined_by_two(
                end[rare], (end - self.start[at])[rare], gap[rare], first[rare]
            )
        return np.asarray(joined)

    def _joined_by_two(self, end: Index, length: Index, gap: Index, first: Bytes) -> Bools:
        """The rarer gaps: two characters, or a full stop."""
        second = self._kind_at(end + 1)
        linked, dot = (first & _LINK) != 0, first == DOT
        two = ((second & _LINK) != 0) & (linked | (dot & (length <= 4)))
        two |= ((first & SPACE) != 0) & (second == BRACKET)
        return np.asarray(np.where(gap == 1, dot & (length <= 2), two))

    def _kind_at(self, position: Index) -> Bytes:
        """The classes of characters; after the chunk's end, those of its last one."""
        return np.asarray(self.chars.kind[np.minimum(position, self.chunk.stop - 1)])


def mix(value: Hashes) -> Hashes:
    value = (value ^ (value >> _SHIFT)) * _MIX
    return value ^ (value >> _SHIFT)


def chain(first: Hashes, following: Hashes) -> Hashes:
    """The hash of a run of tokens: from the hash of the run before, and of its last token."""
    return mix(first * _CHAIN + following)


def _hashed(plane: Bytes, start: Index, length: Index, most: int = _HASHED) -> Hashes:
    """A hash for each stretch of text; 0 if all of it is 0."""
    # The block that starts at each character.
    blocks = np.ndarray((len(plane) - _BLOCK + 1,), np.complex128, plane, 0, (1,))
    numbers = blocks[start].view(np.uint64) & _MASKS[np.minimum(length, _BLOCK)].view(np.uint64)
    hashes: Hashes = numbers[::2] * _FIRST
    hashes ^= hashes >> _SHIFT
    hashes += numbers[1::2]
    hashes *= _SECOND
    hashes ^= hashes >> _SHIFT
    longer = (length > _BLOCK).nonzero()[0]
    if len(longer) and most > _BLOCK:
        rest = _hashed(plane, start[longer] + _BLOCK, length[longer] - _BLOCK, most - _BLOCK)
        hashes[longer] += rest * _LATER
    return hashes


class Characters(NamedTuple):
    """A text, character by character: class bits and folded codes (0: not part of a word)."""

    kind: Bytes
    # The codes' bytes: a row of the lowest, the next, the highest. Western text has one row. A
    # block of zeros follows the text.
    planes: Bytes
    composed: bool  # the text is known to be in NFC


class Tokeniser:
    """Holds the alphabet; immutable."""

    def __init__(self, fold: Codes, kind: Bytes, kernels: Kernels | None = COMPILED) -> None:
        self._fold, self._kind, self._kernels = fold, kind, kernels
        self.alphabet = fold, kind
        self._byte_fold = fold[:256].astype(np.uint8).tobytes()
        self._byte_kind = kind[:256].tobytes()

    def read(self, text: str) -> Characters:
        if self._kernels:
            classes, folded, composed = self._kernels.read(text, self._fold, self._kind)
            planes = np.frombuffer(folded, np.uint8).reshape(-1, len(text) + _BLOCK)
            return Characters(np.frombuffer(classes, np.uint8), planes, composed)
        try:
            raw = text.encode("latin-1")
        except UnicodeEncodeError:
            return self._read_other(text)
        kind, fold = raw.translate(self._byte_kind), raw.translate(self._byte_fold) + bytes(_BLOCK)
        return Characters(
            np.frombuffer(kind, np.uint8), np.frombuffer(fold, np.uint8)[None], composed=True
        )

    def read_composed(self, text: str) -> tuple[str, Characters]:
        """The text in NFC, which offsets refer to, and its characters."""
        chars = self.read(text)
        if chars.composed or unicodedata.is_normalized("NFC", text):
            return text, chars
        text = unicodedata.normalize("NFC", text)
        return text, self.read(text)

    def _read_other(self, text: str) -> Characters:
        """A text that is not Latin-1. One plane is enough if all its letters fold to Latin-1."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        rare = (codes > 255).nonzero()[0]
        others = np.minimum(codes[rare], CODE_POINTS - 1)
        fold = self._fold[others]
        punctuation = (others >= 0x2000) & (others < 0x2070)
        composed = bool(((others < _ACCENTS) | punctuation).all())
        if (fold > 255).any():
            codes = np.minimum(codes, CODE_POINTS - 1)
            folded = np.append(self._fold[codes], np.zeros(_BLOCK, np.uint32))
            planes = np.stack([(folded >> shift).astype(np.uint8) for shift in (0, 8, 16)])
            return Characters(self._kind[codes], planes, composed)
        raw = bytearray(text.encode("latin-1", "replace"))
        kind = np.frombuffer(raw.translate(self._byte_kind), np.uint8)
        plane = np.frombuffer(raw.translate(self._byte_fold) + bytes(_BLOCK), np.uint8)
        kind[rare], plane[rare] = self._kind[others], fold
        return Characters(kind, plane[None], composed)

    def words(self, text: str) -> TextTokens:
        """The tokens of a short text (a name, a query): at most CHUNK characters of it."""
        chars = self.read(text[:CHUNK])
        return self._tokens(chars, slice(0, len(chars.kind)))

    def chunks(self, text: str) -> Iterator[TextTokens]:
        """The tokens of any text, in chunks that end at white space if possible."""
        return self.chunked(self.read(text))

    def chunked(self, chars: Characters) -> Iterator[TextTokens]:
        """As `chunks`, for a text that has been read."""
        begin, length = 0, len(chars.kind)
        while length - begin > CHUNK:
            spaces = np.flatnonzero(chars.kind[begin + CHUNK // 2 : begin + CHUNK] & SPACE)
            stop = begin + CHUNK // 2 + int(spaces[-1]) + 1 if len(spaces) else begin + CHUNK
            yield self._tokens(chars, slice(begin, stop))
            begin = stop
        yield self._tokens(chars, slice(begin, length))

    def _tokens(self, chars: Characters, chunk: slice) -> TextTokens:
        if self._kernels:
            starts, ends, upper = self._kernels.tokens(
                chars.kind, chunk.start, chunk.stop, len(chars.planes) > 1
            )
            start, end = np.frombuffer(starts, np.int64), np.frombuffer(ends, np.int64)
            return TextTokens(
                start, end, np.frombuffer(upper, np.bool_), chars, chunk, self._kernels
            )
        kind, western = chars.kind[chunk], len(chars.planes) == 1
        word = kind & WORD
        edge = np.empty(len(kind) + 1, np.bool_)
        edge[0] = edge[-1] = True
        np.not_equal(word[1:], word[:-1], out=edge[1:-1])
        if not western:
            solo = (kind & (WORD | SOLO)) == WORD | SOLO
            edge[:-1] |= solo
            edge[1:] |= solo
        edges = np.flatnonzero(edge)
        if not len(kind):
            start = end = edges[:0]
        elif western:  # words and gaps alternate
            first = 1 - int(word[0])
            start, end = edges[first:-1:2].copy(), edges[first + 1 :: 2].copy()
        else:
            inside = word[edges[:-1]] != 0
            start, end = edges[:-1][inside], edges[1:][inside]
        upper = (kind[start] & UPPER) != 0
        return TextTokens(start + chunk.start, end + chunk.start, upper, chars, chunk, None)
