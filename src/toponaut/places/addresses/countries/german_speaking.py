"""Addresses of Germany, Austria and Switzerland.

With a postcode ("Escherweg 2, 26121 Oldenburg", in either order) postcode_walk.py finds them. In
Germany a street type before a house number is an anchor too ("in der Firmungstraße 9 in Koblenz"),
if a town comes right after or before it. A street alone in its line or cell is reported without a
town at a confidence below 0.5: only the whole page shows where it is.

Austria writes stairs and doors after the house number ("12/3/14"), Switzerland streets in German,
French and Italian, and the canton after the town. Their four-digit postcodes are often years, so
the town must agree with the postcode.
"""

import re
from functools import partial

from msgspec.structs import replace

from toponaut.places.addresses.countries import towns
from toponaut.places.addresses.countries.german_streets import PREPOSITION, UNIT, german_street
from toponaut.places.addresses.countries.postcode_walk import MOST_POSTCODES, postcode_before_town
from toponaut.places.addresses.countries.romance import FRANCE, swiss_french_street
from toponaut.places.addresses.countries.rules import (
    STRONG,
    WEAK,
    CountryRules,
    FindAddresses,
    StreetMatch,
)
from toponaut.places.addresses.countries.segments import (
    NUMBER_EITHER,
    SEPARATOR,
    Segment,
    segment_after,
    segments_before,
)
from toponaut.places.addresses.countries.towns import TownMatch
from toponaut.places.addresses.digits import matches_at_numbers
from toponaut.places.addresses.lazy_pattern import lazy_pattern
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

# --- Germany --------------------------------------------------------------------------------------

GERMANY = CountryRules(
    country="DE",
    postcode=lazy_pattern(r"\d{5}(?![\w-]|[.,]\d|\s?[€%])"),
    digits=(5,),
    prefix=lazy_pattern(r"(?<!\w)DE?\s?[-–]?\s?$"),
    street=german_street,
    unit=lazy_pattern(rf"{UNIT}(?:\s{UNIT})?"),
    passed=lazy_pattern(
        r"(?i)PLZ|Postleitzahl|Ort|Stadt|Wohnort|Anschrift|Adresse|(?:OT|Ortsteil"
        r"|Stadtteil)\s.{2,30}|Deutschland|Germany|D|in|und"
    ),
    town_tail=lazy_pattern(
        r"(?P<sure>/[A-ZÄÖÜ][\w.]+(?:-[A-Z]\w+)?|\s?[ai]\.\s?(?:d\.\s?)?[A-ZÄÖÜ]\w*\.?|\s?\("
        r"(?:Saale|Oder|Main|Old[a-z.]*|Westf[a-z.]*|Allgäu|Bodensee|Holst[a-z.]*|Harz|Taunus"
        r"|Eifel|Spree|Ems|Weser|Aller|Ruhr|Han[a-z.]*)\))|\s(?:am|an der|ob der|im|in|bei|vor der"
        r"|auf|unter)\s[A-ZÄÖÜ]\w+|\s\([A-ZÄÖÜ][\w .-]{2,24}\)"
    ),
    label=lazy_pattern(r"(?:Ort|Stadt|Wohnort)\s?:?\s{0,3}"),
    townless=True,
)
# Confidence without a postcode: a town right after the street, one before it, none.
_TOWN_AFTER, _TOWN_BEFORE, _NO_TOWN = 0.75, 0.6, 0.4

