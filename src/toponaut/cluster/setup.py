"""What every actor of a crawl on a cluster is made from."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.cluster.exchange import Parts
from toponaut.crawl.directory import Directory
from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.job import Job


class Setup(Struct, frozen=True):
    """A job, its directory, and how it is split."""

    root: str
    job: Job
    parts: Parts
    keepers: int
    workers: int = 0  # processes that read pages, for each actor
    synthetic: int | None = None
    replay: str | None = None

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.msgpack.encode(self)).hexdigest()[:16]

    @property
    def namespace(self) -> str:
        return "toponaut-" + hashlib.sha256(self.root.encode()).hexdigest()[:16]


def setup_of(root: Path, job: Job, *, synthetic: int | None, replay: Path | None, workers: int) -> Setup:
    """What the actors of a job are made from."""
    if job.politeness.per_ip:
        raise InputError("politeness.per_ip is not kept on a cluster", "Leave it out, or crawl in one process")
    if job.collaboration.exclusive:
        raise InputError("collaboration.exclusive is not kept on a cluster", "Leave it out, or crawl in one process")
    parts = Parts(tuple(Strategies(job, Directory(root).given).nodes), job.nodes.shards)
    keepers = max(1, min(len(parts.actors) // 8, 16))  # one for eight actors: each asks it fifty times a second at most
    return Setup(
        str(root.resolve()), job, parts, keepers, workers, synthetic, str(replay.resolve()) if replay else None
    )


def keeper_name(number: int) -> str:
    return f"keeper {number}"
