"""Fetches pages over HTTP/1.1.

One request is one hop: a redirect is an outcome, and its target is a link of its own. Everything a
server or the network does becomes an Outcome with the cause in words. Nothing is requested twice,
except over a stale connection (connections.py).

The archive gets the bytes as received, except that chunks are joined. Archive readers believe a
Transfer-Encoding header, so it is kept as X-Archive-Orig-Transfer-Encoding, as web archives do.
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
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError
from toponaut.web.http.connections import Connections, HttpAnswer
from toponaut.web.http.crowd import LARGE, Crowd, LargeBodies
from toponaut.web.http.dns import Resolve
from toponaut.web.http.faults import outcome_of_fault
from toponaut.web.http.guard import NetworkGuard
from toponaut.web.http.loop_lag import LoopLag

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_ENCODINGS = "gzip, deflate, br, zstd"
# Bodies of errors and redirects are read and kept up to here, so that the connection can be reused.
_ERROR_BYTES = 64 * 1024
_LEAST_S = 0.0001  # for an answer


class _FetchResult(Struct, frozen=True):
    outcome: Outcome
    detail: str = ""
    body: bytes = b""
    payload: bytes = b""


class BandwidthLimit:
    """A token bucket for received bytes, kept as the time when all bytes so far are paid for.

    Bytes are paid for by waiting after they arrive, because the size of an answer is not known
    before.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate  # bytes a second; 0 for no limit
        self._paid = 0.0

    def delay(self, count: int, now: float) -> float:
        """Takes `count` bytes. Returns the seconds to wait before more may be read."""
        if not self._rate:
            return 0.0
        self._paid = max(self._paid, now) + count / self._rate
        return self._paid - now

    def debt(self, now: float) -> float:
        """The seconds until all bytes so far are paid for."""
        return max(self._paid - now, 0.0)


class _BandwidthPace:
    """Waits for bandwidth, and extends the timeout by that: it is not the server's fault."""

    def __init__(self, limit: BandwidthLimit, timer: asyncio.Timeout) -> None:
        self._limit, self._timer = limit, timer

    async def keep(self, received: int) -> None:
        seconds = self._limit.delay(received, monotonic())
        deadline = self._timer.when()
        if deadline is not None:
            self._timer.reschedule(deadline + seconds)
        await asyncio.sleep(seconds)


