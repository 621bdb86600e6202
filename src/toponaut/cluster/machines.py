"""The machines of a Ray cluster: joining them, and whether they are fit for a crawl."""

import logging
import os
import socket
from pathlib import Path

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from toponaut import __version__
from toponaut.errors import InputError

_KNOCK_S = 10.0


def connect(address: str) -> None:
    """Joins a cluster: "auto" for the one on this machine, or ray://host:port."""
    try:
        _knock(address)
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, configure_logging=False)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        cause = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        cure = "Start one with `ray start --head`, or give the address of one: --cluster ray://host:10001"
        raise InputError(f"no Ray cluster answers at {address} ({cause})", cure) from error


def _knock(address: str) -> None:
    """Whether somebody is there at all: Ray itself asks for minutes before it gives up."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_KNOCK_S).close()


def check(root: Path) -> None:
    """That all machines have this version, and see the directory: before anything is crawled."""
    probe = root / f"probe-{os.getpid()}"
    probe.write_text(__version__, encoding="utf-8")
    try:
        for node, (version, seen, wrote) in _ask_machines(probe).items():
            if version != __version__:
                cause = f"machine {node} has Toponaut {version}, this one {__version__}"
                raise InputError(cause, "Install the same version on all machines of the cluster")
            if not seen or not (root / f"{probe.name}.{wrote}").exists():
                cause = f"machine {node} does not see what is in {root}"
                raise InputError(cause, "Name a directory on storage that all machines of the cluster share")
    finally:
        for path in root.glob(f"{probe.name}*"):
            path.unlink()


def _ask_machines(probe: Path) -> dict[str, tuple[str, bool, str]]:
    def look(path: str, number: str) -> tuple[str, bool, str]:
        from toponaut import __version__ as version

        try:
            seen = Path(path).read_text(encoding="utf-8")
            Path(f"{path}.{number}").write_text("", encoding="utf-8")
        except OSError:
            return version, False, number
        return version, bool(seen), number

    task = ray.remote(num_cpus=0)(look)
    asked = {}
    for node in ray.nodes():  # type: ignore[no-untyped-call]
        if node["Alive"]:
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[node["NodeManagerAddress"], node["NodeID"]] = task.options(scheduling_strategy=place).remote(
                str(probe), node["NodeID"]
            )
    return {f"{address} ({number[:8]})": ray.get(ref) for (address, number), ref in asked.items()}
