"""Where in a text an address may begin: one pass over its characters, before any finder reads it.

Nine of ten pages have no address. We look for all possible beginnings in one pass and reject what
the finders would reject anyway: a number without a street word after it (hints.py, promise.py),
"and" between two words that end no street's name.

    numbers    "1420 Main": street numbers in digits (anchors.py)
    zips       five digits
    spelled    "One Liberty Plaza", "Twenty-One Elm"
    joints     "5th & Main": the last character of the word that joins two streets (anchors.py)
    boxes      "box", and in `drawers` "rawer": post boxes
    rural      "RR 2 Box 44", "Pier 39": numbers that may end one
    codes      "26121 Oldenburg", "EC2V 7RS": numbers in foreign postcodes (country_signs.py)
"""

from bisect import bisect_left
from typing import NamedTuple

import cython

from toponaut.places.addresses.us.hinting import is_hinted
from toponaut.places.addresses.us.hints import ENDINGS, NEAR, READ_BEFORE
from toponaut.places.addresses.us.promise import is_promising
from toponaut.places.addresses.us.words import NUMBER_WORDS

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


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


# Of each ASCII character: 2 for digits, 1 for those that spots_of looks at, 0 for all others.
_IS_SPECIAL = cython.declare(
    bytes, bytes(2 if chr(k).isdigit() else chr(k) in "dDtT&@EFNOSbBrR" for k in range(128))
)


def spots_of(text: str) -> Spots:
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    run_start: cython.Py_ssize_t = -1  # of the digits that are being read
    sign: cython.Py_UCS4
    code: cython.Py_ssize_t
    special: cython.uchar
    runs: list[tuple[int, int]] = []  # of digits
    spelled: list[int] = []
    joints: list[int] = []
    boxes: list[int] = []
    drawers: list[int] = []
    for sign in text:
        code = sign
        special = _IS_SPECIAL[code] if code < 128 else 0
        if special == 2:
            if run_start < 0:
                run_start = at
            at += 1
            continue
        if run_start >= 0:
            runs.append((run_start, at))
            run_start = -1
        if not special:  # as nearly all
            at += 1
            continue
        if sign in "dDtT&@" and _sign(text, at + 1) == " " and _may_join(text, at + 2):
            joints.append(at)
        if sign in "EFNOST" and _is_spelled(text, at):
            spelled.append(at)
        elif sign in "bB" and _sign(text, at + 1) in "oO" and text[at : at + 3] in _BOXES:
            boxes.append(at)
        elif sign in "rR" and _sign(text, at + 1) in "aA" and text[at : at + 5] in _DRAWERS:
            drawers.append(at)
        at += 1
    if run_start >= 0:
        runs.append((run_start, at))
    zips = [start for start, end in runs if end - start == _ZIP]
    numbers: list[int] = []
    rural: list[tuple[int, int]] = []
    codes: list[tuple[int, int]] = []
    for run in runs:
        at, end = run
        if _may_be_number(text, at, end, zips):
            numbers.append(at)
        if _is_near_box(text, at):
            rural.append(run)
        if _may_be_code(text, at, end):
            codes.append(run)
    return Spots(numbers, zips, spelled, joints, boxes, drawers, rural, codes, bool(runs))


def has_zip(zips: list[int], at: int) -> bool:
    """Whether one of the ZIP codes begins soon after `at`."""
    index = bisect_left(zips, at)
    return index < len(zips) and zips[index] < at + NEAR


# --- characters -----------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _sign(text: str, at: cython.Py_ssize_t) -> cython.Py_UCS4:
    """A character; 0, which is of no kind, before the text and after it."""
    return text[at] if 0 <= at < len(text) else 0


@cython.cfunc
@cython.inline
def _is_capital(sign: cython.Py_UCS4) -> cython.bint:
    return "A" <= sign <= "Z"


@cython.cfunc
@cython.inline
def _is_letter(sign: cython.Py_UCS4) -> cython.bint:
    return "a" <= sign <= "z" or "A" <= sign <= "Z"


@cython.cfunc
@cython.inline
def _is_alnum(sign: cython.Py_UCS4) -> cython.bint:
    """As str.isalnum, which is slow: it looks the character up four times."""
    if sign < 128:
        return _is_letter(sign) or "0" <= sign <= "9"
    return sign.isalnum()


@cython.cfunc
@cython.inline
def _is_word(sign: cython.Py_UCS4) -> cython.bint:
    return sign == "_" or _is_alnum(sign)


# --- numbers --------------------------------------------------------------------------------------

