"""What every ordering is: links of a judged page in, a priority for each out."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from toponaut.records import Judged, Link, Queued


class Rated(NamedTuple):
    """An ordering's answer for one link."""

    priority: float  # higher is sooner
    score: float  # handed on: the page behind the link finds it in its `Queued`
    why: str


class Ordering(Protocol):
    """Gives every link its priority. Never reads a clock, a file or chance: ties are the frontier's business."""

    def seed(self) -> Rated:
        """The answer for a seed, which no page holds."""
        ...

    def rate(self, came: Queued, judged: Judged, links: Sequence[Link]) -> list[Rated]:
        """The answers for links of a page; `came` is how the page itself was reached."""
        ...
