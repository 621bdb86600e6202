"""The synthetic web as a Fetcher: nothing is asked of any network, and nothing takes time.

How long an answer would have taken is told with it (`seconds`). Simulated time goes on by that: the visit ends and the rest of
its host begins when the answer would have come.
"""

from http import HTTPStatus

from toponaut.records import Outcome, Request, Response
from toponaut.synthetic.web import Answer, SyntheticWeb
from toponaut.urls import join
from toponaut.web.fetch import outcome_of, retry_after, wanted


class SyntheticFetcher:
    """Answers out of a SyntheticWeb."""

    live = False  # time is simulated

    def __init__(self, web: SyntheticWeb, limit: int = 10_000_000) -> None:
        self.web = web
        self._limit = limit

    async def fetch(self, request: Request) -> Response:
        """What the web answers."""
        answer = self.web.page(request.url)
        if answer.fault is not None:
            return Response(
                request.url,
                0,
                b"",
                outcome=answer.fault,
                detail=answer.detail,
                seconds=answer.seconds,
                ip=answer.ip,
            )
        return self._fetched(request, answer)

    async def close(self) -> None:
        """Nothing is open."""

    def _fetched(self, request: Request, answer: Answer) -> Response:
        headers = dict(answer.headers)
        unchanged = (
            bool(request.etag) and answer.status == 200 and headers.get("etag") == request.etag
        )
        status = 304 if unchanged else answer.status
        location, kind = headers.get("location", ""), headers.get("content-type", "")
        outcome, detail = outcome_of(status, location=bool(location), conditional=unchanged)
        payload = b"" if unchanged else answer.body
        if outcome is Outcome.FETCHED and not wanted(kind, request.types):
            outcome, detail, payload = Outcome.WRONG_TYPE, kind, b""
        elif outcome is Outcome.FETCHED and len(payload) > self._limit:
            outcome, detail, payload = Outcome.TOO_LARGE, f"more than {self._limit} bytes", b""
        return Response(
            url=request.url,
            status=status,
            body=payload if outcome is Outcome.FETCHED else b"",
            content_type=kind,
            headers=answer.headers,
            outcome=outcome,
            detail=detail,
            location=join(request.url, location) or "" if outcome is Outcome.REDIRECT else "",
            retry_after=retry_after(headers.get("retry-after", ""), 0.0)
            if outcome is Outcome.SERVER_ERROR
            else 0.0,
            seconds=answer.seconds,
            ip=answer.ip,
            response_head=response_head(status, answer.headers),
            payload=payload,
        )


def response_head(status: int, headers: tuple[tuple[str, str], ...]) -> bytes:
    """Status line and headers as they would go over the wire."""
    lines = "".join(f"{name.title()}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}\r\n".encode(
        "latin-1", "replace"
    )