_ZIP = cython.declare(cython.Py_ssize_t, 5)  # digits
_LONGEST_NUMBER = cython.declare(cython.Py_ssize_t, 6)  # digits
_BEFORE_BOX = cython.declare(cython.Py_ssize_t, 9)  # before a box's number: "Drawer # "
_BESIDE = cython.declare(cython.Py_ssize_t, READ_BEFORE)  # on both sides of a number


@cython.cfunc
def _may_be_number(
    text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t, zips: list[int]
) -> cython.bint:
    """Whether digits may be a street number."""
    if end - start > _LONGEST_NUMBER:
        return False
    if _sign(text, start - 1) in "NSEWnsew" and not _is_alnum(_sign(text, start - 2)):
        return True  # of a grid: "N6W23001"
    if not _may_precede(text, start):
        return False
    if _continues(text, end):
        return True
    if not _precedes_word(text, end):
        return False
    if not is_hinted(text, end) and not has_zip(zips, end):
        return False
    return "\t" in text[max(0, start - _BESIDE) : end + _BESIDE] or is_promising(text, end)


@cython.cfunc
def _may_precede(text: str, start: cython.Py_ssize_t) -> cython.bint:
    """Not a currency sign, a letter, a joined sign (CV-1020, 3.1, 10:30) or "©"."""
    last: cython.Py_UCS4 = _sign(text, start - 1)
    before: cython.Py_UCS4 = _sign(text, start - 2)
    if last in "-./–":
        return not _is_word(before)
    if last in ",:":
        return not before.isdecimal()
    if last in "$£€@=+~%©" or _is_word(last):
        return False
    return before != "©" or not last.isspace()


@cython.cfunc
def _continues(text: str, at: cython.Py_ssize_t) -> cython.bint:
    """Whether a letter, range or fraction continues a number; or a number that does not end it."""
    sign: cython.Py_UCS4 = _sign(text, at)
    start: cython.Py_ssize_t = at
    if sign.isdecimal():  # digits of two scripts in a row
        return True
    if _is_letter(sign):
        return _ends_letter(_sign(text, at + 1))
    if sign == "-" and _is_letter(_sign(text, at + 1)):
        return _ends_letter(_sign(text, at + 2))  # not "24-hour"
    while at < start + 3 and _sign(text, at).isspace():
        at += 1
    sign = _sign(text, at)
    if sign in "-–/&":
        at += 1
        return _sign(text, at + _sign(text, at).isspace()).isdecimal()
    if sign in "½¼¾":
        return True
    if at == start or not sign.isdecimal():
        return False
    while _sign(text, at).isdecimal():
        at += 1
    sign = _sign(text, at)
    if _is_word(sign) or sign == "/":
        return True
    return sign.isspace() and _sign(text, at + 1) in "MmNSEWnsew"


@cython.cfunc
def _ends_letter(sign: cython.Py_UCS4) -> cython.bint:
    """Whether the letter before it is a number's last character: "12a", "12-B"."""
    return not _is_letter(sign) and not sign.isdecimal()


@cython.cfunc
def _precedes_word(text: str, at: cython.Py_ssize_t) -> cython.bint:
    """Whether one to three spaces and a word that is not a number follow."""
    start: cython.Py_ssize_t = at
    while at < start + 3 and _sign(text, at).isspace():
        at += 1
    return at > start and _is_alnum(_sign(text, at)) and not _sign(text, at).isdecimal()


@cython.cfunc
def _is_near_box(text: str, start: cython.Py_ssize_t) -> cython.bint:
    """Whether "box" or "pier" may be before a number."""
    at: cython.Py_ssize_t
    for at in range(max(0, start - _BEFORE_BOX), start - 1):
        if text[at] in "oO" and text[at + 1] in "xX":
            return True
        if text[at] in "iI" and at + 3 < start and text[at + 1 : at + 4].lower() == "er ":
            return True
    return False


# --- postcodes ------------------------------------------------------------------------------------

# Endings of Australian states, as codes and as names: "NSW", " SA", "Victoria".
AUSTRALIAN_STATES = (
    *("NSW", "VIC", "QLD", " SA", " WA", "TAS", " NT", "ACT", "Vic", "Qld", "Tas"),
    *("S.W", "Wales", "toria", "sland", "ralia", "mania", "itory"),
)
_STATE_ENDS = cython.declare(tuple, tuple({state[len(state) - 2 :] for state in AUSTRALIAN_STATES}))
_BEFORE_CODE = cython.declare(cython.Py_ssize_t, 8)  # characters that hold a state's end
_AFTER_CODE = cython.declare(cython.Py_ssize_t, 5)  # characters that hold the start of a name


