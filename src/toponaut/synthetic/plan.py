"""Plans pages: places, addresses and listed sites, before anything is written.

A page is written from its plan, and the plan is the truth about the page.
"""

from msgspec import Struct

from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.paths import STORES, PageSpot, Role, SitePaths
from toponaut.synthetic.postal import SyntheticAddress, make_address
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import SiteKind, SyntheticSite, SyntheticSites
from toponaut.synthetic.world import SyntheticCity, SyntheticWorld

_FRONT = frozenset({Role.HOME, Role.CONTACT, Role.ABOUT})
_STATE_CITIES = 60  # on one page of a state
_LARGEST, _NEAR = 160, 6  # popular cities are among the largest; with some of the same state
_TITLED = (Role.HOME, Role.CONTACT, Role.ABOUT, Role.IMPRINT, Role.LINKS)
_FIXED = (*_TITLED, Role.CALENDAR)  # pages without a number: a section of their own
_TITLES = {
    "en": ("Home", "Contact Us", "About Us", "Terms of Use", "Links"),
    "de": ("Startseite", "Kontakt", "Über uns", "Impressum", "Links"),
    "pt": ("Início", "Contactos", "Quem somos", "Aviso legal", "Ligações"),
}


class PagePlan(Struct, frozen=True):
    """A page to be written."""

    site: SyntheticSite
    spot: PageSpot
    key: int  # of all its random draws
    title: str
    about: SyntheticCity | None  # the city that it is about
    in_url: SyntheticCity | None  # the city that its URL names
    named: tuple[SyntheticCity, ...] = ()  # cities in its text, with repetitions
    misleading: str = ""  # a name in its title that contains a city but does not mean it
    listed: tuple[SyntheticSite, ...] = ()  # sites that it lists
    cities: tuple[SyntheticCity, ...] = ()  # cities that it lists
    addresses: tuple[SyntheticAddress, ...] = ()


