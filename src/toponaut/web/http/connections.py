"""Connections to servers, and requests over them.

aiohttp makes connections (names, proxies, TLS) and parses answers. Its session is not used: it
takes 0.3 ms of each request, and it hides the server's address, whether a connection was new (a
session repeats requests, which is rude unless an idle connection had been closed) and whether data
waits on an idle connection (it would pass for the next answer).
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import NamedTuple
from urllib.request import getproxies_environment, proxy_bypass

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientOSError,
    ClientRequest,
    ClientSSLError,
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
from aiohttp.helpers import set_exception
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDictProxy
from yarl import URL

from toponaut.errors import InputError
from toponaut.job import PolitenessSection
from toponaut.urls import host_of
from toponaut.web.http.dns import Dns, Resolve
from toponaut.web.http.guard import GuardedResolver, NetworkGuard

# Servers keep idle connections for 5 s (Apache) to 75 s (nginx).
KEEP_ALIVE = 15.0
# aiohttp's own limit of 8 KB is too low for some Content-Security-Policy headers. curl allows 100
# KB.
_MAX_FIELD = 32 * 1024
_MAX_FIELDS = 256
# Buffer of a connection while we are busy or out of bandwidth: aiohttp stops reading at twice this.
_READ_BUFFER = 64 * 1024
# Hints before an answer (RFC 8297) are few. A server that sends more would keep us reading.
_MAX_INTERIM = 10
# Bytes around a body: the longest head, some hints and a proxy's answer are shorter. After the head
# fewer, and as many as the body has: a megabyte in chunks of one byte takes 1 s of CPU.
_MOST_OVERHEAD = 10 * 1024 * 1024
_CHUNKS_OVERHEAD = 512 * 1024
# Further addresses of a host that are tried within connect_timeout, which they share.
_MOST_OTHERS = 3
_TOO_MANY_BYTES = "more bytes than an answer may have"
_NOTHING: Mapping[str, str] = MappingProxyType({})


class DroppedError(ClientError):
    """A new connection was closed before the head of an answer was complete, or any within it."""


class _AnswerProtocol(ResponseHandler):
    """Takes a bounded number of bytes for each request, and none without one: aiohttp keeps what
    comes on an idle connection, and has no bound for the sizes and extensions of chunks.

    It resumes only if paused. aiohttp resumes after every part, which takes 12 us a page.
    """

    room = _MOST_OVERHEAD  # bytes that may still come; at first those of a proxy's answer

    def data_received(self, data: bytes) -> None:
        self.room -= len(data)
        if self.room >= 0:
            super().data_received(data)
            return
        fault = HttpProcessingError(message=_TOO_MANY_BYTES)
        self.set_exception(fault)
        if self._payload is not None:
            set_exception(self._payload, fault)
        if self.transport is not None:
            self.transport.abort()

    def resume_reading(self, resume_parser: bool = True) -> None:
        if getattr(self, "_reading_paused", True):
            super().resume_reading(resume_parser)


class _OpenConnection(NamedTuple):
    connection: Connection
    protocol: _AnswerProtocol
    transport: asyncio.Transport
    ip: str  # of the server; "" behind a proxy


class HttpAnswer:
    """The head of an answer; read its body part by part, and close it."""

    __slots__ = (
        "_connections", "_content", "_line", "_origin", "_room", "_size", "headers", "ip",
        "raw_headers", "reason", "request_head", "status", "version",
    )  # fmt: skip

    def __init__(
        self, connections: "Connections", origin: str, line: _OpenConnection, request_head: bytes
    ) -> None:
        self._connections, self._origin, self._line = connections, origin, line
        self.request_head = request_head  # as a server without a proxy gets it
        self.ip = line.ip
        self.status = 0
        self.reason = ""
        self.version: HttpVersion
        self.headers: CIMultiDictProxy[str]
        self.raw_headers: tuple[tuple[bytes, bytes], ...]
        self._content: StreamReader
        self._size = self._room = 0

    async def read_head(self) -> None:
        """Waits for the head. Skips interim answers before it."""
        protocol = self._line.protocol
        for _ in range(_MAX_INTERIM + 1):
            message, self._content = await protocol.read()
            if not 100 <= message.code < 200 or message.code == 101:
                break
        else:
            raise HttpProcessingError(message="too many interim answers")
        self.status, self.reason, self.version = message.code, message.reason, message.version
        self.headers, self.raw_headers = message.headers, message.raw_headers
        self._room = protocol.room

    async def read_part(self) -> bytes:
        """The next part of the body; nothing at its end."""
        part = await self._content.readany()
        self._size += len(part)
        if self._room - self._line.protocol.room > 2 * self._size + _CHUNKS_OVERHEAD:
            raise HttpProcessingError(message=_TOO_MANY_BYTES)
        return part

    def close(self) -> None:
        """Releases the connection. It is reused, unless a part of the answer is unread."""
        self._connections.keep(self._origin, self._line)


class Connections:
    """Sends requests, each with the same header `fields`. Opens connections in the loop of the
    first.

    `resolver` replaces the system's name lookup; the guard checks its results as well.
    `body_bytes`: of the longest body that is read; in chunks it may take twice as many.
    """

    def __init__(
        self,
        politeness: PolitenessSection,
        fields: Mapping[str, str],
        guard: NetworkGuard,
        resolver: Resolve | None = None,
        *,
        keep_alive: float = KEEP_ALIVE,
        body_bytes: int = 0,
    ) -> None:
        self._politeness = politeness
        self._most = 2 * body_bytes + _MOST_OVERHEAD
        self._fields = _lines(fields)
        self._guard = guard
        self._dns = Dns(resolver, guard.allows)
        self._keep_alive = keep_alive  # seconds a connection may be idle
        self._proxies = EnvironmentProxies()
        # False: direct, True: through proxies.
        self._connectors: dict[bool, tuple[TCPConnector, GuardedResolver]] = {}
        # By origin, with the time since when it is idle.
        self._idle: dict[str, list[tuple[_OpenConnection, float]]] = {}
        self._sweep: asyncio.TimerHandle | None = None

    def address(self, host: str) -> str | None:
        """What a host shares with others at its server; None while its name is looked up, "" behind
        a proxy.
        """
        return "" if self._proxies else self._dns.address(host)

    async def ask(self, url: str, conditions: Mapping[str, str] = _NOTHING) -> HttpAnswer:
        """Sends a request for a normalised URL, and waits for the head of the answer."""
        scheme, _, authority, target = url.split("/", 3)
        origin = f"{scheme}//{authority}"
        extra = _lines(conditions) if conditions else ""
        rest = f" HTTP/1.1\r\nHost: {authority}\r\n{self._fields}{extra}"
        head = sent = f"GET /{target}{rest}\r\n".encode()
        proxy = self._proxies.find(url)
        if proxy is not None and scheme == "http:":
            sent = f"GET {url}{rest}{_credentials(proxy)}\r\n".encode()
        while (line := self._idle_line(origin)) is not None:
            try:
                return await self._ask(origin, line, head, sent)
            except (ServerDisconnectedError, ClientOSError) as fault:
                if isinstance(fault, ServerDisconnectedError) and not isinstance(
                    fault.message, str
                ):
                    raise DroppedError(*fault.args) from fault  # a part of the head had arrived
        line = await self._open(URL(url, encoded=True), proxy)
        try:
            return await self._ask(origin, line, head, sent)
        except (ServerDisconnectedError, ClientOSError) as fault:
            raise DroppedError(*fault.args) from fault

    async def _ask(
        self, origin: str, line: _OpenConnection, head: bytes, sent: bytes
    ) -> HttpAnswer:
        line.protocol.set_response_params(
            read_until_eof=True,
            auto_decompress=False,
            read_timeout=self._politeness.read_timeout,
            read_bufsize=_READ_BUFFER,
            max_field_size=_MAX_FIELD,
            max_headers=_MAX_FIELDS,
        )
        answer = HttpAnswer(self, origin, line, head)
        line.protocol.room = self._most
        try:
            line.transport.write(sent)
            line.protocol.start_timeout()
            await answer.read_head()
        except BaseException:
            line.connection.close()
            raise
        return answer

    # --- idle connections ---

    def _idle_line(self, origin: str) -> _OpenConnection | None:
        lines = self._idle.get(origin)
        while lines:
            line, _ = lines.pop()
            if line.protocol.is_connected() and not line.protocol.should_close:
                return line
            line.connection.close()
        return None

    def keep(self, origin: str, line: _OpenConnection) -> None:
        """Keeps a used connection, or closes it if more data may arrive on it."""
        if line.protocol.should_close or not line.protocol.is_connected():
            line.connection.close()
            return
        line.protocol.room = 0
        loop = asyncio.get_running_loop()
        self._idle.setdefault(origin, []).append((line, loop.time()))
        if self._sweep is None:
            self._sweep = loop.call_later(self._keep_alive, self._close_idle, loop)

    def _close_idle(self, loop: asyncio.AbstractEventLoop) -> None:
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

    # --- new connections ---

    async def _open(self, url: URL, proxy: URL | None) -> _OpenConnection:
        connection = await self._connect(url, proxy)
        protocol, transport = connection.protocol, connection.transport
        assert isinstance(protocol, _AnswerProtocol)
        if transport is None:
            connection.close()
            raise DroppedError("closed when just opened")
        peer = transport.get_extra_info("peername")
        return _OpenConnection(
            connection, protocol, transport, str(peer[0]) if peer and proxy is None else ""
        )

    async def _connect(self, url: URL, proxy: URL | None) -> Connection:
        """Connect to the address of a host; to some of its others if that cannot be reached."""
        loop = asyncio.get_running_loop()
        connector, resolver = self._connector(proxied=proxy is not None)
        host, until = (proxy or url).raw_host or "", loop.time() + self._politeness.connect_timeout
        request = ClientRequest("GET", url, proxy=proxy, loop=loop)
        tried = 0
        while True:
            others = min(resolver.dns.others(host), _MOST_OTHERS) - tried
            wait = (until - loop.time()) / max(others + 1, 1)
            limits = ClientTimeout(total=None, connect=wait, sock_connect=wait)
            try:
                return await connector.connect(request, [], limits)
            except TimeoutError as fault:
                if others <= 0:
                    raise ConnectionTimeoutError(f"no connection to {url}") from fault
            except (ClientSSLError, ClientConnectorDNSError):
                raise
            except ClientConnectorError:
                if tried >= min(resolver.dns.others(host), _MOST_OTHERS):
                    raise
            tried += 1
            resolver.dns.leave(host)

    def _connector(self, *, proxied: bool) -> tuple[TCPConnector, GuardedResolver]:
        """A connector. The address of a proxy may be private, because the user chose it."""
        if proxied not in self._connectors:
            guard = NetworkGuard(allow_private=True) if proxied else self._guard
            resolver = GuardedResolver(guard, Dns() if proxied else self._dns)
            connector = TCPConnector(
                resolver=resolver,
                use_dns_cache=False,  # Dns is the cache
                limit=0,  # the crawl limits the requests in flight
                ssl=self._politeness.verify_tls,
                socket_factory=None if proxied else guard.open_socket,
            )
            protocol = partial(_AnswerProtocol, loop=asyncio.get_running_loop())
            connector._factory = protocol  # type: ignore[assignment]
            self._connectors[proxied] = connector, resolver
        return self._connectors[proxied]

    async def close(self) -> None:
        """Closes all connections, cancels lookups, and lets the loop close the sockets."""
        if self._sweep is not None:
            self._sweep.cancel()
        for lines in self._idle.values():
            for line, _ in lines:
                line.connection.close()
        self._idle.clear()
        self._dns.close()
        for connector, resolver in self._connectors.values():
            await connector.close()
            await resolver.close()
        self._connectors.clear()
        await asyncio.sleep(0)


def _lines(fields: Mapping[str, str]) -> str:
    """Fields as header lines. Leaves out values with line breaks: they could add headers."""
    return "".join(
        [f"{name}: {value}\r\n" for name, value in fields.items() if not {"\r", "\n"} & set(value)]
    )


def _credentials(proxy: URL) -> str:
    """The header with the user name and password in a proxy's address, if there are any."""
    if proxy.user is None:
        return ""
    return _lines({"Proxy-Authorization": encode_basic_auth(proxy.user, proxy.password or "")})


class EnvironmentProxies:
    """The proxies in http_proxy, https_proxy and no_proxy, read once."""

    def __init__(self) -> None:
        settings = getproxies_environment()
        self._by_scheme: dict[str, URL] = {
            scheme: _proxy_url(scheme, settings[scheme])
            for scheme in ("http", "https")
            if scheme in settings
        }

    def __bool__(self) -> bool:
        return bool(self._by_scheme)

    def find(self, url: str) -> URL | None:
        proxy = self._by_scheme.get(url.partition(":")[0]) if self._by_scheme else None
        return None if proxy is None or proxy_bypass(host_of(url)) else proxy


def _proxy_url(scheme: str, address: str) -> URL:
    with suppress(ValueError):
        url = URL(address if "://" in address else f"http://{address}")
        if url.host and url.scheme in ("http", "https"):
            return url
    cause = f"{scheme}_proxy is not the address of a proxy: {address!r}"
    raise InputError(cause, 'Write it like "http://proxy.example:3128"')
