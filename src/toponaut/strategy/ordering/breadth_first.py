"""Breadth-first: pages nearest to the seeds first. The baseline of all four papers."""

from collections.abc import Sequence

from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.setting import Setting


class BreadthFirst(Ordering):
    """The fewer links from a seed, the sooner."""

    def seed(self) -> Rating:
        return Rating(0.0, 0.0, "a seed")

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        hops = came.hops + 1
        return [Rating(-float(hops), 0.0, f"{hops} links from a seed")] * len(links)


def build(_: Setting) -> BreadthFirst:
    return BreadthFirst()
