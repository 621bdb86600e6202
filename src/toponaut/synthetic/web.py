"""A web without storage: every answer is computed from the seed and the URL alone.

    URL -> host -> site (sites.py) -> page (paths.py) -> what it is about (plan.py) -> links (links.py) -> HTML (markup.py)

Nothing is kept but a few thousand sites that were met last, so the web has no end: a billion general sites and some
million local ones, of which a crawl meets what its links lead to.
"""

from random import Random

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.sources import table
from toponaut.records import Outcome
from toponaut.synthetic.chance import name_key, unit
from toponaut.synthetic.hosting import Hosting
from toponaut.synthetic.links import Linker
from toponaut.synthetic.markup import page_html
from toponaut.synthetic.paths import CATEGORIES, LIST, PAGE, STATE, Paths, Spot, calendar_spot
from toponaut.synthetic.plan import Plan, Planner
from toponaut.synthetic.prose import Prose, city_phrase
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.sites import Fault, Site, SiteKind, Sites
from toponaut.synthetic.words import FOREIGN
from toponaut.synthetic.world import World
from toponaut.urls import normalise

Headers = tuple[tuple[str, str], ...]

_ROBOTS = (
    "User-agent: *\nDisallow:\n",
    "User-agent: *\nDisallow: /calendar/\nDisallow: /cgi-bin/\nDisallow: /search?\n",
    "# please be kind\nUser-agent: *\nCrawl-delay: 2\nDisallow: /admin/\nDisallow: /*?sid=\n",
    "User-agent: BadBot\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp/\nAllow: /\n",
)
_CLOSED = "User-agent: *\nDisallow: /\n"
_SITEMAP = 100  # pages that a sitemap lists at most
_TIMEOUT = 30.0  # seconds until a host that says nothing is given up


class Answer(Struct, frozen=True):
    """What a server of this web sends; or, with a `fault`, why nothing comes."""

    status: int
    headers: Headers
    body: bytes
    seconds: float = 0.1
    ip: str = ""
    fault: Outcome | None = None
    detail: str = ""


