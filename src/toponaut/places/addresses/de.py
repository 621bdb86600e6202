"""Addresses of Germany.

With a postcode ("Escherweg 2, 26121 Oldenburg", also turned round) the shared walk of core.py finds them. Without one
("in der Firmungstraße 9 in Koblenz") a street type before a house number is the anchor, and a town must stand right
after or before it. A street alone in its line or cell is reported without a town, at a confidence below one half: only
who sees the whole page can tell where it is.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import (
    MOST_POSTCODES,
    STRONG,
    Rules,
    Street,
    lengthened,
    postcode_before_town,
)
from toponaut.places.addresses.german import PREPOSITION, UNIT, german_street
from toponaut.places.addresses.segments import SEPARATOR, Segment, segment_after, segments_before
from toponaut.places.addresses.towns import NEAR, Town, known, looked_up, name_words
from toponaut.places.gazetteer import Gazetteer

# An address without postcode is believed by its town right after it, less by one before it, hardly without any.
_TOWN_AFTER, _TOWN_BEFORE, _NO_TOWN = 0.75, 0.6, 0.4

RULES = Rules(
    country="DE",
    postcode=re.compile(r"\d{5}(?![\w-]|[.,]\d|\s?[€%])"),
    prefix=re.compile(r"(?<!\w)DE?\s?[-–]?\s?$"),
    street=german_street,
    unit=re.compile(rf"{UNIT}(?:\s{UNIT})?"),
    passed=re.compile(
        r"(?i)PLZ|Postleitzahl|Ort|Stadt|Wohnort|Anschrift|Adresse|(?:OT|Ortsteil"
        r"|Stadtteil)\s.{2,30}|Deutschland|Germany|D|in|und"
    ),
    town_tail=re.compile(
        r"(?P<sure>/[A-ZÄÖÜ][\w.]+(?:-[A-Z]\w+)?|\s?[ai]\.\s?(?:d\.\s?)?[A-ZÄÖÜ]\w*\.?|\s?\("
        r"(?:Saale|Oder|Main|Old[a-z.]*|Westf[a-z.]*|Allgäu|Bodensee|Holst[a-z.]*|Harz|Taunus"
        r"|Eifel|Spree|Ems|Weser|Aller|Ruhr|Han[a-z.]*)\))|\s(?:am|an der|ob der|im|in|bei|vor der"
        r"|auf|unter)\s[A-ZÄÖÜ]\w+|\s\([A-ZÄÖÜ][\w .-]{2,24}\)"
    ),
    label=re.compile(r"(?:Ort|Stadt|Wohnort)\s?:?\s{0,3}"),
    townless=True,
)

# A house number, of any kind but a measure, price, time or date: the anchor where no postcode is. A street's certain
# ending or a name like "Am Kurgarten" must stand before it.
_NUMBER = re.compile(
    r"[1-9]\d{0,2}(?:\s?[a-zA-Z](?![\w.]))?(?:\s?[-–/+]\s?\d{1,3}(?:\s?[a-z](?!\w))?)?"
    r"(?![\w,.:°%-]{0,3}\d|[\w€%°$*§²]|\s?(?:x|×|m|km|cm|Uhr|bis|Euro|€|%)\b)"
)
_CERTAIN_END = re.compile(
    r"(?i)(?:straße|strasse|str\.?|allee|gasse|weg|platz|ring|damm|ufer|chaussee|promenade|twiete"
    r"|stieg|steig|pfad|kamp|markt|wall|graben|deich)\s$"
)
# Compounds of a street type that are no streets, where no postcode vouches for them.
_NO_PLACE = re.compile(
    r"(?i).*(?:sitz|stell|steh|tabellen|listen|start|arbeits|park|speicher|rast|studien"
    r"|ausbildungs|kita|schlaf|camping)platz|(?:geh|rad|rund|wander|fahr|dienst|rechts|halb|um"
    r"|ab)weg|(?:bundes|landes|kreis|fern)stra(?:ß|ss)e|(?:klima|arbeits|super|flug|wochen|floh"
    r"|jahr|weihnachts)?markt|.*(?:vor)?steg"
)
_NAMED_END = re.compile(
    rf"(?:^|(?<=[\n\t,;:|])\s?)(?=[A-ZÄÖÜ]){PREPOSITION}(?:\s[A-ZÄÖÜ][\w-]+){{1,2}}\s$"
)
_JOINT = re.compile(r",?\s+in\s|\s?[,|•·–-]\s?|\s?\n|\t")
_IN_TOWN = re.compile(
    r"\b[Ii]n\s(?P<town>(?:Bad\s|Sankt\s|St\.\s)?[A-ZÄÖÜ][\w-]+),?\s(?:in der|an der|am|im|auf der"
    r"|auf dem|auf)\s"
)
_PHONE = re.compile(r"(?i)(?:tel|fon|telefon|fax|mobil|t:|✆|☎)|0\d{2,4}[\s/-]")
_NEXT_STREET = re.compile(r"\.? \d")  # "Lange Straße 5, Kurze Straße 7": no town
_ELSEWHERE = re.compile(
    r"(?:[A-Z]{1,2}[- ])?\d{4,5}\s[^\W\d_]"
)  # a postcode follows: somebody else's address


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All German addresses in a text, in its order."""
    found = postcode_before_town(text, gazetteer, RULES)
    taken = sorted((candidate.start, candidate.end) for candidate in found)
    told = {(candidate.street, candidate.number) for candidate in found}
    others = _without_postcode(text, gazetteer, taken)
    found += [other for other in others if other.city or (other.street, other.number) not in told]
    return sorted(found, key=lambda candidate: candidate.start)


