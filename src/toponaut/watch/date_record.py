"""How right the dates of a sitemap were, by the later visits to its pages.

    p = (2 + told) / (3 + told + false)    of the pages with a new date, those that had changed
    m = (3 + missed) / (3 + missed + told) of the pages that had changed, those without a new date

Many sites date every page anew, or never. Dates with p < 1/4 bring no visit forward. m is the share
of a page's changes that only a visit finds: the schedule counts with the rate m delta. Without a
record p is 2/3 and m is 1: dates bring visits forward, and delay none. A record is forgotten by
half in 35 days.
"""

from msgspec import Struct

_LEAST_RIGHT = 0.25
_KEPT = 0.98  # of a record, from one day to the next
# Pages that one reading brings forward: a few, and more for each change that it announced before.
_FIRST, _MORE, _MOST = 5, 10, 500


class DateRecord(Struct):
    """The record of a sitemap."""

    told: float = 0.0  # changes that came with a new date
    missed: float = 0.0  # changes that did not
    false: float = 0.0  # new dates without a change

    def score(self, dated: bool, changed: bool) -> None:
        """Take a later visit to a page. `dated`: with a new date."""
        self.told += dated and changed
        self.false += dated and not changed
        self.missed += changed and not dated

    def forget(self) -> None:
        """A day has passed."""
        self.told *= _KEPT
        self.missed *= _KEPT
        self.false *= _KEPT

    @property
    def right(self) -> float:
        """The share of pages with a new date that have changed (p)."""
        return (2.0 + self.told) / (3.0 + self.told + self.false)

    @property
    def silent(self) -> float:
        """The share of changes that come without a new date (m)."""
        return (3.0 + self.missed) / (3.0 + self.missed + self.told)

    @property
    def pages_at_once(self) -> int:
        """How many pages with a new date are looked at soon."""
        return min(_FIRST + int(_MORE * self.told), _MOST) if self.right >= _LEAST_RIGHT else 0
