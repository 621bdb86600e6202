"""Clients that connect and say nothing: the server stays open for others, and logs no error."""

import re
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.serving import get
from tests.support.towns import crawl_towns

from toponaut.index.write.update import prepare_index

# As the command does, with a limit on files and little time for a head.
SERVER = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), int(sys.argv[2])))
from toponaut.app import connection_limits
connection_limits.ConnectionLimits.__init__.__defaults__ = (float(sys.argv[3]),)
from toponaut.app.served_crawl import ServedCrawl
from toponaut.app.server import ServerOptions, serving
from toponaut.places.gazetteer.cache import open_names
with serving(ServedCrawl(Path(sys.argv[1]), open_names(), None), ServerOptions(port=0)) as url:
    print(url.rstrip("/"), flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = crawl_towns(tmp_path_factory.mktemp("towns"))
    prepare_index(root, lambda _: None, lambda _: None)
    return root


class Server:
    """The server in a process of its own, for the time of a `with`."""

    def __init__(self, root: Path, files: int, head_seconds: float) -> None:
        line = [sys.executable, "-c", SERVER, str(root), str(files), str(head_seconds)]
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, self._process.communicate()

    def connect(self) -> socket.socket:
        found = re.fullmatch(r"http://(.*):(\d+)", self.url)
        assert found
        return socket.create_connection((found[1], int(found[2])), timeout=60)

    def stop(self) -> str:
        """Stops the server; returns what it logged."""
        return self._process.communicate(timeout=120)[1]


def test_half_open_clients_do_not_shut_the_server(root: Path) -> None:
    server = Server(root, files=256, head_seconds=600.0)
    with ExitStack() as stack:
        for number in range(330):
            client = stack.enter_context(server.connect())
            if number % 2:
                client.sendall(b"GET /health HT")
        assert get(server.url, "/health").status == 200
        assert get(server.url, "/").status == 200
    assert server.stop() == ""


def test_a_head_that_does_not_come_in_time_ends_the_connection(root: Path) -> None:
    server = Server(root, files=256, head_seconds=0.5)
    with server.connect() as silent, server.connect() as slow, server.connect() as second:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        second.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT")
        for client in (silent, slow):
            assert client.recv(1000).startswith(b"HTTP/1.1 408 ")
            assert client.recv(1000) == b""
        assert b"".join(iter(lambda: second.recv(10_000), b"")).startswith(b"HTTP/1.1 200 ")
    assert server.stop() == ""
