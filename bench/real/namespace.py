"""A private corner of this machine: its own loopback network, hosts file and certificates.

`enter` starts the program again inside new mount and network namespaces, where the hosts of the
bench are on 127.0.0.1 and nothing else exists: no request can leave the machine.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_INSIDE = "TOPONAUT_BENCH_INSIDE"


def enter(module: str, arguments: Sequence[str]) -> None:
    """Runs `python -m module` inside the namespaces and exits; returns if this is inside."""
    if os.environ.get(_INSIDE):
        return
    if not shutil.which("unshare"):
        sys.exit("unshare is not installed. On Debian and Ubuntu: apt-get install util-linux")
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", *mapped, "--mount", "--net", sys.executable, "-m", module, *arguments]
    sys.exit(subprocess.run(command, env=os.environ | {_INSIDE: "1"}).returncode)


def prepare(hosts: Sequence[str], folder: Path) -> None:
    """Brings loopback up and puts the hosts on it. Only inside the namespaces."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["127.0.0.1 localhost", *(f"127.0.0.1 {host}" for host in hosts)]
    _replace(Path("/etc/hosts"), folder / "hosts", "\n".join(lines) + "\n")
    # An unknown host fails at once, as a name server would answer, without one.
    _replace(Path("/etc/nsswitch.conf"), folder / "nsswitch.conf", "hosts: files\n")


def _replace(system: Path, own: Path, text: str) -> None:
    own.write_text(text, encoding="utf-8")
    subprocess.run(["mount", "--bind", str(own), str(system)], check=True)
