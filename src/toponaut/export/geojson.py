"""Rows as GeoJSON (RFC 7946): one FeatureCollection, written as rows come, or one feature per line.

A row without a point has no geometry (null). An area is the point at its centre, with `precision`
and `radius_km` as properties: a circle would look as if its edge were known.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

HEAD = b'{"type":"FeatureCollection","features":[\n'
BETWEEN = b",\n"
TAIL = b"\n]}\n"

_encode = msgspec.json.Encoder().encode


def feature(row: Struct) -> bytes:
    """A row as a Feature; longitude first. An `id` that is a string is also the feature's."""
    lat, lon = getattr(row, "lat", None), getattr(row, "lon", None)
    geometry = None if lat is None or lon is None else {"type": "Point", "coordinates": [lon, lat]}
    id = getattr(row, "id", None)
    named = {"id": id} if isinstance(id, str) else {}
    return _encode({"type": "Feature", **named, "geometry": geometry, "properties": row})


def collection(rows: Iterable[Struct]) -> Iterator[bytes]:
    """The pieces of a file."""
    yield HEAD
    for number, row in enumerate(rows):
        yield BETWEEN + feature(row) if number else feature(row)
    yield TAIL


def lines(rows: Iterable[Struct]) -> Iterator[bytes]:
    """One feature per line, for tools that read large files."""
    for row in rows:
        yield feature(row) + b"\n"
