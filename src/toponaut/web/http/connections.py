"""Connections to servers, and requests over them.

aiohttp makes connections (names, proxies, TLS) and reads what comes over them. Its session is left out: cookies, redirects,
tracing and the objects for them take 0.3 ms of each request, where a page takes 1.2 beside its reading (measured by
bench.crawl); and it keeps three things to itself:
- whom an answer came from: it lets go of a connection as soon as the body is complete, which may be before its caller
  sees the answer, and the address is lost with it;
- whether a connection was new: it asks a second time at once whenever a connection is lost before an answer.
  That is right for a connection that a server had closed while it was idle, and rude to a server that drops us;
- whether something waits on an idle connection: what a server sent unasked would pass for its next answer.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from aiohttp import (
    ClientError,
    ClientOSError,
    ClientRequest,
    ClientTimeout,
    ConnectionTimeoutError,
    HttpVersion,
    ServerDisconnectedError,
    StreamReader,
    TCPConnector,
    encode_basic_auth,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from multidict import CIMultiDictProxy
from yarl import URL

from toponaut.job import PolitenessSection
from toponaut.web.http.dns import Dns, Resolve
from toponaut.web.http.guard import GuardedResolver, NetworkGuard
from toponaut.web.http.proxies import Proxies

# Servers keep idle connections for 5 s (Apache) to 75 s (nginx); a host is asked again after its delay or not soon.
KEEP_ALIVE = 15.0
# aiohttp's own limit of 8 KB is below what some sites put into a Content-Security-Policy. curl takes 100 KB a line.
_MAX_FIELD = 32 * 1024
_MAX_FIELDS = 256
# What one connection may hold back while we are busy or out of bandwidth: aiohttp stops reading at twice this.
_READ_BUFFER = 64 * 1024
_NOTHING: Mapping[str, str] = MappingProxyType({})


class DroppedError(ClientError):
    """A new connection was closed before the head of an answer had come, or any connection amid the head."""


class _AnswerProtocol(ResponseHandler):
    """What reads answers. aiohttp's lets its parser and the transport go on after each part that is taken, held up or not;
    that took 12 us a page."""

    def resume_reading(self, resume_parser: bool = True) -> None:
        if getattr(self, "_reading_paused", True):
            super().resume_reading(resume_parser)


class _OpenConnection(NamedTuple):
    """A connection to one server."""

    connection: Connection
    protocol: ResponseHandler
    transport: asyncio.Transport
    ip: str  # of the server; "" behind a proxy


class HttpAnswer:
    """The head of an answer, whose body is to be read from `content`. It must be closed."""

    __slots__ = ("_connections", "_line", "_origin", "asked", "content", "headers", "ip", "raw_headers", "reason", "status", "version")  # fmt: skip

    def __init__(
        self, connections: "Connections", origin: str, line: _OpenConnection, asked: bytes
    ) -> None:
        self._connections, self._origin, self._line = connections, origin, line
        self.asked = asked  # the head of the request, as a server without a proxy gets it
        self.ip = line.ip
        self.status = 0
        self.reason = ""
        self.version: HttpVersion
        self.headers: CIMultiDictProxy[str]
        self.raw_headers: tuple[tuple[bytes, bytes], ...]
        self.content: StreamReader

    async def hear(self) -> None:
        """Waits for the head. Hints that come before it (RFC 8297) are no answer."""
        protocol = self._line.protocol
        while True:
            message, self.content = await protocol.read()
            if not 100 <= message.code < 200 or message.code == 101:
                break
        self.status, self.reason, self.version = message.code, message.reason, message.version
        self.headers, self.raw_headers = message.headers, message.raw_headers

    def close(self) -> None:
        """Lets go of the connection. It may serve again, unless something is left that will never be read."""
        self._connections.keep(self._origin, self._line)


class Connections:
    """Asks servers, with the same `fields` in the head of each request. Opened at the first, inside the loop that makes it.

    `resolver` replaces the system's lookup of names. What it finds is judged by the guard all the same.
    """

    def __init__(
        self,
        politeness: PolitenessSection,
        fields: Mapping[str, str],
        guard: NetworkGuard,
        resolver: Resolve | None = None,
        *,
        keep_alive: float = KEEP_ALIVE,
    ) -> None:
        self._politeness = politeness
        self._fields = _lines(fields)
        self._guard = guard
        self._resolver = resolver
        self._keep_alive = keep_alive  # seconds that a connection may be idle
        self._proxies = Proxies()
        self._connectors: dict[
            bool, tuple[TCPConnector, GuardedResolver]
        ] = {}  # False: direct, True: through proxies
        self._idle: dict[
            str, list[tuple[_OpenConnection, float]]
        ] = {}  # by origin; the time since when
        self._sweep: asyncio.TimerHandle | None = None

    async def ask(self, url: str, conditions: Mapping[str, str] = _NOTHING) -> HttpAnswer:
        """Sends a request for a URL in normal form, and waits for the head of the answer."""
        scheme, _, authority, target = url.split("/", 3)
        origin = f"{scheme}//{authority}"
        rest = f" HTTP/1.1\r\nHost: {authority}\r\n{self._fields}{_lines(conditions) if conditions else ''}"
        asked = sent = f"GET /{target}{rest}\r\n".encode()
        proxy = self._proxies.of(url)
        if proxy is not None and scheme == "http:":
            sent = f"GET {url}{rest}{_credentials(proxy)}\r\n".encode()
        while (line := self._idle_line(origin)) is not None:
            try:
                return await self._ask(origin, line, asked, sent)
            except (ServerDisconnectedError, ClientOSError) as fault:
                if isinstance(fault, ServerDisconnectedError) and not isinstance(
                    fault.message, str
                ):
                    raise DroppedError(*fault.args) from fault  # a part of a head had come
        line = await self._open(URL(url, encoded=True), proxy)
        try:
            return await self._ask(origin, line, asked, sent)
        except (ServerDisconnectedError, ClientOSError) as fault:
            raise DroppedError(*fault.args) from fault

    async def _ask(
        self, origin: str, line: _OpenConnection, asked: bytes, sent: bytes
    ) -> HttpAnswer:
        line.protocol.set_response_params(
            read_until_eof=True,
            auto_decompress=False,
            read_timeout=self._politeness.read_timeout,
            read_bufsize=_READ_BUFFER,
            max_field_size=_MAX_FIELD,
            max_headers=_MAX_FIELDS,
        )
        answer = HttpAnswer(self, origin, line, asked)
        try:
            line.transport.write(sent)
            line.protocol.start_timeout()
            await answer.hear()
        except BaseException:
            line.connection.close()
            raise
        return answer

    # --- connections that wait for the next request ------------------------------------------------------------------

    def _idle_line(self, origin: str) -> _OpenConnection | None:
        """A connection that can be used again, if there is one."""
        lines = self._idle.get(origin)
        while lines:
            line, _ = lines.pop()
            if line.protocol.is_connected() and not line.protocol.should_close:
                return line
            line.connection.close()
        return None

    def keep(self, origin: str, line: _OpenConnection) -> None:
        """Takes a connection back that has done its work; one on which something is to come yet is closed."""
        if line.protocol.should_close or not line.protocol.is_connected():
            line.connection.close()
            return
        loop = asyncio.get_running_loop()
        self._idle.setdefault(origin, []).append((line, loop.time()))
        if self._sweep is None:
            self._sweep = loop.call_later(self._keep_alive, self._close_idle, loop)

    def _close_idle(self, loop: asyncio.AbstractEventLoop) -> None:
        """Closes what nobody has asked for in a while."""
        before, idle = loop.time() - self._keep_alive, self._idle
        self._idle = {}
        for origin, lines in idle.items():
            for line, since in lines:
                if since <= before:
                    line.connection.close()
            if left := [one for one in lines if one[1] > before]:
                self._idle[origin] = left
        self._sweep = (
            loop.call_later(self._keep_alive, self._close_idle, loop) if self._idle else None
        )

    # --- new connections ----------------------------------------------------------------------------------------------

    async def _open(self, url: URL, proxy: URL | None) -> _OpenConnection:
        wait = self._politeness.connect_timeout
        loop = asyncio.get_running_loop()
        request = ClientRequest("GET", url, proxy=proxy, loop=loop)
        try:
            limits = ClientTimeout(total=None, connect=wait, sock_connect=wait)
            connection = await self._connector(proxied=proxy is not None).connect(
                request, [], limits
            )
        except TimeoutError as fault:
            raise ConnectionTimeoutError(f"no connection to {url}") from fault
        protocol, transport = connection.protocol, connection.transport
        assert protocol is not None
        if transport is None:
            connection.close()
            raise DroppedError("closed as soon as it was open")
        peer = transport.get_extra_info("peername")
        return _OpenConnection(
            connection, protocol, transport, str(peer[0]) if peer and proxy is None else ""
        )

    def _connector(self, *, proxied: bool) -> TCPConnector:
        """Who runs the crawl chose the proxy, so its own address may be private."""
        if proxied not in self._connectors:
            guard = NetworkGuard(allow_private=True) if proxied else self._guard
            resolver = GuardedResolver(guard, Dns(None if proxied else self._resolver))
            connector = TCPConnector(
                resolver=resolver,
                use_dns_cache=False,  # Dns is the cache
                limit=0,  # how many requests are under way is the crawl's decision
                ssl=self._politeness.verify_tls,
                socket_factory=None if proxied else guard.open_socket,
            )
            connector._factory = partial(_AnswerProtocol, loop=asyncio.get_running_loop())  # type: ignore[assignment]
            self._connectors[proxied] = connector, resolver
        return self._connectors[proxied][0]

    async def close(self) -> None:
        """Closes all connections, gives up the lookups, and gives the loop a turn to close the sockets."""
        if self._sweep is not None:
            self._sweep.cancel()
        for lines in self._idle.values():
            for line, _ in lines:
                line.connection.close()
        self._idle.clear()
        for connector, resolver in self._connectors.values():
            await connector.close()
            await resolver.close()
        self._connectors.clear()
        await asyncio.sleep(0)


def _lines(fields: Mapping[str, str]) -> str:
    """Fields as lines of a head. A value that would end its line is left out: it could begin another one."""
    return "".join(
        [f"{name}: {value}\r\n" for name, value in fields.items() if not {"\r", "\n"} & set(value)]
    )


def _credentials(proxy: URL) -> str:
    """What a proxy wants to be told, if its address holds a name."""
    if proxy.user is None:
        return ""
    return _lines({"Proxy-Authorization": encode_basic_auth(proxy.user, proxy.password or "")})
