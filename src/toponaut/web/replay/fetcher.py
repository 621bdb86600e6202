"""Recorded webs as Fetchers: crawls off-line, repeatable and as fast as the CPU allows.

A URL is answered as it was when last recorded, with the date of that: redirects redirect, errors
stay errors, a truncated page stays truncated. A URL that was never recorded is "not found", so a
missing robots.txt allows everything. Answers take no time: the simulated time of the crawl advances
by the hosts' clocks alone.
"""

from collections.abc import Callable, Sequence
from email.utils import formatdate
from pathlib import Path

from msgspec.structs import replace

from toponaut.archive.http_answers import RecordedAnswer, value_of
from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.job import LimitsSection
from toponaut.records import Outcome, Request, Response
from toponaut.urls import join
from toponaut.web.fetch import Fetcher, outcome_of, retry_after, wanted
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError
from toponaut.web.replay.folder_web import MANIFEST, FolderWeb
from toponaut.web.replay.warc_web import WarcWeb

# Outcomes for WARC's reasons why a payload is incomplete. "unspecified" mostly means that the
# crawler did not want the content type.
_CUT = {
    "length": (Outcome.TOO_LARGE, "too large when it was recorded"),
    "time": (Outcome.TIMEOUT, "took too long when it was recorded"),
    "disconnect": (Outcome.BROKEN, "cut short when it was recorded"),
    "unspecified": (Outcome.BROKEN, "not completely recorded"),
}
_MOST_SAID = 5  # damaged places that are reported one by one
_ERROR_BYTES = 64 * 1024  # kept of the body of an error or redirect, as of the live web's


Say = Callable[[str], None]


class ReplayFetcher:
    """Serves `source`: a WARC, a WACZ, a folder of either, or a folder of pages with a
    manifest.tsv.

    Opening reads the index, the manifest or all of the WARCs. Damaged records are reported through
    `say` and left out.
    """

    live = False  # time is simulated

    def __init__(
        self, source: Path, limits: LimitsSection | None = None, say: Say = lambda _: None
    ) -> None:
        self._limit = (limits or LimitsSection()).body_bytes
        self._web = FolderWeb(source) if (source / MANIFEST).is_file() else WarcWeb(source)
        for damage in self._web.damage[:_MOST_SAID]:
            say(damage)
        if more := self._web.damage[_MOST_SAID:]:
            say(f"{source} is damaged in {len(more):,} more places")

    @property
    def latest(self) -> float:
        """The date of its newest page, as Unix time."""
        return self._web.latest

    def has(self, url: str) -> bool:
        """Whether it has an answer for a URL."""
        try:
            return self._web.find(url, self._limit) is not None
        except UnreadableRecordError:
            return True

    async def fetch(self, request: Request) -> Response:
        url = request.url
        try:
            answer = self._web.find(url, self._limit)
        except UnreadableRecordError as error:
            return Response(url, 0, b"", outcome=Outcome.BROKEN, detail=str(error))
        if answer is None:
            missing = Response(url, 404, b"", started=self._web.latest)
            return replace(missing, outcome=Outcome.GONE, detail="not in the replayed web")
        dated = answer if answer.time else replace(answer, time=self._web.latest)
        return replay_answer(request, dated, self._limit)

    def address(self, host: str) -> str:  # noqa: ARG002 (nobody is asked)
        return ""

    async def close(self) -> None:
        """Closes files. A later request opens them again."""
        self._web.close()


class DatedFetcher:
    """Archives of the same sites as a web that changes: each answers from its date on.

    The simulated time 0 is the date of the oldest. A URL that a later archive lacks was not asked
    for then, so an earlier one answers.
    """

    live = False

    def __init__(self, archives: Sequence[ReplayFetcher]) -> None:
        self._archives = sorted(archives, key=lambda one: one.latest)

    async def fetch(self, request: Request) -> Response:
        first = self._archives[0].latest
        current = [one for one in self._archives if one.latest - first <= request.now]
        for archive in reversed(current):
            if archive.has(request.url):
                return await archive.fetch(request)
        return await current[-1].fetch(request)

    def address(self, host: str) -> str:  # noqa: ARG002 (nobody is asked)
        return ""

    async def close(self) -> None:
        for archive in self._archives:
            await archive.close()


