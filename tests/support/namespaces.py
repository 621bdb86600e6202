"""A Ray cluster whose machines have networks of their own: namespaces of Linux on one bridge.

Each has its own address and cable, which can be cut, or be slow and lose frames (slow_cable.py).
They share the disk, as machines of a real cluster share storage. Needs root and `ip`.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_PATIENCE_S = 120.0
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "4",
}


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _can_make() -> bool:
    if os.geteuid() or not shutil.which("ip"):
        return False
    try:
        _ip("netns", "add", f"tpn-probe-{os.getpid()}")
        _ip("netns", "del", f"tpn-probe-{os.getpid()}")
    except subprocess.CalledProcessError:
        return False
    return True


needs_namespaces = pytest.mark.skipif(not _can_make(), reason="needs root, and network namespaces")


class Disturbed(NamedTuple):
    """How bad a cable is, in each direction."""

    milliseconds: int
    loss: float  # share of frames


def _carried(cable: str, machine: str, how: Disturbed) -> "subprocess.Popen[str]":
    """A cable to the eth0 of a machine that a process carries."""
    far = f"{cable}x"
    ends = [cable, far, *map(str, how)]
    line = [sys.executable, "-m", "tests.support.slow_cable", *ends]
    carrier = subprocess.Popen(
        line, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    )
    assert carrier.stdout is not None
    assert carrier.stdout.readline(), "the cable cannot be made"
    _ip("link", "set", far, "netns", machine, "name", "eth0")
    return carrier


class NetMachine:
    """One machine: a namespace with a raylet. The first also has Ray's head."""

    def __init__(
        self, number: int, bridge: str, subnet: str, scratch: Path, disturbed: "Disturbed | None"
    ) -> None:
        self.name = f"{bridge}n{number}"
        self.address = f"{subnet}.{10 + number}"
        self._scratch = scratch
        self._cable = f"{bridge}c{number}"
        self._carrier: subprocess.Popen[str] | None = None
        _ip("netns", "add", self.name)
        if disturbed:
            self._carrier = _carried(self._cable, self.name, disturbed)
        else:
            peer = ("peer", "name", "eth0", "netns", self.name)
            _ip("link", "add", self._cable, "type", "veth", *peer)
        _ip("link", "set", self._cable, "master", bridge, "up")
        for line in ("link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            _ip("-n", self.name, *line.split())
        self._ray: subprocess.Popen[bytes] | None = None

    def command(self, line: Sequence[str]) -> list[str]:
        """The command line that runs another one on this machine."""
        return ["ip", "netns", "exec", self.name, *line]

    def start(self, cpus: int, head: str = "") -> None:
        """Begin Ray here: as the head, or as a machine of the cluster of a head."""
        where = ["--address", f"{head}:6379"] if head else ["--head", "--port", "6379"]
        where += [] if head else ["--include-dashboard", "false", "--temp-dir", str(self._scratch)]
        ray = [str(Path(sys.executable).with_name("ray")), "start", *where, "--block"]
        ray += ["--num-cpus", str(cpus), "--node-ip-address", self.address]
        said = self._scratch / f"{self.name}.log"
        with said.open("wb") as log:
            self._ray = subprocess.Popen(
                self.command(ray),
                env={**os.environ, **_SETTINGS},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + _PATIENCE_S
        while b"will now block" not in said.read_bytes():  # it has joined
            assert self._ray.poll() is None, said.read_text()
            assert time.monotonic() < until, said.read_text()
            time.sleep(0.1)

    def kill(self, title: str = "") -> int:
        """Processes with this word in their command line end at once; all, as in a power cut.

        Returns how many.
        """
        killed = 0
        found = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True)
        for pid in found.stdout.split():
            with suppress(ProcessLookupError, FileNotFoundError):
                if title in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                    os.kill(int(pid), signal.SIGKILL)
                    killed += 1
        if self._ray and not title:
            self._ray.wait()
        return killed

    def cut(self) -> None:
        _ip("link", "set", self._cable, "down")

    def mend(self) -> None:
        _ip("link", "set", self._cable, "up")

    def remove(self) -> None:
        self.kill()
        if self._carrier:
            self._carrier.kill()
            self._carrier.communicate()
        _ip("netns", "del", self.name)
        with suppress(subprocess.CalledProcessError):  # gone with its namespace
            _ip("link", "del", self._cable)


class NetCluster:
    """The machines; the first is the head, and commands run there."""

    def __init__(self, machines: list[NetMachine], cpus: int) -> None:
        self.machines = machines
        self.head = machines[0]
        self.address = f"{self.head.address}:6379"
        self._cpus = cpus

    def start(self) -> None:
        """Begin Ray on all machines: they are one by one, because they share a folder."""
        self.head.start(cpus=0)  # actors are on the others
        for machine in self.machines[1:]:
            machine.start(self._cpus, self.head.address)

    def kill(self) -> None:
        for machine in self.machines:
            machine.kill()

    @contextmanager
    def begun(self, *arguments: object) -> Iterator["subprocess.Popen[str]"]:
        """`toponaut ...` on the head; it does not outlive the test."""
        line = [sys.executable, "-m", "toponaut", *map(str, arguments)]
        process = subprocess.Popen(
            self.head.command(line),
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def _environment() -> Mapping[str, Any]:
    return {**os.environ, **_SETTINGS, "COLUMNS": "200"}


@contextmanager
def namespaces(
    count: int, cpus: int = 2, disturbed: Disturbed | None = None
) -> Iterator[NetCluster]:
    """Begin a cluster of this many machines, and end it. `disturbed`: the cable of the last."""
    # The path of a socket has at most 107 characters: pytest's folders are too deep.
    scratch, number = Path(tempfile.mkdtemp(prefix="tp")), os.getpid()
    bridge, subnet = f"tp{number % 100_000}", f"10.{128 + number // 256 % 64}.{number % 256}"
    machines: list[NetMachine] = []
    _ip("link", "add", bridge, "type", "bridge")
    try:
        _ip("addr", "add", f"{subnet}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for one in range(count):
            bad = disturbed if one == count - 1 else None
            machines.append(NetMachine(one, bridge, subnet, scratch, bad))
        cluster = NetCluster(machines, cpus)
        cluster.start()
        yield cluster
    finally:
        for machine in machines:
            machine.remove()
        _ip("link", "del", bridge)
        shutil.rmtree(scratch, ignore_errors=True)
