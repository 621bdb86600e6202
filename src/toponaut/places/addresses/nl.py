"""Addresses of the Netherlands: "Herengracht 12 hs, 1015 BK Amsterdam"; four digits and two letters are hard to mistake."""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import STRONG, WEAK, Rules, Street, postcode_before_town
from toponaut.places.gazetteer import Gazetteer

_NUMBER = (
    r"\d{1,5}(?:\s?(?:hs|bis|huis|[a-zA-Z])(?![\w.]))?(?:\s?[-–/]\s?(?:\d{1,4}\s?[a-zA-Z]?"
    r"|[IVX]+|[a-zA-Z]{1,2}|hs|huis|bis)(?!\w))?"
)
_AT_END = re.compile(rf"[\s,]+(?:(?:nr|no)\.?\s?)?(?P<number>{_NUMBER})$")
_TYPES = (
    "straat|str.|weg|laan|plein|gracht|kade|singel|dijk|dreef|hof|markt|pad|plantsoen|steeg|wal"
    "|baan|park|haven|burgwal|boulevard|allee|poort|brug|veld|eiland|ring|oord|berg|werf|ln.|pln."
)
_TYPED = re.compile(rf"(?i).*(?:{_TYPES.replace('.', '[.]')})")
_PARTICLE = re.compile(
    r"(?i:van|de|der|den|het|'t|’t|ten|ter|te|op|aan|in|la|le|du)|['’]s-?\w*|\d+e|[A-Z]\.|\(.*\)"
)
_LED = re.compile(r"\b(?:aan|op|in|bij|naar)\s(?:de|het|den)\s|\b(?:aan|op|in|bij)\s")
_BOX = re.compile(r"(?i)Postbus\s?\d{1,6}")


def dutch_street(segment: str) -> Street | None:
    """A segment read as a street: "[... aan de] Oudegracht 25"."""
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    segment = re.sub(r"\s(?:in|te)$", "", segment)
    number = _AT_END.search(segment)
    if number is None:
        return None
    head = segment[: number.start()]
    for led in _LED.finditer(head):  # in a sentence the name follows "aan de", "op het", "in de"
        if _is_name(head[led.end() :]):
            return Street(led.end(), len(segment), number["number"], head[led.end() :])
    words = [match.span() for match in re.finditer(r"\S+", head)]
    for first in range(max(0, len(words) - 5), len(words)):
        name = head[words[first][0] :]
        filled = first == 0 or not head[words[first - 1][0]].isupper()
        if _is_name(name) and filled:
            typed = _TYPED.fullmatch(name)
            if typed or first == 0:
                return Street(
                    words[first][0],
                    len(segment),
                    number["number"],
                    name,
                    strength=STRONG if typed else WEAK,
                )
    last = head[words[-1][0] :] if words else ""
    if _is_name(last) and _TYPED.fullmatch(last):
        return Street(words[-1][0], len(segment), number["number"], last)
    return None


def _is_name(name: str) -> bool:
    """Up to five words, capitals but for particles: "Prins Hendrikkade", "Laan van Meerdervoort"."""
    words = name.split()
    if not 0 < len(words) <= 5 or re.search(r"[@:%€]|\d{5}|\b0\d", name):
        return False
    capital = name[0].isupper() or name[0] in "'’" or name[0].isdigit()
    return capital and all(
        word[0].isupper() or _PARTICLE.fullmatch(word) or word.isdigit() for word in words
    )


RULES = Rules(
    country="NL",
    postcode=re.compile(r"[1-9]\d{3}\s?(?!SA|SD|SS)[A-Z]{2}(?![\w-])"),
    prefix=re.compile(r"(?<!\w)NL\s?[-–]?\s?$"),
    street=dutch_street,
    unit=re.compile(
        r"(?i)(?:unit|gebouw|kamer|etage|verdieping|toren|hal|ingang|appartement|suite"
        r"|bg)\s?[\w.]{1,6}|\d{1,2}(?:e|de|ste)\s(?:verdieping|etage)|begane grond"
    ),
    passed=re.compile(r"(?i)Postcode|Plaats|Woonplaats|Adres|Nederland|The Netherlands|in|te"),
    label=re.compile(r"(?:Plaats|Woonplaats)\s?:?\s{0,3}"),
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Dutch addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
