"""The runs of a comparison, some at a time, each in its own processes: crawl, measure, keep.

Next to its crawl directory DIR a run has the job DIR.toml and the result DIR.json. A run with a
result is not repeated. An interrupted run starts again instead of resuming: a resumed crawl may
order its links differently, and results must be reproducible. Every step is an ordinary command:
`toponaut crawl DIR.toml DIR ...` and `toponaut measure DIR`.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile
from typing import IO

import msgspec
from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.crawl.drive import NOTHING_LEFT
from toponaut.crawl.limits import reached_limit
from toponaut.crawl.status import is_running, read_snapshot
from toponaut.errors import InputError
from toponaut.job import Job, render
from toponaut.measures import Measures
from toponaut.store.disk import make_directory, write_whole
from toponaut.strategy.plugin_files import with_version

_WAIT_S = 0.2


class ComparisonRun(Struct, frozen=True, eq=False):
    """One crawl of a comparison. Compared by identity, because jobs cannot be hashed."""

    name: str
    seed: int
    directory: Path
    job: Job
    web: tuple[str, ...]  # command-line options: ("--synthetic", "3")

    @property
    def text(self) -> str:
        """The job as a file. Another text, another result."""
        return with_version(render(self.job), self.job.ordering.strategy)

    @property
    def title(self) -> str:
        return f"{self.name}, seed {self.seed}"


class RunResult(Struct, frozen=True):
    """The measures of a run, with its job and web."""

    job: str
    web: tuple[str, ...]
    measures: Measures


class RunError(Exception):
    """Why a run failed, in one line."""


Ended = Callable[[ComparisonRun, Measures | str], None]
Progress = Callable[[ComparisonRun, int], None]  # called with its number of pages


def result_of(run: ComparisonRun) -> Measures | None:
    """The measures of a finished run, None if it has not finished."""
    try:
        found = msgspec.json.decode(_file_of(run, "json").read_bytes(), type=RunResult)
    except (OSError, msgspec.DecodeError):
        return None
    return found.measures if (found.job, found.web) == (run.text, run.web) else None


def keep_result(run: ComparisonRun, measures: Measures) -> None:
    """Write the measures of a finished run, for `result_of`."""
    make_directory(run.directory.parent)
    result = RunResult(run.text, run.web, measures)
    write_whole(_file_of(run, "json"), msgspec.json.encode(result))


def run_all(
    runs: Sequence[ComparisonRun],
    at_once: int,
    processes: "Commands",
    ended: Ended,
    progress: Progress,
) -> None:
    """Run what has not finished yet. A failed run does not stop the others; Ctrl-C stops all."""
    with ThreadPoolExecutor(at_once) as pool:
        try:
            futures = {pool.submit(_do, run, processes, progress): run for run in runs}
            for future in as_completed(futures):
                try:
                    ended(futures[future], future.result())
                except RunError as error:
                    ended(futures[future], str(error))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


def _do(run: ComparisonRun, processes: "Commands", progress: Progress) -> Measures:
    if (done := result_of(run)) is not None:
        return done
    crawl(run, processes, progress)
    # Without the truth of a synthetic web: the oracle takes half as long as the crawl.
    printed = processes.run("measure", run.directory, "--json")
    try:
        measures = msgspec.json.decode(printed, type=Measures)
        if not measures.whole.pages:
            raise RunError(
                f"it fetched no page. See `toponaut status {run.directory}`; delete it to try again"
            )
        keep_result(run, measures)
    except msgspec.DecodeError as error:
        raise RunError(f"its measures cannot be read ({error})") from error
    except OSError as error:
        raise _cannot_write(run, error) from error
    # The state is as large as the log, and not needed.
    rmtree(Directory(run.directory).state, ignore_errors=True)
    return measures


def crawl(run: ComparisonRun, processes: "Commands", progress: Progress) -> None:
    """Crawl from the beginning to the end of the run."""
    while is_running(Directory(run.directory)) and not processes.stopped:
        time.sleep(_WAIT_S)  # left running by a killed comparison
    try:
        if not _is_finished(run) and Directory(run.directory).exists():
            rmtree(run.directory)
        make_directory(run.directory.parent)
        write_whole(_file_of(run, "toml"), run.text.encode())
    except OSError as error:
        raise _cannot_write(run, error) from error
    processes.run(
        "crawl", _file_of(run, "toml"), run.directory, *run.web, "--workers", "0", "--json",
        hear=lambda line: progress(run, int(msgspec.json.decode(line)["pages"])),
    )  # fmt: skip


def _is_finished(run: ComparisonRun) -> bool:
    """Whether the crawl has finished."""
    snapshot = read_snapshot(Directory(run.directory))
    why = snapshot.stopped if snapshot else ""
    limits = run.job.limits
    return why != "" and why in (NOTHING_LEFT, reached_limit(limits, limits.pages, 0, 0.0))


def _cannot_write(run: ComparisonRun, error: OSError) -> RunError:
    return RunError(
        f"{error.filename or run.directory} cannot be written ({error.strerror or error})"
    )


def _file_of(run: ComparisonRun, ending: str) -> Path:
    return run.directory.with_name(f"{run.directory.name}.{ending}")


class Commands:
    """Toponaut commands as processes that can be stopped together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def run(self, *arguments: str | Path, hear: Callable[[str], None] | None = None) -> str:
        """The last line that a command prints; `hear` gets every line. Raises RunError."""
        last = ""
        with TemporaryFile("w+", errors="replace") as said:
            process = self._start([sys.executable, "-m", "toponaut", *map(str, arguments)], said)
            try:
                assert process.stdout is not None
                for last in process.stdout:
                    if hear is not None:
                        hear(last)
                code = process.wait()
            except BaseException:  # a Ctrl-C here
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
            finally:
                with self._lock:
                    self._running.discard(process)
            said.seek(0)
            if code:
                raise RunError(_cause(said.read(), code))
        return last

    def _start(self, line: Sequence[str], said: IO[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self.stopped:
                raise RunError("it was interrupted")
            # Its own session: Ctrl-C reaches it only from here.
            process = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
            return process

    def stop(self) -> None:
        """Stop all processes cleanly, and start no more."""
        with self._lock:
            self.stopped = True
            for process in self._running:
                process.send_signal(signal.SIGINT)


def _cause(said: str, code: int) -> str:
    """Why a command failed: its last message, or the last line of standard error."""
    if code < 0:
        return f"it was killed by {signal.Signals(-code).name}"
    if code == 130:
        return "it was interrupted; run the same command to continue"
    lines = [line for line in said.splitlines() if line.strip()]
    messages = [line.removeprefix("toponaut: ") for line in lines if line.startswith("toponaut: ")]
    return (messages or lines or [f"it ended with code {code}"])[-1]


def refuse_others(runs: Sequence[ComparisonRun]) -> None:
    """Refuse to overwrite the runs of another comparison (job, pages or web)."""
    for run in runs:
        job, result = _file_of(run, "toml"), _file_of(run, "json")
        same_job = not job.is_file() or job.read_bytes() == run.text.encode()
        if not same_job or (result.is_file() and result_of(run) is None):
            fix = "Name another directory, or delete this one"
            raise InputError(
                f"{run.directory} belongs to another comparison (other pages, job or web)", fix
            )
