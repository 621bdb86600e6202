"""Where opening hours may be: a quick look over the characters, before patterns are tried."""

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_REACH = cython.declare(cython.Py_ssize_t, 26)  # characters from an opening to a closing time
_LONGEST = cython.declare(cython.Py_ssize_t, 2)  # digits of an hour
# The first letters of "closed" in the languages of hours.py.
_CLOSED = cython.declare(
    frozenset, frozenset("close gesch geslo fermé cerra chius stäng ruhet".split())
)
# Of each ASCII character: 2 for digits, 1 for those that begin one of these words.
_IS_SPECIAL = cython.declare(
    bytes, bytes(2 if chr(k).isdigit() else chr(k) in "CcGgFfSsRr" for k in range(128))
)


def time_spots(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> list[int]:
    """Positions of numbers that may begin a range of times, and of words that mean "closed"."""
    part: str = text[start:stop]
    size: cython.Py_ssize_t = len(part)
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t = -1  # of the number that is being read
    sign: cython.Py_UCS4
    code: cython.Py_ssize_t
    special: cython.uchar
    is_second: cython.bint
    found: list[int] = []
    for at, sign in enumerate(part):
        code = sign
        special = _IS_SPECIAL[code] if code < 128 else 0
        if special == 2:
            if first < 0:
                first = at
        else:
            if first >= 0:
                if _may_open(part, first, at, size):
                    found.append(start + first)
                first = -1
            is_second = special and at + 1 < size and part[at + 1] in "LlEeHhTtUu"
            if is_second and part[at : at + 5].lower() in _CLOSED:
                found.append(start + at)
    if first >= 0 and _may_open(part, first, size, size):
        found.append(start + first)
    return found


@cython.cfunc
def _may_open(
    text: str, first: cython.Py_ssize_t, end: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.bint:
    """Whether a number may be the hour of an opening time; not the "00" of "9:00"."""
    if end - first > _LONGEST:
        return False
    if first > 1 and text[first - 1] in ".-:,/" and text[first - 2].isdigit():
        return False
    return _may_close(text, first, end, stop)


@cython.cfunc
def _may_close(
    text: str, first: cython.Py_ssize_t, end: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.bint:
    """Whether a second number follows after a dash or a word; or it is "24"."""
    at: cython.Py_ssize_t
    sign: cython.Py_UCS4
    parted: cython.bint = False
    if text[first:end] == "24":
        return True
    for at in range(end, min(stop, end + _REACH)):
        sign = text[at]
        if "0" <= sign <= "9":
            if parted:
                return True
        elif sign in "-–—−~\ufffd" or (sign.isalpha() and sign not in "apmAPMh"):
            parted = True
    return False
