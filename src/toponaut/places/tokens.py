"""Text -> tokens, as arrays: the ground on which place names are found at memory speed.

A text becomes an array of code points, and everything else is vector operations on it. Folding maps one code
point to one code point ("É" -> "e", "ß" -> "s"), never one to many, so that a token's position in the folded
array is its position in the text and no offset table is needed. What one-to-one folding cannot express ("ü" as
"ue", "ß" as "ss") is generated as a name variant when the gazetteer is compiled.

A token is a run of letters and digits; a character of a script written without spaces (Han, Kana, Thai, ...) is a
token of its own. A token's hash is taken from one cumulative sum over the whole text (a polynomial hash modulo
2**64 by prefix sums), and the hash of a run of tokens is chained from theirs, so that "New York", "NEW-YORK" and
"new york" are equal and nothing is ever cut out of the text to be looked up.
"""

import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Index = NDArray[np.int64]
Codes = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

WORD, UPPER, SOLO, SPACE, JOINER, DOT = 1, 2, 4, 8, 16, 32

_LAST = 0x30000  # code points from here on (emoji tags, private use) are never part of a name
# Texts are read in chunks of this many code points: the arrays of one chunk stay in the processor's cache
# (swept 2**12..2**18 on 14 KB pages and 1 MB texts; 2**14..2**15 was fastest, 2**18 a third slower).
CHUNK = 1 << 15

_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers of it have inverses modulo 2**64
_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))
_MIX = np.uint64(0xD6E8FEB86659FD93)
_CHAIN = np.uint64(0x2545F4914F6CDD1D)
_SHIFT = np.uint64(32)

_NEWLINE = np.uint32(ord("\n"))
_FOLD_ALONE = {"ß": "s", "ẞ": "s", "æ": "a", "œ": "o", "ø": "o", "đ": "d", "ð": "d", "þ": "t", "ł": "l", "ı": "i"}
_JOINERS = "-‐‑–'’ʼ‘`´/&"
_UNSPACED = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True)
class Tokens:
    """The tokens of one chunk of text; offsets are code points from the start of the whole text."""

    start: Index
    end: Index
    hash: Hashes
    upper: Bools  # begins with a capital, or with a letter of a script without capitals
    joined: Bools  # the token after this one may continue a name ("New York", "Winston-Salem", "St. Paul")
    line: Index  # the line it stands in, counted from the chunk's first


def alphabet() -> tuple[Codes, Bytes]:
    """For every code point its folded form (0: not part of a word) and its classes.

    Takes 0.3 s, so the compiled gazetteer carries the result.
    """
    fold = np.zeros(_LAST, np.uint32)
    kind = np.zeros(_LAST, np.uint8)
    for code in range(_LAST):
        char = chr(code)
        category = unicodedata.category(char)
        if category[0] == "L" or category == "Nd":
            fold[code] = ord(_fold(char))
            cased = char.lower() != char.upper()
            kind[code] = WORD | (UPPER if not cased or char != char.lower() else 0)
            if category == "Nd":
                kind[code] &= ~UPPER & 0xFF
            if category == "Lo" and unicodedata.name(char, "").startswith(_UNSPACED):
                kind[code] |= SOLO
        elif category in ("Mn", "Mc") and unicodedata.name(char, "").startswith(_INDIC_MARKS):
            fold[code], kind[code] = code, WORD  # vowel signs are part of the word in Indic scripts
        elif char.isspace():
            kind[code] = SPACE
    for char in _JOINERS:
        kind[ord(char)] = JOINER
    kind[ord(".")] = DOT
    return fold, kind


