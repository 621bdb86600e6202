"""The links of a page: their targets and anchor texts.

Every page has a menu, links within its site and links to other sites. Local sites link to their
city more often than by chance, general ones rarely to a local site; the shares are in settings.py.
"""

from collections.abc import Callable
from math import exp
from random import Random
from typing import NamedTuple

from toponaut.synthetic.paths import (
    CATEGORIES,
    CATEGORY_NAMES,
    STORES,
    PageSpot,
    Role,
    SitePaths,
    calendar_path,
)
from toponaut.synthetic.plan import PagePlan, PagePlanner
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import SiteKind, SyntheticSite, SyntheticSites
from toponaut.synthetic.world import SyntheticCity, SyntheticWorld

_MENU = (Role.HOME, Role.ABOUT, Role.CONTACT, Role.LINKS)
_NATIONWIDE = frozenset({SiteKind.DIRECTORY, SiteKind.CHAIN})
_MOST = 400  # links of a page
_GENERIC = {
    "en": (
        "click here", "more", "website", "here", "read more", "visit site", "home page", "details",
    ),
    "de": ("hier", "mehr", "weiter", "zur Seite", "Webseite", "mehr lesen"),
    "pt": ("aqui", "mais", "ver mais", "página", "saber mais"),
}  # fmt: skip
Draw = Callable[[], float]  # a random number in [0, 1)
_JANUARY = 2026 * 12  # the first month of calendars


class SyntheticLink(NamedTuple):
    href: str
    text: str


class PageLinks(NamedTuple):
    """The links of a page, by their position."""

    menu: list[SyntheticLink]
    items: list[SyntheticLink]  # what the page lists
    inside: list[SyntheticLink]
    outside: list[SyntheticLink]
    foot: list[SyntheticLink]


