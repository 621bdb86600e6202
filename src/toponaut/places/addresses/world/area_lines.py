"""Lines that may end an address in a list of offices: with a country's name, or a postcode.

    Mumbai 400 001, India    Saudi Arabia - 11351    New Delhi-110 015

One pass over the lines, on every page: a line is given only if a digit is near, and its last word
is the last of a country's name or its last sign belongs to a long number.
"""

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_REACH = cython.declare(cython.Py_ssize_t, 300)  # characters before a line that have a digit
_LONGEST = cython.declare(cython.Py_ssize_t, 120)
_SHORTEST = cython.declare(cython.Py_ssize_t, 3)


def area_lines(text: str, countries: frozenset[str]) -> list[tuple[int, int]]:
    """The spans of such lines, in order; `countries`: last words of names, in lower case."""
    found: list[tuple[int, int]] = []
    start: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    digit: cython.Py_ssize_t = -1 - _REACH  # the last one
    sign: cython.Py_UCS4
    for sign in text:
        if "0" <= sign <= "9":
            digit = at
        elif sign == "\n" or sign == "\t":
            if digit >= start - _REACH:
                _keep(text, start, at, countries, found)
            start = at + 1
        at += 1
    if digit >= start - _REACH:
        _keep(text, start, at, countries, found)
    return found


@cython.cfunc
def _keep(
    text: str,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    countries: frozenset[str],
    found: list[tuple[int, int]],
) -> cython.void:
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t = end
    digits: cython.Py_ssize_t = 0
    if not _SHORTEST <= end - start <= _LONGEST:
        return
    if text[end - 1] == ")":  # "Lucknow 226 001 (UP)"
        last = max(start, text.rfind("(", start, end))
    while last > start and not text[last - 1].isalpha():  # "INDIA.", "Saudi Arabia- 11351"
        last -= 1
        digits += text[last].isdigit()
    first = last
    while first > start and (text[first - 1].isalpha() or text[first - 1] == "."):
        first -= 1
    if last == start or text[first].islower():
        return
    if 5 < digits < 8 or text[first:last].lower() in countries:  # a code of six digits
        found.append((start, end))
