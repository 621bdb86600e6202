"""Tasks of Ray as the processes that do work together (processes.py): to make an index, say.

A task that is lost with its process or machine is begun anew by Ray, elsewhere. So what it leaves behind must not matter.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ray

from toponaut.cluster.machines import check_machines, connected, cpus
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.processes import Item, Result

_AHEAD = 2  # tasks for each process that are handed out: enough that none waits, and few results that wait
_TRIES = 3


class Tasks:
    """So many at once."""

    elsewhere = True

    def __init__(self, processes: int, share: bool) -> None:
        self.processes = processes
        self._cpus = 0 if share else 1

    def run(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result]]:
        task: Any = ray.remote(
            num_cpus=self._cpus, max_retries=_TRIES, scheduling_strategy="SPREAD"
        )(function)
        waiting: dict[Any, int] = {}
        most = self.processes * (_AHEAD if self._cpus else 1)
        rest = iter(enumerate(items))
        while True:
            while len(waiting) < most and (one := next(rest, None)):
                waiting[task.remote(one[1])] = one[0]
            if not waiting:
                return
            ready, result = _next(list(waiting))
            yield waiting.pop(ready), result


def _next(waiting: list[Any]) -> tuple[Any, Any]:
    """One of some tasks that has ended, and what it came to."""
    try:
        (ready, *_), _ = ray.wait(waiting, num_returns=1)
        return ready, ray.get(ready)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except (ray.exceptions.RayError, ConnectionError) as error:
        cause = f"the cluster has lost what was under way, again and again ({' '.join(str(error).split())[:200]})"
        raise InputError(
            cause, "Everything written is safe: fix the cause and repeat the command"
        ) from error


@contextmanager
def tasks(address: str, directory: Directory, workers: int | None) -> Iterator[Tasks]:
    """Joins a cluster whose machines all see a crawl. `workers`: tasks at once; None for as many as there are CPUs."""
    with connected(address):
        have = cpus()
        if not sum(have) or (workers or 0) > sum(have):
            where = "1 machine" if len(have) == 1 else f"{len(have)} machines"
            cause = f"the cluster has {sum(have)} CPUs on {where}, and {workers or 1} workers need one each"
            cure = "Add machines, or lower --workers; `ray start --num-cpus` may promise more"
            raise InputError(cause, cure)
        check_machines(directory.mirror.url if directory.mirror else str(directory.root.resolve()))
        # Actors of a crawl that goes on may have taken all of them: rather share than wait.
        free = ray.available_resources().get("CPU", 0.0)  # type: ignore[no-untyped-call]
        yield Tasks(workers or sum(have), share=free < 1)
