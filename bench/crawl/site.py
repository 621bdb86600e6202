"""A static web of many hosts, written as files: the same from the same numbers, and closed, so that
every crawler
that follows all links ends with the same pages.

Hosts are loopback addresses (127.0.1.1, 127.0.1.2, ...): 500 real hosts without any DNS. Hosts have
many pages or
few, pages are linked to from many places or few, as in any web; every page can be reached from the
first front page,
by a chain of front pages and, on each host, a chain of pages.

One more host, 127.0.3.1, has a single page without links: a crawl of it costs what starting costs.
"""

import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random

from bench.crawl.markup import Link, Subject, page_html
from bench.crawl.prose import Town, Writer, vocabulary

VERSION = 3  # of the pages: another number, and they are written again
INSIDE, OUTSIDE, MENU = (
    24,
    36,
    8,
)  # links of a page within its host (MENU of them on all its pages) and to others
LOCAL = (
    0.28  # of the pages; with two and a half times the place names of others, they have half of all
)
TOWN_IN_TITLE = (
    1 / 3
)  # of the local pages: the 60 anchors of a page name 5 towns, and a page 5 to 30 places in all
WITH_ADDRESS, WITH_JSON_LD, IN_1252 = 0.10, 0.25, 0.04
EMPTY_HOST = "127.0.3.1"
_PER_NET = 250  # hosts of one /24

_ROBOTS = (
    "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n",
    "User-agent: *\nCrawl-delay: 0\nDisallow: /cgi-bin/\nDisallow: /search?\nDisallow: "
    "/*?print=\nDisallow: /*.pdf$\n",
    "User-agent: *\nDisallow:\n",
    "# keep out\nUser-agent: BadBot\nUser-agent: WorseBot\nDisallow: /\n\nUser-agent: "
    "*\nDisallow: /user-admin/\n"
    "Disallow: /my-cart/\nDisallow: /check-out/\nDisallow: /for-us/\nDisallow: /tmp/\nAllow: "
    "/for-us/press/\n",
)


@dataclass(frozen=True)
class Entry:
    """A page before it is written."""

    number: int
    host: int
    path: str
    title: str
    local: bool


