"""The alphabet: for every code point its folded form and its classes.

Folding maps one character to one character ("É" -> "e", "ß" -> "s"), so a token has the same
position in the folded text as in the text. Spellings that need more characters ("ü" as "ue") are
added as names when the gazetteer is compiled.
"""

import unicodedata

import numpy as np
from numpy.typing import NDArray

# Classes of characters, as bits. Two more are pairs of bits that do not occur together otherwise.
WORD, UPPER, SOLO, SPACE, JOINER, DOT, BRACKET, NEWLINE = 1, 2, 4, 8, 16, 32, 64, 128
HYPHEN, COMMA = JOINER | SOLO, DOT | BRACKET

CODE_POINTS = 0x30000  # later ones (emoji tags, private use) are never part of a name

_FOLD_ALONE = {
    "ß": "s", "ẞ": "s", "æ": "a", "œ": "o", "ø": "o", "đ": "d", "ð": "d", "þ": "t", "ł": "l",
    "ı": "i", "ƒ": "f", "µ": "u",
}  # fmt: skip
_JOINERS = "-‐‑–'’ʼ‘`´/&"
# Composed characters of these are letters, not letters with accents: "が" must not become "か".
_NO_ACCENTS = ("HANGUL SYLLABLE", "HIRAGANA", "KATAKANA")
_UNSPACED = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_INDIC_MARKS = (
    "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM",
    "SINHALA", "ORIYA",
)  # fmt: skip


def alphabet() -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """For every code point its folded form (0: not part of a word) and its classes.

    Takes 0.15 s, so the compiled gazetteer contains the result.
    """
    fold = np.zeros(CODE_POINTS, np.uint32)
    kind = np.zeros(CODE_POINTS, np.uint8)
    for code in range(CODE_POINTS):
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


def _fold(char: str) -> str:
    lower = char.lower()
    lower = _FOLD_ALONE.get(lower[0], lower)
    whole = unicodedata.normalize("NFKC", lower)[0]
    if unicodedata.name(whole, "").startswith(_NO_ACCENTS):
        return whole
    base = unicodedata.normalize("NFKD", lower)[0]
    return _FOLD_ALONE.get(base, base)
