"""Addresses in a page's structured data: JSON-LD, microdata, RDFa, hCard and meta tags.

Every syntax gives nested maps from property names to lists of values. A map with a street, a town
or a postcode is an address, whatever its type. The nearest map around it with a name is its owner,
and gives phone, hours and point (owners/structured.py). Then

 * labels of forms, leftovers of templates and placeholders ("123 Main St, Anytown") are dropped;
 * parts in the wrong property (the town after the street, "Springfield, IL" as a town) are moved,
   and country and state become codes (properties.py, regions.py);
 * the street line is split by the country's convention (street_line.py).

An address that is one string ("address": "5151 Corporate Way, Jupiter, FL 33458") is returned as
`text` without parts: finder.py has it read by the text finders.
"""

import re
from itertools import chain
from typing import NamedTuple

import cython
from msgspec.structs import replace

from toponaut.places.addresses.merge import add_or_merge
from toponaut.places.addresses.owners.site_names import SiteNames
from toponaut.places.addresses.owners.structured import page_point, with_owner, with_point
from toponaut.places.addresses.regions import fold, state_code
from toponaut.places.addresses.structured import properties
from toponaut.places.addresses.structured.properties import Item
from toponaut.places.addresses.structured.street_line import split_street
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Page, StructuredItem

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Properties that may hold an address as one string.
_WHOLE = dict.fromkeys(("json-ld", "microdata", "rdfa"), ("address",)) | {"hcard": ("adr", "label")}
_OPEN_GRAPH = {
    **dict.fromkeys(("street-address", "street_address"), "streetAddress"),
    **dict.fromkeys(("postal-code", "postal_code"), "postalCode"),
    **dict.fromkeys(("country-name", "country_name"), "addressCountry"),
    "locality": "addressLocality",
    "region": "addressRegion",
    "phone_number": "telephone",
}
_MAX_DEPTH = 12  # as deep as parse/ reads
_SEARCHED = 50_000  # characters of an item that are searched: it may be the whole page
_AROUND = 200  # characters between the street and the other parts
_COMPLETE, _PARTIAL = 0.95, 0.6  # confidence with a town or postcode, and without


class _RawAddress(NamedTuple):
    """An address in a page's data, with the maps around it, the nearest first."""

    item: Item
    around: tuple[Item, ...]
    alone: bool  # the only address of its map: the map's point is its point
    source: StructuredItem


def find_structured(page: Page, gazetteer: Gazetteer, site: SiteNames) -> list[Address]:
    """The addresses in a page's structured data and meta tags, each once."""
    groups: dict[str, list[Address]] = {}  # of one street line
    given: list[_RawAddress] = []
    for source in (*page.structured, *_open_graph(page)):
        _walk(source.data, (), source, _MAX_DEPTH, given, True)
    for raw in given:
        address = _address(raw, page, gazetteer)
        if address is not None:
            line = fold(address.number + address.street) or fold(address.text)
            add_or_merge(groups.setdefault(line, []), address)
    if not groups:
        return []
    found = chain(*groups.values())
    named = [_of_site(one, site) for one in found]
    if len(named) == 1 and named[0].lat is None and (point := page_point(page)):
        return [with_point(named[0], point)]
    return named


def _of_site(address: Address, site: SiteNames) -> Address:
    """Without what the name has of a title; a directory's page is not the website of an entry."""
    name = site.shortened(address.organisation)
    own = address.website and (not site.is_of_site(address.website) or site.agrees(name))
    return replace(address, organisation=name, website=address.website if own else "")


@cython.cfunc
def _walk(
    item: dict[str, object],
    around: tuple[Item, ...],
    source: StructuredItem,
    depth: cython.int,
    found: list[_RawAddress],
    alone: cython.bint,
) -> cython.void:
    """Adds all maps and strings below that are addresses; `alone`: the item has no sisters."""
    if not properties.IS_ADDRESS.isdisjoint(item):
        found.append(_RawAddress(item, around, alone, source))
        return
    if item.get("@type") == ["adr"] and "name" in item:  # <p class="h-adr">1 Main St, Troy</p>
        found.append(_RawAddress({"address": item["name"]}, around, True, source))
        return
    whole: tuple[str, ...] = _WHOLE[source.syntax]
    for key, values in item.items():
        if not isinstance(values, list):
            continue
        alone = len(values) == 1
        for value in values:
            if isinstance(value, str):
                if key in whole:
                    raw = _RawAddress({"address": [value]}, (item, *around), alone, source)
                    found.append(raw)
            elif isinstance(value, dict) and depth:
                _walk(value, (item, *around), source, depth - 1, found, alone)


