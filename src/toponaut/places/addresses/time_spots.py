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


def time_spots(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> list[int]:
    """Positions of numbers that may begin a range of times, and of words that mean "closed"."""
    at: cython.Py_ssize_t = start
    first: cython.Py_ssize_t
    sign: cython.Py_UCS4
    before: cython.Py_UCS4 = " "
    joined: cython.bint  # to a number before it: the "00" of "9:00"
    found: list[int] = []
    stop = min(stop, len(text))
    while at < stop:
        sign = text[at]
        if "0" <= sign <= "9":
            first = at
            while at < stop and "0" <= text[at] <= "9":
                at += 1
            joined = before in ".-:,/" and first - start > 1 and text[first - 2].isdigit()
            if not joined and at - first <= _LONGEST and _may_close(text, first, at, stop):
                found.append(first)
            before = "0"
            continue
        if sign in "CcGgFfSsRr" and text[at : at + 5].lower() in _CLOSED:
            found.append(at)
        before = sign
        at += 1
    return found


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
