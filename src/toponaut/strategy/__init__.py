"""Strategies: an ordering decides when a link is fetched, a collaboration by which node.

Both may learn. What they learn is a fold over the log: after a restart the log is read again, and
the strategy is in the same state.
"""

from typing import ClassVar

from toponaut.records import Visit


class Learner:
    """A strategy that learns nothing; one that learns overrides all of this."""

    learns_from: ClassVar[tuple[str, ...]] = ()
    """Fields of a Visit that `learn` reads, as in the log ("addresses.place").

    When a crawl is resumed, only these fields are filled.
    """

    def learn(self, visit: Visit) -> None:
        """Called for every visit of the crawl, once, in the order of the log."""

    def dump(self) -> bytes:
        """The learned state, b"" if there is none."""
        return b""

    def load(self, model: bytes) -> None:
        """Restore a dumped state. Raises ValueError if it does not fit."""

    def adopt(self, model: bytes) -> None:
        """Start from a state that another crawl has dumped."""
        self.load(model)
