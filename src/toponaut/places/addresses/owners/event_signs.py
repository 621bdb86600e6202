"""Signs of an event in the text between a name and an address: a date, or the label of a venue.

The patterns take 20 us for a page's worth of text, and most texts have neither sign. So one pass
looks at the numbers and at the beginnings of lines, and a pattern is tried only where it may match:
at a number of one or two digits beside a month ("June 27", "5 februari") or another number
("08.06."), at a year before a dash, and at a line with the first letter of a label.
"""

import re

import cython

from toponaut.places.addresses.owners.name_form import DATE

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# The label of a venue: what is above it is an event.
VENUE_LABEL = re.compile(
    r"^(?:(?:venue|where|plats|veranstaltungsort|austragungsort|kursort)\s?(?:[:?]|$)"
    r"|(?:ort|wo|lieu|lugar|luogo|sted|paikka|miejsce)\s?[:?]?$)",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(rf"(?:{VENUE_LABEL.pattern})\s*$", re.IGNORECASE)
# The first letters of these labels, and the first two of DATE's months. Others than ASCII are
# tried: some of them match an ASCII letter if case is ignored.
_LABELS = cython.declare(str, "vwpakolsmVWPAKOLSM")
_MONTHS = cython.declare(frozenset, frozenset("ja fe ma ap av ju au ao se oc ok no de".split()))
_LONGEST_MONTH = cython.declare(cython.Py_ssize_t, 10)  # letters
_DAY = cython.declare(cython.Py_ssize_t, 2)  # digits
_YEAR = cython.declare(cython.Py_ssize_t, 4)


def has_event_sign(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bool:
    """Whether text[start:stop] has a date or the label of a venue."""
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t = -1  # of the number that is being read
    sign: cython.Py_UCS4
    may_date: cython.bint = False
    if start >= stop:
        return False
    if (start == 0 or text[start - 1] == "\n") and _has_label(text, start, stop):
        return True
    for at in range(start, stop):
        sign = text[at]
        if "0" <= sign <= "9":
            if first < 0:
                first = at
            continue
        if first >= 0:
            may_date = may_date or _may_date(text, first, at, stop)
            first = -1
        if sign == "\n":
            if at + 1 < stop and _has_label(text, at + 1, stop):
                return True
        elif sign > "\x7f" and sign.isdecimal():
            may_date = True
    may_date = may_date or (first >= 0 and _may_date(text, first, stop, stop))
    return may_date and DATE.search(text, start, stop) is not None


def is_venue_label(line: str) -> bool:
    """Whether a line is only the label of a venue: "Where?"."""
    return (
        bool(line) and (line[0] > "\x7f" or line[0] in _LABELS) and _ALONE.match(line) is not None
    )


@cython.cfunc
def _has_label(text: str, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    sign: cython.Py_UCS4 = text[at]
    return (sign > "\x7f" or sign in _LABELS) and VENUE_LABEL.match(text, at, stop) is not None


@cython.cfunc
def _may_date(
    text: str, first: cython.Py_ssize_t, end: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.bint:
    """Whether the number text[first:end] may be in a date."""
    at: cython.Py_ssize_t = end
    if end - first == _YEAR:
        return end < stop and text[end] == "-"
    if end - first > _DAY:
        return False
    if at < stop and text[at] in "./":
        if at + 1 < stop and "0" <= text[at + 1] <= "9":
            return True
        at += text[at] == "."
    if at < stop and text[at] == " ":
        at += 1
    return _is_month(text, at, stop) or _follows_month(text, first)


@cython.cfunc
def _follows_month(text: str, first: cython.Py_ssize_t) -> cython.bint:
    at: cython.Py_ssize_t = first - 1
    last: cython.Py_ssize_t
    if at < 0 or text[at] != " ":
        return False
    if at > 0 and text[at - 1] == ".":
        at -= 1
    last = at
    while at > 0 and last - at < _LONGEST_MONTH and text[at - 1].isalpha():
        at -= 1
    return _is_month(text, at, last)


@cython.cfunc
def _is_month(text: str, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether text[at:stop] may begin with a month."""
    if at + 1 >= stop:
        return False
    if text[at] > "\x7f" or text[at + 1] > "\x7f":
        return True
    return text[at : at + 2].lower() in _MONTHS
