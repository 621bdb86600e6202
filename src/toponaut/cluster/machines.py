"""The machines of a Ray cluster: joining them, and whether they are fit for a crawl. All that is wrong is said before it begins."""

import logging
import os
import socket
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
from toponaut.cluster.setup import Setup
from toponaut.errors import InputError
from toponaut.store import Store, check_exclusive, folder_at, open_store

_KNOCK_S = 5.0
_CLIENT_PORT = "10001"
_LOOK_S = 120.0  # a machine's first Python process may take half a minute to begin


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Joins a cluster ("auto": the one on this machine; or ray://host:port, or host:port), and leaves it again."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # what matters is said in one line
    try:
        _knock(address)
        _join(address)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise _refused(address, error) from error
    try:
        yield
    except ConnectionError as error:
        cure = "Its nodes go on for a minute and then wait: give the same command again"
        raise InputError(f"the Ray cluster at {address} does not answer any more", cure) from error
    finally:
        ray.shutdown()


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
    told = " ".join(str(error).split())
    if "version" in told.lower():
        cause = f"the Ray cluster at {address} has other versions of Ray or Python ({told[:200]})"
        return InputError(cause, "Install the same versions of both on all machines, and here")
    cause = told.rpartition("Error: ")[2].partition(". ")[0].rstrip(".") or type(error).__name__
    cure = "Start one with `ray start --head`, or give the address of one: --cluster ray://host:10001; has it a token: RAY_AUTH_MODE=token"
    return InputError(f"no Ray cluster answers at {address} ({cause})", cure)


def _knock(address: str) -> None:
    """Whether a Ray is there at all, by its own protocol: Ray asks for five minutes and more before it gives up, its client for
    half a minute. The client's server forks for everybody who comes; that failed in one of three if it was knocked at before."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address.startswith("ray://") and not host:
        host, port = port, _CLIENT_PORT
    if not host or not port.isdecimal():
        return
    socket.create_connection((host, int(port)), timeout=_KNOCK_S).close()
    if address.startswith("ray://") or os.environ.get("RAY_USE_TLS", "0") != "0":
        return
    with grpc.insecure_channel(
        f"{host}:{port}", [("grpc.enable_http_proxy", 0)]
    ) as channel:  # as Ray itself
        try:
            grpc.channel_ready_future(channel).result(timeout=_KNOCK_S)
        except grpc.FutureTimeoutError:
            raise ConnectionError("what is there is no Ray") from None


class Seen(Struct, frozen=True):
    """What a machine says."""

    version: str = ""  # of Toponaut there; "" if there is none
    wrote: str = ""  # the file that it made beside the one that it was to read; "" if it could not
    why: str = ""  # it could not
    missing: str = ""  # what the crawl needs and it does not see
    trouble: str = ""


def check(setup: Setup) -> Setup:
    """That all machines have this version, and see the directory and what else the crawl needs. Gives the setup with a number of
    workers that the cluster has CPUs for. Nothing is left behind."""
    settled = replace(setup, workers=workers_for(setup, cpus()))
    check_machines(setup.root, [path for path in (setup.replay, setup.since) if path])
    return settled


def cpus() -> list[int]:
    """Of each machine."""
    return [int(one["Resources"].get("CPU", 0)) for one in _machines()]


def _machines() -> list[Any]:
    return [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]


def check_machines(root: str, needed: Sequence[str] = ()) -> None:
    """That all machines have this version, see the storage at a path or URL, and have what is needed beside it."""
    store, probe = open_store(root), f"probe-{socket.gethostname()}-{os.getpid()}"
    with _made(folder_at(root)):
        try:
            store.write(probe, __version__.encode())
            check_exclusive(store, f"{probe}.once")
            for machine, seen in _ask(_machines(), probe, root, list(needed)).items():
                _complain(machine, seen, root, store)
        except OSError as error:
            cause = f"{root} cannot be written to ({error.strerror or error})"
            raise InputError(cause, "Check the permissions, or name another directory") from error
        finally:
            with suppress(OSError):
                for name in [one for one in store.names() if one.startswith(probe)]:
                    store.remove(name)


def workers_for(setup: Setup, cpus: Sequence[int]) -> int:
    """Processes that read pages, for each actor: those that were asked for, or as many as there are CPUs for. An actor needs a CPU
    itself, and has all of its processes on one machine."""
    actors = len(setup.parts.actors)

    def fits(workers: int) -> bool:
        return sum(have // (1 + workers) for have in cpus) >= actors

    most = max((workers for workers in range(max(cpus, default=0)) if fits(workers)), default=None)
    if most is None or not fits(setup.workers or 0):
        each = "a CPU" if not setup.workers else f"{1 + setup.workers} CPUs on one machine"
        where = "1 machine" if len(cpus) == 1 else f"{len(cpus)} machines"
        cause = f"the cluster has {sum(cpus)} CPUs on {where}, and {actors} actors need {each} each"
        cure = "Add machines, or lower nodes.geographic, nodes.shards or --workers; `ray start --num-cpus` may promise more"
        raise InputError(cause, cure)
    return most if setup.workers is None else setup.workers


@contextmanager
def _made(root: Path | None) -> Iterator[None]:
    """A directory that is there for a while, if it was not."""
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


def _ask(machines: Sequence[Any], probe: str, root: str, needed: list[str]) -> dict[str, Seen]:
    task = ray.remote(num_cpus=0, max_retries=0)(_looker())
    asked, number_of = {}, {}
    for one in machines:
        place = NodeAffinitySchedulingStrategy(one["NodeID"], soft=False)
        name = f"{one['NodeManagerHostname']} ({one['NodeManagerAddress']}, Ray's node {one['NodeID'][:8]})"
        asked[name] = task.options(scheduling_strategy=place).remote(
            root, probe, one["NodeID"], needed
        )
        number_of[name] = one["NodeID"]
    seen = {name: _seen(ref) for name, ref in asked.items()}
    living = {one["NodeID"] for one in _machines()}
    # One that has died meanwhile cannot be fit, and need not be.
    return {name: one for name, one in seen.items() if not one.trouble or number_of[name] in living}


def _seen(ref: Any) -> Seen:
    try:
        version, wrote, why, missing = ray.get(ref, timeout=_LOOK_S)
    except ray.exceptions.GetTimeoutError:
        return Seen(trouble=f"does not answer within {_LOOK_S:.0f} s")
    except ray.exceptions.RayError as error:
        return Seen(trouble=f"cannot run a task ({' '.join(str(error).split())[:200]})")
    return Seen(version, wrote, why, missing)


def _looker() -> Callable[[str, str, str, list[str]], tuple[str, str, str, str]]:
    """What is run on every machine. It is sent there by value: Toponaut may be missing there."""

    def look(root: str, probe: str, number: str, needed: list[str]) -> tuple[str, str, str, str]:
        from pathlib import Path

        try:
            from toponaut import __version__ as version
        except ImportError:
            return "", "", "", ""
        wrote, why = f"{probe}.{number}", ""
        try:
            from toponaut.store import open_store  # which another version may not have

            open_store(root).read(probe)
            open_store(root).write(wrote, b"")
        except Exception as error:  # of whatever storage
            wrote, why = "", str(error).partition("\n")[0]
        return version, wrote, why, next((path for path in needed if not Path(path).exists()), "")

    return look


def _complain(machine: str, seen: Seen, root: str, store: Store) -> None:
    if seen.trouble:
        raise InputError(
            f"machine {machine} {seen.trouble}",
            "See Ray's logs there, or take it out of the cluster",
        )
    if not seen.version:
        cure = "Install the same version there: pip install 'toponaut[cluster]'"
        raise InputError(f"machine {machine} has no Toponaut", cure)
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
