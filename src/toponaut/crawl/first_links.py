"""Which visit linked to a URL first: the path of a crawl of which only the pages are known.

A crawl has many more links than pages, so they are in a mapped file, 17 to 34 bytes each, and take
no memory of our own.
"""

from pathlib import Path

import numpy as np

from toponaut.frontier.mapped import Columns
from toponaut.frontier.table import FingerprintTable
from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.urls import fingerprint, host_of

_COLUMNS = {"host": "Q", "hops": "I", "depth": "I", "score": "d"}  # a visit passes on to its links


class FirstLinks:
    """The first link to each URL, in files of a new directory."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        # fingerprint -> sequence of the visit + 1; 0: no page links to it
        self._first = FingerprintTable(directory, "first")
        self._visits = Columns(directory, "visits", _COLUMNS)

    def queued(self, url: str, score: float) -> QueuedLink:
        """A URL as the first link to it. If no page has linked to it yet, it counts as a seed from
        now on, with this score.
        """
        mark = fingerprint(url)
        first = self._first.get(mark)
        if first is None:
            self._note(np.array([mark], np.uint64), 0)
        if not first:
            return QueuedLink(url, 0.0, score=score)
        row, views = first - 1, self._visits.views
        depth = views["depth"][row] if views["host"][row] == fingerprint(host_of(url)) else 0
        score_there = float(self._visits.arrays["score"][row])
        return QueuedLink(
            url, 0.0, depth=depth, hops=views["hops"][row], found_by=row, score=score_there
        )

    def add(self, visit: Visit) -> None:
        """Add the links of a visit."""
        self._visits.reserve(visit.sequence + 1)
        # Links of a redirect and seeds are not one link further.
        step = visit.outcome not in (Outcome.REDIRECT, Outcome.SEEDED)
        row, arrays = visit.sequence, self._visits.arrays
        arrays["host"][row] = fingerprint(host_of(visit.url)) if visit.url else 0
        arrays["hops"][row], arrays["depth"][row] = visit.hops + step, visit.depth + step
        # Strategies pass the same score on to all links.
        arrays["score"][row] = visit.links[0].score if visit.links else 0.0
        urls = (*(link.url for link in visit.links), *(link.url for link in visit.refused))
        marks = np.fromiter((*map(fingerprint, urls), *visit.known), np.uint64)
        self._note(np.unique(marks), visit.sequence + 1)

    def _note(self, marks: "np.ndarray[tuple[int], np.dtype[np.uint64]]", first: int) -> None:
        new = marks[~self._first.find(marks)[0]]
        self._first.reserve(len(new))
        self._first.put(new, np.full(len(new), first, np.uint32))
