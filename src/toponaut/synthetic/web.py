"""A web without storage: every answer is computed from the seed and the URL alone.

    URL -> host -> site (sites.py) -> page (paths.py) -> content (plan.py) -> links (links.py)
    -> HTML (markup.py)

Only some thousand recent sites are cached, so the web is endless: a billion general sites and some
million local ones.
"""

from random import Random

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.sources import table
from toponaut.records import Outcome
from toponaut.synthetic.chance import name_key, unit
from toponaut.synthetic.links import PageLinker
from toponaut.synthetic.markup import page_html
from toponaut.synthetic.paths import CATEGORIES, PageSpot, Role, SitePaths, calendar_spot
from toponaut.synthetic.plan import PagePlan, PagePlanner
from toponaut.synthetic.prose import Prose, city_phrase
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import HostFault, SiteKind, SiteServers, SyntheticSite, SyntheticSites
from toponaut.synthetic.words import FOREIGN
from toponaut.synthetic.world import SyntheticWorld
from toponaut.urls import normalise

Headers = tuple[tuple[str, str], ...]

_ROBOTS = (
    "User-agent: *\nDisallow:\n",
    "User-agent: *\nDisallow: /calendar/\nDisallow: /cgi-bin/\nDisallow: /search?\n",
    "# please be kind\nUser-agent: *\nCrawl-delay: 2\nDisallow: /admin/\nDisallow: /*?sid=\n",
    "User-agent: BadBot\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp/\nAllow: /\n",
)
_CLOSED = "User-agent: *\nDisallow: /\n"
_SITEMAP = 100  # pages in a sitemap, at most
_TIMEOUT = 30.0  # seconds until a silent host is given up


class SyntheticAnswer(Struct, frozen=True):
    """The answer of a server; or, with a `fault`, the reason why there is no answer."""

    status: int
    headers: Headers
    body: bytes
    seconds: float = 0.1
    ip: str = ""
    fault: Outcome | None = None
    detail: str = ""


