"""Many crawls, some at a time, each in processes of its own: crawled, measured, and the result kept.

A run leaves beside its crawl directory DIR the job DIR.toml and the result DIR.json. A run whose result is there is not repeated.
One that was cut short is begun anew, though a crawl can go on: it would choose its next links in another order than if nothing
had been, and two comparisons of the same would differ. Every step is a command that can be given by hand:
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
from toponaut.crawl.status import is_running, status_of
from toponaut.errors import InputError
from toponaut.job import Job, render
from toponaut.measures import Measures
from toponaut.store.disk import make_directory, write_whole

_WAIT_S = 0.2


class ComparisonRun(Struct, frozen=True, eq=False):
    """One crawl of a comparison. Each is itself only: jobs cannot be hashed."""

    name: str
    seed: int
    directory: Path
    job: Job
    web: tuple[str, ...]  # the options that name it: ("--synthetic", "3")

    @property
    def title(self) -> str:
        return f"{self.name}, seed {self.seed}"


class RunResult(Struct, frozen=True):
    """What a run came to, and what it was a run of."""

    job: str
    web: tuple[str, ...]
    measures: Measures


class RunError(Exception):
    """Why a run failed, in one line."""


Ended = Callable[
    [ComparisonRun, Measures | str], None
]  # hears of every run: its measures, or why it failed
Tell = Callable[[ComparisonRun, int], None]  # hears how many pages a run has


def result_of(run: ComparisonRun) -> Measures | None:
    """The measures of a run that has been done before."""
    try:
        found = msgspec.json.decode(_beside(run, "json").read_bytes(), type=RunResult)
    except (OSError, msgspec.DecodeError):
        return None
    return found.measures if (found.job, found.web) == (render(run.job), run.web) else None


def run_all(
    runs: Sequence[ComparisonRun], at_once: int, processes: "Commands", ended: Ended, tell: Tell
) -> None:
    """Does what has not been done yet. One that fails stops no other; Ctrl-C stops all."""
    with ThreadPoolExecutor(at_once) as pool:
        try:
            futures = {pool.submit(_do, run, processes, tell): run for run in runs}
            for future in as_completed(futures):
                try:
                    ended(futures[future], future.result())
                except RunError as error:
                    ended(futures[future], str(error))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


def _do(run: ComparisonRun, processes: "Commands", tell: Tell) -> Measures:
    if (done := result_of(run)) is not None:
        return done
    crawl(run, processes, tell)
    # Not against the truth of a synthetic web: the oracle takes half as long as the crawl, and says the same of all.
    told = processes.run("measure", run.directory, "--json")
    try:
        measures = msgspec.json.decode(told, type=Measures)
        if not measures.whole.pages:
            raise RunError(
                f"it came to no page at all. See `toponaut status {run.directory}`; delete that to try again"
            )
        write_whole(
            _beside(run, "json"), msgspec.json.encode(RunResult(render(run.job), run.web, measures))
        )
    except msgspec.DecodeError as error:
        raise RunError(f"its measures cannot be read ({error})") from error
    except OSError as error:
        raise _cannot_write(run, error) from error
    rmtree(Directory(run.directory).state, ignore_errors=True)  # a fold over the log, and as large
    return measures


def crawl(run: ComparisonRun, processes: "Commands", tell: Tell) -> None:
    """Crawls to the run's end, from its beginning."""
    while is_running(Directory(run.directory)) and not processes.stopped:
        time.sleep(_WAIT_S)  # it was started by a comparison that was killed, and goes on by itself
    try:
        if not _is_finished(run):
            _clear(run)
        make_directory(run.directory.parent)
        write_whole(_beside(run, "toml"), render(run.job).encode())
    except OSError as error:
        raise _cannot_write(run, error) from error
    line: tuple[str | Path, ...] = (
        "crawl",
        _beside(run, "toml"),
        run.directory,
        *run.web,
        "--workers",
        "0",
        "--json",
    )
    processes.run(*line, hear=lambda told: tell(run, int(msgspec.json.decode(told)["pages"])))


def _is_finished(run: ComparisonRun) -> bool:
    """Whether there is a crawl that ended by itself."""
    try:
        why = status_of(run.directory).stopped
    except InputError:
        return False
    return why in (
        "nothing is left to fetch",
        f"the page limit is reached (limits.pages = {run.job.limits.pages})",
    )


def _clear(run: ComparisonRun) -> None:
    """Only what is a crawl is taken away."""
    if Directory(run.directory).exists():
        rmtree(run.directory)


def _cannot_write(run: ComparisonRun, error: OSError) -> RunError:
    return RunError(
        f"{error.filename or run.directory} cannot be written ({error.strerror or error})"
    )


def _beside(run: ComparisonRun, ending: str) -> Path:
    return run.directory.with_name(f"{run.directory.name}.{ending}")


class Commands:
    """Toponaut's commands as processes, which can be stopped together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def run(self, *arguments: str | Path, hear: Callable[[str], None] | None = None) -> str:
        """The last line that a command prints; `hear` is told every line. RunError says why it failed."""
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
            # A session of its own: a Ctrl-C reaches it once, from here.
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
        """Asks all to stop cleanly; none is started any more."""
        with self._lock:
            self.stopped = True
            for process in self._running:
                process.send_signal(signal.SIGINT)


def _cause(said: str, code: int) -> str:
    """Why a command failed: its last message, or else the last line of standard error."""
    if code < 0:
        return f"it was killed by {signal.Signals(-code).name}"
    if code == 130:
        return "it was interrupted; the same command goes on with it"
    lines = [line for line in said.splitlines() if line.strip()]
    messages = [line.removeprefix("toponaut: ") for line in lines if line.startswith("toponaut: ")]
    return (messages or lines or [f"it ended with code {code}"])[-1]


def refuse_others(runs: Sequence[ComparisonRun]) -> None:
    """Runs with another job, other pages or another web are another comparison's, and not to be lost."""
    for run in runs:
        job, result = _beside(run, "toml"), _beside(run, "json")
        same_job = not job.is_file() or job.read_bytes() == render(run.job).encode()
        if not same_job or (result.is_file() and result_of(run) is None):
            cure = "Name another directory, or delete that one"
            raise InputError(
                f"{run.directory} is a run of another comparison (other pages, job or web)", cure
            )