class PageLinker:
    def __init__(
        self,
        world: SyntheticWorld,
        sites: SyntheticSites,
        paths: SitePaths,
        planner: PagePlanner,
        settings: SyntheticSettings,
    ) -> None:
        self._world, self._sites, self._paths = world, sites, paths
        self._planner, self._settings = planner, settings
        self._times = {SiteKind(kind): times for kind, times in settings.links_kinds}

    def links(self, plan: PagePlan, chance: Random) -> PageLinks:
        """All links of a page, in order."""
        site, draw = plan.site, chance.random
        items = self._items(plan, draw)
        spread = self._settings.links_spread * 2.0 * (draw() + draw() + draw() - 1.5)
        total = min(int(self._settings.links * self._times[site.kind] * exp(spread)), _MOST)
        menu, foot = self._menu(site)
        left = max(total - len(items) - len(menu) - len(foot), 8)
        share = self._settings.outside_local if plan.about else self._settings.outside
        out = int(left * share + draw())
        if plan.spot.role == Role.LINKS or (
            site.kind is SiteKind.DIRECTORY and plan.spot.role == Role.PAGE
        ):
            out = left // 2  # pages of links
        elif site.kind in _NATIONWIDE:
            left = left // 2 + out  # their lists replace links within the site
        inside = self._inside(plan, left - out, draw)
        home = plan.about or site.home
        outside = [self._outside(site, home, draw) for _ in range(out)]
        return PageLinks(menu, items, inside, outside, foot)

    def href(self, site: SyntheticSite, spot: PageSpot) -> str:
        """The URL of a page, for other sites."""
        return f"http://{site.host}{self._paths.path(site, *spot)}"

    # --- within the site ----------------------------------------------------------------------

    def _menu(self, site: SyntheticSite) -> tuple[list[SyntheticLink], list[SyntheticLink]]:
        to = self._paths.path
        menu = [
            SyntheticLink(to(site, role), self._planner.title(site, PageSpot(role, 0)))
            for role in _MENU
        ]
        numbers = range(
            1, min(self._sites.size(site), 1 if site.kind in _NATIONWIDE else 2 + site.style % 6)
        )
        menu += [
            SyntheticLink(to(site, Role.PAGE, k), self._paths.title_words(site, k)[0].capitalize())
            for k in numbers
        ]
        foot = [
            SyntheticLink(to(site, role), self._planner.title(site, PageSpot(role, 0)))
            for role in (Role.CONTACT, Role.IMPRINT)
        ]
        if self.has_calendar(site):
            foot.append(SyntheticLink(calendar_path(_JANUARY), "Calendar"))
        return menu, foot

    def has_calendar(self, site: SyntheticSite) -> bool:
        return site.style % 1000 < 1000 * self._settings.calendars

    def _inside(self, plan: PagePlan, count: int, draw: Draw) -> list[SyntheticLink]:
        """Links to pages of the site: to the next ones, and to any, early ones more often."""
        site, settings = plan.site, self._settings
        session = ""
        if (site.style >> 10) % 1000 < 1000 * settings.sessions:
            session = f"?sid={int(draw() * 2**52):016x}{int(draw() * 2**52):016x}"
        found: dict[int, SyntheticLink] = {}
        size = self._sites.size(site)
        here = plan.spot.number if plan.spot.role == Role.PAGE else 0
        for k in range(min(count, 3 * size)):
            number = here + k + 1 if k < 4 else 1 + int((size - 1) * draw() ** 2)
            if number in found or number >= size:
                continue
            found[number] = SyntheticLink(
                self._path_of_page(site, number, draw()) + session, self._page_anchor(site, number)
            )
        return list(found.values())

    def _path_of_page(self, site: SyntheticSite, number: int, draw: float) -> str:
        """The path of a page; sometimes its old path, or that of a missing page."""
        if draw < self._settings.dead:
            return self._paths.path(site, Role.PAGE, number + 1_000_000)
        if draw < self._settings.dead + self._settings.moved:
            return f"/old/{number}.html"
        return self._paths.path(site, Role.PAGE, number)

    def _page_anchor(self, site: SyntheticSite, number: int) -> str:
        first, second, third = self._paths.title_words(site, number)
        form = (site.key ^ number) & 7
        if form == 0:
            return _GENERIC[site.language][number % len(_GENERIC[site.language])]
        if city := self._paths.passing.in_title(site, number):
            return f"{city.name} {first}"
        if form < 3:
            return f"{first} {second}"
        if form == 3 and (misleading := self._paths.misleading_name(site, number)):
            return misleading
        return f"{first} {second} {third}".capitalize()

    # --- lists --------------------------------------------------------------------------------

    def _items(self, plan: PagePlan, draw: Draw) -> list[SyntheticLink]:
        site, role = plan.site, plan.spot.role
        if role == Role.CALENDAR:
            months = (plan.spot.number - 1, plan.spot.number + 1)
            return [
                SyntheticLink(calendar_path(month), f"{month // 12}-{month % 12 + 1:02}")
                for month in months
                if 0 < month < 119_999
            ]
        listed = [
            SyntheticLink(self.href(one, PageSpot(Role.HOME, 0)), one.name)
            for one in plan.listed
            if self._has_link(one)
        ]
        if site.kind is SiteKind.DIRECTORY:
            return self._directory_items(plan, draw) + listed
        if site.kind is SiteKind.CHAIN:
            return self._chain_items(plan, draw)
        if self._paths.lists(site) and role in (Role.HOME, Role.LIST, Role.PAGE, Role.ABOUT):
            known, count = self._paths.vocabulary(site), self._paths.lists(site)
            some = {int(count * draw()) for _ in range(8 if role == Role.HOME else 4)}
            listed += [
                SyntheticLink(self._paths.path(site, Role.LIST, k), known[k % len(known)].title())
                for k in sorted(some)
            ]
        return listed

    def _has_link(self, site: SyntheticSite) -> bool:
        """Whether lists link to a site, or only name it."""
        return site.style >> 33 & 1023 < 1024 * self._settings.listed_link

    def _directory_items(self, plan: PagePlan, draw: Draw) -> list[SyntheticLink]:
        site, role, to = plan.site, plan.spot.role, self._paths.path
        if plan.about is not None:
            first = plan.about.number * CATEGORIES
            own = [
                SyntheticLink(to(site, Role.LIST, first + k), CATEGORY_NAMES[k])
                for k in range(CATEGORIES)
            ]
            if role == Role.CITY:
                own += [self._local_anchor(plan.about, draw) for _ in range(2)]
            return self._city_anchors(site, plan.cities) + own
        if role == Role.STATE:
            return self._city_anchors(site, plan.cities)
        if role != Role.HOME and draw() >= 0.1:
            return []
        return self._city_anchors(site, plan.cities) + self._state_anchors(
            site, 24 if role == Role.HOME else 3, draw
        )

    def _chain_items(self, plan: PagePlan, draw: Draw) -> list[SyntheticLink]:
        site, role, to = plan.site, plan.spot.role, self._paths.path
        found = self._city_anchors(site, plan.cities)
        if role == Role.HOME:
            return found + self._state_anchors(site, 12, draw)
        if plan.about is None:
            return found
        first = plan.about.number * STORES
        count = self._paths.stores(site, plan.about)
        stores = [
            SyntheticLink(to(site, Role.STORE, first + k), f"{plan.about.name} #{k + 1}")
            for k in range(count)
        ]
        if role == Role.STORE:
            stores = [SyntheticLink(to(site, Role.CITY, plan.about.number), plan.about.name)]
        return found + stores

    def _state_anchors(self, site: SyntheticSite, count: int, draw: Draw) -> list[SyntheticLink]:
        states = self._world.states
        some = {int(len(states) * draw()) for _ in range(count)}
        to = self._paths.path
        return [SyntheticLink(to(site, Role.STATE, k), states[k].name) for k in sorted(some)]

    def _city_anchors(
        self, site: SyntheticSite, cities: tuple[SyntheticCity, ...]
    ) -> list[SyntheticLink]:
        return [
            SyntheticLink(self._paths.path(site, Role.CITY, city.number), city.name)
            for city in cities
        ]

    def _local_anchor(self, city: SyntheticCity, draw: Draw) -> SyntheticLink:
        """A link to one of a city's best known sites."""
        site = self._sites.site(city.first_site + int(min(city.sites, 40) * draw() ** 2))
        return SyntheticLink(self.href(site, PageSpot(Role.HOME, 0)), site.name)

    # --- to other sites -----------------------------------------------------------------------

    def _outside(
        self, site: SyntheticSite, home: SyntheticCity | None, draw: Draw
    ) -> SyntheticLink:
        target = self._target(site, home, draw)
        spot = self._entry(target, home, draw)
        return SyntheticLink(
            self.href(target, spot), self._anchor(target, spot, site.language, draw)
        )

    def _target(self, site: SyntheticSite, home: SyntheticCity | None, draw: Draw) -> SyntheticSite:
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

    def _local_site(self, city: SyntheticCity, draw: Draw) -> SyntheticSite:
        """A site of a city: guide, chamber and paper far more often than a shop."""
        rank = int((city.sites + 1) ** (draw() ** self._settings.local_popularity)) - 1
        return self._sites.site(city.first_site + rank)

    def _general_site(self, language: str, draw: Draw) -> SyntheticSite:
        """A general site: well-known ones more often. A second draw if the language differs."""
        sites, power = self._settings.general_sites, self._settings.popularity
        first = self._world.local_sites - 1
        site = self._sites.site(first + int(sites ** (draw() ** power)))
        if site.language != language:
            site = self._sites.site(first + int(sites ** (draw() ** power)))
        return site

    def _entry(self, target: SyntheticSite, home: SyntheticCity | None, draw: Draw) -> PageSpot:
        """The page of another site to link to."""
        kind = target.kind
        if kind in _NATIONWIDE and draw() < self._settings.deep_city:
            city = home if home is not None and draw() < 0.5 else self._world.draw(draw())
            return PageSpot(Role.CITY, city.number)
        if draw() >= self._settings.deep:
            return PageSpot(Role.HOME, 0)
        if draw() < 0.05:
            return PageSpot(Role.CONTACT, 0)
        size = self._sites.size(target)
        if size == 1:
            return PageSpot(Role.HOME, 0)
        return PageSpot(Role.PAGE, 1 + int((size - 1) * draw() ** 2))

    def _anchor(self, target: SyntheticSite, spot: PageSpot, language: str, draw: Draw) -> str:
        form = draw()
        if form < 0.12:
            generic = _GENERIC[language]
            return generic[int(len(generic) * draw())]
        city = target.home
        if city is not None and draw() < self._settings.anchor_city:
            return f"{city.name} {target.subject}" if form < 0.6 else f"{target.name}, {city.name}"
        if spot.role == Role.HOME or form < 0.4:
            return target.name if form < 0.92 else target.host
        return self._planner.title(target, spot)
