"""What every actor of a crawl on a cluster is made from."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toponaut.cluster.exchange import Parts
from toponaut.crawl.directory import Directory
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store import folder_at
from toponaut.store.mirror import local_root

SILENCE_S = 30.0  # a page that takes long to read blocks an actor for some 5 s; a machine that is swapping, longer


class Setup(Struct, frozen=True):
    """A job, its directory, and how it is split."""

    root: str  # a path or URL
    job: Job
    parts: Parts
    keepers: int
    workers: int | None = (
        0  # processes that read pages, for each actor; None: as many as the CPUs of the cluster allow
    )
    synthetic: int | None = None
    replay: str | None = None
    since: str | None = None
    silence: float = SILENCE_S  # an actor that does not answer for so long is begun anew

    @property
    def digest(self) -> str:
        """Actors with the same are the same. A cluster that has grown or shrunk is no reason for new ones."""
        return hashlib.sha256(msgspec.msgpack.encode(replace(self, workers=0))).hexdigest()[:16]

    @property
    def live(self) -> bool:
        """Whether the crawl takes real time; else it is simulated, and that of each actor is its own."""
        return self.synthetic is None and self.replay is None

    @property
    def namespace(self) -> str:
        return "toponaut-" + hashlib.sha256(self.root.encode()).hexdigest()[:16]


def setup_of(
    root: Path | str,
    job: Job,
    *,
    workers: int | None,
    synthetic: int | None = None,
    replay: Path | None = None,
    since: Path | None = None,
    silence: float = SILENCE_S,
) -> Setup:
    """What the actors of a job are made from."""
    if job.politeness.per_ip:
        raise InputError(
            "politeness.per_ip is not kept on a cluster", "Leave it out, or crawl in one process"
        )
    if job.collaboration.exclusive:
        raise InputError(
            "collaboration.exclusive is not kept on a cluster",
            "Leave it out, or crawl in one process",
        )
    parts = Parts(tuple(Strategies(job, Directory(local_root(root)).given).nodes), job.nodes.shards)
    keepers = keepers_for(len(parts.actors))
    here = [str(one.resolve()) if one else None for one in (replay, since)]
    folder = folder_at(root)
    where = str(folder.resolve()) if folder else str(root).rstrip("/")
    return Setup(where, job, parts, keepers, workers, synthetic, here[0], here[1], silence)


def keeper_name(number: int) -> str:
    return f"keeper {number}"


def keepers_for(actors: int) -> int:
    """One for eight actors: each asks it fifty times a second at most."""
    return max(1, min(actors // 8, 16))
