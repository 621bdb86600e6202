"""Addresses that a page gives as data: JSON-LD, microdata, RDFa, hCard and meta tags.

Whatever the syntax, parse/ hands over nested maps from property names to lists of values. So one walk serves
all: a map that has a street, a town or a postcode is an address, whatever type it claims; the nearest map
around it that bears a name is whose address it is, and gives telephone, hours and point (owners.py). Then

 * what is a form's label, a template's rest or a placeholder ("123 Main St, Anytown") is thrown away;
 * parts in the wrong property (the town again behind the street, "Springfield, IL" as a town) are put where
   they belong, and country and state become codes (properties.py, regions.py);
 * the street line is split by the country's convention (street_line.py).

An address that is one string ("address": "5151 Corporate Way, Jupiter, FL 33458") is returned with that
string as its `text` and without parts: reading it is the text finders' work, as are the normal form and the
place.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from toponaut.places.addresses.owners import page_point, with_owner, with_point
from toponaut.places.addresses.properties import (
    EXTENDED,
    IS_ADDRESS,
    STREET,
    Item,
    is_junk,
    is_placeholder,
    parts_of,
    text_of,
)
from toponaut.places.addresses.regions import fold, state_code
from toponaut.places.addresses.site import Site
from toponaut.places.addresses.spans import locate
from toponaut.places.addresses.street_line import split_street
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Page, StructuredItem

__all__ = ["find_structured", "page_point", "split_street"]

# Properties that may hold an address as one string.
_WHOLE = dict.fromkeys(("json-ld", "microdata", "rdfa"), ("address",)) | {"hcard": ("adr", "label")}
_OPEN_GRAPH = {
    "street-address": "streetAddress", "street_address": "streetAddress", "locality": "addressLocality",
    "region": "addressRegion", "postal-code": "postalCode", "postal_code": "postalCode",
    "country-name": "addressCountry", "country_name": "addressCountry", "phone_number": "telephone",
}  # fmt: skip
_MAX_DEPTH = 12  # as parse/ leaves it
_COMPLETE, _PARTIAL = 0.95, 0.6  # confidence: with a town or postcode, and without


class _Found(NamedTuple):
    """An address as it stands in a page's data, with the maps around it, the nearest first."""

    item: Item
    around: tuple[Item, ...]
    alone: bool  # the only address of the map that holds it: that map's point is its point
    source: StructuredItem


def find_structured(page: Page, gazetteer: Gazetteer) -> list[Address]:
    """The addresses in a page's structured data and meta tags, each once."""
    groups: dict[str, list[Address]] = {}  # of one street line
    for source in (*page.structured, *_open_graph(page)):
        for found in _walk(source.data, (), source, _MAX_DEPTH):
            address = _address(found, page, gazetteer)
            if address is not None:
                line = fold(address.number + address.street) or fold(address.text)
                _add(groups.setdefault(line, []), address)
    if not groups:
        return []
    site = Site(page)
    named = [
        replace(one, organisation=site.shortened(one.organisation))
        for one in chain(*groups.values())
    ]
    if len(named) == 1 and named[0].lat is None and (point := page_point(page)):
        return [with_point(named[0], point)]
    return named


# --- the walk ------------------------------------------------------------------------------------------


def _walk(
    item: Item, around: tuple[Item, ...], source: StructuredItem, depth: int
) -> Iterator[_Found]:
    """All maps below that are addresses, and all strings that stand for one."""
    if IS_ADDRESS & item.keys():
        yield _Found(item, around, True, source)
        return
    if (
        item.get("@type") == ["adr"] and "name" in item
    ):  # <p class="h-adr">1 Main Street, Springfield</p>
        yield _Found({"address": item["name"]}, around, True, source)
        return
    for key, values in item.items():
        for value in values if isinstance(values, list) else ():
            alone = isinstance(values, list) and len(values) == 1
            if isinstance(value, dict) and depth:
                for found in _walk(value, (item, *around), source, depth - 1):
                    yield found._replace(alone=alone) if found.item is value else found
            elif isinstance(value, str) and key in _WHOLE[source.syntax]:
                yield _Found({"address": [value]}, (item, *around), alone, source)


