"""Curves and tallies that take as much memory after a million visits as after a thousand.

A curve keeps every page at first, then every second, every fourth and so on: when it is full, each second point goes and the
step between points doubles. What is kept is exact; only how many moments are kept changes.
"""

from collections import Counter
from heapq import nsmallest
from itertools import pairwise

from toponaut.measures.harvest import WINDOW_LEAST, WINDOW_SHARE

SHOWN = 200  # points of a curve that a page is given: more than it can show
PAUSE_S = (
    300.0  # a longer rest counts as this long: the night between two runs is no part of the pace
)
_LEAST_WIDTH_S = 1.0


class Curve:
    """Pages and relevant pages, over the pages: the harvest, so far and in a sliding window."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._shown = shown
        self._step = 1
        self._kept = [(0, 0)]  # pages, relevant ones among them
        self.pages = self.relevant = 0

    def add(self, relevant: bool) -> None:
        """One page more."""
        self.pages += 1
        self.relevant += relevant
        if self.pages % self._step == 0:
            self._kept.append((self.pages, self.relevant))
            # Twice what is shown, so that the window, a 20th of the crawl, spans ten steps or more.
            if len(self._kept) > 2 * self._shown:
                self._kept = self._kept[::2]
                self._step *= 2

    @property
    def window(self) -> int:
        """Pages that the sliding window spans, as in the measures."""
        return max(WINDOW_LEAST, self.pages // WINDOW_SHARE)

    def points(self) -> list[tuple[int, float, float]]:
        """Pages, the harvest of them all, and that of the window before; the last point is now.

        A window begins at a kept point, so it may be up to a step longer than `window`.
        """
        if not self.pages:
            return []
        kept = (
            self._kept
            if self._kept[-1][0] == self.pages
            else [*self._kept, (self.pages, self.relevant)]
        )
        every = -(-(len(kept) - 1) // self._shown)
        found = []
        start = 0
        for at in range(len(kept) - 1, 0, -every):
            pages, relevant = kept[at]
            before = max(0, pages - self.window)
            start = min(at - 1, before // self._step)
            then, so_far = kept[start]
            found.append(
                (pages, round(relevant / pages, 4), round((relevant - so_far) / (pages - then), 4))
            )
        return found[::-1]


class Pace:
    """Pages a second over the time that a crawl was at work: pauses are left out."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._shown = shown
        self._width = _LEAST_WIDTH_S
        self._counts = [0]
        self._latest = 0.0
        self._worked = 0.0

    def add(self, time: float) -> None:
        """One page, asked for at this time."""
        if self._latest:
            self._worked += min(max(time - self._latest, 0.0), PAUSE_S)
        self._latest = max(self._latest, time)
        while self._worked >= self._width * self._shown:
            halves = [*self._counts, 0] if len(self._counts) % 2 else self._counts
            self._counts = [
                one + other for one, other in zip(halves[::2], halves[1::2], strict=True)
            ]
            self._width *= 2
        at = int(self._worked / self._width)
        self._counts += [0] * (at + 1 - len(self._counts))
        self._counts[at] += 1

    def points(self) -> list[tuple[float, float]]:
        """Seconds at work, and pages a second around then. The last stretch is left out: it is not over."""
        return [
            ((at + 0.5) * self._width, round(count / self._width, 3))
            for at, count in enumerate(self._counts[:-1])
        ]


class Sightings:
    """What snapshots told, one line for each that was seen: time, pages, links that wait."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._shown = shown
        self._step = 1
        self._seen = 0
        self._kept: list[tuple[float, int, int]] = []
        self._last: tuple[float, int, int] | None = None

    def add(self, time: float, pages: int, queued: int) -> None:
        """A snapshot that was not seen before."""
        self._last = (time, pages, queued)
        if self._seen % self._step == 0:
            self._kept.append(self._last)
            if len(self._kept) > self._shown:
                self._kept = self._kept[::2]
                self._step *= 2
        self._seen += 1

    def _all(self) -> list[tuple[float, int, int]]:
        fresh = self._last is not None and self._last != self._kept[-1]
        return [*self._kept, self._last] if fresh and self._last else self._kept

    def queue(self) -> list[tuple[int, int]]:
        """Pages, and links that waited then."""
        return [(pages, queued) for _, pages, queued in self._all()]

    def pace(self) -> list[tuple[float, float]]:
        """Seconds since the first, and pages a second since the one before."""
        seen = self._all()
        return [
            (round(time - seen[0][0], 1), round(max(pages - earlier, 0) / (time - before), 3))
            for (before, earlier, _), (time, pages, _) in pairwise(seen)
            if time > before
        ]


class Tally:
    """Counts of names of which there may be millions; the most frequent are wanted.

    When twice `keep` names are there, the rarer half goes. A name that comes again later counts anew, so its count may be
    too low, by no more than the rarest of those that were kept had then.
    """

    def __init__(self, keep: int = 10_000) -> None:
        self._keep = keep
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        self._counts[name] += 1
        if len(self._counts) > 2 * self._keep:
            self._counts = Counter(dict(self._counts.most_common(self._keep)))

    def most_common(self, many: int) -> list[tuple[str, int]]:
        """Of equally frequent names the first in the alphabet."""
        return nsmallest(many, self._counts.items(), key=lambda pair: (-pair[1], pair[0]))
