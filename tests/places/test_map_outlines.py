"""The outlines of the map: small, and geographically right. GDAL reads them, not our own code."""

from pathlib import Path

import geopandas
import pytest
import shapely
from tools.outlines import mercator
from tools.tile_cutter import BUFFER

FILE = Path(__file__).parents[2] / "src" / "toponaut" / "app" / "static" / "outlines.pmtiles"
ON_LAND = {
    "Madrid": (40.42, -3.70),
    "Denver": (39.74, -104.99),
    "Brasília": (-15.79, -47.88),
    "Chita": (52.03, 113.50),
    "Chukotka": (67.5, 179.9),
}
AT_SEA = {
    "Atlantic": (40.0, -35.0),
    "Gulf of Mexico": (25.0, -90.0),
    "Black Sea": (43.0, 34.0),
    "Bering Sea": (58.0, 179.9),
}
ON_A_LAKE = {"Michigan": (43.5, -87.0), "Victoria": (-1.0, 33.0), "Ladoga": (60.9, 31.5)}


def read(layer: str, zoom: int) -> geopandas.GeoDataFrame:
    return geopandas.read_file(FILE, layer=layer, ZOOM_LEVEL=str(zoom)).to_crs(4326)


def covered(shapes: geopandas.GeoDataFrame, spots: dict[str, tuple[float, float]]) -> set[str]:
    return {
        name
        for name, (lat, lon) in spots.items()
        if shapes.intersects(shapely.Point(lon, lat)).any()
    }


@pytest.mark.parametrize("zoom", [0, 3, 6])
def test_land_and_sea(zoom: int) -> None:
    land = read("land", zoom)
    assert covered(land, ON_LAND) == {*ON_LAND}
    assert covered(land, AT_SEA) == set()


def test_lakes_and_borders() -> None:
    assert covered(read("lakes", 4), ON_A_LAKE) == {*ON_A_LAKE}
    rhine = shapely.Point(8.2, 48.95).buffer(0.2)  # between France and Germany
    assert read("borders", 6).intersects(rhine).any()
    utah = shapely.Point(-109.05, 38.5).buffer(0.1)
    assert read("states", 6).intersects(utah).any()
    assert not read("borders", 6).intersects(utah).any()


def test_no_line_runs_along_the_edge_of_the_map() -> None:
    """Land is cut at the 180th meridian. The cut is moved off the map, or it would be a coast."""
    east, west = (mercator(shapely.LineString([(lon, 66), (lon, 68)])) for lon in (180, -180))
    assert shapely.bounds(east)[0] > 1 + BUFFER
    assert shapely.bounds(west)[2] < -BUFFER
    inside = mercator(shapely.LineString([(179, 66), (0, 0)]))
    assert shapely.bounds(inside).tolist() == pytest.approx([0.5, 0.25355, 0.99722, 0.5], abs=1e-3)


def test_the_file_is_small() -> None:
    assert FILE.stat().st_size < 3_000_000