def _open_graph(page: Page) -> list[StructuredItem]:
    """The address in meta tags as an item like the others."""
    data: Item = {}
    for name, value in page.geo:
        family, _, key = name.rpartition(":")
        if family in ("og", "business:contact_data") and key in _OPEN_GRAPH:
            data.setdefault(_OPEN_GRAPH[key], [value])
    return [StructuredItem("rdfa", data)] if data else []


# --- one address ---------------------------------------------------------------------------------------


def _address(found: _Found, page: Page, gazetteer: Gazetteer) -> Address | None:
    whole = text_of(found.item, ("address",))
    if whole:
        return _unread(whole, found, page) if _may_be_address(whole) else None
    parts = parts_of(found.item, page.url, gazetteer)
    number, street, unit = line = split_street(parts.street, parts.country)
    if not street or not (number or parts.city) or is_placeholder(number, street, parts):
        return None
    if not parts.city and not parts.postcode and len(fold("".join(line))) < len(fold(parts.street)):
        return _unread(parts.street, found, page)  # the whole address in the street's property
    units = dict.fromkeys((unit, text_of(found.item, EXTENDED)))
    start, end = locate(
        page.text, found.source, [text_of(found.item, STREET), parts.city, parts.postcode]
    )
    address = Address(
        text=page.text[start:end] if start >= 0 else "",
        start=start,
        end=end,
        number=number,
        street=street,
        unit=", ".join(filter(None, units)),
        city=parts.city,
        state=state_code(parts.region, parts.country, gazetteer) if parts.region else "",
        postcode=parts.postcode,
        country=parts.country,
        evidence=(found.source.syntax,),
        confidence=_COMPLETE if parts.city or parts.postcode else _PARTIAL,
    )
    return with_owner(address, found.item, found.around, found.alone)


def _may_be_address(text: str) -> bool:
    return (
        not is_junk(text) and any(map(str.isdigit, text)) and "@" not in text and "://" not in text
    )


def _unread(text: str, found: _Found, page: Page) -> Address:
    """An address as one string, for the text finders to read."""
    start, end = locate(page.text, found.source, [text])
    address = Address(text, start, end, evidence=(found.source.syntax,), confidence=_PARTIAL)
    return with_owner(address, found.item, found.around, found.alone)


# --- the same address twice ----------------------------------------------------------------------------

_COMPARED = 50  # addresses of one street line: more are in no page that means it
_TOLD_APART_BY = ("unit", "city", "postcode")
_MERGED = ("unit", "city", "state", "postcode", "country", "organisation", "phone", "hours")


def _add(known: list[Address], new: Address) -> None:
    """Puts an address to those of the same street line, or into the one that it says again."""
    for k, old in enumerate(known[:_COMPARED]):
        if all(_compatible(getattr(old, part), getattr(new, part)) for part in _TOLD_APART_BY):
            known[k] = _merged(old, new)
            return
    known.append(new)


def _compatible(one: str, other: str) -> bool:
    return not one or not other or fold(one) == fold(other)


def _merged(old: Address, new: Address) -> Address:
    """The older one, with what it lacks from the newer, and both evidences."""
    fields: dict[str, object] = {part: getattr(old, part) or getattr(new, part) for part in _MERGED}
    if old.start < 0 <= new.start:
        fields |= {"text": new.text, "start": new.start, "end": new.end}
    if old.lat is None and new.lat is not None:
        fields |= {"lat": new.lat, "lon": new.lon, "precision": new.precision}
    evidence = tuple(dict.fromkeys(old.evidence + new.evidence))
    return replace(old, **fields, evidence=evidence, confidence=max(old.confidence, new.confidence))
