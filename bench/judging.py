"""The cost of judging a page by stage: CPU ms per page on one core, the best of some rounds.

    python -m bench.judging

Four kinds of pages of 25 KB with 60 links and 14 KB of text: pages about nothing local, like most
of the web (a dozen place names, no address); the news pages of bench/parse.py (58 names, an
address); those with five more addresses; and prose with a place name in every fortieth word. The
stages are timed one by one and together, for a job whose targets (the hundred largest US cities)
occur in all pages: with complete scopes, and with complete scopes for relevant pages only. The
limit is what the crawl leaves of its 2.5 ms per page.

Then the same on the pages of bench/crawl, and how well quick scopes agree with complete ones: how
often the heaviest place is the same, and the common share of their weights.
"""

import random
import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.address_speed import planted_pages
from bench.crawl.site import Site, page_body
from bench.names import prose, scan
from bench.parse import URL, milliseconds
from bench.parse import page as news_page
from bench.toponyms import documents
from toponaut.gate.simhash import simhash
from toponaut.job.targets import us_top_100
from toponaut.page.judge import Judge
from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.gazetteer.sources import table
from toponaut.places.names.finder import NameFinder
from toponaut.places.scope import page_scope
from toponaut.records import Page, Response

PAGES, CRAWLED = 10, 150
ROUNDS = 15
LIMIT_MS = 1.4
NAMES = (
    "Paris",
    "Germany",
    "Chicago",
    "Portland",
    "California",
    "London",
    "Oldenburg",
    "New York",
    "Texas",
    "Madison",
)

_TEASER = re.compile(r'(?<=<p class="teaser-text">)[^<]*')
_ADDRESS = re.compile(r"<address>.*</address>")
_PLACES = re.compile(r"\b(?:Springfield|Glendale|Portland)\b")


def quiet_pages() -> list[bytes]:
    """News pages without an address, with a place name in some sentences."""
    chance = random.Random(5)
    words = [row["word"] for row in table("words") if 2 <= int(row["common"]) <= 9]

    def teaser(_: re.Match[str]) -> str:
        sentences = [" ".join(chance.choices(words, k=9)).capitalize() for _ in range(5)]
        if chance.random() < 0.3:
            sentences[chance.randrange(5)] += f" in {chance.choice(NAMES)}"
        return escape(". ".join(sentences) + ".")

    pages = []
    for seed in range(PAGES):
        html = _ADDRESS.sub("", news_page(seed).decode())
        html = _PLACES.sub(lambda name: name[0] if chance.random() < 0.1 else "garden", html)
        pages.append(_TEASER.sub(teaser, html).encode())
    return pages


def prose_pages() -> list[bytes]:
    """The texts of bench/names.py between the links of a news page."""
    return [
        _with_teasers(seed, re.split(r"(?<=\.) ", text)) for seed, text in enumerate(prose(PAGES))
    ]


def _with_teasers(seed: int, sentences: list[str]) -> bytes:
    left = iter(sentences)
    html = _ADDRESS.sub("", news_page(seed).decode())
    return _TEASER.sub(lambda _: escape(" ".join(islice(left, 5))), html).encode()


def fetched(bodies: Sequence[bytes]) -> list[Response]:
    return [Response(URL, 200, body, "text/html") for body in bodies]


def main() -> None:
    """Prints the table."""
    names = open_names()
    finder = AddressFinder(names.gazetteer, names)
    whole = Judge(names, finder, us_top_100(names.gazetteer))
    glance = Judge(names, finder, us_top_100(names.gazetteer), whole="relevant")
    kinds = {
        "nothing local": fetched(quiet_pages()),
        "news, 1 address": fetched([news_page(seed) for seed in range(PAGES)]),
        "6 addresses": fetched(planted_pages()),
        "many names": fetched(prose_pages()),
    }
    mentions = {
        page.text: names.find(page.text) for kind in kinds.values() for page in map(parse, kind)
    }
    on_pages: dict[str, Callable[[Page], object]] = {
        "names found": lambda page: scan(names, page.text),
        "names found, believed and placed": lambda page: names.find(page.text),
        "addresses": lambda page: finder.find(page, mentions[page.text]),
        "judge, whole scopes": whole.judge,
        "judge, a glance if not relevant": glance.judge,
    }
    on_answers: dict[str, Callable[[Response], object]] = {
        "parse": parse,
        f"parse and judge, whole scopes (at most {LIMIT_MS})": lambda one: whole.judge(parse(one)),
        f"parse and judge, a glance if not relevant (at most {LIMIT_MS})": lambda one: glance.judge(
            parse(one)
        ),
    }
    rows = Table("CPU ms a page", *kinds, title="Judging a page of 25 KB")
    counts = [
        sum(len(mentions[parse(one).text]) for one in kind) / PAGES for kind in kinds.values()
    ]
    rows.add_row("place names on a page", *(f"{count:.0f}" for count in counts))
    parsed = [list(map(parse, kind)) for kind in kinds.values()]
    for stage, judging in on_pages.items():
        rows.add_row(stage, *(_best(judging, pages) for pages in parsed))
    for stage, work in on_answers.items():
        rows.add_row(stage, *(_best(work, kind) for kind in kinds.values()))
    Console(width=130).print(rows)
    crawled = crawl_pages()
    Console(width=130).print(_crawl_table(names, finder, glance, crawled))
    Console(width=130).print(
        _agreement(names, [f"{page.title}\n\n{page.text}" for page in map(parse, crawled)])
    )


def crawl_pages() -> list[Response]:
    site = Site()
    numbers = random.Random(3).sample(range(site.pages), CRAWLED)
    return [
        Response(site.url(number), 200, page_body(site, number), "text/html") for number in numbers
    ]


def _crawl_table(
    names: NameFinder, finder: AddressFinder, judge: Judge, crawled: list[Response]
) -> Table:
    pages = list(map(parse, crawled))
    scans = [names.scan(page.text) for page in pages]
    rows = Table("CPU ms a page", "", title="Pages of bench/crawl, a glance if not relevant")
    rows.add_row("parse", _best(parse, crawled))
    rows.add_row("names found", _best(lambda page: names.scan(page.text), pages))
    rows.add_row("glance", _best(names.glance, scans))
    rows.add_row("addresses", _best(finder.find, pages))
    rows.add_row("judge: all but parse", _best(judge.judge, pages))
    rows.add_row("simhash", _best(lambda page: simhash(page.text), pages))
    rows.add_row("all", _best(lambda one: simhash(judge.judge(parse(one)).page.text), crawled))
    return rows


def _agreement(names: NameFinder, crawled: list[str]) -> Table:
    rows = Table(
        "texts", "same heaviest place", "weight in common", title="A glance against whole placing"
    )
    for kind, texts in {
        "bench/crawl": crawled,
        "bench/toponyms": [one.text for one in documents()],
    }.items():
        whole = [page_scope(names.gazetteer, (), names.find(text)) for text in texts]
        glances = [
            page_scope(names.gazetteer, (), (), names.glance(names.scan(text))) for text in texts
        ]
        both = [(one, other) for one, other in zip(whole, glances, strict=True) if one]
        same = sum(next(iter(one)) == next(iter(other), None) for one, other in both)
        common = sum(
            min(weight, other.get(place, 0.0))
            for one, other in both
            for place, weight in one.items()
        )
        rows.add_row(kind, f"{same / len(both):.2f}", f"{common / len(both):.2f}")
    return rows


def _best(work: Callable[[Any], object], pages: Sequence[object]) -> str:
    return f"{min(milliseconds(work, pages) for _ in range(ROUNDS)):.2f}"


if __name__ == "__main__":
    main()
