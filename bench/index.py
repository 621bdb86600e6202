"""Speed of building and searching the index, compared with SQLite FTS5; and quality of answers.

    python -m bench.index [pages ...]        (default: 5,000 and 100,000)

**Pages** are from the synthetic web, about sixty cities in three countries (with Springfields,
Portlands and Glendales), parsed and judged as in a crawl. At most MADE are generated; further pages
are copies under other URLs whose lines are mixed with those of another page.

**Quality** is measured on the first MADE pages against the web's truth, for 200 generated queries:
is the place understood, and which share of the first ten hits is right, that is, about the place
and with all words. A name without a state means the city with the most right pages; if none has
three times as many as the next, the name is not used. Half of a city's pages neither name it nor
have an address, so only queries with ten findable pages count. For "near" queries only the place
counts. Cities have pages in proportion to their sites, at least eight.

**Rival**: SQLite FTS5 with BM25, and a table of points indexed by latitude and longitude, searched
for the same words in the bounding box of the place. It is given the place: it has no gazetteer.

Times are CPU times of this process, per query from text to ten hits with extracts.
"""

import math
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from toponaut.crawl.directory import LOG
from toponaut.index import Question, Search, index_folder
from toponaut.index.georeference import city_km
from toponaut.index.write.update import update_index
from toponaut.job import Job, TargetsSection, render
from toponaut.log import LogWriter
from toponaut.page.reading.reader import PageReader
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_gazetteer, open_names
from toponaut.records import Outcome, Response, Visit
from toponaut.synthetic.paths import Role
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import SiteKind
from toponaut.synthetic.truth import PageTruth, page_truth
from toponaut.synthetic.web import SyntheticWeb
from toponaut.synthetic.world import SyntheticCity

MADE = 5000
QUERIES, TIMED = 200, 500
NAMES = (
    "Springfield", "Portland", "Glendale", "Columbus", "Aurora", "Houston", "Lisbon", "Lisboa",
    "Oldenburg", "Bremen", "Athens",
    "Paris", "Arlington", "Rochester", "Jackson", "Las Vegas", "Austin", "Denver", "Reading",
    "Mobile", "Porto", "Kansas City",
    "Fort Worth", "Richmond", "Hannover", "Coimbra", "Cambridge", "Burlington",
)  # fmt: skip
_MAJORITY = 3
_LEAST = 8  # pages of a city
_WORD = re.compile(r"\w+")
WORDS = {
    "US": (
        "plumbing",
        "pizza",
        "dentist",
        "attorney",
        "flowers",
        "hotel",
        "church",
        "auto repair",
        "realty",
        "restaurant",
    ),
    "DE": ("pizzeria", "zahnarzt", "hotel", "kontakt", "termine"),
    "PT": ("restaurante", "hotel", "contactos", "menu"),
}
JOB = Job(seeds=("http://example.org/",), targets=TargetsSection(presets=("us-top-100",)))


class Asked(NamedTuple):
    """A generated query, with its right place and pages."""

    text: str
    words: tuple[str, ...]
    city: str
    place: int
    right: frozenset[str]  # URLs
    findable: int  # of those, pages that name the place or have an address there

    @property
    def is_near(self) -> bool:
        return " near " in self.text


# --- pages ----------------------------------------------------------------------------------------


def cities(web: SyntheticWeb) -> list[SyntheticCity]:
    """The largest two or three of each name."""
    chosen: list[SyntheticCity] = []
    for name in NAMES:
        chosen += [city for city in web.world.cities if city.name == name][:3]
    return chosen


def urls(web: SyntheticWeb, city: SyntheticCity) -> Iterator[str]:
    """Pages of a city's sites, and of lists about it."""
    for number in range(city.first_site, city.first_site + city.sites):
        site = web.sites.site(number)
        yield f"http://{site.host}{web.paths.path(site, Role.HOME)}"
        for role in (Role.CONTACT, Role.ABOUT):
            yield f"http://{site.host}{web.paths.path(site, role)}"
        for k in range(
            web.paths.lists(site) if site.kind in (SiteKind.GUIDE, SiteKind.CHAMBER) else 0
        ):
            yield f"http://{site.host}{web.paths.path(site, Role.LIST, k)}"
        for k in range(1, min(web.sites.size(site), 6)):
            yield f"http://{site.host}{web.paths.path(site, Role.PAGE, k)}"


