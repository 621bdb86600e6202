"""What counts as a change of a page: a change of its facts, not of its bytes.

The facts are the addresses with who is there, phone and hours; the title without its digits (dates,
counters, prices); and signs that the place is closed. They are one digest of 64 bits. The main text
counts if its simhash differs by more bits than menus, dates and advertisements change.
"""

import re

from xxhash import xxh3_64_intdigest

from toponaut.gate.flood import CLOSE
from toponaut.gate.simhash import distance
from toponaut.places.addresses.normal import plain
from toponaut.records import Address, JudgedPage
from toponaut.watch.signs import closed_sign

_DIGITS = re.compile(r"[\d\W_]+")
_PARTS = "\x1f"


def facts_of(judged: JudgedPage) -> int:
    """The digest of a page's facts; never 0."""
    page = judged.page
    title = _DIGITS.sub(" ", page.title.casefold()).strip()
    sign = closed_sign(page.title, page.text, judged.addresses)
    parts = [title, sign.kind if sign else "", *sorted(map(fact_line, judged.addresses))]
    return xxh3_64_intdigest("\n".join(parts).encode("utf-8", "surrogatepass")) or 1


def fact_line(address: Address) -> str:
    """The facts of an address, the same for all spellings."""
    parts = (address.normal, plain(address.organisation), address.phone, address.hours)
    return _PARTS.join(parts)


def is_same(facts: int, simhash: int, before: tuple[int, int]) -> bool:
    """Whether a page has the facts, and mostly the text, of an earlier visit.

    `before`: its digest and its simhash then; a digest of 0 is not known.
    """
    digest, text = before
    return digest in (0, facts) and distance(simhash, text) <= CLOSE
