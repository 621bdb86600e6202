"""Clients that connect and say nothing, or too little too slowly, cannot shut the server.

uvicorn limits the time between requests only. Here a connection must also send the head of each
request within HEAD_S. There are at most half as many connections as this process may open files.
Beyond that, the connection that has been silent for longest makes room; if none is silent, the new
one is refused.
"""

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
BACKLOG = 128  # connections that the system accepts for us ahead
_MOST = 2000
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n"
    b"Content-Length: 0\r\n\r\n"
)


class ConnectionLimits:
    """The limits of one server; a factory of its connections, for uvicorn."""

    def __init__(self, head_seconds: float = HEAD_S) -> None:
        self.head_seconds = head_seconds
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.most = min(files // 2, _MOST)
        self.silent: dict[LimitedConnection, None] = {}  # without a request, the oldest first

    def __call__(self, **settings: Any) -> "LimitedConnection":
        return LimitedConnection(self, **settings)


class LimitedConnection(H11Protocol):
    """A connection of uvicorn, under the limits of its server."""

    def __init__(self, limits: ConnectionLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        silent = self._limits.silent
        if len(self.connections) > self._limits.most:
            oldest = next(iter(silent), self)
            oldest.refuse(_FULL)
        if not transport.is_closing():
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def refuse(self, answer: bytes) -> None:
        """Close the connection with an answer."""
        self._forget()
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()

    def _expect_head(self) -> None:
        """The time for a head runs from its first byte, or from the connection's start."""
        if self.conn.their_state is not h11.IDLE:
            self._forget()
        elif self._timer is None:
            self._limits.silent[self] = None
            self._timer = self.loop.call_later(self._limits.head_seconds, self.refuse, _LATE)

    def _forget(self) -> None:
        self._limits.silent.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
