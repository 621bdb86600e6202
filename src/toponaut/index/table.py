"""Numbers about the pages of an index, as arrays: ranking needs them for hundreds of pages at once.

Text and display data are in tantivy, whose documents carry a page *number*. Under that number these
columns hold the page's time, simhash, points and ties. A page that is fetched again gets a new
number; its old row stays, and nothing refers to it.

The columns are stored in files of consecutive pages, named by the number of their first page:

    000000000000.arrays  000000020000.arrays  ...

Every commit adds one, and an index that follows a crawl commits every few seconds. Opening takes
0.1 ms per file, so small files at the end are merged by tens, like the digits of a counter: a table
of a million pages has at most 54. A merged file replaces the first of its parts. If the process is
killed before it deletes the others, readers skip them.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from toponaut.index.georeference import AddressPoint
from toponaut.places.gazetteer import arrays
from toponaut.places.gazetteer.gazetteer import EARTH_KM
from toponaut.records import Address, Precision

PRECISIONS = tuple(Precision)
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]
_MERGED = 10  # files that become one
# Suffix of columns that say where the rows of each page end in a longer column, counted per file.
_END = "_end"


class IndexRow(NamedTuple):
    """The row of a new page."""

    url: int  # fingerprint
    time: float
    simhash: int
    entities: int  # hash of its addresses: near copies with other addresses are other pages
    host: int  # fingerprint
    seat: int  # the place of most of its addresses; 0 if there is none
    points: Sequence[AddressPoint]
    ties: dict[int, int]


class RaggedRows(NamedTuple):
    """The rows of some pages in a longer column."""

    owner: Numbers  # index into the given pages
    at: Numbers  # index into the column


def hash_addresses(addresses: Iterable[Address]) -> int:
    """64 bits for a set of addresses; 0 if it is empty."""
    normal = sorted({address.normal for address in addresses if address.normal})
    return xxhash.xxh3_64_intdigest("\n".join(normal).encode(errors="replace")) if normal else 0


class PageTable:
    """All rows of an index, as of when it was opened."""

    def __init__(self, folder: Path) -> None:
        files = open_files(folder)

        def column(name: str, kind: type) -> NDArray[Any]:
            return _column(files, name) if files else np.zeros(0, kind)

        self.url: NDArray[np.uint64] = column("url", np.uint64)
        self.time: Floats = column("time", np.float64)
        self.simhash: NDArray[np.uint64] = column("simhash", np.uint64)
        self.entities: NDArray[np.uint64] = column("entities", np.uint64)
        self.points: NDArray[np.float32] = column("point", np.float32).reshape(-1, 3)
        self._precision: NDArray[np.uint8] = column("point_precision", np.uint8)
        self._address: NDArray[np.uint16] = column("point_address", np.uint16)
        self.tie_place: Numbers = column("tie_place", np.int64)
        self.tie_strength: NDArray[np.uint8] = column("tie_strength", np.uint8)
        self._host: NDArray[np.uint64] = column("host", np.uint64)
        self._hosts, self._homes = _homes(self._host, column("seat", np.int64))
        self._point_start = _starts(files, "point_end")
        self._tie_start = _starts(files, "tie_end")

    def __len__(self) -> int:
        return len(self.url)

    def points_of(self, pages: Numbers) -> RaggedRows:
        return _ragged(self._point_start, pages)

    def ties_of(self, pages: Numbers) -> RaggedRows:
        return _ragged(self._tie_start, pages)

    def homes(self, pages: Numbers) -> Numbers:
        """For each page, the place of most addresses on its host; 0 if unknown."""
        if not len(self._hosts):
            return np.zeros(len(pages), np.int64)
        hosts = self._host[pages]
        at = np.minimum(np.searchsorted(self._hosts, hosts), len(self._hosts) - 1)
        return np.where(self._hosts[at] == hosts, self._homes[at], 0)

    def hosts_at(self, place: int) -> list[int]:
        """The hosts at home in a place, as fingerprints."""
        hosts: list[int] = self._hosts[self._homes == place].tolist()
        return hosts

    def point(self, at: int) -> AddressPoint:
        lat, lon, radius = (round(float(value), 5) for value in self.points[at])
        precision = PRECISIONS[self._precision[at]]
        return AddressPoint(lat, lon, precision, radius, int(self._address[at]))

    def strengths(self, pages: Numbers, place: int) -> NDArray[np.uint8]:
        """The strength of each page's tie to a place; 0 if there is none."""
        owner, at = self.ties_of(pages)
        strengths = np.zeros(len(pages), np.uint8)
        here = self.tie_place[at] == place
        strengths[owner[here]] = self.tie_strength[at[here]]
        return strengths

    def count_tied(self, least: int) -> int:
        """The number of pages with a tie of at least this strength to any place."""
        strong = np.concatenate([[0], np.cumsum(self.tie_strength >= least)])
        return int(np.count_nonzero(np.diff(strong[self._tie_start])))

    def distances(self, pages: Numbers, lat: float, lon: float) -> tuple[Floats, Numbers]:
        """Each page's distance in km to its nearest point (or infinite), and that point (or -1).

        To an area it is the root mean square distance to the points in it, sqrt(d^2 + r^2 / 2) for
        a centre at distance d and radius r: a large city is not near just because its centre is.
        """
        owner, at = self.points_of(pages)
        km = distances_km(self.points[at], lat, lon)
        nearest, which = np.full(len(pages), np.inf), np.full(len(pages), -1, np.int64)
        order = np.argsort(-km, kind="stable")  # the nearest point of a page is written last
        nearest[owner[order]] = km[order]
        which[owner[order]] = at[order]
        return nearest, which


