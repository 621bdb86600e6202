"""Whether a word of street names, or a state, is near a number: asked of most numbers of a page.

One pass over the letters after it. A run of letters is cut out and looked up only if there is a
hint with its first two letters and its length: one of five.
"""

import re

import cython

from toponaut.places.addresses.us.hints import (
    HINT_WINDOW,
    HINTS,
    MOST_LETTERS,
    lengths_by_start,
)
from toponaut.places.addresses.us.words import STATE_CODES

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_HINT_WINDOW = cython.declare(cython.Py_ssize_t, HINT_WINDOW)
_HINTS = cython.declare(frozenset, HINTS)
_HINT_LENGTHS = cython.declare(bytes, lengths_by_start(HINTS))
_MOST_LETTERS = cython.declare(cython.Py_ssize_t, MOST_LETTERS)
_STATE_CODES = cython.declare(frozenset, frozenset(STATE_CODES))


@cython.ccall
def is_hinted(text: str, at: cython.Py_ssize_t) -> cython.bint:
    """Whether a word of street names, or a state, is near."""
    first: cython.Py_ssize_t = at
    start: cython.Py_ssize_t = at  # of the letters that are being read
    stop: cython.Py_ssize_t = min(len(text), at + _HINT_WINDOW)
    sign: cython.Py_UCS4
    for at in range(first, stop):
        sign = text[at]
        if _is_letter(sign):
            continue
        if sign in "İK":  # in lower case they have an ASCII letter
            return _is_hinted_slowly(text, first, stop)
        if at > start and _is_hint(text, first, start, at, sign):
            return True
        start = at + 1
    return stop > start and _is_hint(text, first, start, stop, 0)


@cython.cfunc
def _is_hint(
    text: str,
    first: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    after: cython.Py_UCS4,
) -> cython.bint:
    """Whether letters in a row are a hint, or a word that is the code of a state."""
    pair: cython.Py_ssize_t
    length: cython.Py_ssize_t = min(end - start, _MOST_LETTERS)
    if length == 1:  # "N", "e"
        return text[start] in "ensw" or text[start] in "ENSW"
    pair = 26 * _letter(text[start]) + _letter(text[start + 1])
    may_be: cython.bint = _HINT_LENGTHS[2 * pair + (length >> 3)] >> (length & 7) & 1
    if may_be and text[start:end].lower() in _HINTS:
        return True
    if end - start != 2 or not (_is_capital(text[start]) and _is_capital(text[start + 1])):
        return False
    if (start > first and _is_word(text[start - 1])) or _is_word(after):
        return False
    return text[start:end] in _STATE_CODES


@cython.cfunc
@cython.inline
def _letter(sign: cython.Py_UCS4) -> cython.Py_ssize_t:
    """The number of an ASCII letter, from 0 to 25."""
    code: cython.Py_ssize_t = sign
    return (code | 32) - 97


@cython.cfunc
def _is_hinted_slowly(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    window: str = text[start:stop]
    words = re.split("[^a-z]", window.lower())
    return not _HINTS.isdisjoint(words) or any(
        code in _STATE_CODES for code in re.findall(r"(?<!\w)[A-Z]{2}(?!\w)", window)
    )


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
def _is_word(sign: cython.Py_UCS4) -> cython.bint:
    return sign == "_" or sign.isalnum()
