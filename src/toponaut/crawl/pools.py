"""How many processes a command uses, and where: on this machine or on a Ray cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.page.processes import Pool, process_pool

MOST_WORKERS = 256  # so that a typo does not fill the machine with processes
# Cores from which work is shared by default. One process that builds an index keeps 1.3 cores busy.
_SOME_CORES = 4


@contextmanager
def pool_for(directory: Directory, workers: int | None, cluster: str) -> Iterator[Pool | None]:
    """A pool of processes for a command: on a Ray cluster if one is named, else on this machine.

    `workers`: None for one per core, if there are _SOME_CORES; 0 for no pool.
    """
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
    """The number of extra parser processes; by default one per core, except the crawler's own."""
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
        fix = "Install it: pip install 'toponaut[cluster]'"
        raise InputError("--cluster needs Ray, which is not installed", fix) from error
