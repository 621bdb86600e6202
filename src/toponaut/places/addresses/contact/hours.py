"""Opening hours of structured data and of text, in OpenStreetMap's syntax.

    Mon - Fri: 9 am - 5:30 pm, Sunday closed   ->  Mo-Fr 09:00-17:30; Su off

Only what is complete is kept: days with a beginning and an end, "closed", or "24 hours". In text,
times count as opening hours if they are for two days at least, or after a word such as "Hours":
otherwise they may be of an event. Days come before their times, or right after them ("9am to 5pm
EST, Mon - Fri").
"""

import re
from collections.abc import Iterable, Iterator

from toponaut.places.addresses.contact.time_spots import time_spots
from toponaut.places.addresses.lazy_pattern import lazy_pattern

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_EVERY_DAY = tuple(range(7))
_BY_NAME = {
    "weekdays": range(5),
    "weekend": range(5, 7),
    "weekends": range(5, 7),
    "mf": range(5),
    "mth": range(4),
    "msa": range(6),
}
_MAX = 300  # characters: a week with two shifts a day has 150
_LABEL_BEFORE = 80  # characters between a label and the first times
# Full names and abbreviations of en, de, fr, es, it, nl, sv; two letters only with a capital.
_NAMES = (
    r"mon(?:day)?s?|montags?|lun(?:di|es|edì)?|maandag|mån(?:dag)?|(?-i:Mo)",
    r"tue(?:s|sday)?s?|dienstags?|mar(?:di|tes|tedì)|dinsdag|tis(?:dag)?|(?-i:Tu|Di)",
    r"wed(?:s|nesday)?s?|mittwochs?|mer(?:credi|coledì)|mié(?:rcoles)?|woensdag|ons(?:dag)?"
    r"|(?-i:We|Mi|Wo)",
    r"thu(?:r|rs|rsday)?s?|donnerstags?|jeu(?:di)?|jueves|gio(?:vedì)?|donderdag|tors?(?:dag)?"
    r"|(?-i:Th|Do)",
    r"fri(?:day)?s?|freitags?|ven(?:dredi|erdì)?|viernes|vrijdag|fre(?:dag)?|(?-i:Fr|Vr)",
    r"sat(?:urday)?s?|samstags?|sonnabends?|sam(?:edi)?|sáb(?:ado)?|sab(?:ato)?|zaterdag"
    r"|lör(?:dag)?|(?-i:Sa|Za)",
    r"sun(?:day)?s?|sonntags?|dim(?:anche)?|dom(?:ingo|enica)?|zondag|sön(?:dag)?|(?-i:Su|So|Zo)",
)
_DAY = "(?:" + "|".join(_NAMES) + r")\b\.?"
_INITIALS = r"(?-i:M ?[-–—] ?(?:F|Th|Sa))"  # "M-F"
_BETWEEN = r"\s*(?:[-–—−~\ufffd]|to|thru|through|until|bis|à|au|al?|t/m|tot|till)\s*"
_AND = r"\s*(?:,|&|/|\+|and|und|et|y|e|en|och)\s*"
_DAILY = (
    r"daily|every ?day|7 days(?: (?:a|per) week)?|weekdays|weekends?|täglich|tous les jours"
    r"|dagelijks|alla dagar|diario"
)
_TIME = r"\d{1,2}(?:[:.h]\d{2})?\s?(?:[ap](?:\.?m)?\b\.?|uhr|h\b|noon\b)?"
_RANGE = rf"{_TIME}{_BETWEEN}{_TIME}"
_CLOSED = r"closed|geschlossen|fermé|cerrado|chiuso|gesloten|stängt|ruhetag"
_ALWAYS = r"24 ?hours|open 24|24 ?h\b|24/7"
_TIMES_HERE = lazy_pattern(
    rf"{_RANGE}(?:{_AND}{_RANGE})*(?![\d-])|{_TIME} and {_TIME}|{_CLOSED}|{_ALWAYS}", re.IGNORECASE
)
_DAYS = rf"(?P<days>{_INITIALS}|{_DAY}(?:(?:{_BETWEEN}|{_AND}){_DAY})*|{_DAILY})"
_DAYS_BEFORE = lazy_pattern(
    rf"(?<![^\W_]){_DAYS}[\s:|,(–—-]{{0,6}}"
    r"(?P<opened>(?:from|von|de|open|geöffnet|between(?: the hours of)?) )?$",
    re.IGNORECASE,
)
# In the same line after times: perhaps a time zone first; days before a time are of the next entry.
_ZONE = r"(?:(?-i:[A-Z]{2,4})|(?:eastern|central|mountain|pacific|local)(?: standard)? time)"
_DAYS_AFTER = lazy_pattern(
    rf"(?:[ ,(/]{{0,3}}{_ZONE}\b\)?){{0,2}}[ \t,()–—-]{{0,3}}(?:on )?(?>{_DAYS})(?!\w)"
    rf"(?![ \t:|,(–—-]{{0,6}}(?:\d|{_CLOSED}))",
    re.IGNORECASE,
)
_LONGEST_DAYS = 60  # characters
_ALL_WEEK = lazy_pattern(  # "open 24 hours a day, 7 days a week"
    r"(?:open|hours?|öffnungszeiten|geöffnet|ouvert)\W{1,3}(?:\w+ ){0,3}?"
    r"(?:24/7|24 ?hours(?: a day)?,? (?:and )?(?:7|seven) days)",
    re.IGNORECASE,
)
_LABEL = lazy_pattern(
    r"hours|open|öffnungszeit|sprechzeit|geöffnet|horaires|ouvert|horario|abierto|orari|apert"
    r"|openingstijden|öppet",
    re.IGNORECASE,
)
_SPAN = lazy_pattern(rf"({_DAY})(?:{_BETWEEN}({_DAY}))?", re.IGNORECASE)
_ONE_RANGE = lazy_pattern(rf"({_TIME})(?:{_BETWEEN}| and )({_TIME})", re.IGNORECASE)
_BY_DAY = [lazy_pattern(names, re.IGNORECASE) for names in _NAMES]
_CLOCK = lazy_pattern(r"(\d{1,2})(?:[:.h](\d{2}))?\s?([ap])?", re.IGNORECASE)


