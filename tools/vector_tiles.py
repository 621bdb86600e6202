"""Write vector tiles (MVT 2.1) and PMTiles files: for tools/outlines.py and for tests.

The specification: github.com/mapbox/vector-tile-spec. Only what we need: points, lines and
polygons, with strings and whole numbers as properties.
"""

import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

EXTENT = 4096  # units of a tile's width
_MOVE, _LINE, _CLOSE = 1, 2, 7  # commands of a geometry

Units = NDArray[np.int64]  # rows of x and y in a tile's units, y downwards


class Shape(IntEnum):
    POINT = 1
    LINE = 2
    POLYGON = 3


class Feature(NamedTuple):
    """A feature of a tile. Rings of polygons: outer ones clockwise on the screen, without the
    repeated last point."""

    shape: Shape
    parts: Sequence[Units]
    properties: Mapping[str, str | int] = {}


def encode_tile(layers: Mapping[str, Sequence[Feature]]) -> bytes:
    """The bytes of a tile, without compression."""
    return b"".join(_field(3, _layer(name, found)) for name, found in layers.items() if found)


def write_pmtiles(
    tiles: Mapping[tuple[int, int, int], bytes], metadata: Mapping[str, Any]
) -> bytes:
    """A PMTiles file of tiles by zoom, x and y. Equal tiles are stored once."""
    zooms = [zoom for zoom, _, _ in tiles]
    file = io.BytesIO()
    writer = Writer(file)
    for number, zxy in sorted((zxy_to_tileid(*zxy), zxy) for zxy in tiles):
        writer.write_tile(number, gzip.compress(tiles[zxy], 9, mtime=0))
    writer.finalize(
        {
            "tile_type": TileType.MVT,
            "tile_compression": Compression.GZIP,
            "min_zoom": min(zooms),
            "max_zoom": max(zooms),
            "min_lon_e7": int(-180e7),
            "min_lat_e7": int(-85e7),
            "max_lon_e7": int(180e7),
            "max_lat_e7": int(85e7),
            "center_zoom": min(zooms),
            "center_lon_e7": 0,
            "center_lat_e7": 0,
        },
        dict(metadata),
    )
    return file.getvalue()


def _layer(name: str, features: Sequence[Feature]) -> bytes:
    keys: dict[str, int] = {}
    values: dict[str | int, int] = {}
    packed = []
    for feature in features:
        tags = []
        for key, value in feature.properties.items():
            tags += [keys.setdefault(key, len(keys)), values.setdefault(value, len(values))]
        body = _field(2, _packed(tags)) if tags else b""
        body += _number(3, feature.shape) + _field(4, _packed(_commands(feature)))
        packed.append(_field(2, body))
    return b"".join(
        (
            _field(1, name.encode()),
            *packed,
            *(_field(3, key.encode()) for key in keys),
            *(_field(4, _value(value)) for value in values),
            _number(5, EXTENT),
            _number(15, 2),
        )
    )


def _value(value: str | int) -> bytes:
    return _field(1, value.encode()) if isinstance(value, str) else _number(5, value)


def _commands(feature: Feature) -> list[int]:
    numbers: list[int] = []
    last = np.zeros(2, np.int64)
    for part in feature.parts:
        steps = np.diff(np.vstack([last, part]), axis=0)
        zigzag = ((steps << 1) ^ (steps >> 63)).ravel().tolist()
        if feature.shape is Shape.POINT:
            numbers += [_MOVE | len(part) << 3, *zigzag]
        else:
            numbers += [_MOVE | 1 << 3, *zigzag[:2], _LINE | (len(part) - 1) << 3, *zigzag[2:]]
        if feature.shape is Shape.POLYGON:
            numbers.append(_CLOSE | 1 << 3)
        last = part[-1]
    return numbers


def _packed(numbers: Iterable[int]) -> bytes:
    return b"".join(map(_varint, numbers))


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body
