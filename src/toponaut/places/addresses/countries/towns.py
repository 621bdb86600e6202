"""The town next to a postcode: where its name ends, and whether the postcode agrees.

Comparing with the town in the postcode table takes microseconds and settles nearly all cases. Only
a different name ("Guetersloh", a village, a district) is looked up in the gazetteer (0.1 ms). A
town agrees if it is known in the country and near the postcode's centre. A name that is known only
in other countries speaks against this one: five digits are a postcode in Germany, France, Spain,
Italy and the US.
"""

import re
import unicodedata
from itertools import pairwise

from msgspec import Struct

from toponaut.places.addresses.countries.rules import CountryRules
from toponaut.places.addresses.countries.segments import Segment
from toponaut.places.gazetteer.gazetteer import ALIAS, Gazetteer, Postcode, great_circle_km
from toponaut.records import Kind

# Trust in a town and its postcode together, 0..1.
EXACT, NEAR, BOXED, UNKNOWN, FAR = 0.98, 0.92, 0.8, 0.72, 0.6
_NEAR_KM = 40.0  # from a postcode's centre to its town's, in the largest German and Canadian areas

_WORD = re.compile(r"(?:['’][st][- ]?)?[^\W\d_]+(?:['’.-]+[^\W\d_]+)*\.?")
_TOKEN = re.compile(r"\S+")
_GAP = re.compile(r"[\s,]{0,4}")
_LONGEST = 5  # words: "Neustadt an der Weinstraße", "Vila Nova de Santo André"
_PARTICLES = frozenset(
    "am an der ob im in bei vor den dem und auf a d i o de des du d la le les en sur sous aux do "
    "da dos das e y van het 't".split()
)
_LARGE = 20_000  # people of a town that is named in one line with its street
_GENERIC = frozenset(
    "bad sankt st saint sainte neu alt vila sao la le les den de santa santo new great north "
    "south east west".split()
)


_SIGNS_AS_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
Spans = list[tuple[int, int]]


class TownMatch(Struct, frozen=True):
    start: int
    end: int
    name: str
    place: int  # 0: not in the gazetteer
    trust: float


def _fold(name: str) -> str:
    """Lower case, without accents, punctuation as spaces."""
    if name.isascii():
        return " ".join(name.lower().translate(_SIGNS_AS_SPACES).split())
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return " ".join(re.sub(r"[^a-z0-9]+", " ", plain).split())


def name_words(text: str, start: int) -> Spans:
    """Spans of the words from `start` to the end of the segment that may be a town's name."""
    spans: Spans = []
    while len(spans) < _LONGEST and (word := _WORD.match(text, start)):
        ended = word.group().endswith(".") and len(word.group()) > 4  # a sentence, not "St."
        spans.append((word.start(), word.end() - ended))
        start = word.end()
        if ended or text[start : start + 1] not in (" ", "\xa0"):
            break
        start += 1
    if spans and not (text[spans[0][0]].isupper() or text[spans[0][0]] in "'’"):
        return []
    return spans


def agreeing(text: str, words: Spans, post: Postcode | None) -> TownMatch | None:
    """The town, if its name is the one in the postcode table."""
    if post is None or not words:
        return None
    start, wanted = words[0][0], _fold(post.city)
    for count in range(len(words), 0, -1):
        end = words[count - 1][1]
        if _fold(text[start:end]) == wanted:
            return TownMatch(start, end, text[start:end].rstrip("."), post.place, EXACT)
    first = text[start : words[0][1]]
    beginning = _fold(first.partition("-")[0])
    if "-" in first and beginning == wanted:  # "Oldenburg-Wechloy"
        return TownMatch(start, words[0][1], first.rstrip("."), post.place, EXACT)
    alone = len(words) == 1 or not text[words[1][0]].isupper()
    short = _fold(first)  # "Frankfurt" (am Main)
    if alone and wanted.startswith(short + " ") and short not in _GENERIC:
        return TownMatch(start, words[0][1], first, post.place, EXACT)
    return None


def known(
    name: str, country: str, post: Postcode | None, gazetteer: Gazetteer
) -> tuple[int, float]:
    """The id of the country's town of that name nearest to the postcode, and the trust in it.

    (0, UNKNOWN) if no place has that name, (0, 0.0) if only places in other countries have it.
    """
    index = gazetteer.names.lookup(name)
    if index < 0:
        return 0, UNKNOWN
    rows, qualities = gazetteer.names.postings(index)
    best, distance, people = 0, float("inf"), -1
    for row, quality in zip(rows.tolist(), qualities.tolist(), strict=True):
        if quality < ALIAS or gazetteer.country(row) != country:
            continue
        place = gazetteer.place_at(row)
        if place.kind not in (Kind.CITY, Kind.NEIGHBOURHOOD):
            continue
        km = great_circle_km(post.lat, post.lon, place.lat, place.lon) if post else 0.0
        if (km, -place.population) < (distance, -people):
            best, distance, people = place.id, km, place.population
    if not best:
        return 0, 0.0
    if post is None:
        return best, BOXED
    return best, NEAR if distance <= _NEAR_KM else FAR


