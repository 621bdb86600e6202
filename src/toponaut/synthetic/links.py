"""The links of a page: where they lead, and what stands in them.

Every page has a menu, links within its site and links to others. Local sites link to their city more often than chance would
have it, general ones hardly ever to anything local; the shares are knobs (settings.py).
"""

from collections.abc import Callable
from math import exp
from random import Random
from typing import NamedTuple

from toponaut.synthetic.paths import (
    ABOUT,
    CALENDAR,
    CATEGORIES,
    CATEGORY_NAMES,
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
    calendar_path,
)
from toponaut.synthetic.plan import Plan, Planner
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.sites import Site, SiteKind, Sites
from toponaut.synthetic.world import City, World

_MENU = (HOME, ABOUT, CONTACT, LINKS)
_NATIONWIDE = frozenset({SiteKind.DIRECTORY, SiteKind.CHAIN})
_MANY = 400  # links of a page at most
_GENERIC = {
    "en": (
        "click here",
        "more",
        "website",
        "here",
        "read more",
        "visit site",
        "home page",
        "details",
    ),
    "de": ("hier", "mehr", "weiter", "zur Seite", "Webseite", "mehr lesen"),
    "pt": ("aqui", "mais", "ver mais", "página", "saber mais"),
}
_JANUARY = 2026 * 12  # where calendars are entered


class Anchor(NamedTuple):
    href: str
    text: str


class PageLinks(NamedTuple):
    """The links of a page by where they stand."""

    menu: list[Anchor]
    items: list[Anchor]  # what the page lists
    inside: list[Anchor]
    outside: list[Anchor]
    foot: list[Anchor]


