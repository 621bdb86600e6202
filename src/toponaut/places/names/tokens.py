"""Text -> tokens, as arrays: the ground on which place names are found at memory speed.

A text becomes an array of characters, and everything else is vector operations on it. Folding maps one character to
one character ("É" -> "e", "ß" -> "s"), never one to many, so that a token's position in the folded array is its
position in the text and no offset table is needed. A text of Western letters is read through Latin-1: a character is a byte
there, and `bytes.translate` folds and classifies it (20 us for 15,000 characters, 40 where it has curly quotes and the like,
and tables by code point take 100); any other text is read as code points. What one-to-one folding
cannot express ("ü" as "ue", "ß" as "ss") is generated as a name variant when the gazetteer is compiled.

A token is a run of letters and digits; a character of a script written without spaces (Han, Kana, Thai, ...) is a
token of its own. A token's hash is read from the folded text 16 characters at a time, as two numbers, and only where
somebody asks for it: most tokens begin no name. The hash of a run of tokens is chained from theirs, so that "New York",
"NEW-YORK" and "new york" are equal and nothing is ever cut out of the text to be looked up.

Where the kernels were compiled (kernels/names.c), they do the same in a quarter of the time.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Index = NDArray[np.int64]
Codes = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

# Classes of characters, as bits. Two more are pairs of bits that cannot meet otherwise.
WORD, UPPER, SOLO, SPACE, JOINER, DOT, BRACKET, NEWLINE = 1, 2, 4, 8, 16, 32, 64, 128
HYPHEN, COMMA = JOINER | SOLO, DOT | BRACKET
_LINK = SPACE | JOINER

_ACCENTS = 0x300  # the first that is put behind a letter; what stands before is in NFC
_LAST = 0x30000  # code points from here on (emoji tags, private use) are never part of a name
# Texts are read in chunks of this many code points. Swept 2**12..2**18, tokens and scan: on pages of 14,000 characters
# 2**15 was fastest (0.37 ms; 2**12 0.83, 2**18 0.40); on 1 MB of text 2**17 is a fifth faster, but pages are our food.
CHUNK = 1 << 15

_MIX = np.uint64(0xD6E8FEB86659FD93)
_CHAIN = np.uint64(0x2545F4914F6CDD1D)
_SHIFT = np.uint64(32)

_BLOCK = 16  # characters that are read at once, as two numbers
# Characters of a token that its hash depends on. The longest word of a name has 58: Llanfairpwllgwyngyll...
_HASHED = 4 * _BLOCK
# By length what of the two numbers belongs to a token.
_MASKS = np.array(
    [
        [(1 << 8 * min(count, 8)) - 1, (1 << 8 * max(count - 8, 0)) - 1]
        for count in range(_BLOCK + 1)
    ],
    np.uint64,
).view(np.complex128)[
    :, 0
]  # a type of 16 bytes, of which numpy gathers 200 in 1 us; nothing is computed with it
_FIRST, _SECOND, _LATER = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0x94D049BB133111EB)
)
_PLANES = (
    np.uint64(0xD1342543DE82EF95),
    np.uint64(0xAF251AF3B0F025B5),
)  # of the second and third byte of a character

_FOLD_ALONE = {
    "ß": "s",
    "ẞ": "s",
    "æ": "a",
    "œ": "o",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "t",
    "ł": "l",
    "ı": "i",
    "ƒ": "f",
    "µ": "u",
}
_JOINERS = "-‐‑–'’ʼ‘`´/&"
# What is composed here are other letters, not accents: Hangul syllables would fold to their first consonants, and "が" to "か".
_NO_ACCENTS = ("HANGUL SYLLABLE", "HIRAGANA", "KATAKANA")
_UNSPACED = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True)
class Tokens:
    """The tokens of one chunk of text; offsets are code points from the start of the whole text.

    What only those who doubt a name ask for is read when they do: it would take half of the time of all else here.
    """

    start: Index
    end: Index
    upper: Bools  # begins with a capital, or with a letter of a script without capitals
    chars: "Characters"  # of the whole text
    chunk: slice
    kernels: Kernels | None  # what reads hashes, where it was compiled

    @cached_property
    def hash(self) -> Hashes:
        return self.hash_at(np.arange(len(self.start)))

    def hash_at(self, at: Index) -> Hashes:
        """As `hash`, for some tokens."""
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
        """Whether the token after each may continue a name ("New York", "Winston-Salem", "St. Paul")."""
        return self.joined_at(np.arange(len(self.start)))

    @cached_property
    def hyphened(self) -> Bools:
        """Whether a hyphen and nothing else parts each from the token after it."""
        hyphened = np.zeros(len(self.start), np.bool_)
        hyphened[:-1] = (self.start[1:] - self.end[:-1] == 1) & (self._at(self.end[:-1]) == HYPHEN)
        return hyphened

    @cached_property
    def comma(self) -> Bools:
        """Whether a comma, bullet or bar follows each: what parts the items of a list."""
        if not len(self.end):
            return np.zeros(0, np.bool_)
        first, second = self._at(self.end), self._at(self.end + 1)
        return np.asarray((first == COMMA) | (((first & SPACE) != 0) & (second == COMMA)))

    @cached_property
    def line(self) -> Index:
        """The line each stands in, counted from the chunk's first."""
        ends = (self.chars.kind[self.chunk] >= NEWLINE).nonzero()[0] + self.chunk.start
        return np.searchsorted(ends, self.start)

    def joined_at(self, at: Index) -> Bools:
        """As `joined`, for some tokens: whether the gap after them may stand inside a name.

        One space, hyphen or apostrophe; two of them ("d' Alene", a double space); a full stop after one or two
        letters ("L.A."), or with a space after up to four ("St. Paul", "Ste. Marie"); a bracket that opens ("Halle
        (Saale)"); nothing at all (Han).
        """
        end = self.end[at]
        gap = (
            self.start[np.minimum(at + 1, len(self.start) - 1)] - end
        )  # negative behind the last token
        first = self._at(end)  # of the next token itself where the gap is empty
        linked = (first & _LINK) != 0
        joined = (gap == 0) | ((gap == 1) & linked)
        rare = ((gap == 2) | ((gap == 1) & ~linked)).nonzero()[0]
        if len(rare):
            joined[rare] = self._joined_by_two(
                end[rare], (end - self.start[at])[rare], gap[rare], first[rare]
            )
        return np.asarray(joined)

    def _joined_by_two(self, end: Index, length: Index, gap: Index, first: Bytes) -> Bools:
        """The rarer gaps: those of two characters, and full stops."""
        second = self._at(end + 1)
        linked, dot = (first & _LINK) != 0, first == DOT
        two = ((second & _LINK) != 0) & (linked | (dot & (length <= 4)))
        two |= ((first & SPACE) != 0) & (second == BRACKET)
        return np.asarray(np.where(gap == 1, dot & (length <= 2), two))

    def _at(self, position: Index) -> Bytes:
        """The classes of characters; behind the chunk's end, of its last."""
        return np.asarray(self.chars.kind[np.minimum(position, self.chunk.stop - 1)])


