"""Links that sank: at their turn, their promise had fallen.

The order of later requests depends on them and on when it was, so they are logged with the next
visit, and a frontier that is rebuilt lets them sink again.
"""


class SunkLinks:
    """How many there were, and those that are not in the log yet."""

    def __init__(self) -> None:
        self.count = 0
        self._unlogged: dict[str, float] = {}  # promises by URL

    def add(self, url: str, promise: float) -> None:
        self.count += 1
        self._unlogged.pop(url, None)  # the order is that of the last time
        self._unlogged[url] = promise

    def forget(self, url: str) -> None:
        """Another node's visit, logged before the next one here, raised the link again."""
        self._unlogged.pop(url, None)

    def take(self) -> dict[str, float]:
        """Those since the last call."""
        taken, self._unlogged = self._unlogged, {}
        return taken
