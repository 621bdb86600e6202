"""The loopback web server: one nginx worker that takes the folder from the Host header and logs
what was asked.
"""

import getpass
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from bench.crawl.measure import descendants
from bench.crawl.site import Site, address

FLUSH_MS = 50  # after which the log is on disk

_CONF = """
user {user};
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  types {{ text/html html; text/plain txt; }}
  map $host $coded {{ default utf-8; {legacy} }}
  log_format asked "$status $host$uri\t$http_user_agent";
  access_log {folder}/access.log asked buffer=64k flush={flush}ms;
  client_body_temp_path {folder}/temp; proxy_temp_path {folder}/temp; fastcgi_temp_path
  {folder}/temp;
  uwsgi_temp_path {folder}/temp; scgi_temp_path {folder}/temp;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  keepalive_timeout 300s;
  gzip {gzip};
  gzip_comp_level 5;
  server {{ listen 0.0.0.0:{port} backlog=4096; root {root}/$host; index index.html; charset $coded;
  }}
}}
"""


class Nginx:
    """A running server, and what has been asked of it."""

    def __init__(self, folder: Path, pid: int) -> None:
        self._folder = folder
        self._log = folder / "access.log"
        self._pid = pid

    def put_on(self, cpus: set[int]) -> None:
        """Lets it run on these cores only."""
        for pid in (self._pid, *descendants(self._pid)):
            os.sched_setaffinity(pid, cpus)

    def cpu(self) -> float:
        """Seconds of CPU that it has used so far."""
        ticks = 0
        for pid in (self._pid, *descendants(self._pid)):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # user, system
        return ticks / os.sysconf("SC_CLK_TCK")

    def mark(self) -> int:
        """Where the log ends now."""
        time.sleep(4 * FLUSH_MS / 1000)
        return self._log.stat().st_size

    def asked_since(self, mark: int) -> tuple[Counter[str], int]:
        """How many requests each user agent has made since then, and where the log ends by now."""
        end = self.mark()
        return Counter(agent.decode() for _, agent in self.since(mark, end)), end

    def pages_since(self, mark: int) -> tuple[int, int]:
        """Distinct pages that were served since then, and all requests."""
        lines = [line for line, _ in self.since(mark, self.mark())]
        faults = [line for line in lines if line.startswith(b"5")]
        if faults:  # it would measure how crawlers take faults
            raise SystemExit(
                f"nginx failed {len(faults)} times, first {faults[0].decode()}: see "
                f"{self._folder}/error.log"
            )
        return len(
            {
                line
                for line in lines
                if line.startswith(b"200 ") and not line.endswith(b"/robots.txt")
            }
        ), len(lines)

    def since(self, mark: int, end: int) -> list[tuple[bytes, bytes]]:
        """The requests with their outcomes, and the rest of the line: the user agent."""
        with self._log.open("rb") as log:
            log.seek(mark)
            lines = log.read(end - mark).splitlines()
        return [(what, agent) for what, _, agent in (line.partition(b"\t") for line in lines)]


@contextmanager
def serving(site: Site, root: Path, folder: Path, gzip: bool) -> Iterator[Nginx]:
    """nginx over the site's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        log.unlink()
    conf = folder / "nginx.conf"
    legacy = " ".join(
        f"{address(h)} windows-1252;" for h in range(site.hosts) if site.encoding(h) != "utf-8"
    )
    conf.write_text(
        _CONF.format(
            user=getpass.getuser(), folder=folder, root=root, port=site.port, legacy=legacy,
            flush=FLUSH_MS,
            gzip="on" if gzip else "off",
        )
    )  # fmt: skip
    command = [executable(), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(conf)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        await_answer(process, site.empty)
        yield Nginx(folder, process.pid)
    finally:
        process.terminate()
        process.wait()


def executable() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise SystemExit(
            "nginx is not installed. On Debian and Ubuntu: apt-get install nginx-light"
        )
    return found


def await_answer(process: subprocess.Popen[str], url: str) -> None:
    for _ in range(100):
        if process.poll() is not None:
            errors = process.stderr.readline().strip() if process.stderr else ""
            raise SystemExit(
                f"nginx did not start (is the port taken? give another with --port): {errors}"
            )
        try:
            with urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nginx does not answer at {url}")
