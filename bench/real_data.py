"""All scores for a folder of real data: whatever is in the folder is measured, the rest left out.

    python -m bench.real_data FOLDER [NAME]...     or: make bench-real DIR=FOLDER

| name | in the folder | score |
|---|---|---|
| world | world-addresses.csv | recall of contact blocks by country, and their reliability |
| annotated | us_contact_pages/, business_pages/ (with `wa-type` spans) | the same of streets |
| toponyms | corpora/, gold/ (real_toponyms.py) | place names found and placed |
| scope | sites/ with its manifest.tsv (real_scope.py) | pages placed in the town of their site |

Each score is one function of SCORES that gets the console and the folder. It prints nothing if its
data is missing. Nothing of the data is kept.
"""

import html
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from rich.console import Console

from bench.addresses import open_finder
from bench.real_scope import print_scope
from bench.real_toponyms import print_toponyms
from bench.world import Judged, curve, print_recall, recall
from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.records import Address, Page, Response

ANNOTATED = ("us_contact_pages", "business_pages")
_STREET = re.compile(r'<span\b[^>]*wa-type="STREET"[^>]*>(.*?)</span>', re.DOTALL)
_IDENTITY = re.compile(r'wa-id="([^"]+)"')
_TAG = re.compile(r"<[^>]+>")
_SHORT = dict(
    pair.split("=")
    for pair in (
        "street=st avenue=ave av=ave boulevard=blvd road=rd drive=dr lane=ln suite=ste "
        "parkway=pkwy highway=hwy floor=fl north=n south=s east=e west=w court=ct place=pl "
        "square=sq center=ctr centre=ctr building=bldg number=no"
    ).split()
)


@cache
def finder() -> AddressFinder:
    return open_finder()


def world(console: Console, folder: Path) -> None:
    path = folder / "world-addresses.csv"
    if path.exists():
        found, judged = recall(finder(), path)
        print_recall(console, found)
        console.print(curve("contact blocks", judged))


def annotated(console: Console, folder: Path) -> None:
    """Streets of annotated pages: found, right and labelled; an address counts once a page."""
    for name in ANNOTATED:
        judged: list[Judged] = []
        hits = labels = 0
        for path in sorted((folder / name).glob("*.html")):
            source = path.read_bytes()
            gold = _streets(source.decode("utf-8", "replace"))
            found = _distinct(parse(Response(f"http://{path.name}/", 200, source, "text/html")))
            labels += len(gold)
            hits += sum(any(_matches(street, one) for one in found) for street in gold)
            judged += [
                (one.confidence, any(_matches(street, one) for street in gold)) for one in found
            ]
        if labels:
            precision = sum(right for _, right in judged) / max(len(judged), 1)
            share = hits / labels
            f1 = 2 * precision * share / max(precision + share, 1e-9)
            console.print(f"{name}: precision {precision:.3f}, recall {share:.3f}, F1 {f1:.3f}")
            console.print(curve(name, judged))


def _distinct(page: Page) -> list[Address]:
    by_line: dict[str, Address] = {}
    for one in finder().find(page):
        by_line.setdefault(_normal(f"{one.number} {one.street}"), one)
    return list(by_line.values())


def _streets(source: str) -> list[str]:
    """The labelled street lines with a number; the parts of one label are joined."""
    streets: dict[str, str] = {}
    for found in _STREET.finditer(source):
        label = _IDENTITY.search(found[0])
        key = label[1] if label else str(found.start())
        streets[key] = f"{streets.get(key, '')} {_TAG.sub(' ', found[1])}"
    lines = [_normal(street) for street in streets.values() if re.search(r"\d", street)]
    return list(dict.fromkeys(lines))


def _matches(gold: str, one: Address) -> bool:
    if _is_inside(gold, _normal(one.text)):
        return True
    lines = {_normal(f"{one.number} {one.street}"), _normal(f"{one.street} {one.number}")}
    return any(_is_inside(line, gold) or _is_inside(gold, line) for line in lines if " " in line)


def _is_inside(part: str, whole: str) -> bool:
    return bool(part) and f" {part} " in f" {whole} "


def _normal(text: str) -> str:
    words: Iterator[str] = iter(re.sub(r"\W+", " ", html.unescape(text).lower()).split())
    return " ".join(_SHORT.get(word, word) for word in words)


def scope(_: Console, folder: Path) -> None:
    """Crawls the sites, so it takes minutes: the last score."""
    if (folder / "sites" / "manifest.tsv").exists():
        with tempfile.TemporaryDirectory() as scratch:
            print_scope(folder / "sites", Path(scratch) / "crawl")


SCORES: dict[str, Callable[[Console, Path], None]] = {
    "world": world,
    "annotated": annotated,
    "toponyms": print_toponyms,
    "scope": scope,
}


def main() -> None:
    if len(sys.argv) < 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(
            "usage: python -m bench.real_data FOLDER [NAME]... (names: " + ", ".join(SCORES) + ")"
        )
    console = Console(width=120)
    for name in sys.argv[2:] or SCORES:
        SCORES[name](console, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
