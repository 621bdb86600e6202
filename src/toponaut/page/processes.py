"""Run a function over many items in several processes of this machine.

Extraction and indexing use it. It is not tied to either, so it is at the top, like timing.py. The
crawl itself reads pages in page/reading/pool.py, where every millisecond counts; a cluster runs the
same functions as Ray tasks (cluster/tasks.py).

Ctrl-C is handled by the parent alone. If a process dies, the caller gets an InputError.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Protocol, TypeVar

from toponaut.errors import InputError

_AHEAD = 3  # items queued per process: enough that no process waits for the next one
Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Protocol):
    """Processes that run functions, on this machine or on a cluster."""

    processes: int
    elsewhere: bool  # on other machines: they only see storage that all machines share

    def run(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yields (index, result) for each item as it completes. Raises what a call raises.

        `function` must be defined at the top level of a module.
        """
        ...


class ProcessPool:
    """Processes of this machine. `option` names the setting that limits them, for messages."""

    elsewhere = False

    def __init__(self, processes: int, executor: ProcessPoolExecutor, option: str) -> None:
        self.processes, self._executor, self._option = processes, executor, option

    def run(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result]]:
        with self._reporting_deaths():
            index_of = {
                self._executor.submit(function, item): index for index, item in enumerate(items)
            }
            for future in as_completed(list(index_of)):
                yield index_of.pop(future), future.result()

    def run_in_order(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yields the results in the order of the items, which are read only as they are needed."""
        queued: deque[Future[Result]] = deque()
        with self._reporting_deaths():
            for item in items:
                queued.append(self._executor.submit(function, item))
                if len(queued) > _AHEAD * self.processes:
                    yield queued.popleft().result()
            while queued:
                yield queued.popleft().result()

    @contextmanager
    def _reporting_deaths(self) -> Iterator[None]:
        try:
            yield
        except BrokenProcessPool as error:
            raise InputError(
                "a worker process was killed", f"Free some memory, or lower {self._option}"
            ) from error


@contextmanager
def process_pool(processes: int, option: str = "--workers") -> Iterator[ProcessPool]:
    """Starts the processes, and stops them at the end of the block."""
    # "spawn": a forked process would inherit locks that the progress bar's threads hold.
    executor = ProcessPoolExecutor(processes, get_context("spawn"), _ignore_interrupts)
    try:
        yield ProcessPool(processes, executor, option)
    finally:
        executor.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal, but only the parent should act on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
