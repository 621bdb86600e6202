"""A map of where the pages are, as SVG: circles on plain longitude and latitude.

The places of the gazetteer, as small dots, show the land. The map shows the area of the targets,
twice as wide as high, with longitudes scaled for its centre.
"""

from collections.abc import Sequence
from html import escape
from math import cos, radians, sqrt
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.measures.columns import PlaceCount
from toponaut.measures.svg import short

WIDTH, HEIGHT = 1080, 540
MOST_DOTS = 6000  # 100 KB of the page
MOST_LABELS, FIRST_LABELS = 12, 4  # on a phone only the first have room
_NARROWEST = 1.5  # least degrees of latitude shown
_MARGIN = 0.12  # of the span, on each side
_OUTSIDE = 0.01  # share of pages beyond each edge: otherwise Honolulu would make the rest small
_LARGEST = 24.0  # radius of the place with the most pages
_STEPS = (0.25, 0.5, 1, 2, 5, 10, 20, 30)  # degrees between lines of the net


class Ground(Struct, frozen=True):
    """The places of the world: coordinates and population."""

    latlon: NDArray[np.float64]
    population: NDArray[np.int64]


class View(NamedTuple):
    """The part of the world that is shown."""

    west: float
    north: float
    across: float  # degrees of longitude
    down: float  # degrees of latitude

    def point(self, lat: float, lon: float) -> tuple[float, float]:
        return (lon - self.west) / self.across * WIDTH, (self.north - lat) / self.down * HEIGHT

    def shows(self, lat: float, lon: float) -> bool:
        x, y = self.point(lat, lon)
        return 0 <= x <= WIDTH and 0 <= y <= HEIGHT


def view_of(places: Sequence[PlaceCount]) -> View:
    """The view of all places in targets; without any, of all places, or of the world."""
    wanted = [place for place in places if place.wanted] or list(places)
    if not wanted:
        return View(-180, 90, 360, 180)
    pages = [place.pages for place in wanted]
    south, north = _bounds([place.lat for place in wanted], pages)
    west, east = _bounds([place.lon for place in wanted], pages)
    return view_around(west, south, east, north)


def view_around(west: float, south: float, east: float, north: float) -> View:
    """The view of a box, with a margin."""
    lat, lon = (south + north) / 2, (west + east) / 2
    stretch = max(0.2, cos(radians(lat)))
    down = max(north - south, (east - west) * stretch / 2, _NARROWEST) * (1 + 2 * _MARGIN)
    down = min(down, 180.0)
    return View(lon - down / stretch, lat + down / 2, 2 * down / stretch, down)


def _bounds(values: Sequence[float], pages: Sequence[int]) -> tuple[float, float]:
    """The values between which all but a few pages are."""
    order = np.argsort(values, kind="stable")
    before = np.cumsum(np.array(pages)[order])
    few = _OUTSIDE * before[-1]
    low, high = np.searchsorted(before, few, "right"), np.searchsorted(before, before[-1] - few)
    return values[order[low]], values[order[high]]


def world_map(places: Sequence[PlaceCount], ground: Ground | None = None) -> str:
    """The map. Places with addresses are circles; those outside the targets are pale."""
    view = view_of(places)
    shown = [place for place in places if view.shows(place.lat, place.lon)]
    most = max((place.pages for place in shown), default=1)
    circles = "".join(_circle(view, place, most) for place in reversed(shown))
    land = f'<path class="land" d="{land_path(view, ground)}"/>' if ground else ""
    label = "Map of the places whose addresses were found"
    inside = f"{_net(view)}{land}{circles}{_labels(view, shown, most)}"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{inside}</svg>'


def _radius(pages: int, most: int) -> float:
    return max(2.5, _LARGEST * sqrt(pages / most))


def _circle(view: View, place: PlaceCount, most: int) -> str:
    x, y = view.point(place.lat, place.lon)
    title = f"{place.name}: {place.pages:,} pages"
    kind = "spot" if place.wanted else "spot away"
    return (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_radius(place.pages, most):.1f}">'
        f"<title>{escape(title)}</title></circle>"
    )


def _labels(view: View, places: Sequence[PlaceCount], most: int) -> str:
    """Names of the places with the most pages, without overlaps."""
    taken: list[tuple[float, float, float]] = []
    drawn: list[str] = []
    for place in places:
        name = place.name.split(",")[0]
        x, y = view.point(place.lat, place.lon)
        right = x + _radius(place.pages, most) + 4
        end = right + 8.2 * len(name)
        if end > WIDTH or any(
            abs(y - there) < 17 and right < stop and end > start for there, start, stop in taken
        ):
            continue
        taken.append((y, right, end))
        kind = "name more" if len(drawn) >= FIRST_LABELS else "name"
        drawn.append(f'<text class="{kind}" x="{right:.1f}" y="{y + 5:.1f}">{escape(name)}</text>')
        if len(drawn) == MOST_LABELS:
            break
    return "".join(drawn)


def land_path(view: View, ground: Ground, most: int = MOST_DOTS) -> str:
    """The largest places in view as one path of small squares."""
    x = (ground.latlon[:, 1] - view.west) / view.across * WIDTH
    y = (view.north - ground.latlon[:, 0]) / view.down * HEIGHT
    inside = np.flatnonzero((x >= 0) & (x <= WIDTH) & (y >= 0) & (y <= HEIGHT))
    largest = inside[np.argsort(-ground.population[inside], kind="stable")[:most]]
    spots = {(round(float(x[row]), 1), round(float(y[row]), 1)) for row in largest.tolist()}
    return "".join(f"M{left:g} {top:g}h1.5v1.5h-1.5z" for left, top in sorted(spots))


def _net(view: View) -> str:
    """Lines of longitude and latitude, at round degrees."""
    step = next((step for step in _STEPS if view.down / step <= 6), _STEPS[-1])
    drawn = []
    for number in range(int(-180 / step), int(180 / step) + 1):
        degree = number * step
        x = view.point(0, degree)[0]
        y = view.point(degree, 0)[1]
        if 0 <= x <= WIDTH:
            drawn.append(f'<path class="grid" d="M{x:.1f} 0V{HEIGHT}"/>')
            name = _degree(degree, "EW")
            drawn.append(f'<text class="tick" x="{x + 4:.1f}" y="{HEIGHT - 6}">{name}</text>')
        if 0 <= y <= HEIGHT and abs(degree) <= 90:
            drawn.append(f'<path class="grid" d="M0 {y:.1f}H{WIDTH}"/>')
            drawn.append(f'<text class="tick" x="6" y="{y - 4:.1f}">{_degree(degree, "NS")}</text>')
    return "".join(drawn)


def _degree(degree: float, letters: str) -> str:
    return f"{short(abs(degree))}° {letters[degree < 0]}" if degree else "0°"
