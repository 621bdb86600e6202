"""Segments of a text that may be a street with its number: one pass over the characters.

A page has twenty spans with a number at one end, and one of them is a street. The word beside the
number rejects most before a pattern reads them: "for 12", "12 people", "May 5", "Tel. 12".
"""

import cython

from toponaut.places.addresses.world.no_street import NO_STREET
from toponaut.places.addresses.world.street import MARKS, is_small, type_of

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_LONGEST = cython.declare(cython.Py_ssize_t, 80)
_LONE = cython.declare(cython.Py_ssize_t, 9)  # characters of " д. 12а"
_SHORTEST = cython.declare(cython.Py_ssize_t, 4)
_LONGEST_NUMBER = cython.declare(cython.Py_ssize_t, 7)  # from its last digit: "11 A-B"
_SUFFIX = cython.declare(cython.Py_ssize_t, 3)  # characters of "bis", "ter", "a"
_NO_STREET = cython.declare(frozenset, NO_STREET)
_MARKS = cython.declare(frozenset, MARKS)
# No street has one of these.
_BAD = cython.declare(bytes, bytes(chr(k) in '@:%$=*<>!?;"{}[]|+' for k in range(128)))


_EAST_ASIAN = cython.declare(cython.Py_UCS4, "\u2e80")  # the first of these characters


def has_east_asian(text: str) -> bool:
    """Whether a text may have Chinese, Japanese or Korean characters."""
    return any(sign >= _EAST_ASIAN for sign in text)


def street_segments(text: str) -> list[tuple[int, int]]:
    """Spans between separators that begin or end with a number, in order.

    A number alone between commas belongs to the span before it, and if that has a number, to the
    span after it: "ul. Sadovaya, 6", "12, rue de la Paix".
    """
    found: list[tuple[int, int]] = []
    at: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t = -1  # the start of the span before the last comma
    digit: cython.Py_ssize_t = -1  # the last one
    size: cython.Py_ssize_t = len(text)
    sign: cython.Py_UCS4
    for sign in text:
        if "0" <= sign <= "9":
            digit = at
        elif (
            sign == "\n"
            or sign == "\t"
            or sign == ";"
            or sign == "|"
            or sign == "•"
            or sign == "،"
            or ((sign == "," or sign == ":") and at + 1 < size and text[at + 1] == " ")
        ):
            _close(text, before, start, at, digit, found)
            before = start if sign == "," or sign == "،" else -1
            start = at + 1
        at += 1
    _close(text, before, start, at, digit, found)
    return found


@cython.cfunc
def _close(
    text: str,
    before: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    digit: cython.Py_ssize_t,
    found: list[tuple[int, int]],
) -> cython.void:
    """Keep the span that ends at `end`, with the number before or after a comma."""
    if before >= 0 and digit >= before:
        after_number: cython.bint = _is_lone(text, before, start - 1)
        if after_number or (not text[start - 2].isdigit() and _is_lone(text, start, end)):
            _keep(text, before, end, digit, found)
            return
    if digit >= start:
        _keep(text, start, end, digit, found)


@cython.cfunc
def _is_lone(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a span is only a house number: "12", "6a", "12 bis", "д. 12"."""
    at: cython.Py_ssize_t
    letters: cython.Py_ssize_t = 0
    digits: cython.Py_ssize_t = 0
    if end - start > _LONE:
        return False
    for at in range(start, end):
        if text[at].isdigit():
            digits += 1
        elif text[at].isalpha():
            letters += 2 if digits else 1  # few letters follow a number
    return 0 < digits < 5 and letters < 7


@cython.cfunc
def _keep(
    text: str,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    digit: cython.Py_ssize_t,
    found: list[tuple[int, int]],
) -> cython.void:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start > _LONGEST or end - start < _SHORTEST:
        return
    begins: cython.bint = "0" <= text[start] <= "9" or text[start] == "#"
    ends: cython.bint = digit >= end - _LONGEST_NUMBER
    if not (begins or ends) or not _is_clean(text, start, end):
        return
    if (begins and _may_begin(text, start, end)) or (ends and _may_end(text, start, end)):
        found.append((start, end))


@cython.cfunc
def _is_clean(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    at: cython.Py_ssize_t
    code: cython.Py_ssize_t
    for at in range(start, end):
        code = cython.cast(cython.Py_UCS4, text[at])
        if code < 128 and _BAD[code]:
            return False
    return True


@cython.cfunc
def _may_begin(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a street's name may follow the number at the start: "8 Sorrel", "12 bis rue"."""
    at: cython.Py_ssize_t = start
    first: cython.Py_ssize_t
    while at < end:
        while at < end and not text[at].isspace():
            at += 1
        while at < end and not text[at].isalpha():
            at += 1
        first = at
        while at < end and not text[at].isspace() and text[at] != ",":
            at += 1
        if at > first and (at - first > _SUFFIX or not is_small(text[first])):
            return _may_adjoin(text[first:at])
        if at > first and _may_adjoin(text[first:at]):
            return True
    return False


@cython.cfunc
def _may_end(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a street's name may come before the number at the end: "Kungsgatan 11 A"."""
    at: cython.Py_ssize_t = end
    last: cython.Py_ssize_t
    letters: cython.bint
    digits: cython.bint = False
    while at > start:
        last = at
        letters = False
        while at > start and not text[at - 1].isspace() and text[at - 1] != ",":
            at -= 1
            if text[at].isdigit():
                digits = True
            elif text[at].isalpha():
                letters = True
        if digits and letters and not _is_numeric(text, at, last):
            return _may_adjoin(text[at:last])
        while at > start and (text[at - 1].isspace() or text[at - 1] == ","):
            at -= 1
    return False


@cython.cfunc
def _is_numeric(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a word is a house number or its mark: "11A", "B5", "p/19", "nr."."""
    if text[start].isdigit() or (start + 1 < end and text[start + 1].isdigit()):
        return True
    if start + 2 < end and text[start + 1] in "-/" and text[start + 2].isdigit():
        return True
    return end - start <= 5 and text[start:end].lower().rstrip(".:º°") in _MARKS


@cython.cfunc
def _may_adjoin(word: str) -> cython.bint:
    """Whether a word beside a number may be of a street's name."""
    if is_small(word[0]):
        return bool(type_of(word.strip("(),")))
    key: str = word.lower()
    return key.strip(".,") not in _NO_STREET or bool(type_of(key))
