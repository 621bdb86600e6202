"""What a command costs: CPU time of it and all its children, wall time, and the memory of them all
at its peak.
"""

import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT = 1800.0  # five times what the slowest crawler takes
_EVERY = 0.05  # seconds between two looks whether it has ended
# and at the memory: the kernel walks all pages for it, 8 ms for three processes of ours, on their
# cores
_WEIGH = 2.0


@dataclass(frozen=True)
class Cost:
    cpu: float  # seconds, user and system, children included
    wall: float
    peak: int  # bytes: proportional set size, so that what processes share counts once
    # of all cores' time, the share that the hypervisor gave to other machines: above 0.02 the wall
    # time is theirs
    stolen: float


class CommandError(Exception):
    pass


def run(command: Sequence[str], cpus: set[int] | None) -> Cost:
    """Run it to its end, on these cores only if they are given."""
    with tempfile.TemporaryFile() as errors:
        start, stolen = time.monotonic(), _stolen()
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
        if cpus:
            os.sched_setaffinity(process.pid, cpus)
        try:
            peak, usage, status = _watch(process.pid, start)
        except BaseException:  # Ctrl-C: nothing is left running
            os.killpg(process.pid, signal.SIGKILL)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise CommandError(
                f"exit code {process.returncode}: {lines[-1] if lines else 'no message'}"
            )
        wall = time.monotonic() - start
        stolen = (_stolen() - stolen) / (wall * (os.cpu_count() or 1))
        return Cost(usage.ru_utime + usage.ru_stime, wall, peak, stolen)


def _watch(pid: int, start: float) -> tuple[int, resource.struct_rusage, int]:
    """Wait for its end: the peak of its memory, what it used, how it ended."""
    peak, weigh_at = 0, start
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return peak, usage, status
        now = time.monotonic()
        if now >= weigh_at:
            peak, weigh_at = (
                max(peak, sum(map(_proportional, [pid, *descendants(pid)]))),
                now + _WEIGH,
            )
        if now - start > TIME_LIMIT:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(_EVERY)


def descendants(pid: int) -> Iterator[int]:
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in thread.read_text().split()]
        except OSError:  # it has ended meanwhile
            continue
        for child in children:
            yield child
            yield from descendants(child)


def memory(pid: int) -> dict[str, int]:
    """The fields of smaps_rollup in bytes ("Pss", "Pss_Anon", "Pss_File", ...), empty for a process
    that has ended.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    return {
        name: 1024 * int(rest.split()[0])
        for name, _, rest in (line.partition(":") for line in lines)
    }


def _proportional(pid: int) -> int:
    return memory(pid).get("Pss", 0)


def _stolen() -> float:
    """Seconds of this machine's cores that others have had so far; 0 where the kernel does not
    tell.
    """
    try:
        all_cores = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return 0.0
    return int(all_cores[8]) / os.sysconf("SC_CLK_TCK")
