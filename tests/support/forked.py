"""`toponaut ...` in processes that are forked from one that has imported everything.

Such a process is as real as any: it has its own files and memory, and SIGKILL ends it in the same
way. But it begins in a twentieth of a second instead of more than one.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.support.power_cut import record

from toponaut.cli import main
from toponaut.crawl import run, start

KILLED = -signal.SIGKILL
_forks = get_context("forkserver")
_IMPORTED_BEFORE_THE_FORK = (run, start)
_forks.set_forkserver_preload([__name__])


def begin(
    arguments: Sequence[object],
    environment: Mapping[str, str],
    output: Path,
    recorded: tuple[Path, Path, int] | None = None,
) -> ForkServerProcess:
    """Begin `toponaut ARGUMENTS`, with what it prints in a file. `recorded`: for a power cut."""
    line = ["toponaut", *map(str, arguments)]
    process = _forks.Process(target=_run, args=(line, dict(environment), output, recorded))
    process.start()
    return process


def _run(
    line: list[str],
    environment: dict[str, str],
    output: Path,
    recorded: tuple[Path, Path, int] | None,
) -> None:
    os.environ.update(environment)
    with output.open("wb") as stream:
        for standard in (1, 2):
            os.dup2(stream.fileno(), standard)
    if recorded:
        record(*recorded)
    sys.argv = line
    main()
