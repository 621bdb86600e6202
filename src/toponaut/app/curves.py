"""Curves and tallies of bounded memory, for crawls of any length.

A curve keeps every page at first, then every second, every fourth and so on: when it is full, every
other point is dropped and the step doubles. The points that are kept are exact.
"""

from collections import Counter
from heapq import nsmallest
from itertools import pairwise

from toponaut.measures.harvest import WINDOW_LEAST, WINDOW_SHARE

MAX_POINTS = 200  # of a curve, more than a chart can show
PAUSE_S = 300.0  # longer pauses count as this: a night between two runs is not part of the pace
_MIN_WIDTH_S = 1.0


class LiveHarvestCurve:
    """Relevant pages over pages: the harvest so far, and in a sliding window."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._step = 1
        self._kept = [(0, 0)]  # pages, relevant pages
        self.pages = self.relevant = 0

    def add(self, relevant: bool) -> None:
        self.pages += 1
        self.relevant += relevant
        if self.pages % self._step == 0:
            self._kept.append((self.pages, self.relevant))
            # Twice what is shown, so that the window, a 20th of the crawl, spans ten steps or more.
            if len(self._kept) > 2 * self._max_points:
                self._kept = self._kept[::2]
                self._step *= 2

    @property
    def window(self) -> int:
        """Pages in the sliding window, as in the measures."""
        return max(WINDOW_LEAST, self.pages // WINDOW_SHARE)

    def points(self) -> list[tuple[int, float, float]]:
        """(pages, harvest of all, harvest of the window); the last point is now.

        A window starts at a kept point, so it may be up to a step longer than `window`.
        """
        if not self.pages:
            return []
        kept = self._kept
        if kept[-1][0] != self.pages:
            kept = [*kept, (self.pages, self.relevant)]
        every = -(-(len(kept) - 1) // self._max_points)
        points = []
        for at in range(len(kept) - 1, 0, -every):
            pages, relevant = kept[at]
            start = min(at - 1, max(0, pages - self.window) // self._step)
            before, so_far = kept[start]
            in_window = (relevant - so_far) / (pages - before)
            points.append((pages, round(relevant / pages, 4), round(in_window, 4)))
        return points[::-1]


class PaceCurve:
    """Pages per second while a crawl was active, without pauses."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._width = _MIN_WIDTH_S
        self._counts = [0]
        self._latest = 0.0
        self._active = 0.0

    def add(self, time: float) -> None:
        """A page that was requested at this time."""
        if self._latest:
            self._active += min(max(time - self._latest, 0.0), PAUSE_S)
        self._latest = max(self._latest, time)
        while self._active >= self._width * self._max_points:
            even = [*self._counts, 0] if len(self._counts) % 2 else self._counts
            self._counts = [a + b for a, b in zip(even[::2], even[1::2], strict=True)]
            self._width *= 2
        at = int(self._active / self._width)
        self._counts += [0] * (at + 1 - len(self._counts))
        self._counts[at] += 1

    def points(self) -> list[tuple[float, float]]:
        """(seconds of activity, pages per second), without the last, unfinished interval."""
        return [
            ((at + 0.5) * self._width, round(count / self._width, 3))
            for at, count in enumerate(self._counts[:-1])
        ]


class SnapshotHistory:
    """The snapshots that were seen: (time, pages, links waiting)."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._step = 1
        self._seen = 0
        self._kept: list[tuple[float, int, int]] = []
        self._last: tuple[float, int, int] | None = None

    def add(self, time: float, pages: int, queued: int) -> None:
        self._last = (time, pages, queued)
        if self._seen % self._step == 0:
            self._kept.append(self._last)
            if len(self._kept) > self._max_points:
                self._kept = self._kept[::2]
                self._step *= 2
        self._seen += 1

    def _points(self) -> list[tuple[float, int, int]]:
        if self._last is None or self._last == self._kept[-1]:
            return self._kept
        return [*self._kept, self._last]

    def queue(self) -> list[tuple[int, int]]:
        """(pages, links waiting)."""
        return [(pages, queued) for _, pages, queued in self._points()]

    def pace(self) -> list[tuple[float, float]]:
        """(seconds since the first, pages per second since the one before)."""
        seen = self._points()
        return [
            (round(time - seen[0][0], 1), round(max(pages - earlier, 0) / (time - before), 3))
            for (before, earlier, _), (time, pages, _) in pairwise(seen)
            if time > before
        ]


class Tally:
    """Counts the most frequent of possibly millions of names.

    At twice `keep` names, the rarer half is dropped. A name that returns starts from 0, so its
    count may be too low, by at most the count of the rarest name that was kept.
    """

    def __init__(self, keep: int = 10_000) -> None:
        self._keep = keep
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        self._counts[name] += 1
        if len(self._counts) > 2 * self._keep:
            self._counts = Counter(dict(self._counts.most_common(self._keep)))

    def most_common(self, many: int) -> list[tuple[str, int]]:
        """By count, then alphabetically."""
        return nsmallest(many, self._counts.items(), key=lambda pair: (-pair[1], pair[0]))
