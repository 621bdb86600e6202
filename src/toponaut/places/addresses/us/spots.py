"""Where in a text an address may begin: one pass over its characters, before any finder reads it.

Nine of ten pages have no address. The kernel looks for all possible beginnings in one pass (28 us
for a page's text) and rejects what the finders would reject anyway: a number without a street word
after it (hints.py), "and" between two words that end no street's name.

    numbers    "1420 Main": street numbers in digits (anchors.py)
    zips       five digits
    spelled    "One Liberty Plaza", "Twenty-One Elm"
    joints     "5th & Main": the last character of the word that joins two streets (anchors.py)
    boxes      "box", and in `drawers` "rawer": post boxes
    rural      "RR 2 Box 44", "Pier 39": numbers that may end one
    codes      "26121 Oldenburg", "EC2V 7RS": numbers in foreign postcodes (country_signs.py)
"""

import re
from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.addresses.us import hints
from toponaut.places.addresses.us.scan import read_words
from toponaut.places.addresses.us.words import NUMBER_WORDS

# Endings of Australian states, as codes and as names: "NSW", " SA", "Victoria".
AUSTRALIAN_STATES = (
    *("NSW", "VIC", "QLD", " SA", " WA", "TAS", " NT", "ACT", "Vic", "Qld", "Tas"),
    *("S.W", "Wales", "toria", "sland", "ralia", "mania", "itory"),
)
_STATE_ENDS = tuple(sorted({state[-2:] for state in AUSTRALIAN_STATES}))
_PAIRS = "".join(_STATE_ENDS)


class Spots(NamedTuple):
    """Positions in order; `rural` and `codes` are spans of digits."""

    numbers: list[int]
    zips: list[int]
    spelled: list[int]
    joints: list[int]
    boxes: list[int]
    drawers: list[int]
    rural: list[tuple[int, int]]
    codes: list[tuple[int, int]]
    has_digits: bool


def spots_of(text: str, kernels: Kernels | None = COMPILED) -> Spots:
    if kernels:
        return Spots._make(
            kernels.spots(text, _KINDS_OF_SIGNS, hints.TABLE, hints.HINT_WINDOW, hints.NEAR, _PAIRS)
        )
    runs = digit_runs(text)
    zips = [start for start, end in runs if end - start == 5]
    spelled, joints, boxes, drawers = _in_letters(text)
    return Spots(
        [start for start, end in runs if _may_be_number(text, start, end, zips)],
        zips,
        [at for at in spelled if _SPELLED.match(text, at)],
        [at for at in joints if _may_join(text, at + 2)],
        [at for at in boxes if text.startswith(("box", "Box", "BOX"), at)],
        [at for at in drawers if text.startswith(("rawer", "RAWER"), at)],
        [
            run
            for run in runs
            if _NEAR_BOX.search(text[max(0, run[0] - _BEFORE_BOX) : run[0]].lower())
        ],
        [run for run in runs if _may_be_code(text, *run)],
        bool(runs),
    )


def has_zip(zips: list[int], at: int) -> bool:
    index = bisect_left(zips, at)
    return index < len(zips) and zips[index] < at + hints.NEAR


# --- without a kernel: numbers --------------------------------------------------------------------

_ZERO = np.uint8(ord("0"))


def digit_runs(text: str) -> list[tuple[int, int]]:
    """Start and end of every run of ASCII digits. One byte per character keeps the positions."""
    codes = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    digit = np.zeros(len(codes) + 2, np.bool_)
    np.less(codes - _ZERO, 10, out=digit[1:-1])
    edges = (digit[1:] != digit[:-1]).nonzero()[0].tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


_LONGEST_NUMBER = 6  # digits
_BEFORE_BOX = 9  # characters before a box's number: "Drawer # "
_NEAR_BOX = re.compile("ox|ier ")
_OF_GRID = re.compile(r"(?<![^\W_])[NSEWnsew]")
# Not after a currency sign, a letter, a joined sign (CV-1020, 3.1, 10:30) or "©".
_NOT_AFTER = re.compile(r"[\w$£€@=+~%]\Z|\w[-./–]\Z|\d[,:]\Z|©\s?\Z")
# Continues a number: letters, ranges, fractions; or another number that does not end it.
_UNCLEAR = re.compile(
    r"\d|-?[A-Za-z](?![A-Za-z\d])|\s{0,3}[-–/&]\s?\d|\s{0,3}[½¼¾]|\s{1,3}\d++"
    r"(?:[\w/]|\s[MmNSEWnsew])"
)
_PLAIN = re.compile(r"\s{1,3}(?!\d)[^\W_]")


