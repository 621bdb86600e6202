"""Segments of a text that may be a street with its number: one pass over the characters."""

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_LONGEST = cython.declare(cython.Py_ssize_t, 80)
_LONE = cython.declare(cython.Py_ssize_t, 9)  # characters of " д. 12а"
_SHORTEST = cython.declare(cython.Py_ssize_t, 4)


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
            or ((sign == "," or sign == ":") and at + 1 < size and text[at + 1] == " ")
        ):
            _close(text, before, start, at, digit, found)
            before = start if sign == "," else -1
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
    """Whether a span is only a house number: "12", "6a", "д. 12"."""
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
    return 0 < digits < 5 and letters < 5


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
    if digit >= end - 7 or "0" <= text[start] <= "9" or text[start] == "#":
        found.append((start, end))
