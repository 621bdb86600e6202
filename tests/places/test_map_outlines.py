"""The outlines of the map: small, and geographically right."""

import gzip
import json
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest

STATIC = Path(__file__).parents[2] / "src" / "toponaut" / "app" / "static"
FILES = ("outlines-fine.json", "outlines-middle.json", "outlines-world.json")
ON_LAND = {
    "Madrid": (40.42, -3.70),
    "Denver": (39.74, -104.99),
    "Brasília": (-15.79, -47.88),
    "Chita": (52.03, 113.50),
}
AT_SEA = {
    "Atlantic": (40.0, -35.0),
    "Gulf of Mexico": (25.0, -90.0),
    "Black Sea": (43.0, 34.0),
    "Bering Sea": (58.0, 179.9),
}


def points(steps: list[int], unit: float) -> list[tuple[float, float]]:
    """Longitude and latitude, as static/outlines.js reads them."""
    lons, lats = accumulate(steps[0::2]), accumulate(steps[1::2])
    return [(lon * unit, lat * unit) for lon, lat in zip(lons, lats, strict=True)]


def is_land(outlines: Any, lat: float, lon: float) -> bool:
    """By the even-odd rule, as the land is filled."""
    crossings = 0
    for steps in outlines["land"]:
        ring = points(steps, outlines["unit"])
        for (x0, y0), (x1, y1) in pairwise([*ring, ring[0]]):
            crossings += (y0 > lat) != (y1 > lat) and lon < (x1 - x0) * (lat - y0) / (y1 - y0) + x0
    return crossings % 2 == 1


@pytest.mark.parametrize("name", FILES)
def test_land_and_sea(name: str) -> None:
    outlines = json.loads((STATIC / name).read_text())
    assert {where: is_land(outlines, *spot) for where, spot in ON_LAND.items()} == dict.fromkeys(
        ON_LAND, True
    )
    assert {where: is_land(outlines, *spot) for where, spot in AT_SEA.items()} == dict.fromkeys(
        AT_SEA, False
    )


@pytest.mark.parametrize("name", FILES)
def test_lines_stay_on_the_map(name: str) -> None:
    """No line runs around the world by crossing the 180th meridian."""
    outlines = json.loads((STATIC / name).read_text())
    for kind in ("land", "borders", "states"):
        for steps in outlines[kind]:
            line = points(steps, outlines["unit"])
            assert all(-180.2 < lon < 180.2 and -90.2 < lat < 90.2 for lon, lat in line)
            across = max(abs(b[0] - a[0]) for a, b in pairwise(line))
            assert (
                across < 90 or min(lat for _, lat in line) < -80
            )  # only Antarctica's edge, beyond the map


def test_the_files_are_small() -> None:
    sent = {name: len(gzip.compress((STATIC / name).read_bytes())) for name in FILES}
    assert sent["outlines-world.json"] < 30_000
    assert sent["outlines-middle.json"] < 120_000
    assert sum(sent.values()) < 1_000_000
