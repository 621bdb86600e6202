"""nginx for the real sites: HTTP on port 80, and HTTPS on port 443 with certificates of its own."""

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.crawl.nginx import FLUSH_MS, Nginx, await_answer, executable

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
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    root {root}/$host;
    location / {{ try_files $uri $uri/index.html =404; }}
  }}
"""


@contextmanager
def serving(root: Path, folder: Path, seed: str, certificate: Path | None) -> Iterator[Nginx]:
    """nginx over a laid-out folder, until the context ends."""
    folder.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        log.unlink()
    tls = ""
    if certificate:
        tls = _TLS.format(certificate=certificate, key=certificate.with_suffix(".key"), root=root)
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


def make_certificate(hosts: tuple[str, ...], folder: Path) -> Path:
    """A certificate for all hosts, which is its own authority (SSL_CERT_FILE names it)."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ",".join(f"DNS:{host}" for host in hosts)
    path = folder / "bench.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-days", "30", "-subj", "/CN=bench", "-addext", f"subjectAltName={names}",
            "-keyout", str(path.with_suffix(".key")), "-out", str(path),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return path