_INDIC_MARKS = ("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "ORIYA")


def _fold(char: str) -> str:
    lower = char.lower()
    lower = _FOLD_ALONE.get(lower[0], lower)
    base = unicodedata.normalize("NFKD", lower)[0]
    return _FOLD_ALONE.get(base, base)


def mix(value: Hashes) -> Hashes:
    value = (value ^ (value >> _SHIFT)) * _MIX
    return value ^ (value >> _SHIFT)


def chain(first: Hashes, following: Hashes) -> Hashes:
    """The hash of a run of tokens, from the hash of the run without its last token and that token's."""
    return mix(first * _CHAIN + following)


class Tokeniser:
    """Holds the alphabet and the powers of the hash base; it has no state that changes."""

    def __init__(self, fold: Codes, kind: Bytes) -> None:
        self.fold = fold
        self.kind = kind
        ones = np.full(CHUNK + 1, _BASE, np.uint64)
        ones[0] = 1
        self._powers = np.cumprod(ones)
        ones[1:] = _INVERSE
        self._inverse = np.cumprod(ones)

    def codes(self, text: str) -> Codes:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return np.minimum(codes, _LAST - 1)

    def tokens(self, codes: Codes, offset: int = 0) -> Tokens:
        """The tokens of a chunk of at most CHUNK code points that begins at `offset` of its text."""
        kind = self.kind[codes]
        word = (kind & WORD).astype(np.bool_)
        edge = np.empty(len(codes) + 1, np.bool_)
        edge[0] = edge[-1] = True
        edge[1:-1] = word[1:] != word[:-1]
        solo = (kind & SOLO).astype(np.bool_)
        if solo.any():
            edge[:-1] |= solo
            edge[1:] |= solo
        edges = np.flatnonzero(edge)
        inside = word[edges[:-1]] if len(codes) else np.zeros(0, np.bool_)
        start, end = edges[:-1][inside], edges[1:][inside]
        return Tokens(
            start=start + offset,
            end=end + offset,
            hash=self._hash(codes, start, end),
            upper=(kind[start] & UPPER).astype(np.bool_),
            joined=self._joined(kind, start, end),
            line=np.searchsorted(np.flatnonzero(codes == _NEWLINE), start),
        )

    def _hash(self, codes: Codes, start: Index, end: Index) -> Hashes:
        sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum(self.fold[codes] * self._powers[: len(codes)], out=sums[1:])
        return mix((sums[end] - sums[start]) * self._inverse[start])

    @staticmethod
    def _joined(kind: Bytes, start: Index, end: Index) -> Bools:
        """Whether the gap after each token may stand inside a name.

        One space, hyphen or apostrophe; two of them ("d' Alene", a double space); a full stop after one or two
        letters ("L.A."), or with a space after up to four ("St. Paul", "Ste. Marie"); nothing at all (Han).
        """
        joined = np.zeros(len(start), np.bool_)
        if len(start) < 2:
            return joined
        gap = start[1:] - end[:-1]
        length = end[:-1] - start[:-1]
        first = kind[end[:-1]]  # of the next token itself where the gap is empty
        second = kind[np.minimum(end[:-1] + 1, len(kind) - 1)]
        link = (SPACE | JOINER) & 0xFF
        dot = (first & DOT).astype(np.bool_)
        one = (gap == 1) & (((first & link) != 0) | (dot & (length <= 2)))
        two = (gap == 2) & ((second & link) != 0) & (((first & link) != 0) | (dot & (length <= 4)))
        joined[:-1] = (gap == 0) | one | two
        return joined


def chunks(codes: Codes, kind: Bytes) -> list[tuple[int, int]]:
    """Ranges of at most CHUNK code points that end, where possible, at white space."""
    ranges = []
    begin = 0
    while len(codes) - begin > CHUNK:
        window = kind[codes[begin + CHUNK // 2 : begin + CHUNK]]
        spaces = np.flatnonzero(window & SPACE)
        stop = begin + CHUNK // 2 + int(spaces[-1]) + 1 if len(spaces) else begin + CHUNK
        ranges.append((begin, stop))
        begin = stop
    ranges.append((begin, len(codes)))
    return ranges
