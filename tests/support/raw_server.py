"""A server for the tests of the Fetcher that says whatever a test lets it say, byte for byte."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Request, Response
from toponaut.web.http.client import HttpFetcher

T = TypeVar("T")
Talk = Callable[["Wire"], Awaitable[None]]  # what a server does on one connection

PAGE = b"<p>Pizzeria Roma, Lange Str. 12, 26122 Oldenburg</p>" * 20
QUICK = PolitenessSection(connect_timeout=2, read_timeout=2, total_timeout=4)
HERE = LimitsSection(private_networks=True, body_bytes=100_000)


class Wire:
    """The server's end of one connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: list[bytes]
    ) -> None:
        self._reader, self._writer, self._requests = reader, writer, requests

    async def hear(self) -> bytes:
        """The next request."""
        request = await self._reader.readuntil(b"\r\n\r\n")
        self._requests.append(request)
        return request

    async def say(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def secure(self, context: ssl.SSLContext) -> None:
        await self._writer.start_tls(context)

    def reset(self) -> None:
        self._writer.transport.abort()


class Server:
    """A server that says what a test lets it say. Every connection gets the same `talk`."""

    def __init__(self, talk: Talk, context: ssl.SSLContext | None = None) -> None:
        self._talk, self._context = talk, context
        self.connections = 0
        self.requests: list[bytes] = []
        self.port = 0

    async def __aenter__(self) -> "Server":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._talk(Wire(reader, writer, self.requests))
        except (asyncio.IncompleteReadError, OSError):
            pass  # the client has gone
        finally:
            writer.close()

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


def answer(
    body: bytes = PAGE, *headers: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        *headers,
        f"Content-Length: {len(body) if length is None else length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def always(data: bytes, *, then_close: bool = False) -> Talk:
    """Every request gets the same answer."""

    async def talk(wire: Wire) -> None:
        while True:
            await wire.hear()
            await wire.say(data)
            if then_close:
                return

    return talk


def run(
    talk: Talk, work: Callable[[Server, HttpFetcher], Coroutine[Any, Any, T]], **options: Any
) -> T:
    """Start a server, let `work` use a fetcher on it, and stop both."""

    async def main() -> T:
        async with Server(talk, options.get("context")) as server:
            politeness, limits = options.get("politeness", QUICK), options.get("limits", HERE)
            fetcher = HttpFetcher(politeness, limits, resolver=options.get("resolver"))
            try:
                return await work(server, fetcher)
            finally:
                await fetcher.close()

    return asyncio.run(main())


def fetch(talk: Talk | bytes, path: str = "/", **options: Any) -> Response:
    """One request to a server that gives one kind of answer."""
    request = {name: options.pop(name) for name in ("etag", "modified", "types") if name in options}

    async def work(server: Server, fetcher: HttpFetcher) -> Response:
        return await fetcher.fetch(Request(server.url(path), **request))

    return run(always(talk) if isinstance(talk, bytes) else talk, work, **options)