# A house number, not a measure, price, time or date: the anchor if there is no postcode. A certain
# street ending or a name like "Am Kurgarten" must come before it.
_NUMBER = lazy_pattern(
    r"[1-9]\d{0,2}(?:\s?[a-zA-Z](?![\w.]))?(?:\s?[-–/+]\s?\d{1,3}(?:\s?[a-z](?!\w))?)?"
    r"(?![\w,.:°%-]{0,3}\d|[\w€%°$*§²]|\s?(?:x|×|m|km|cm|Uhr|bis|Euro|€|%)\b)"
)
_STREET_TYPES = tuple(
    "strasse str str. allee gasse weg platz ring damm ufer chaussee promenade twiete stieg steig "
    "pfad kamp markt wall graben deich".split()
)
_CERTAIN_END = lazy_pattern(rf"(?i)(?:straße|{'|'.join(map(re.escape, _STREET_TYPES))})\s$")
# Compounds of a street type that are not streets, unless a postcode confirms them.
_NO_PLACE = lazy_pattern(
    r"(?i).*(?:sitz|stell|steh|tabellen|listen|start|arbeits|park|speicher|rast|studien"
    r"|ausbildungs|kita|schlaf|camping)platz|(?:geh|rad|rund|wander|fahr|dienst|rechts|halb|um"
    r"|ab)weg|(?:bundes|landes|kreis|fern)stra(?:ß|ss)e|(?:klima|arbeits|super|flug|wochen|floh"
    r"|jahr|weihnachts)?markt|.*(?:vor)?steg"
)
_NAMED_END = lazy_pattern(
    rf"(?:^|(?<=[\n\t,;:|])\s?)(?=[A-ZÄÖÜ]){PREPOSITION}(?:\s[A-ZÄÖÜ][\w-]+){{1,2}}\s$"
)
_JOINT = lazy_pattern(r",?\s+in\s|\s?[,|•·–-]\s?|\s?\n|\t")
_IN_TOWN = lazy_pattern(
    r"\b[Ii]n\s(?P<town>(?:Bad\s|Sankt\s|St\.\s)?[A-ZÄÖÜ][\w-]+),?\s(?:in der|an der|am|im|auf der"
    r"|auf dem|auf)\s"
)
_PHONE = lazy_pattern(r"(?i)(?:tel|fon|telefon|fax|mobil|t:|✆|☎)|0\d{2,4}[\s/-]")
_NEXT_STREET = lazy_pattern(r"\.? \d")  # "Lange Straße 5, Kurze Straße 7": no town
_ELSEWHERE = lazy_pattern(r"(?:[A-Z]{1,2}[- ])?\d{4,5}\s[^\W\d_]")  # a postcode: the next address


def _find_german(text: str, gazetteer: Gazetteer) -> list[Address]:
    found = postcode_before_town(text, gazetteer, GERMANY)
    taken = sorted((address.start, address.end) for address in found)
    lines = {(address.street, address.number) for address in found}
    others = _without_postcode(text, gazetteer, taken)
    found += [other for other in others if other.city or (other.street, other.number) not in lines]
    return sorted(found, key=lambda address: address.start)


def _without_postcode(
    text: str, gazetteer: Gazetteer, taken: list[tuple[int, int]]
) -> list[Address]:
    found: list[Address] = []
    floor = k = tried = 0
    for match in matches_at_numbers(_NUMBER, text, (1, 2, 3)):
        start, end = match.span()
        while k < len(taken) and taken[k][1] < end:
            floor, k = max(floor, taken[k][1]), k + 1
        if text[start - 1 : start] not in (" ", "\xa0") or (k < len(taken) and taken[k][0] < end):
            continue  # in another cell: a player and his score, "Jens Damm" and "838"
        before = text[max(floor, start - 40) : start]
        words = before.split()
        if not words:
            continue
        # The first tests are quick, and the patterns fail where they do.
        typed = words[-1].casefold().endswith(_STREET_TYPES) and _CERTAIN_END.search(before[-12:])
        if not typed and not (words[-1][0].isupper() and _NAMED_END.search(before)):
            continue
        tried += 1
        if tried > MOST_POSTCODES:
            break
        address = _street_with_town(text, end, floor, gazetteer)
        if address and (typed or address.city):
            found.append(address)
            floor = address.end
    return found


def _street_with_town(text: str, end: int, floor: int, gazetteer: Gazetteer) -> Address | None:
    """The address without a postcode whose house number ends at `end`."""
    segments = segments_before(text, end, floor, GERMANY.number)
    street = german_street(text[segments[0].start : segments[0].end]) if segments else None
    if street is None or street.strength < STRONG or _NO_PLACE.fullmatch(street.street):
        return None
    start = segments[0].start + street.start
    if town := _town_after(text, end, gazetteer):
        return _address(street, start, town.end, town, _TOWN_AFTER)
    if town := _town_before(text, start, segments, gazetteer):
        return _address(street, town.start, end, town, _TOWN_BEFORE)
    if street.start == 0 and _is_alone(text, start, end):
        return _address(street, start, end, TownMatch(end, end, "", 0, 0.0), _NO_TOWN)
    return None


def _address(
    street: StreetMatch, start: int, end: int, town: TownMatch, confidence: float
) -> Address:
    return Address(
        text="",
        start=start,
        end=end,
        country="DE",
        number=street.number,
        street=street.street,
        unit=street.unit,
        city=town.name,
        place=town.place,
        confidence=confidence,
    )


def _town_after(text: str, end: int, gazetteer: Gazetteer) -> TownMatch | None:
    """The town in "[Firmungstraße 9] in Koblenz"; it must fill the next line or cell."""
    joint = _JOINT.match(text, end)
    if joint is None or _ELSEWHERE.match(text, joint.end()):
        return None
    words = towns.name_words(text, joint.end())
    if not words or _NEXT_STREET.match(text, words[-1][1]):
        return None
    town = towns.looked_up(text, words, "DE", None, gazetteer)
    if town is None or len(town.name) < 3:
        return None
    town = towns.lengthened(text, town, None, GERMANY, gazetteer)
    alone = town.end == len(text) or SEPARATOR.match(text, town.end)
    return town if alone or not joint.group().isspace() else None


