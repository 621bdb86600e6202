"""The test web: a real HTTP/1.1 server with virtual hosts, which answers as defined and remembers
who asked for what.

    with TestWeb({"a.test": {"/": "<a href='/b'>b</a>", "/b": Slow(delay=1)}}) as web:
        ...  # http_proxy=web.proxy, or web.url("127.0.0.2", "/") for a site with such a name

A site maps paths to answers: HTML, or an object of web_answers.py. A path is looked up with its
query, then without, then as the longest key that ends in "*"; others are 404. Hosts are reached
through `web.proxy` by any name ("*.a.test": all names below a.test), or directly by a name of the
form 127.x.y.z.

For tests that kill the crawler, the little web runs in a process of its own: `WebProcess`.
"""

import argparse
import asyncio
import http.client
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import ClassVar, NamedTuple, Self

from tests.support.little_web import LittleWeb, little_web
from tests.support.web_answers import Answer, Asked, Page, Status

Site = Mapping[str, bytes | str | Answer]
Sites = Mapping[str, Site]
_LIMIT = 1 << 20  # bytes of a request's head
_READY_SECONDS = 120.0


class Access(NamedTuple):
    """One request that reached the server."""

    time: float  # Unix
    host: str
    path: str
    headers: Mapping[str, str]
    connection: int  # counts the connections, from 0
    parallel: int = 0  # unanswered requests to this host when this one came

    @property
    def url(self) -> str:
        """The requested URL."""
        return f"http://{self.host}{self.path}"