def made(web: SyntheticWeb, many: int) -> Iterator[Visit]:
    """Pages of all cities in turn, fetched, parsed and judged."""
    reader = PageReader(JOB)
    chosen = cities(web)
    share = many / sum(city.sites for city in chosen)
    sequence = 0
    for city in chosen:
        for url in islice(urls(web, city), max(math.ceil(share * city.sites), _LEAST)):
            answer = web.page(url)
            if answer.status == 200:
                kind = dict(answer.headers)["content-type"]
                judged = reader.read(Response(url, 200, answer.body, kind, answer.headers))
                page = judged.page
                yield Visit(
                    sequence, "node1", url, 200, Outcome.FETCHED, time=1.8e9 + sequence,
                    simhash=judged.simhash, title=page.title,
                    description=page.description, language=page.language, text=page.text,
                    addresses=judged.addresses,
                    scope=judged.scope, relevant=judged.relevant,
                )  # fmt: skip
                sequence += 1
                if sequence == many:
                    return


def more(pages: Sequence[Visit], many: int) -> Iterator[Visit]:
    """More pages, made by mixing the lines of some."""
    chance = random.Random(1)
    for number in range(many):
        page = pages[number % len(pages)]
        if number < len(pages):
            yield page
            continue
        own, other = page.text.splitlines(), chance.choice(pages).text.splitlines()
        lines = [line for line in own if chance.random() < 0.7] + [
            line for line in other if chance.random() < 0.3
        ]
        chance.shuffle(lines)
        yield replace(
            page,
            sequence=number,
            url=f"{page.url}?{number}",
            text="\n".join(lines),
            simhash=chance.getrandbits(64),
        )


def write(root: Path, pages: Iterator[Visit]) -> None:
    (root / "job.toml").write_text(render(JOB), encoding="utf-8")
    with LogWriter(root / "log", LOG) as log:
        for visit in pages:
            log.append(visit)
            if visit.sequence % 1000 == 999:
                log.sync()
            if visit.sequence % 20_000 == 19_999:
                log.seal()
        log.seal()


# --- queries --------------------------------------------------------------------------------------


def queries(web: SyntheticWeb, gazetteer: Gazetteer, pages: Sequence[Visit]) -> list[Asked]:
    """Words with places, in different phrasings."""
    chance = random.Random(7)
    chosen = cities(web)
    by_place = {city.place: city for city in chosen}
    namesakes = {
        city.place: [one.id for one in gazetteer.lookup(city.name) if one.id in by_place]
        or [city.place]
        for city in chosen
    }
    about = _by_place(web, pages)
    found: list[Asked] = []
    while len(found) < QUERIES:
        city = chance.choice(chosen)
        words = chance.choice(WORDS[city.country])
        text, settled = _said(chance, city, words)
        right = {
            place: _right(about.get(place, ()), words)
            for place in ([city.place] if settled else namesakes[city.place])
        }
        place, *others = sorted(right, key=lambda place: -len(right[place]))
        if right[place] and all(
            len(right[place]) >= _MAJORITY * len(right[other]) for other in others
        ):
            findable = sum(_names(page_truth(web, url), by_place[place]) for url in right[place])
            found.append(
                Asked(text, tuple(words.split()), city.name, place, right[place], findable)
            )
    return found


def _names(known: PageTruth, city: SyntheticCity) -> bool:
    addressed = any(address.place == city.place for address in known.addresses)
    return addressed or city.place in (*known.places, known.in_url) or city.name in known.title


def _by_place(web: SyntheticWeb, pages: Sequence[Visit]) -> dict[int, list[Visit]]:
    """The pages about each place or with an address there, by the truth."""
    about: dict[int, list[Visit]] = {}
    for page in pages:
        known = page_truth(web, page.url)
        for place in {known.about, *(one.place for one in known.addresses)} - {0}:
            about.setdefault(place, []).append(page)
    return about


def _right(pages: Sequence[Visit], words: str) -> frozenset[str]:
    """Pages with all words, in singular or plural."""
    forms = [{word, word + "s", word.removesuffix("s")} for word in words.split()]
    found = ((page.url, set(_WORD.findall(f"{page.title} {page.text}".lower()))) for page in pages)
    return frozenset(url for url, said in found if all(said & wanted for wanted in forms))


def _said(chance: random.Random, city: SyntheticCity, words: str) -> tuple[str, bool]:
    state = (
        city.state if city.country == "US" else {"DE": "germany", "PT": "portugal"}[city.country]
    )
    ways = (
        (f"{words} in {city.name}", False), (f"{words} {city.name}", False),
            (f"{words} near {city.name}, {state}", True),
        (f"{city.name} {state} {words}", True),
            (f"best {words} in {city.name} {city.state_name}", True),
        (f"{words} {city.name} {state}", True),
    )  # fmt: skip
    text, settled = chance.choice(ways)
    return (text.lower() if chance.random() < 0.8 else text), settled


# --- measuring ------------------------------------------------------------------------------------


