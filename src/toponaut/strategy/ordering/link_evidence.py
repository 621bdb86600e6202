"""The evidence on a link before it is followed, as one row of numbers (for combined.py).

Each evidence is 0 if it says nothing and about 1 if it says something, so that weights can be
compared. The fixed part is kept in the link's memo, one byte for each number. The moving part is
looked up again when the link's turn has come: the words, and the records of sites kept here.
"""

import math
from collections.abc import Callable, Sequence
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.anchors import LinkReader
from toponaut.places.names.tokens import Index
from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.urls import fingerprint, host_of, registered_domain

FIXED = (
    "bias",
    "nearness of a relevant page",  # 1 next to a relevant page or a seed, then 1/2, 1/4
    "a relevant page holds it",
    "the URL names a target",
    "the link text names a target",
    "a target is named near it",
    "its page is about targets",
    "stays on its site",
    "depth in its host",
    "many links on its page",
)
MOVING = ("words of links that led on", "record of its site", "record of links from there")
NAMES = FIXED + MOVING
_STEPS = 16.0  # a number is kept in one byte: -8 to 8 in steps of 1/16
_ROW = Struct(f"{len(FIXED)}b")
_FEW_LINKS = math.log(20)

# Sites are registered domains, kept by 20 bits of their hash: 8 MB for each of two tables.
_BITS = 20
CELLS = 1 << _BITS
# Links with the crawl's average success that every site starts with. With fewer, one relevant page
# would make a site the best of all; with more, a site would need too many visits to be believed.
_BEFORE = 3.0
_MOST = 4.0  # log-odds, relative to the whole crawl


class LinkEvidence:
    """Reads links. `row`: place id -> row in the gazetteer."""

    def __init__(self, reader: LinkReader, row: Callable[[int], int]) -> None:
        self._reader, self._row = reader, row

    def read(
        self,
        came: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        score: float,
        same_site: Sequence[bool],
    ) -> NDArray[np.float64]:
        """The fixed evidence of links of a page, a row for each."""
        found = np.zeros((len(links), len(FIXED)))
        found[:, 0] = 1.0
        found[:, 1] = 2 * score
        found[:, 2] = judged.relevant
        in_urls, anchored = self._reader.read(judged.page.text, links)
        found[:, 3] = [bool(names) for names in in_urls]
        for k, named in anchored.items():
            found[k, 5 if named.words else 4] = 1 / max(named.words, 1)
        found[:, 6] = self.about_targets(judged)
        found[:, 7] = same_site
        here = host_of(came.url) if came.url else ""
        deeper = min(came.depth + 1, 5) / 5
        found[:, 8] = [deeper if host_of(link.url) == here else 0.0 for link in links]
        found[:, 9] = max(math.log(1 + len(judged.page.links)) - _FEW_LINKS, 0.0)
        return found

    def about_targets(self, judged: JudgedPage) -> float:
        """The share of a page's scope that is in targets."""
        inside, row = self._reader.inside, self._row
        return sum(weight for place, weight in judged.scope if inside[row(place)])


def packed(fixed: NDArray[np.float64]) -> list[bytes]:
    """Rows of evidence as the memo keeps them."""
    steps = np.clip(np.rint(fixed * _STEPS), -127, 127).astype(np.int8)
    return [row.tobytes() for row in steps]


def unpacked(rows: bytes) -> NDArray[np.float64]:
    """Rows of evidence from the bytes of memos."""
    return np.frombuffer(rows, np.int8).reshape(-1, len(FIXED)) / _STEPS


def unpacked_row(row: bytes) -> list[float]:
    """The same for one row."""
    return [step / _STEPS for step in _ROW.unpack(row)]


def cell_of(mark: int) -> int:
    """The cell for the fingerprint of a site's name. Sites that share a cell are rare enough."""
    return mark >> (64 - _BITS)


def site_cell(url: str) -> int:
    """The cell of a URL's site; 0 for no URL."""
    return cell_of(fingerprint(registered_domain(host_of(url)))) if url else 0


def path_cell(site: int, path: int) -> int:
    """The cell of the links of a site with a tag path (Fibonacci hashing of both)."""
    return cell_of((site << 31 | path) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)


class SiteRecords:
    """For each site (or other cell) how many links were followed, and led to relevant pages."""

    def __init__(self) -> None:
        self._counts: NDArray[np.uint32] = np.zeros((CELLS, 2), np.uint32)
        self._totals = [0, 0]  # followed and relevant

    def add(self, cell: int, relevant: bool) -> None:
        self._counts[cell] += np.array([1, relevant], np.uint32)
        self._totals[0] += 1
        self._totals[1] += relevant

    @property
    def followed(self) -> int:
        """Links of all sites."""
        return self._totals[0]

    def counts(self, cell: int) -> tuple[int, int]:
        """Links of a site that were followed, and those that led to relevant pages."""
        followed, relevant = self._counts[cell].tolist()
        return followed, relevant

    def odds(self, cells: Index) -> NDArray[np.float64]:
        """The success of each site relative to the whole crawl, as log-odds; 0 for a new site."""
        followed, relevant = self._counts.take(cells, axis=0).T
        usual = self._usual()
        share = (relevant + _BEFORE * usual) / (followed + _BEFORE)
        odds = np.log(share / (1 - share)) - np.log(usual / (1 - usual))
        return np.asarray(np.minimum(np.maximum(odds, -_MOST), _MOST))  # 3 times as fast as clip

    def odds_of(self, cell: int) -> float:
        """The same for one site."""
        followed, relevant = self.counts(cell)
        usual = self._usual()
        share = (relevant + _BEFORE * usual) / (followed + _BEFORE)
        odds = math.log(share / (1 - share)) - math.log(usual / (1 - usual))
        return min(max(odds, -_MOST), _MOST)

    def _usual(self) -> float:
        """The success of the whole crawl; 1 in 25 before the first page, as in lookahead."""
        return (self._totals[1] + 1) / (self._totals[0] + 25)

    def saved(self) -> tuple[bytes, bytes]:
        cells = self._counts[:, 0].nonzero()[0]
        return cells.astype("<u4").tobytes(), self._counts[cells].astype("<u4").tobytes()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        cells, counts = np.frombuffer(saved[0], "<u4"), np.frombuffer(saved[1], "<u4")
        if len(counts) != 2 * len(cells) or (cells >= CELLS).any():
            raise ValueError("its tables do not fit together")
        self._counts[:] = 0
        self._counts[cells] = counts.reshape(-1, 2)
        self._totals = self._counts.sum(axis=0, dtype=np.int64).tolist()
