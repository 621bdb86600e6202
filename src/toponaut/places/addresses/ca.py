"""Addresses of Canada: English and French streets, the province as code or name, "M5H 2N2".

"203-1885 Marine Drive" is unit 203 in number 1885.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import (
    NUMBERLESS,
    STRONG,
    WEAK,
    Rules,
    Street,
    town_before_postcode,
)
from toponaut.places.addresses.fr import TYPES as FRENCH_TYPES
from toponaut.places.addresses.segments import NUMBER_BEFORE
from toponaut.places.gazetteer import Gazetteer

_PROVINCES = {
    "AB": "alberta|alta", "BC": "british columbia|colombie-britannique", "MB": "manitoba|man",
    "NB": "new brunswick|nouveau-brunswick", "NL": "newfoundland and labrador|newfoundland|terre-neuve|nfld", "NS": "nova scotia|nouvelle-écosse",
    "NT": "northwest territories|nwt", "NU": "nunavut", "ON": "ontario|ont", "PE": "prince edward island|île-du-prince-édouard|pei",
    "QC": "québec|quebec|qué|que|pq", "SK": "saskatchewan|sask", "YT": "yukon territory|yukon",
}  # fmt: skip
_PROVINCE = re.compile(
    r"(?<![\w.])\(?(?i:"
    + "|".join(rf"(?P<{code}>{code[0]}\.?{code[1]}|{names})" for code, names in _PROVINCES.items())
    + r")\.?\)?(?:[\s,]+Canada)?$"
)
_TYPES = (
    r"(?i:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Av\.?|Drive|Dr\.?|Lane|Ln\.?|Boulevard|Blvd\.?|Way"
    r"|Place|Pl\.?|Square|Sq\.?|Crescent|Cres\.?|Court|Ct\.?|Terrace|Highway|Hwy\.?|Line|Trail"
    r"|Parkway|Pkwy\.?|Circle|Gate|Grove|Heights|Hill|Mall|Row|Walk|Quay|Sideroad|Concession|Mews"
    r"|Close|Bay|Broadway)"
)
_POINT = r"(?:\s(?i:North|South|East|West|N|S|E|W|NE|NW|SE|SW|Nord|Sud|Est|Ouest|O)\.?)?"
_WORD = (
    r"(?:[^\W\d_a-z][\w.'’&-]*|\d{1,4}(?:st|nd|rd|th|e|ième)?|of|the|and|de|du|des|la|le|les"
    r"|d['’]\w+|l['’]\w+)"
)
_NUMBERED = re.compile(
    rf"(?<![\w.$-])(?:(?P<unit>(?:(?i:Suite|Ste\.?|Unit|Apt\.?"
    rf"|#)\s?)?\d{{1,5}}[A-Za-z]?)\s?[-–]\s?)?(?P<number>(?:One|Two|Three|Four|Five|Ten"
    rf"|\d{{1,6}})[A-Za-z]?(?:\s1/2)?)\s?,?\s(?P<street>(?:{FRENCH_TYPES}\s)?{_WORD}"
    rf"(?:\s{_WORD}){{0,6}})(?:[\s]+(?P<inside>(?:#|(?i:Suite|Unit|Apt\.?"
    rf"|bureau)\s)\s?\w{{1,6}}))?$"
)
_TYPED = re.compile(rf".*\s{_TYPES}(?:\s\d{{1,4}})?{_POINT}|{_TYPES}\s.*|{FRENCH_TYPES}\s.*")
_BOX = re.compile(
    r"(?i)(?:P\.?\s?O\.?\s?Box|C\.?P\.?|Case postale|R\.?R\.?|Station)\s?#?\s?\d{1,6}"
)
_UNIT = re.compile(
    r"#\s?\w{1,6}|(?i:Suite|Ste\.?|Unit|Apt\.?|Apartment|Room|Floor|Bureau|Local|App\.?"
    r"|Appartement|Étage|Building|Bay)\s?#?[\w-]{1,6}|(?i:\d{1,2}(?:st|nd|rd|th|e)|Ground|Main"
    r"|Second|Third)\s(?i:Floor|étage)"
)


def canadian_street(segment: str) -> Street | None:
    """A segment read as a street: "[...] 100 Queen Street West", "12, Rang Saint-Paul", "203-1885 Marine Drive"."""
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    found = _NUMBERED.search(segment)
    if found:
        typed = _TYPED.fullmatch(found["street"]) or re.fullmatch(_TYPES, found["street"])
        if typed or found.start() == 0:
            unit = found["unit"] or found["inside"] or ""
            return Street(
                found.start(),
                len(segment),
                found["number"],
                found["street"],
                unit,
                STRONG if typed else WEAK,
            )
    if re.fullmatch(rf"(?:[^\W\d_a-z][\w.'’-]*\s){{1,4}}{_TYPES}{_POINT}", segment):
        return Street(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


def _province(segment: str) -> tuple[str, int]:
    found = _PROVINCE.search(segment)
    return (found.lastgroup or "", len(segment) - found.start()) if found else ("", 0)


RULES = Rules(
    country="CA",
    postcode=re.compile(
        r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][\s-]?\d[ABCEGHJ-NPRSTV-Z]\d(?![\w-])"
    ),
    street=canadian_street,
    unit=_UNIT,
    passed=re.compile(r"(?i)Canada|Postal Code|Code postal|City|Ville|Province"),
    number=NUMBER_BEFORE,
    region=_province,
    localities=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Canadian addresses in a text, in its order."""
    return town_before_postcode(text, gazetteer, RULES)
