"""Sites and their servers: a number -> a site with all its properties, and a host -> the number.

Host names are `houston-pizza_4711.com`: the site's number after an underscore, with a real
top-level domain. No registry allows an underscore (it is not an LDH label, RFC 5890), so none of
these hosts can exist and no real host gets a request. Public suffix rules, country filters and the
words of a URL work as on the web; with ".example" they would not.

Most sites are met once, as the target of a link, so a site is made in a few microseconds from the
bits of two hashes. Properties that only its pages need are computed on request.

Servers have addresses in 2001:db8::/32, reserved for documentation (RFC 3849). The 32 bits after
the prefix are the id of the server's place, so every city has its own network.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.words import (
    FAMILIES,
    TOPICS,
    TRADES,
    TRADES_DE,
    TRADES_PT,
    general_name,
    local_name,
)
from toponaut.synthetic.world import SyntheticCity, SyntheticWorld, slug_of

_HOST = re.compile(r"(www\.)?([a-z0-9-]{1,63})_(0|[1-9]\d{0,12})\.([a-z.]{2,8})")
_REMEMBERED = 20_000  # sites
_HOSTERS = 40  # cities of a country with hosting companies
_PER_ADDRESS = 24  # hosts that share an address
_ADDRESSES = 4096  # of a city
_LOCAL_LANGUAGE = {"US": "en", "DE": "de", "PT": "pt"}


class SiteKind(StrEnum):
    """Kinds of sites."""

    GUIDE = "guide"  # of a city
    CHAMBER = "chamber"  # of commerce, with its members
    NEWS = "news"  # a local paper
    UNIVERSITY = "university"
    SHOP = "shop"  # or a church, a law firm, a club: one address
    BLOG = "blog"  # of a person in a city
    DIRECTORY = "directory"  # of the whole web, with a page for every city
    CHAIN = "chain"  # of stores, with a page for each
    NATIONAL = "national"  # a magazine that mentions cities
    GENERAL = "general"  # nothing local


LISTS = frozenset({SiteKind.GUIDE, SiteKind.CHAMBER, SiteKind.DIRECTORY})
_LARGE = frozenset({SiteKind.GUIDE, SiteKind.NEWS, SiteKind.UNIVERSITY})
_HUBS = (SiteKind.GUIDE, SiteKind.CHAMBER, SiteKind.NEWS)
_SMALL_TOWN, _COLLEGE_TOWN = 3_000, 40_000  # people
_SUBJECTS = {"en": tuple(TRADES), "de": tuple(TRADES_DE), "pt": tuple(TRADES_PT)}
_TOPICS = tuple(TOPICS)


class HostFault(StrEnum):
    """Faults of a host."""

    NONE = ""
    GONE = "gone"
    SILENT = "silent"
    FAILING = "failing"
    SLOW = "slow"


class SyntheticSite:
    """A site. `style` and `bits` are 64 random bits each."""

    __slots__ = (
        "bits", "city_in_host", "city_in_path", "home", "host", "is_local", "key", "kind",
        "language", "name", "number", "style", "subject", "twin",
    )  # fmt: skip

    def __init__(self, number: int, twin: int, key: int, is_local: bool) -> None:
        self.number = number
        self.twin = twin  # the site that it mirrors; mostly itself
        self.key = key  # of all its random draws
        self.style = mix(key, 1)
        self.bits = mix(key, 2)
        self.is_local = is_local
        self.kind = SiteKind.GENERAL
        self.language = "en"
        self.subject = ""  # a topic or a trade
        self.name = ""
        self.host = ""
        self.home: SyntheticCity | None = None  # of a local site
        self.city_in_host = False
        self.city_in_path = False


class SyntheticSites:
    """All sites of a web."""

    def __init__(
        self, world: SyntheticWorld, settings: SyntheticSettings, surnames: tuple[str, ...]
    ) -> None:
        self._world = world
        self._settings = settings
        self._seed = mix(settings.seed, 0x70F0)
        self._surnames = surnames
        self._host_city = {SiteKind(kind): share for kind, share in settings.host_city}
        self._footer = {SiteKind(kind): share for kind, share in settings.footer_address}
        self.site = lru_cache(_REMEMBERED)(self._make)
        self.count = world.local_sites + settings.general_sites

    def find_host(self, host: str) -> SyntheticSite | None:
        """The site of a host, with or without "www."."""
        found = _HOST.fullmatch(host)
        if found is None or int(found[3]) >= self.count:
            return None
        site = self.site(int(found[3]))
        return site if host.removeprefix("www.") == site.host.removeprefix("www.") else None

    def size(self, site: SyntheticSite) -> int:
        """The number of its pages, by Pareto's law. Well-known general sites are the largest."""
        if site.is_local:
            least = self._settings.local_pages * (40 if site.kind in _LARGE else 1)
        else:
            rank = site.twin - self._world.local_sites
            least = self._settings.general_pages * (60 if rank < 100 else 8 if rank < 2000 else 1)
        pages = least * (1.0 - unit(site.key, 10)) ** (-1.0 / self._settings.pages_shape)
        return int(min(pages, self._settings.most_pages))

    def city(self, site: SyntheticSite) -> SyntheticCity | None:
        """Its home city; for half of the general sites, the city of their owner."""
        if site.is_local:
            return site.home
        return self._world.draw_named(unit(site.key, 8)) if site.bits & 1 else None

    def surname(self, language: str, key: int) -> str:
        """A family name in a language."""
        return family_name(self._surnames, language, key)

    def has_footer_address(self, site: SyntheticSite) -> bool:
        return unit(site.key, 23) < self._footer.get(site.kind, 0.0)

    def fault(self, site: SyntheticSite) -> tuple[HostFault, float]:
        """The fault of a host, and the seconds that its answers take."""
        settings, draw = self._settings, unit(mix(self._seed, site.number), 20)
        quick = 0.05 + 0.4 * unit(site.style, 21) ** 3
        for fault, share in (
            (HostFault.GONE, settings.dead_hosts),
            (HostFault.SILENT, settings.silent_hosts),
            (HostFault.FAILING, settings.failing_hosts),
        ):
            if draw < share:
                return fault, quick
            draw -= share
        if draw < settings.slow_hosts:
            return HostFault.SLOW, 2.0 + 13.0 * unit(site.style, 22)
        return HostFault.NONE, quick

    # --- making a site ------------------------------------------------------------------------

    def _make(self, number: int) -> SyntheticSite:
        """The site with a number."""
        twin, key = number, mix(self._seed, number)
        if (key >> 40 & 0xFFFF) < 0x10000 * self._settings.mirrors:
            twin = self._twin(number, key)
            key = mix(self._seed, twin)
        site = SyntheticSite(number, twin, key, twin < self._world.local_sites)
        if site.is_local:
            self._make_local(site)
        else:
            self._make_general(site)
        www = "www." if site.bits >> 6 & 3 else ""
        site.host = f"{www}{self._label(site)}_{number}.{_tld(site)}"
        return site

    def _twin(self, number: int, key: int) -> int:
        """The site that a mirror copies: of the same city, or another general one."""
        if number < self._world.local_sites:
            city = self._world.city_of_site(number)
            return city.first_site + mix(key, 3) % city.sites
        return self._world.local_sites + (number - self._world.local_sites) // 2

    def _make_local(self, site: SyntheticSite) -> None:
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
        named_after = city.name if named else ""
        site.name = local_name(
            kind.value, site.language, site.subject, named_after, city.name, owner, site.key
        )

    def _make_general(self, site: SyntheticSite) -> None:
        site.kind = kind = _general_kind(site.bits >> 8 & 1023)
        language = site.bits >> 18 & 255
        if kind in (SiteKind.GENERAL, SiteKind.NATIONAL):
            site.language = "en" if language < 215 else "de" if language < 240 else "pt"
            topic = _TOPICS[(site.bits >> 26 & 1023) % len(_TOPICS)]
            site.subject = topic if site.language == "en" else "forum"
        else:
            site.subject = kind.value
        owner = ""
        if site.language != "en":
            owner = family_name(self._surnames, site.language, site.key)
        site.name = general_name(kind.value, site.subject, owner, site.key)

    def _label(self, site: SyntheticSite) -> str:
        """The site's name in its host, with or without the city."""
        name, city = site.name, site.home
        slug = name.lower().replace(" & ", "-").replace(" ", "-").replace("'", "")
        slug = slug if name.isascii() else slug_of(name)
        if city is not None:
            if site.city_in_host:
                with_state = city.country == "US" and site.bits >> 49 & 7 == 0
                if city.slug not in slug:
                    slug = f"{city.slug}-{slug}"
                if with_state:
                    slug = slug.replace(city.slug, city.slug + city.state.lower(), 1)
            elif city.slug in slug:
                slug = slug.replace(city.slug, "", 1).strip("-").replace("--", "-") or "local"
        slug = slug.replace(".", "")
        return slug[:56].strip("-") if site.bits >> 52 & 1 else slug.replace("-", "")[:56]


