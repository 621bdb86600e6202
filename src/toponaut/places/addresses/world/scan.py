"""Segments of a text that may be a street with its number: one pass over the characters."""

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_LONGEST = cython.declare(cython.Py_ssize_t, 80)
_SHORTEST = cython.declare(cython.Py_ssize_t, 4)


def street_segments(text: str) -> list[tuple[int, int]]:
    """Spans between separators that begin or end with a number, in order."""
    found: list[tuple[int, int]] = []
    at: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
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
            if digit >= start:
                _keep(text, start, at, digit, found)
            start = at + 1
        at += 1
    if digit >= start:
        _keep(text, start, at, digit, found)
    return found


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
