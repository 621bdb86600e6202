"""Opening hours of structured data as one compact line: "Mo-Fr 09:00-17:00; Sa 10:00-13:00"."""

from collections.abc import Sequence

_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_MAX = 300  # characters: a week with two shifts a day has 150


def opening_hours(item: dict[str, object]) -> str:
    """What an item says by `openingHours` and `openingHoursSpecification`; "" where it says nothing."""
    lines = [
        value
        for value in _list(item.get("openingHours"))
        if isinstance(value, str) and value.strip()
    ]
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
    """ "09:00-17:00", "closed", or "" where the entry has no times."""
    opens, closes = (
        next((v for v in _list(entry.get(key)) if isinstance(v, str)), "")
        for key in ("opens", "closes")
    )
    opens, closes = _clock(opens), _clock(closes)
    if not opens or not closes:
        return ""
    return "closed" if opens == closes == "00:00" else f"{opens}-{closes}"


def _clock(time: str) -> str:
    """ "09:00:00+01:00" -> "09:00"."""
    return time.strip().removeprefix("T")[:5].rstrip(":")


def _days(entry: dict[str, object]) -> list[int]:
    """The days of the week by number: of "Monday", "https://schema.org/Monday", "Mo", {"name": "Monday"}."""
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
    return ",".join(
        _DAYS[run[0]] if len(run) == 1 else f"{_DAYS[run[0]]}-{_DAYS[run[-1]]}" for run in runs
    )
