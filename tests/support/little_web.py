"""A deterministic small web that tests crawl: some hosts, a few hundred pages, and all that real
sites have.

Pages of a host form a tree (each is linked from its parent, so all can be found) with 5 to 20 links
each across hosts. Among them are postal addresses of real US cities and links that name them,
copies of pages, redirects, dead links, nofollow links, and a folder that robots.txt forbids. Every
second host has a sitemap.
"""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.support.web_answers import Answer, Page, Redirect, Robots, Sitemap, head

ADDRESSES = (
    "123 Main Street, Springfield, IL 62701",
    "400 Broad Street, Seattle, WA 98109",
    "1100 Congress Avenue, Austin, TX 78701",
    "200 East Colfax Avenue, Denver, CO 80203",
    "1 Dr Carlton B Goodlett Place, San Francisco, CA 94102",
    "121 North LaSalle Street, Chicago, IL 60602",
    "1221 SW 4th Avenue, Portland, OR 97204",
    "200 North Spring Street, Los Angeles, CA 90012",
    "350 South 5th Street, Minneapolis, MN 55415",
    "55 Trinity Avenue SW, Atlanta, GA 30303",
    "1 City Hall Square, Boston, MA 02201",
    "455 North Main Street, Wichita, KS 67202",
)
TOPICS = "diner museum library theatre bakery garage school harbour clinic market".split()
_ROBOTS = "User-agent: *\nDisallow: /private/\n"
_WORDS = tuple(
    """ about after again anchor apple autumn balcony barrel basket beach bicycle blanket border
    bottle branch bridge bright broken brush bucket butter button cabin candle canvas captain carpet
    castle cellar chapel cherry circle cloud coast coffee copper corner cotton cousin cradle
    crossing curtain dancer daring desert dinner doctor dollar dragon drawer eagle early earth
    eastern eleven engine evening fabric famous farmer feather ferry fiddle finger forest fortune
    fountain friend frozen gallery garden gentle giant ginger glass golden grain granite gravel
    guitar hammer happy harvest heaven hidden history honest honey horizon island jacket jewel
    journey kitchen ladder lantern lawyer leather letter lively lonely lumber marble meadow melody
    middle mirror modern morning mountain music narrow needle noble northern number ocean office
    orange orchard oyster paddle palace paper parade pencil pepper picnic pillow planet pocket
    polite potato powder prairie pumpkin purple quarter quiet rabbit railway rapid ribbon river
    rocket rolling saddle sailor salmon sandy season second shadow silver simple singer sister
    smooth soldier southern spring square station stone storm story summer sunset supper sweet table
    temple thunder timber tower travel tunnel valley velvet village violin voyage wagon water
    weather western whistle window winter wonder wooden yellow """.split()
)


@dataclass(frozen=True)
class LittleWeb:
    """The web, and the truth about it. All hosts are on port 80, behind a proxy."""

    sites: dict[str, dict[str, bytes | str | Answer]]
    seed: str  # from here all of `pages` can be found
    pages: frozenset[str]  # that a crawl which obeys robots.txt finds, copies included
    copies: frozenset[str]  # of them, those that equal another page
    relevant: frozenset[str]  # of them, those with an address
    redirects: frozenset[str]
    missing: frozenset[str]  # linked to, and 404
    forbidden: frozenset[str]  # linked to, and forbidden by robots.txt


def little_web(seed: int = 0, hosts: int = 8, pages: int = 200) -> LittleWeb:
    """The same numbers, the same web."""
    return _Builder(random.Random(seed), hosts, pages).build()


