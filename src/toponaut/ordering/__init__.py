"""Orderings: *when* a link is fetched. One file each, one small object with one method that matters, no I/O."""

from collections.abc import Callable, Mapping

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.ordering.breadth_first import BreadthFirst
from toponaut.ordering.link_distance import LinkDistance
from toponaut.ordering.protocol import Ordering, Rated

__all__ = ["ORDERINGS", "Ordering", "Rated", "ordering_of"]

ORDERINGS: Mapping[str, Callable[[Job], Ordering]] = {
    "breadth-first": lambda _: BreadthFirst(),
    "link-distance": lambda job: LinkDistance(job.ordering.decay),
}


def ordering_of(job: Job) -> Ordering:
    """The ordering that a job names."""
    name = job.ordering.strategy
    if name not in ORDERINGS:
        raise InputError(f'there is no ordering "{name}"', f"Set ordering.strategy to one of: {', '.join(ORDERINGS)}")
    return ORDERINGS[name](job)