class SinceFetcher:
    """Fetches only what changed since an earlier crawl, given as a replay of its archive.

    The earlier answer's ETag and dates make the request conditional; a page without them counts as
    modified when it was fetched (RFC 9110, 13.1.3). If the server says "unchanged",
    the page is read from the earlier crawl, so its links and addresses are part of this crawl as
    well.
    """

    def __init__(self, fetcher: Fetcher, earlier: ReplayFetcher) -> None:
        self._fetcher = fetcher
        self._earlier = earlier
        self.live = fetcher.live

    async def fetch(self, request: Request) -> Response:
        before = await self._earlier.fetch(request)
        if before.outcome is not Outcome.FETCHED:
            return await self._fetcher.fetch(request)
        known = dict(before.headers)
        etag = known.get("etag", "")
        modified = known.get("last-modified", "")
        if not etag and not modified:
            modified = known.get("date") or _http_date(before.started)
        fetched = await self._fetcher.fetch(replace(request, etag=etag, modified=modified))
        if fetched.outcome is not Outcome.UNCHANGED:
            return fetched
        return replace(fetched, body=before.body, content_type=before.content_type)

    def address(self, host: str) -> str | None:
        return self._fetcher.address(host)

    async def close(self) -> None:
        await self._earlier.close()
        await self._fetcher.close()


def _http_date(time: float) -> str:
    return formatdate(time, usegmt=True) if time else ""


def replay_answer(request: Request, answer: RecordedAnswer, limit: int) -> Response:
    """The response to a request from a recorded answer. `limit`: bytes of a decoded body."""
    headers = answer.headers
    location = value_of(headers, "location")
    status = 304 if _is_unchanged(request, answer) else answer.status
    outcome, detail = outcome_of(
        status, location=bool(location), conditional=status != answer.status
    )
    body, payload = b"", answer.payload[:_ERROR_BYTES] if status != 304 else b""
    if outcome is Outcome.FETCHED:
        outcome, detail, body, payload = _read_page(request, answer, limit)
    wait = value_of(headers, "retry-after") if outcome is Outcome.SERVER_ERROR else ""
    return Response(
        url=request.url,
        status=status,
        body=body,
        content_type=value_of(headers, "content-type"),
        headers=headers,
        outcome=outcome,
        detail=detail,
        location=join(request.url, location) or "" if outcome is Outcome.REDIRECT else "",
        retry_after=retry_after(wait, 0.0),
        started=answer.time,
        response_head=answer.head,
        payload=payload,
    )


def _read_page(
    request: Request, answer: RecordedAnswer, limit: int
) -> tuple[Outcome, str, bytes, bytes]:
    """Outcome, detail, body and payload of a page."""
    content_type = value_of(answer.headers, "content-type")
    if not wanted(content_type, request.types):
        return Outcome.WRONG_TYPE, content_type, b"", b""
    if answer.cut:
        return *_CUT.get(answer.cut, _CUT["unspecified"]), b"", b""
    try:
        decoder = BodyDecoder(answer.encoding, limit)
        decoder.feed(answer.payload)
        return Outcome.FETCHED, "", decoder.finish(), answer.payload
    except BodyTooLargeError:
        return Outcome.TOO_LARGE, f"more than {limit} bytes", b"", b""
    except DamagedBodyError as error:
        return Outcome.BROKEN, str(error), b"", b""


def _is_unchanged(request: Request, answer: RecordedAnswer) -> bool:
    """Whether the server would have said "unchanged": the request has what was recorded."""
    if answer.status != 200:
        return False
    if request.etag:
        return request.etag == value_of(answer.headers, "etag")
    modified = value_of(answer.headers, "last-modified")
    return bool(request.modified) and request.modified == modified
