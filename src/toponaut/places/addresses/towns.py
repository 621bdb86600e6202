"""The town beside a postcode: how far its name reaches, and whether the postcode agrees.

Comparing with the town that the postcode table names is cheap (microseconds) and settles nearly all cases; only what
differs ("Guetersloh", a village, a district) is looked up in the gazetteer (a tenth of a millisecond). A town that
is known in the country and lies near the postcode's centre agrees; one that is known only elsewhere in the world
speaks against the country (five digits are a postcode in Germany, France, Spain, Italy and the US).
"""

import re
import unicodedata

from msgspec import Struct

from toponaut.places.gazetteer.gazetteer import ALIAS, Gazetteer, Postcode, great_circle_km
from toponaut.records import Kind

# How much a town and its postcode together are worth as evidence, 0..1.
EXACT, NEAR, BOXED, UNKNOWN, FAR = 0.98, 0.92, 0.8, 0.72, 0.6
# A postcode's centre and its town's middle lie up to so many km apart: the largest German and Canadian ones reach 40.
_NEAR_KM = 40.0

_WORD = re.compile(r"(?:['’][st][- ]?)?[^\W\d_]+(?:['’.-]+[^\W\d_]+)*\.?")
_LONGEST = 5  # words: "Neustadt an der Weinstraße", "Vila Nova de Santo André"
_PARTICLES = frozenset(
    "am an der ob im in bei vor den dem und auf a d i o de des du d la le les en sur sous aux do "
    "da dos das e y van het 't".split()
)
_GENERIC = frozenset(
    "bad sankt st saint sainte neu alt vila sao la le les den de santa santo new great north "
    "south east west".split()
)


class Town(Struct, frozen=True):
    start: int
    end: int
    name: str
    place: int  # 0: not in the gazetteer
    trust: float


_SIGNS_AS_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}


def fold(name: str) -> str:
    """Lower case, without accents, punctuation as spaces."""
    if name.isascii():
        return " ".join(name.lower().translate(_SIGNS_AS_SPACES).split())
    plain = unicodedata.normalize("NFKD", name.casefold())
    return " ".join(
        re.sub(
            r"[^a-z0-9]+", " ", "".join(c for c in plain if not unicodedata.combining(c))
        ).split()
    )


def name_words(text: str, start: int) -> list[tuple[int, int]]:
    """The words from here to the end of the segment that may make up a town's name, as spans."""
    spans: list[tuple[int, int]] = []
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


def agreeing(text: str, words: list[tuple[int, int]], post: Postcode | None) -> Town | None:
    """The town if it is the one that the postcode table names, by comparing strings alone."""
    if post is None or not words:
        return None
    start, wanted = words[0][0], fold(post.city)
    for count in range(len(words), 0, -1):
        end = words[count - 1][1]
        if fold(text[start:end]) == wanted:
            return Town(start, end, text[start:end].rstrip("."), post.place, EXACT)
    first = text[start : words[0][1]]
    beginning = fold(first.partition("-")[0])
    if "-" in first and beginning == wanted:  # "Oldenburg-Wechloy"
        return Town(start, words[0][1], first.rstrip("."), post.place, EXACT)
    alone = len(words) == 1 or not text[words[1][0]].isupper()
    if (
        alone and wanted.startswith(fold(first) + " ") and fold(first) not in _GENERIC
    ):  # "Frankfurt" (am Main)
        return Town(start, words[0][1], first, post.place, EXACT)
    return None


def known(
    name: str, country: str, post: Postcode | None, gazetteer: Gazetteer
) -> tuple[int, float]:
    """The id of the country's town of that name that lies nearest to the postcode, and how far that is to be trusted.

    (0, UNKNOWN) if nothing in the world is called that, (0, 0.0) if only places of other countries are.
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
    words: list[tuple[int, int]],
    country: str,
    post: Postcode | None,
    gazetteer: Gazetteer,
) -> Town | None:
    """The town by the gazetteer: the longest run of words that is a name of the country, else the name as it reads."""
    words = _name_like(text, words)
    if not words:
        return None
    start, foreign = words[0][0], False
    far: Town | None = None
    for count in range(len(words), 0, -1):
        end = words[count - 1][1]
        if not text[words[count - 1][0]].isupper() and count > 1:
            continue
        place, trust = known(text[start:end], country, post, gazetteer)
        if place and trust > FAR:
            return Town(start, end, text[start:end], place, trust)
        if place and far is None:
            far = Town(start, end, text[start:end], place, trust)
        foreign = foreign or (not place and not trust)
    first = text[start : words[0][1]]
    if "-" in first:  # "Wolfenbüttel-Ahlum"
        place, trust = known(first.partition("-")[0], country, post, gazetteer)
        if place and trust > FAR:
            return Town(start, words[0][1], first, place, trust)
    if far or foreign or post is None:
        return far
    return Town(start, words[-1][1], text[start : words[-1][1]].rstrip("."), 0, UNKNOWN)


def _name_like(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The words up to the last capital before the first plain lower-case word ("Wangerland liegt am Meer")."""
    count = 0
    for k, (start, end) in enumerate(words):
        if text[start].isupper() or text[start] in "'’":
            count = k + 1
        elif text[start:end].strip(".").lower() not in _PARTICLES:
            break
    return words[:count]