def distances_km(points: NDArray[np.float32], lat: float, lon: float) -> Floats:
    """Distances of points (latitude, longitude, radius in km) from a location."""
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
    """Hosts in order, and the seat of more than half of each host's pages that have one."""
    seated = np.flatnonzero(seat)
    hosts, of_host = np.unique(host[seated], return_inverse=True)
    seats, of_seat = np.unique(seat[seated], return_inverse=True)
    pairs, counts = np.unique(of_host * max(len(seats), 1) + of_seat, return_counts=True)
    owner, which = np.divmod(pairs, max(len(seats), 1))
    most = counts * 2 > np.bincount(of_host, minlength=len(hosts))[owner]
    return hosts[owner[most]], seats[which[most]]


def _starts(files: Sequence[Columns], name: str) -> Numbers:
    """Where the rows of each page start in a longer column, plus a last entry for its end."""
    return np.concatenate([np.zeros(1, np.int64), *([_ends(files, name)] if files else [])])


def _ragged(start: Numbers, pages: Numbers) -> RaggedRows:
    begin, count = start[pages], start[pages + 1] - start[pages]
    owner = np.repeat(np.arange(len(pages)), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return RaggedRows(owner, np.repeat(begin, count) + within)


# --- files -----------------------------------------------------------------------------------


def write_rows(folder: Path, first: int, rows: Sequence[IndexRow]) -> None:
    """Write the rows of the pages from number `first` on."""
    points = [point for row in rows for point in row.points]
    ties = [tie for row in rows for tie in row.ties.items()]
    spots = np.array([(point.lat, point.lon, point.radius_km) for point in points], np.float32)
    columns: Columns = {
        "url": np.array([row.url for row in rows], np.uint64),
        "time": np.array([row.time for row in rows], np.float64),
        "simhash": np.array([row.simhash for row in rows], np.uint64),
        "entities": np.array([row.entities for row in rows], np.uint64),
        "host": np.array([row.host for row in rows], np.uint64),
        "seat": np.array([row.seat for row in rows], np.int64),
        "point_end": np.cumsum([len(row.points) for row in rows], dtype=np.int64),
        "point": spots.reshape(-1, 3),
        "point_precision": np.array([PRECISIONS.index(p.precision) for p in points], np.uint8),
        "point_address": np.array([min(p.address, 65535) for p in points], np.uint16),
        "tie_end": np.cumsum([len(row.ties) for row in rows], dtype=np.int64),
        "tie_place": np.array([place for place, _ in ties], np.int64),
        "tie_strength": np.array([strength for _, strength in ties], np.uint8),
    }
    arrays.write(folder / f"{first:012}.arrays", columns)


def truncate(folder: Path, pages: int) -> None:
    """Remove the rows that an interrupted run added after the first `pages` pages."""
    for path in _paths(folder):
        if _first(path) >= pages:
            path.unlink()


def open_files(folder: Path) -> list[Columns]:
    """All files, in order."""
    while True:
        try:
            return [columns for _, columns in _open(folder)]
        except FileNotFoundError:  # merged into another since the folder was listed
            continue


def _open(folder: Path) -> list[tuple[Path, Columns]]:
    files, pages = [], 0
    for path in _paths(folder):
        if _first(path) >= pages:  # otherwise it was merged into the one before
            columns = arrays.open_mapped(path)
            files.append((path, columns))
            pages = _first(path) + len(columns["url"])
    return files


def merge(folder: Path) -> None:
    """Merge the last files if they are many and small. Only the writer may call this."""
    files = _open(folder)
    ending = _to_merge([len(columns["url"]) for _, columns in files])
    if ending:
        first = files[-ending][0]
        merged = [columns for _, columns in files[-ending:]]
        joined = {
            name: (_ends if name.endswith(_END) else _column)(merged, name) for name in merged[0]
        }
        arrays.write(first, joined)
        for path in _paths(folder):
            if path > first:
                path.unlink()


def _to_merge(sizes: Sequence[int]) -> int:
    """How many files at the end become one."""
    below = 1
    while below <= max(sizes, default=0):
        below *= _MERGED
        small = next((k for k, size in enumerate(reversed(sizes)) if size >= below), len(sizes))
        if small >= _MERGED:
            return small
    return 0


def _column(files: Sequence[Columns], name: str) -> NDArray[Any]:
    """A column of all files."""
    return files[0][name] if len(files) == 1 else np.concatenate([file[name] for file in files])


def _ends(files: Sequence[Columns], name: str) -> Numbers:
    """An `_end` column of all files, counted from the first row of the table."""
    offsets = np.cumsum([0, *(int(file[name][-1]) if len(file[name]) else 0 for file in files)])
    return np.concatenate(
        [file[name] + offset for file, offset in zip(files, offsets, strict=False)]
    )


def _first(path: Path) -> int:
    return int(path.stem)


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.arrays"))
