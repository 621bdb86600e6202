"""Pages from the web, over HTTP/1.1.

One request is one hop: a redirect is an outcome, and its target a link of its own. Whatever a server or the network
does becomes an Outcome with the cause in words. Nothing is asked twice but over a stale connection (connections.py).

What is kept for the archive are the bytes as received, with one exception: chunks are joined. Readers of archives
take a Transfer-Encoding header at its word and look for chunks, so it is kept as X-Archive-Orig-Transfer-Encoding,
as web archives do.
"""

import asyncio
from time import monotonic, time

from msgspec import Struct

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome, Request, Response
from toponaut.urls import join
from toponaut.web.fetch import outcome_of, retry_after, wanted
from toponaut.web.http.bandwidth import BandwidthLimit
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError
from toponaut.web.http.connections import Connections, HttpAnswer
from toponaut.web.http.dns import Resolve
from toponaut.web.http.faults import outcome_of_fault
from toponaut.web.http.guard import NetworkGuard

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_ENCODINGS = "gzip, deflate, br, zstd"
# Bodies of errors and redirects are read up to here, so that the connection can be used again, and kept.
_ERROR_BYTES = 64 * 1024


class _FetchResult(Struct, frozen=True):
    """What has become of a request so far."""

    outcome: Outcome
    detail: str = ""
    body: bytes = b""
    payload: bytes = b""


class _BandwidthPace:
    """Waits for bandwidth. The server is not to blame for that, so its time is prolonged."""

    def __init__(self, bandwidth: BandwidthLimit, timer: asyncio.Timeout) -> None:
        self._bandwidth = bandwidth
        self._timer = timer

    async def keep(self, received: int) -> None:
        seconds = self._bandwidth.delay(received, monotonic())
        deadline = self._timer.when()
        if deadline is not None:
            self._timer.reschedule(deadline + seconds)
        await asyncio.sleep(seconds)


class HttpFetcher:
    """Fetches over HTTP. `resolver` replaces the system's lookup of names."""

    live = True

    def __init__(
        self,
        politeness: PolitenessSection,
        limits: LimitsSection,
        *,
        resolver: Resolve | None = None,
    ) -> None:
        self._politeness = politeness
        self._limit = limits.body_bytes
        self._rate = limits.bandwidth
        self._bandwidths: dict[str, BandwidthLimit] = {}  # by node
        self._guard = NetworkGuard(allow_private=limits.private_networks)
        fields = {
            "User-Agent": user_agent(politeness),
            "Accept": _ACCEPT,
            "Accept-Encoding": _ENCODINGS,
        }
        self._connections = Connections(politeness, fields, self._guard, resolver)

    async def fetch(self, request: Request) -> Response:
        """One request, and what came of it."""
        started, clock = time(), monotonic()
        if refusal := self._guard.refusal(request.url):
            return Response(
                request.url, 0, b"", outcome=Outcome.PRIVATE, detail=refusal, started=started
            )
        bandwidth = self._bandwidth_of(request.node)
        if bandwidth is not None and (debt := bandwidth.debt(clock)):
            await asyncio.sleep(debt)
            started, clock = time(), monotonic()
        answer: HttpAnswer | None = None
        received = _FetchResult(Outcome.FETCHED)
        try:
            async with asyncio.timeout(self._politeness.total_timeout) as timer:
                answer = await self._connections.ask(request.url, _conditions(request))
                received = self._judge(request, answer)
                received = await self._read(
                    answer, received, _BandwidthPace(bandwidth, timer) if bandwidth else None
                )
        except (
            Exception
        ) as fault:  # aiohttp stumbles in more ways than it documents; none may end a crawl
            if received.outcome is Outcome.FETCHED:  # other answers have said it all in their head
                received = _FetchResult(
                    *outcome_of_fault(fault, self._politeness, answered=answer is not None)
                )
        finally:
            if answer is not None:
                answer.close()
        if answer is None:
            seconds = monotonic() - clock
            return Response(
                request.url,
                0,
                b"",
                outcome=received.outcome,
                detail=received.detail,
                started=started,
                seconds=seconds,
            )
        return self._fetched(request, answer, received, started, monotonic() - clock)

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.close()

    def _judge(self, request: Request, answer: HttpAnswer) -> _FetchResult:
        """What the head of an answer says."""
        headers = answer.headers
        asked = bool(request.etag or request.modified)
        outcome, detail = outcome_of(
            answer.status, location="Location" in headers, conditional=asked
        )
        if outcome is Outcome.FETCHED:
            kind = headers.get("Content-Type", "")
            if not wanted(kind, request.types):
                return _FetchResult(Outcome.WRONG_TYPE, _readable(kind))
            length = headers.get("Content-Length", "")
            if length.isdigit() and int(length) > self._limit:
                return _FetchResult(Outcome.TOO_LARGE, f"{length} bytes")
        return _FetchResult(outcome, detail)

    async def _read(
        self, answer: HttpAnswer, judged: _FetchResult, pace: _BandwidthPace | None
    ) -> _FetchResult:
        """The body of an answer, if there is use for it."""
        if judged.outcome in (Outcome.WRONG_TYPE, Outcome.TOO_LARGE):
            return judged
        if judged.outcome is not Outcome.FETCHED:
            payload = await self._receive(answer, _ERROR_BYTES, None, pace)
            return _FetchResult(judged.outcome, judged.detail, payload=payload[:_ERROR_BYTES])
        try:
            encoding = ",".join(answer.headers.getall("Content-Encoding", ()))
            unpacker = BodyDecoder(encoding, self._limit) if encoding else None
            payload = await self._receive(answer, self._limit, unpacker, pace)
            if len(payload) > self._limit:
                raise BodyTooLargeError
            body = unpacker.finish() if unpacker is not None else payload
        except BodyTooLargeError:
            return _FetchResult(Outcome.TOO_LARGE, f"more than {self._limit} bytes")
        except DamagedBodyError as error:
            return _FetchResult(Outcome.BROKEN, str(error))
        return _FetchResult(Outcome.FETCHED, judged.detail, body, payload)

    async def _receive(
        self,
        answer: HttpAnswer,
        limit: int,
        unpacker: BodyDecoder | None,
        pace: _BandwidthPace | None,
    ) -> bytes:
        """The body as received; a part more than `limit` bytes if it is longer."""
        parts: list[bytes] = []
        size = 0
        while size <= limit and (part := await answer.content.readany()):
            size += len(part)
            parts.append(part)
            if unpacker is not None:
                unpacker.feed(part)
            if pace is not None:
                await pace.keep(len(part))
        return b"".join(parts)

    def _bandwidth_of(self, node: str) -> BandwidthLimit | None:
        """What a node may receive a second; None if as much as comes."""
        if not self._rate:
            return None
        return self._bandwidths.setdefault(node, BandwidthLimit(self._rate))

    def _fetched(
        self,
        request: Request,
        answer: HttpAnswer,
        received: _FetchResult,
        started: float,
        seconds: float,
    ) -> Response:
        headers = answer.headers
        outcome = received.outcome
        location = wait = None
        if outcome is Outcome.REDIRECT:
            location = join(request.url, _readable(headers["Location"]))
        elif outcome is Outcome.SERVER_ERROR and "Retry-After" in headers:
            wait = retry_after(headers["Retry-After"], started + seconds)
        fields, head = _response_head(answer)
        return Response(
            url=request.url,
            status=answer.status,
            body=received.body,
            content_type=_readable(headers.get("Content-Type", "")),
            headers=fields,
            outcome=outcome,
            detail=received.detail,
            location=location or "",
            retry_after=wait or 0.0,
            started=started,
            seconds=seconds,
            ip=answer.ip,
            request_head=answer.asked,
            response_head=head,
            payload=received.payload,
        )


