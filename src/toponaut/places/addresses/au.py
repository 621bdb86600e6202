"""Addresses of Australia: "5/12 George Street, Parramatta NSW 2150". British streets, four digits behind a state.

"5/12" is unit 5 in number 12. Four digits are any number, so a state must stand before them.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import Rules, Street, town_before_postcode
from toponaut.places.addresses.gb import UNIT, british_street
from toponaut.places.addresses.segments import NUMBER_BEFORE
from toponaut.places.gazetteer import Gazetteer

_STATES = {
    "NSW": "n\\.s\\.w\\.|new south wales", "VIC": "victoria", "QLD": "queensland", "SA": "south australia",
    "WA": "western australia", "TAS": "tasmania", "NT": "northern territory", "ACT": "a\\.c\\.t\\.|australian capital territory",
}  # fmt: skip
_STATE = re.compile(
    r"(?<![\w.])(?:"
    + "|".join(rf"(?P<{code}>{code}|(?i:{names}))" for code, names in _STATES.items())
    + r")\.?$"
    r"|(?<![\w.])(?:(?P<vic>Vic)|(?P<qld>Qld)|(?P<tas>Tas))\.?$"
)
_BOX = re.compile(r"(?i)(?:(?:G?P\.?\s?O\.?\s?)Box|Locked Bag)\s?\d{1,6}")
_FLAT = re.compile(r"(?P<unit>\d{1,4}[A-Za-z]?)/(?P<number>\d.*)")


def australian_street(segment: str) -> Street | None:
    """A segment read as a street: "[...] 5/12 George Street", "GPO Box 1234"."""
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    street = british_street(segment)
    if street and (flat := _FLAT.fullmatch(street.number)):
        return Street(
            street.start, street.end, flat["number"], street.street, flat["unit"], street.strength
        )
    return street


def _state(segment: str) -> tuple[str, int]:
    found = _STATE.search(segment)
    return ((found.lastgroup or "").upper(), len(segment) - found.start()) if found else ("", 0)


RULES = Rules(
    country="AU",
    postcode=re.compile(r"\d{4}(?![\w-]|[.,]\d)"),
    street=australian_street,
    unit=UNIT,
    passed=re.compile(r"(?i)Australia|Postcode|Suburb|State|Town|City"),
    number=NUMBER_BEFORE,
    region=_state,
    stated=True,
    localities=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Australian addresses in a text, in its order."""
    return town_before_postcode(text, gazetteer, RULES)
