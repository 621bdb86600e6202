"""How far a crawl is, from its directory alone, also while it runs."""

import fcntl
import os
import time
from io import StringIO
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console, Group, RenderableType
from rich.text import Text

from toponaut.crawl.address_counts import AddressCounts, count_addresses
from toponaut.crawl.directory import Directory
from toponaut.crawl.progress import Progress
from toponaut.crawl.view import clock, table_of
from toponaut.log import LogSummary
from toponaut.records import Record

_RECENT_S = 30.0  # a driver writes every two seconds; clocks of machines differ


class Snapshot(Struct, frozen=True):
    """What the crawling process writes every second, for others to read."""

    progress: Progress
    stopped: str = ""  # why; "" while it runs, and after a crash
    written: float = 0.0  # Unix time


class Status(Record, frozen=True):
    """A crawl, seen from another process."""

    directory: str
    running: bool
    stopped: str
    log: LogSummary
    progress: Progress | None  # as of the last second of its last run
    addresses: AddressCounts = AddressCounts()
    cluster: bool = False  # whether it was crawled on one

    def __str__(self) -> str:
        """The status in words, as `toponaut status` prints it."""
        text = StringIO()
        Console(file=text, color_system=None, force_jupyter=False, width=200).print(in_words(self))
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def write_snapshot(directory: Directory, snapshot: Snapshot) -> None:
    """Replace the last one. Nothing is rebuilt from it."""
    fresh = directory.state / "progress.new"
    fresh.write_bytes(msgspec.json.encode(replace(snapshot, written=time.time())))
    fresh.replace(_snapshot_of(directory))


def status_of(root: Path) -> Status:
    """Read the log's columns and the last snapshot."""
    directory = Directory(root)
    job = directory.read_job()
    snapshot = read_snapshot(directory)
    return Status(
        directory.where,
        is_running(directory),
        snapshot.stopped if snapshot else "",
        directory.logs.summary(),
        snapshot.progress if snapshot else None,
        count_addresses(directory.logs, job),
        on_cluster(directory),
    )


def on_cluster(directory: Directory) -> bool:
    """Whether it was crawled on one."""
    return len(directory.logs.parts()) > 1


def _snapshot_of(directory: Directory) -> Path:
    return directory.state / "progress.json"


def snapshot_written(directory: Directory) -> float:
    """When the last snapshot was written, by the wall clock; 0 if there is none."""
    try:
        return _snapshot_of(directory).stat().st_mtime
    except OSError:
        return 0.0


def read_snapshot(directory: Directory) -> Snapshot | None:
    """The last one; None if there is none or it cannot be read."""
    try:
        return msgspec.json.decode(_snapshot_of(directory).read_bytes(), type=Snapshot)
    except (OSError, ValueError, msgspec.DecodeError):
        return None


def is_running(directory: Directory) -> bool:
    """Whether a crawl holds the lock; on remote storage, whether it wrote a snapshot recently."""
    if directory.mirror:
        directory.refresh()
        snapshot = read_snapshot(directory)
        return bool(
            snapshot and not snapshot.stopped and abs(time.time() - snapshot.written) < _RECENT_S
        )
    try:
        lock = os.open(directory.root / "lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def in_words(status: Status) -> RenderableType:
    """The status for people."""
    if status.running:
        state = "running"
    elif status.stopped:
        state = f"stopped because {status.stopped}"
    elif status.cluster:
        state = (
            "its command has ended without notice; its nodes continue for a minute, "
            "then wait for the same command"
        )
    else:
        state = (
            "not running, and it did not stop cleanly; "
            "`toponaut crawl` resumes at the end of the log"
        )
    log = status.log
    lines: list[RenderableType] = [Text(f"{status.directory}: {state}")]
    if status.progress:
        lines.append(table_of(status.progress))
    lasted = clock(log.last - log.first) if log.last else "0:00:00"
    lines.append(
        Text(f"log: {log.visits:,} visits over {lasted}, {log.stored / 1e6:,.1f} MB", style="dim")
    )
    lines.append(Text(f"addresses: {status.addresses}", style="dim"))
    if not status.progress:
        counts = ", ".join(f"{outcome} {count:,}" for outcome, count in log.outcomes.items())
        lines.append(Text(f"relevant {log.relevant:,}; outcomes: {counts}", style="dim"))
    return Group(*lines)
