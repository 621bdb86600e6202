"""URLs without end: what a path or a query betrays of the trap that made it.

A trap costs a crawl its budget, a page refused by mistake costs one page, and depth, pages per host and the flood guard
stand behind these rules. So each rule takes the mildest bound that still ends its trap.
"""

import re
from collections import Counter

# Heritrix's PathologicalPathDecideRule refuses the third repetition of the same segments in a row ("/a/a/a/", and
# "/a/b/a/b/a/b/"); Nutch's default filter also that of a segment after every other one ("/a/x/a/y/a/").
REPETITIONS = 3
# And no segment stands four times in a sound path, wherever: a spiral of relative links leaves such.
OCCURRENCES = 4
# Heritrix's TooManyPathSegmentsDecideRule
SEGMENTS = 20
# TYPO3 and Joomla link articles with up to 8 parameters, map permalinks with about as many; what has more than 10 is a
# form or a search by facets, whose combinations never end.
PARAMETERS = 10
# A facet is named again for each value chosen ("f[0]=red&f[1]=large", "colour=red&colour=blue"): three are a page that
# people may link to, from four on a crawler only meets combinations.
SAME_NAME = 3
# Events are announced up to two years ahead; a calendar that leads further leads anywhere. Backwards an archive of
# articles may be as old as the paper ("/1912/04/16/titanic"), a calendar of events is of no use after ten years.
YEARS_AHEAD = 2
YEARS_BACK = 10

_MONTH = r"(?:0?[1-9]|1[0-2])(?!\d)"
_DAY = r"(?:0[1-9]|[12]\d|3[01])(?!\d)"
# 2031-05 or 2031/5: a year with its month. A year alone ("agenda-2030") is a name, no calendar. Of this millennium
# only: a calendar that leads back is stopped long before the last one.
_MONTHLY = re.compile(rf"[/=-](2\d{{3}})[-/_.]{_MONTH}")
# What says calendar. Behind it also 20310517 is a date, which elsewhere is an id, and year=2031, which may be a car's.
_CALENDAR = re.compile(
    r"calend|kalend|event|veranstaltung|termin|agenda|month|monat"
    r"|(?:[/?&_]|%5B)(?:cal|date|getdate|day)(?=[/=.]|%5D)|-(?:date|day)(?==)",
    re.IGNORECASE,
)
_DATED = re.compile(rf"[/=-](2\d{{3}})(?:[-/_.]{_MONTH}|(?:0[1-9]|1[0-2]){_DAY})")
_YEAR = re.compile(r"(?:year|jahr|annee|anno|jaar)(?:%5D)?=(2\d{3})(?!\d)", re.IGNORECASE)
_INDEX = re.compile(r"(?:%5B\d*%5D|\[\d*\])$")  # of a name in a query: f[0] -> f
# urls.normalise drops session ids by the names that frameworks give them. Here are those that sites made up: a name
# that says so, and a value that looks drawn at random.
_SESSION = re.compile(
    r"(?:^|[&;])(?:[a-z_]{0,16}sess(?:ion)?[a-z_]{0,16}|visitor_?id|user_?token|nonce|requestid)="
    r"(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z_-]{16,}",
    re.IGNORECASE,
)


def repeats(segments: list[str]) -> bool:
    """Whether a path's segments go round in a circle."""
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
    """Whether a query has more parameters, or more values of one parameter, than a page has."""
    parameters = query.split("&")
    if len(parameters) <= SAME_NAME:
        return False
    if len(parameters) > PARAMETERS:
        return True
    names = Counter(_INDEX.sub("", parameter.partition("=")[0]) for parameter in parameters)
    return max(names.values()) > SAME_NAME


def far_date(url: str, this_year: int) -> bool:
    """Whether this is a calendar's page for a month beyond all that is announced, or long gone."""
    calendar = _CALENDAR.search(url)
    dated = calendar and (_DATED.search(url, calendar.end()) or _YEAR.search(url))
    if dated:
        return not this_year - YEARS_BACK <= int(dated[1]) <= this_year + YEARS_AHEAD
    # Without a word that says calendar a number may be an id ("/2999/12/"), and an article of any age.
    return any(
        this_year + YEARS_AHEAD < int(year) < this_year + 200 for year in _MONTHLY.findall(url)
    )


def has_session(query: str) -> bool:
    """Whether a query was made for one visitor."""
    return _SESSION.search(query) is not None