class SyntheticWeb:
    """The web of a gazetteer's places. Two with the same gazetteer and settings answer alike, byte for byte."""

    def __init__(self, gazetteer: Gazetteer, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        rows = list(table("words"))
        names = sorted(
            (-int(row["surname"]), row["word"]) for row in rows if int(row["surname"]) >= 3
        )
        surnames = tuple(word.capitalize() for _, word in names)
        common = [
            (row["word"], float(2 ** int(row["common"])))
            for row in rows
            if 2 <= int(row["common"]) <= 8
        ]
        self.world = World(gazetteer, self.settings)
        self.sites = Sites(self.world, self.settings, surnames)
        self.paths = Paths(self.world, self.sites, self.settings)
        self.planner = Planner(self.world, self.sites, self.paths, self.settings)
        self._linker = Linker(self.world, self.sites, self.paths, self.planner, self.settings)
        self.hosting = Hosting(self.world, self.sites, self.settings)
        self._prose = Prose(common, surnames, self.settings.seed)

    # --- answers ------------------------------------------------------------------------------

    def page(self, url: str) -> Answer:
        """The answer to a GET. Never raises: what is no URL of this web has no host."""
        host, path, query, fault = self._parts(url)
        site = self.sites.of_host(host)
        if fault or site is None:
            return Answer(
                0, (), b"", fault=fault or Outcome.NO_HOST, detail="not in the synthetic web"
            )
        ip = self.hosting.ip(site)
        trouble, seconds = self.sites.fault(site)
        if trouble is Fault.GONE:
            return Answer(0, (), b"", fault=Outcome.NO_HOST, detail="the name has expired")
        if trouble is Fault.SILENT:
            late = site.style & 1
            fault, detail = (
                (Outcome.TIMEOUT, "no answer")
                if late
                else (Outcome.NO_CONNECTION, "connection refused")
            )
            return Answer(0, (), b"", _TIMEOUT if late else 0.1, ip, fault, detail)
        if host != site.host:
            return _moved(f"http://{site.host}{path}{'?' + query if query else ''}", seconds, ip)
        if trouble is Fault.FAILING and unit(name_key(url), self.settings.seed) < 1 / 3:
            again = (("retry-after", "120"),) if site.style & 2 else ()
            return Answer(
                503,
                (("content-type", "text/html"), *again),
                b"<h1>Service Unavailable</h1>",
                seconds,
                ip,
            )
        return self._answer(site, path, query, seconds, ip)

    def find(self, url: str) -> Plan | None:
        """The plan of the page behind a URL; None where no page is: a redirect, an error, a file."""
        host, path, query, fault = self._parts(url)
        site = self.sites.of_host(host)
        if (
            fault
            or site is None
            or site.host != host
            or self.sites.fault(site)[0] in (Fault.GONE, Fault.SILENT)
        ):
            return None
        spot = self._spot(site, path, query)
        return None if spot is None else self.planner.plan(site, spot)

    def _parts(self, url: str) -> tuple[str, str, str, Outcome | None]:
        """Host, path and query, and what speaks against asking at all."""
        normal = normalise(url)
        if normal is None:
            return "", "/", "", Outcome.NO_HOST
        scheme, _, rest = normal.partition("://")
        authority, _, tail = rest.partition("/")
        path, _, query = tail.partition("?")
        fault = (
            Outcome.NO_TLS
            if scheme != "http"
            else Outcome.NO_CONNECTION
            if ":" in authority
            else None
        )
        return authority, f"/{path}", query, fault

    def _spot(self, site: Site, path: str, query: str) -> Spot | None:
        if path.startswith("/calendar/") and self._linker.has_calendar(site):
            return calendar_spot(path)
        return self.paths.spot(site, path, query)

    def _answer(self, site: Site, path: str, query: str, seconds: float, ip: str) -> Answer:
        if path == "/robots.txt":
            return self._robots(site, seconds, ip)
        if path == "/sitemap.xml" and site.style & 1024:
            return Answer(
                200, (("content-type", "application/xml"),), self._sitemap(site), seconds, ip
            )
        if path.startswith("/old/"):
            number = path[5:].removesuffix(".html")
            if (
                number.isascii()
                and number.isdigit()
                and len(number) < 9
                and self.paths.exists(site, PAGE, int(number))
            ):
                return _moved(self.paths.path(site, PAGE, int(number)), seconds, ip)
        spot = self._spot(site, path, query)
        if spot is None:
            lost = f"<html><head><title>Not Found</title></head><body><h1>404</h1><a href=/>{site.host}</a></body></html>"
            return Answer(404, (("content-type", "text/html"),), lost.encode(), seconds, ip)
        plan = self.planner.plan(site, spot)
        body, kind = self._body(plan)
        headers = (
            ("content-type", kind),
            ("content-length", str(len(body))),
            ("etag", f'"{plan.key:016x}"'),
        )
        return Answer(200, headers, body, seconds + len(body) / 2e6, ip)

    # --- pages --------------------------------------------------------------------------------

    def _body(self, plan: Plan) -> tuple[bytes, str]:
        """The bytes of a page and its content type."""
        site, chance = plan.site, Random(plan.key)
        links = self._linker.links(plan, chance)
        phrases = self._prose.phrases(site.language, site.subject)
        spread = (
            self.settings.text_spread
            * 2.0
            * (chance.random() + chance.random() + chance.random() - 1.5)
        )
        size = int(self.settings.text_bytes * 2.718281828**spread)
        sentences = self._prose.sentences(chance, phrases, size, self._inserts(plan, chance))
        latin1, declared = unit(site.style, 30) < self.settings.latin1, site.style >> 50 & 3
        charset = "iso-8859-1" if latin1 else "utf-8"
        in_head, in_header = (
            declared in (0, 1),
            declared in (0, 2) or (declared == 3 and not latin1),
        )
        html = page_html(
            plan,
            links,
            sentences,
            phrases,
            chance,
            charset=charset if in_head else "",
            sloppy=unit(site.style, 31) < self.settings.sloppy,
            at_foot=self.sites.has_footer_address(site),
        )
        kind = f"text/html; charset={charset}" if in_header else "text/html"
        return html.encode("latin-1" if latin1 else "utf-8", "xmlcharrefreplace"), kind

    def _inserts(self, plan: Plan, chance: Random) -> list[str]:
        """Names that stand in the text: cities, a city's own landmarks, and what only sounds like a city."""
        draw = chance.random
        found = [city_phrase(city, int(8 * draw())) for city in plan.named]
        if plan.about is not None and plan.named:
            flavours = self._prose.flavours(plan.about)
            found += [
                flavours[int(len(flavours) * draw() ** 2)] for _ in range(3 + int(10 * draw()))
            ]
        elif draw() < 0.2:
            found.append(f"in {FOREIGN[int(len(FOREIGN) * draw())]}")
        if plan.misleading:
            found += [plan.misleading] * (1 + int(3 * draw()))
        return found

    # --- what a host has beside pages ---------------------------------------------------------

    def _robots(self, site: Site, seconds: float, ip: str) -> Answer:
        if unit(site.style, 32) >= self.settings.robots:
            return Answer(404, (("content-type", "text/html"),), b"<h1>Not Found</h1>", seconds, ip)
        closed = unit(site.style, 33) < 1 / 30 and site.kind is not SiteKind.DIRECTORY
        text = _CLOSED if closed else _ROBOTS[(site.style >> 44) % len(_ROBOTS)]
        if site.style & 1024 and not closed:
            text += f"Sitemap: http://{site.host}/sitemap.xml\n"
        return Answer(200, (("content-type", "text/plain"),), text.encode(), seconds, ip)

    def _sitemap(self, site: Site) -> bytes:
        paths = [
            "/",
            *(
                self.paths.path(site, PAGE, k)
                for k in range(1, min(self.sites.size(site), _SITEMAP))
            ),
        ]
        entries = "".join(f"<url><loc>http://{site.host}{path}</loc></url>\n" for path in paths)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        return f"{head}{entries}</urlset>\n".encode()

    # --- where to begin -----------------------------------------------------------------------

    def seeds(self, kind: str = "directory", count: int = 10, place: int = 0) -> list[str]:
        """Good places to start a crawl, as many as asked for.

        "directory": front pages of general directories, the best known first, as a broad crawl starts with. "regional": their
        pages for states (or for the country of `place`), as Gao et al. did. "city": their lists for the city `place`, and its
        own guides, as Ahlers and Boll did.
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

    def _directories(self, count: int) -> list[Site]:
        found: list[Site] = []
        number = self.world.local_sites
        while len(found) < count:
            site = self.sites.site(number)
            sound = self.sites.fault(site)[0] is Fault.NONE and site.twin == site.number
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
            f"http://{site.host}{self.paths.path(site, STATE, state.number)}"
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
            f"http://{site.host}{self.paths.path(site, LIST, city.number * CATEGORIES)}"
            for site in sites
        ]
        own = [self.sites.site(city.first_site + k) for k in range(min(count, city.sites))]
        urls += [f"http://{site.host}/" for site in own if self.sites.fault(site)[0] is Fault.NONE]
        return urls[:count]


def _moved(location: str, seconds: float, ip: str) -> Answer:
    body = f'<html><body>Moved <a href="{location}">here</a></body></html>'.encode()
    return Answer(301, (("content-type", "text/html"), ("location", location)), body, seconds, ip)