@dataclass(frozen=True)
class Site:
    pages: int = 20_000
    hosts: int = 500
    seed: int = 1
    port: int = 8765
    entries: list[Entry] = field(init=False, repr=False, compare=False, default_factory=list)
    firsts: list[int] = field(
        init=False, repr=False, compare=False, default_factory=list
    )  # each host's first page

    def __post_init__(self) -> None:
        for host, size in enumerate(_sizes(self.pages, self.hosts, self.seed)):
            self.firsts.append(len(self.entries))
            self.entries.extend(
                _entry(self, host, len(self.entries), place) for place in range(size)
            )

    @property
    def name(self) -> str:
        return f"site-v{VERSION}-{self.pages}-{self.hosts}-{self.seed}-{self.port}"

    @property
    def seeds(self) -> list[str]:
        """Five front pages, the first host's among them."""
        return [
            self.url(self.firsts[host]) for host in range(0, self.hosts, max(1, self.hosts // 5))
        ][:5]

    @property
    def empty(self) -> str:
        return f"http://{EMPTY_HOST}:{self.port}/"

    def url(self, number: int) -> str:
        entry = self.entries[number]
        return f"http://{address(entry.host)}:{self.port}{entry.path}"

    def encoding(self, host: int) -> str:
        return "windows-1252" if host >= self.hosts * (1 - IN_1252) else "utf-8"


def address(host: int) -> str:
    return f"127.0.{1 + host // _PER_NET}.{1 + host % _PER_NET}"


def _sizes(pages: int, hosts: int, seed: int) -> list[int]:
    """Pages of each host: from a few to some hundreds."""
    chance = Random(f"{seed} sizes")
    weights = [chance.lognormvariate(0, 0.8) for _ in range(hosts)]
    spare = pages - 5 * hosts
    assert spare >= 0, "a host has 5 pages or more"
    sizes = [5 + int(spare * weight / sum(weights)) for weight in weights]
    sizes[0] += pages - sum(sizes)
    return sizes


@cache
def _character(seed: int, host: int) -> tuple[Town, tuple[str, ...]]:
    """A host's home town and the words of its subject."""
    chance, known = Random(f"{seed} host {host}"), vocabulary()
    return chance.choice(known.towns), tuple(chance.sample(known.content, 200))


def _entry(site: Site, host: int, number: int, place: int) -> Entry:
    chance = Random(f"{site.seed} entry {number}")
    home, subject = _character(site.seed, host)
    local = chance.random() < LOCAL
    title = Writer(chance, home, subject).heading(chance.randrange(4, 9))
    if local and chance.random() < TOWN_IN_TITLE:
        title += chance.choice(
            (f" in {home.name}", f" | {home.name}, {home.state}", f" near {home.name}")
        )
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    if place == 0:
        path = "/"
    elif place <= MENU:
        path = f"/{subject[place]}/"
    else:  # three habits of writing addresses, one a host
        path = (
            f"/{subject[0]}/{slug}-{number}.html",
            f"/20{17 + place % 9}/{1 + place % 12:02}/{slug}/",
            f"/{slug}.html",
        )[host % 3]
    return Entry(number, host, path, title, local)


def _links(site: Site, entry: Entry, chance: Random) -> tuple[list[Link], list[Link]]:
    """The page's links within its host, the menu first, and those to others; some of either more
    than once.
    """
    first = site.firsts[entry.host]
    end = site.firsts[entry.host + 1] if entry.host + 1 < site.hosts else site.pages
    inside = [*range(first, min(first + MENU, end))]
    inside += [entry.number + 1] if entry.number + 1 < end else []
    inside += [
        first + int((end - first) * chance.random() ** 2) for _ in range(INSIDE - len(inside))
    ]
    outside = [site.firsts[(entry.host + 1) % site.hosts]] if entry.number == first else []
    while (
        len(outside) < OUTSIDE
    ):  # few pages have many links; 7919 is prime, so that those are of all hosts
        number = int(site.pages * chance.random() ** 2) * 7919 % site.pages
        if site.entries[number].host != entry.host or site.hosts == 1:
            outside.append(number)

    def anchor(number: int) -> str:
        words = site.entries[number].title.split()
        return " ".join(words if chance.random() < 0.5 else words[-chance.randrange(1, 5) :])

    return (
        [Link(site.entries[number].path, anchor(number)) for number in inside],
        [Link(site.url(number), anchor(number)) for number in outside],
    )


def page_body(site: Site, number: int) -> bytes:
    entry = site.entries[number]
    chance = Random(f"{site.seed} page {number}")
    writer = Writer(chance, *_character(site.seed, entry.host))
    encoding = site.encoding(entry.host)
    subject = Subject(
        url=site.url(number),
        title=entry.title,
        local=entry.local,
        encoding=encoding,
        style=entry.host % 3,
        address=writer.address() if chance.random() < WITH_ADDRESS else None,
        json_ld=chance.random() < WITH_JSON_LD,
    )
    return page_html(writer, subject, *_links(site, entry, chance)).encode(
        encoding, "xmlcharrefreplace"
    )


def write(site: Site, folder: Path) -> Path:
    """The site's folder below the given one; written if it is not there yet (a minute and half a
    gigabyte).
    """
    target = folder / site.name
    if target.exists():
        return target
    half = target.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    for host in range(site.hosts):
        root = half / address(host)
        root.mkdir(parents=True)
        (root / "robots.txt").write_text(_ROBOTS[host % len(_ROBOTS)])
    (half / EMPTY_HOST).mkdir()
    (half / EMPTY_HOST / "index.html").write_text(
        "<title>Nothing</title><p>There are no links here."
    )
    (half / EMPTY_HOST / "robots.txt").write_text(_ROBOTS[0])
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(partial(_write_host, site, half), range(site.hosts)):
            pass
    return half.rename(target)


def _write_host(site: Site, folder: Path, host: int) -> None:
    end = site.firsts[host + 1] if host + 1 < site.hosts else site.pages
    for number in range(site.firsts[host], end):
        path = site.entries[number].path
        file = (
            folder
            / address(host)
            / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(page_body(site, number))
