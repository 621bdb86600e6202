"""Which visit linked to a URL first: the way on which a crawl found its pages, where only the pages are known.

The links of a crawl are many more than its pages, so they lie in a file, mapped: 17 to 34 bytes each (12 in a cell
of a table that is between a third and two thirds full), and no memory of our own.
"""

from pathlib import Path

import numpy as np

from toponaut.frontier.mapped import Columns
from toponaut.frontier.table import FingerprintTable
from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.urls import fingerprint, host_of

_STANDING = {
    "host": "Q",
    "hops": "I",
    "depth": "I",
    "score": "d",
}  # what a visit hands on to its links


class Finders:
    """Finders of links, in files of a directory of their own."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self._first = FingerprintTable(
            directory, "first"
        )  # fingerprint -> sequence of the visit, + 1; 0: none linked to it
        self._visits = Columns(directory, "visits", _STANDING)

    def queued(self, url: str, score: float) -> QueuedLink:
        """A URL as the link that led there first. What nothing linked to when it came is taken as a seed, with this score,
        and stays one.
        """
        mark = fingerprint(url)
        first = self._first.get(mark)
        if first is None:
            self._note(np.array([mark], np.uint64), 0)
        if not first:
            return QueuedLink(url, 0.0, score=score)
        row, views = first - 1, self._visits.views
        depth = views["depth"][row] if views["host"][row] == fingerprint(host_of(url)) else 0
        handed = float(self._visits.arrays["score"][row])
        return QueuedLink(
            url, 0.0, depth=depth, hops=views["hops"][row], found_by=row, score=handed
        )

    def add(self, visit: Visit) -> None:
        """Takes the links of a visit in."""
        self._visits.reserve(visit.sequence + 1)
        on = visit.outcome not in (
            Outcome.REDIRECT,
            Outcome.SEEDED,
        )  # neither is a link further from a seed
        row, arrays = visit.sequence, self._visits.arrays
        arrays["host"][row] = fingerprint(host_of(visit.url)) if visit.url else 0
        arrays["hops"][row], arrays["depth"][row] = visit.hops + on, visit.depth + on
        arrays["score"][row] = (
            visit.links[0].score if visit.links else 0.0
        )  # strategies hand one score to all links
        urls = (*(link.url for link in visit.links), *(link.url for link in visit.refused))
        marks = np.fromiter((*map(fingerprint, urls), *visit.known), np.uint64)
        self._note(np.unique(marks), visit.sequence + 1)

    def _note(self, marks: "np.ndarray[tuple[int], np.dtype[np.uint64]]", first: int) -> None:
        new = marks[~self._first.find(marks)[0]]
        self._first.reserve(len(new))
        self._first.add(new, np.full(len(new), first, np.uint32))
