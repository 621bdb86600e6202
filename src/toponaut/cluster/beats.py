"""What a driver and its actors say to each other, some times a second.

A driver is one life of the command, with an epoch like everybody else: of two that think that the crawl is theirs, actors listen
to the later one, and tell the other so.
"""

import os
import socket
from collections.abc import Mapping

from msgspec import Struct

from toponaut.cluster.exchange import Parts
from toponaut.crawl.progress import NodeFigures, Progress, Totals, progress_of

DRIVER = "driver"  # the name of its epochs


class Driving(Struct, frozen=True):
    """A driver."""

    epoch: int
    host: str
    process: int

    @classmethod
    def here(cls, epoch: int) -> "Driving":
        return cls(epoch, socket.gethostname(), os.getpid())

    @property
    def who(self) -> str:
        return f"process {self.process} on {self.host}"

    def is_gone(self) -> bool:
        """Whether it is known to have ended. Of other machines nothing is known."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False


class Watched(Struct, frozen=True):
    """Whom an actor listens to, and how many seconds ago it said something."""

    by: Driving
    ago: float


class Order(Struct, frozen=True):
    """What a driver tells an actor when it asks how it is."""

    driver: Driving
    allowed: int | None = None  # pages that it may have fetched; -1: any number; None: as before
    reclaim: bool = False  # it is to give back what it has no use for


class Beat(Struct, frozen=True):
    """How an actor is."""

    actor: str
    epoch: int
    idle: bool
    activity: int  # counts whatever happens: twice the same, nothing has
    allowed: int  # pages that it may have fetched
    totals: Totals
    queued: int
    seen: int
    hosts: int
    resting: int
    busy: int
    time: float
    trouble: str = ""


class Told(Struct, frozen=True):
    """An actor's answer. With nothing in it, it is beginning: it reads the logs."""

    beat: Beat | None = None
    trouble: str = ""  # why it could not begin
    taken_over: str = ""  # by whom, if another driver has come since


def progress_of_actors(beats: Mapping[str, Beat], parts: Parts, seconds: float) -> Progress:
    """The progress of a crawl on a cluster, from the latest reports of its actors."""
    figures = [
        NodeFigures(
            parts.node_of(actor),
            beat.totals,
            beat.queued,
            beat.seen,
            beat.hosts,
            beat.resting,
            beat.busy,
        )
        for actor in parts.actors
        if (beat := beats.get(actor))
    ]
    return progress_of(figures, max((one.time for one in beats.values()), default=0.0), seconds)