def hours_in(text: str, start: int, stop: int) -> str:
    """The opening hours in text[start:stop]; "" if there are none for sure."""
    found: dict[int, list[str]] = {}
    first = -1
    for days, times, at in _entries(text, start, stop):
        new = [day for day in days if day not in found]
        if new:
            first = at if first < 0 else first
            found |= dict.fromkeys(new, times)
    if not found and text.find("24", start, stop) >= 0 and _ALL_WEEK.search(text, start, stop):
        return "24/7"
    labelled = first >= 0 and _LABEL.search(text, max(0, first - _LABEL_BEFORE), first)
    return _written(found) if len(found) > 1 or labelled else ""


def hours_of(item: dict[str, object]) -> str:
    """`openingHours` and `openingHoursSpecification` of an item."""
    found: dict[int, list[str]] = {}
    for value in _list(item.get("openingHours")):
        _add_line(str(value), found)
    for entry in _list(item.get("openingHoursSpecification")):
        if isinstance(entry, dict):
            days = _list(entry.get("dayOfWeek"))
            times = _specified(_clock_of(entry.get("opens")), _clock_of(entry.get("closes")))
            for day in _days(" ".join(map(_day_name, days))) if days else ():
                if times and times not in found.setdefault(day, []):
                    found[day].append(times)
        else:
            _add_line(str(entry), found)
    return _written(found)


def _add_line(line: str, found: dict[int, list[str]]) -> None:
    """ "Mo-Fr 09:00-17:00", "Mo,Tu 09:00-12:00, 13:00-17:00", "Monday 9am to 5pm"."""
    for days, times, _ in _entries(line, 0, len(line)):
        for day in days:
            known = found.setdefault(day, [])
            known += [one for one in times if one not in known]


