"""Files of places that others publish: Overture, Foursquare, AllThePlaces, OpenStreetMap extracts.

They come as GeoJSON (one document, or one feature per line) or as Parquet. Each has its own names
for the same things; a row is recognised by the names that it has.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from toponaut.errors import InputError
from toponaut.seeds.osm import seeds_of_tags
from toponaut.seeds.seed import Seed, make_seed

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_CLOSED = frozenset({"permanently_closed", "closed"})
_LEAST_CONFIDENCE = 0.3  # of Overture: below, half of the places do not exist
_WEBSITES = frozenset({"websites", "website", "contact:website", "url"})
_READ = (
    "id", "websites", "names", "categories", "confidence", "operating_status", "bbox",
    "fsq_place_id", "name", "website", "latitude", "longitude", "fsq_category_labels",
    "date_closed", "url", "contact:website", "amenity", "shop", "tourism", "lat", "lon",
)  # fmt: skip

Row = Mapping[str, Any]


# --- rows ----------------------------------------------------------------------------------------


def seeds_of_row(row: Row, lat: object = None, lon: object = None) -> Iterator[Seed]:
    """The seeds of one place of any publisher; none if it is closed."""
    if "websites" in row or "operating_status" in row:
        return _overture(row, lat, lon)
    if "fsq_place_id" in row:
        return _foursquare(row)
    spider = row.get("@spider") or row.get("spider")
    if spider:
        id = f"alltheplaces:{row.get('ref') or row.get('@id') or ''}"
        return seeds_of_tags(row, lat, lon, id, "alltheplaces")
    id = str(row.get("@id") or row.get("id") or row.get("osm_id") or "")
    id = f"osm:{id}" if id and ":" not in id else id
    return seeds_of_tags(row, lat, lon, id)


def _overture(row: Row, lat: object, lon: object) -> Iterator[Seed]:
    confidence = row.get("confidence")
    if row.get("operating_status") in _CLOSED:
        return
    if isinstance(confidence, int | float) and confidence < _LEAST_CONFIDENCE:
        return
    box = row.get("bbox")
    if lat is None and isinstance(box, Mapping):
        lat, lon = _middle(box, "ymin", "ymax"), _middle(box, "xmin", "xmax")
    name, category = _field(row, "names"), _field(row, "categories")
    for url in row.get("websites") or ():
        if seed := make_seed(
            url, "overture", name, category, lat, lon, f"overture:{row.get('id')}"
        ):
            yield seed


def _foursquare(row: Row) -> Iterator[Seed]:
    if row.get("date_closed"):
        return
    labels = row.get("fsq_category_labels") or [""]
    category = str(labels[0]).rpartition(">")[2]
    seed = make_seed(
        row.get("website"), "foursquare", row.get("name"), category,
        row.get("latitude"), row.get("longitude"), f"foursquare:{row['fsq_place_id']}",
    )  # fmt: skip
    if seed:
        yield seed


def _field(row: Row, key: str) -> object:
    """The primary value of a nested field: {"primary": ...}."""
    value = row.get(key)
    return value.get("primary", "") if isinstance(value, Mapping) else value


def _middle(box: Row, low: str, high: str) -> float | None:
    ends = box.get(low), box.get(high)
    return sum(ends) / 2 if all(isinstance(end, int | float) for end in ends) else None  # type: ignore[arg-type]


# --- files ---------------------------------------------------------------------------------------


def read_geojson(path: Path) -> Iterator[Seed]:
    """The seeds in a GeoJSON file. Files with one feature per line are read line by line."""
    features = 0
    for feature in _features(path):
        features += 1
        point = _point_of(feature.get("geometry"))
        row = feature.get("properties")
        if isinstance(row, dict):
            yield from seeds_of_row({"id": feature.get("id"), **row}, *point)
    if not features:
        raise InputError(f"{path} has no GeoJSON features", "Give a FeatureCollection")


def _features(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        single = [_feature(line) for line in (lines.readline(), lines.readline())]
        if not any(single):
            lines.seek(0)
            yield from _collection(lines.read(), path)
            return
        yield from filter(None, single)
        for line in lines:
            if feature := _feature(line):
                yield feature


def _feature(line: bytes) -> dict[str, Any] | None:
    line = line.strip().rstrip(b",").lstrip(b"\x1e")
    if not line.startswith(b"{") or not line.endswith(b"}"):
        return None
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, dict) and value.get("type") == "Feature" else None


def _collection(data: bytes, path: Path) -> list[dict[str, Any]]:
    try:
        value = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not JSON: {error}", "Download it again") from None
    features = value.get("features") if isinstance(value, dict) else None
    return [one for one in features if isinstance(one, dict)] if isinstance(features, list) else []


def _point_of(geometry: object) -> tuple[object, object]:
    """A point of a geometry: its only one, or the mean of its outline."""
    numbers = geometry.get("coordinates") if isinstance(geometry, dict) else None
    points: list[tuple[float, float]] = []

    def collect(value: object) -> None:
        if isinstance(value, list) and len(value) >= 2 and isinstance(value[0], int | float):
            points.append((float(value[1]), float(value[0])))
        elif isinstance(value, list):
            for one in value:
                collect(one)

    collect(numbers)
    if not points:
        return None, None
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def open_parquet(path: Path) -> "ParquetFile":
    """A Parquet file that the user named."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        cause = str(error).partition("\n")[0]
        raise InputError(f"cannot read {path}: {cause}", "Download it again") from None


def read_parquet(file: "ParquetFile", name: str) -> Iterator[Seed]:
    """The seeds in a Parquet file of Overture, Foursquare or OpenStreetMap."""
    columns = [one for one in _READ if one in file.schema_arrow.names]
    if not _WEBSITES & set(columns):
        raise InputError(
            f"{name} has no column of websites",
            f"It needs one of {', '.join(sorted(_WEBSITES))}",
        )
    for batch in file.iter_batches(columns=columns):
        for row in batch.to_pylist():
            yield from seeds_of_row(row, row.get("lat"), row.get("lon"))