class Linker:
    def __init__(
        self, world: World, sites: Sites, paths: Paths, planner: Planner, settings: Settings
    ) -> None:
        self._world = world
        self._sites = sites
        self._paths = paths
        self._planner = planner
        self._settings = settings

    def links(self, plan: Plan, chance: Random) -> PageLinks:
        """All links of a page, in order."""
        site, draw = plan.site, chance.random
        items = self._items(plan, draw)
        spread = self._settings.links_spread * 2.0 * (draw() + draw() + draw() - 1.5)
        total = min(int(self._settings.links * exp(spread)), _MANY)
        menu, foot = self._menu(site)
        left = max(total - len(items) - len(menu) - len(foot), 8)
        share = self._settings.outside_local if plan.about else self._settings.outside
        out = int(left * share + draw())
        if plan.spot.role == LINKS or (site.kind is SiteKind.DIRECTORY and plan.spot.role == PAGE):
            out = left // 2  # pages that are there for their links
        elif site.kind in _NATIONWIDE:
            left = left // 2 + out  # what they list stands for their other pages
        inside = self._inside(plan, left - out, draw)
        home = plan.about or site.home
        outside = [self._outside(site, home, draw) for _ in range(out)]
        return PageLinks(menu, items, inside, outside, foot)

    def href(self, site: Site, spot: Spot) -> str:
        """The URL of a page, for other sites."""
        return f"http://{site.host}{self._paths.path(site, *spot)}"

    # --- within the site ----------------------------------------------------------------------

    def _menu(self, site: Site) -> tuple[list[Anchor], list[Anchor]]:
        to = self._paths.path
        menu = [Anchor(to(site, role), self._planner.title(site, Spot(role, 0))) for role in _MENU]
        numbers = range(
            1, min(self._sites.size(site), 1 if site.kind in _NATIONWIDE else 2 + site.style % 6)
        )
        menu += [
            Anchor(to(site, PAGE, k), self._paths.title_words(site, k)[0].capitalize())
            for k in numbers
        ]
        foot = [
            Anchor(to(site, role), self._planner.title(site, Spot(role, 0)))
            for role in (CONTACT, IMPRINT)
        ]
        if self.has_calendar(site):
            foot.append(Anchor(calendar_path(_JANUARY), "Calendar"))
        return menu, foot

    def has_calendar(self, site: Site) -> bool:
        return site.style % 1000 < 1000 * self._settings.calendars

    def _inside(self, plan: Plan, count: int, draw: Callable[[], float]) -> list[Anchor]:
        """To pages of the site: the next ones, and any, the first more often."""
        site, settings = plan.site, self._settings
        session = ""
        if (site.style >> 10) % 1000 < 1000 * settings.sessions:
            session = f"?sid={int(draw() * 2**52):016x}{int(draw() * 2**52):016x}"
        found: dict[int, Anchor] = {}
        size = self._sites.size(site)
        here = plan.spot.number if plan.spot.role == PAGE else 0
        for k in range(min(count, 3 * size)):
            number = here + k + 1 if k < 4 else 1 + int((size - 1) * draw() ** 2)
            if number in found or number >= size:
                continue
            found[number] = Anchor(
                self._path_of_page(site, number, draw()) + session, self._page_anchor(site, number)
            )
        return list(found.values())

    def _path_of_page(self, site: Site, number: int, draw: float) -> str:
        """Mostly where it is; sometimes where it was, or one that is gone."""
        if draw < self._settings.dead:
            return self._paths.path(site, PAGE, number + 1_000_000)
        if draw < self._settings.dead + self._settings.moved:
            return f"/old/{number}.html"
        return self._paths.path(site, PAGE, number)

    def _page_anchor(self, site: Site, number: int) -> str:
        first, second, third = self._paths.title_words(site, number)
        form = (site.key ^ number) & 7
        if form == 0:
            return _GENERIC[site.language][number % len(_GENERIC[site.language])]
        if form < 3:
            return f"{first} {second}"
        if form == 3 and (misleading := self._paths.misleads(site, number)):
            return misleading
        return f"{first} {second} {third}".capitalize()

    # --- what a page lists --------------------------------------------------------------------

    def _items(self, plan: Plan, draw: Callable[[], float]) -> list[Anchor]:
        site, role = plan.site, plan.spot.role
        if role == CALENDAR:
            months = (plan.spot.number - 1, plan.spot.number + 1)
            return [
                Anchor(calendar_path(month), f"{month // 12}-{month % 12 + 1:02}")
                for month in months
                if 0 < month < 119_999
            ]
        listed = [
            Anchor(self.href(one, Spot(HOME, 0)), one.name)
            for one in plan.listed
            if self._has_link(one)
        ]
        if site.kind is SiteKind.DIRECTORY:
            return self._directory_items(plan, draw) + listed
        if site.kind is SiteKind.CHAIN:
            return self._chain_items(plan, draw)
        if self._paths.lists(site) and role in (HOME, LIST, PAGE, ABOUT):
            known, count = self._paths.vocabulary(site), self._paths.lists(site)
            some = {int(count * draw()) for _ in range(8 if role == HOME else 4)}
            listed += [
                Anchor(self._paths.path(site, LIST, k), known[k % len(known)].title())
                for k in sorted(some)
            ]
        return listed

    def _has_link(self, site: Site) -> bool:
        """Whether lists link to a site, or only name it."""
        return site.style >> 33 & 1023 < 1024 * self._settings.listed_link

    def _directory_items(self, plan: Plan, draw: Callable[[], float]) -> list[Anchor]:
        site, role, to = plan.site, plan.spot.role, self._paths.path
        if plan.about is not None:
            first = plan.about.number * CATEGORIES
            own = [Anchor(to(site, LIST, first + k), CATEGORY_NAMES[k]) for k in range(CATEGORIES)]
            if role == CITY:
                own += [self._local_anchor(plan.about, draw) for _ in range(2)]
            return self._city_anchors(site, plan.cities) + own
        if role == STATE:
            return self._city_anchors(site, plan.cities)
        if role != HOME and draw() >= 0.1:
            return []
        states = {int(len(self._world.states) * draw()) for _ in range(24 if role == HOME else 3)}
        return self._city_anchors(site, plan.cities) + [
            Anchor(to(site, STATE, k), self._world.states[k].name) for k in sorted(states)
        ]

    def _chain_items(self, plan: Plan, draw: Callable[[], float]) -> list[Anchor]:
        site, role, to = plan.site, plan.spot.role, self._paths.path
        if role == HOME:
            states = {int(len(self._world.states) * draw()) for _ in range(12)}
            return self._city_anchors(site, plan.cities) + [
                Anchor(to(site, STATE, k), self._world.states[k].name) for k in sorted(states)
            ]
        found = self._city_anchors(site, plan.cities)
        if plan.about is None:
            return found
        first = plan.about.number * STORES
        count = self._paths.stores(site, plan.about)
        stores = [
            Anchor(to(site, STORE, first + k), f"{plan.about.name} #{k + 1}") for k in range(count)
        ]
        if role == STORE:
            stores = [Anchor(to(site, CITY, plan.about.number), plan.about.name)]
        return found + stores

    def _city_anchors(self, site: Site, cities: tuple[City, ...]) -> list[Anchor]:
        return [Anchor(self._paths.path(site, CITY, city.number), city.name) for city in cities]

    def _local_anchor(self, city: City, draw: Callable[[], float]) -> Anchor:
        """To one of a city's best known sites."""
        site = self._sites.site(city.first_site + int(min(city.sites, 40) * draw() ** 2))
        return Anchor(self.href(site, Spot(HOME, 0)), site.name)

    # --- to other sites -----------------------------------------------------------------------

    def _outside(self, site: Site, home: City | None, draw: Callable[[], float]) -> Anchor:
        target = self._target(site, home, draw)
        spot = self._entry(target, home, draw)
        return Anchor(self.href(target, spot), self._anchor(target, spot, site.language, draw))

    def _target(self, site: Site, home: City | None, draw: Callable[[], float]) -> Site:
        settings, chosen = self._settings, draw()
        if home is None:
            if chosen < settings.general_to_local:
                return self._local_site(self._world.draw(draw()), draw)
            return self._general_site(site.language, draw)
        if chosen < settings.to_same_city:
            return self._local_site(home, draw)
        chosen -= settings.to_same_city
        if chosen < settings.to_same_state:
            return self._local_site(self._world.draw_near(home, draw()), draw)
        if chosen < settings.to_same_state + settings.to_any_city:
            return self._local_site(self._world.draw(draw()), draw)
        return self._general_site(site.language, draw)

    def _local_site(self, city: City, draw: Callable[[], float]) -> Site:
        """One of a city's sites: the guide, the chamber and the paper far more often than a shop."""
        return self._sites.site(
            city.first_site
            + int((city.sites + 1) ** (draw() ** self._settings.local_popularity))
            - 1
        )

    def _general_site(self, language: str, draw: Callable[[], float]) -> Site:
        """The best known more often than others; of two the one in the page's own language."""
        sites, first, power = (
            self._settings.general_sites,
            self._world.local_sites - 1,
            self._settings.popularity,
        )
        site = self._sites.site(first + int(sites ** (draw() ** power)))
        return (
            site
            if site.language == language
            else self._sites.site(first + int(sites ** (draw() ** power)))
        )

    def _entry(self, target: Site, home: City | None, draw: Callable[[], float]) -> Spot:
        """The page of another site that is linked to."""
        kind = target.kind
        if kind in _NATIONWIDE and draw() < self._settings.deep_city:
            city = home if home is not None and draw() < 0.5 else self._world.draw(draw())
            return Spot(CITY, city.number)
        if draw() >= self._settings.deep:
            return Spot(HOME, 0)
        if draw() < 0.05:
            return Spot(CONTACT, 0)
        size = self._sites.size(target)
        return Spot(PAGE, 1 + int((size - 1) * draw() ** 2)) if size > 1 else Spot(HOME, 0)

    def _anchor(self, target: Site, spot: Spot, language: str, draw: Callable[[], float]) -> str:
        form = draw()
        if form < 0.12:
            generic = _GENERIC[language]
            return generic[int(len(generic) * draw())]
        city = target.home
        if city is not None and draw() < self._settings.anchor_city:
            return f"{city.name} {target.subject}" if form < 0.6 else f"{target.name}, {city.name}"
        if spot.role == HOME or form < 0.4:
            return target.name if form < 0.92 else target.host
        return self._planner.title(target, spot)
