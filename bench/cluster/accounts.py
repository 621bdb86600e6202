"""Who uses the CPUs while a crawl runs: its actors, each for itself; the keepers; the command that
drives it; Ray; and strangers.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bench.crawl.measure import descendants

_TICK = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)  # columns of /proc/stat: idle, waiting for a disk
_TITLES = {"actors": "ray::NodeActor", "keepers": "ray::KeeperActor"}


class Account(NamedTuple):
    """CPU seconds up to a moment."""

    who: dict[str, float]  # actors, keepers, command, Ray
    actors: dict[int, float]  # by process
    machine: float  # all that the machine's CPUs did, for whomever


def account(commands: Iterable[int], ray: Iterable[int]) -> Account:
    """Of some commands, and of Ray's processes with all that they have started."""
    who, actors = dict.fromkeys(("actors", "keepers", "command", "Ray"), 0.0), {}
    for pid in commands:
        who["command"] += sum(_cpu(one) for one in (pid, *descendants(pid)))
    for pid in {one for root in ray for one in (root, *descendants(root))}:
        kind = _kind(pid)
        who[kind] += (spent := _cpu(pid))
        if kind == "actors":
            actors[pid] = spent
    return Account(who, actors, _machine())


def _kind(pid: int) -> str:
    try:
        title = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:  # it has ended
        title = ""
    return next((kind for kind, name in _TITLES.items() if title.startswith(name)), "Ray")


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICK


def _machine() -> float:
    with Path("/proc/stat").open() as file:
        columns = [int(one) for one in file.readline().split()[1:9]]
    return sum(spent for column, spent in enumerate(columns) if column not in _IDLE) / _TICK
