"""Hosts that answer, but never with a page.

After HOPELESS failed requests without a page, the waiting links of the host are given up. Orderings
that learn rate them lower from the first failure on (strategy/ordering/arrivals.py).

A host that does not answer at all is given up sooner (web/politeness/clocks.py). The state is a
fold over the visits; a host leaves it with its first page.
"""

from toponaut.records import FAILURES, PAGES, Outcome, Visit

# If one request in four brought a page, 12 in a row would fail in 3 % of cases.
HOPELESS = 12
HOSTS = 65_536  # that are kept, the last seen
_GOOD = -1  # a page came: never given up


class FailureCounter:
    """The failures of hosts that have not given a page."""

    def __init__(self, hosts: int = HOSTS) -> None:
        self._hosts = hosts
        self._failures: dict[str, int] = {}  # least recently seen first

    def add(self, host: str, visit: Visit) -> None:
        """Count a visit to a host. A link that robots.txt forbids costs nothing."""
        came = brought_page(visit)
        if came is None or visit.outcome is Outcome.FORBIDDEN:
            return
        before = self._failures.pop(host, 0)
        self._failures[host] = _GOOD if came or before == _GOOD else before + 1
        if len(self._failures) > self._hosts:
            del self._failures[next(iter(self._failures))]

    def is_hopeless(self, host: str) -> bool:
        """Whether a host is given up."""
        return self._failures.get(host, 0) >= HOPELESS


def brought_page(visit: Visit) -> bool | None:
    """Whether a visit brought a page with text; None if it is about neither page nor failure."""
    if visit.outcome in PAGES:
        return visit.relevant or visit.simhash != 0
    if visit.outcome is Outcome.NO_INDEX:
        return True
    return False if visit.outcome in FAILURES else None