@cython.cfunc
def _may_be_code(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether digits may be in a postcode of another country."""
    count: cython.Py_ssize_t = end - start
    sign: cython.Py_UCS4 = _sign(text, end)
    if count > 5 or (end >= len(text) and count != 4):
        return False
    if count == 1:
        return sign.isupper()
    if sign in "-–":
        return _sign(text, end + 1).isdigit()
    if count < 4 and sign.isupper() and _sign(text, end + 1).isupper():
        return True  # a British code without its space: "ME97BZ"
    if count < 4:
        return count == 3 and sign in " \xa0" and _sign(text, end + 1).isdigit()
    if count == 4:
        before: str = text[max(0, start - _BEFORE_CODE) : start]
        if before.rstrip(" ,.\xa0\n").endswith(_STATE_ENDS):
            return True
    return end < len(text) and _name_follows(text, end)


@cython.cfunc
def _name_follows(text: str, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a capital, or nothing, follows after spaces and commas."""
    at: cython.Py_ssize_t = end
    while at < end + _AFTER_CODE and _sign(text, at) in " \t\n\xa0,":
        at += 1
    if at == end + _AFTER_CODE or at >= len(text):
        return True
    if _sign(text, at).isupper():
        return True
    return _sign(text, at).isalpha() and _sign(text, at + 1).isupper()


# --- letters --------------------------------------------------------------------------------------

JOINT_LENGTH = {"d": 5, "D": 5, "t": 4, "T": 4, "&": 3, "@": 3}  # by the last sign
BEFORE_CORNER = 60  # characters
_JOINTS = cython.declare(
    frozenset, frozenset((" and ", " at ", " & ", " @ ", " AND ", " AT ", " And ", " At "))
)
_ENDINGS = cython.declare(frozenset, ENDINGS)
# Characters of a street's last word ("Expressway") and of the gap after it.
_LONGEST_TYPE = cython.declare(cython.Py_ssize_t, 16)
_NUMBER_WORDS = cython.declare(
    frozenset, frozenset(form for word in NUMBER_WORDS for form in (word.title(), word.upper()))
)
_LONGEST_SPELLED = cython.declare(cython.Py_ssize_t, max(map(len, NUMBER_WORDS)))
_BOXES = cython.declare(frozenset, frozenset(("box", "Box", "BOX")))
_DRAWERS = cython.declare(frozenset, frozenset(("rawer", "RAWER")))


@cython.cfunc
def _is_spelled(text: str, start: cython.Py_ssize_t) -> cython.bint:
    """Whether a number in words and a capital begin here: "One Liberty", "Twenty-One"."""
    end: cython.Py_ssize_t = start
    while end <= start + _LONGEST_SPELLED and _is_letter(_sign(text, end)):
        end += 1
    if _sign(text, end) not in " -" or not _is_capital(_sign(text, end + 1)):
        return False
    if _sign(text, start - 1) == "-" or _is_alnum(_sign(text, start - 1)):
        return False
    return text[start:end] in _NUMBER_WORDS


@cython.cfunc
def _may_join(text: str, end: cython.Py_ssize_t) -> cython.bint:
    """Whether the word before `end` may join two streets at a corner."""
    sign: cython.Py_UCS4 = _sign(text, end)
    start: cython.Py_ssize_t
    if not sign.isupper() and not sign.isdigit():
        return False
    start = end - JOINT_LENGTH[text[end - 2 : end - 1]]
    if start < 0 or text[start:end] not in _JOINTS:
        return False
    if sign.isdigit() or _may_end_street(text, start):
        return True
    before: str = text[max(0, start - BEFORE_CORNER) : start].lower()
    return "corner" in before or "intersection" in before


@cython.cfunc
def _may_end_street(text: str, end: cython.Py_ssize_t) -> cython.bint:
    """Whether the word before `end` may be a street's last: a type, "5th", "A.v.e."."""
    floor: cython.Py_ssize_t = max(0, end - _LONGEST_TYPE)
    start: cython.Py_ssize_t
    while end > floor and not _is_alnum(_sign(text, end - 1)):
        end -= 1
    start = end
    while start > floor and _is_alnum(_sign(text, start - 1)):
        start -= 1
    if start == end:
        return False
    if _sign(text, start).isdecimal():
        return not _sign(text, end - 1).isdecimal()
    if start - floor > 1 and _sign(text, start - 1) == "." and _is_alnum(_sign(text, start - 2)):
        return True
    return text[start:end].lower() in _ENDINGS
