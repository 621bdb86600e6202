"""Addresses of Italy: "Via Verdi, 8 - 10124 Torino (TO)". The type comes first, the province may follow the town."""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import Rules, postcode_before_town
from toponaut.places.addresses.streets import type_first
from toponaut.places.gazetteer import Gazetteer

TYPES = (
    r"via|viale|v\.le|vicolo|piazza|p\.?zza|p\.za|piazzale|p\.?le|piazzetta|corso|c\.so|largo"
    r"|l\.go|contrada|c\.da|strada|str\.|salita|riva|lungomare|lungotevere|lungarno"
    r"|lungo\s[\w']+|borgo|galleria|circonvallazione|località|loc\.|frazione|fraz\.|calle|campo"
    r"|fondamenta|traversa|rione|zona\sindustriale|z\.i\.|rotonda|bastioni|foro|ponte|molo"
)
_UNIT = (
    r"(?:[Ii]nt(?:erno|\.)|[Ss]cala|[Pp]iano|[Pp]al(?:azzina|\.))\s\w{1,6}"
    r"|[\dIVX]{1,3}\s?°\s?[Pp]iano|[Pp]iano terra"
)
_BOX = re.compile(r"(?i)(?:casella postale|c\.p\.)\s?(?:n\.?\s?)?\d[\d ]{0,6}")
_PROVINCE = re.compile(r"\s?[(,-]?\s?\(?([A-Z]{2})\b\)?")


def _province(after: str) -> tuple[str, int]:
    found = _PROVINCE.match(after)
    return (found[1], found.end()) if found else ("", 0)


RULES = Rules(
    country="IT",
    postcode=re.compile(r"\d{5}(?=[\s,]{1,3}[^\W\d_])"),
    prefix=re.compile(r"(?<!\w)(?:IT?\s?[-–]\s?|CAP\s?:?\s?)$"),
    street=type_first(TYPES, _UNIT, _BOX, "a|in"),
    unit=re.compile(_UNIT),
    passed=re.compile(
        rf"(?i:CAP|Città|Comune|Indirizzo|Italia|Italy|a|in)|{_BOX.pattern.removeprefix('(?i)')}"
    ),
    region=_province,
    strict=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Italian addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