def _without_postcode(
    text: str, gazetteer: Gazetteer, taken: list[tuple[int, int]]
) -> list[Candidate]:
    found: list[Candidate] = []
    floor = k = looked = 0
    for match in _NUMBER.finditer(text):
        while k < len(taken) and taken[k][1] < match.end():
            floor, k = max(floor, taken[k][1]), k + 1
        if not text[match.start() - 1 : match.start()].isspace() or (
            k < len(taken) and taken[k][0] < match.end()
        ):
            continue
        typed = _CERTAIN_END.search(text[max(floor, match.start() - 12) : match.start()])
        if not typed and not _NAMED_END.search(
            text[max(floor, match.start() - 40) : match.start()]
        ):
            continue
        looked += 1
        if looked > MOST_POSTCODES:
            break
        candidate = _street_with_town(text, match, floor, gazetteer)
        if candidate and (typed or candidate.city):
            found.append(candidate)
            floor = candidate.end
    return found


def _street_with_town(
    text: str, match: re.Match[str], floor: int, gazetteer: Gazetteer
) -> Candidate | None:
    """The address around a street and number that has no postcode."""
    segments = segments_before(text, match.end(), floor, RULES.number)
    street = german_street(text[segments[0].start : segments[0].end]) if segments else None
    if street is None or street.strength < STRONG or _NO_PLACE.fullmatch(street.street):
        return None
    start, end = segments[0].start + street.start, match.end()
    if town := _town_after(text, end, gazetteer):
        return _told(street, start, town.end, town, _TOWN_AFTER)
    if town := _town_before(text, start, segments, gazetteer):
        return _told(street, town.start, end, town, _TOWN_BEFORE)
    if street.start == 0 and _stands_alone(text, start, end):
        return _told(street, start, end, Town(end, end, "", 0, 0.0), _NO_TOWN)
    return None


def _told(street: Street, start: int, end: int, town: Town, confidence: float) -> Candidate:
    return Candidate(
        start,
        end,
        "DE",
        number=street.number,
        street=street.street,
        unit=street.unit,
        city=town.name,
        place=town.place,
        confidence=confidence,
    )


def _town_after(text: str, end: int, gazetteer: Gazetteer) -> Town | None:
    """ "[Firmungstraße 9] in Koblenz", "[Marktstraße 7], Stralsund"; in the next line or cell it must stand alone."""
    joint = _JOINT.match(text, end)
    if joint is None or _ELSEWHERE.match(text, joint.end()):
        return None
    words = name_words(text, joint.end())
    if not words or _NEXT_STREET.match(text, words[-1][1]):
        return None
    town = looked_up(text, words, "DE", None, gazetteer)
    if town is None or len(town.name) < 3:
        return None
    town = lengthened(text, town, None, RULES, gazetteer)
    alone = town.end == len(text) or SEPARATOR.match(text, town.end)
    return town if alone or not joint.group().isspace() else None


def _town_before(
    text: str, start: int, segments: list[Segment], gazetteer: Gazetteer
) -> Town | None:
    """ "Bremen, [Sögestraße 15]", "in Leer in der [Hafenstraße 44]"."""
    named = _IN_TOWN.search(text, max(0, start - 60), start)
    if named and named.end() == start:
        span = named.span("town")
    elif (
        start == segments[0].start
        and len(segments) > 1
        and "\n" not in segments[1].gap
        and text[segments[1].start].isupper()
    ):
        span = segments[1].start, segments[1].end
    else:
        return None
    name = text[slice(*span)]
    place, _ = known(name, "DE", None, gazetteer) if 2 < len(name) < 40 else (0, 0.0)
    return Town(*span, name, place, NEAR) if place else None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """A street that fills its line or cell, or its part of a line that goes on with a telephone number."""
    after = segment_after(text, end, RULES.number)
    if after and _ELSEWHERE.match(text, after.start):
        return False
    opens, closes = (
        text[start - 1 : start] in ("", "\n", "\t"),
        text[end : end + 1] in ("", "\n", "\t"),
    )
    return opens and (closes or bool(after and _PHONE.match(text, after.start)))
