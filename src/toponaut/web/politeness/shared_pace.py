"""A bound for hosts that belong together: those of one registered domain, and those at one address.

At most `most` of them are asked at the same time, and the delay follows each request. So a server
with a thousand names gets no more requests than one with a few.

A host that finds no room is given a time in the line. Otherwise a thousand hosts would all ask
again at the next free moment, and all but one in vain.

Hosts that have not answered at an address yet get at most half of its room: whoever makes up names
for the address of another's server, at ports that are silent, say, must not stop the crawl there.
"""

from bisect import insort
from weakref import WeakValueDictionary

_LEAST_S = 0.001  # between two questions
_LONGEST_LINE_S = 30.0  # hosts that left the line must not hold up the others for longer


class SharedPace:
    """The requests of hosts that share a bound: those running, and the rests after the others."""

    __slots__ = (
        "__weakref__", "_answer", "_line", "_most", "_rests", "busy", "heavy_until", "newcomers",
    )  # fmt: skip

    def __init__(self, most: int) -> None:
        self.busy = 0
        self.newcomers: SharedPace | None = None  # the bound for hosts that have not answered yet
        self.heavy_until = 0.0  # a page took long to read (clocks.py)
        self._most = most
        self._rests: list[float] = []  # their ends, the first one first
        self._line = 0.0
        self._answer = _LEAST_S  # usual answer time

    def ready_at(self, now: float, delay: float) -> float:
        """`now` if there is room for a request, otherwise when to ask again."""
        rests = self._rests
        while rests and rests[0] <= now:
            del rests[0]
        if self.busy + len(rests) < self._most:
            return now
        at = max(self._line, rests[0] if rests else now + self._answer)
        self._line = at + (delay + self._answer) / self._most
        return min(at, now + _LONGEST_LINE_S)

    def end(self, seconds: float, until: float) -> None:
        """Ends a request that took `seconds`; a rest until then follows."""
        self.busy -= 1
        self._answer = max((self._answer + seconds) / 2, _LEAST_S)
        self.rest(until)

    def rest(self, until: float) -> None:
        """Takes the room of one request until then."""
        insort(self._rests, until)


class SharedPaces:
    """The paces by name, of a domain or an address. They are forgotten with their last host.

    `halved`: newcomers get half of the room.
    """

    def __init__(self, most: int, *, halved: bool = False) -> None:
        self._most = most  # 0: no bound
        self._halved = halved
        self._paces: WeakValueDictionary[str, SharedPace] = WeakValueDictionary()

    def named(self, name: str) -> SharedPace | None:
        """The pace of a domain or an address; None if there is no bound."""
        if not self._most or not name:
            return None
        pace = self._paces.get(name)
        if pace is None:
            pace = self._paces[name] = SharedPace(self._most)
            if self._halved:
                pace.newcomers = SharedPace(max(self._most // 2, 1))
        return pace