class HttpFetcher:
    """Fetches over HTTP. `resolver` replaces the system's name lookup."""

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
        agent = user_agent(politeness)
        fields = {"User-Agent": agent, "Accept": _ACCEPT, "Accept-Encoding": _ENCODINGS}
        self._connections = Connections(
            politeness, fields, self._guard, resolver, body_bytes=limits.body_bytes
        )
        self._lag = LoopLag()
        self._crowd = Crowd(politeness.concurrent)
        self._large = LargeBodies()

    async def fetch(self, request: Request) -> Response:
        started, clock = time(), monotonic()
        if refusal := self._guard.refusal(request.url):
            return Response(
                request.url, 0, b"", outcome=Outcome.PRIVATE, detail=refusal, started=started
            )
        bandwidth = self._bandwidth_of(request.node)
        if bandwidth is not None and (debt := bandwidth.debt(clock)):
            await asyncio.sleep(debt)
            started, clock = time(), monotonic()
        late = self._lag.total()
        answer: HttpAnswer | None = None
        result = _FetchResult(Outcome.FETCHED)
        try:
            async with asyncio.timeout(self._politeness.total_timeout) as timer:
                with self._crowd.joined(timer, request.newcomer):
                    answer = await self._connections.ask(request.url, _conditions(request))
                    result = self._judge_head(request, answer)
                    pace = _BandwidthPace(bandwidth, timer) if bandwidth else None
                    result = await self._read(answer, result, pace)
        except Exception as fault:  # aiohttp raises more than it documents; none may end a crawl
            if result.outcome is Outcome.FETCHED:  # any other outcome is known from the head
                answered = answer is not None
                took = monotonic() - clock
                result = _FetchResult(
                    *outcome_of_fault(fault, self._politeness, answered=answered, seconds=took)
                )
        finally:
            if answer is not None:
                answer.close()
        # Of the server: what waited for us does not count.
        seconds = max(monotonic() - clock - (self._lag.total() - late), _LEAST_S)
        if answer is not None:
            return self._response(request, answer, result, started, seconds)
        return Response(
            request.url,
            0,
            b"",
            outcome=result.outcome,
            detail=result.detail,
            started=started,
            seconds=seconds,
        )

    def address(self, host: str) -> str | None:
        """The address of a host, as in Fetcher."""
        return self._connections.address(host)

    async def close(self) -> None:
        """Closes all connections."""
        self._lag.stop()
        await self._connections.close()

    def _judge_head(self, request: Request, answer: HttpAnswer) -> _FetchResult:
        """The outcome according to the head of an answer."""
        headers = answer.headers
        conditional = bool(request.etag or request.modified)
        outcome, detail = outcome_of(
            answer.status, location="Location" in headers, conditional=conditional
        )
        if outcome is Outcome.FETCHED:
            content_type = headers.get("Content-Type", "")
            if not wanted(content_type, request.types):
                return _FetchResult(Outcome.WRONG_TYPE, _readable(content_type))
            length = headers.get("Content-Length", "")
            if length.isdigit() and int(length) > self._limit:
                return _FetchResult(Outcome.TOO_LARGE, f"{length} bytes")
        return _FetchResult(outcome, detail)

    async def _read(
        self, answer: HttpAnswer, head: _FetchResult, pace: _BandwidthPace | None
    ) -> _FetchResult:
        """Reads the body of an answer, if it is of use."""
        if head.outcome in (Outcome.WRONG_TYPE, Outcome.TOO_LARGE):
            return head
        if head.outcome is not Outcome.FETCHED:
            payload = await self._receive(answer, _ERROR_BYTES, None, pace)
            return _FetchResult(head.outcome, head.detail, payload=payload[:_ERROR_BYTES])
        try:
            encoding = ",".join(answer.headers.getall("Content-Encoding", ()))
            decoder = BodyDecoder(encoding, self._limit) if encoding else None
            payload = await self._receive(answer, self._limit, decoder, pace)
            if len(payload) > self._limit:
                raise BodyTooLargeError
            body = decoder.finish() if decoder is not None else payload
        except BodyTooLargeError:
            return _FetchResult(Outcome.TOO_LARGE, f"more than {self._limit} bytes")
        except DamagedBodyError as error:
            return _FetchResult(Outcome.BROKEN, str(error))
        return _FetchResult(Outcome.FETCHED, head.detail, body, payload)

    async def _receive(
        self,
        answer: HttpAnswer,
        limit: int,
        decoder: BodyDecoder | None,
        pace: _BandwidthPace | None,
    ) -> bytes:
        """The body as received; one part more than `limit` bytes if it is longer."""
        parts: list[bytes] = []
        size = 0
        while size <= limit and (part := await answer.read_part()):
            size += len(part)
            parts.append(part)
            if decoder is not None:
                decoder.feed(part)
            if size + (decoder.size if decoder else 0) > LARGE:
                await self._large.enter()
            if pace is not None:
                await pace.keep(len(part))
        return b"".join(parts)

    def _bandwidth_of(self, node: str) -> BandwidthLimit | None:
        if not self._rate:
            return None
        return self._bandwidths.setdefault(node, BandwidthLimit(self._rate))

    def _response(
        self,
        request: Request,
        answer: HttpAnswer,
        result: _FetchResult,
        started: float,
        seconds: float,
    ) -> Response:
        headers = answer.headers
        location = wait = None
        if result.outcome is Outcome.REDIRECT:
            location = join(request.url, _readable(headers["Location"]))
        elif result.outcome is Outcome.SERVER_ERROR and "Retry-After" in headers:
            wait = retry_after(headers["Retry-After"], started + seconds)
        fields, head = _response_head(answer)
        return Response(
            url=request.url,
            status=answer.status,
            body=result.body,
            content_type=_readable(headers.get("Content-Type", "")),
            headers=fields,
            outcome=result.outcome,
            detail=result.detail,
            location=location or "",
            retry_after=wait or 0.0,
            started=started,
            seconds=seconds,
            ip=answer.ip,
            request_head=answer.request_head,
            response_head=head,
            payload=result.payload,
        )


def user_agent(politeness: PolitenessSection) -> str:
    """The crawl's User-Agent: "Toponaut/0.1.0 (+https://example.org/bot)"."""
    contact = politeness.contact
    if not (contact.isascii() and contact.isprintable()):
        raise InputError(
            f"politeness.contact has characters that are not allowed in HTTP: {contact!r}",
            "Give a web or mail address in plain ASCII",
        )
    name = f"{politeness.user_agent}/{__version__}"
    return f"{name} (+{contact})" if contact else name


def _conditions(request: Request) -> dict[str, str]:
    fields = {"If-None-Match": request.etag, "If-Modified-Since": request.modified}
    return {name: value for name, value in fields.items() if value}


def _response_head(answer: HttpAnswer) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """The headers as text with names in lower case, and the whole head for the archive."""
    version = answer.version
    number = f"{version.major}.{version.minor}" if version is not None else "1.1"
    status = f"HTTP/{number} {answer.status} {answer.reason or ''}"
    lines = [b": ".join(pair) for pair in answer.raw_headers]
    fields = tuple(
        [(name.decode("latin-1").lower(), _text(value)) for name, value in answer.raw_headers]
    )
    if "Transfer-Encoding" in answer.headers:
        for position, (field, _) in enumerate(fields):
            if field == "transfer-encoding":
                lines[position] = b"X-Archive-Orig-" + lines[position]
    return fields, b"\r\n".join([status.encode("utf-8", "surrogateescape"), *lines, b"", b""])


def _text(value: bytes) -> str:
    """A header's value: UTF-8, else Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _readable(value: str) -> str:
    """A value as aiohttp decodes it, without its surrogates for bytes outside UTF-8."""
    return value if value.isascii() else _text(value.encode("utf-8", "surrogateescape"))