class PagePlanner:
    def __init__(
        self,
        world: SyntheticWorld,
        sites: SyntheticSites,
        paths: SitePaths,
        settings: SyntheticSettings,
    ) -> None:
        self._world, self._sites, self._paths, self._settings = world, sites, paths, settings

    def plan(self, site: SyntheticSite, spot: PageSpot) -> PagePlan:
        """The plan of a page that exists."""
        role, number = spot
        key = mix(mix(site.key, number), 7000 + len(role) * 256 + sum(map(ord, role)))
        about = self._about(site, spot)
        cities = self._cities(site, spot, about)
        listed = self._listed(spot, key, about)
        misleading = self._paths.misleading_name(site, number) if role == Role.PAGE else ""
        return PagePlan(
            site=site,
            spot=spot,
            key=key,
            title=self._title(site, spot, about, misleading),
            about=about,
            in_url=self._in_url(site, spot),
            named=self._named(site, spot, key, about),
            misleading=misleading,
            listed=listed,
            cities=cities,
            addresses=self._addresses(site, spot, key, about, listed),
        )

    def title(self, site: SyntheticSite, spot: PageSpot) -> str:
        """The title of a page, also in links from other sites."""
        misleading = (
            self._paths.misleading_name(site, spot.number) if spot.role == Role.PAGE else ""
        )
        return self._title(site, spot, self._about(site, spot), misleading)

    def own_address(self, site: SyntheticSite) -> SyntheticAddress | None:
        """The address of a site's owner."""
        city = self._sites.city(site)
        return make_address(site.key, city, site.name) if city else None

    # --- places -------------------------------------------------------------------------------

    def _about(self, site: SyntheticSite, spot: PageSpot) -> SyntheticCity | None:
        if site.is_local:
            return site.home
        return (
            self._paths.city_of(*spot) if spot.role in (Role.CITY, Role.LIST, Role.STORE) else None
        )

    def _in_url(self, site: SyntheticSite, spot: PageSpot) -> SyntheticCity | None:
        if site.is_local and site.city_in_host:
            return site.home
        if spot.role == Role.PAGE and self._paths.misleading_name(site, spot.number):
            return None
        return self._paths.city_in_path(site, spot.role, spot.number)

    def _named(
        self, site: SyntheticSite, spot: PageSpot, key: int, about: SyntheticCity | None
    ) -> tuple[SyntheticCity, ...]:
        """The cities in the text: its own and some near it, or those of its section."""
        settings, role = self._settings, spot.role
        if about is not None:
            named = settings.mention_front if role in _FRONT else settings.mention_local
            if site.is_local and unit(key, 70) >= named:
                return ()
            near = [
                self._world.draw_near(about, unit(key, 73 + k)) for k in range(mix(key, 72) % 3)
            ]
            return (about,) * (1 + mix(key, 71) % 6) + tuple(near)
        if role == Role.STATE:
            return ()
        number = spot.number if role == Role.PAGE else -1 - _FIXED.index(role)
        first = self._paths.passing.mentioned(site, number)
        if first is None:
            return ()
        second = self._world.draw_near(first, unit(key, 74))
        titled = role == Role.PAGE and self._paths.passing.in_title(site, number) is not None
        return (first,) * (1 + mix(key, 73) % (4 if titled else 2)) + (second,) * (mix(key, 75) % 2)

    def _cities(
        self, site: SyntheticSite, spot: PageSpot, about: SyntheticCity | None
    ) -> tuple[SyntheticCity, ...]:
        """The cities that a page of a directory or a chain links to."""
        if spot.role == Role.STATE:
            inside = self._world.states[spot.number].cities
            chosen = [self._world.cities[number] for number in inside[: 4 * _STATE_CITIES]]
            if site.kind is SiteKind.CHAIN:
                chosen = [city for city in chosen if self._paths.stores(site, city)]
            return tuple(chosen[:_STATE_CITIES])
        if site.is_local or site.kind not in (SiteKind.DIRECTORY, SiteKind.CHAIN):
            return ()
        if about is None and spot.role != Role.HOME:
            return ()
        count, here = self._settings.popular_cities, about.number if about else -1
        numbers = [int(_LARGEST * unit(site.key, 120 + k)) for k in range(count)]
        if about is not None:
            draws = (unit(about.place, 80 + k) for k in range(_NEAR))
            numbers += [self._world.draw_near(about, draw).number for draw in draws]
        found = [self._world.cities[k] for k in dict.fromkeys(numbers) if k != here]
        start = mix(site.key, 140 + spot.number) % max(len(found), 1)  # none is first everywhere
        return tuple(found[start:] + found[:start])

    def _listed(
        self, spot: PageSpot, key: int, about: SyntheticCity | None
    ) -> tuple[SyntheticSite, ...]:
        """The sites of a city on a list: well-known ones are on many lists."""
        if spot.role != Role.LIST or about is None:
            return ()
        least, most = self._settings.listed
        count = least + mix(key, 90) % (most - least + 1)
        power = self._settings.listed_popularity
        ranks = (int(about.sites * unit(key, 91 + k) ** power) for k in range(count))
        return tuple(self._sites.site(about.first_site + rank) for rank in dict.fromkeys(ranks))

    # --- addresses ----------------------------------------------------------------------------

    def _addresses(
        self,
        site: SyntheticSite,
        spot: PageSpot,
        key: int,
        about: SyntheticCity | None,
        listed: tuple[SyntheticSite, ...],
    ) -> tuple[SyntheticAddress, ...]:
        role, found = spot.role, []
        if self._has_own(site, role, key):
            found.append(self.own_address(site))
        if listed and unit(site.key, 62) < self._settings.listing_address:
            found += map(self.own_address, listed)
        if site.kind is SiteKind.CHAIN and about is not None:
            found += self._stores(site, spot, about)
        if role == Role.PAGE and site.is_local and about is not None:
            share = self._settings.page_address * (5 if site.kind is SiteKind.UNIVERSITY else 1)
            if unit(key, 63) < share:
                hall = f"{self._sites.surname(site.language, key)} Hall"
                found.append(make_address(mix(key, 64), about, hall))
        unique = {one.normal: one for one in found if one is not None}
        return tuple(unique.values())

    def _has_own(self, site: SyntheticSite, role: Role, key: int) -> bool:
        """Whether a page shows the address of its site."""
        if role == Role.CALENDAR:
            return False
        settings = self._settings
        if self._sites.has_footer_address(site) and unit(key, 67) < settings.footer_pages:
            return True
        if role == Role.CONTACT:
            share = settings.contact_address if site.is_local else settings.general_contact
            return unit(key, 65) < share
        if role == Role.IMPRINT:  # German law requires it: Telemediengesetz, § 5
            return site.language == "de" and unit(key, 65) < 0.9
        return role == Role.ABOUT and site.is_local and unit(key, 65) < 0.25

    def _stores(
        self, site: SyntheticSite, spot: PageSpot, city: SyntheticCity
    ) -> list[SyntheticAddress | None]:
        if spot.role == Role.STORE:
            numbers = [spot.number]
        elif spot.role == Role.CITY and unit(site.key, 66) < 0.6:
            numbers = [city.number * STORES + k for k in range(self._paths.stores(site, city))]
        else:
            numbers = []
        return [make_address(mix(site.key, 9000 + number), city, site.name) for number in numbers]

    # --- titles -------------------------------------------------------------------------------

    def _title(
        self, site: SyntheticSite, spot: PageSpot, about: SyntheticCity | None, misleading: str
    ) -> str:
        role, number = spot
        if role == Role.PAGE:
            first, second, third = self._paths.title_words(site, number)
            if misleading:
                return f"{misleading} {first} {second}"
            city = self._paths.passing.in_title(site, number)
            if about and site.is_local and number % 5 == 0:
                city = about
            where = f" in {city.name}" if city else ""
            return f"{first} {second} {third}".capitalize() + where
        if role == Role.STATE:
            return self._world.states[number].name
        if role == Role.CALENDAR:
            return f"Calendar {number // 12}-{number % 12 + 1:02}"
        if about is not None and not site.is_local:
            return f"{about.name}, {about.state}"
        if role == Role.LIST:
            known = self._paths.vocabulary(site)
            return known[number % len(known)].capitalize()
        return _TITLES[site.language][_TITLED.index(role)]
