"""Where pages come from: the protocol of every Fetcher, and how an answer is read whoever brought it.

A Fetcher asks one server for one URL and says what came of it. It follows no redirect and tries nothing again:
both are decisions of the crawl, which asks robots.txt and the host's clock before each request.
"""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Protocol

from toponaut.records import Outcome, Request, Response

# A server that asks for more than a day will be asked again after a day: what it says then counts.
LONGEST_WAIT = 86_400.0
# 300 (a list of choices) may name the server's own choice. 305 and 306 are no longer in use and lead nowhere.
_REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})


class Fetcher(Protocol):
    """Asks for a page."""

    live: bool  # it takes real time; on a web that is replayed the time is simulated

    async def fetch(self, request: Request) -> Response:
        """What came of a request. Never raises for what a server or the network does: that is an Outcome."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


def outcome_of(
    status: int, *, location: bool = False, conditional: bool = False
) -> tuple[Outcome, str]:
    """What an HTTP status means to the crawl, and why in words where the outcome alone does not say it.

    `location`: the answer says where the page is. `conditional`: we asked for changes only.
    """
    if 200 <= status < 300:
        return Outcome.FETCHED, ""
    if status in _REDIRECTS and location:
        return Outcome.REDIRECT, ""
    if status == 300:
        return Outcome.FETCHED, ""  # a page that lists the choices
    if status == 304:
        return (
            (Outcome.UNCHANGED, "")
            if conditional
            else (Outcome.BROKEN, "unchanged, but since when?")
        )
    if 300 <= status < 400:
        return Outcome.BROKEN, f"status {status} without a place to go"
    if status in (404, 410):
        return Outcome.GONE, f"status {status}"
    if 400 <= status < 500 and status != 429:
        return Outcome.CLIENT_ERROR, f"status {status}"
    if 100 <= status < 200:
        return Outcome.BROKEN, f"status {status} to a plain request"
    return (
        Outcome.SERVER_ERROR,
        f"status {status}",
    )  # RFC 9110, 15: a status of no known class is taken as a 5xx


def wanted(content_type: str, types: tuple[str, ...]) -> bool:
    """Whether a Content-Type is one of `types`. An answer that does not say what it is may be anything."""
    if not types:
        return True
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or kind in types


def retry_after(value: str, now: float) -> float:
    """The seconds that a Retry-After header asks for, given as such or as a date; 0 where it makes no sense."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:12]), LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(value)
        when = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    return min(max(when - now, 0.0), LONGEST_WAIT)
