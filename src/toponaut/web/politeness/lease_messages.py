"""The messages between a node and a clock keeper, and the times both sides agree on."""

from msgspec import Struct

from toponaut.web.politeness.clocks import ClockState

LEASE_S = 10.0


class LeaseRequest(Struct, frozen=True, array_like=True):
    """A node's message to a keeper."""

    actor: str
    epoch: int
    keeper: int = 1  # epoch of the keeper that answered last
    number: int = 1  # counts the calls from this epoch of the node to this keeper
    wants: list[tuple[str, int]] = []  # hosts, with the number of pages the node has from each
    holds: list[tuple[str, int]] = []  # hosts whose leases to renew, with their pages
    returns: list[tuple[str, ClockState]] = []
    delays: list[tuple[str, float]] = []  # crawl-delays the node has read; sent once per keeper


class LeaseReply(Struct, frozen=True, array_like=True):
    """A keeper's reply."""

    keeper: int = 1  # its epoch
    granted: list[tuple[str, ClockState]] = []
    later: list[tuple[str, float]] = []  # hosts, with the seconds after which to ask again
    wanted: list[str] = []  # hosts this node holds and others want
    lost: list[str] = []  # hosts the node claims to hold, but no longer does


def again_s(delay: float) -> float:
    """Seconds between two requests for a clock that changes hands."""
    return min(max(delay / 4, 0.02), 0.25)
