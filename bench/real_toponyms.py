"""Place names in news corpora with gold coordinates: found, and placed within 161 km.

    python -m bench.real_data FOLDER toponyms

FOLDER has corpora/NAME.xml (articles with a `text`) and gold/NAME_gold.txt: a line for an article,
entries separated by "||", fields by ",,": name, name, latitude, longitude, start, end. A mention
matches if it overlaps. "Found and placed" is the share of all gold names that are both, the figure
that published geoparsers are compared by. Each corpus is read without and with demonyms.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from rich.console import Console

from toponaut.places.gazetteer.cache import open_names
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.names.demonyms import DemonymFinder
from toponaut.records import Mention

NEAR_KM = 161  # 100 miles, the yardstick of the literature
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_FIELDS = 6  # of a gold entry


class GoldName(NamedTuple):
    lat: float
    lon: float
    start: int
    end: int


def articles(corpus: Path) -> Iterator[str]:
    source = _CONTROL.sub(" ", corpus.read_text(encoding="utf-8", errors="replace"))
    for article in ElementTree.fromstring(source).iter("article"):
        yield article.findtext("text") or ""


def gold_names(path: Path) -> Iterator[list[GoldName]]:
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        entries = (entry.split(",,") for entry in line.split("||"))
        rows = (fields[2:_FIELDS] for fields in entries if len(fields) >= _FIELDS)
        yield [
            GoldName(float(lat), float(lon), int(float(start)), int(float(end)))
            for lat, lon, start, end in rows
        ]


def print_toponyms(console: Console, folder: Path) -> None:
    """Precision, recall, and found and placed, of each corpus in the folder."""
    names = open_names()
    demonyms = DemonymFinder(names.gazetteer)
    for corpus in sorted((folder / "corpora").glob("*.xml")):
        gold = list(gold_names(folder / "gold" / f"{corpus.stem}_gold.txt"))
        texts = list(articles(corpus))
        read = [names.find(text) for text in texts]
        _print_score(console, corpus.stem, gold, read, names.gazetteer)
        read = [demonyms.add(text, some) for text, some in zip(texts, read, strict=True)]
        _print_score(console, f"{corpus.stem} with demonyms", gold, read, names.gazetteer)


def _print_score(
    console: Console,
    title: str,
    gold: list[list[GoldName]],
    read: list[list[Mention]],
    gazetteer: Gazetteer,
) -> None:
    mentions, labels = sum(map(len, read)), sum(map(len, gold))
    pairs = [
        pair for some, found in zip(gold, read, strict=False) for pair in _matches(some, found)
    ]
    placed = 0
    for label, mention in pairs:
        place = gazetteer.place(mention.place)
        placed += great_circle_km(place.lat, place.lon, label.lat, label.lon) < NEAR_KM
    console.print(
        f"{title}: precision {len(pairs) / max(mentions, 1):.3f}, "
        f"recall {len(pairs) / max(labels, 1):.3f}, "
        f"found and placed {placed / max(labels, 1):.3f} of {labels}"
    )


def _matches(labels: list[GoldName], mentions: list[Mention]) -> Iterator[tuple[GoldName, Mention]]:
    used: set[int] = set()
    for label in labels:
        for k, one in enumerate(mentions):
            if k not in used and one.start < label.end and label.start < one.end:
                used.add(k)
                yield label, one
                break
