"""What deciding on the links of a page costs: CPU ms for 60 links on one core, the best of some
rounds.

    python -m bench.linking

Parsed pages with a menu, teasers and a list of other sites; targets are the hundred largest cities
of the United States on five nodes and a general one. Once no link names a target, once one in
twenty does in its URL and one in twenty in its text, so that many more have one within ten words.
The limit is for lookahead and anchor together.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

from rich.console import Console
from rich.table import Table

from bench.parse import milliseconds
from toponaut.crawl.strategies import setting_of
from toponaut.job import CollaborationSection, Job, NodesSection, OrderingSection, TargetsSection
from toponaut.job.targets import us_top_100
from toponaut.page.parse import parse
from toponaut.places.gazetteer.sources import table
from toponaut.places.names.link_names import LinkNames
from toponaut.records import JudgedPage, Page, QueuedLink, Response
from toponaut.strategy.collaboration import Collaboration as Strategy
from toponaut.strategy.registry import collaboration_of, ordering_of
from toponaut.strategy.setting import Setting

PAGES, LINKS, ROUNDS = 20, 60, 15
NAMED = 0.05  # of the links, in the URL, and as many in the text
LIMIT_MS = 0.6
SOURCE = "https://www.example-times.com/local/news/index.html"


def pages(cities: Sequence[str], named: float) -> list[Page]:
    """Pages of 14 KB of text; all their links differ, as those do that a crawl decides on."""
    chance = random.Random(7)
    common = [
        row["word"]
        for row in table("words")
        if 2 <= int(row["common"]) <= 9 and re.fullmatch("[a-z]+", row["word"])
    ]
    bodies = ("".join(_links(chance, common, cities, named)).encode() for _ in range(PAGES))
    return [parse(Response(SOURCE, 200, body, "text/html; charset=utf-8")) for body in bodies]


def _links(
    chance: random.Random, common: Sequence[str], cities: Sequence[str], named: float
) -> Iterator[str]:
    """A menu, teasers, and a list of other sites."""

    def words(*counts: int) -> str:
        return " ".join(chance.choices(common, k=chance.choice(counts)))

    for number in range(LINKS):
        anchor = words(2, 3, 6).capitalize()
        slug = words(1, 4).lower().replace(" ", "-")
        if chance.random() < named:
            anchor = f"{chance.choice(cities)} {anchor.lower()}"
        if chance.random() < named:
            slug = chance.choice(cities).lower().replace(" ", "-") + "/" + slug
        link = f'<a href="{_url(chance, common, number, slug)}"'
        link += f' title="{words(4)}">{anchor}</a>' if number % 6 == 0 else f">{anchor}</a>"
        if 15 <= number < 45:
            sentences = ". ".join(words(9).capitalize() for _ in range(5))
            yield f"<h3>{link}</h3><p>{sentences}."
        else:
            yield f"<li>{link}"


def _url(chance: random.Random, common: Sequence[str], number: int, slug: str) -> str:
    """Three in five are of the site itself, one in six is one of a query, a date or a hump."""
    if number % 5 < 3:
        tail = (
            "",
            f"?id={chance.randrange(10**6)}&page=2",
            f"/{chance.randrange(2000, 2025)}/",
            "Index.aspx",
        )
        return f"https://www.example-times.com/local/{slug}" + (
            tail[number % 4] if number % 6 == 0 else ".html"
        )
    return f"https://www.{chance.choice(common).lower()}{chance.choice(common).lower()}.com/{slug}"


def settings() -> dict[str, Setting]:
    """One for each collaboration that reads names; five geographic nodes and a general one."""
    return {
        name: setting_of(
            Job(
                targets=TargetsSection(presets=("us-top-100",)),
                partition="timezone",
                nodes=NodesSection(general=1),
                collaboration=CollaborationSection(strategy=name),
                ordering=OrderingSection(strategy="lookahead"),
            )
        )
        for name in ("url", "anchor")
    }


def main() -> None:
    """Prints the table."""
    by_name = settings()
    setting = by_name["anchor"]
    names = LinkNames(setting.names, setting.owners.target_of)
    by_url, by_anchor = collaboration_of(by_name["url"]), collaboration_of(setting)
    stages: dict[str, Callable[[JudgedPage], object]] = {
        "LinkNames.in_urls": lambda one: names.in_urls([link.url for link in one.page.links]),
        "LinkNames.in_texts, the link texts": lambda one: names.in_texts(
            [link.anchor for link in one.page.links]
        ),
        "collaboration url": lambda one: by_url.assign(one, one.page.links),
        "collaboration anchor": lambda one: by_anchor.assign(one, one.page.links),
    }
    if find_spec("toponaut.strategy.ordering.lookahead"):
        ordering, queued = ordering_of(setting), QueuedLink(SOURCE, 0.5, score=0.5)
        stages["ordering lookahead"] = lambda one: ordering.rate(queued, one, one.page.links)
        stages[f"lookahead and anchor (at most {LIMIT_MS})"] = lambda one: (
            ordering.rate(queued, one, one.page.links),
            by_anchor.assign(one, one.page.links),
        )
    cities = [place.name for place in us_top_100(setting.names.gazetteer)]
    kinds = {
        name: [JudgedPage(page) for page in pages(cities, named)]
        for name, named in (("no target", 0.0), (f"targets in {NAMED:.0%}", NAMED))
    }
    rows = Table("CPU ms a page", *kinds, title=f"Deciding on {LINKS} links")
    rows.add_row(
        "links given to a territory by URL", *(_claimed(by_url, kind) for kind in kinds.values())
    )
    rows.add_row(
        "links given to a territory by anchor",
        *(_claimed(by_anchor, kind) for kind in kinds.values()),
    )
    for stage, work in stages.items():
        best = [min(milliseconds(work, kind) for _ in range(ROUNDS)) for kind in kinds.values()]
        rows.add_row(stage, *(f"{figure:.2f}" for figure in best))
    Console(width=110).print(rows)


def _claimed(strategy: Strategy, kind: Sequence[JudgedPage]) -> str:
    answers = [answer for one in kind for answer in strategy.assign(one, one.page.links)]
    return f"{sum('general1' not in answer.owners for answer in answers) / len(answers):.1%}"


if __name__ == "__main__":
    main()
