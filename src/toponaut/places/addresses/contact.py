"""Contact data of an address: the phone number near it, and opening hours of structured data."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_AFTER, _BEFORE = 220, 90  # characters searched on either side
_US = re.compile(
    r"(?<![\w.-])(?:\+?1[-. ]?)?(?:\(\d{3}\)\s?|\d{3}[-./ ]\s?)\d{3}[-. ]\d{4}(?![\w-])"
)
_US_END = re.compile(r"\d{3}[-. ]\d{4}")  # a quick test
_OTHER = re.compile(r"(?<![\w.,-])(?:\+|00|\(?0)\d[\d\s()/.–-]{5,18}\d(?!\w)")
_FAX = re.compile(
    r"fax\W{0,3}(?:no\W{0,2}|number\W{0,2}|nr\W{0,2})?\s?$|\bf\s?[:.]\s?$|telefax\W*$",
    re.IGNORECASE,
)


class NearbyPhone(NamedTuple):
    number: str
    start: int
    end: int


def phone_near(
    text: str, start: int, end: int, floor: int, ceiling: int, country: str
) -> NearbyPhone:
    """The number nearest to text[start:end] within text[floor:ceiling]; ("", -1, -1) if none.

    The same block (up to empty lines) comes first, then later blocks, then earlier ones.
    """
    inside = _numbers(text, start, end, country)
    if inside:
        return inside[0]
    after = _numbers(text, end, min(ceiling, end + _AFTER), country)
    block_end = text.find("\n\n", end, end + _AFTER) % (len(text) + 1)  # -1: the text's end
    if after and after[0].start < block_end:
        return after[0]
    before = _numbers(text, max(floor, start - _BEFORE), start, country)[::-1]
    block_start = text.rfind("\n\n", max(0, start - _BEFORE), start)
    own = [one for one in before if one.start > block_start]
    return next(iter(own + after + before), NearbyPhone("", -1, -1))


def _numbers(text: str, start: int, stop: int, country: str) -> list[NearbyPhone]:
    """The phone numbers in text[start:stop], without fax numbers."""
    if country in ("US", "CA"):
        found = _US.finditer(text[start:stop]) if _US_END.search(text, start, stop) else ()
    else:
        found = _OTHER.finditer(text[start:stop])
    return [
        NearbyPhone(" ".join(match[0].split()), start + match.start(), start + match.end())
        for match in found
        if not _FAX.search(text[max(0, start + match.start() - 14) : start + match.start()])
    ]


_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_MAX = 300  # characters: a week with two shifts a day has 150


def opening_hours(item: dict[str, object]) -> str:
    """`openingHours` and `openingHoursSpecification` as "Mo-Fr 09:00-17:00; Sa 10:00-13:00"."""
    values = _list(item.get("openingHours"))
    lines = [value for value in values if isinstance(value, str) and value.strip()]
    days_of: dict[str, list[int]] = {}
    for entry in _list(item.get("openingHoursSpecification")):
        if isinstance(entry, str):
            lines.append(entry)
        elif isinstance(entry, dict) and (times := _times(entry)):
            days_of.setdefault(times, []).extend(_days(entry))
    lines += [f"{_ranges(days)} {times}".strip() for times, days in days_of.items()]
    return "; ".join(dict.fromkeys(" ".join(line.split()) for line in lines))[:_MAX]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _times(entry: dict[str, object]) -> str:
    """ "09:00-17:00", "closed", or "" if the entry has no times."""
    opens, closes = _clock(entry.get("opens")), _clock(entry.get("closes"))
    if not opens or not closes:
        return ""
    return "closed" if opens == closes == "00:00" else f"{opens}-{closes}"


def _clock(values: object) -> str:
    """["09:00:00+01:00"] -> "09:00"."""
    time = next((value for value in _list(values) if isinstance(value, str)), "")
    return time.strip().removeprefix("T")[:5].rstrip(":")


def _days(entry: dict[str, object]) -> list[int]:
    """Numbers of weekdays: of "Monday", "https://schema.org/Monday", "Mo", {"name": "Monday"}."""
    days = []
    for value in _list(entry.get("dayOfWeek")):
        if isinstance(value, dict):
            value = next(iter(_list(value.get("name")) + _list(value.get("@id"))), "")
        for word in str(value).replace(",", " ").split():
            short = word.rsplit("/", 1)[-1][:2].capitalize()
            if short in _DAYS:
                days.append(_DAYS.index(short))
    return days


def _ranges(days: Sequence[int]) -> str:
    """[0, 1, 2, 5] -> "Mo-We,Sa"."""
    runs: list[list[int]] = []
    for day in sorted(set(days)):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ",".join("-".join(dict.fromkeys((_DAYS[run[0]], _DAYS[run[-1]]))) for run in runs)
