"""The synthetic web over real HTTP: one server for all its hosts, on loopback.

It answers as a proxy does (`GET http://host/path`, so `http_proxy` leads any crawler here) and as a server with virtual hosts
(by the Host header). Slow hosts are slow here; hosts that do not exist are a 502, as of a proxy that cannot reach them; hosts
that do not answer close the connection.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from toponaut.errors import InputError
from toponaut.records import Outcome
from toponaut.synthetic.fetcher import response_head
from toponaut.synthetic.web import Answer, SyntheticWeb

_LIMIT = 1 << 16  # bytes of a request's head
_FAULTS = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


async def serve(
    web: SyntheticWeb,
    port: int,
    *,
    patience: float = 1.0,
    ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Serves until cancelled. `patience`: what a second of a slow host takes here; `ready` is told the port."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*_FAULTS):
            while await _exchange(web, reader, writer, patience):
                pass
        writer.close()

    try:
        server = await asyncio.start_server(connected, "127.0.0.1", port, limit=_LIMIT)
    except OSError as error:
        raise InputError(
            f"cannot listen on port {port}: {error.strerror}", "Choose another with --port"
        ) from None
    ready(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


async def _exchange(
    web: SyntheticWeb, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: float
) -> bool:
    """One request and its answer; True if another may follow."""
    raw = await reader.readuntil(b"\r\n\r\n")
    first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    words = first.split(" ")
    if len(words) != 3:
        return False
    method, target, _ = words
    if method not in ("GET", "HEAD"):
        answer = Answer(405, (("content-type", "text/plain"),), b"only GET and HEAD")
    else:
        answer = web.page(
            target if target.startswith("http://") else f"http://{_host(headers)}{target}"
        )
    await asyncio.sleep(answer.seconds * patience)
    if answer.fault is Outcome.NO_HOST or answer.fault is Outcome.NO_TLS:
        answer = Answer(502, (("content-type", "text/plain"),), answer.detail.encode())
    elif answer.fault is not None:
        return False
    plain = tuple(pair for pair in answer.headers if pair[0] != "content-length")
    head = response_head(answer.status, (*plain, ("content-length", str(len(answer.body)))))
    writer.write(head if method == "HEAD" else head + answer.body)
    await writer.drain()
    return headers.get("connection", "").lower() != "close"


def _host(headers: dict[str, str]) -> str:
    """The host that a request names; its port is ours and says nothing about the web."""
    return headers.get("host", "").partition(":")[0]
