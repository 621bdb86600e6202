"""Paths of pages. A page has a role and a number, and its path can be parsed back to both.

    /                                  the front page
    /contact.html, /kontakt/           the contact page; also about, imprint, links
    /guitar/chorus-label-12.html       page 12
    /directory/texas/houston-c3/       a directory's page for the city of rank 3, or a chain's
    /directory/houston/pizza-k37.html  a list of sites
    /stores/houston-t25.html           a store

A path that differs from the site's own spelling is a 404, or a redirect if the page was there once.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from toponaut.synthetic import words
from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.passing import PassingCities
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import LISTS, SiteKind, SyntheticSite, SyntheticSites
from toponaut.synthetic.world import SyntheticCity, SyntheticWorld, slug_of


class Role(StrEnum):
    """The role of a page in its site; short ones are part of its path."""

    HOME, CONTACT, ABOUT, IMPRINT, LINKS = "home", "contact", "about", "imprint", "links"
    PAGE, STATE, CITY, LIST, STORE, CALENDAR = "", "s", "c", "k", "t", "calendar"


CATEGORY_NAMES = tuple(words.TRADES)  # lists of a directory for each city
CATEGORIES = len(CATEGORY_NAMES)
STORES = 8  # of a chain in one city, at most

_LAST = re.compile(r"[-/]([sckt]?)(\d{1,9})(?:\.html?|\.php|/)?$")
_QUERY = re.compile(r"(?:^|&)id=(\d{1,9})(?:&|$)")
_CALENDAR = re.compile(r"/calendar/(\d{4})/(\d{2})")

_ENDINGS = (".html", "/", ".php", ".htm")


class PageSpot(NamedTuple):
    """A page of a site."""

    role: Role
    number: int


class SitePaths:
    def __init__(
        self, world: SyntheticWorld, sites: SyntheticSites, settings: SyntheticSettings
    ) -> None:
        self._world = world
        self._sites = sites
        self.passing = PassingCities(world, sites, settings)
        self._misleading = round(1024 * settings.misleading)
        self._vocabularies = words.vocabularies()
        self._slugs = {key: tuple(map(slug_of, known)) for key, known in self._vocabularies.items()}

    def vocabulary(self, site: SyntheticSite) -> tuple[str, ...]:
        """The words of a site's titles and paths."""
        return self._vocabularies[site.language, site.subject]

    def title_words(self, site: SyntheticSite, number: int) -> tuple[str, str, str]:
        known, draw = self._vocabularies[site.language, site.subject], mix(site.key, 1000 + number)
        count = len(known)
        return known[draw % count], known[(draw >> 16) % count], known[(draw >> 32) % count]

    def misleading_name(self, site: SyntheticSite, number: int, draw: int = 0) -> str:
        """A name in a page's title that contains a city but does not mean it; mostly ""."""
        draw = draw or mix(site.key, 1000 + number)
        if site.is_local or (draw >> 48 & 1023) >= self._misleading:
            return ""
        return words.MISLEADING[(draw >> 4) % len(words.MISLEADING)]

    def city_in_path(self, site: SyntheticSite, role: Role, number: int) -> SyntheticCity | None:
        """The city that a page's path names."""
        if role in (Role.CITY, Role.LIST, Role.STORE) and not site.is_local:
            return None if self._numbered_stores(site) else self.city_of(role, number)
        if role == Role.PAGE and self._numbered(site):
            return None
        if site.is_local and role in (Role.PAGE, Role.LIST):
            guide = site.kind is SiteKind.GUIDE and (site.key ^ number * 0x9E3779B1) >> 7 & 3 == 0
            return site.home if site.city_in_path or guide else None
        return self.passing.in_title(site, number) if role == Role.PAGE else None

    def _numbered_stores(self, site: SyntheticSite) -> bool:
        """Whether a chain's paths have the number of a city or store, without its name."""
        return site.kind is SiteKind.CHAIN and self._numbered(site)

    def _numbered(self, site: SyntheticSite) -> bool:
        """Whether paths of pages have no words."""
        return (site.style >> 2) % 5 == 2

    def city_of(self, role: Role, number: int) -> SyntheticCity:
        """The city of a directory's or a chain's page."""
        per_city = {Role.CITY: 1, Role.LIST: CATEGORIES, Role.STORE: STORES}[role]
        return self._world.cities[number // per_city]

    def stores(self, site: SyntheticSite, city: SyntheticCity) -> int:
        """The number of stores of a chain in a city; mostly 0 in small towns."""
        expected = city.people / 90_000 * (0.3 + unit(site.key, 60))
        return min(int(expected + unit(mix(site.key, city.place), 61)), STORES)

    def lists(self, site: SyntheticSite) -> int:
        """How many lists of other sites a local site has."""
        return 4 + self._sites.size(site) // 12 if site.kind in LISTS else 0

    def exists(self, site: SyntheticSite, role: Role, number: int) -> bool:
        if role == Role.PAGE:
            return 1 <= number < self._sites.size(site)
        if role == Role.LIST and site.is_local:
            return 0 <= number < self.lists(site)
        if site.kind not in (SiteKind.DIRECTORY, SiteKind.CHAIN):
            return False
        cities = len(self._world.cities)
        if role == Role.STATE:
            return 0 <= number < len(self._world.states)
        if role == Role.CITY:
            return 0 <= number < cities
        if role == Role.LIST:
            return site.kind is SiteKind.DIRECTORY and 0 <= number < cities * CATEGORIES
        if site.kind is not SiteKind.CHAIN or not 0 <= number < cities * STORES:
            return False
        return number % STORES < self.stores(site, self._world.cities[number // STORES])

    # --- to a path ----------------------------------------------------------------------------

    def path(self, site: SyntheticSite, role: Role, number: int = 0) -> str:
        """The path (with its query) of a page of a site."""
        if role == Role.HOME:
            return "/"
        style = site.style & 3
        if role == Role.PAGE:
            return self._page_path(site, number)
        if role in words.FIXED_PATHS["en"]:
            return words.FIXED_PATHS[site.language][role][style]
        ending = _ENDINGS[style]
        if role == Role.STATE:
            return f"/{self._section(site)}/{self._world.states[number].slug}-s{number}{ending}"
        if role == Role.LIST and site.is_local:
            known = self._slugs[site.language, site.subject]
            city = self.city_in_path(site, role, number)
            prefix = f"{city.slug}-" if city else ""
            return f"/{prefix}{known[number % len(known)]}-k{number}{ending}"
        city = self.city_of(role, number)
        state = self._world.states[city.group].slug
        if self._numbered_stores(site):
            return f"/{self._section(site)}/{role}{number}{ending}"
        if role == Role.CITY:
            return f"/{self._section(site)}/{state}/{city.slug}-c{number}{ending}"
        if role == Role.STORE:
            return f"/stores/{city.slug}-{state}-t{number}{ending}"
        category = CATEGORY_NAMES[number % CATEGORIES].lower()
        return f"/{self._section(site)}/{state}/{city.slug}/{category}-k{number}{ending}"

    def _page_path(self, site: SyntheticSite, number: int) -> str:
        form = (site.style >> 2) % 5
        if self._numbered(site):
            return f"/index.php?id={number}"
        slugs = self._slugs[site.language, site.subject]
        draw = mix(site.key, 1000 + number)  # as in title_words
        count = len(slugs)
        slug = f"{slugs[draw % count]}-{slugs[(draw >> 16) % count]}"
        city = self.city_in_path(site, Role.PAGE, number)
        if misleading := self.misleading_name(site, number, draw):
            slug = slug_of(misleading)
        elif city is not None:
            slug = f"{city.slug}-{slug}" if number & 1 else f"{city.slug}/{slug}"
        ending = _ENDINGS[site.style & 3]
        if form == 0:
            return f"/{self._section(site)}/{slug}-{number}{ending}"
        if form == 3:
            return f"/{2015 + number % 11}/{1 + number % 12:02}/{slug}-{number}{ending}"
        if form == 4 and city is None:
            return f"/{self._section(site)}/{number}{ending}"
        return f"/{slug}-{number}{ending}"

    def _section(self, site: SyntheticSite) -> str:
        known = self._slugs[site.language, site.subject]
        return known[(site.style >> 5) % len(known)]

    # --- from a path --------------------------------------------------------------------------

    def spot(self, site: SyntheticSite, path: str, query: str) -> PageSpot | None:
        """The page of a path, or None. Only the id in a query counts."""
        if path == "/" and not query:
            return PageSpot(Role.HOME, 0)
        for role, paths in words.FIXED_PATHS[site.language].items():
            if path == paths[site.style & 3]:
                return PageSpot(Role(role), 0)
        if found := _QUERY.search(query):
            spot, spelled = PageSpot(Role.PAGE, int(found[1])), "/index.php"
        elif found := _LAST.search(path):
            spot, spelled = PageSpot(Role(found[1]), int(found[2])), path
        else:
            return PageSpot(Role.HOME, 0) if path == "/" else None
        if not self.exists(site, *spot):
            return None
        return spot if self.path(site, *spot).partition("?")[0] == spelled == path else None


def calendar_spot(path: str) -> PageSpot | None:
    """The month of a calendar's path."""
    found = _CALENDAR.fullmatch(path)
    if found is None or not 1 <= int(found[2]) <= 12:
        return None
    return PageSpot(Role.CALENDAR, 12 * int(found[1]) + int(found[2]) - 1)


def calendar_path(number: int) -> str:
    return f"/calendar/{number // 12:04}/{number % 12 + 1:02}"
