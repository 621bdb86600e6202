"""The owner of an address in text: the name near it, or the name of the site.

A wrong name is worse than none. So every possible name is weighed, in log-odds, by

  * its position (nearby_names.py): in the address's line, above it, in a heading, in a menu;
  * its form (name_form.py): legal forms, capitals, numbers, parts of an address, label words;
  * the page's own names (site_names.py): title, meta tags, copyright line, letters of the domain.

If the address is probably the site's own, the site's name is one more candidate; on a page about
something else (a directory's entry), its subject is. The best name that is not merely a place is
taken, if its odds are better than even.
"""

import re
from collections.abc import Sequence

import cython
from msgspec.structs import replace

from toponaut.places.addresses.contact.nearby import NO_CONTACT, ContactData, owner_domain
from toponaut.places.addresses.merge import is_same, street_line
from toponaut.places.addresses.owners.cards import without_place
from toponaut.places.addresses.owners.label_words import branch, is_label
from toponaut.places.addresses.owners.name_form import LEGAL_FORM, form_odds
from toponaut.places.addresses.owners.name_lines import RIVAL
from toponaut.places.addresses.owners.nearby_names import AddressSpot, NearbyNames, OwnerName
from toponaut.places.addresses.owners.site_names import SiteNames, spells
from toponaut.places.addresses.owners.structured import is_own_street, without_street
from toponaut.places.addresses.regions import fold
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.places.lazy_value import lazy_value
from toponaut.records import Address, Kind, Page, Place

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# One of the site's own names; a part of the title, which may be the page's subject.
AGREES, IN_TITLE = 3.0, 1.0
NEIGHBOUR = 1.0  # the owner of the previous address, if only a label comes between: "Mail to: ..."
# Whether an address is the site's own. One sign alone is not enough.
SOMEWHERE, ONLY_ONE, CONTACT_PAGE, BY_COPYRIGHT, LABELLED, IN_PROSE = -2.0, 1.3, 1.2, 1.2, 1.2, -3.0
# An e-mail or web address beside it: its domain spells a name, is the site's, or another one.
BY_CONTACT, OWN_CONTACT, OTHERS_CONTACT = 2.0, 1.0, -1.0
IN_FOOTER = 0.8  # the last lines of a long page are the site's
SUBJECT = 1.0  # what the page is about, of an address with a label: "Address: 8 Oak St"
# A name near the address with these odds is better than all that the page as a whole can give.
_BEYOND_PAGE = max(
    SUBJECT + LEGAL_FORM,
    SOMEWHERE + ONLY_ONE + CONTACT_PAGE + BY_COPYRIGHT + LABELLED + IN_FOOTER + OWN_CONTACT,
)

_NOBODY = OwnerName("", 0.0)
_FEW_LINES = 2  # street lines on a page about one thing
_NEAR = 300  # characters between an address and the copyright line of the same footer
_LONG, _FOOTER = 1000, 600  # characters of a page with a footer, and of the footer
_CONTACT_PAGE = re.compile(
    r"contact|kontakt|impressum|imprint|contatt|about|legal|mentions|location|find-?us|standort"
    r"|anfahrt",
    re.IGNORECASE,
)
_MUNICIPALITY = re.compile(r"(?:City|Town|Village|Borough|Township|County) of [A-Z]", re.I)
# A town's quarter, with the town's name: "Old East Dallas", "Downtown Denver".
_QUARTER_WORDS = frozenset(
    "old new north south east west central northeast northwest southeast southwest downtown "
    "midtown uptown upper lower inner near greater historic altstadt innenstadt nord ost".split()
)
_LOCATIVE = ("in", "near", "around", "bei", "à", "en")
_BROAD = frozenset({Kind.CONTINENT, Kind.COUNTRY, Kind.STATE})
_WORDS_OF_PLACE = 4  # at most
_KNOWN_TOWN = 15_000  # a larger town's bare name means the town
_LOCAL = (Kind.CITY, Kind.NEIGHBOURHOOD)
_NAMESAKES, _BESIDE = 20, 15.0  # of each name; km
_FAR = 300.0  # km


def _known_place(name: str, gazetteer: Gazetteer) -> Place | None:
    """The country, state or larger town that a name means."""
    if not _may_be_place(name, gazetteer):
        return None
    place = gazetteer.likeliest(name)
    if place is not None and (place.kind in _BROAD or place.population >= _KNOWN_TOWN):
        return place
    return None


