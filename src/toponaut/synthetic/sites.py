"""Sites: from a number to a site with all its habits, and from a host name back to the number.

Host names are `houston-pizza_4711.com`: the site's number behind an underscore, under a real top-level domain. No registry
hands out a name with an underscore (it is no LDH label, RFC 5890), so none of these hosts can exist and nothing can ever be
asked of a stranger; yet the public suffix rules, country filters and the words of a URL work as they do on the web. (Under
".example" they would not: of "houston-guide.com.example" the registered domain would be "com.example".)

Most sites are met once, as the target of a link, so a site is made in a few microseconds: of two hashes, whose bits decide
what it is, and of what only its own pages need (its size, the home of a general site) nothing before they ask.
"""

import re
from collections import OrderedDict
from enum import StrEnum

from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.naming import general_name, local_name
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.words import FAMILIES, TOPICS, TRADES, TRADES_DE, TRADES_PT
from toponaut.synthetic.world import City, World, slug_of

_HOST = re.compile(r"(www\.)?([a-z0-9-]{1,63})_(0|[1-9]\d{0,12})\.([a-z.]{2,8})")
_REMEMBERED = 20_000  # sites; a crawl meets the popular ones all the time
_LOCAL_LANGUAGE = {"US": "en", "DE": "de", "PT": "pt"}


class SiteKind(StrEnum):
    """What a site is."""

    GUIDE = "guide"  # of a city: what to see, where to eat
    CHAMBER = "chamber"  # of commerce: its members
    NEWS = "news"  # a local paper
    UNIVERSITY = "university"
    SHOP = "shop"  # or a church, a law firm, a club: one address
    BLOG = "blog"  # of somebody in a city
    DIRECTORY = "directory"  # of the whole web, with a page for every city
    CHAIN = "chain"  # of stores, with a page for each
    NATIONAL = "national"  # a magazine that names cities by the way
    GENERAL = "general"  # nothing local


LISTS = frozenset({SiteKind.GUIDE, SiteKind.CHAMBER, SiteKind.DIRECTORY})
_LARGE = frozenset({SiteKind.GUIDE, SiteKind.NEWS, SiteKind.UNIVERSITY})
_HUBS = (SiteKind.GUIDE, SiteKind.CHAMBER, SiteKind.NEWS)
_SMALL_TOWN, _COLLEGE_TOWN = 3_000, 40_000  # people
_SUBJECTS = {"en": tuple(TRADES), "de": tuple(TRADES_DE), "pt": tuple(TRADES_PT)}
_TOPICS = tuple(TOPICS)


class Fault(StrEnum):
    """What is wrong with a host."""

    NONE = ""
    GONE = "gone"
    SILENT = "silent"
    FAILING = "failing"
    SLOW = "slow"


class Site:
    """A site. `style` and `bits` are 64 draws each of yes or no."""

    __slots__ = (
        "bits", "city_in_host", "city_in_path", "home", "host", "is_local", "key", "kind", "language", "name", "number", "style",
        "subject", "twin",
    )  # fmt: skip

    def __init__(self, number: int, twin: int, key: int, is_local: bool) -> None:
        self.number = number
        self.twin = twin  # the site that it is a copy of; itself, mostly
        self.key = key  # what all its draws depend on
        self.style = mix(key, 1)
        self.bits = mix(key, 2)
        self.is_local = is_local
        self.kind = SiteKind.GENERAL
        self.language = "en"
        self.subject = ""  # a topic or a trade
        self.name = ""
        self.host = ""
        self.home: City | None = None  # of a local site
        self.city_in_host = False
        self.city_in_path = False


