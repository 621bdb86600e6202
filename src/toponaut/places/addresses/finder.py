"""All addresses of a page.

    text -> candidates (one finder per country) -> town and state completed (home_town.py)
    structured data -> addresses (structured/)
    both -> one list, each address once (merge.py) -> organisation, phone, point, normal form

If neither the address nor the page names a town, a street is kept only if the page treats it as an
address: in an <address> element, after a label, or with a phone number near it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from toponaut.places.addresses import us
from toponaut.places.addresses.contact.categories import category
from toponaut.places.addresses.contact.nearby import ContactFinder
from toponaut.places.addresses.contact.phones import international
from toponaut.places.addresses.countries import (
    cyrillic,
    english,
    europe,
    german_speaking,
    romance,
)
from toponaut.places.addresses.countries.rules import FindAddresses
from toponaut.places.addresses.country_signs import possible_countries
from toponaut.places.addresses.home_town import HomeTowns, complete
from toponaut.places.addresses.merge import merge
from toponaut.places.addresses.normal import normal_form
from toponaut.places.addresses.owners.finder import OwnerFinder
from toponaut.places.addresses.owners.site_names import SiteNames
from toponaut.places.addresses.regions import country_of_host
from toponaut.places.addresses.structured.find import find_structured
from toponaut.places.addresses.structured.properties import StructuredParts, is_placeholder
from toponaut.places.addresses.us.spots import spots_of
from toponaut.places.addresses.us.towns import NEAR_KM, UsTowns
from toponaut.places.addresses.world.country_choice import PageSigns
from toponaut.places.addresses.world.find import find_world
from toponaut.places.addresses.world.town import TownReader
from toponaut.places.gazetteer.gazetteer import Gazetteer, Postcode, great_circle_km
from toponaut.places.names.finder import NameFinder
from toponaut.records import OWNER_PARTS, Address, Mark, Mention, Page, Precision

_BY_COUNTRY = english.FINDERS | german_speaking.FINDERS | romance.FINDERS | europe.FINDERS
_BY_COUNTRY["RU"] = cyrillic.find_cyrillic
# All countries but the United States. Of equal candidates the first country wins.
_ORDER = "CA GB DE AT CH FR NL PT IT ES AU BR RU PL CZ SK HU SE DK NO FI BE"
FINDERS: dict[str, FindAddresses] = {code: _BY_COUNTRY[code] for code in _ORDER.split()}
# Characters that are searched, about 300 printed pages: they take up to 1 s.
MOST_TEXT = 1_000_000
_BEST_KNOWN = 3  # a town is well known with this many times the population of the next namesake
_US_LANGUAGES = frozenset({"", "en", "es"})  # of pages whose streets may be in the United States
_REST = 70  # characters of a line after a street that may name its country
_DIGIT = re.compile(r"\d")
_LABELLED = re.compile(r"(?:address|location|adresse|anschrift|addr)\W{0,3}$", re.IGNORECASE)


class AddressFinder:
    """Finds addresses; the same page always gives the same addresses."""

    def __init__(self, gazetteer: Gazetteer, names: NameFinder) -> None:
        self._gazetteer = gazetteer
        self._names = names
        self._towns = UsTowns(gazetteer)
        self._world = TownReader(gazetteer)
        # The pages of a site give the same addresses.
        self._in_string = lru_cache(maxsize=1024)(self._first)

    def find(self, page: Page, mentions: Sequence[Mention] | None = None) -> list[Address]:
        """The addresses of a page: those in its text in order, then those only in its data.

        `mentions`: the place names of the page, if the caller has found them already.
        """
        candidates = self._candidates(
            page.text[:MOST_TEXT], PageSigns(page.language, country_of_host(page.url))
        )
        site = SiteNames(page)
        given = find_structured(page, self._gazetteer, site)
        titled = self._in_title(page)
        if not (candidates or given or titled):  # as on nine of ten pages
            return []
        homes = HomeTowns(page, self._gazetteer, self._names, candidates, mentions)
        found = [complete(candidate, homes, self._towns) for candidate in candidates]
        found = [one for one in found if not _is_example(one)]
        if any(map(_is_guess, found)) and (  # the page's own town takes time to find
            page.language not in _US_LANGUAGES or homes.is_elsewhere
        ):
            found = [one for one in found if not _is_guess(one)]
        found = self._in_text(page, site, _without_names(found, given), given)
        read = (self._read(one) for one in given)
        found += [self._completed(one, homes) for one in read if one is not None]
        titled = [complete(candidate, homes, self._towns) for candidate in titled]
        found += [
            replace(one, start=-1, end=-1, evidence=("text",))  # merge.py adds the span, if shown
            for one in titled
            if one.state or one.postcode
        ]
        return [self._finished(address) for address in merge(found)]

    def _candidates(self, text: str, signs: PageSigns) -> list[Address]:
        """Candidates of all countries, in order; of overlapping ones the most believable."""
        spots = spots_of(text)
        found = us.find(text, self._gazetteer, spots, self._towns)
        found = [self._abroad(text, one) for one in found]
        others = possible_countries(text, signs.language, spots)
        if others:
            for code, find in FINDERS.items():
                if code in others:
                    found += find(text, self._gazetteer)
        taken = sorted((one.start, one.end) for one in found if one.number and _is_placed(one))
        found = _with_world(found, find_world(text, self._world, signs, taken))
        kept: list[Address] = []
        for candidate in sorted(found, key=lambda one: (one.start, one.end)):
            if kept and candidate.start < kept[-1].end:
                candidate = max(kept.pop(), candidate, key=_belief)
            kept.append(candidate)
        return kept

    def _abroad(self, text: str, one: Address) -> Address:
        """An American candidate, in the country that ends its line: "Downtown, Cairo, Egypt"."""
        if one.state or one.postcode:
            return one
        stop = text.find("\n", one.end, one.end + _REST)
        line = text[one.end : stop if stop >= 0 else one.end + _REST]
        country = self._world.countries.ending(line.rstrip(" :"))
        if country in ("", "US"):
            return one
        return replace(one, country=country, city="", place=0)

    def _in_text(
        self,
        page: Page,
        site: SiteNames,
        candidates: Sequence[Address],
        given: Sequence[Address],
    ) -> list[Address]:
        """The candidates that are believed, with text, evidence, organisation and phone."""
        if not candidates:
            return []
        found = []
        owners = OwnerFinder(page, self._gazetteer, site, candidates, given)
        contacts = ContactFinder(page, alone=owners.alone)
        elements = [mark for mark in page.marks if mark.tag == "address"]
        floor, name = 0, ""
        for k, one in enumerate(candidates):
            ceiling = candidates[k + 1].start if k + 1 < len(candidates) else len(page.text)
            contact = contacts.find(one, floor, ceiling)
            inside = _is_inside(elements, one)
            placed = one.city or one.postcode or contact.phone or inside
            if placed or _LABELLED.search(page.text[max(0, one.start - 20) : one.start]):
                name = owners.find(one, floor, name, contact)
                address = replace(
                    one,
                    text=page.text[one.start : one.end],
                    evidence=("text", "address") if inside else ("text",),
                    organisation=name,
                    phone=contact.phone,
                    hours=contact.hours,
                    website=contact.website or owners.website(name),
                    email=contact.email,
                )
                found.append(address)
            floor = max(one.end, contact.end)
        return found

    def _in_title(self, page: Page) -> list[Address]:
        """Candidates with a town in the title or the description."""
        head = f"{page.title}\n{page.description}"
        if not _DIGIT.search(head):
            return []
        return [
            candidate
            for candidate in self._candidates(head, PageSigns(page.language))
            if candidate.city
        ]

    def _first(self, text: str) -> Address | None:
        return next(iter(self._candidates(text, PageSigns())), None)

    def _read(self, address: Address) -> Address | None:
        """An address given as one string, split into parts; None if it is not an address."""
        if address.street or address.city:
            return address
        first = self._in_string(address.text)
        if first is None:
            return None
        return replace(
            first,
            text=address.text if address.start >= 0 else "",
            start=address.start,
            end=address.end,
            **{part: getattr(address, part) for part in OWNER_PARTS},
            lat=address.lat,
            lon=address.lon,
            precision=address.precision,
            evidence=address.evidence,
        )

    def _completed(self, address: Address, homes: HomeTowns) -> Address:
        """With the town of the page, or the state of a well-known town."""
        if not address.city and not address.postcode:
            if address.lat is not None and address.lon is not None:
                return self._at_point(address, address.lat, address.lon)
            country = address.country or homes.country
            return complete(replace(address, country=country), homes, self._towns)
        if address.country != "US" or address.state or address.postcode:
            return address
        named = [town for town in self._towns.named(address.city) if town.own]
        if not named:
            return address
        if len(named) > 1 and named[0].population < _BEST_KNOWN * named[1].population:
            return address
        inferred = (*address.inferred, "state")
        return replace(address, state=named[0].state, place=named[0].place, inferred=inferred)

    def _at_point(self, address: Address, lat: float, lon: float) -> Address:
        """With the town at its own coordinates."""
        place, km = self._gazetteer.nearest(lat, lon)[0]
        if km > NEAR_KM or (address.country and address.country != place.country):
            return address
        state = place.admin1 if place.country == "US" else ""
        inferred = (*address.inferred, "city", "state") if state else (*address.inferred, "city")
        town = {"city": place.name, "state": state, "country": place.country, "place": place.id}
        return replace(address, inferred=inferred, **town)

    def _finished(self, address: Address) -> Address:
        """With place, point and normal form, category and international phone number."""
        place = address.place or self._place(address)
        lat, lon, precision = address.lat, address.lon, address.precision
        if lat is None:
            lat, lon, precision = self._point(address, place)
        line = (address.number, address.street, address.unit)
        area = (address.city, address.state, address.postcode, address.country)
        return replace(
            address,
            place=place,
            lat=lat,
            lon=lon,
            precision=precision,
            category=category(address.category, address.organisation),
            phone=international(address.phone, address.country) if address.phone else "",
            normal=normal_form(*line, *area),
        )

    def _place(self, address: Address) -> int:
        if address.country == "US" and address.city and address.state:
            return self._towns.place(address.city, address.state, address.postcode)
        area = self._area(address)
        return area.place if area else 0

    def _area(self, address: Address) -> Postcode | None:
        if not address.postcode:
            return None
        return self._gazetteer.postcode(address.country, address.postcode)

    def _point(self, address: Address, place: int) -> tuple[float | None, float | None, Precision]:
        """The centre of the postcode's area, else the centre of the town.

        If both are far apart, the town counts: its name is mistyped less often than a number.
        """
        area = self._area(address)
        town = self._gazetteer.point(place) if place else None
        if town and (not area or great_circle_km(area.lat, area.lon, *town) >= NEAR_KM):
            return *town, Precision.CITY
        if area is None:
            return None, address.lon, address.precision
        return round(area.lat, 5), round(area.lon, 5), Precision.POSTCODE


def _with_world(found: list[Address], world: list[Address]) -> list[Address]:
    """The candidates of the countries' own finders, then those of the world beside them.

    A country's own finder is the more careful one; but a street without its number, or whose town
    is still to be inferred, gives way.
    """
    kept = sorted(found, key=lambda one: one.start)
    starts = [one.start for one in kept]
    for one in world:
        first = bisect_left(starts, one.start)
        first -= first > 0 and kept[first - 1].end > one.start
        rivals = [other for other in kept[first:] if other.start < one.end]
        if all(_gives_way(other, one) for other in rivals):
            found = [other for other in found if other not in rivals] + [one]
    return found


def _is_guess(one: Address) -> bool:
    """Whether nothing but its form says that a street is in the United States."""
    return one.country == "US" and not one.postcode and (not one.city or "city" in one.inferred)


def _without_names(found: list[Address], given: list[Address]) -> list[Address]:
    """Without the words before a street, where the page marks its start: "Acme [Oak Lane 2]"."""
    marked = [one for one in given if one.start >= 0 and one.street]
    for k, one in enumerate(found if marked else ()):
        for other in marked:
            inside = one.start < other.start < one.end
            if inside and one.street.endswith(f" {other.street}"):
                found[k] = replace(one, street=other.street, start=other.start)
    return found


def _is_placed(one: Address) -> bool:
    """Whether a town was read, or a postcode that no other country has."""
    return bool(one.city or (one.postcode and one.country != "US"))


def _gives_way(one: Address, other: Address) -> bool:
    if not one.number and other.number and one.street.endswith(other.number):
        return True
    return not _is_placed(one)


def _is_example(one: Address) -> bool:
    """Whether a template's example was left in the page: "Musterstraße 1, 12345 Musterstadt"."""
    parts = StructuredParts(one.street, one.city, one.state, one.postcode, one.country)
    return is_placeholder(one.number, one.street, parts)


def _belief(candidate: Address) -> tuple[float, int]:
    return candidate.confidence, candidate.end - candidate.start


def _is_inside(elements: Sequence[Mark], candidate: Address) -> bool:
    """Whether the candidate is in one of the sorted <address> elements."""
    index = bisect_right(elements, candidate.start, key=lambda mark: mark.start) - 1
    return index >= 0 and candidate.start < elements[index].end
