"""The machines of a Ray cluster: join them, and check them before a crawl starts."""

import asyncio
import logging
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import ray
from msgspec import Struct
from msgspec.structs import replace
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from toponaut import __version__
from toponaut.cluster.setup import ClusterSetup
from toponaut.errors import InputError
from toponaut.store import Store, check_exclusive, folder_at, open_store

_CONNECT_S = 5.0
_CLIENT_PORT = "10001"
_HEAD_S, _HEAD_TRIES = 20.0, 10  # until the head counts as lost; as often it is tried
_CHECK_S = 120.0  # a machine's first Python process may take half a minute to start


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Join a cluster ("auto": the one on this machine; ray://host:port; host:port), then leave."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # our errors are one line each
    try:
        _check_address(address)
        _join(address)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise _refused(address, error) from error
    try:
        yield
    except ConnectionError as error:
        fix = "Its nodes continue for a minute and then wait: repeat the command"
        raise InputError(f"the Ray cluster at {address} stopped answering", fix) from error
    finally:
        ray.shutdown()


class HeadWatch:
    """Notices that Ray's head is lost. Without it, Ray ends the process after a minute."""

    def __init__(self, address: str, patience: float = _HEAD_S) -> None:
        self._address, self._patience = _head_address(address), patience

    async def wait_until_lost(self) -> str:
        """Return, when the head has not answered for some time, what to say about it."""
        answered = time.monotonic()
        while time.monotonic() - answered < self._patience:
            await asyncio.sleep(self._patience / _HEAD_TRIES)
            if await asyncio.to_thread(_answers, self._address):
                answered = time.monotonic()
        host, port = self._address
        return f"Ray's head at {host}:{port} has not answered for {self._patience:.0f} s"


def _head_address(address: str) -> tuple[str, int]:
    """Where the head listens: for its own clients, or for those of a ray:// address."""
    if not address.startswith("ray://"):
        address = ray.get_runtime_context().gcs_address
    host, _, port = address.removeprefix("ray://").rpartition(":")
    return (host, int(port)) if host else (port, int(_CLIENT_PORT))


def _answers(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=_CONNECT_S).close()
    except OSError:
        return False
    return True


def _join(address: str) -> None:
    for again in (True, True, False):
        try:
            with warnings.catch_warnings(action="ignore"):
                ray.init(address=address, logging_level=logging.CRITICAL, log_to_driver=False)
        except ConnectionAbortedError as error:  # the fork of the client's server failed
            if not again or "Starting Ray client server failed" not in str(error):
                raise
        else:
            return


def _refused(address: str, error: Exception) -> InputError:
    text = " ".join(str(error).split())
    if "version" in text.lower():
        cause = f"the Ray cluster at {address} has other versions of Ray or Python ({text[:200]})"
        return InputError(cause, "Install the same versions of both on all machines and here")
    cause = text.rpartition("Error: ")[2].partition(". ")[0].rstrip(".") or type(error).__name__
    fix = (
        "Start one with `ray start --head`, or give the address of one: "
        "--cluster ray://host:10001; if it needs a token, set RAY_AUTH_MODE=token"
    )
    return InputError(f"no Ray cluster answers at {address} ({cause})", fix)


def _check_address(address: str) -> None:
    """Check that Ray is there, by its own protocol: Ray itself tries for five minutes, its client
    for half a minute. Not for the client's server: it forks for each connection, and after a first
    one the fork failed in one of three.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address.startswith("ray://") and not host:
        host, port = port, _CLIENT_PORT
    if not host or not port.isdecimal():
        return
    socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()
    if address.startswith("ray://") or os.environ.get("RAY_USE_TLS", "0") != "0":
        return
    with grpc.insecure_channel(
        f"{host}:{port}", [("grpc.enable_http_proxy", 0)]
    ) as channel:  # as Ray itself
        try:
            grpc.channel_ready_future(channel).result(timeout=_CONNECT_S)
        except grpc.FutureTimeoutError:
            raise ConnectionError("it is not Ray") from None


class MachineReport(Struct, frozen=True):
    """The result of the check of a machine."""

    version: str = ""  # of Toponaut there; "" if not installed
    wrote: str = ""  # the file that it wrote next to the probe; "" if it could not
    why: str = ""  # it could not write
    missing: str = ""  # a path that the crawl needs and the machine does not see
    trouble: str = ""


def check_cluster(setup: ClusterSetup) -> ClusterSetup:
    """Check all machines; return the setup with a number of workers that there are CPUs for."""
    checked = replace(setup, workers=workers_for(setup, cpus()))
    check_machines(setup.root, [path for path in (setup.replay, setup.since) if path])
    return checked


def cpus() -> list[int]:
    """The number of CPUs of each machine."""
    return [int(one["Resources"].get("CPU", 0)) for one in _machines()]


def _machines() -> list[Any]:
    return [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]


def check_machines(root: str, needed: Sequence[str] = ()) -> None:
    """Check that all machines have this version and see the storage and the paths in `needed`.

    Nothing is left behind.
    """
    store, probe = open_store(root), f"probe-{socket.gethostname()}-{os.getpid()}"
    with _made(folder_at(root)):
        try:
            store.write(probe, __version__.encode())
            check_exclusive(store, f"{probe}.once")
            for machine, seen in _ask(_machines(), probe, root, list(needed)).items():
                _refuse_unfit(machine, seen, root, store)
        except OSError as error:
            cause = f"{root} cannot be written to ({error.strerror or error})"
            raise InputError(cause, "Check the permissions, or name another directory") from error
        finally:
            with suppress(OSError):
                for name in [one for one in store.names() if one.startswith(probe)]:
                    store.remove(name)


def workers_for(setup: ClusterSetup, cpus: Sequence[int]) -> int:
    """Parser processes per actor: as requested, or as many as there are CPUs for. An actor needs a
    CPU itself, and all its processes are on one machine.
    """
    actors = len(setup.layout.actors)

    def fits(workers: int) -> bool:
        return sum(have // (1 + workers) for have in cpus) >= actors

    most = max((workers for workers in range(max(cpus, default=0)) if fits(workers)), default=None)
    if most is None or not fits(setup.workers or 0):
        each = "a CPU" if not setup.workers else f"{1 + setup.workers} CPUs on one machine"
        where = "1 machine" if len(cpus) == 1 else f"{len(cpus)} machines"
        cause = f"the cluster has {sum(cpus)} CPUs on {where}, and {actors} actors need {each} each"
        fix = (
            "Add machines, or lower nodes.geographic, nodes.shards or --workers; "
            "`ray start --num-cpus` may declare more CPUs"
        )
        raise InputError(cause, fix)
    return most if setup.workers is None else setup.workers


@contextmanager
def _made(root: Path | None) -> Iterator[None]:
    """Create a directory, and remove it afterwards if it is new and empty."""
    missing = [one for one in (root, *root.parents) if not one.exists()] if root else []
    try:
        if root:
            root.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise InputError(
            f"{root} cannot be written to ({error.strerror})", "Name another directory"
        ) from error
    finally:
        for one in missing:
            with suppress(OSError):
                one.rmdir()


def _ask(
    machines: Sequence[Any], probe: str, root: str, needed: list[str]
) -> dict[str, MachineReport]:
    task = ray.remote(num_cpus=0, max_retries=0)(_make_check())
    asked, number_of = {}, {}
    for one in machines:
        place = NodeAffinitySchedulingStrategy(one["NodeID"], soft=False)
        address, number = one["NodeManagerAddress"], one["NodeID"]
        name = f"{one['NodeManagerHostname']} ({address}, Ray's node {number[:8]})"
        asked[name] = task.options(scheduling_strategy=place).remote(
            root, probe, one["NodeID"], needed
        )
        number_of[name] = one["NodeID"]
    seen = {name: _result(ref) for name, ref in asked.items()}
    living = {one["NodeID"] for one in _machines()}
    # Machines that have died since do not matter.
    return {name: one for name, one in seen.items() if not one.trouble or number_of[name] in living}


def _result(ref: Any) -> MachineReport:
    try:
        version, wrote, why, missing = ray.get(ref, timeout=_CHECK_S)
    except ray.exceptions.GetTimeoutError:
        return MachineReport(trouble=f"does not answer within {_CHECK_S:.0f} s")
    except ray.exceptions.RayError as error:
        return MachineReport(trouble=f"cannot run a task ({' '.join(str(error).split())[:200]})")
    return MachineReport(version, wrote, why, missing)


def _make_check() -> Callable[[str, str, str, list[str]], tuple[str, str, str, str]]:
    """The function that runs on every machine. It is sent by value: Toponaut may be missing."""

    def look(root: str, probe: str, number: str, needed: list[str]) -> tuple[str, str, str, str]:
        from pathlib import Path

        try:
            from toponaut import __version__ as version
        except ImportError:
            return "", "", "", ""
        wrote, why = f"{probe}.{number}", ""
        try:
            from toponaut.store import open_store  # another version may not have it

            open_store(root).read(probe)
            open_store(root).write(wrote, b"")
        except Exception as error:  # of any storage
            wrote, why = "", str(error).partition("\n")[0]
        return version, wrote, why, next((path for path in needed if not Path(path).exists()), "")

    return look


def _refuse_unfit(machine: str, seen: MachineReport, root: str, store: Store) -> None:
    if seen.trouble:
        raise InputError(
            f"machine {machine} {seen.trouble}",
            "See Ray's logs there, or remove it from the cluster",
        )
    if not seen.version:
        fix = "Install the same version there: pip install 'toponaut[cluster]'"
        raise InputError(f"machine {machine} has no Toponaut", fix)
    if seen.version != __version__:
        cause = f"machine {machine} has Toponaut {seen.version}, this one {__version__}"
        raise InputError(cause, "Install the same version on all machines of the cluster")
    if not seen.wrote or not store.exists(seen.wrote):
        cause = f"machine {machine} does not see what is in {root}" + (
            f" ({seen.why})" if seen.why else ""
        )
        raise InputError(
            cause, "Name a directory on storage that all machines of the cluster share"
        )
    if seen.missing:
        cause = f"machine {machine} does not see {seen.missing}"
        raise InputError(cause, "Put it on storage that all machines of the cluster share")