def _town_before(
    text: str, start: int, segments: list[Segment], gazetteer: Gazetteer
) -> TownMatch | None:
    """The town in "Bremen, [Sögestraße 15]", "in Leer in der [Hafenstraße 44]"."""
    named = _IN_TOWN.search(text, max(0, start - 60), start)
    if named and named.end() == start:
        span = named.span("town")
    elif start == segments[0].start and len(segments) > 1:
        span = segments[1].start, segments[1].end
        if "\n" in segments[1].gap or not text[span[0]].isupper():
            return None
    else:
        return None
    name = text[slice(*span)]
    place, _ = towns.known(name, "DE", None, gazetteer) if 2 < len(name) < 40 else (0, 0.0)
    return TownMatch(*span, name, place, towns.NEAR) if place else None


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a street fills its line or cell, or is followed there only by a phone number."""
    after = segment_after(text, end, GERMANY.number)
    if after and _ELSEWHERE.match(text, after.start):
        return False
    if text[start - 1 : start] not in ("", "\n", "\t"):
        return False
    closes = text[end : end + 1] in ("", "\n", "\t")
    return closes or bool(after and _PHONE.match(text, after.start))


# --- Austria and Switzerland ----------------------------------------------------------------------

AUSTRIA = replace(
    GERMANY,
    country="AT",
    postcode=lazy_pattern(r"[1-9]\d{3}(?=[\s,]{1,3}[^\W\d_])"),
    digits=(4,),
    prefix=lazy_pattern(r"(?<!\w)AT?\s?[-–]?\s?$"),
    passed=lazy_pattern(rf"{GERMANY.passed.pattern}|Österreich|Austria|A"),
    townless=False,
    strict=True,
)

_CANTON = lazy_pattern(
    r"\s\(?(AG|AI|AR|BE|BL|BS|FR|GE|GL|GR|JU|LU|NE|NW|OW|SG|SH|SO|SZ|TG|TI|UR|VD|VS|ZG|ZH)\b\)?"
)
_OFFICE = lazy_pattern(r"\s\d{1,2}(?![\w.])")  # "Genève 3": a post office, not part of the name
_ITALIAN = lazy_pattern(
    r"(?<![\w'’-])(?P<street>(?i:via|viale|piazza|piazzetta|corso|contrada|vicolo|largo|strada"
    r"|salita|riva)\s[^\n\t;|]{2,60}?)[\s,]+(?P<number>\d{1,4}(?:\s?[a-zA-Z])?(?:[-/]\d{1,4})?)$"
)
_BOX = lazy_pattern(
    r"(?:Postfach|Case postale|C\.?P\.?|Casella postale|P\.O\. Box)(?:\s\d{1,5}| )?"
)


def _swiss_street(segment: str) -> StreetMatch | None:
    """A segment read as a street in Italian, French or German."""
    if found := _ITALIAN.search(segment):
        return StreetMatch(found.start(), found.end(), found["number"], found["street"])
    if _BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    french, german = swiss_french_street(segment), german_street(segment)
    if french and french.strength == WEAK:  # in Switzerland rather a postcode and a town
        french = None
    if french and french.number:
        return french
    return german if german and german.strength >= WEAK else french or german


def _canton(after: str) -> tuple[str, int]:
    found = _CANTON.match(after)
    if found:
        return found[1], found.end()
    office = _OFFICE.match(after)
    return "", office.end() if office else 0


SWITZERLAND = replace(
    AUSTRIA,
    country="CH",
    prefix=lazy_pattern(r"(?<!\w)CH\s?[-–]?\s?$"),
    street=_swiss_street,
    unit=lazy_pattern(f"{GERMANY.unit.pattern}|{FRANCE.unit.pattern.removeprefix('(?i)')}"),
    passed=lazy_pattern(
        rf"{GERMANY.passed.pattern}|Schweiz|Suisse|Svizzera|Switzerland|CH|NPA|à|a|{_BOX.pattern}"
    ),
    label=lazy_pattern(rf"{GERMANY.label.pattern}|Localité\s?:?\s{{0,3}}"),
    number=NUMBER_EITHER,
    region=_canton,
)

FINDERS: dict[str, FindAddresses] = {
    "DE": _find_german,
    "AT": partial(postcode_before_town, rules=AUSTRIA),
    "CH": partial(postcode_before_town, rules=SWITZERLAND),
}
