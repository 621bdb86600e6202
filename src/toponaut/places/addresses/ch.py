"""Addresses of Switzerland: streets in German, French and Italian, four-digit postcodes, the canton behind the town.

Four digits are as often a year, so the town must agree with the postcode.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import WEAK, Rules, Street, postcode_before_town
from toponaut.places.addresses.de import RULES as GERMAN
from toponaut.places.addresses.fr import RULES as FRENCH
from toponaut.places.addresses.fr import swiss_french_street
from toponaut.places.addresses.german import german_street
from toponaut.places.addresses.segments import NUMBER_EITHER
from toponaut.places.gazetteer import Gazetteer

_CANTON = re.compile(
    r"\s\(?(AG|AI|AR|BE|BL|BS|FR|GE|GL|GR|JU|LU|NE|NW|OW|SG|SH|SO|SZ|TG|TI|UR|VD|VS|ZG|ZH)\b\)?"
)
_OFFICE = re.compile(
    r"\s\d{1,2}(?![\w.])"
)  # "Genève 3": the post office, no part of the town's name
_ITALIAN = re.compile(
    r"(?<![\w'’-])(?P<street>(?i:via|viale|piazza|piazzetta|corso|contrada|vicolo|largo|strada"
    r"|salita|riva)\s[^\n\t;|]{2,60}?)[\s,]+(?P<number>\d{1,4}(?:\s?[a-zA-Z])?(?:[-/]\d{1,4})?)$"
)
_BOX = re.compile(r"(?:Postfach|Case postale|C\.?P\.?|Casella postale|P\.O\. Box)(?:\s\d{1,5}| )?")


def swiss_street(segment: str) -> Street | None:
    """A segment read as a street in whichever language fits."""
    if found := _ITALIAN.search(segment):
        return Street(found.start(), found.end(), found["number"], found["street"])
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    french, german = swiss_french_street(segment), german_street(segment)
    if (
        french and french.strength == WEAK
    ):  # a number and a name: in Switzerland rather a postcode and a town
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


RULES = Rules(
    country="CH",
    postcode=re.compile(r"[1-9]\d{3}(?=[\s,]{1,3}[^\W\d_])"),
    prefix=re.compile(r"(?<!\w)CH\s?[-–]?\s?$"),
    street=swiss_street,
    unit=re.compile(f"{GERMAN.unit.pattern}|{FRENCH.unit.pattern.removeprefix('(?i)')}"),
    passed=re.compile(
        rf"{GERMAN.passed.pattern}|Schweiz|Suisse|Svizzera|Switzerland|CH|NPA|à|a|{_BOX.pattern}"
    ),
    town_tail=GERMAN.town_tail,
    label=re.compile(rf"{GERMAN.label.pattern}|Localité\s?:?\s{{0,3}}"),
    number=NUMBER_EITHER,
    region=_canton,
    strict=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Swiss addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
