"""The protocol of all Fetchers, and the meaning of answers, from whichever web they come.

A Fetcher makes one request and reports its outcome. It follows no redirect and repeats nothing: the
crawl decides about that, because robots.txt and the host's clock apply to every request.
"""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Protocol

from toponaut.records import Outcome, Request, Response

# A server that asks for a longer pause is requested again after a day.
LONGEST_WAIT = 86_400.0
# 300 (a list of choices) may name the server's choice. 305 and 306 are obsolete.
_REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})


class Fetcher(Protocol):
    """Makes requests."""

    live: bool  # answers take real time; on a replayed web the time is simulated

    async def fetch(self, request: Request) -> Response:
        """Makes one request. Faults of servers and networks are Outcomes, never exceptions."""
        ...

    def address(self, host: str) -> str | None:
        """The address at which a host is asked: None while its name is looked up, "" if there is
        none or it does not matter."""
        ...

    async def close(self) -> None:
        """Closes connections and files."""
        ...


def outcome_of(
    status: int, *, location: bool = False, conditional: bool = False
) -> tuple[Outcome, str]:
    """The outcome of an HTTP status, and a detail if the outcome alone is not clear.

    `location`: the answer has a Location header. `conditional`: the request was conditional.
    """
    if 200 <= status < 300:
        return Outcome.FETCHED, ""
    if status in _REDIRECTS and location:
        return Outcome.REDIRECT, ""
    if status == 300:
        return Outcome.FETCHED, ""  # a page that lists the choices
    if status == 304:
        if conditional:
            return Outcome.UNCHANGED, ""
        return Outcome.BROKEN, "status 304 to a request without conditions"
    if 300 <= status < 400:
        return Outcome.BROKEN, f"status {status} without a location"
    if status in (404, 410):
        return Outcome.GONE, f"status {status}"
    if 400 <= status < 500 and status != 429:
        return Outcome.CLIENT_ERROR, f"status {status}"
    if 100 <= status < 200:
        return Outcome.BROKEN, f"status {status} to a plain request"
    # RFC 9110, 15: treat a status of no known class as a 5xx.
    return Outcome.SERVER_ERROR, f"status {status}"


def wanted(content_type: str, types: tuple[str, ...]) -> bool:
    """Whether a Content-Type is one of `types`. A missing one may be anything."""
    if not types:
        return True
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or kind in types


def retry_after(value: str, now: float) -> float:
    """The seconds in a Retry-After header, given as such or as a date; 0 if it is invalid."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:12]), LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(value)
        when = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    return min(max(when - now, 0.0), LONGEST_WAIT)
