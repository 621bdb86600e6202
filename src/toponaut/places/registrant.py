"""The place of a domain's owner, from an RDAP answer (RFC 9083).

An answer lists people with their roles; each has a jCard (RFC 7095) with an address. The registrant
counts, else the administrative contact (Kozanidis, Stamou and Spyros 2009 read the admin-c of
WHOIS, see whois.py). There is no place if the answer hides the city, as most do today, or if a
privacy service replaces the owner: the country alone says nothing about a page.
"""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct

from toponaut.places.cities import country_code, find_city
from toponaut.places.gazetteer import Gazetteer

ROLES = ("registrant", "administrative")  # whose address counts, in this order
_DEEPEST = 4  # entities contain entities; real answers have two levels
# Companies that register domains for others: "Domains By Proxy, LLC" (Tempe), "Withheld for Privacy
# ehf" (Reykjavik), "WhoisGuard" (Panama), "Identity Protection Service", "Contact Privacy Inc.".
_PRIVACY_SERVICE = re.compile(
    r"privacy|private|proxy|redacted|withheld|whoisguard|protect|not disclosed|masked",
    re.IGNORECASE,
)
_NAMES = frozenset({"fn", "org", "n"})
_CITY, _STATE, _POSTCODE, _COUNTRY = 3, 4, 5, 6  # of a jCard's address (RFC 6350, 6.3.1)
_LINE = re.compile(r"\s*[\r\n]+\s*|\s*,\s*")


class Contact(Struct, frozen=True):
    """An address of an answer; missing parts are ""."""

    city: str = ""
    state: str = ""
    postcode: str = ""
    country: str = ""  # code or name
    lines: tuple[str, ...] = ()  # of an address given as a label


def place_of_owner(gazetteer: Gazetteer, answer: object) -> int:
    """The id of the city of a domain's owner; 0 if the answer does not show it."""
    contacts = (contact for role in ROLES for contact in contacts_of(answer, role))
    return next(filter(None, (place_of_contact(gazetteer, contact) for contact in contacts)), 0)


def place_of_contact(gazetteer: Gazetteer, contact: Contact) -> int:
    """By city, state and country; else by the postcode; else by a label's line that is a city."""
    code = country_code(gazetteer, contact.country) if contact.country else ""
    if contact.city and (place := find_city(gazetteer, contact.city, code, contact.state)):
        return place
    known = gazetteer.postcode(code, contact.postcode) if code and contact.postcode else None
    if known and known.place:
        return known.place
    countries = (country_code(gazetteer, line) for line in contact.lines[:0:-1])
    code = code or next(filter(None, countries), "")
    # From the end: country, postcode and city come last, and a street may have a city's name.
    lines = reversed(contact.lines) if code else ()
    found = (find_city(gazetteer, _letters(line), code) for line in lines)
    return next(filter(None, found), 0)


def hides_owner(name: str) -> bool:
    """Whether a contact is a service that registers domains for others, or is left out."""
    return bool(_PRIVACY_SERVICE.search(name))


def contacts_of(answer: object, role: str) -> Iterator[Contact]:
    """The addresses of all contacts with a role, except privacy services."""
    for entity in _entities(answer, _DEEPEST):
        roles, card = entity.get("roles"), entity.get("vcardArray")
        if not (isinstance(roles, list) and role in roles):
            continue
        if not (isinstance(card, list) and len(card) == 2 and isinstance(card[1], list)):
            continue
        fields = [field for field in card[1] if _is_field(field)]
        if any(hides_owner(_flat(field[3])) for field in fields if field[0] in _NAMES):
            continue
        yield from (_contact(field) for field in fields if field[0] == "adr")


def _entities(answer: object, depth: int) -> Iterator[Mapping[str, object]]:
    """All entities of an answer, including nested ones."""
    known = cast(Mapping[str, object], answer) if isinstance(answer, Mapping) else {}
    listed = known.get("entities")
    for entity in listed if isinstance(listed, list) and depth else ():
        if isinstance(entity, Mapping):
            yield cast(Mapping[str, object], entity)
            yield from _entities(entity, depth - 1)


def _is_field(field: object) -> bool:
    """A property of a jCard: name, parameters, type, value."""
    return isinstance(field, list) and len(field) >= 4 and isinstance(field[0], str)


def _contact(field: list[object]) -> Contact:
    """An address, by its parts or, where they are empty, by its label (RFC 9083, 5.1)."""
    parameters = cast(Mapping[str, object], field[1]) if isinstance(field[1], Mapping) else {}
    parts = [_flat(part) for part in field[3]] if isinstance(field[3], list) else []
    parts += [""] * (_COUNTRY + 1 - len(parts))
    country = _flat(parameters.get("cc")) or parts[_COUNTRY]  # RFC 8605: the country's code
    label = "" if any(parts[:_COUNTRY]) else _flat(parameters.get("label"))
    lines = tuple(filter(None, _LINE.split(label.strip())))[:12]
    return Contact(parts[_CITY], parts[_STATE], parts[_POSTCODE], country, lines)


def _flat(value: object) -> str:
    """A value as text; some components are lists."""
    if isinstance(value, list):
        return " ".join(filter(None, map(_flat, value)))
    return value.strip() if isinstance(value, str) else ""


def _letters(line: str) -> str:
    """A line without words that contain digits: "26122 Oldenburg" -> "Oldenburg"."""
    return " ".join(word for word in line.split() if not any(sign.isdigit() for sign in word))