def user_agent(politeness: PolitenessSection) -> str:
    """How the crawl introduces itself: "Toponaut/0.1.0 (+https://example.org/bot)"."""
    contact = politeness.contact
    if not (contact.isascii() and contact.isprintable()):
        raise InputError(
            f"politeness.contact holds characters that no server may be sent: {contact!r}",
            "Give a web or mail address in plain ASCII",
        )
    name = f"{politeness.user_agent}/{__version__}"
    return f"{name} (+{contact})" if contact else name


def _conditions(request: Request) -> dict[str, str]:
    """The headers that ask for changes only."""
    conditions = {}
    if request.etag:
        conditions["If-None-Match"] = request.etag
    if request.modified:
        conditions["If-Modified-Since"] = request.modified
    return conditions


def _response_head(answer: HttpAnswer) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """The headers as text with names in lower case, and the whole head as it goes into the archive."""
    version = answer.version
    number = f"{version.major}.{version.minor}" if version is not None else "1.1"
    status = f"HTTP/{number} {answer.status} {answer.reason or ''}".encode(
        "utf-8", "surrogateescape"
    )
    lines = [b": ".join(pair) for pair in answer.raw_headers]
    fields = tuple(
        [(name.decode("latin-1").lower(), _text(value)) for name, value in answer.raw_headers]
    )
    if "Transfer-Encoding" in answer.headers:
        for position, (field, _) in enumerate(fields):
            if field == "transfer-encoding":
                lines[position] = b"X-Archive-Orig-" + lines[position]
    return fields, b"\r\n".join([status, *lines, b"", b""])


def _text(value: bytes) -> str:
    """A header's value. Most that are not ASCII are UTF-8, the rest is as good as Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _readable(value: str) -> str:
    """A value as aiohttp decodes it, without the surrogates that it puts for bytes outside UTF-8."""
    return value if value.isascii() else _text(value.encode("utf-8", "surrogateescape"))