def _entries(text: str, start: int, stop: int) -> Iterator[tuple[list[int], list[str], int]]:
    """Days, their times and where they begin: times are rare, so days are read before them."""
    at = start
    for begin in time_spots(text, start, stop):
        said = _TIMES_HERE.match(text, begin, stop) if begin >= at else None
        if said is None:
            continue
        days = _DAYS_BEFORE.search(text[max(at, begin - _LONGEST_DAYS) : begin])
        end = said.end()
        if days is None and _ONE_RANGE.match(said[0]):
            days = _DAYS_AFTER.match(text, end, min(stop, end + _LONGEST_DAYS))
            end = days.end() if days else end
        if days is None:
            continue
        at = end
        if times := _times(said[0]):
            yield _days(days["days"]), times, begin


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _day_name(value: object) -> str:
    """Of "Monday", "https://schema.org/Monday", "Mo", {"name": "Monday"}."""
    if isinstance(value, dict):
        value = next(iter(_list(value.get("name")) + _list(value.get("@id"))), "")
    return str(value).rsplit("/", 1)[-1]


def _clock_of(values: object) -> str:
    """["09:00:00+01:00"] -> "09:00"."""
    time = next((value for value in _list(values) if isinstance(value, str)), "")
    found = _CLOCK.match(time.strip().removeprefix("T"))
    return _clock(found, "") if found else ""


def _specified(opens: str, closes: str) -> str:
    if not opens or not closes:
        return ""
    return "off" if opens == closes == "00:00" else f"{opens}-{closes}"


# --- days and times ---


def _days(said: str) -> list[int]:
    """ "Mon - Wed, Fri" -> [0, 1, 2, 4]."""
    days: list[int] = []
    known = _BY_NAME.get(re.sub(r"[\s–—-]", "", said.lower()))
    if known is not None:
        return list(known)
    for span in _SPAN.finditer(said):
        first = _day(span[1])
        last = _day(span[2]) if span[2] else first
        days += [(first + k) % 7 for k in range((last - first) % 7 + 1)]
    return days or list(_EVERY_DAY)


def _day(said: str) -> int:
    name = said.rstrip(".")
    return next(k for k, pattern in enumerate(_BY_DAY) if pattern.fullmatch(name))


def _times(said: str) -> list[str]:
    if re.match(_CLOSED, said, re.IGNORECASE):
        return ["off"]
    if re.match(_ALWAYS, said, re.IGNORECASE):
        return ["00:00-24:00"]
    return [times for found in _ONE_RANGE.finditer(said) if (times := _range(found[1], found[2]))]


def _range(opens: str, closes: str) -> str:
    """ "9", "5:30 pm" -> "09:00-17:30". Without am and pm, a shop that closes earlier than it
    opens closes in the afternoon.
    """
    first, last = _CLOCK.match(opens), _CLOCK.match(closes)
    if not first or not last:
        return ""
    half = (last[3] or "").lower()
    begin_half = (first[3] or "").lower()
    if half and not begin_half and int(first[1]) <= 12:
        later = int(first[1]) % 12 >= int(last[1]) % 12 and half == "p"
        begin_half = "a" if later else half
    begin, end = _clock(first, begin_half), _clock(last, half)
    if end and end <= begin < "13" and not half and int(last[1]) < 12:
        end = _clock(last, "p")
    return f"{begin}-{end}" if begin and end and begin != end else ""


def _clock(found: re.Match[str], half: str) -> str:
    """ "09:00"; "" if it is no time of day."""
    hour, minute = int(found[1]), int(found[2] or 0)
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half == "p")
    return f"{hour:02}:{minute:02}" if hour * 60 + minute <= 24 * 60 and minute < 60 else ""


# --- writing ---


def _written(found: dict[int, list[str]]) -> str:
    """{0: ["09:00-17:00"], 1: ["09:00-17:00"], 6: ["off"]} -> "Mo,Tu 09:00-17:00; Su off"."""
    days_of: dict[str, list[int]] = {}
    for day in sorted(found):
        times = ",".join(one for one in found[day] if one != "off") or "off"
        days_of.setdefault(times, []).append(day)
    rules = [f"{_ranges(days)} {times}" for times, days in days_of.items()]
    return "; ".join(rules) if len("; ".join(rules)) <= _MAX else ""


def _ranges(days: Iterable[int]) -> str:
    """[0, 1, 2, 5] -> "Mo-We,Sa"."""
    runs: list[list[int]] = []
    for day in days:
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    ends = (dict.fromkeys((DAYS[run[0]], DAYS[run[-1]])) for run in runs)
    return ",".join("-".join(one) for one in ends)