def export(web: LittleWeb, folder: Path) -> Path:
    """The web as a folder that can be replayed: files and their manifest.tsv."""
    lines = []
    for host, site in web.sites.items():
        (folder / host).mkdir(parents=True)
        for number, (path, answer) in enumerate(site.items()):
            assert isinstance(answer, Page)
            name, kind, content = f"{host}/{number}.html", answer.content_type, answer.content
            if answer.status != 200:
                headers = (("Content-Type", kind), *answer.headers)
                kind, content = "message/http", head(answer.status, headers) + content
            (folder / name).write_bytes(content)
            lines.append(f"http://{host}{path}\t{name}\t{kind}\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


class _Builder:
    def __init__(self, rng: random.Random, hosts: int, pages: int) -> None:
        self._rng = rng
        self._hosts = [
            f"www.{TOPICS[number % len(TOPICS)]}-{number}.test" for number in range(hosts)
        ]
        self._paths = {host: ["/"] for host in self._hosts}
        for number in range(hosts, pages):
            self._paths[self._hosts[number % hosts]].append(
                f"/{'-'.join(rng.sample(_WORDS, 2))}-{number}.html"
            )
        self._all = [
            f"http://{host}{path}" for host, paths in self._paths.items() for path in paths
        ]
        self._relevant: set[str] = set()
        self._copies: set[str] = set()
        self._redirects: set[str] = set()
        self._missing: set[str] = set()
        self._forbidden: set[str] = set()

    def build(self) -> LittleWeb:
        sites = {host: self._site(host) for host in self._hosts}
        return LittleWeb(
            sites=sites,
            seed=f"http://{self._hosts[0]}/",
            pages=frozenset(self._all) | self._copies,
            copies=frozenset(self._copies),
            relevant=frozenset(self._relevant),
            redirects=frozenset(self._redirects),
            missing=frozenset(self._missing),
            forbidden=frozenset(self._forbidden),
        )

    def _site(self, host: str) -> dict[str, bytes | str | Answer]:
        number = self._hosts.index(host)
        paths = self._paths[host]
        site: dict[str, bytes | str | Answer] = {}
        for place, path in enumerate(paths):
            children = [
                paths[child] for child in range(3 * place + 1, 3 * place + 4) if child < len(paths)
            ]
            if not place and number + 1 < len(self._hosts):
                children.append(f"http://{self._hosts[number + 1]}/")
            site[path] = Page(self._html(host, path, children, site))
        rules = _ROBOTS
        if number % 2:
            rules += f"Sitemap: http://{host}/sitemap.xml\n"
            site["/sitemap.xml"] = Sitemap(f"http://{host}{path}" for path in paths)
        site["/robots.txt"] = Robots(rules)
        site["/private/"] = Page("<title>Private</title><p>Private page.</p>")
        return site

    def _html(
        self, host: str, path: str, children: list[str], site: dict[str, bytes | str | Answer]
    ) -> str:
        rng = self._rng
        extra = rng.randint(5, 16)
        hrefs = children + [rng.choice(self._all) for _ in range(max(0, extra - len(children)))]
        hrefs += self._oddities(host, path, site)
        rng.shuffle(hrefs)
        links = "\n".join(self._item(number, href) for number, href in enumerate(hrefs))
        address = ""
        if rng.random() < 0.3:
            address = f"<address>{rng.choice(ADDRESSES)}</address>"
            self._relevant.add(f"http://{host}{path}")
        paragraphs = "\n".join(f"<p>{self._words(60).capitalize()}.</p>" for _ in range(4))
        title = self._words(4).title()
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head>\n"
            f"<body><h1>{title}</h1>\n{paragraphs}\n<ul>\n{links}\n</ul>\n{address}</body></html>\n"
        )

    def _item(self, number: int, href: str) -> str:
        """Every third link names a place, right or wrong."""
        place = (
            f" in {ADDRESSES[len(href) % len(ADDRESSES)].split(', ')[1]}" if number % 3 == 0 else ""
        )
        return f'<li><a href="{href}">{self._words(3)}{place}</a> {self._words(6)}</li>'

    def _oddities(self, host: str, path: str, site: dict[str, bytes | str | Answer]) -> list[str]:
        """Links to anything but plain pages: at most one of each kind."""
        rng, place = self._rng, len(site)
        hrefs = []
        if rng.random() < 0.1:
            hrefs.append(f"/missing/{place}.html")
            self._missing.add(f"http://{host}/missing/{place}.html")
        if rng.random() < 0.1:
            hrefs.append("/private/")
            self._forbidden.add(f"http://{host}/private/")
        if rng.random() < 0.1:
            hrefs.append(f"/old/{place}")
            site[f"/old/{place}"] = Redirect(rng.choice(self._all), rng.choice((301, 302, 308)))
            self._redirects.add(f"http://{host}/old/{place}")
        if site and path != "/" and rng.random() < 0.1:
            original = rng.choice([one for one in self._paths[host] if one in site])
            hrefs.append(f"/copy/{place}.html")
            site[f"/copy/{place}.html"] = site[original]
            self._copies.add(f"http://{host}/copy/{place}.html")
            if f"http://{host}{original}" in self._relevant:
                self._relevant.add(f"http://{host}/copy/{place}.html")
        return hrefs

    def _words(self, count: int) -> str:
        return " ".join(self._rng.choices(_WORDS, k=count))
