"""How many processes a command uses, and where: on this machine or on a Ray cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.processes import Pool, process_pool

MOST_WORKERS = 256  # a slip of the finger is not to fill the machine with processes
# Cores from which on work is shared out unasked. One process that makes an index keeps 1.3 of them busy, as tantivy writes in a
# thread of its own: two on two cores had 0.80 and 1.14 times its speed (`python -m bench.spreading 50000`).
_SOME_CORES = 4


@contextmanager
def pool_for(directory: Directory, workers: int | None, cluster: str) -> Iterator[Pool | None]:
    """What a command is to use: so many processes (None: one for each core, if they are _SOME_CORES; 0: none), or a Ray cluster, if one is named."""
    check_workers(workers, "Give 0 to do it in this process")
    if cluster:
        with with_ray("tasks").tasks(cluster, directory, workers) as pool:
            yield pool
        return
    cores = _cores()
    many = (cores if cores >= _SOME_CORES else 0) if workers is None else workers
    if many > 1:
        with process_pool(many) as pool:
            yield pool
    else:
        yield None


def check_workers(workers: int | None, none: str) -> None:
    """That a number of processes can be meant; `none` says what 0 is."""
    if not 0 <= (workers or 0) <= MOST_WORKERS:
        raise InputError(f"--workers is {workers}", f"{none}, or up to {MOST_WORKERS} processes")


def reading_workers(asked: int | None) -> int:
    """How many processes read pages beside the crawling one. Unasked, one for each core but one: that is its own, and it helps them."""
    return max(_cores() - 1, 1) if asked is None else asked


def _cores() -> int:
    return min(os.cpu_count() or 1, MOST_WORKERS)


def with_ray(module: str) -> ModuleType:
    """A module of the cluster that needs Ray, which not everybody has."""
    try:
        return import_module(f"toponaut.cluster.{module}")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        cure = "Install it: pip install 'toponaut[cluster]'"
        raise InputError("--cluster needs Ray, which is not installed", cure) from error