def alphabet() -> tuple[Codes, Bytes]:
    """For every code point its folded form (0: not part of a word) and its classes.

    Takes 0.15 s, so the compiled gazetteer carries the result.
    """
    fold = np.zeros(_LAST, np.uint32)
    kind = np.zeros(_LAST, np.uint8)
    for code in range(_LAST):
        char = chr(code)
        category = unicodedata.category(char)
        if (category[0] == "L" and char != "ˆ") or category == "Nd":
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
    kind[ord("-")] = kind[ord("‐")] = kind[ord("‑")] = HYPHEN
    kind[ord("\n")] = SPACE | NEWLINE
    kind[ord(".")] = DOT
    kind[ord("(")] = BRACKET
    for char in ",;|•·、،":
        kind[ord(char)] = COMMA
    return fold, kind


_INDIC_MARKS = (
    "DEVANAGARI",
    "BENGALI",
    "GURMUKHI",
    "GUJARATI",
    "TAMIL",
    "TELUGU",
    "KANNADA",
    "MALAYALAM",
    "SINHALA",
    "ORIYA",
)


def _fold(char: str) -> str:
    lower = char.lower()
    lower = _FOLD_ALONE.get(lower[0], lower)
    whole = unicodedata.normalize("NFKC", lower)[0]
    if unicodedata.name(whole, "").startswith(_NO_ACCENTS):
        return whole
    base = unicodedata.normalize("NFKD", lower)[0]
    return _FOLD_ALONE.get(base, base)


def mix(value: Hashes) -> Hashes:
    value = (value ^ (value >> _SHIFT)) * _MIX
    return value ^ (value >> _SHIFT)


