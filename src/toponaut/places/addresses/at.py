"""Addresses of Austria: German streets, four-digit postcodes, stairs and doors behind the house number ("12/3/14").

Four digits are as often a year, so the town must agree with the postcode.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import Rules, postcode_before_town
from toponaut.places.addresses.de import RULES as GERMAN
from toponaut.places.addresses.german import german_street
from toponaut.places.gazetteer import Gazetteer

RULES = Rules(
    country="AT",
    postcode=re.compile(r"[1-9]\d{3}(?=[\s,]{1,3}[^\W\d_])"),
    prefix=re.compile(r"(?<!\w)AT?\s?[-–]?\s?$"),
    street=german_street,
    unit=GERMAN.unit,
    passed=re.compile(rf"{GERMAN.passed.pattern}|Österreich|Austria|A"),
    town_tail=GERMAN.town_tail,
    label=GERMAN.label,
    strict=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Austrian addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
