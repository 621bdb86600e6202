"""A Ray cluster on this machine: three raylets, as many machines as far as Ray is concerned; and
how they and their actors die.
"""

import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.clusters import SETTINGS, changed_environment, cluster

# A raylet that is gone refuses every check, so it is noticed after four of them: 2 s instead of
# Ray's 15. One that is only slow, on a
# machine that runs other tests, has 40 s before it counts as dead.
_CHECKS = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "10000",
    "RAY_health_check_failure_threshold": "4",
}
CPUS = 4  # of each, as far as Ray is concerned: one for each node actor
_PATIENCE_S = 240.0


class Machines:
    """The cluster. Its head is never killed: Ray itself does not live without it."""

    def __init__(self, cluster: Any, environment: Mapping[str, str]) -> None:
        self._cluster, self._environment = cluster, environment
        self.address: str = cluster.address

    def kill_machine(self, rng: random.Random) -> None:
        """A raylet with all its own processes; its actors notice by themselves.

        Another takes its place.
        """
        self._cluster.remove_node(
            rng.choice(self._cluster.list_all_nodes()[1:]), allow_graceful=False
        )
        self._add_machine()

    def _add_machine(self) -> None:
        """On a busy machine Ray may give up on a raylet that has not begun within 30 s.

        It gets the settings of this cluster: another one may have begun since, and without the
        proxy of this one a machine finds no host, so its links are dropped.
        """
        for tries_left in (2, 1, 0):
            try:
                with changed_environment(self._environment):
                    self._cluster.add_node(num_cpus=CPUS)
            except Exception as error:  # Ray raises nothing more special
                if "timed out during startup" not in str(error) or not tries_left:
                    raise
            else:
                return

    def kill_actor(self, kind: str, rng: random.Random) -> None:
        """The process of an actor of that class."""
        patience = time.monotonic() + _PATIENCE_S
        while not (living := self._actors(kind)):
            assert time.monotonic() < patience, f"there is no {kind}"
            time.sleep(0.05)
        os.kill(rng.choice(living), signal.SIGKILL)

    def _actors(self, kind: str) -> list[int]:
        raylets = [
            node.all_processes["raylet"][0].process.pid for node in self._cluster.list_all_nodes()
        ]
        children = [pid for raylet in raylets for pid in _children(raylet)]
        return [pid for pid in children if _title(pid).startswith(f"ray::{kind}")]


@contextmanager
def machines(http_proxy: str = "", count: int = 3) -> Iterator[Machines]:
    """Begins a cluster whose actors reach the web by this proxy, and ends it."""
    from ray.util import get_node_ip_address

    address = get_node_ip_address()  # type: ignore[no-untyped-call]
    own = f"localhost,127.0.0.1,{address}"  # Ray's processes do not talk to each other by the proxy
    settings = {**_CHECKS, **SETTINGS, "http_proxy": http_proxy, "no_proxy": own}
    with cluster(count, cpus=CPUS, environment=settings) as begun:
        yield Machines(begun, settings)


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [
            int(child) for thread in threads for child in (thread / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
