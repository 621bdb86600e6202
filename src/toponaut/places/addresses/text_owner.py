"""The owner of an address in text: the name near it, or the name of the site.

A wrong name is worse than none. So every possible name is weighed, in log-odds, by

  * its position (nearby_names.py): in the address's line, above it, in a heading, in a menu;
  * its form (name_form.py): legal forms, capitals, numbers, parts of an address, label words;
  * the page's own names (site_names.py): title, meta tags, copyright line, letters of the domain.

If the address is probably the site's own, the site's name is one more candidate. The best name that
is not merely a place is taken, if its odds are better than even.
"""

import re
from functools import cached_property

from toponaut.places.addresses.label_words import is_label
from toponaut.places.addresses.name_form import form_odds
from toponaut.places.addresses.nearby_names import RIVAL, AddressSpot, NearbyNames, OwnerName
from toponaut.places.addresses.site_names import SiteNames
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Page

# One of the site's own names; a part of the title, which may be the page's subject.
AGREES, IN_TITLE = 3.0, 1.0
NEIGHBOUR = 1.0  # the owner of the previous address, if only a label comes between: "Mail to: ..."
# Whether an address is the site's own. One sign alone is not enough.
SOMEWHERE, ONLY_ONE, CONTACT_PAGE, BY_COPYRIGHT, LABELLED, IN_PROSE = -2.0, 1.3, 1.2, 1.2, 1.2, -3.0
IN_FOOTER = 0.8  # the last lines of a long page are the site's

_NEAR = 300  # characters between an address and the copyright line of the same footer
_LONG, _FOOTER = 1000, 600  # characters of a page with a footer, and of the footer
_CONTACT_PAGE = re.compile(
    r"contact|kontakt|impressum|imprint|contatt|about|legal|mentions|location|find-?us|standort"
    r"|anfahrt",
    re.IGNORECASE,
)
_BROAD = frozenset({Kind.CONTINENT, Kind.COUNTRY, Kind.STATE})
_WORDS_OF_PLACE = 4  # at most
_KNOWN_TOWN = 15_000  # a larger town's bare name means the town


class OwnerFinder:
    """The owners of one page's addresses, read on demand."""

    def __init__(self, page: Page, gazetteer: Gazetteer, addresses: int) -> None:
        self._page = page
        self._gazetteer = gazetteer
        self._only_one = addresses == 1
        self._nearby = NearbyNames(page)
        self._site = SiteNames(page)

    def find(self, start: int, floor: int, city: str, before: str = "") -> str:
        """The owner of the address in `city` that begins at `start`; "" if none is likely.

        The previous address ends at `floor` and has the owner `before`.
        """
        spot = self._nearby.spot(start, floor)
        nearby = self._nearby.names(spot, lambda name: self._is_mere_place(name, city))
        names = [OwnerName(one.text, one.odds + self._agreement(one)) for one in nearby]
        names.append(self._site_name(spot, city))
        if before and self._continues(spot, city):
            names.append(OwnerName(before, NEIGHBOUR))
        # Of equals the nearest wins: the sort is stable.
        likely = sorted((one for one in names if one.odds > 0), key=lambda one: -one.odds)
        return next((one.text for one in likely if not self._is_mere_place(one.text, city)), "")

    def _agreement(self, name: OwnerName) -> float:
        if name.odds + AGREES <= 0 or form_odds(name.text, small=True) <= RIVAL:
            return 0.0  # too little to matter; "Contact the Acme Team" contains the name only
        if self._site.agrees(name.text):
            return 0.0 if name.is_far else AGREES  # a far heading is the page's, not the address's
        return IN_TITLE * self._site.is_in_title(name.text)

    def _site_name(self, spot: AddressSpot, city: str) -> OwnerName:
        """The site's name, with the odds that it is known and that the address is the site's."""
        own = SOMEWHERE + ONLY_ONE * self._only_one
        own += CONTACT_PAGE * self._is_contact_page
        own += IN_PROSE * spot.prose
        own += BY_COPYRIGHT * any(abs(spot.start - at) < _NEAR for _, at in self._site.holders)
        own += IN_FOOTER * (spot.start > max(_LONG, len(self._page.text) - _FOOTER))
        if own + LABELLED <= 0 or self._site.name.odds <= 0:
            return OwnerName("", min(own, 0.0))
        label = self._nearby.label(spot)
        own += LABELLED * (is_label(label) or self._is_mere_place(label, city))
        return OwnerName(self._site.name.text, min(self._site.name.odds, own))

    def _continues(self, spot: AddressSpot, city: str) -> bool:
        """Whether only a label comes between an address and the previous one."""
        label = spot.prefix.strip(" ,;:|•·●-–—")
        between = self._page.text[spot.floor : spot.line_start].strip()
        return not between and (is_label(label) or self._is_mere_place(label, city))

    def _is_mere_place(self, name: str, city: str) -> bool:
        """Whether a name is only a place ("Europe") or a branch by its town ("Shop Düsseldorf")."""
        if city and city in name and (name == city or is_label(name.replace(city, ""))):
            return True
        if city and name.startswith(f"{city}-") and " " not in name:
            return True
        if not name[:1].isupper() or name.count(" ") >= _WORDS_OF_PLACE or self._site.agrees(name):
            return False
        place = self._gazetteer.likeliest(name)
        return place is not None and (place.kind in _BROAD or place.population >= _KNOWN_TOWN)

    @cached_property
    def _is_contact_page(self) -> bool:
        """Whether the page is the front page or a contact page, by its title or path."""
        path = "".join(self._page.url.split("/", 3)[3:])
        return not path or bool(_CONTACT_PAGE.search(f"{self._page.title} {path}"))