class Sites:
    """All sites of a web."""

    def __init__(self, world: World, settings: Settings, surnames: tuple[str, ...]) -> None:
        self._world = world
        self._settings = settings
        self._seed = mix(settings.seed, 0x70F0)
        self._surnames = surnames
        self._host_city = {SiteKind(kind): share for kind, share in settings.host_city}
        self._footer = {SiteKind(kind): share for kind, share in settings.footer_address}
        self._known: OrderedDict[int, Site] = OrderedDict()
        self.count = world.local_sites + settings.general_sites

    def site(self, number: int) -> Site:
        """The site of a number."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._make(number)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return known

    def of_host(self, host: str) -> Site | None:
        """The site of a host, also by the spelling with or without "www." that it does not use itself."""
        found = _HOST.fullmatch(host)
        if found is None or int(found[3]) >= self.count:
            return None
        site = self.site(int(found[3]))
        return site if host.removeprefix("www.") == site.host.removeprefix("www.") else None

    def size(self, site: Site) -> int:
        """The number of its common pages, by Pareto's law; the best known general sites are the largest."""
        if site.is_local:
            least = self._settings.local_pages * (40 if site.kind in _LARGE else 1)
        else:
            rank = site.twin - self._world.local_sites
            least = self._settings.general_pages * (60 if rank < 100 else 8 if rank < 2000 else 1)
        pages = least * (1.0 - unit(site.key, 10)) ** (-1.0 / self._settings.pages_shape)
        return int(min(pages, self._settings.most_pages))

    def city(self, site: Site) -> City | None:
        """Its home; of a general site the city of its owner, which half of them name."""
        if site.is_local:
            return site.home
        return self._world.draw_named(unit(site.key, 8)) if site.bits & 1 else None

    def surname(self, language: str, key: int) -> str:
        """A family name as a country has them."""
        return family_name(self._surnames, language, key)

    def has_footer_address(self, site: Site) -> bool:
        return unit(site.key, 23) < self._footer.get(site.kind, 0.0)

    def fault(self, site: Site) -> tuple[Fault, float]:
        """What is wrong with a host, and the seconds that its answers take."""
        settings, draw = self._settings, unit(mix(self._seed, site.number), 20)
        quick = 0.05 + 0.4 * unit(site.style, 21) ** 3
        for fault, share in (
            (Fault.GONE, settings.dead_hosts),
            (Fault.SILENT, settings.silent_hosts),
            (Fault.FAILING, settings.failing_hosts),
        ):
            if draw < share:
                return fault, quick
            draw -= share
        if draw < settings.slow_hosts:
            return Fault.SLOW, 2.0 + 13.0 * unit(site.style, 22)
        return Fault.NONE, quick

    # --- how a site comes about ---------------------------------------------------------------

    def _make(self, number: int) -> Site:
        twin, key = number, mix(self._seed, number)
        if (key >> 40 & 0xFFFF) < 0x10000 * self._settings.mirrors:
            twin = self._twin(number, key)
            key = mix(self._seed, twin)
        site = Site(number, twin, key, twin < self._world.local_sites)
        if site.is_local:
            self._settle_local(site)
        else:
            self._settle_general(site)
        www = "www." if site.bits >> 6 & 3 else ""
        site.host = f"{www}{self._label(site)}_{number}.{_tld(site)}"
        return site

    def _twin(self, number: int, key: int) -> int:
        """The site that a mirror copies: one of the same city, or another general one."""
        if number < self._world.local_sites:
            city = self._world.city_of_site(number)
            return city.first_site + mix(key, 3) % city.sites
        return self._world.local_sites + (number - self._world.local_sites) // 2

    def _settle_local(self, site: Site) -> None:
        site.home = city = self._world.city_of_site(site.twin)
        site.language = _LOCAL_LANGUAGE[city.country]
        site.kind = kind = _local_kind(city, site.twin - city.first_site, site.bits >> 8 & 1023)
        if kind is SiteKind.SHOP:
            trades = _SUBJECTS[site.language]
            site.subject = trades[(site.bits >> 18 & 255) % len(trades)]
        else:
            site.subject = "personal" if kind is SiteKind.BLOG else kind.value
        site.city_in_host = (site.bits >> 26 & 1023) < 1024 * self._host_city.get(kind, 0.0)
        site.city_in_path = (site.bits >> 36 & 1023) < 1024 * self._settings.path_city
        owner = family_name(self._surnames, site.language, site.key)
        named = site.city_in_host or not site.bits >> 46 & 7
        site.name = local_name(
            kind.value,
            site.language,
            site.subject,
            city.name if named else "",
            city.name,
            owner,
            site.key,
        )

    def _settle_general(self, site: Site) -> None:
        site.kind = kind = _general_kind(site.bits >> 8 & 1023)
        language = site.bits >> 18 & 255
        if kind in (SiteKind.GENERAL, SiteKind.NATIONAL):
            site.language = "en" if language < 215 else "de" if language < 240 else "pt"
            site.subject = (
                _TOPICS[(site.bits >> 26 & 1023) % len(_TOPICS)]
                if site.language == "en"
                else "forum"
            )
        else:
            site.subject = kind.value
        owner = (
            family_name(self._surnames, site.language, site.key) if site.language != "en" else ""
        )
        site.name = general_name(kind.value, site.subject, owner, site.key)

    def _label(self, site: Site) -> str:
        """The site's name as its host has it: with the city, or without."""
        name = site.name
        slug = (
            name.lower().replace(" & ", "-").replace(" ", "-").replace("'", "")
            if name.isascii()
            else slug_of(name)
        )
        city = site.home
        if city is not None:
            if site.city_in_host:
                with_state = city.country == "US" and site.bits >> 49 & 7 == 0
                if city.slug not in slug:
                    slug = f"{city.slug}-{slug}"
                slug = (
                    slug.replace(city.slug, city.slug + city.state.lower(), 1)
                    if with_state
                    else slug
                )
            elif city.slug in slug:
                slug = slug.replace(city.slug, "", 1).strip("-").replace("--", "-") or "local"
        slug = slug.replace(".", "")
        return slug[:56].strip("-") if site.bits >> 52 & 1 else slug.replace("-", "")[:56]


def family_name(surnames: tuple[str, ...], language: str, key: int) -> str:
    """A name out of a list that begins with the commoner ones, or out of a country's few commonest."""
    if language == "en":
        return surnames[int(len(surnames) * unit(key, 15) ** 2)]
    few = FAMILIES[language]
    return few[(key >> 5) % len(few)]


def _local_kind(city: City, rank: int, draw: int) -> SiteKind:
    """The first sites of a city are those that every city has; they get most links. `draw`: out of 1,024."""
    if rank < len(_HUBS) and city.people >= _SMALL_TOWN:
        return _HUBS[rank]
    if rank == len(_HUBS) and city.people >= _COLLEGE_TOWN:
        return SiteKind.UNIVERSITY
    if draw < 778:
        return SiteKind.SHOP
    if draw < 942:
        return SiteKind.BLOG
    return SiteKind.GUIDE if draw < 993 else SiteKind.NEWS


def _general_kind(draw: int) -> SiteKind:
    """`draw`: out of 1,024."""
    if draw < 30:
        return SiteKind.DIRECTORY
    if draw < 80:
        return SiteKind.CHAIN
    return SiteKind.NATIONAL if draw < 150 else SiteKind.GENERAL


def _tld(site: Site) -> str:
    draw = site.bits >> 53 & 255
    if site.language != "en":
        return site.language if draw < 218 else "com"
    if site.kind is SiteKind.UNIVERSITY:
        return "edu"
    if site.kind is SiteKind.CHAMBER:
        return "org"
    return (
        "com"
        if draw < 174
        else "net"
        if draw < 205
        else "org"
        if draw < 236
        else "info"
        if draw < 246
        else "us"
    )
