"""`toponaut ...` in processes that are forked from one that has imported everything.

Such a process is as real as any: it has its own files and memory, and SIGKILL ends it in the same
way. But it begins in a twentieth of a second instead of more than one. It announces the files that
it opens, so that nobody has to look for them all the time, and miss them nevertheless.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from tests.support.power_cut import record

from toponaut.cli import main
from toponaut.crawl import run, start

KILLED = -signal.SIGKILL
_forks = get_context("forkserver")
_IMPORTED_BEFORE_THE_FORK = (run, start)
_forks.set_forkserver_preload([__name__])


class Forked:
    """A running `toponaut ARGUMENTS`, with what it prints in a file.

    `announced`: endings of file names; `has_opened` says whether such a file was opened.
    `recorded`: for a power cut.
    """

    def __init__(
        self,
        arguments: Sequence[object],
        environment: Mapping[str, str],
        output: Path,
        announced: Sequence[str] = (),
        recorded: tuple[Path, Path, int] | None = None,
    ) -> None:
        line = ["toponaut", *map(str, arguments)]
        self._news, theirs = _forks.Pipe(duplex=False)
        told = (tuple(announced), theirs)
        self.process: ForkServerProcess = _forks.Process(
            target=_run, args=(line, dict(environment), output, told, recorded)
        )
        self.process.start()
        theirs.close()
        self._opened = set[str]()

    def has_opened(self, ending: str) -> bool:
        return ending in self._opened

    def ended_within(self, seconds: float) -> bool:
        """Wait for its end, or for news."""
        for ready in wait([self.process.sentinel, self._news], seconds):
            if ready is self._news:
                with suppress(EOFError):
                    self._opened.add(self._news.recv())
        return self.process.exitcode is not None

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self._news.close()


def _run(
    line: list[str],
    environment: dict[str, str],
    output: Path,
    told: tuple[tuple[str, ...], Connection],
    recorded: tuple[Path, Path, int] | None,
) -> None:
    os.environ.update(environment)
    with output.open("wb") as stream:
        for standard in (1, 2):
            os.dup2(stream.fileno(), standard)
    if recorded:
        record(*recorded)
    if told[0]:
        sys.addaudithook(_announcer(*told))
    sys.argv = line
    main()


def _announcer(
    endings: tuple[str, ...], news: Connection
) -> Callable[[str, tuple[Any, ...]], None]:
    left = set(endings)

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not left:
            return
        for ending in [one for one in left if str(arguments[0]).endswith(one)]:
            left.discard(ending)
            news.send(ending)

    return opened
