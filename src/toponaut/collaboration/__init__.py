"""Collaborations: *who* fetches a link. One file each, one small object with one method, no I/O."""

from collections.abc import Callable, Mapping, Sequence

from toponaut.collaboration.by_hash import ByHash
from toponaut.collaboration.protocol import Assigned, Collaboration
from toponaut.errors import InputError
from toponaut.job import Job

__all__ = ["COLLABORATIONS", "Assigned", "Collaboration", "collaboration_of"]

COLLABORATIONS: Mapping[str, Callable[[Job, Sequence[str]], Collaboration]] = {
    "hash": lambda _, nodes: ByHash(nodes),
}


def collaboration_of(job: Job, nodes: Sequence[str]) -> Collaboration:
    """The collaboration that a job names, among nodes of these names."""
    name = job.collaboration.strategy
    if name not in COLLABORATIONS:
        names = ", ".join(COLLABORATIONS)
        raise InputError(f'there is no collaboration "{name}"', f"Set collaboration.strategy to one of: {names}")
    return COLLABORATIONS[name](job, nodes)
