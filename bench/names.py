"""How fast place names are found, with the whole gazetteer, in CPU time on one core.

Compares the token table (places/names/name_table.py) with an Aho-Corasick automaton
(ahocorasick-rs, contiguous NFA) over the same names, on two texts: the labelled ones of
bench/toponyms, where every eighth word is a place name, and prose with one place name in forty
words, as on web pages. An automaton only scans; "mentions" also decides which matches are places,
and which places.
"""

import random
import time
from collections.abc import Callable
from functools import partial

import ahocorasick_rs
from rich.console import Console
from rich.table import Table

from bench.toponyms import documents
from toponaut.places.gazetteer.aliases import plain
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.gazetteer.gazetteer import CODE, JOINED
from toponaut.places.gazetteer.sources import all_places, table
from toponaut.places.names.finder import NameFinder

PAGE = 14_000  # characters of text on a page of 25 KB


def prose(pages: int) -> list[str]:
    """Pages of common words with one place name in forty words; always the same."""
    chance = random.Random(7)
    words = [row["word"] for row in table("words") if 2 <= int(row["common"]) <= 9]
    names = [mark.key.split(",")[0] for document in documents() for mark in document.gold]
    result = []
    for _ in range(pages):
        text, length = [], 0
        while length < PAGE:
            sentence = [
                chance.choice(names) if chance.random() < 1 / 40 else chance.choice(words)
                for _ in range(14)
            ]
            sentence[0] = sentence[0].capitalize()
            text.append(" ".join(sentence) + (".\n\n" if chance.random() < 0.2 else "."))
            length += len(text[-1]) + 1
        result.append(" ".join(text))
    return result


def rate(work: Callable[[str], object], pages: list[str]) -> float:
    """Millions of UTF-8 bytes a second, best of three runs."""
    size = sum(len(page.encode()) for page in pages)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for page in pages:
            work(page)
        best = max(best, size / (time.process_time() - start) / 1e6)
    return best


def automaton() -> ahocorasick_rs.AhoCorasick:
    names = {
        plain(name)
        for place in all_places()
        for name, quality in place.names
        if quality not in (CODE, JOINED)
    }
    kinds, matches = ahocorasick_rs.Implementation, ahocorasick_rs.MatchKind
    return ahocorasick_rs.AhoCorasick(
        sorted(names),
        matchkind=matches.LeftmostLongest,
        implementation=kinds.ContiguousNFA,
        store_patterns=False,
    )


def scan(finder: NameFinder, text: str) -> None:
    for tokens in finder.gazetteer.names.tokeniser.chunks(text):
        finder.gazetteer.names.scan(tokens)


def main() -> None:
    finder = open_names()
    labelled = [document.text for document in documents()]
    dense = ["\n\n".join(labelled[k : k + 14]) for k in range(0, len(labelled), 14)]
    start = time.process_time()
    machine = automaton()
    built = time.process_time() - start
    rows = Table(
        "MB of text a second", "prose", "dense", title="Place names, all of the gazetteer loaded"
    )
    works: dict[str, Callable[[str], object]] = {
        "scan, token table": partial(scan, finder),
        "scan, ahocorasick-rs (text already in lower case)": lambda text: (
            machine.find_matches_as_indexes(text)
        ),
        "scan, ahocorasick-rs (text folded first)": lambda text: machine.find_matches_as_indexes(
            plain(text)
        ),
        "mentions: scanned, believed and placed": finder.find,
    }
    for name, work in works.items():
        rows.add_row(name, *(f"{rate(work, pages):.1f}" for pages in (prose(40), dense)))
    Console(width=110).print(rows)
    print(f"The automaton took {built:.1f} s to build; the table is mapped from disk.")


if __name__ == "__main__":
    main()
