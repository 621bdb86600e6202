"""Numbers about the pages of an index, as arrays: what ranking needs of hundreds of pages at once.

Full text and display live in tantivy, whose documents carry a page's *number*; under that number these columns have its time,
its simhash, its points and its ties. They lie in files of some pages each (parts.py).

A page that was fetched again gets a new number; its old row stays, and nothing leads there any more.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from toponaut.index.build import parts
from toponaut.index.ties import Point
from toponaut.places.gazetteer.gazetteer import EARTH_KM
from toponaut.records import Address, Precision

PRECISIONS = tuple(Precision)
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Row(NamedTuple):
    """A page, to be added."""

    url: int  # its fingerprint
    time: float
    simhash: int
    entities: int  # stands for its addresses: near copies with other addresses are other pages
    host: int  # stands for its host
    seat: int  # the place that all its addresses lie in; 0 if it has none, or in several
    points: Sequence[Point]
    ties: dict[int, int]


class Ragged(NamedTuple):
    """Of some pages the rows of a longer column: whose each is, and which."""

    owner: Numbers  # index into the pages asked for
    at: Numbers


def entities_of(addresses: Iterable[Address]) -> int:
    """64 bits for a set of addresses; 0 for none."""
    normal = sorted({address.normal for address in addresses if address.normal})
    return xxhash.xxh3_64_intdigest("\n".join(normal).encode(errors="replace")) if normal else 0


def write(folder: Path, first: int, rows: Sequence[Row]) -> None:
    """The rows of the pages from number `first` on."""
    points = [point for row in rows for point in row.points]
    ties = [tie for row in rows for tie in row.ties.items()]
    parts.write(
        folder,
        first,
        {
            "url": np.array([row.url for row in rows], np.uint64),
            "time": np.array([row.time for row in rows], np.float64),
            "simhash": np.array([row.simhash for row in rows], np.uint64),
            "entities": np.array([row.entities for row in rows], np.uint64),
            "host": np.array([row.host for row in rows], np.uint64),
            "seat": np.array([row.seat for row in rows], np.int64),
            "point_end": np.cumsum([len(row.points) for row in rows], dtype=np.int64),
            "point": np.array([(p.lat, p.lon, p.radius_km) for p in points], np.float32).reshape(
                -1, 3
            ),
            "point_precision": np.array([PRECISIONS.index(p.precision) for p in points], np.uint8),
            "point_address": np.array([min(p.address, 65535) for p in points], np.uint16),
            "tie_end": np.cumsum([len(row.ties) for row in rows], dtype=np.int64),
            "tie_place": np.array([place for place, _ in ties], np.int64),
            "tie_strength": np.array([strength for _, strength in ties], np.uint8),
        },
    )


class Table:
    """All rows of an index, as they were when it was opened."""

    def __init__(self, folder: Path) -> None:
        opened = parts.opened(folder)
        self.url: NDArray[np.uint64] = _joined(opened, "url", np.uint64)
        self.time: Floats = _joined(opened, "time", np.float64)
        self.simhash: NDArray[np.uint64] = _joined(opened, "simhash", np.uint64)
        self.entities: NDArray[np.uint64] = _joined(opened, "entities", np.uint64)
        self.points: NDArray[np.float32] = _joined(opened, "point", np.float32).reshape(-1, 3)
        self._precision: NDArray[np.uint8] = _joined(opened, "point_precision", np.uint8)
        self._address: NDArray[np.uint16] = _joined(opened, "point_address", np.uint16)
        self.tie_place: Numbers = _joined(opened, "tie_place", np.int64)
        self.tie_strength: NDArray[np.uint8] = _joined(opened, "tie_strength", np.uint8)
        self._host: NDArray[np.uint64] = _joined(opened, "host", np.uint64)
        self._hosts, self._homes = _homes(self._host, _joined(opened, "seat", np.int64))
        self._point_start = _starts(opened, "point_end")
        self._tie_start = _starts(opened, "tie_end")

    def __len__(self) -> int:
        return len(self.url)

    def points_of(self, pages: Numbers) -> Ragged:
        return _ragged(self._point_start, pages)

    def ties_of(self, pages: Numbers) -> Ragged:
        return _ragged(self._tie_start, pages)

    def homes(self, pages: Numbers) -> Numbers:
        """The place where the host of each page has its address, by more than half of its pages with one; 0: not known."""
        if not len(self._hosts):
            return np.zeros(len(pages), np.int64)
        hosts = self._host[pages]
        at = np.minimum(np.searchsorted(self._hosts, hosts), len(self._hosts) - 1)
        return np.where(self._hosts[at] == hosts, self._homes[at], 0)

    def point(self, at: int) -> Point:
        lat, lon, radius = (round(float(value), 5) for value in self.points[at])
        return Point(lat, lon, PRECISIONS[self._precision[at]], radius, int(self._address[at]))

    def strengths(self, pages: Numbers, place: int) -> NDArray[np.uint8]:
        """How strongly each page is tied to a place; 0: not at all."""
        owner, at = self.ties_of(pages)
        strengths = np.zeros(len(pages), np.uint8)
        here = self.tie_place[at] == place
        strengths[owner[here]] = self.tie_strength[at[here]]
        return strengths

    def distances(self, pages: Numbers, lat: float, lon: float) -> tuple[Floats, Numbers]:
        """For each page the distance in km to the nearest of its points (infinite if it has none), and which that is (-1).

        To an area it is the root mean square distance to the spots in it, sqrt(d^2 + r^2 / 2) for its middle at distance d
        and its radius r: the middle of a large city is not near, though it may lie next door.
        """
        owner, at = self.points_of(pages)
        km = distances_km(self.points[at], lat, lon)
        nearest, which = np.full(len(pages), np.inf), np.full(len(pages), -1, np.int64)
        order = np.argsort(-km, kind="stable")  # of several for a page the nearest is written last
        nearest[owner[order]] = km[order]
        which[owner[order]] = at[order]
        return nearest, which


def distances_km(points: NDArray[np.float32], lat: float, lon: float) -> Floats:
    """Distances of points (latitude, longitude, radius in km) from one spot."""
    if not len(points):
        return np.zeros(0)
    lats, lons, radius = points.astype(np.float64).T
    here, there = np.radians(lat), np.radians(lats)
    half = (
        np.sin((there - here) / 2) ** 2
        + np.cos(here) * np.cos(there) * np.sin(np.radians(lons - lon) / 2) ** 2
    )
    km = 2 * EARTH_KM * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return np.asarray(np.sqrt(km**2 + radius**2 / 2))


def _homes(host: NDArray[np.uint64], seat: Numbers) -> tuple[NDArray[np.uint64], Numbers]:
    """Hosts in order, and the seat of more than half of each one's pages that have any."""
    seated = np.flatnonzero(seat)
    hosts, of_host = np.unique(host[seated], return_inverse=True)
    seats, of_seat = np.unique(seat[seated], return_inverse=True)
    pairs, counts = np.unique(of_host * max(len(seats), 1) + of_seat, return_counts=True)
    owner, which = np.divmod(pairs, max(len(seats), 1))
    most = counts * 2 > np.bincount(of_host, minlength=len(hosts))[owner]
    return hosts[owner[most]], seats[which[most]]


def _joined(opened: Sequence[parts.Part], name: str, kind: type) -> NDArray[Any]:
    return parts.column(opened, name) if opened else np.zeros(0, kind)


def _starts(opened: Sequence[parts.Part], name: str) -> Numbers:
    """Where the rows of each page begin in a longer column, and a last entry for its end."""
    return np.concatenate([np.zeros(1, np.int64), *([parts.ends(opened, name)] if opened else [])])


def _ragged(start: Numbers, pages: Numbers) -> Ragged:
    begin, count = start[pages], start[pages + 1] - start[pages]
    owner = np.repeat(np.arange(len(pages)), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return Ragged(owner, np.repeat(begin, count) + within)
