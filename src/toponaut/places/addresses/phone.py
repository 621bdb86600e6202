"""The telephone number that belongs to an address: the first one after it in its block, else the last one before."""

import re

_AFTER, _BEFORE = 220, 90  # characters looked at on either side
_US = re.compile(r"(?<![\w.-])(?:\+?1[-. ]?)?(?:\(\d{3}\)\s?|\d{3}[-./ ]\s?)\d{3}[-. ]\d{4}(?![\w-])")
_OTHER = re.compile(r"(?<![\w.,-])(?:\+|00|\(?0)\d[\d\s()/.–-]{5,18}\d(?!\w)")
_FAX = re.compile(r"fax\W{0,3}(?:no\W{0,2}|number\W{0,2}|nr\W{0,2})?\s?$|\bf\s?[:.]\s?$|telefax\W*$", re.IGNORECASE)
_LETTERED = re.compile(r"(?<!\w)1?[-. ]?\(?8\d\d\)?[-. ]\d{3}[-. ][A-Z]{4}\b")


def phone_near(text: str, start: int, end: int, floor: int, ceiling: int, country: str) -> str:
    """The number beside text[start:end]; nothing outside floor..ceiling (the neighbouring addresses) is looked at."""
    inside = _numbers(text, start, end, country)
    after = _numbers(text, end, min(ceiling, end + _AFTER), country)
    before = _numbers(text, max(floor, start - _BEFORE), start, country)
    found = inside[:1] or after[:1] or before[-1:]
    return found[0] if found else ""


def _numbers(text: str, start: int, stop: int, country: str) -> list[str]:
    """Telephone numbers in a stretch that ends at the first empty line but one; fax numbers left out."""
    stretch = text[start:stop]
    pattern = _US if country in ("US", "CA") else _OTHER
    return [
        " ".join(match[0].split())
        for match in pattern.finditer(stretch)
        if not _FAX.search(text[max(0, start + match.start() - 14) : start + match.start()])
    ]
