"""Realistic queries on real pages: is the place understood, and is what comes first right?

    python -m bench.queries CRAWL [--verdicts]

CRAWL is a crawl of real sites. There are three sets: queries.tsv was written before search
understood bare names, the others after it had been developed on those before. Each query has its
intended place (GeoNames ids, or the name of a region), the spot in it (a street, a quarter, a
station), the words that are left, and two patterns for the judge: a page is right if its URL, title
or text is `about` the matter and its URL or title says that it is `located` there. The same text
under another URL is right once. The judge knows nothing of our addresses and scopes.

A place is understood if it is one of the intended ones and the spot is exactly the words meant.
Precision at five is compared with SQLite FTS5 (BM25, titles count as in our index): all words of
the query, or any of them if fewer than five pages have all. Queries without a right page among
either system's first hundred are left out of precision.
"""

import argparse
import csv
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from toponaut.crawl.directory import Directory
from toponaut.index import Question, Search, index_folder
from toponaut.index.query.answers import SearchAnswer
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import PAGES, Visit

SETS = tuple(Path(__file__).with_name(f"queries{end}.tsv") for end in ("", "_fresh", "_third"))
FIRST, JUDGED = 5, 100
_WORD = re.compile(r"\w+")


class Query(NamedTuple):
    text: str
    places: frozenset[str]
    spot: str
    what: str
    about: re.Pattern[str]
    located: re.Pattern[str]

    def is_understood(self, answer: SearchAnswer) -> bool:
        where = answer.where
        if where is None or answer.what != self.what:
            return False
        name = str(where.place.id) if where.place else where.area
        return name in self.places and where.spot == self.spot

    def is_right(self, page: Visit) -> bool:
        shown = f"{page.url} {page.title}"
        return bool(self.located.search(shown) and self.about.search(f"{shown} {page.text}"))

    def right_ones(self, found: Iterable[Visit]) -> list[bool]:
        """Whether each page is right, and no page before it had the same text."""
        seen: set[str] = set()
        right = []
        for page in found:
            right.append(page.text not in seen and self.is_right(page))
            seen.add(page.text)
        return right


class Verdict(NamedTuple):
    query: Query
    answer: SearchAnswer
    ours: float | None  # share of right pages among the first; None if there is no right page
    theirs: float | None


def read_queries(path: Path) -> Iterator[Query]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            patterns = (re.compile(row[name], re.IGNORECASE) for name in ("about", "located"))
            places = frozenset(row["place"].split(","))
            yield Query(row["query"], places, row["spot"], row["what"], *patterns)


class Rival:
    """SQLite FTS5 over the same pages."""

    def __init__(self, pages: Iterable[Visit]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(url UNINDEXED, title, description, text,"
            " tokenize = 'unicode61 remove_diacritics 2')"
        )
        rows = ((one.url, one.title, one.description, one.text) for one in pages)
        self._db.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows)

    def find(self, text: str) -> list[str]:
        words = [f'"{word}"' for word in _WORD.findall(text)]
        found = self._search(" AND ".join(words))
        return found if len(found) >= FIRST else self._search(" OR ".join(words))

    def _search(self, query: str) -> list[str]:
        sql = (
            "SELECT url FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 0, 2.5, 1.2, 1) LIMIT ?"
        )
        return [url for (url,) in self._db.execute(sql, (query, JUDGED))]


def judge(
    queries: Iterable[Query], search: Search, rival: Rival, pages: dict[str, Visit]
) -> Iterator[Verdict]:
    for query in queries:
        answer = search.ask(Question(query.text, limit=JUDGED))
        found = [hit.url for hit in answer.hits], rival.find(query.text)
        right = [query.right_ones([pages[url] for url in urls]) for urls in found]
        possible = any(any(few) for few in right)
        ours, theirs = (sum(few[:FIRST]) / FIRST if possible else None for few in right)
        yield Verdict(query, answer, ours, theirs)


def show(verdicts: list[Verdict], every: bool) -> None:
    understood = [one.query.is_understood(one.answer) for one in verdicts]
    judged = [one for one in verdicts if one.ours is not None]
    if every:
        table = Table("query", "understood", "what", "where", "P@5", "FTS5", box=None)
        for one, known in zip(verdicts, understood, strict=True):
            shares = ("" if share is None else f"{share:.1f}" for share in (one.ours, one.theirs))
            verdict = "yes" if known else "NO"
            table.add_row(one.query.text, verdict, one.answer.what, _where(one.answer), *shares)
        Console(width=180).print(table)
    ours = sum(one.ours or 0.0 for one in judged) / max(len(judged), 1)
    theirs = sum(one.theirs or 0.0 for one in judged) / max(len(judged), 1)
    print(f"place understood: {sum(understood)} of {len(verdicts)}")
    print(f"precision at {FIRST}, {len(judged)} queries: {ours:.3f}, FTS5 {theirs:.3f}", end="")
    print(f", ratio {ours / max(theirs, 1e-9):.2f}")


def _where(answer: SearchAnswer) -> str:
    where = answer.where
    if where is None:
        return ""
    name = ", ".join(reversed(where.place.path[-3:])) if where.place else where.area
    return f"{where.manner} {where.spot + ': ' if where.spot else ''}{name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crawl", type=Path)
    parser.add_argument("--verdicts", action="store_true", help="show each query")
    given = parser.parse_args()
    visits = Directory(given.crawl).logs.read(("outcome", "title", "description", "text"))
    pages = {one.url: one for one in visits if one.outcome in PAGES}
    search = Search(index_folder(given.crawl), open_names())
    rival = Rival(pages.values())
    for path in SETS:
        print(f"--- {path.stem}, {len(pages):,} pages")
        show(list(judge(read_queries(path), search, rival, pages)), given.verdicts)


if __name__ == "__main__":
    main()