class TestWeb:
    """The server in a thread, for the time of a `with`. `delay`: seconds before each answer."""

    __test__: ClassVar[bool] = False  # no test, whatever its name

    def __init__(self, sites: Sites, *, delay: float = 0.0, log: Path | None = None) -> None:
        self._sites = sites
        self._delay = delay
        self._log = log
        self.accesses: list[Access] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._under_way: Counter[str] = Counter()
        self._connections = 0
        self._port = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="test web", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(_READY_SECONDS), "the test web did not start"
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_READY_SECONDS)

    @property
    def port(self) -> int:
        """Of all addresses."""
        return self._port

    @property
    def proxy(self) -> str:
        """What http_proxy is to be."""
        return f"http://127.0.0.1:{self._port}"

    def url(self, host: str, path: str = "/") -> str:
        """The URL by which a host is reached without a proxy."""
        return f"http://{host}:{self._port}{path}"

    def asked(self, host: str = "") -> list[str]:
        """The URLs that were asked for, in their order; of one host or of all."""
        return [access.url for access in list(self.accesses) if not host or access.host == host]

    # --- the server's side ---

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:  # an address cannot be had
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        servers = []
        for address in dict.fromkeys(
            ["127.0.0.1", *(host for host in self._sites if host.startswith("127."))]
        ):
            server = await asyncio.start_server(self._connected, address, self._port, limit=_LIMIT)
            self._port = server.sockets[0].getsockname()[1]
            servers.append(server)
        self._ready.set()
        await self._stop.wait()
        for server in servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number, self._connections = self._connections, self._connections + 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        faults = (
            ConnectionError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            asyncio.CancelledError,
        )
        try:
            with suppress(*faults):
                while await self._exchange(number, reader, writer):
                    pass
        finally:
            writer.close()
            with suppress(*faults):
                await writer.wait_closed()
            self._tasks.discard(task)

    async def _exchange(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """One request and its answer; True if another may follow."""
        raw = await reader.readuntil(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        method, target, _ = first.split(" ")
        host, path = _address(target, headers)

        async def write(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        self._note(Access(time.time(), host, path, headers, number, self._under_way[host]))
        self._counts[host, path] += 1
        asked = Asked(
            host,
            path,
            headers,
            self._counts[host, path],
            write,
            lambda: reader.at_eof() or writer.is_closing(),
        )
        self._under_way[host] += 1
        try:
            if self._delay:
                await asyncio.sleep(self._delay)
            answer = self._answer(host, path) if method == "GET" else Status(405)
            return await answer.send(asked) and headers.get("connection", "").lower() != "close"
        finally:
            self._under_way[host] -= 1

    def _answer(self, host: str, path: str) -> Answer:
        site = self._sites.get(host, self._sites.get(f"*.{host.partition('.')[2]}"))
        if site is None:
            return Status(502, "no such host")
        bare = path.partition("?")[0]
        prefixes = sorted(
            (key for key in site if key.endswith("*") and path.startswith(key[:-1])), key=len
        )
        for key in (path, bare, *reversed(prefixes)):
            if key in site:
                found = site[key]
                return Page(found) if isinstance(found, bytes | str) else found
        return Status(404, "<title>Not found</title>")

    def _note(self, access: Access) -> None:
        self.accesses.append(access)
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as stream:
                stream.write(
                    f"{access.time}\t{access.connection}\t{access.parallel}\t{access.host}\t{access.path}\n"
                )


def _address(target: str, headers: Mapping[str, str]) -> tuple[str, str]:
    """Host and path of a request, sent as to a proxy ("GET http://a.test/b") or to a server."""
    if target.startswith("http://"):
        authority, slash, rest = target.removeprefix("http://").partition("/")
        return _name(authority), slash + rest or "/"
    return _name(headers.get("host", "")), target


def _name(authority: str) -> str:
    return authority.partition(":")[0].lower()


# --- in a process of its own ---


class WebProcess:
    """The little web as a process, for the time of a `with`. It survives the crawler."""

    def __init__(
        self, folder: Path, seed: int = 0, hosts: int = 8, pages: int = 200, delay: float = 0.0
    ) -> None:
        self.web: LittleWeb = little_web(seed, hosts, pages)
        self._port_file, self._log = folder / "port", folder / "accesses"
        numbers = (
            "--seed",
            str(seed),
            "--hosts",
            str(hosts),
            "--pages",
            str(pages),
            "--delay",
            str(delay),
        )
        files = ("--port-file", str(self._port_file), "--log", str(self._log))
        self._command = [sys.executable, "-m", "tests.support.webserver", *files, *numbers]

    def __enter__(self) -> Self:
        root = Path(__file__).parents[2]
        self._process = subprocess.Popen(self._command, cwd=root)
        deadline = time.monotonic() + _READY_SECONDS
        while not self._port_file.exists():
            assert self._process.poll() is None, "the test web ended"
            assert time.monotonic() < deadline, "the test web did not start"
            time.sleep(0.02)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()

    @property
    def proxy(self) -> str:
        """What http_proxy is to be."""
        return f"http://127.0.0.1:{self._port_file.read_text()}"

    def settle(self) -> None:
        """Waits until all earlier requests are logged, also those of clients that have died."""
        with closing(
            http.client.HTTPConnection("127.0.0.1", int(self._port_file.read_text()), timeout=60)
        ) as client:
            client.request("GET", "http://nobody.test/robots.txt")
            client.getresponse().read()

    def mark(self) -> int:
        """A position in the log of requests, which grows with each."""
        return self._log.stat().st_size if self._log.exists() else 0

    def accesses(self, since: int = 0) -> list[Access]:
        """All requests since a mark, without headers."""
        log = self._log.read_bytes()[since:] if self._log.exists() else b""
        lines = log.decode().splitlines()
        rows = (line.split("\t") for line in lines)
        return [
            Access(float(when), host, path, {}, int(connection), int(parallel))
            for when, connection, parallel, host, path in rows
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the little web until stopped.")
    parser.add_argument(
        "--port-file", type=Path, required=True, help="where the port is written once it is open"
    )
    parser.add_argument("--log", type=Path, help="where accesses are written")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    chosen = parser.parse_args()
    sites = little_web(chosen.seed, chosen.hosts, chosen.pages).sites
    with TestWeb(sites, delay=chosen.delay, log=chosen.log) as web:
        draft = chosen.port_file.with_suffix(".new")
        draft.write_text(str(web.port))
        draft.replace(chosen.port_file)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
