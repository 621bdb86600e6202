"""Where numbers begin in a text.

Postcodes and house numbers begin with a digit. Patterns are matched there only: a search through
all characters of a page takes 0.1 ms for each pattern.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


_LONGEST = cython.declare(cython.Py_ssize_t, 5)  # digits: of a postcode


@lru_cache(maxsize=2)  # the finders of several countries read a text one after the other
def number_starts(text: str) -> list[list[int]]:
    """Where numbers of one to five ASCII digits begin: a list for each length, and one for 0."""
    at: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0  # of the number that is being read
    sign: cython.Py_UCS4
    found: list[list[int]] = [[] for _ in range(_LONGEST + 1)]
    for sign in text:
        if "0" <= sign <= "9":
            length += 1
        elif length:
            if length <= _LONGEST:
                found[length].append(at - length)
            length = 0
        at += 1
    if 0 < length <= _LONGEST:
        found[length].append(at - length)
    return found


def matches_at_numbers(
    pattern: re.Pattern[str], text: str, lengths: Sequence[int]
) -> Iterator[re.Match[str]]:
    """The matches that begin with a number of one of the `lengths`; they do not overlap."""
    lists = number_starts(text)
    free = 0
    for start in sorted(chain.from_iterable(lists[length] for length in lengths)):
        if start >= free and (match := pattern.match(text, start)):
            free = match.end()
            yield match


def has_digit(text: str) -> bool:
    """Whether a text has a digit of any script."""
    return any(sign.isdigit() for sign in text)