def _open_graph(page: Page) -> list[StructuredItem]:
    """The address in meta tags as an item like the others."""
    data: Item = {}
    for name, value in page.geo:
        family, _, key = name.rpartition(":")
        if family in ("og", "business:contact_data") and key in _OPEN_GRAPH:
            data.setdefault(_OPEN_GRAPH[key], [value])
    return [StructuredItem("rdfa", data)] if data else []


def _address(found: _RawAddress, page: Page, gazetteer: Gazetteer) -> Address | None:
    whole = properties.text_of(found.item, ("address",))
    if whole:
        return _unread(whole, found, page) if _may_be_address(whole) else None
    if not properties.has_street(found.item):  # only a town, as in most events and job offers
        return None
    parts = properties.parts_of(found.item, page.url, gazetteer)
    number, street, unit = line = split_street(parts.street, parts.country)
    if not street or not (number or parts.city) or properties.is_placeholder(number, street, parts):
        return None
    if not properties.is_street(number, street, parts.country):  # "Old Canal Park"
        return None
    if not parts.city and not parts.postcode and len(fold("".join(line))) < len(fold(parts.street)):
        return _unread(parts.street, found, page)  # the street's property has the whole address
    units = dict.fromkeys((unit, properties.text_of(found.item, properties.EXTENDED)))
    shown = [properties.text_of(found.item, properties.STREET), parts.city, parts.postcode]
    start, end = _locate(page.text, found.source, shown)
    address = Address(
        text=page.text[start:end] if start >= 0 else "",
        start=start,
        end=end,
        number=number,
        street=street,
        unit=", ".join(filter(None, units)),
        city=parts.city,
        state=_state(parts, gazetteer),
        postcode=parts.postcode,
        country=parts.country,
        evidence=(found.source.syntax,),
        confidence=_COMPLETE if parts.city or parts.postcode else _PARTIAL,
    )
    return with_owner(address, found.item, found.around, found.alone)


def _state(parts: properties.StructuredParts, gazetteer: Gazetteer) -> str:
    """The state as a code; in the US, what is none is dropped."""
    code = state_code(parts.region, parts.country, gazetteer) if parts.region else ""
    return "" if parts.country == "US" and len(code) != 2 else code


def _may_be_address(text: str) -> bool:
    if properties.is_junk(text) or "@" in text or "://" in text:
        return False
    return any(map(str.isdigit, text))


def _unread(text: str, found: _RawAddress, page: Page) -> Address:
    """An address as one string, for the text finders to read."""
    start, end = _locate(page.text, found.source, [text])
    address = Address(text, start, end, evidence=(found.source.syntax,), confidence=_PARTIAL)
    return with_owner(address, found.item, found.around, found.alone)


def _locate(text: str, source: StructuredItem, parts: list[str]) -> tuple[int, int]:
    """The span of the first part and of those others that are near it; (-1, -1) if not shown."""
    if source.start < 0 or not parts[0]:
        return -1, -1
    span = _find_part(text, parts[0], source.start, min(source.end, source.start + _SEARCHED))
    if span is None:
        return -1, -1
    first, last = span
    for part in filter(None, parts[1:]):
        after = _find_part(text, part, last, min(source.end, last + _AROUND))
        near = after or _find_part(text, part, max(source.start, first - _AROUND), first)
        if near is not None:
            first, last = min(first, near[0]), max(last, near[1])
    return first, last


def _find_part(text: str, part: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of a part, literally or with other white space between its words."""
    at = text.find(part, start, end)
    if at >= 0:
        return at, at + len(part)
    words = part.split()
    if len(words) < 2:
        return None
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text, start, end)
    return found.span() if found else None
