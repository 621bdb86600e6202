"""When pages are due, and which are due first.

When a page is due follows from its visits and the value of the last review (lambda). Not all pages
are looked at each time: the fiftieth part that is due first waits in a heap, and is filled again
when it is empty. After visits, pages are planned many at once, which takes no longer than one.

A page in trouble (gone, moved, host silent) is due after 1, 2, 4, ... days, whatever it is worth; a
page that something says has changed is due at once.
"""

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toponaut.job import WatchSection
from toponaut.watch.review import watched_pages
from toponaut.watch.revisit_table import DAY_S, RevisitTable, Rows
from toponaut.watch.schedule import SCHEDULES, Floats

_SHARE, _LEAST = 50, 1000  # pages in the heap: a fiftieth of all, but so many at least
_GOLDEN = 0.6180339887498949  # its multiples are spread evenly between whole numbers
_AT_ONCE = 256  # pages that one call plans
LAST = 2.0**32 - 1  # seconds are whole numbers of 32 bits, to the year 2106


class DueQueue:
    """The pages of a table, in the order in which they are due."""

    def __init__(self, section: WatchSection, pages: RevisitTable) -> None:
        self._pages, self._section = pages, section
        self._schedule, self._value = SCHEDULES[section.schedule], 1.0
        self.shortest_days = min(section.shortest_hours / 24.0, section.longest_days)
        self._heap: list[tuple[int, int]] = []  # (moment, row)
        self._horizon = -1.0  # pages due later are not in the heap; -1: it is to be filled
        self._unplanned: list[int] = []  # rows that were visited
        self._plan_by = math.inf  # none of them is due before
        self._estimated = False  # whether all rates of changes are by the current priors

    def follow(self, value: float, *, new_priors: bool) -> None:
        """A review has found another value: all pages are due at other times."""
        self._value = value
        self._heap, self._horizon = [], -1.0
        self._estimated = self._estimated and not new_priors

    def plan_later(self, rows: Sequence[int], soonest: float) -> None:
        """Plan pages again before the moment at which the first of them may be due."""
        if rows and self._horizon >= 0.0:
            self._unplanned += rows
            self._plan_by = min(self._plan_by, soonest)

    def prepare(self, now: float) -> None:
        """Plan what has to be planned by now."""
        if not self._heap:
            self._fill()
        elif now >= self._plan_by or len(self._unplanned) >= _AT_ONCE:
            rows = self.estimate()
            for row, due in zip(rows.tolist(), self._due_times(rows).tolist(), strict=True):
                self.put(row, int(min(due, LAST)))

    def take(self, now: float) -> tuple[int, int] | None:
        """A page that is due now, and since when: (moment, row)."""
        while self._heap and self._heap[0][0] <= now:
            moment, row = heapq.heappop(self._heap)
            if self._pages.is_due_at(row, moment):  # it was not visited meanwhile
                return moment, row
        return None

    def put(self, row: int, moment: int) -> None:
        """A page is due at another moment."""
        self._pages.set_due(row, moment)
        if moment <= self._horizon:
            heapq.heappush(self._heap, (moment, row))

    def next_due(self) -> float | None:
        """When a page may be due; None if there are none."""
        times = [self._plan_by] if self._unplanned else []
        if self._heap:
            times.append(self._heap[0][0])
        return min(times, default=None)

    def estimate(self) -> NDArray[np.int64]:
        """Estimate how often the pages change that were visited; return their rows."""
        rows = np.array(self._unplanned, np.int64)
        self._unplanned, self._plan_by = [], math.inf
        self._pages.estimate(rows if self._estimated else slice(None))
        self._estimated = True
        return rows

    def rates(self, rows: Rows) -> Floats:
        """Visits a day, by the job's schedule."""
        pages = watched_pages(self._pages, rows, self._section.schedule)
        rates = self._schedule.rates(pages, self._value)
        return np.clip(rates, 1.0 / self._section.longest_days, 1.0 / self.shortest_days)

    def _fill(self) -> None:
        """Keep the pages that are due first."""
        self.estimate()
        due = self._pages.column("due")
        due[:] = np.minimum(self._due_times(slice(None)), LAST)
        most = max(_LEAST, len(due) // _SHARE)
        self._horizon = math.inf
        if len(due) > most:
            self._horizon = float(np.partition(due, most)[most])
        rows = np.flatnonzero(due <= self._horizon)
        self._heap = sorted(zip(due[rows].tolist(), rows.tolist(), strict=True))

    def _due_times(self, rows: Rows) -> Floats:
        column = self._pages.column
        strikes = column("strikes")[rows].astype(np.float64)
        days = self._spread(rows) / self.rates(rows)
        soon = np.minimum(2.0 ** (np.minimum(strikes, 30.0) - 1.0), self._section.longest_days)
        days = np.where(strikes > 0, soon, days)
        days = np.where(column("hint")[rows] > 0, 0.0, days)
        times: Floats = column("last")[rows].astype(np.float64) + DAY_S * days
        return times

    def _spread(self, rows: Rows) -> Floats:
        """The first visit comes after a part of the interval: a crawl fetched all at once."""
        first = self._pages.column("visits")[rows] == 0
        numbers = np.arange(*rows.indices(self._pages.count)) if isinstance(rows, slice) else rows
        parts: Floats = np.where(first, (numbers * _GOLDEN) % 1.0, 1.0)
        return parts