def _may_be_number(text: str, start: int, end: int, zips: list[int]) -> bool:
    if end - start > _LONGEST_NUMBER:
        return False
    if start and _OF_GRID.match(text, start - 1):
        return True
    if _NOT_AFTER.search(text[max(0, start - 2) : start]):
        return False
    if _UNCLEAR.match(text, end):
        return True
    if not _PLAIN.match(text, end) or not (hints.is_hinted(text, end) or has_zip(zips, end)):
        return False
    in_table = "\t" in text[max(0, start - hints.READ_BEFORE) : end + hints.READ_BEFORE]
    return in_table or hints.is_promising(read_words(text, end, end + hints.WINDOW, kernels=None))


def _may_be_code(text: str, start: int, end: int) -> bool:
    after, count = text[end : end + 5], end - start
    if count > 5:
        return False
    if count == 1 or not after:
        return after[:1].isupper()
    if after[0] in "-–":
        return after[1:2].isdigit()
    if count < 4:
        return count == 3 and after[0] in " \xa0" and after[1:2].isdigit()
    if count == 4 and text[max(0, start - 8) : start].rstrip(" ,.\xa0\n").endswith(_STATE_ENDS):
        return True
    stripped = after.lstrip(" \t\n\xa0,")
    rest = text[end : end + 6][len(after) - len(stripped) :]
    return not stripped or rest[0].isupper() or (rest[0].isalpha() and rest[1:2].isupper())


# --- without a kernel: letters --------------------------------------------------------------------

_ONES = "|".join(f"{word.capitalize()}|{word.upper()}" for word in NUMBER_WORDS)
_SPELLED = re.compile(rf"(?<![^\W_])(?<!-)(?:{_ONES})[ -][A-Z]")
_JOINTS = (" and ", " at ", " & ", " @ ", " AND ", " AT ", " And ", " At ")
JOINT_LENGTH = {"d": 5, "D": 5, "t": 4, "T": 4, "&": 3, "@": 3}  # by the last sign
BEFORE_CORNER = 60  # characters
_LONGEST_TYPE = 16  # characters of a street's last word ("Expressway") and of the gap after it
_LAST_WORD = re.compile(r"([^\W_]\.)?([^\W_]+)[\W_]*\Z")
_CAPITALS, _DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_OTHERS = "".join(map(chr, range(128, 256))) + "?"  # "?" replaces characters outside Latin-1


def _both_cases(letters: set[str]) -> str:
    return "".join(letters) + "".join(letters).upper()


# Of each kind, the characters that may come first, second and third.
_KINDS = (
    (
        "".join({word[0].upper() for word in NUMBER_WORDS}),
        _both_cases({word[1] for word in NUMBER_WORDS}),
        _both_cases({word[2] for word in NUMBER_WORDS}),
    ),
    ("dDtT&@", " ", _CAPITALS + _DIGITS + _OTHERS),  # "and", "at", "&", "@" and a name
    ("bB", "oO", "xX"),
    ("rR", "aA", "wW"),  # "drawer"
)


def _table(letters: list[str]) -> bytes:
    """For every byte, the kinds as bits whose letters include it."""
    return bytes(
        sum(1 << k for k, some in enumerate(letters) if chr(byte) in some) for byte in range(256)
    )


_TABLES = tuple(_table([kind[place] for kind in _KINDS]) for place in range(3))
# For the kernel: four bits for the kinds that a character may begin, four each for second and
# third, one for digits.
_KINDS_OF_SIGNS = np.array(
    [
        sum(table[code] << 4 * k for k, table in enumerate(_TABLES))
        | (1 << 12) * (chr(code) in _DIGITS)
        for code in (*range(256), ord("?"))
    ],
    np.uint16,
)


def _in_letters(text: str) -> list[list[int]]:
    """Where the three letters of each kind are."""
    raw = text.encode("latin-1", "replace")  # one byte per character keeps the positions
    first, second, third = (np.frombuffer(raw.translate(table), np.uint8) for table in _TABLES)
    kinds = first[:-2] & second[1:-1] & third[2:]
    at = (kinds != 0).nonzero()[0]
    kinds = kinds[at]
    return [at[(kinds & (1 << k)) != 0].tolist() for k in range(len(_KINDS))]


def _may_join(text: str, end: int) -> bool:
    if not text.endswith(_JOINTS, 0, end) or not (text[end].isupper() or text[end].isdigit()):
        return False
    start = end - JOINT_LENGTH[text[end - 2]]
    if text[end].isdigit() or _may_end_street(text, start):
        return True
    before = text[max(0, start - BEFORE_CORNER) : start].lower()
    return "corner" in before or "intersection" in before


def _may_end_street(text: str, end: int) -> bool:
    last = _LAST_WORD.search(text[max(0, end - _LONGEST_TYPE) : end])
    if last is None:
        return False
    word = last[2]
    if word[0].isdecimal():
        return not word[-1].isdecimal()
    return last[1] is not None or word.lower() in hints.ENDINGS
