"""The telephone number that belongs to an address: the nearest one in its block, else in the next."""

import re
from typing import NamedTuple

_AFTER, _BEFORE = 220, 90  # characters looked at on either side
_US = re.compile(
    r"(?<![\w.-])(?:\+?1[-. ]?)?(?:\(\d{3}\)\s?|\d{3}[-./ ]\s?)\d{3}[-. ]\d{4}(?![\w-])"
)
_OTHER = re.compile(r"(?<![\w.,-])(?:\+|00|\(?0)\d[\d\s()/.–-]{5,18}\d(?!\w)")
_FAX = re.compile(
    r"fax\W{0,3}(?:no\W{0,2}|number\W{0,2}|nr\W{0,2})?\s?$|\bf\s?[:.]\s?$|telefax\W*$",
    re.IGNORECASE,
)


class Phone(NamedTuple):
    number: str
    start: int
    end: int


NONE = Phone("", -1, -1)


def phone_near(text: str, start: int, end: int, floor: int, ceiling: int, country: str) -> Phone:
    """The number beside text[start:end]; nothing outside floor..ceiling (the neighbouring addresses) is looked at.

    First in the address's own block (what no empty line parts from it), after it and then before it; then in the
    blocks that follow, then in those before.
    """
    after = _numbers(text, end, min(ceiling, end + _AFTER), country)
    before = _numbers(text, max(floor, start - _BEFORE), start, country)[::-1]
    inside = _numbers(text, start, end, country)
    block_end = text.find("\n\n", end, end + _AFTER) % (
        len(text) + 1
    )  # -1, not found: the text's end
    block_start = text.rfind("\n\n", max(0, start - _BEFORE), start)
    own = [one for one in after if one.start < block_end] + [
        one for one in before if one.start > block_start
    ]
    return next(iter(inside + own + after + before), NONE)


def _numbers(text: str, start: int, stop: int, country: str) -> list[Phone]:
    """Telephone numbers in a stretch; fax numbers left out."""
    pattern = _US if country in ("US", "CA") else _OTHER
    return [
        Phone(" ".join(match[0].split()), start + match.start(), start + match.end())
        for match in pattern.finditer(text[start:stop])
        if not _FAX.search(text[max(0, start + match.start() - 14) : start + match.start()])
    ]
