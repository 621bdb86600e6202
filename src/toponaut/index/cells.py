"""H3 cells: they turn "within 5 km" and "in this box" into a lookup of equal numbers.

A point lies in one cell of each of three sizes. A circle or box is covered by the finest cells of
which it needs few. The cover contains all points inside and some outside; the exact distance then
removes the latter.
"""

import math

import h3.api.basic_int as h3
from msgspec import Struct

RESOLUTIONS = (7, 5, 3)  # edges of about 1.4, 10 and 69 km
# The smallest distance between the centres of two neighbours, for an edge of 1. A flat hexagon has
# 1.73; the smallest H3 cells have 0.59 of the mean area (h3geo.org, "Cell statistics").
_SPACING = 1.73 * math.sqrt(0.59)
_MAX_RINGS = 5  # 91 cells; a wider circle uses the next coarser size
_MAX_COARSE_RINGS = 15  # about 1,200 km; a wider circle contains nearly everything
_MAX_IN_BOX = 600


class Box(Struct, frozen=True):
    """A section of the map. If it crosses the 180th meridian, `west` is greater than `east`."""

    south: float
    west: float
    north: float
    east: float

    def holds(self, lat: float, lon: float) -> bool:
        if self.west <= self.east:
            across = self.west <= lon <= self.east
        else:
            across = lon >= self.west or lon <= self.east
        return across and self.south <= lat <= self.north


def cells_at(lat: float, lon: float) -> list[int]:
    """The cells that contain a point, one of each size."""
    finest = h3.latlng_to_cell(lat, lon, RESOLUTIONS[0])
    return [finest, *(h3.cell_to_parent(finest, resolution) for resolution in RESOLUTIONS[1:])]


def cells_around(lat: float, lon: float, km: float) -> list[int] | None:
    """Cells of one size that cover a circle; None if it is too wide for cells to help."""
    for resolution in RESOLUTIONS:
        edge = h3.average_hexagon_edge_length(resolution, unit="km")
        # The centre may be an edge away from the point. One more ring: a parent cell does not
        # cover all of its children's area.
        rings = math.ceil((km + edge) / (_SPACING * edge)) + 1
        if rings <= (_MAX_COARSE_RINGS if resolution == RESOLUTIONS[-1] else _MAX_RINGS):
            return list(h3.grid_disk(h3.latlng_to_cell(lat, lon, resolution), rings))
    return None


def cells_in(box: Box) -> list[int] | None:
    """Cells of one size that cover a box; None if it is too wide."""
    if box.west > box.east:
        return None
    height = (box.north - box.south) * 111.2
    width = (box.east - box.west) * 111.3 * math.cos(math.radians((box.south + box.north) / 2))
    for resolution in RESOLUTIONS:
        if height * width / h3.average_hexagon_area(resolution, unit="km^2") <= _MAX_IN_BOX / 2:
            # An edge wider: a parent cell does not cover all of its children's area.
            margin = h3.average_hexagon_edge_length(resolution, unit="km") / 111.2
            return _cover(box, margin, resolution)
    return None


def _cover(box: Box, margin: float, resolution: int) -> list[int] | None:
    south, north = max(box.south - margin, -89.9), min(box.north + margin, 89.9)
    sideways = margin / max(math.cos(math.radians(max(abs(south), abs(north)))), 0.01)
    west, east = box.west - sideways, box.east + sideways
    if west < -180 or east > 180:
        return None
    shape = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
    return list(h3.h3shape_to_cells_experimental(shape, resolution, contain="overlap"))