class SyntheticWeb:
    """The web of a gazetteer's places. The same gazetteer and settings give the same bytes."""

    def __init__(self, gazetteer: Gazetteer, settings: SyntheticSettings | None = None) -> None:
        self.settings = settings or SyntheticSettings()
        rows = list(table("words"))
        names = sorted((-int(row["surname"]), row["word"]) for row in rows)
        surnames = tuple(word.capitalize() for rank, word in names if rank <= -3)
        classes = ((row["word"], int(row["common"])) for row in rows)
        common = [(word, float(2**rank)) for word, rank in classes if 2 <= rank <= 8]
        self.world = SyntheticWorld(gazetteer, self.settings)
        self.sites = SyntheticSites(self.world, self.settings, surnames)
        self.paths = SitePaths(self.world, self.sites, self.settings)
        self.planner = PagePlanner(self.world, self.sites, self.paths, self.settings)
        self.linker = PageLinker(self.world, self.sites, self.paths, self.planner, self.settings)
        self.servers = SiteServers(self.world, self.sites, self.settings)
        self._prose = Prose(common, surnames, self.settings.seed)

    # --- answers ------------------------------------------------------------------------------

    def page(self, url: str) -> SyntheticAnswer:
        """The answer to a GET request. Never raises: URLs outside of this web have no host."""
        host, path, query, fault = self._parts(url)
        site = self.sites.find_host(host)
        if fault or site is None:
            fault = fault or Outcome.NO_HOST
            return SyntheticAnswer(0, (), b"", fault=fault, detail="not in the synthetic web")
        ip = self.servers.ip(site)
        trouble, seconds = self.sites.fault(site)
        if trouble is HostFault.GONE:
            return SyntheticAnswer(0, (), b"", fault=Outcome.NO_HOST, detail="the name has expired")
        if trouble is HostFault.SILENT:
            if site.style & 1:
                return SyntheticAnswer(0, (), b"", _TIMEOUT, ip, Outcome.TIMEOUT, "no answer")
            refused = Outcome.NO_CONNECTION
            return SyntheticAnswer(0, (), b"", 0.1, ip, refused, "connection refused")
        if host != site.host:
            return _moved(f"http://{site.host}{path}{'?' + query if query else ''}", seconds, ip)
        if trouble is HostFault.FAILING and unit(name_key(url), self.settings.seed) < 1 / 3:
            again = (("retry-after", "120"),) if site.style & 2 else ()
            headers = ("content-type", "text/html"), *again
            return SyntheticAnswer(503, headers, b"<h1>Service Unavailable</h1>", seconds, ip)
        return self._answer(site, path, query, seconds, ip)

    def find(self, url: str) -> PagePlan | None:
        """The plan of the page at a URL; None for a redirect, an error or a file."""
        host, path, query, fault = self._parts(url)
        site = self.sites.find_host(host)
        if fault or site is None or site.host != host:
            return None
        if self.sites.fault(site)[0] in (HostFault.GONE, HostFault.SILENT):
            return None
        spot = self._spot(site, path, query)
        return None if spot is None else self.planner.plan(site, spot)

    def _parts(self, url: str) -> tuple[str, str, str, Outcome | None]:
        """Host, path and query, and a fault if the URL cannot be fetched."""
        normal = normalise(url)
        if normal is None:
            return "", "/", "", Outcome.NO_HOST
        scheme, _, rest = normal.partition("://")
        authority, _, tail = rest.partition("/")
        path, _, query = tail.partition("?")
        fault = Outcome.NO_CONNECTION if ":" in authority else None
        if scheme != "http":
            fault = Outcome.NO_TLS
        return authority, f"/{path}", query, fault

    def _spot(self, site: SyntheticSite, path: str, query: str) -> PageSpot | None:
        if path.startswith("/calendar/") and self.linker.has_calendar(site):
            return calendar_spot(path)
        return self.paths.spot(site, path, query)

    def _answer(
        self, site: SyntheticSite, path: str, query: str, seconds: float, ip: str
    ) -> SyntheticAnswer:
        if path == "/robots.txt":
            return self._robots(site, seconds, ip)
        if path == "/sitemap.xml" and site.style & 1024:
            headers: Headers = (("content-type", "application/xml"),)
            return SyntheticAnswer(200, headers, self._sitemap(site), seconds, ip)
        if path.startswith("/old/"):
            number = path[5:].removesuffix(".html")
            is_number = number.isascii() and number.isdigit() and len(number) < 9
            if is_number and self.paths.exists(site, Role.PAGE, int(number)):
                return _moved(self.paths.path(site, Role.PAGE, int(number)), seconds, ip)
        spot = self._spot(site, path, query)
        if spot is None:
            title = "<html><head><title>Not Found</title></head>"
            lost = f"{title}<body><h1>404</h1><a href=/>{site.host}</a></body></html>"
            headers = (("content-type", "text/html"),)
            return SyntheticAnswer(404, headers, lost.encode(), seconds, ip)
        plan = self.planner.plan(site, spot)
        body, kind = self.body(plan)
        length, etag = str(len(body)), f'"{plan.key:016x}"'
        headers = (("content-type", kind), ("content-length", length), ("etag", etag))
        return SyntheticAnswer(200, headers, body, seconds + len(body) / 2e6, ip)

    # --- pages --------------------------------------------------------------------------------

    def body(self, plan: PagePlan) -> tuple[bytes, str]:
        """The bytes of a page and its content type."""
        site, chance = plan.site, Random(plan.key)
        links = self.linker.links(plan, chance)
        phrases = self._prose.phrases(site.language, site.subject)
        draws = chance.random() + chance.random() + chance.random()
        spread = self.settings.text_spread * 2.0 * (draws - 1.5)
        size = int(self.settings.text_bytes * 2.718281828**spread)
        sentences = self._prose.sentences(chance, phrases, size, self._inserts(plan, chance))
        latin1, declared = unit(site.style, 30) < self.settings.latin1, site.style >> 50 & 3
        charset = "iso-8859-1" if latin1 else "utf-8"
        in_head = declared in (0, 1)
        in_header = declared in (0, 2) or (declared == 3 and not latin1)
        html = page_html(
            plan, links, sentences, phrases, chance,
            charset=charset if in_head else "",
            sloppy=unit(site.style, 31) < self.settings.sloppy,
            at_foot=self.sites.has_footer_address(site)
            and plan.addresses[:1] == (self.planner.own_address(site),),
        )  # fmt: skip
        kind = f"text/html; charset={charset}" if in_header else "text/html"
        return html.encode("latin-1" if latin1 else "utf-8", "xmlcharrefreplace"), kind

    def _inserts(self, plan: PagePlan, chance: Random) -> list[str]:
        """Names in the text: cities, a city's landmarks, and names that only contain a city."""
        draw = chance.random
        found = [city_phrase(city, int(8 * draw())) for city in plan.named]
        if plan.about is not None and plan.named:
            landmarks = self._prose.landmarks(plan.about)
            count = 3 + int(10 * draw())
            found += [landmarks[int(len(landmarks) * draw() ** 2)] for _ in range(count)]
        elif draw() < 0.2:
            found.append(f"in {FOREIGN[int(len(FOREIGN) * draw())]}")
        if plan.misleading:
            found += [plan.misleading] * (1 + int(3 * draw()))
        return found

    # --- other files of a host ----------------------------------------------------------------

    def _robots(self, site: SyntheticSite, seconds: float, ip: str) -> SyntheticAnswer:
        if unit(site.style, 32) >= self.settings.robots:
            return SyntheticAnswer(
                404, (("content-type", "text/html"),), b"<h1>Not Found</h1>", seconds, ip
            )
        closed = unit(site.style, 33) < 1 / 30 and site.kind is not SiteKind.DIRECTORY
        text = _CLOSED if closed else _ROBOTS[(site.style >> 44) % len(_ROBOTS)]
        if site.style & 1024 and not closed:
            text += f"Sitemap: http://{site.host}/sitemap.xml\n"
        return SyntheticAnswer(200, (("content-type", "text/plain"),), text.encode(), seconds, ip)

    def _sitemap(self, site: SyntheticSite) -> bytes:
        numbers = range(1, min(self.sites.size(site), _SITEMAP))
        paths = ["/", *(self.paths.path(site, Role.PAGE, k) for k in numbers)]
        entries = "".join(f"<url><loc>http://{site.host}{path}</loc></url>\n" for path in paths)
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        head = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n'
        return f"{head}{entries}</urlset>\n".encode()

    # --- seeds --------------------------------------------------------------------------------

    def seeds(self, kind: str = "directory", count: int = 10, place: int = 0) -> list[str]:
        """`count` URLs to start a crawl from.

        "directory": front pages of general directories, best known first, for a broad crawl.
        "regional": their pages for the states of `place`'s country, as in Gao et al. 2006.
        "city": their lists for the city `place`, and its own guides, as in Ahlers and Boll 2009.
        """
        if kind == "directory":
            return [f"http://{site.host}/" for site in self._directories(count)]
        if kind == "regional":
            return self._regional_seeds(count, place)
        if kind == "city":
            return self._city_seeds(count, place)
        raise InputError(
            f'there are no seeds of kind "{kind}"', "Kinds are: directory, regional, city"
        )

    def _directories(self, count: int) -> list[SyntheticSite]:
        found: list[SyntheticSite] = []
        number = self.world.local_sites
        while len(found) < count:
            site = self.sites.site(number)
            sound = self.sites.fault(site)[0] is HostFault.NONE and site.twin == site.number
            if site.kind is SiteKind.DIRECTORY and sound:
                found.append(site)
            number += 1
        return found

    def _regional_seeds(self, count: int, place: int) -> list[str]:
        city = self.world.city_at(place)
        country = city.country if city else "US"
        states = [state for state in self.world.states if state.country == country]
        sites = self._directories(1 + count // len(states))
        urls = [
            f"http://{site.host}{self.paths.path(site, Role.STATE, state.number)}"
            for site in sites
            for state in states
        ]
        return urls[:count]

    def _city_seeds(self, count: int, place: int) -> list[str]:
        city = self.world.city_at(place)
        if city is None:
            countries = ", ".join(name for name, _ in self.settings.countries)
            raise InputError(
                f"the synthetic web has no pages about place {place}",
                f"Take a city with a postcode in: {countries}",
            )
        sites = self._directories(max(count // 2, 1))
        urls = [
            f"http://{site.host}{self.paths.path(site, Role.LIST, city.number * CATEGORIES)}"
            for site in sites
        ]
        own = [self.sites.site(city.first_site + k) for k in range(min(count, city.sites))]
        urls += [
            f"http://{site.host}/" for site in own if self.sites.fault(site)[0] is HostFault.NONE
        ]
        return urls[:count]


def _moved(location: str, seconds: float, ip: str) -> SyntheticAnswer:
    body = f'<html><body>Moved <a href="{location}">here</a></body></html>'.encode()
    return SyntheticAnswer(
        301, (("content-type", "text/html"), ("location", location)), body, seconds, ip
    )
