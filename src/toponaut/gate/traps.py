"""Crawler traps, recognised by the path or the query of a URL.

Depth, pages per host and the flood guard stop traps as well. So each rule uses the mildest bound
that still ends its trap.
"""

import re
from collections import Counter

# Heritrix's PathologicalPathDecideRule refuses the third repetition of segments in a row
# ("/a/a/a/", "/a/b/a/b/a/b/"), Nutch's default filter also that of every other segment
# ("/a/x/a/y/a/").
REPETITIONS = 3
# No segment occurs four times in a sound path; a spiral of relative links makes such paths.
OCCURRENCES = 4
# Heritrix's TooManyPathSegmentsDecideRule
SEGMENTS = 20
# TYPO3, Joomla and map permalinks have up to 8 parameters. More than 10 are a form or faceted
# search.
PARAMETERS = 10
# A facet is repeated for each chosen value ("f[0]=red&f[1]=large", "colour=red&colour=blue").
# People may link to three; four or more are endless combinations.
SAME_NAME = 3
# Events are announced up to two years ahead, and are useless after ten years. (An archive of
# articles may be older: "/1912/04/16/titanic".)
YEARS_AHEAD = 2
YEARS_BACK = 10

_MONTH = r"(?:0?[1-9]|1[0-2])(?!\d)"
_DAY = r"(?:0[1-9]|[12]\d|3[01])(?!\d)"
# 2031-05 or 2031/5: a year with its month. A year alone ("agenda-2030") is a name. Only years from
# 2000 on: a calendar that goes back is stopped earlier.
_MONTHLY = re.compile(rf"[/=-](2\d{{3}})[-/_.]{_MONTH}")
# Words for a calendar. After one, 20310517 (elsewhere an id) and year=2031 (a car's) are dates,
# too.
_CALENDAR = re.compile(
    r"calend|kalend|event|veranstaltung|termin|agenda|month|monat"
    r"|(?:[/?&_]|%5B)(?:cal|date|getdate|day)(?=[/=.]|%5D)|-(?:date|day)(?==)",
    re.IGNORECASE,
)
_DATED = re.compile(rf"[/=-](2\d{{3}})(?:[-/_.]{_MONTH}|(?:0[1-9]|1[0-2]){_DAY})")
_YEAR = re.compile(r"(?:year|jahr|annee|anno|jaar)(?:%5D)?=(2\d{3})(?!\d)", re.IGNORECASE)
_INDEX = re.compile(r"(?:%5B\d*%5D|\[\d*\])$")  # of a name in a query: f[0] -> f
# urls.normalise drops session ids with the names that frameworks use. These are made up by sites: a
# typical name, and a value that looks random.
_SESSION = re.compile(
    r"(?:^|[&;])(?:[a-z_]{0,16}sess(?:ion)?[a-z_]{0,16}|visitor_?id|user_?token|nonce|requestid)="
    r"(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z_-]{16,}",
    re.IGNORECASE,
)


def repeats(segments: list[str]) -> bool:
    """Whether the segments of a path repeat in a cycle."""
    counts = Counter(filter(None, segments))
    if max(counts.values(), default=0) >= OCCURRENCES:
        return True
    often = [place for place, segment in enumerate(segments) if counts[segment] >= REPETITIONS]
    for first in often:
        for step in range(1, (len(segments) - first - 1) // (REPETITIONS - 1) + 1):
            if segments[first] == segments[first + step] == segments[first + 2 * step] and (
                step <= 2
                or segments[first : first + step] == segments[first + step : first + 2 * step]
            ):
                return True
    return False


def crowded(query: str) -> bool:
    """Whether a query has too many parameters, or too many values of one parameter."""
    parameters = query.split("&")
    if len(parameters) <= SAME_NAME:
        return False
    if len(parameters) > PARAMETERS:
        return True
    names = Counter(_INDEX.sub("", parameter.partition("=")[0]) for parameter in parameters)
    return max(names.values()) > SAME_NAME


def far_date(url: str, this_year: int) -> bool:
    """Whether this is a calendar page for a month too far ahead or too long ago."""
    calendar = _CALENDAR.search(url)
    dated = calendar and (_DATED.search(url, calendar.end()) or _YEAR.search(url))
    if dated:
        return not this_year - YEARS_BACK <= int(dated[1]) <= this_year + YEARS_AHEAD
    # Without a word for a calendar, a number may be an id ("/2999/12/"), or an article of any age.
    return any(
        this_year + YEARS_AHEAD < int(year) < this_year + 200 for year in _MONTHLY.findall(url)
    )


def has_session(query: str) -> bool:
    """Whether a query contains a session id."""
    return _SESSION.search(query) is not None
