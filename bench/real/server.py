"""nginx for the real sites: HTTP on port 80, HTTPS on port 443, and a log of what was asked for."""

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.crawl.nginx import FLUSH_MS, Nginx, await_answer, executable
from bench.real.certificates import KEY

_CONF = """
user {user};
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  types {{ text/plain txt; }}
  default_type text/html;
  log_format asked "$status $host$uri\\t$msec $connection_requests $ssl_session_reused";
  access_log {folder}/access.log asked buffer=64k flush={flush}ms;
  client_body_temp_path {folder}/temp; proxy_temp_path {folder}/temp;
  fastcgi_temp_path {folder}/temp; uwsgi_temp_path {folder}/temp; scgi_temp_path {folder}/temp;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  keepalive_timeout 300s;
  server_names_hash_max_size 65536;
  server {{
    listen 127.0.0.1:80 backlog=4096;
    root {root}/$host;
    location / {{ try_files $uri $uri/index.html =404; }}
  }}
{tls}
}}
"""
_TLS = """
  ssl_session_cache shared:bench:20m;
  ssl_protocols TLSv1.2 TLSv1.3;
  server {{
    listen 127.0.0.1:443 ssl backlog=4096;
    ssl_certificate {certificates}/$ssl_server_name.pem;
    ssl_certificate_key {certificates}/{key};
    root {root}/$host;
    location / {{ try_files $uri $uri/index.html =404; }}
  }}
"""


@contextmanager
def serving(root: Path, folder: Path, seed: str, certificates: Path | None) -> Iterator[Nginx]:
    """nginx over a laid-out folder, with the certificates of its hosts, until the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        log.unlink()
    tls = ""
    if certificates:
        tls = _TLS.format(certificates=certificates, key=KEY, root=root)
    conf = folder / "nginx.conf"
    filled = _CONF.format(user=getpass.getuser(), folder=folder, root=root, flush=FLUSH_MS, tls=tls)
    conf.write_text(filled, encoding="utf-8")
    command = [executable(), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(conf)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        await_answer(process, seed)
        yield Nginx(folder, process.pid)
    finally:
        process.terminate()
        process.wait()


class ServedTraffic(NamedTuple):
    """What a crawler asked for, by the server's log."""

    pages: int  # distinct ones
    requests: int
    seconds: float  # between the first and the last request
    connections: int
    resumed: int  # TLS sessions


def served(nginx: Nginx, mark: int) -> ServedTraffic:
    """The traffic since a mark in the log."""
    pages, requests = nginx.pages_since(mark)
    columns = [notes.split() for _, notes in nginx.since(mark, nginx.mark())]
    times = [float(moment) for moment, _, _ in columns]
    opened = [resumed for _, number, resumed in columns if number == b"1"]
    seconds = max(times) - min(times) if times else 0.0
    return ServedTraffic(pages, requests, seconds, len(opened), opened.count(b"r"))
