"""Orderings: *when* a link is fetched. One file each, one small object with one method that matters, no I/O."""

from toponaut.strategy.ordering.protocol import Ordering, Rating

__all__ = ["Ordering", "Rating"]
