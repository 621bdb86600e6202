"""Which visits of a log become pages of an index, and who makes them: the plan for making it by many at once.

The last word on a URL counts: a page, or that it is none any more. In one process that is a fold, which removes what it had added before.
Here it is settled before anything is made. Each piece of the log says of which URLs it speaks, when and how (`look`, 7 % of all
work, by many at once); the last word of all on each URL is found here, in the order of merging.py; and then pieces are read
once more, and only visits that have the last word are made into pages (building.py). So parts need to know nothing of each other,
and there is nothing to remove but pages that an index had before.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from toponaut.index.build.pages import is_gone, is_page
from toponaut.log import Piece
from toponaut.log.reading import Position
from toponaut.urls import fingerprint

_FIELDS = ("outcome", "stamp", "title", "text")
SHARE_PAGES = 20_000  # at most, or little more: as many as one process writes to a segment of tantivy
Rows = NDArray[np.uint32]
Bit = tuple[Piece, Rows]


class Look(Struct, frozen=True):
    """A piece to be looked through."""

    logs: str  # the folder of all logs, as a path or URL
    piece: Piece


class Said(NamedTuple):
    """What a piece of the log says of URLs, one entry each time. 21 bytes: whoever plans has those of all pieces in memory."""

    visits: int  # in it
    positions: list[bytes]  # in it, some thousand visits apart; the last is its end
    latest: float  # stamp
    url: NDArray[np.uint64]  # fingerprints
    stamp: NDArray[np.float64]
    row: Rows  # of the segment
    is_page: NDArray[np.bool_]  # else it is none any more


def look(given: Look) -> Said:
    """What a piece says."""
    found: list[tuple[int, float, int, bool]] = []
    positions, latest, start = list[bytes](), 0.0, given.piece.start.rows
    row = start
    for batch in given.piece.batches(given.logs, _FIELDS):
        positions.append(batch.position)
        for visit in batch.visits:
            latest = max(latest, visit.stamp)
            if (page := is_page(visit)) or is_gone(visit):
                found.append((fingerprint(visit.url), latest, row, page))
            row += 1
    url, stamp, rows, pages = zip(*found, strict=True) if found else ((), (), (), ())
    return Said(
        row - start,
        positions,
        latest,
        np.array(url, np.uint64),
        np.array(stamp, np.float64),
        np.array(rows, np.uint32),
        np.array(pages, np.bool_),
    )


class Share(NamedTuple):
    """What one process makes: the pages from number `first` on, of these rows of these pieces."""

    first: int
    pages: int
    pieces: list[Bit]


class Plan(NamedTuple):
    """What all make."""

    shares: list[Share]
    urls: NDArray[np.uint64]  # of which something was said: pages that an index had of them are outdated

    @property
    def pages(self) -> int:
        return sum(share.pages for share in self.shares)


def plan(pieces: Sequence[Piece], said: Sequence[Said], first: int, many: int) -> Plan:
    """Which of `many` processes makes which pages, numbered from `first` on. Pieces are in the order of their logs."""
    if not said:
        return Plan([], np.empty(0, np.uint64))
    url = np.concatenate([one.url for one in said])
    order = np.lexsort((_stamps(pieces, said), url))  # stable: of equal stamps the later log has the last word
    is_last = np.append(url[order][1:] != url[order][:-1], True)[: len(order)]
    wins = np.zeros(len(url), np.bool_)
    wins[order[is_last]] = True
    wins &= np.concatenate([one.is_page for one in said])
    ends = np.cumsum([len(one.url) for one in said])
    rows = [one.row[won] for one, won in zip(said, np.split(wins, ends[:-1]), strict=True)]
    pages = int(wins.sum())
    shares = math.ceil(pages / (SHARE_PAGES * many)) * many  # none is too large, and each process has as many
    return Plan(_shares(_bits(pieces, said, rows), first, pages, shares), url[order[is_last]])


def _stamps(pieces: Sequence[Piece], said: Sequence[Said]) -> NDArray[np.float64]:
    """When each was said. Within a log stamps never fall; those of older versions have none, and read as what was before (merging.py)."""
    latest: dict[str, float] = {}
    found = [np.empty(0)]
    for piece, one in zip(pieces, said, strict=True):
        before = latest.get(piece.log, 0.0)
        found.append(np.maximum(one.stamp, before))
        latest[piece.log] = max(before, one.latest)
    return np.concatenate(found)


def _bits(pieces: Sequence[Piece], said: Sequence[Said], rows: Sequence[Rows]) -> Iterator[Bit]:
    """Pieces cut at all positions in them, with the rows that are wanted; those without any left out."""
    for piece, one, own in zip(pieces, said, rows, strict=True):
        cuts = [Position.decode(position) for position in one.positions[:-1]]
        starts = [piece.start, *cuts][: len(one.positions)]
        for start, few in zip(starts, np.split(own, np.searchsorted(own, [cut.rows for cut in cuts])), strict=False):
            if len(few):
                yield replace(piece, start=start), few


def _shares(bits: Iterable[Bit], first: int, pages: int, many: int) -> list[Share]:
    """Bits as they follow one another, in shares that are as equal as that allows."""
    shares: list[list[Bit]] = [[] for _ in range(many)]
    before = 0
    for bit in bits:
        shares[before * many // pages].append(bit)
        before += len(bit[1])
    made = []
    for few in shares:
        if few:
            made.append(Share(first, sum(len(rows) for _, rows in few), _whole(few)))
            first += made[-1].pages
    return made


def _whole(bits: Iterable[Bit]) -> list[Bit]:
    """Those that follow one another in a segment become one again: it is read from the first on, up to the last row."""
    found = []
    for _, few in groupby(bits, key=lambda bit: (bit[0].log, bit[0].start.segment)):
        (piece, *_), rows = zip(*few, strict=True)
        found.append((piece, np.concatenate(rows)))
    return found