def quality(search: Search, asked: Sequence[Asked]) -> None:
    """Print how often the place is right, and the precision of the first ten hits."""
    right_place, precisions, wrong = 0, [], []
    for query in asked:
        answer = search.ask(Question(query.text))
        place = answer.where.place if answer.where else None
        if place and place.id == query.place:
            right_place += 1
        else:
            wrong.append(f"{query.text!r}: {' > '.join(place.path) if place else 'no place'}")
        if query.findable >= 10 and not query.is_near:
            precisions.append(sum(hit.url in query.right for hit in answer.hits[:10]) / 10)
    print(
        f"right place           {right_place / len(asked):6.1%} of {len(asked)} queries   (must "
        f"reach 95 %)"
    )
    print(
        f"precision at 10       {statistics.mean(precisions):6.3f} of {len(precisions)} queries "
        f"with ten right pages   (0.9)"
    )
    for line in wrong:
        print(f"    wrong place: {line}")


def timed(search: Search, asked: Sequence[Asked]) -> None:
    chance = random.Random(3)
    texts = [query.text for query in chance.choices(asked, k=TIMED)]
    texts += [" ".join(query.words) for query in chance.choices(asked, k=TIMED // 5)]
    texts += [
        f"{query.words[0]} within 5 km of {query.city}"
        for query in chance.choices(asked, k=TIMED // 5)
    ]
    for text in texts[:50]:
        search.ask(Question(text))
    taken = []
    for text in texts:
        start = time.process_time()
        search.ask(Question(text))
        taken.append(1e3 * (time.process_time() - start))
    _print_times("toponaut", taken)


def _print_times(name: str, taken: list[float]) -> None:
    ordered = sorted(taken)
    print(
        f"{name:<22}median {statistics.median(ordered):6.2f} ms   99th percentile "
        f"{ordered[int(len(ordered) * 0.99)]:7.2f} ms"
        f"   worst {ordered[-1]:7.2f} ms   of {len(ordered)} queries"
    )


class Rival:
    """SQLite: FTS5 and a bounding box."""

    def __init__(self, path: Path, pages: Iterator[Visit]) -> None:
        self._base = sqlite3.connect(path)
        self._base.executescript(
            "create virtual table page using fts5(title, text, url unindexed);"
            "create table point (page integer, lat real, lon real); create index spot on point "
            "(lat, lon);"
        )
        start = time.process_time()
        count = 0
        for count, page in enumerate(pages, 1):
            self._base.execute(
                "insert into page(rowid, title, text, url) values (?,?,?,?)",
                (count, page.title, page.text, page.url),
            )
            self._base.executemany(
                "insert into point values (?,?,?)",
                [(count, one.lat, one.lon) for one in page.addresses if one.lat is not None],
            )
        self._base.commit()
        self.rate = count / (time.process_time() - start)

    def ask(
        self, words: Sequence[str], lat: float, lon: float, km: float
    ) -> list[tuple[str, str, str]]:
        north = km / 111.2
        east = north / 0.7
        return self._base.execute(
            "select url, title, snippet(page, 1, '<b>', '</b>', '', 20) from page where page match "
            "? and rowid in"
            " (select page from point where lat between ? and ? and lon between ? and ?) order by "
            "bm25(page) limit 10",
            (
                " ".join(f'"{word}"' for word in words),
                lat - north,
                lat + north,
                lon - east,
                lon + east,
            ),
        ).fetchall()


def rival(folder: Path, pages: Iterator[Visit], asked: Sequence[Asked]) -> None:
    gazetteer = open_gazetteer()
    base = Rival(folder / "rival.sqlite", pages)
    chance = random.Random(3)
    taken = []
    for query in chance.choices(asked, k=TIMED):
        place = gazetteer.place(query.place)
        start = time.process_time()
        base.ask(query.words, place.lat, place.lon, city_km(place.population))
        taken.append(1e3 * (time.process_time() - start))
    _print_times("SQLite FTS5 + box", taken)
    print(f"SQLite is filled with {base.rate:,.0f} pages a CPU second (no ties, no hierarchy)")


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or [MADE, 100_000]
    names = open_names()
    web = SyntheticWeb(names.gazetteer, SyntheticSettings(seed=1))
    pages = list(made(web, min(MADE, max(sizes))))
    asked = queries(web, names.gazetteer, pages)
    for many in sizes:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            write(root, more(pages, many))
            start, cpu = time.perf_counter(), time.process_time()
            update_index(root)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            size = sum(
                path.stat().st_size for path in index_folder(root).rglob("*") if path.is_file()
            )
            print(
                f"--- {many:,} pages of {statistics.mean(len(page.text) for page in pages):,.0f} "
                f"characters"
            )
            print(
                f"indexing              {many / cpu:,.0f} pages a CPU second (1,000), "
                f"{many / seconds:,.0f} a second; {size / many:,.0f} bytes a page"
            )
            search = Search(index_folder(root), names)
            if many == len(pages):
                quality(search, asked)
            timed(search, asked)
            rival(root, more(pages, many), asked)


if __name__ == "__main__":
    main()
