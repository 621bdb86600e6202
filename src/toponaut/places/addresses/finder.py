"""All addresses of a page.

    text -> candidates (one finder a country) -> town and state completed from the page (home.py, complete.py)
    structured data -> addresses (structured.py)
    both -> one list, each address once (merge.py) -> organisation, telephone, point, normal form, confidence

A street for which neither the address nor the page names a town is kept only where the page treats it as an address:
in an <address> element, behind a label, or with a telephone number beside it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from toponaut.places.addresses import (
    at,
    au,
    br,
    ca,
    ch,
    de,
    es,
    europe,
    fr,
    gb,
    it,
    nl,
    pt,
    ru,
    us,
)
from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.complete import complete
from toponaut.places.addresses.home import Homes
from toponaut.places.addresses.merge import merge
from toponaut.places.addresses.normal import normal_form
from toponaut.places.addresses.organisation import Owners
from toponaut.places.addresses.phone import phone_near
from toponaut.places.addresses.signs import possible_countries
from toponaut.places.addresses.structured import find_structured
from toponaut.places.addresses.us.spots import spots_of
from toponaut.places.addresses.us.towns import Towns
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Mark, Mention, Page, Precision

Find = Callable[[str, Gazetteer], list[Candidate]]

# Of other countries than the United States, whose finder is always asked.
FINDERS: dict[str, Find] = {
    "CA": ca.find, "GB": gb.find, "DE": de.find, "AT": at.find, "CH": ch.find,
    "FR": fr.find, "NL": nl.find, "PT": pt.find, "IT": it.find, "ES": es.find, "AU": au.find, "BR": br.find, "RU": ru.find,
    **europe.FINDERS,
}  # fmt: skip
_FAR_KM = 60.0  # as in us/towns.py: 99.6 % of ZIP codes lie nearer to a town that they serve
_BEST_KNOWN = 3  # times the people of the next town of the name
_DIGIT = re.compile(r"\d")
_LABELLED = re.compile(r"(?:address|location|adresse|anschrift|addr)\W{0,3}$", re.IGNORECASE)


class AddressFinder:
    """Holds what it looks things up in; the same page gives the same addresses."""

    def __init__(self, gazetteer: Gazetteer, names: NameFinder) -> None:
        self._gazetteer = gazetteer
        self._names = names
        self._towns = Towns(gazetteer)

    def find(self, page: Page, mentions: Sequence[Mention] | None = None) -> list[Address]:
        """The addresses of a page: those in its text in order, then those in its data only.

        `mentions`: the place names of the page, if the caller has found them already.
        """
        candidates = self._candidates(page.text, page.language)
        given = find_structured(page, self._gazetteer)
        titled = self._in_title(page)
        if not (candidates or given or titled):  # as on nine of ten pages
            return []
        homes = Homes(page, self._gazetteer, self._names, candidates, mentions)
        towns = self._towns
        completed = [complete(candidate, homes, towns) for candidate in candidates]
        completed = [
            one for one in completed if one.city or one.country != "US" or not homes.is_elsewhere
        ]
        found = self._in_text(page, completed)
        found += [
            _completed(address, homes, towns)
            for one in given
            if (address := self._read(one)) is not None
        ]
        found += _without_span([complete(candidate, homes, towns) for candidate in titled])
        return [self._finished(address) for address in merge(found)]

    # --- text --------------------------------------------------------------------------------------------

    def _candidates(self, text: str, language: str) -> list[Candidate]:
        """Of all countries, in order; of those that overlap the one believed most."""
        spots = spots_of(text)
        found = us.find(text, self._gazetteer, spots, self._towns)
        others = possible_countries(text, language, spots)
        if others:
            found += [
                one
                for code, find in FINDERS.items()
                if code in others
                for one in find(text, self._gazetteer)
            ]
        kept: list[Candidate] = []
        for candidate in sorted(found, key=lambda one: (one.start, one.end)):
            if kept and candidate.start < kept[-1].end:
                kept[-1] = max(
                    kept[-1], candidate, key=lambda one: (one.confidence, one.end - one.start)
                )
            else:
                kept.append(candidate)
        return kept

    def _in_text(self, page: Page, candidates: Sequence[Candidate]) -> list[Address]:
        if not candidates:
            return []
        found = []
        owners = Owners(
            page, self._gazetteer, len({(one.number, one.street) for one in candidates})
        )
        elements = [mark for mark in page.marks if mark.tag == "address"]
        floor, name = 0, ""
        for k, candidate in enumerate(candidates):
            ceiling = candidates[k + 1].start if k + 1 < len(candidates) else len(page.text)
            phone = phone_near(
                page.text, candidate.start, candidate.end, floor, ceiling, candidate.country
            )
            inside = _is_inside(elements, candidate)
            if (
                candidate.city
                or candidate.postcode
                or phone.number
                or inside
                or _is_labelled(page.text, candidate)
            ):
                name = owners.of(candidate.start, floor, candidate.city, name)
                evidence = ("text", "address") if inside else ("text",)
                address = _from_candidate(
                    candidate, page.text[candidate.start : candidate.end], evidence
                )
                found.append(replace(address, organisation=name, phone=phone.number))
            floor = max(candidate.end, phone.end)
        return found

    def _in_title(self, page: Page) -> list[Candidate]:
        """Those with a town in the title or the description."""
        said = f"{page.title}\n{page.description}"
        if not _DIGIT.search(said):
            return []
        return [candidate for candidate in self._candidates(said, page.language) if candidate.city]

    # --- structured data ---------------------------------------------------------------------------------

    def _read(self, address: Address) -> Address | None:
        """An address that the data gives as one string, taken apart; None if it is none."""
        if address.street or address.city:
            return address
        candidates = self._candidates(address.text, "")
        if not candidates:
            return None
        read = _from_candidate(
            candidates[0], address.text if address.start >= 0 else "", address.evidence
        )
        return replace(
            read,
            start=address.start,
            end=address.end,
            organisation=address.organisation,
            phone=address.phone,
            hours=address.hours,
            lat=address.lat,
            lon=address.lon,
            precision=address.precision,
        )

    # --- what every address gets -------------------------------------------------------------------------

    def _finished(self, address: Address) -> Address:
        address = replace(address, place=address.place or self._place(address))
        if address.lat is None:
            address = self._located(address)
        parts = (
            address.number,
            address.street,
            address.unit,
            address.city,
            address.state,
            address.postcode,
        )
        return replace(address, normal=normal_form(*parts, address.country))

    def _place(self, address: Address) -> int:
        if address.country == "US" and address.city and address.state:
            return self._towns.place(address.city, address.state, address.postcode)
        area = (
            self._gazetteer.postcode(address.country, address.postcode)
            if address.postcode
            else None
        )
        return area.place if area else 0

    def _located(self, address: Address) -> Address:
        """With the centre of the postcode's area, else the middle of the town.

        Where both lie far apart, one is wrong, and a town's name is less often mistyped than a number, or misplaced.
        """
        area = (
            self._gazetteer.postcode(address.country, address.postcode)
            if address.postcode
            else None
        )
        town = self._gazetteer.point(address.place) if address.place else None
        if area is not None and (
            town is None or great_circle_km(area.lat, area.lon, *town) < _FAR_KM
        ):
            return replace(
                address,
                lat=round(area.lat, 5),
                lon=round(area.lon, 5),
                precision=Precision.POSTCODE,
            )
        if town is not None:
            return replace(address, lat=town[0], lon=town[1], precision=Precision.CITY)
        return address


def _from_candidate(candidate: Candidate, text: str, evidence: tuple[str, ...]) -> Address:
    return Address(
        text=text,
        start=candidate.start,
        end=candidate.end,
        number=candidate.number,
        street=candidate.street,
        unit=candidate.unit,
        city=candidate.city,
        state=candidate.state,
        postcode=candidate.postcode,
        country=candidate.country,
        place=candidate.place,
        evidence=evidence,
        inferred=candidate.inferred,
        confidence=candidate.confidence,
    )


def _without_span(candidates: Sequence[Candidate]) -> list[Address]:
    """Of the title or the description; where the text has the same address, its span is known (merge.py)."""
    whole = [one for one in candidates if one.state or one.postcode]
    return [replace(_from_candidate(one, "", ("text",)), start=-1, end=-1) for one in whole]


def _completed(address: Address, homes: Homes, towns: Towns) -> Address:
    """A structured address without town, completed as one in text is."""
    if address.city or address.postcode:
        return _stated(address, towns)
    parts = (address.number, address.street, address.unit, "", address.state)
    candidate = Candidate(
        address.start, address.end, address.country or "US", *parts, confidence=address.confidence
    )
    done = complete(candidate, homes, towns)
    return replace(
        address,
        city=done.city,
        state=done.state,
        country=done.country,
        place=done.place,
        inferred=done.inferred,
        confidence=done.confidence,
    )


def _stated(address: Address, towns: Towns) -> Address:
    """A structured US address that leaves out the state of a town, with that of the one well-known town of the name."""
    if address.country != "US" or address.state or address.postcode:
        return address
    named = [town for town in towns.named(address.city) if town.own]
    if not named or (len(named) > 1 and named[0].population < _BEST_KNOWN * named[1].population):
        return address
    inferred = (*address.inferred, "state")
    return replace(address, state=named[0].state, place=named[0].place, inferred=inferred)


def _is_inside(elements: Sequence[Mark], candidate: Candidate) -> bool:
    """Whether the candidate stands in one of the <address> elements, which are in order."""
    index = bisect_right(elements, candidate.start, key=lambda mark: mark.start) - 1
    return index >= 0 and candidate.start < elements[index].end


def _is_labelled(text: str, candidate: Candidate) -> bool:
    return bool(_LABELLED.search(text[max(0, candidate.start - 20) : candidate.start]))
