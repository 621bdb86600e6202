"""What all strategies have in common: they may learn, and what they learned is a fold over the log.

A strategy hears of visits when they are in the log, one by one and in their order. A crawl that was killed reads its log
again, and the strategy is what it was.
"""

from typing import ClassVar

from toponaut.records import Visit


class Learner:
    """A strategy that learns nothing; those that do say so by overriding all of this."""

    learns_from: ClassVar[tuple[str, ...]] = ()
    """Fields of a Visit that `learn` reads, as in the log ("addresses.place"); on a resume no others are filled."""

    def learn(self, visit: Visit) -> None:
        """Hears of every visit of the crawl, once, in the order of the log."""

    def dump(self) -> bytes:
        """All that was learned, b"" if nothing ever is."""
        return b""

    def load(self, model: bytes) -> None:
        """Takes over what `dump` gave. A ValueError says that it is none of ours."""

    def adopt(self, model: bytes) -> None:
        """As `load`, but of another crawl, whose visits are none of ours."""
        self.load(model)