def _is_town_beside(name: str, city: str, country: str, gazetteer: Gazetteer) -> bool:
    """Whether a name means a town or quarter near a town: a branch there."""
    index = gazetteer.names.lookup(name)
    if index < 0:
        return False
    here = [one for one in gazetteer.lookup(city)[:_NAMESAKES] if one.country == country]
    return any(
        one.country == country
        and one.kind in _LOCAL
        and great_circle_km(one.lat, one.lon, town.lat, town.lon) < _BESIDE
        for one in gazetteer.lookup(name)[:_NAMESAKES]
        for town in here
    )


def _may_be_place(name: str, gazetteer: Gazetteer) -> bool:
    """Whether the gazetteer has a name, or both of its parts: ten times as fast as `likeliest`."""
    lookup = gazetteer.names.lookup
    if "," in name or lookup(name) >= 0:
        return True
    words = name.split()
    for cut in range(1, len(words)):
        if lookup(" ".join(words[cut:])) >= 0 and lookup(" ".join(words[:cut])) >= 0:
            return True
    return False


def _without_street(one: OwnerName, address: Address) -> OwnerName:
    text = without_street(one.text, address)
    return one if text == one.text else replace(one, text=text)


class OwnerFinder:
    """The owners of one page's addresses, read on demand."""

    def __init__(
        self,
        page: Page,
        gazetteer: Gazetteer,
        site: SiteNames,
        addresses: Sequence[Address],
        given: Sequence[Address] = (),
    ) -> None:
        """`given`: the addresses of the page's structured data, whose owners are known."""
        self._page = page
        self._given: dict[str, list[Address]] = {}
        for one in given:
            if one.organisation and one.street and "json-ld" in one.evidence:
                self._given.setdefault(street_line(one), []).append(one)
        self._gazetteer = gazetteer
        self._lines = len({(one.number, one.street) for one in addresses})
        self._site = site
        self._nearby = NearbyNames(page, addresses, self._is_mere_place)

    def find(
        self, address: Address, floor: int, before: str = "", contact: ContactData = NO_CONTACT
    ) -> str:
        """The owner of an address; "" if none is likely.

        The previous address ends at `floor` and has the owner `before`.
        """
        if self._given:  # merge.py prefers the owner in JSON-LD: none in the text is needed
            for twin in self._given.get(street_line(address), ()):
                if is_same(twin, address) and (twin.unit or not address.unit):
                    return twin.organisation
        spot = self._nearby.spot(address, floor)
        nearby = self._nearby.names(spot)
        nearby = [_without_street(one, address) for one in nearby]
        domain = owner_domain(contact)
        names = [OwnerName(one.text, one.odds + self._agreement(one, domain)) for one in nearby]
        best = self._best(self._untitled(names), address)
        if best.odds >= _BEYOND_PAGE:
            return best.text
        others = self._untitled(self._of_page(spot, domain))
        if before and best.odds < NEIGHBOUR and self._continues(spot):
            others.append(OwnerName(before, NEIGHBOUR))
        other = self._best(others, address)
        return other.text if other.odds > best.odds else best.text  # of equals the nearest

    def _untitled(self, names: list[OwnerName]) -> list[OwnerName]:
        titles = self._site.titles
        return [one for one in names if fold(one.text) not in titles] if titles else names

    def _best(self, names: list[OwnerName], address: Address) -> OwnerName:
        """The likeliest name that is not merely a place, the first of equals."""
        likely = sorted((one for one in names if one.odds > 0), key=lambda one: -one.odds)
        named = (one for one in likely if not self._is_mere_place(one.text, address))
        return next(named, _NOBODY)

    @property
    def alone(self) -> bool:
        """Whether the page has one address, once or several times."""
        return self._lines == 1

    def website(self, name: str) -> str:
        """The site's front page, if it is the site of that organisation."""
        if not name or not self._site.agrees(name):
            return ""
        scheme, _, rest = self._page.url.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}/" if scheme in ("http", "https") else ""

    def _agreement(self, name: OwnerName, domain: str) -> float:
        if name.odds + AGREES <= 0 or form_odds(name.text, small=True) <= RIVAL:
            return 0.0  # too little to matter; "Contact the Acme Team" contains the name only
        if self._site.agrees(name.text):
            return 0.0 if name.is_far else AGREES  # a far heading is the page's, not the address's
        if domain and not name.is_far and spells(domain, name.text):
            return BY_CONTACT
        return IN_TITLE * self._site.is_in_title(name.text)

    def _of_page(self, spot: AddressSpot, domain: str) -> list[OwnerName]:
        """The site's name or the page's subject, with the odds that the address is theirs."""
        in_footer = spot.start > max(_LONG, len(self._page.text) - _FOOTER)
        subject = "" if self._is_contact_page else self._site.subject
        if subject and in_footer:
            if self._is_dated(spot):
                return []
            subject = ""  # the last lines are the site's
        if subject:  # a page about something else: the site may be a directory
            return self._of_subject(subject, spot)
        own = self._own_odds(spot, domain) + IN_FOOTER * in_footer
        if own + LABELLED <= 0 or self._is_about_street(spot):
            return []
        name = self._site.name_with(domain)
        return [OwnerName(name.text, min(name.odds, own + LABELLED * self._is_labelled(spot)))]

    def _of_subject(self, subject: str, spot: AddressSpot) -> list[OwnerName]:
        """The page's subject, if an address with a label is all that it has."""
        if spot.prose or self._lines > _FEW_LINES or fold(subject) not in fold(self._page.title):
            return []
        if self._is_about_street(spot) or not self._is_labelled(spot) or self._is_dated(spot):
            return []
        return [OwnerName(subject, SUBJECT + form_odds(subject))]

    def _is_about_street(self, spot: AddressSpot) -> bool:
        """Whether the heading is the street: a directory's page about that address."""
        heading = self._site.heading
        return heading is not None and is_own_street(
            self._page.text[heading.start : heading.end], spot.address
        )

    def _is_labelled(self, spot: AddressSpot) -> bool:
        label = self._nearby.label(spot)
        return is_label(label) or self._is_mere_place(label, spot.address)

    def _is_dated(self, spot: AddressSpot) -> bool:
        """Whether a date comes between the heading and an address."""
        heading = self._site.heading
        return heading is not None and self._nearby.is_dated(heading.end, spot)

    def _own_odds(self, spot: AddressSpot, domain: str) -> float:
        """The odds that an address is that of the site."""
        own = SOMEWHERE + ONLY_ONE * self.alone + IN_PROSE * spot.prose
        own += CONTACT_PAGE * self._is_contact_page
        own += BY_COPYRIGHT * any(abs(spot.start - at) < _NEAR for _, at in self._site.holders)
        if domain and self._site.domain:
            is_own = domain == self._site.domain
            is_own = is_own or spells(domain, self._site.name_with(domain).text)
            own += OWN_CONTACT if is_own else OTHERS_CONTACT
        return own

    def _continues(self, spot: AddressSpot) -> bool:
        """Whether only a label comes between an address and the previous one."""
        label = spot.prefix.strip(" ,;:|•·●-–—")
        between = self._page.text[spot.floor : spot.line_start].strip()
        return not between and (is_label(label) or self._is_mere_place(label, spot.address))

    def _is_mere_place(self, name: str, address: Address) -> bool:
        """Whether a name is only a place ("Europe"), a branch ("Shop Düsseldorf"), a list of those
        in the town, or the street itself.
        """
        city = address.city
        if city and city in name and not _MUNICIPALITY.match(name):
            if any(f" {word} {city}" in name for word in _LOCATIVE):
                return True  # "Lamp Shops in Troy, New York" heads a list
            rest = without_place(name, address)
            if not rest or is_label(rest) or _QUARTER_WORDS.issuperset(rest.lower().split()):
                return True
            if name.startswith(f"{city}-") and " " not in name:
                return True
        if is_own_street(name, address):
            return True
        if not name[:1].isupper() or name.count(" ") >= _WORDS_OF_PLACE or self._site.agrees(name):
            return False
        return self._is_place(branch(name) or name, address)

    def _is_place(self, name: str, address: Address) -> bool:
        city, known = address.city, self._gazetteer.remembered
        place = known(_known_place, name)
        if place is not None and not (place.kind is Kind.COUNTY and self._is_far(place, address)):
            return True
        return bool(city) and known(_is_town_beside, name, city, address.country)

    def _is_far(self, place: Place, address: Address) -> bool:
        """Whether a place is too far to be meant: the St. James Parish of another state."""
        point = self._gazetteer.point(address.place) if address.place else None
        return point is not None and great_circle_km(place.lat, place.lon, *point) > _FAR

    @lazy_value
    def _is_contact_page(self) -> bool:
        """Whether the page is the front page or a contact page, by its title or path.

        A page without a host is a file: one of these, as far as is known.
        """
        path = "".join(self._page.url.split("/", 3)[3:])
        if not path or not self._site.domain:
            return True
        return bool(_CONTACT_PAGE.search(f"{self._page.title} {path}"))