def chain(first: Hashes, following: Hashes) -> Hashes:
    """The hash of a run of tokens, from the hash of the run without its last token and that token's."""
    return mix(first * _CHAIN + following)


def _hashed(plane: Bytes, start: Index, length: Index, most: int = _HASHED) -> Hashes:
    """For stretches of the text a hash each; 0 where all is 0."""
    blocks = np.ndarray(
        (len(plane) - _BLOCK + 1,), np.complex128, plane, 0, (1,)
    )  # from every character on
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
    # The codes' bytes, a row for the lowest, the next, the highest; one is enough for Western letters. A block of zeros
    # follows the text.
    planes: Bytes
    composed: bool  # no letter has a separate accent: the text is in NFC. False: perhaps


class Tokeniser:
    """Holds the alphabet; it has no state that changes."""

    def __init__(self, fold: Codes, kind: Bytes, kernels: Kernels | None = COMPILED) -> None:
        self._fold, self._kind, self._kernels = fold, kind, kernels
        self.alphabet = fold, kind
        self._byte_fold, self._byte_kind = (
            fold[:256].astype(np.uint8).tobytes(),
            kind[:256].tobytes(),
        )

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
        """As `read`, of a text with letters and accents composed (NFC); with that text, which offsets index."""
        chars = self.read(text)
        if chars.composed or unicodedata.is_normalized("NFC", text):
            return text, chars
        text = unicodedata.normalize("NFC", text)
        return text, self.read(text)

    def _read_other(self, text: str) -> Characters:
        """A text that Latin-1 does not hold. It is read as if it did where what it lacks is folded to one of its letters:
        curly quotes, dashes, a "ś" here and there."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        rare = (codes > 255).nonzero()[0]
        others = np.minimum(codes[rare], _LAST - 1)
        fold = self._fold[others]
        punctuation = (others >= 0x2000) & (others < 0x2070)
        composed = bool(((others < _ACCENTS) | punctuation).all())
        if (fold > 255).any():
            codes = np.minimum(codes, _LAST - 1)
            folded = np.append(self._fold[codes], np.zeros(_BLOCK, np.uint32))
            planes = np.stack([(folded >> shift).astype(np.uint8) for shift in (0, 8, 16)])
            return Characters(self._kind[codes], planes, composed)
        raw = bytearray(text.encode("latin-1", "replace"))
        kind = np.frombuffer(raw.translate(self._byte_kind), np.uint8)
        plane = np.frombuffer(raw.translate(self._byte_fold) + bytes(_BLOCK), np.uint8)
        kind[rare], plane[rare] = self._kind[others], fold
        return Characters(kind, plane[None], composed)

    def words(self, text: str) -> Tokens:
        """The tokens of a short text (a name, a query): at most CHUNK characters of it."""
        chars = self.read(text[:CHUNK])
        return self._tokens(chars, slice(0, len(chars.kind)))

    def chunks(self, text: str) -> Iterator[Tokens]:
        """The tokens of any text, in chunks that end, where possible, at white space."""
        return self.chunked(self.read(text))

    def chunked(self, chars: Characters) -> Iterator[Tokens]:
        """As `chunks`, of a text that has been read."""
        begin, length = 0, len(chars.kind)
        while length - begin > CHUNK:
            spaces = np.flatnonzero(chars.kind[begin + CHUNK // 2 : begin + CHUNK] & SPACE)
            stop = begin + CHUNK // 2 + int(spaces[-1]) + 1 if len(spaces) else begin + CHUNK
            yield self._tokens(chars, slice(begin, stop))
            begin = stop
        yield self._tokens(chars, slice(begin, length))

    def _tokens(self, chars: Characters, chunk: slice) -> Tokens:
        if self._kernels:
            starts, ends, upper = self._kernels.tokens(
                chars.kind, chunk.start, chunk.stop, len(chars.planes) > 1
            )
            start, end = np.frombuffer(starts, np.int64), np.frombuffer(ends, np.int64)
            return Tokens(start, end, np.frombuffer(upper, np.bool_), chars, chunk, self._kernels)
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
        elif western:  # words and what stands between them take turns
            first = 1 - int(word[0])
            start, end = edges[first:-1:2].copy(), edges[first + 1 :: 2].copy()
        else:
            inside = word[edges[:-1]] != 0
            start, end = edges[:-1][inside], edges[1:][inside]
        upper = (kind[start] & UPPER) != 0
        return Tokens(start + chunk.start, end + chunk.start, upper, chars, chunk, None)
