"""The replay web as a Fetcher: any crawl off-line, repeatably, as fast as the CPU goes.

A URL is answered as it was when last recorded: redirects lead on, errors stay errors, a page that was cut off then is
cut off now. What was never recorded is "not found", a missing robots.txt therefore "all allowed". Nothing takes time
here, so answers carry none: the crawl's own, simulated time goes on by the hosts' clocks alone.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from toponaut.job import LimitsSection
from toponaut.records import Outcome, Request, Response
from toponaut.urls import join
from toponaut.web.fetch import outcome_of, retry_after, wanted
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError
from toponaut.web.replay.archive import Archive
from toponaut.web.replay.folder import MANIFEST, Folder
from toponaut.web.replay.recorded import (
    Recorded,
    Recording,
    UnreadableError,
    value_of,
    without_chunks,
)

# What WARC's words for a payload that is not whole meant to the crawl that wrote it. "unspecified" is left to the
# content type: most often nobody wanted the body.
_CUT = {
    "length": (Outcome.TOO_LARGE, "too large when it was recorded"),
    "time": (Outcome.TIMEOUT, "took too long when it was recorded"),
    "disconnect": (Outcome.BROKEN, "cut short when it was recorded"),
    "unspecified": (Outcome.BROKEN, "not recorded as a whole"),
}
_ERROR_BYTES = (
    64 * 1024
)  # of the body of an error or a redirect: as much as is kept of the live web's


class ReplayFetcher:
    """Serves `source`: a WARC, a WACZ, a folder of either, or a folder of pages with a manifest.tsv.

    Opening reads the index or, where there is none, all of the WARCs, and tells `progress` (bytes so far, bytes in
    all). InputError names what is damaged; with `partial` what stands before the damage is served.
    """

    live = False  # time is simulated

    def __init__(
        self,
        source: Path,
        limits: LimitsSection | None = None,
        *,
        partial: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._limit = (limits or LimitsSection()).body_bytes
        is_folder = (source / MANIFEST).is_file()
        self._web: Recording = (
            Folder(source) if is_folder else Archive(source, partial=partial, progress=progress)
        )

    async def fetch(self, request: Request) -> Response:
        """What was recorded for a URL."""
        try:
            recorded = self._web.find(request.url, self._limit)
        except UnreadableError as error:
            return Response(request.url, 0, b"", outcome=Outcome.BROKEN, detail=str(error))
        if recorded is None:
            return Response(
                request.url, 404, b"", outcome=Outcome.GONE, detail="not in the replayed web"
            )
        return self._fetched(request, recorded)

    async def close(self) -> None:
        """Let go of files. What is asked for later opens them again."""
        self._web.close()

    def urls(self) -> Iterator[str]:
        """The URLs of all pages (HTML, answered with 200): seeds, and what a crawl can find."""
        return self._web.urls()

    def __len__(self) -> int:
        """How many URLs have an answer, whatever it is."""
        return len(self._web)

    def _fetched(self, request: Request, recorded: Recorded) -> Response:
        headers = recorded.headers
        location = value_of(headers, "location")
        status = 304 if _is_unchanged(request, recorded) else recorded.status
        outcome, detail = outcome_of(
            status, location=bool(location), conditional=status != recorded.status
        )
        body, payload = b"", recorded.payload[:_ERROR_BYTES] if status != 304 else b""
        if outcome is Outcome.FETCHED:
            outcome, detail, body, payload = self._read(request, recorded)
        return Response(
            url=request.url,
            status=status,
            body=body,
            content_type=value_of(headers, "content-type"),
            headers=headers,
            outcome=outcome,
            detail=detail,
            location=join(request.url, location) or "" if outcome is Outcome.REDIRECT else "",
            retry_after=retry_after(value_of(headers, "retry-after"), 0.0)
            if outcome is Outcome.SERVER_ERROR
            else 0.0,
            response_head=recorded.head,
            payload=payload,
        )

    def _read(self, request: Request, recorded: Recorded) -> tuple[Outcome, str, bytes, bytes]:
        """Outcome, detail, body and payload of a page."""
        headers = recorded.headers
        kind = value_of(headers, "content-type")
        if not wanted(kind, request.types):
            return Outcome.WRONG_TYPE, kind, b"", b""
        if recorded.cut:
            return *_CUT.get(recorded.cut, _CUT["unspecified"]), b"", b""
        encoding = ",".join(value for name, value in headers if name == "content-encoding")
        sent = without_chunks(recorded.payload, headers)
        try:
            unpacker = BodyDecoder(encoding, self._limit)
            unpacker.feed(sent)
            return Outcome.FETCHED, "", unpacker.finish(), sent
        except BodyTooLargeError:
            return Outcome.TOO_LARGE, f"more than {self._limit} bytes", b"", b""
        except DamagedBodyError as error:
            return Outcome.BROKEN, str(error), b"", b""


def _is_unchanged(request: Request, recorded: Recorded) -> bool:
    """Whether the server would have said so: what we have is what was recorded."""
    if recorded.status != 200:
        return False
    if request.etag:
        return request.etag == value_of(recorded.headers, "etag")
    return bool(request.modified) and request.modified == value_of(
        recorded.headers, "last-modified"
    )
