"""A seed: a web address with what its source knows about it. Its file is TSV with a header."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.records import Record
from toponaut.urls import host_of, normalise

COLUMNS = ("url", "source", "name", "category", "lat", "lon", "id")
_BARE = re.compile(r"(?:[\w-]+\.)+[\w-]{2,}(?::\d+)?(?:/\S*)?$")
_MAX_FIELD = 10_000_000  # characters of one field of a TSV file


class Seed(Record, frozen=True):
    """A web address at which a crawl starts."""

    url: str  # in normal form
    source: str  # "osm", "overture", ...; several are separated by commas
    name: str = ""
    category: str = ""
    lat: float | None = None
    lon: float | None = None
    id: str = ""  # at the source: "osm:node/123", "wikidata:Q42"


def make_seed(
    url: object,
    source: str,
    name: object = "",
    category: object = "",
    lat: object = None,
    lon: object = None,
    id: str = "",
) -> Seed | None:
    """A seed from the values of a source, None if its address is not one of the web."""
    normal = web_address(url)
    if normal is None:
        return None
    point = _point(lat, lon)
    return Seed(normal, source, _line(name), _line(category), *point, id)


def web_address(url: object) -> str | None:
    """The normal form of an address; people often leave out "https://"."""
    text = url.strip() if isinstance(url, str) else ""
    if _BARE.match(text):
        text = f"https://{text}"
    normal = normalise(text)
    return normal if normal and "." in host_of(normal) else None


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _point(lat: object, lon: object) -> tuple[float | None, float | None]:
    try:
        point = float(lat), float(lon)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None, None
    return point if abs(point[0]) <= 90 and abs(point[1]) <= 180 else (None, None)


def to_tsv(seeds: Iterable[Seed]) -> str:
    """Seeds as a TSV file."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    rows.writerow(COLUMNS)
    for seed in seeds:
        values = (getattr(seed, column) for column in COLUMNS)
        rows.writerow(["" if value is None else value for value in values])
    return text.getvalue()


def from_tsv(text: str, name: str) -> Iterator[Seed]:
    """The seeds of a TSV file. Only the column "url" is needed, in any place."""
    csv.field_size_limit(_MAX_FIELD)
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    if "url" not in (rows.fieldnames or ()):
        raise InputError(f'{name} has no column "url"', f"Name columns like {', '.join(COLUMNS)}")
    for row in rows:
        values = {column: row.get(column) or "" for column in COLUMNS}
        if seed := make_seed(**(values | {"source": values["source"] or "list"})):
            yield seed


def merge(seeds: Iterable[Seed]) -> list[Seed]:
    """Each page once, in the order of the first. Later ones fill in what the first lacks."""
    kept: dict[str, Seed] = {}
    for seed in seeds:
        key = page_key(seed.url)
        kept[key] = _joined(kept[key], seed) if key in kept else seed
    return list(kept.values())


def page_key(url: str) -> str:
    """Equal for http and https, with and without "www." and a slash at the end."""
    return url.partition("://")[2].removeprefix("www.").rstrip("/")


def _joined(first: Seed, other: Seed) -> Seed:
    sources = dict.fromkeys([*first.source.split(","), *other.source.split(",")])
    ids = dict.fromkeys(one for one in (*first.id.split(","), *other.id.split(",")) if one)
    located = first if first.lat is not None else other
    return replace(
        first,
        url=other.url if other.url.startswith("https:") and first.url[:5] == "http:" else first.url,
        source=",".join(sources),
        name=first.name or other.name,
        category=first.category or other.category,
        lat=located.lat,
        lon=located.lon,
        id=",".join(ids),
    )
