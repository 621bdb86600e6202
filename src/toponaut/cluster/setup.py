"""Everything that the actors of a crawl on a cluster are made from."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toponaut.cluster.exchange import ActorLayout
from toponaut.crawl.directory import Directory
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store import folder_at
from toponaut.store.mirror import local_root

SILENCE_S = 30.0  # a slow page blocks an actor for about 5 s; a machine that swaps, for longer


# They need all frontiers in one process.
NOT_ON_A_CLUSTER = ("collaboration.exclusive",)


class ClusterSetup(Struct, frozen=True):
    """A job, its directory, and how it is split."""

    root: str  # a path or URL
    job: Job
    layout: ActorLayout
    keepers: int
    workers: int | None = 0  # parser processes per actor; None: as many as there are CPUs for
    synthetic: int | None = None
    replay: str | None = None
    since: str | None = None
    silence: float = SILENCE_S  # seconds without an answer until an actor is replaced

    @property
    def digest(self) -> str:
        """Actors with the same digest are interchangeable, also after the cluster grew."""
        return hashlib.sha256(msgspec.msgpack.encode(replace(self, workers=0))).hexdigest()[:16]

    @property
    def live(self) -> bool:
        """Whether the crawl takes real time. Otherwise each actor has its own simulated time."""
        return self.synthetic is None and self.replay is None

    @property
    def namespace(self) -> str:
        return "toponaut-" + hashlib.sha256(self.root.encode()).hexdigest()[:16]


def cluster_setup(
    root: Path | str,
    job: Job,
    *,
    workers: int | None,
    synthetic: int | None = None,
    replay: Path | None = None,
    since: Path | None = None,
    silence: float = SILENCE_S,
) -> ClusterSetup:
    """The setup for a job. Raises InputError if the job asks for what a cluster cannot do."""
    for key in NOT_ON_A_CLUSTER:
        section, _, name = key.partition(".")
        if getattr(getattr(job, section), name):
            raise InputError(
                f"{key} does not work on a cluster", "Remove it, or crawl on one machine"
            )
    layout = ActorLayout(
        tuple(Strategies(job, Directory(local_root(root)).given).nodes), job.nodes.shards
    )
    keepers = keepers_for(len(layout.actors))
    here = [str(one.resolve()) if one else None for one in (replay, since)]
    folder = folder_at(root)
    where = str(folder.resolve()) if folder else str(root).rstrip("/")
    return ClusterSetup(where, job, layout, keepers, workers, synthetic, here[0], here[1], silence)


def keeper_name(number: int) -> str:
    return f"keeper {number}"


def keepers_for(actors: int) -> int:
    """One for eight actors: each asks it at most fifty times a second."""
    return max(1, min(actors // 8, 16))
