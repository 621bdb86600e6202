"""Two ways to reach the synthetic web: a Fetcher without a network, and an HTTP server.

The fetcher takes no time. Each answer contains the `seconds` it would have taken, and simulated
time advances by that.

The server answers for all hosts on loopback: as a proxy (`GET http://host/path`, so `http_proxy`
leads any crawler here), and by the Host header. Slow hosts are slow here. Hosts that do not exist
are a 502, as from a proxy. Hosts that do not answer close the connection.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

from msgspec.structs import replace

from toponaut.archive.http_answers import RecordedAnswer
from toponaut.errors import InputError
from toponaut.records import Outcome, Request, Response
from toponaut.synthetic.web import SyntheticAnswer, SyntheticWeb
from toponaut.web.replay.fetcher import replay_answer

_LIMIT = 1 << 16  # bytes of a request head
_FAULTS = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


class SyntheticFetcher:
    """Fetches from a SyntheticWeb."""

    live = False  # time is simulated

    def __init__(self, web: SyntheticWeb, limit: int = 10_000_000) -> None:
        self.web = web
        self._limit = limit

    async def fetch(self, request: Request) -> Response:
        """The response of the web."""
        answer = self._answer(request)
        if answer.fault is not None:
            return Response(
                request.url, 0, b"", outcome=answer.fault, detail=answer.detail,
                seconds=answer.seconds, ip=answer.ip,
            )  # fmt: skip
        recorded = RecordedAnswer(answer.status, answer.headers, b"", answer.body)
        response = replay_answer(request, recorded, self._limit)
        head = response_head(response.status, answer.headers)  # 304 if it is unchanged
        return replace(response, seconds=answer.seconds, ip=answer.ip, response_head=head)

    def _answer(self, request: Request) -> SyntheticAnswer:
        return self.web.page(request.url)

    def address(self, host: str) -> str:  # noqa: ARG002 (nobody is asked)
        return ""

    async def close(self) -> None:
        """Nothing is open."""


def response_head(status: int, headers: tuple[tuple[str, str], ...]) -> bytes:
    """Status line and headers as sent over the network."""
    lines = "".join(f"{name.title()}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}\r\n".encode(
        "latin-1", "replace"
    )


async def serve(
    web: SyntheticWeb,
    port: int,
    *,
    patience: float = 1.0,
    ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve until cancelled. `patience`: factor on the delays; `ready` is called with the port."""

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
    """Handle one request. Returns True if another may follow."""
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
        answer = SyntheticAnswer(405, (("content-type", "text/plain"),), b"only GET and HEAD")
    else:
        answer = web.page(
            target if target.startswith("http://") else f"http://{_host(headers)}{target}"
        )
    await asyncio.sleep(answer.seconds * patience)
    if answer.fault is Outcome.NO_HOST or answer.fault is Outcome.NO_TLS:
        answer = SyntheticAnswer(502, (("content-type", "text/plain"),), answer.detail.encode())
    elif answer.fault is not None:
        return False
    plain = tuple(pair for pair in answer.headers if pair[0] != "content-length")
    head = response_head(answer.status, (*plain, ("content-length", str(len(answer.body)))))
    writer.write(head if method == "HEAD" else head + answer.body)
    await writer.drain()
    return headers.get("connection", "").lower() != "close"


def _host(headers: dict[str, str]) -> str:
    """The host of a request. Its port is that of this server and does not count."""
    return headers.get("host", "").partition(":")[0]
