"""Addresses of Brazil: "Rua Augusta, 843 - Centro - São Paulo - SP - CEP 01305-100", the code before or after the town.

The table has no postcodes of Brazil; their form is hard to mistake, and a town that the gazetteer knows must stand by.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import Rules, postcode_before_town, town_before_postcode
from toponaut.places.addresses.pt import portuguese_street
from toponaut.places.gazetteer import Gazetteer

_STATES = "AC|AL|AP|AM|BA|CE|DF|ES|GO|MA|MT|MS|MG|PA|PB|PR|PE|PI|RJ|RN|RS|RO|RR|SC|SP|SE|TO"
_BEFORE_CODE = re.compile(rf"(?:^|(?<=[\s/(-]))(?P<state>{_STATES})\)?$")
_AFTER_TOWN = re.compile(rf"\s?[-–/,(]\s?(?P<state>{_STATES})\b\)?")
_LABELS = (
    r"(?i)CEP|C\.E\.P\.|Brasil|Brazil|(?:Bairro|B\.|Jd\.?|Jardim|Vila|Centro|Distrito)"
    r"(?:\s.{2,30})?"
)
_CODE = re.compile(r"\d{5}-\d{3}(?![\w-])|\d{2}\.\d{3}-\d{3}(?![\w-])")


def _state_before(segment: str) -> tuple[str, int]:
    found = _BEFORE_CODE.search(segment)
    if found is None:
        return "", 0
    return found["state"], len(segment) - len(segment[: found.start()].rstrip(" /(-"))


def _state_after(after: str) -> tuple[str, int]:
    found = _AFTER_TOWN.match(after)
    return (found["state"], found.end()) if found else ("", 0)


_TOWN_FIRST = Rules(
    country="BR",
    postcode=_CODE,
    street=portuguese_street,
    unit=re.compile(
        r"(?i)(?:sala|conj(?:unto|\.)?|cj\.?|andar|bloco|loja|apto?\.?)\s[\w-]{1,8}"
        r"|\d{1,2}\s?º\s?andar"
    ),
    passed=re.compile(_LABELS),
    region=_state_before,
    stated=True,
    localities=True,
)
_CODE_FIRST = Rules(
    country="BR",
    postcode=_CODE,
    street=portuguese_street,
    unit=_TOWN_FIRST.unit,
    passed=_TOWN_FIRST.passed,
    region=_state_after,
    label=re.compile(r"[-–|/]\s?"),
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Brazilian addresses in a text, in its order."""
    found = town_before_postcode(text, gazetteer, _TOWN_FIRST)
    others = [
        one
        for one in postcode_before_town(text, gazetteer, _CODE_FIRST)
        if all(one.end <= other.start or other.end <= one.start for other in found)
    ]
    return sorted([*found, *others], key=lambda one: one.start)
