"""Breadth-first: pages nearest to the seeds first. The baseline of all four papers."""

from collections.abc import Sequence

from toponaut.records import Judged, Link, Queued
from toponaut.strategy.ordering.protocol import Ordering, Rated
from toponaut.strategy.setting import Setting


class BreadthFirst(Ordering):
    """The fewer links from a seed, the sooner."""

    def seed(self) -> Rated:
        return Rated(0.0, 0.0, "a seed")

    def rate(self, came: Queued, judged: Judged, links: Sequence[Link]) -> list[Rated]:  # noqa: ARG002
        hops = came.hops + 1
        return [Rated(-float(hops), 0.0, f"{hops} links from a seed")] * len(links)


def build(_: Setting) -> BreadthFirst:
    return BreadthFirst()
