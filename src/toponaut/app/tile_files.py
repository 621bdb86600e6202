"""Maps in PMTiles files: our outlines, and the base map of the user (`serve --basemap`).

A PMTiles file holds all vector tiles of a map. The browser asks for single tiles and needs no
library for it. The styles are in static/ground.js, for two sets of layers: those of Protomaps and
of OpenMapTiles.
"""

import mmap
from pathlib import Path
from typing import Any

from msgspec import Struct
from pmtiles.reader import Reader
from pmtiles.tile import Compression, TileType

from toponaut.errors import InputError

OUTLINES = Path(__file__).parent / "static" / "outlines.pmtiles"
WHERE_FROM = "`toponaut basemap` says where to get one"
_SHORTEST = 127  # bytes of a header
# The layers that a style needs, and those that tell it from the other.
_SCHEMAS = {
    "protomaps": frozenset({"earth", "water", "roads"}),
    "openmaptiles": frozenset({"water", "transportation"}),
}
_COMPRESSIONS = (Compression.GZIP, Compression.NONE)


class BaseMap(Struct, frozen=True):
    """A base map, as the page needs it."""

    layers: str  # whose layer names it has: "protomaps" or "openmaptiles"
    attribution: str
    bounds: tuple[float, float, float, float]  # west, south, east, north
    min_zoom: int
    max_zoom: int


class TileFile:
    """A PMTiles file of vector tiles, read from the disk tile by tile. InputError if it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"cannot read {path} ({error.strerror})", "Check the path") from error
        except ValueError as error:
            raise _no_map(path, "it is empty") from error
        if len(self._bytes) < _SHORTEST or self._bytes[:7] != b"PMTiles":
            raise _no_map(path, "its first bytes differ")
        self._reader = Reader(lambda start, length: self._bytes[start : start + length])
        try:
            self._header = self._reader.header()
            self._metadata: dict[str, Any] = dict(self._reader.metadata())
            self.tile(self._header["min_zoom"], 0, 0)
        except Exception as error:  # the library raises many kinds for damaged bytes
            raise _no_map(path, "it is damaged or has another version") from error
        self._check()

    def tile(self, zoom: int, x: int, y: int) -> bytes:
        """A tile as it is stored, b"" if there is none."""
        return self._reader.get(zoom, x, y) or b""

    @property
    def compressed(self) -> bool:
        return bool(self._header["tile_compression"] == Compression.GZIP)

    @property
    def layers(self) -> frozenset[str]:
        found = self._metadata.get("vector_layers")
        named = found if isinstance(found, list) else []
        return frozenset(str(one["id"]) for one in named if isinstance(one, dict) and "id" in one)

    def base_map(self) -> BaseMap:
        """What the page needs to draw it. InputError without a style for its layers."""
        header, layers = self._header, self.layers
        schema = next((name for name, needed in _SCHEMAS.items() if needed <= layers), None)
        if schema is None:
            has = ", ".join(sorted(layers)[:6]) or "no layers"
            fix = "Use a map with the layers of Protomaps or OpenMapTiles; " + WHERE_FROM
            raise InputError(f"{self.path} has no layers that Toponaut can draw ({has})", fix)
        edges = ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")
        west, south, east, north = (header[edge] / 1e7 for edge in edges)
        credit = _plain(str(self._metadata.get("attribution") or "")) or "© OpenStreetMap"
        zooms = header["min_zoom"], header["max_zoom"]
        return BaseMap(schema, credit, (west, south, east, north), *zooms)

    def _check(self) -> None:
        if self._header["tile_type"] != TileType.MVT:
            kind = str(self._header["tile_type"].name).lower()
            fix = "Use a map of vector tiles; " + WHERE_FROM
            raise InputError(f"{self.path} has {kind} tiles, not vector tiles", fix)
        if self._header["tile_compression"] not in _COMPRESSIONS:
            kind = str(self._header["tile_compression"].name).lower()
            fix = "Convert it to gzip, the usual compression, with the pmtiles program"
            raise InputError(f"the tiles of {self.path} are compressed by {kind}", fix)


def _no_map(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is not a PMTiles file: {reason}", f"Check it; {WHERE_FROM}")


def _plain(markup: str) -> str:
    """Text without tags: attributions often are links."""
    inside = False
    kept = []
    for sign in markup:
        inside = (inside or sign == "<") and not (inside and sign == ">")
        if not inside and sign != ">":
            kept.append(sign)
    return " ".join("".join(kept).replace("&copy;", "©").replace("&amp;", "&").split())
