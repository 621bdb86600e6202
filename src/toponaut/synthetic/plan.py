"""What a page is about, before anything of it is written: its places, its addresses, the sites it lists.

The page is written from its plan, and the truth about it is its plan.
"""

from msgspec import Struct

from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.paths import (
    ABOUT,
    CALENDAR,
    CITY,
    CONTACT,
    HOME,
    IMPRINT,
    LINKS,
    LIST,
    PAGE,
    STATE,
    STORE,
    STORES,
    Paths,
    Spot,
)
from toponaut.synthetic.postal import Postal, postal
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.sites import Site, SiteKind, Sites
from toponaut.synthetic.world import City, World

_FRONT = frozenset({HOME, CONTACT, ABOUT})
_STATE_CITIES = 60  # on one page of a state
_LARGEST, _NEAR = (
    80,
    6,
)  # popular cities are among so many; beside them stand so many of the same state
_TITLES = {
    "en": {
        HOME: "Home",
        CONTACT: "Contact Us",
        ABOUT: "About Us",
        IMPRINT: "Terms of Use",
        LINKS: "Links",
    },
    "de": {
        HOME: "Startseite",
        CONTACT: "Kontakt",
        ABOUT: "Über uns",
        IMPRINT: "Impressum",
        LINKS: "Links",
    },
    "pt": {
        HOME: "Início",
        CONTACT: "Contactos",
        ABOUT: "Quem somos",
        IMPRINT: "Aviso legal",
        LINKS: "Ligações",
    },
}


class Plan(Struct, frozen=True):
    """A page to be written."""

    site: Site
    spot: Spot
    key: int  # what all its draws depend on
    title: str
    about: City | None  # the city that it is about
    in_url: City | None  # the city that its URL names
    named: tuple[City, ...] = ()  # cities named in its text, once for each time
    misleading: str = ""  # a name in its title that means no city
    listed: tuple[Site, ...] = ()  # sites that it lists
    cities: tuple[City, ...] = ()  # cities that it lists
    addresses: tuple[Postal, ...] = ()


