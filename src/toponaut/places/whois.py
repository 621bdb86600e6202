"""The place of a domain's owner, from a WHOIS answer (RFC 3912).

WHOIS prescribes no format. Registries write one of two. Most label every line with a role
("Registrant City: Lisbon"). Those of RIPE's kind write blocks, where the block of the domain names
its people by handles ("admin-c: JU1") and their blocks have "address:" lines. As for RDAP, the
registrant counts, else the administrative contact (Kozanidis, Stamou and Spyros 2009 read admin-c).
"""

import re
from collections.abc import Iterator, Sequence

from toponaut.places.addresses.lazy_pattern import lazy_pattern
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.registrant import Contact, hides_owner, place_of_contact

_ROLES = ("registrant", "admin")  # the first words of labels, in the order in which they count
_HANDLES = ("holder-c", "registrant-c", "org", "holder", "registrant", "admin-c")
_OWN_HANDLE = ("nic-hdl", "nic-hdl-br", "contact", "organisation", "registrar-id")
_COMMENTS = ("%", "#", ">>>", "--")
_LINE = lazy_pattern(r"\[?([A-Za-z][\w/ .-]{0,60}?)[\].]*\s*:\s*(.*)")
_REFERRALS = ("registrar whois server", "whois server", "refer", "whois")
_HOST = lazy_pattern(
    r"(?:[a-z]+://)?([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+(?::\d{1,5})?)/?", re.IGNORECASE
)
_MOST_LINES = 2_000
_MOST_ADDRESS_LINES = 12

_Block = Sequence[tuple[str, str]]  # labels in lower case, and values


def place_of_whois(gazetteer: Gazetteer, answer: str) -> int:
    """The id of the city of a domain's owner; 0 if the answer does not show it."""
    found = (place_of_contact(gazetteer, contact) for contact in whois_contacts(answer))
    return next(filter(None, found), 0)


def whois_contacts(answer: str) -> Iterator[Contact]:
    """The addresses of the registrant, then of the administrative contact."""
    blocks = _blocks(answer)
    lines = [line for block in blocks for line in block]
    for role in _ROLES:
        yield from _labelled(lines, role)
    people = {value.lower(): block for block in blocks for label, value in block[::-1]
              if label in _OWN_HANDLE}  # fmt: skip
    for handle in _HANDLES:
        for label, value in lines:
            if label == handle and (block := people.get(value.lower())):
                yield from _of_block(block)


def referral(answer: str) -> str:
    """The server, with its port if it is named, that knows more about a domain; "" if none is."""
    lines = [line for block in _blocks(answer) for line in block]
    for wanted in _REFERRALS:
        for label, value in lines:
            if label == wanted and (host := _HOST.fullmatch(value)):
                return host[1].lower()
    return ""


def _blocks(answer: str) -> list[_Block]:
    """The labelled lines of an answer, parted at empty lines."""
    blocks: list[list[tuple[str, str]]] = [[]]
    for line in answer.splitlines()[:_MOST_LINES]:
        text = line.strip()
        if not text:
            blocks.append([])
        elif not text.startswith(_COMMENTS) and (match := _LINE.match(text)):
            blocks[-1].append((match[1].strip().lower(), match[2].strip()))
    return [block for block in blocks if block]


def _labelled(lines: _Block, role: str) -> Iterator[Contact]:
    """Of "Registrant City: Lisbon" and the like."""
    parts: dict[str, str] = {}
    for label, value in lines:
        first, _, rest = label.partition(" ")
        if value and first.startswith(role) and rest:
            parts.setdefault(rest.removeprefix("contact "), value)
    names = parts.get("organization", ""), parts.get("organisation", ""), parts.get("name", "")
    if parts and not any(map(hides_owner, names)):
        state = parts.get("state/province", "") or parts.get("state", "")
        postcode = parts.get("postal code", "") or parts.get("postcode", "")
        country = parts.get("country", "") or parts.get("country code", "")
        yield Contact(parts.get("city", ""), state, postcode, country)


def _of_block(block: _Block) -> Iterator[Contact]:
    """Of a person or an organisation, whose address is in lines or in parts."""
    parts = dict(reversed(block))  # the first of each
    if any(hides_owner(parts.get(name, "")) for name in ("person", "name", "org-name", "role")):
        return
    lines = tuple(value for label, value in block if label in ("address", "street") and value)
    country = parts.get("country", "") or parts.get("countrycode", "")
    postcode = parts.get("postalcode", "") or parts.get("postal code", "")
    city = parts.get("city", "")
    if city or lines:
        yield Contact(city, parts.get("state", ""), postcode, country, lines[:_MOST_ADDRESS_LINES])