def looked_up(
    text: str,
    words: Spans,
    country: str,
    post: Postcode | None,
    gazetteer: Gazetteer,
) -> TownMatch | None:
    """The town by the gazetteer: the longest run of words that it knows, else the whole name."""
    words = _name_like(text, words)
    if not words:
        return None
    start, foreign = words[0][0], False
    far: TownMatch | None = None
    for count in range(len(words), 0, -1):
        end = words[count - 1][1]
        if not text[words[count - 1][0]].isupper() and count > 1:
            continue
        place, trust = known(text[start:end], country, post, gazetteer)
        if place and trust > FAR:
            return TownMatch(start, end, text[start:end], place, trust)
        if place and far is None:
            far = TownMatch(start, end, text[start:end], place, trust)
        foreign = foreign or (not place and not trust)
    first = text[start : words[0][1]]
    if "-" in first:  # "Wolfenbüttel-Ahlum"
        place, trust = known(first.partition("-")[0], country, post, gazetteer)
        if place and trust > FAR:
            return TownMatch(start, words[0][1], first, place, trust)
    if far or foreign or post is None:
        return far
    return TownMatch(start, words[-1][1], text[start : words[-1][1]].rstrip("."), 0, UNKNOWN)


def may_be_known(text: str, words: Spans, country: str, gazetteer: Gazetteer) -> bool:
    """Whether `looked_up` may find a place of the country: a quick test."""
    words = _name_like(text, words)
    if not words:
        return False
    names = {text[words[0][0] : end] for _, end in words}
    names.add(text[slice(*words[0])].partition("-")[0])
    return any(gazetteer.has_town(name, country) for name in names)


def _name_like(text: str, words: Spans) -> Spans:
    """The words to the last capital before a plain lower-case word: "Wangerland liegt am Meer"."""
    count = 0
    for k, (start, end) in enumerate(words):
        if text[start].isupper() or text[start] in "'’":
            count = k + 1
        elif text[start:end].strip(".").lower() not in _PARTICLES:
            break
    return words[:count]


# --- by a country's rules -------------------------------------------------------------------------


def town_words(text: str, start: int, rules: CountryRules) -> Spans:
    """Spans of the words after a postcode, past a separator and a label like "Ort:"."""
    gap = _GAP.match(text, start)
    start = gap.end() if gap else start
    label = rules.label.match(text, start)
    return name_words(text, label.end() if label else start)


def lengthened(
    text: str, town: TownMatch, post: Postcode | None, rules: CountryRules, gazetteer: Gazetteer
) -> TownMatch:
    """The town with " am Main", "/Saale" or " (Oder)", if that belongs to its name."""
    tail = rules.town_tail.match(text, town.end)
    if tail is None:
        return town
    name = text[town.start : tail.end()]
    if tail.lastgroup != "sure" and not known(name, rules.country, post, gazetteer)[0]:
        return town
    return TownMatch(town.start, tail.end(), name, town.place, town.trust)


def agreeing_at_end(
    text: str, segment: Segment, post: Postcode | None
) -> tuple[TownMatch, list[Segment]] | None:
    """The postcode table's town at the end of a segment, and the rest of the segment before it."""
    words = [word.span() for word in _TOKEN.finditer(text, segment.start, segment.end)]
    for first in range(max(0, len(words) - 4), len(words)):
        town = agreeing(text, words[first:], post)
        if town and town.end == segment.end:
            return town, [Segment(segment.start, words[first - 1][1], "")] if first else []
    return None


def town_at_end(
    text: str, segment: Segment, post: Postcode | None, rules: CountryRules, gazetteer: Gazetteer
) -> tuple[TownMatch, list[Segment]] | None:
    """The town at the end of a segment ("88 Wood Street London"), and the rest before it."""
    start, end = segment.start, segment.end
    words = [word.span() for word in _TOKEN.finditer(text, start, end)]
    if split := agreeing_at_end(text, segment, post):
        return split
    content = text[start:end]
    if content[:1].isupper() and len(words) <= 5 and not any(map(str.isdigit, content)):
        place, trust = known(content, rules.country, post, gazetteer)
        if place and trust > FAR:
            return TownMatch(start, end, content, place, trust), []
        if rules.street(content) is None:  # a village, even if its name is known abroad
            return TownMatch(start, end, content, place, trust or UNKNOWN), []
    for (_, before), (first, _) in pairwise(words[max(0, len(words) - 4) :]):
        if text[first].isupper():
            name = text[first:end]
            place, trust = known(name, rules.country, post, gazetteer)
            if place and (trust > FAR or _outweighs(place, rules, gazetteer)):
                return TownMatch(first, end, name, place, trust), [Segment(start, before, "")]
    return None


def _outweighs(place: int, rules: CountryRules, gazetteer: Gazetteer) -> bool:
    """Whether a town counts although its postcode's area is elsewhere in the table.

    The table has the first half of a British postcode only, some of them far off (GL51).
    """
    return not rules.digits and gazetteer.place(place).population >= _LARGE