class Planner:
    def __init__(self, world: World, sites: Sites, paths: Paths, settings: Settings) -> None:
        self._world = world
        self._sites = sites
        self._paths = paths
        self._settings = settings

    def plan(self, site: Site, spot: Spot) -> Plan:
        """The plan of a page that exists."""
        role, number = spot
        key = mix(mix(site.key, number), 7000 + len(role) * 256 + sum(map(ord, role)))
        about = self._about(site, spot)
        cities = self._cities(site, spot, about)
        listed = self._listed(spot, key, about)
        misleading = self._paths.misleads(site, number) if role == PAGE else ""
        return Plan(
            site=site,
            spot=spot,
            key=key,
            title=self._title(site, spot, about, misleading),
            about=about,
            in_url=self._in_url(site, spot),
            named=self._named(site, role, key, about),
            misleading=misleading,
            listed=listed,
            cities=cities,
            addresses=self._addresses(site, spot, key, about, listed),
        )

    def title(self, site: Site, spot: Spot) -> str:
        """What a page is called: by others, too."""
        misleading = self._paths.misleads(site, spot.number) if spot.role == PAGE else ""
        return self._title(site, spot, self._about(site, spot), misleading)

    def own_address(self, site: Site) -> Postal | None:
        """The address of a site's owner."""
        city = self._sites.city(site)
        return postal(site.key, city, site.name) if city else None

    # --- places -------------------------------------------------------------------------------

    def _about(self, site: Site, spot: Spot) -> City | None:
        if site.is_local:
            return site.home
        return self._paths.city_of(*spot) if spot.role in (CITY, LIST, STORE) else None

    def _in_url(self, site: Site, spot: Spot) -> City | None:
        if site.is_local and site.city_in_host:
            return site.home
        return self._paths.city_in_path(site, spot.role, spot.number)

    def _named(self, site: Site, role: str, key: int, about: City | None) -> tuple[City, ...]:
        """The cities that the text names: its own, some near it, or any by the way."""
        settings = self._settings
        if about is not None:
            if site.is_local and role not in _FRONT and unit(key, 70) >= settings.mention_local:
                return ()
            near = [
                self._world.draw_near(about, unit(key, 73 + k)) for k in range(mix(key, 72) % 3)
            ]
            return (about,) * (1 + mix(key, 71) % 6) + tuple(near)
        share = settings.mention_general * (2 if site.kind is SiteKind.NATIONAL else 1)
        if role == STATE or unit(key, 70) >= share:
            return ()
        home = self._sites.city(site) if unit(key, 71) < settings.leaning else None
        first = home or self._world.draw_named(unit(key, 72))
        return (first,) * (1 + mix(key, 73) % 2) + (self._world.draw_named(unit(key, 74)),) * (
            mix(key, 75) % 2
        )

    def _cities(self, site: Site, spot: Spot, about: City | None) -> tuple[City, ...]:
        """The cities that a page of a directory or a chain leads to."""
        if spot.role == STATE:
            inside = self._world.states[spot.number].cities
            chosen = [self._world.cities[number] for number in inside[: 4 * _STATE_CITIES]]
            if site.kind is SiteKind.CHAIN:
                chosen = [city for city in chosen if self._paths.stores(site, city)]
            return tuple(chosen[:_STATE_CITIES])
        if (
            site.is_local
            or (about is None and spot.role != HOME)
            or site.kind not in (SiteKind.DIRECTORY, SiteKind.CHAIN)
        ):
            return ()
        numbers = [
            int(_LARGEST * unit(site.key, 120 + k) ** 2)
            for k in range(self._settings.popular_cities)
        ]
        if about is not None:
            numbers += [
                self._world.draw_near(about, unit(about.place, 80 + k)).number for k in range(_NEAR)
            ]
        return tuple(
            self._world.cities[k]
            for k in dict.fromkeys(numbers)
            if about is None or k != about.number
        )

    def _listed(self, spot: Spot, key: int, about: City | None) -> tuple[Site, ...]:
        """The shops that a list names: of its city, some more than once."""
        if spot.role != LIST or about is None:
            return ()
        count = 3 + mix(key, 90) % 6
        return tuple(
            self._sites.site(about.first_site + mix(key, 91 + k) % about.sites)
            for k in range(min(count, about.sites))
        )

    # --- addresses ----------------------------------------------------------------------------

    def _addresses(
        self, site: Site, spot: Spot, key: int, about: City | None, listed: tuple[Site, ...]
    ) -> tuple[Postal, ...]:
        role, found = spot.role, []
        if self._has_own(site, role, key):
            found.append(self.own_address(site))
        if listed and unit(site.key, 62) < self._settings.listing_address:
            found += map(self.own_address, listed)
        if site.kind is SiteKind.CHAIN and about is not None:
            found += self._stores(site, spot, about)
        if role == PAGE and site.is_local and about is not None:
            share = self._settings.page_address * (5 if site.kind is SiteKind.UNIVERSITY else 1)
            if unit(key, 63) < share:
                found.append(
                    postal(mix(key, 64), about, f"{self._sites.surname(site.language, key)} Hall")
                )
        unique = {one.normal: one for one in found if one is not None}
        return tuple(unique.values())

    def _has_own(self, site: Site, role: str, key: int) -> bool:
        """Whether a page carries the address of its site."""
        if role == CALENDAR:
            return False
        if self._sites.has_footer_address(site):
            return True
        if role == CONTACT:
            return unit(key, 65) < (
                self._settings.contact_address if site.is_local else self._settings.general_contact
            )
        if role == IMPRINT:  # whom the law obliges to say who they are: Telemediengesetz, § 5
            return site.language == "de" and unit(key, 65) < 0.9
        return role == ABOUT and site.is_local and unit(key, 65) < 0.25

    def _stores(self, site: Site, spot: Spot, city: City) -> list[Postal | None]:
        if spot.role == STORE:
            numbers = [spot.number]
        elif spot.role == CITY and unit(site.key, 66) < 0.6:
            numbers = [city.number * STORES + k for k in range(self._paths.stores(site, city))]
        else:
            numbers = []
        return [postal(mix(site.key, 9000 + number), city, site.name) for number in numbers]

    # --- titles -------------------------------------------------------------------------------

    def _title(self, site: Site, spot: Spot, about: City | None, misleading: str) -> str:
        role, number = spot
        if role == PAGE:
            first, second, third = self._paths.title_words(site, number)
            if misleading:
                return f"{misleading} {first} {second}"
            where = f" in {about.name}" if about and site.is_local and number % 5 == 0 else ""
            return f"{first} {second} {third}".capitalize() + where
        if role == STATE:
            return self._world.states[number].name
        if role == CALENDAR:
            return f"Calendar {number // 12}-{number % 12 + 1:02}"
        if about is not None and not site.is_local:
            return f"{about.name}, {about.state}"
        if role == LIST:
            known = self._paths.vocabulary(site)
            return known[number % len(known)].capitalize()
        return _TITLES[site.language][role]
