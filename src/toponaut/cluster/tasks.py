"""Tasks on the machines of a Ray cluster, to build an index.

Ray repeats a task on another machine if its process or machine is lost. So tasks must not have side
effects that matter.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ray

from toponaut.cluster.machines import check_machines, connected, cpus
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.page.processes import Item, Result

_AHEAD = 2  # tasks per process: none waits for work, and few results wait
_TRIES = 3


class Tasks:
    """Up to `processes` tasks at once."""

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
    """A finished task, and its result."""
    try:
        (ready, *_), _ = ray.wait(waiting, num_returns=1)
        return ready, ray.get(ready)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except (ray.exceptions.RayError, ConnectionError) as error:
        why = " ".join(str(error).split())[:200]
        cause = f"the cluster lost the same task {_TRIES} times ({why})"
        raise InputError(
            cause, "Everything written is safe: fix the cause and repeat the command"
        ) from error


@contextmanager
def tasks(address: str, directory: Directory, workers: int | None) -> Iterator[Tasks]:
    """Join a cluster whose machines see a crawl. `workers`: tasks at once; None: one per CPU."""
    with connected(address):
        have = cpus()
        if not sum(have) or (workers or 0) > sum(have):
            where = "1 machine" if len(have) == 1 else f"{len(have)} machines"
            need = f"{workers or 1} workers need one each"
            cause = f"the cluster has {sum(have)} CPUs on {where}, and {need}"
            fix = "Add machines, or lower --workers; `ray start --num-cpus` may declare more CPUs"
            raise InputError(cause, fix)
        check_machines(directory.mirror.url if directory.mirror else str(directory.root.resolve()))
        # A running crawl may have reserved all CPUs: share them rather than wait.
        free = ray.available_resources().get("CPU", 0.0)  # type: ignore[no-untyped-call]
        yield Tasks(workers or sum(have), share=free < 1)
