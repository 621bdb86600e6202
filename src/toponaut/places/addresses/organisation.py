"""Whose an address is: the name beside it, or the name of the site.

A wrong name is worse than none. So all that could be the name is weighed, in log-odds, by

  * where it stands (beside.py): in the address's line, right above it, beyond empty lines; as a heading, in a menu;
  * how it reads (name_form.py): legal forms, capitals, numbers, parts of an address, words of labels and menus;
  * whether the page calls itself so (site.py): title, meta tags, copyright line, the letters of the domain.

Where the address is likely the site's own (the only one, on a contact page, by the copyright line, below "Head office"),
the site's name is one more candidate. The best that is no mere place is taken, if its odds are better than even.
"""

import re
from functools import cached_property

from toponaut.places.addresses.beside import RIVAL, Beside, Name, Spot
from toponaut.places.addresses.furniture import is_label
from toponaut.places.addresses.name_form import form_odds
from toponaut.places.addresses.site import Site
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Page

AGREES, IN_TITLE = (
    3.0,
    1.0,
)  # one of the site's own names; a part of the title, which may be what the page is about
NEIGHBOUR = 1.0  # the owner of the address before, where only a label parts the two: "Mail to: ..."
# Whether an address is the site's own. One sign alone is not enough.
SOMEWHERE, ONLY_ONE, CONTACT_PAGE, BY_COPYRIGHT, LABELLED, IN_PROSE = -2.0, 1.3, 1.2, 1.2, 1.2, -3.0
IN_FOOTER = 0.8  # the last lines of a long page are the site's, on every page

_NEAR = 300  # characters between an address and the copyright line of the same footer
_LONG, _FOOTER = 1000, 600  # characters of a page that has a footer, and of that
_CONTACT_PAGE = re.compile(
    r"contact|kontakt|impressum|imprint|contatt|about|legal|mentions|location|find-?us|standort"
    r"|anfahrt",
    re.IGNORECASE,
)
_BROAD = frozenset({Kind.CONTINENT, Kind.COUNTRY, Kind.STATE})
_WORDS_OF_PLACE = 4  # at most
_KNOWN_TOWN = 15_000  # people of a town whose bare name is taken for the town


class Owners:
    """Whose the addresses of one page are. Nothing is read before somebody asks."""

    def __init__(self, page: Page, gazetteer: Gazetteer, addresses: int) -> None:
        self._page = page
        self._gazetteer = gazetteer
        self._only_one = addresses == 1
        self._beside = Beside(page)
        self._site = Site(page)

    def of(self, start: int, floor: int, city: str, before: str = "") -> str:
        """The owner of the address in `city` that begins at `start`, "" where nobody is likely.

        Nothing before `floor`, where the address before ends, is looked at; that one is of `before`.
        """
        spot = self._beside.spot(start, floor)
        beside = self._beside.names(spot, lambda name: self._is_mere_place(name, city))
        names = [Name(one.text, one.odds + self._agreement(one)) for one in beside]
        names.append(self._site_name(spot, city))
        if before and self._continues(spot, city):
            names.append(Name(before, NEIGHBOUR))
        likely = sorted(
            (one for one in names if one.odds > 0), key=lambda one: -one.odds
        )  # of equals the nearest
        return next((one.text for one in likely if not self._is_mere_place(one.text, city)), "")

    def _agreement(self, name: Name) -> float:
        if name.odds + AGREES <= 0 or form_odds(name.text, small=True) <= RIVAL:
            return 0.0  # it could not help; "Contact the Acme Team" says the name, but is none
        if self._site.agrees(name.text):
            return (
                0.0 if name.is_far else AGREES
            )  # the site's name up there heads the page, not the address
        return IN_TITLE * self._site.is_in_title(name.text)

    def _site_name(self, spot: Spot, city: str) -> Name:
        """The name of the site: it must be known, and the address must be the site's."""
        own = (
            SOMEWHERE
            + ONLY_ONE * self._only_one
            + CONTACT_PAGE * self._is_contact_page
            + IN_PROSE * spot.prose
        )
        own += BY_COPYRIGHT * any(abs(spot.start - at) < _NEAR for _, at in self._site.holders)
        own += IN_FOOTER * (spot.start > max(_LONG, len(self._page.text) - _FOOTER))
        if own + LABELLED <= 0 or self._site.name.odds <= 0:
            return Name("", min(own, 0.0))
        label = self._beside.label(spot)
        own += LABELLED * (is_label(label) or self._is_mere_place(label, city))
        return Name(self._site.name.text, min(self._site.name.odds, own))

    def _continues(self, spot: Spot, city: str) -> bool:
        """Nothing but a label stands between an address and the one before."""
        label = spot.prefix.strip(" ,;:|•·●-–—")
        between = self._page.text[spot.floor : spot.line_start].strip()
        return not between and (is_label(label) or self._is_mere_place(label, city))

    def _is_mere_place(self, name: str, city: str) -> bool:
        """ "Europe", "San Francisco", or a branch by its town or quarter: "Shop Düsseldorf", "Dresden-Altstadt"."""
        if city and city in name and (name == city or is_label(name.replace(city, ""))):
            return True
        if city and name.startswith(f"{city}-") and " " not in name:
            return True
        if not name[:1].isupper() or name.count(" ") >= _WORDS_OF_PLACE or self._site.agrees(name):
            return False
        places = [
            self._gazetteer.place_at(row) for row in self._gazetteer.rows_named(name)[:1].tolist()
        ]
        return any(place.kind in _BROAD or place.population >= _KNOWN_TOWN for place in places)

    @cached_property
    def _is_contact_page(self) -> bool:
        """A page where a site gives its address: the front page, or one that says so by its title or path."""
        path = "".join(self._page.url.split("/", 3)[3:])
        return not path or bool(_CONTACT_PAGE.search(f"{self._page.title} {path}"))
