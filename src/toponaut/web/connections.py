"""aiohttp, set up for a crawl: guarded connections, no cookies, no environment, and three things it keeps to itself.

- whom an answer came from: aiohttp lets go of a connection as soon as the body is complete, which may be before
  its caller sees the answer, and the address is lost with it;
- whether a connection was new: aiohttp asks a second time at once whenever a connection is lost before an answer.
  That is right for a connection that a server had closed while it was idle, and rude to a server that drops us;
- whether something waits on an idle connection: what a server sent unasked would pass for its next answer.
"""

import asyncio
from contextlib import suppress
from typing import Any
from urllib.request import getproxies_environment, proxy_bypass
from weakref import WeakKeyDictionary

from aiohttp import (
    ClientError,
    ClientOSError,
    ClientRequest,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    ServerDisconnectedError,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

from toponaut.errors import InputError
from toponaut.job import Politeness
from toponaut.urls import host_of
from toponaut.web.dns import Dns
from toponaut.web.guard import Guard, GuardedResolver

# Servers keep idle connections for 5 s (Apache) to 75 s (nginx); a host is asked again after its delay or not soon.
_KEEP_ALIVE = 15.0
# aiohttp's own limit of 8 KB is below what some sites put into a Content-Security-Policy. curl takes 100 KB a line.
_MAX_FIELD = 32 * 1024
_MAX_FIELDS = 256
# What one connection may hold back while we are busy or out of bandwidth: aiohttp stops reading at twice this.
_READ_BUFFER = 64 * 1024


class DroppedError(ClientError):
    """A new connection was closed before the head of an answer had come, or any connection amid the head."""


class Connector(TCPConnector):
    """Remembers the server's address for each connection that has been used."""

    def __init__(self, resolver: AbstractResolver, **options: Any) -> None:
        super().__init__(resolver=resolver, **options)
        self.resolver = resolver
        self.peers: WeakKeyDictionary[ResponseHandler, str] = WeakKeyDictionary()


class Answer(ClientResponse):
    """An answer that knows whom it came from."""

    ip = ""
    over_new_connection = True

    async def start(self, connection: Connection) -> "Answer":
        """Wait for the head of the answer."""
        try:
            await super().start(connection)
        except (ServerDisconnectedError, ClientOSError) as fault:
            begun = isinstance(fault, ServerDisconnectedError) and not isinstance(fault.message, str)
            if self.over_new_connection or begun:
                raise DroppedError(*fault.args) from fault
            raise  # aiohttp asks again, over another connection
        return self


class Question(ClientRequest):
    """A request that notes the connection it is sent over."""

    async def send(self, conn: Connection) -> ClientResponse:
        """Send the request."""
        protocol, transport = conn.protocol, conn.transport
        connector = self.session.connector
        assert isinstance(connector, Connector)
        assert protocol is not None
        ip = connector.peers.get(protocol)
        if ip is not None and protocol.should_close:
            raise ServerDisconnectedError("something was waiting on an idle connection")  # makes aiohttp take another
        answer = await super().send(conn)
        if isinstance(answer, Answer):
            answer.over_new_connection = ip is None
            if ip is None:
                peer = transport.get_extra_info("peername") if transport is not None else None
                ip = connector.peers[protocol] = str(peer[0]) if peer else ""
            answer.ip = ip
        return answer


def open_session(politeness: Politeness, headers: dict[str, str], guard: Guard | None, dns: Dns) -> ClientSession:
    """A session whose connections the guard watches; without a guard, one for requests through a proxy."""
    connector = Connector(
        GuardedResolver(guard or Guard(allow_private=True), dns),
        use_dns_cache=False,  # Dns is the cache
        limit=0,  # how many requests are under way is the crawl's decision
        ssl=politeness.verify_tls,
        socket_factory=guard.open_socket if guard else None,
        keepalive_timeout=_KEEP_ALIVE,
    )
    return ClientSession(
        connector=connector,
        headers=headers,
        cookie_jar=DummyCookieJar(),
        request_class=Question,
        response_class=Answer,
        timeout=ClientTimeout(
            total=None,  # HttpFetcher's own: it does not count the time that we make servers wait
            connect=politeness.connect_timeout,
            sock_connect=politeness.connect_timeout,
            sock_read=politeness.read_timeout,
        ),
        auto_decompress=False,
        trust_env=False,  # reads ~/.netrc and the environment in a thread for each request
        read_bufsize=_READ_BUFFER,
        max_field_size=_MAX_FIELD,
        max_headers=_MAX_FIELDS,
    )


async def close_session(session: ClientSession) -> None:
    """Close a session, give up its lookups, and give the loop a turn to close the sockets."""
    connector = session.connector
    await session.close()
    if isinstance(connector, Connector):
        await connector.resolver.close()
    await asyncio.sleep(0)


class Proxies:
    """The proxies of the environment: http_proxy, https_proxy, no_proxy."""

    def __init__(self) -> None:
        settings = getproxies_environment()
        self._by_scheme: dict[str, URL] = {
            scheme: _proxy_url(scheme, settings[scheme]) for scheme in ("http", "https") if scheme in settings
        }

    def of(self, url: str) -> URL | None:
        """The proxy that a URL is to be asked through, if any."""
        proxy = self._by_scheme.get(url.partition(":")[0]) if self._by_scheme else None
        return None if proxy is None or proxy_bypass(host_of(url)) else proxy


def _proxy_url(scheme: str, address: str) -> URL:
    with suppress(ValueError):
        url = URL(address if "://" in address else f"http://{address}")
        if url.host and url.scheme in ("http", "https"):
            return url
    raise InputError(f"{scheme}_proxy is no proxy's address: {address!r}", 'Write it like "http://proxy.example:3128"')