def family_name(surnames: tuple[str, ...], language: str, key: int) -> str:
    """A family name: common English ones more often; else one of the commonest of a language."""
    if language == "en":
        return surnames[int(len(surnames) * unit(key, 15) ** 2)]
    few = FAMILIES[language]
    return few[(key >> 5) % len(few)]


def _local_kind(city: SyntheticCity, rank: int, draw: int) -> SiteKind:
    """Every city has the same first sites, which get most links. `draw`: out of 1,024."""
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


def _tld(site: SyntheticSite) -> str:
    draw = site.bits >> 53 & 255
    if site.language != "en":
        return site.language if draw < 218 else "com"
    if site.kind is SiteKind.UNIVERSITY:
        return "edu"
    if site.kind is SiteKind.CHAMBER:
        return "org"
    limits = (("com", 174), ("net", 205), ("org", 236), ("info", 246), ("us", 256))
    return next(name for name, limit in limits if draw < limit)


class SiteServers:
    """The cities and addresses of servers."""

    def __init__(
        self, world: SyntheticWorld, sites: SyntheticSites, settings: SyntheticSettings
    ) -> None:
        self._world = world
        self._sites = sites
        self._own = settings.own_address
        self._hosters = {
            country: [
                world.draw_in(country, unit(mix(settings.seed, 103), k)) for k in range(_HOSTERS)
            ]
            for country, _ in settings.countries
        }

    def city(self, site: SyntheticSite) -> SyntheticCity:
        """The city of a site's server: its own, or that of a hosting company."""
        home = self._sites.city(site)
        if home is not None and unit(site.key, 100) < self._own:
            return home
        hosters = self._hosters[home.country if home else "US"]
        return hosters[int(len(hosters) * unit(site.key, 101) ** 2)]

    def ip(self, site: SyntheticSite) -> str:
        place = self.city(site).place
        shared = mix(site.key, 102) % (_ADDRESSES // _PER_ADDRESS)
        return f"2001:db8:{place >> 16 & 0xFFFF:x}:{place & 0xFFFF:x}::{shared + 1:x}"

    def networks(self) -> Iterator[tuple[str, SyntheticCity]]:
        """The network of every city: the content of an IP-to-city database."""
        for city in self._world.cities:
            yield f"2001:db8:{city.place >> 16 & 0xFFFF:x}:{city.place & 0xFFFF:x}::/64", city
