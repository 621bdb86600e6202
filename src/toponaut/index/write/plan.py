"""Which visits of a log become pages of an index, and which process builds which of them.

The last word on a URL counts: a page, or that it is gone. A single process folds over the log and
deletes what it added before. Several processes settle it first: each piece of the log is scanned
for the URLs that it mentions (`scan`, in parallel, 7 % of the work), the last word on each URL is
found here, and only those visits are read again and built (parts.py). So parts are independent, and
only older pages of the index have to be removed.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from toponaut.index.write.documents import is_gone, is_page
from toponaut.log import Piece
from toponaut.log.reading import Position
from toponaut.urls import fingerprint

_FIELDS = ("outcome", "stamp", "title", "text")
PART_PAGES = 20_000  # at most, or little more: one tantivy segment of one process
Rows = NDArray[np.uint32]
PieceRows = tuple[Piece, Rows]


class ScanTask(Struct, frozen=True):
    """A piece to be scanned."""

    logs: str  # the folder of all logs, as a path or URL
    piece: Piece


class PieceScan(NamedTuple):
    """The URLs in a piece of the log, one entry per visit. 21 bytes each: all are in memory."""

    visits: int
    positions: list[bytes]  # some thousand visits apart; the last is its end
    latest: float  # stamp
    url: NDArray[np.uint64]  # fingerprints
    stamp: NDArray[np.float64]
    row: Rows  # of the segment
    is_page: NDArray[np.bool_]  # otherwise it is gone


def scan(task: ScanTask) -> PieceScan:
    found: list[tuple[int, float, int, bool]] = []
    positions, latest, start = list[bytes](), 0.0, task.piece.start.rows
    row = start
    for batch in task.piece.batches(task.logs, _FIELDS):
        positions.append(batch.position)
        for visit in batch.visits:
            latest = max(latest, visit.stamp)
            if (page := is_page(visit)) or is_gone(visit):
                found.append((fingerprint(visit.url), latest, row, page))
            row += 1
    url, stamp, rows, pages = zip(*found, strict=True) if found else ((), (), (), ())
    return PieceScan(
        row - start,
        positions,
        latest,
        np.array(url, np.uint64),
        np.array(stamp, np.float64),
        np.array(rows, np.uint32),
        np.array(pages, np.bool_),
    )


class PartPlan(NamedTuple):
    """The pages that one process builds: from number `first` on, these rows of these pieces."""

    first: int
    pages: int
    pieces: list[PieceRows]


class BuildPlan(NamedTuple):
    parts: list[PartPlan]
    urls: NDArray[np.uint64]  # all that were mentioned: older pages of them are outdated

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.parts)


def plan(
    pieces: Sequence[Piece], scans: Sequence[PieceScan], first: int, processes: int
) -> BuildPlan:
    """Divide the pages, numbered from `first` on. Pieces are in the order of their logs."""
    if not scans:
        return BuildPlan([], np.empty(0, np.uint64))
    url = np.concatenate([one.url for one in scans])
    order = np.lexsort((_stamps(pieces, scans), url))  # stable: for equal stamps the later log wins
    is_last = np.append(url[order][1:] != url[order][:-1], True)[: len(order)]
    wins = np.zeros(len(url), np.bool_)
    wins[order[is_last]] = True
    wins &= np.concatenate([one.is_page for one in scans])
    ends = np.cumsum([len(one.url) for one in scans])
    rows = [one.row[won] for one, won in zip(scans, np.split(wins, ends[:-1]), strict=True)]
    pages = int(wins.sum())
    parts = math.ceil(pages / (PART_PAGES * processes)) * processes  # the same for each process
    return BuildPlan(_divide(_cut(pieces, scans, rows), first, pages, parts), url[order[is_last]])


def _stamps(pieces: Sequence[Piece], scans: Sequence[PieceScan]) -> NDArray[np.float64]:
    """The stamp of each entry. Stamps never fall within a log; missing ones repeat the last."""
    latest: dict[str, float] = {}
    stamps = [np.empty(0)]
    for piece, one in zip(pieces, scans, strict=True):
        before = latest.get(piece.log, 0.0)
        stamps.append(np.maximum(one.stamp, before))
        latest[piece.log] = max(before, one.latest)
    return np.concatenate(stamps)


def _cut(
    pieces: Sequence[Piece], scans: Sequence[PieceScan], rows: Sequence[Rows]
) -> Iterator[PieceRows]:
    """Pieces cut at all their positions, with the wanted rows; those without any are left out."""
    for piece, one, own in zip(pieces, scans, rows, strict=True):
        cuts = [Position.decode(position) for position in one.positions[:-1]]
        starts = [piece.start, *cuts][: len(one.positions)]
        split = np.split(own, np.searchsorted(own, [cut.rows for cut in cuts]))
        for start, few in zip(starts, split, strict=False):
            if len(few):
                yield replace(piece, start=start), few


def _divide(cuts: Iterable[PieceRows], first: int, pages: int, parts: int) -> list[PartPlan]:
    """Consecutive pieces in parts of about equal size."""
    divided: list[list[PieceRows]] = [[] for _ in range(parts)]
    before = 0
    for cut in cuts:
        divided[before * parts // pages].append(cut)
        before += len(cut[1])
    plans = []
    for few in divided:
        if few:
            plans.append(PartPlan(first, sum(len(rows) for _, rows in few), _rejoin(few)))
            first += plans[-1].pages
    return plans


def _rejoin(cuts: Iterable[PieceRows]) -> list[PieceRows]:
    """Consecutive cuts of a segment become one again."""
    joined = []
    for _, few in groupby(cuts, key=lambda cut: (cut[0].log, cut[0].start.segment)):
        (piece, *_), rows = zip(*few, strict=True)
        joined.append((piece, np.concatenate(rows)))
    return joined
