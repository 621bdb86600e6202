"""OpenStreetMap: everything in a place that has a website, from Overpass or from an extract."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from toponaut.errors import InputError
from toponaut.records import Place
from toponaut.seeds.seed import Seed, make_seed
from toponaut.seeds.service import Services, SourceError

SERVICE = "https://overpass-api.de/api/interpreter"
WEBSITE_KEYS = ("website", "contact:website", "url")
# The tag that says what something is, most telling first.
CATEGORY_KEYS = (
    "amenity", "shop", "tourism", "healthcare", "office", "craft", "leisure", "historic", "club",
    "public_transport", "place",
)  # fmt: skip
_AROUND_KM = 10.0  # where OpenStreetMap has no boundary of that name
_SPECIAL = re.compile(r'[][.^$*+?(){}|\\"]')  # in a regular expression of Overpass
_EXTRA = "Install it: pip install 'toponaut[osm]'"


class _Point(msgspec.Struct):
    lat: float | None = None
    lon: float | None = None


class _Element(msgspec.Struct):
    type: str
    id: int
    lat: float | None = None
    lon: float | None = None
    center: _Point | None = None
    tags: dict[str, str] = {}


class _OverpassAnswer(msgspec.Struct):
    elements: list[_Element]
    remark: str = ""


def overpass_query(place: Place, *, around: bool = False) -> str:
    """The query for all elements with a website inside the boundary of a place, or around it."""
    if around:
        where, area = f"(around:{_AROUND_KM * 1000:.0f},{place.lat},{place.lon})", ""
    else:
        name = _SPECIAL.sub(r"\\\\\g<0>", place.name)
        boundary = 'area.here["boundary"="administrative"]'
        keys = ("name", "name:en", "official_name")
        areas = "".join(f'{boundary}["{key}"~"^{name}$",i];' for key in keys)
        where = "(area.town)"
        area = f"is_in({place.lat},{place.lon})->.here;\n({areas})->.town;\n"
    wanted = "".join(f'nwr["{key}"]{where};' for key in WEBSITE_KEYS)
    return f"[out:json][timeout:180];\n{area}({wanted});\nout center tags;"


def ask_overpass(services: Services, place: Place, url: str = SERVICE) -> Iterator[Seed]:
    """The seeds of a place from an Overpass service."""
    found = _elements(services.post(url, {"data": overpass_query(place)}), url)
    if not found:
        found = _elements(services.post(url, {"data": overpass_query(place, around=True)}), url)
    return _seeds(found)


def read_overpass(data: bytes, name: str) -> Iterator[Seed]:
    """The seeds in a saved answer of Overpass."""
    return _seeds(_elements(data, name))


def _elements(data: bytes, name: str) -> list[_Element]:
    """The elements of an answer. Overpass reports errors as HTML or XML, or in a remark."""
    try:
        answer = msgspec.json.decode(data, type=_OverpassAnswer)
    except msgspec.DecodeError:
        text = re.sub(r"<[^>]*>", " ", data[:20_000].decode("utf-8", "replace"))
        said = re.search(r"(?i)\b(error\b.{0,200}|.{0,40}too busy.{0,80})", " ".join(text.split()))
        cause = f": {said[0].strip()}" if said else ""
        raise SourceError(
            f"{name} did not answer with JSON{cause}",
            "Try again later, or give a file: --from FILE",
        ) from None
    if "error" in answer.remark:
        raise SourceError(f"{name}: {answer.remark}", "Try again later, or name a smaller place")
    return answer.elements


def _seeds(elements: list[_Element]) -> Iterator[Seed]:
    for element in elements:
        point = element.center or _Point(element.lat, element.lon)
        yield from seeds_of_tags(
            element.tags, point.lat, point.lon, f"osm:{element.type}/{element.id}"
        )


def seeds_of_tags(
    tags: Mapping[str, object], lat: object, lon: object, id: str, source: str = "osm"
) -> Iterator[Seed]:
    """A seed for each website in the tags of an element. Some have several, with ";" between."""
    category = next((tags[key] for key in CATEGORY_KEYS if key in tags), "")
    for key in WEBSITE_KEYS:
        value = tags.get(key)
        for url in value.split(";") if isinstance(value, str) else ():
            if seed := make_seed(url, source, tags.get("name", ""), category, lat, lon, id):
                yield seed


def read_extract(path: Path) -> Iterator[Seed]:
    """The seeds in an extract of OpenStreetMap (.osm.pbf, .osm)."""
    try:
        import osmium
    except ImportError:
        raise InputError(f"{path} needs the package osmium", _EXTRA) from None
    kinds = {"n": "node", "w": "way", "r": "relation"}
    wanted = osmium.filter.KeyFilter(*WEBSITE_KEYS)
    try:
        for found in osmium.FileProcessor(str(path)).with_locations().with_filter(wanted):
            lat, lon = _location(found)
            id = f"osm:{kinds[found.type_str()]}/{found.id}"
            yield from seeds_of_tags(dict(found.tags), lat, lon, id)
    except (RuntimeError, OSError) as error:
        raise InputError(f"cannot read {path}: {error}", "Download the extract again") from None


def _location(found: object) -> tuple[float | None, float | None]:
    """The point of a node, or the mean of a way's nodes. Relations have none here."""
    location = getattr(found, "location", None)
    if location is not None:
        return (location.lat, location.lon) if location.valid() else (None, None)
    points = [node.location for node in getattr(found, "nodes", ()) if node.location.valid()]
    if not points:
        return None, None
    lat = sum(point.lat for point in points) / len(points)
    return lat, sum(point.lon for point in points) / len(points)
