"""Cells of the earth (H3): what makes "within 5 km" and "in this box" a question of equal numbers.

A point lies in one cell of each of three sizes. A circle or a box is covered by cells of the finest size of which it needs
few; that finds all points in it and some beside it, which the exact distance then turns away.
"""

import math

import h3.api.basic_int as h3
from msgspec import Struct

RESOLUTIONS = (7, 5, 3)  # edges of about 1.4, 10 and 69 km
# The smallest distance between the middles of two neighbours, for an edge of 1. A hexagon on a plane has 1.73; H3's cells
# are bent onto the sphere, and the smallest at a resolution have 0.59 of the mean area (h3geo.org, "Cell statistics").
_SPACING = 1.73 * math.sqrt(0.59)
_MOST_RINGS = 5  # 91 cells; from there on the next coarser size is taken
_FARTHEST_RINGS = 15  # of the coarsest: a good 1,200 km. What is asked wider has no cells: nearly everything is in it
_MOST_IN_BOX = 600


class Box(Struct, frozen=True):
    """A stretch of the map. It may cross the 180th meridian: then `west` is greater than `east`."""

    south: float
    west: float
    north: float
    east: float

    def holds(self, lat: float, lon: float) -> bool:
        across = (
            self.west <= lon <= self.east
            if self.west <= self.east
            else lon >= self.west or lon <= self.east
        )
        return across and self.south <= lat <= self.north


def cells_at(lat: float, lon: float) -> list[int]:
    """The cells that a point lies in, one of each size."""
    finest = h3.latlng_to_cell(lat, lon, RESOLUTIONS[0])
    return [finest, *(h3.cell_to_parent(finest, resolution) for resolution in RESOLUTIONS[1:])]


def cells_around(lat: float, lon: float, km: float) -> list[int] | None:
    """Cells of one size that cover a circle; None for one that is so wide that cells are of no use."""
    for resolution in RESOLUTIONS:
        edge = h3.average_hexagon_edge_length(resolution, unit="km")
        # Its middle may be an edge away from the point. A parent does not hold quite all of its children's ground: one more.
        rings = math.ceil((km + edge) / (_SPACING * edge)) + 1
        if rings <= (_FARTHEST_RINGS if resolution == RESOLUTIONS[-1] else _MOST_RINGS):
            return list(h3.grid_disk(h3.latlng_to_cell(lat, lon, resolution), rings))
    return None


def cells_in(box: Box) -> list[int] | None:
    """Cells of one size that cover a box; None for one that is too wide."""
    if box.west > box.east:
        return None
    height = (box.north - box.south) * 111.2
    width = (box.east - box.west) * 111.3 * math.cos(math.radians((box.south + box.north) / 2))
    for resolution in RESOLUTIONS:
        if height * width / h3.average_hexagon_area(resolution, unit="km^2") <= _MOST_IN_BOX / 2:
            # The box is made wider by an edge, for a parent does not hold quite all of its children's ground.
            more = h3.average_hexagon_edge_length(resolution, unit="km") / 111.2
            return _cover(box, more, resolution)
    return None


def _cover(box: Box, more: float, resolution: int) -> list[int] | None:
    south, north = max(box.south - more, -89.9), min(box.north + more, 89.9)
    sideways = more / max(math.cos(math.radians(max(abs(south), abs(north)))), 0.01)
    west, east = box.west - sideways, box.east + sideways
    if west < -180 or east > 180:
        return None
    shape = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
    return list(h3.h3shape_to_cells_experimental(shape, resolution, contain="overlap"))
