"""Toponym quality on the hand-labelled texts of bench/toponyms.

Columns: precision and recall of recognition (same span), and the share of correct mentions that are
placed within 161 km. "found and placed" is the share of all gold mentions that are both; published
geoparsers reach 0.40 on local US news.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from toponaut.places.gazetteer.cache import open_names
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.places.names.finder import NameFinder
from toponaut.records import Kind, Place

NEAR_KM = 161  # 100 miles, the yardstick of the literature
_MARK = re.compile(r"\[\[([^|\]]+)\|([^@\]]+)@(-?[\d.]+),(-?[\d.]+)\]\]")


@dataclass(frozen=True)
class Gold:
    start: int
    end: int
    key: str
    lat: float
    lon: float


@dataclass(frozen=True)
class Document:
    name: str
    genre: str
    hard: bool
    text: str
    gold: tuple[Gold, ...]

    @property
    def held_out(self) -> bool:
        """Half of the texts were never used to develop the rules."""
        return zlib.crc32(self.name.encode()) % 2 == 1


def documents() -> Iterator[Document]:
    for path in sorted((Path(__file__).parent / "toponyms").glob("*.txt")):
        head, _, marked = path.read_text(encoding="utf-8").partition("\n")
        genre, hardness = (part.strip() for part in head.lstrip("# ").split(";")[:2])
        text, gold, at = "", [], 0
        for mark in _MARK.finditer(marked):
            text += marked[at : mark.start()]
            gold.append(
                Gold(len(text), len(text) + len(mark[1]), mark[2], float(mark[3]), float(mark[4]))
            )
            text += mark[1]
            at = mark.end()
        yield Document(path.stem, genre, hardness == "hard", text + marked[at:], tuple(gold))


def same_area(key: str, place: Place) -> bool:
    """Countries and states are compared by name: their centres are arbitrary."""
    parts = key.split(", ")
    if len(parts) == 1:
        return (place.kind is Kind.COUNTRY and place.country == key) or (
            place.kind is Kind.CONTINENT and place.name == key
        )
    return (
        len(parts) == 2
        and place.kind is Kind.STATE
        and place.country == parts[1]
        and place.name == parts[0]
    )


def judge(finder: NameFinder, document: Document) -> tuple[Counter[str], list[str]]:
    """Counts of gold, found, right and placed mentions, and descriptions of the mistakes."""
    gold = {(mark.start, mark.end): mark for mark in document.gold}
    counts, mistakes = Counter(gold=len(gold), documents=1), []
    for mention in finder.find(document.text):
        counts["found"] += 1
        mark = gold.pop((mention.start, mention.end), None)
        around = document.text[max(0, mention.start - 30) : mention.end + 25].replace("\n", "⏎")
        place = finder.gazetteer.place(mention.place)
        if mark is None:
            mistakes.append(
                f"{document.name}: false  {mention.text!r} ({mention.confidence}) in …{around}…"
            )
            continue
        counts["right"] += 1
        if (
            same_area(mark.key, place)
            or great_circle_km(mark.lat, mark.lon, place.lat, place.lon) <= NEAR_KM
        ):
            counts["placed"] += 1
        else:
            where = "/".join(place.path)
            mistakes.append(
                f"{document.name}: placed {mention.text!r} in {where} instead of {mark.key}"
            )
    for mark in gold.values():
        around = document.text[max(0, mark.start - 30) : mark.end + 25].replace("\n", "⏎")
        mistakes.append(
            f"{document.name}: missed {document.text[mark.start : mark.end]!r} in …{around}…"
        )
    return counts, mistakes


def measure(finder: NameFinder) -> tuple[dict[str, Counter[str]], list[str]]:
    rows: dict[str, Counter[str]] = {
        row: Counter() for row in ("all", "hard", "easy", "developed on", "held out")
    }
    mistakes = []
    for document in documents():
        counts, wrong = judge(finder, document)
        mistakes += [] if document.held_out else wrong
        for row in (
            "all",
            "hard" if document.hard else "easy",
            "held out" if document.held_out else "developed on",
            f"  {document.genre}",
        ):
            rows.setdefault(row, Counter()).update(counts)
    return rows, mistakes


def main(show_mistakes: bool = False) -> None:
    rows, mistakes = measure(open_names())
    table = Table(
        "texts",
        "documents",
        "gold",
        "precision",
        "recall",
        "F1",
        "placed of right",
        "found and placed",
    )
    for name, c in rows.items():
        precision, recall = c["right"] / max(c["found"], 1), c["right"] / max(c["gold"], 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        placed = c["placed"] / max(c["right"], 1)
        figures = (precision, recall, f1, placed, c["placed"] / max(c["gold"], 1))
        table.add_row(
            name, str(c["documents"]), str(c["gold"]), *(f"{figure:.3f}" for figure in figures)
        )
    Console(width=120).print(table)
    if show_mistakes:
        print("\n".join(mistakes))


if __name__ == "__main__":
    import sys

    main("--mistakes" in sys.argv)
