"""One page from the web at its user's request, outside of any crawl."""

import urllib.error
import urllib.request
from http.client import HTTPException

from msgspec import Struct

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.page.parse import MAX_BYTES

READ_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
_TIMEOUT_S = 20
_USER_AGENT = f"Toponaut/{__version__} (one page at its user's request)"


class FetchedPage(Struct, frozen=True):
    url: str  # after redirects
    content_type: str
    body: bytes


# No handlers for ftp: and file:, so that no redirect leads there.
_HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.HTTPDefaultErrorHandler,
)


def fetch_page(url: str) -> FetchedPage:
    """One page from the web. Follows redirects to HTTP addresses only."""
    if not url.lower().startswith(("http://", "https://")):
        raise InputError(
            "only http:// and https:// URLs can be fetched", "Save the page and name the file"
        )
    opener = urllib.request.OpenerDirector()
    for handler in _HANDLERS:
        opener.add_handler(handler())
    headers = {"User-Agent": _USER_AGENT, "Accept": ", ".join(READ_TYPES)}
    try:
        with opener.open(
            urllib.request.Request(url, headers=headers), timeout=_TIMEOUT_S
        ) as answer:
            body = answer.read(MAX_BYTES + 1)
            return FetchedPage(answer.geturl(), answer.headers.get("Content-Type", ""), body)
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError(
            f"the server answered {error.code} {error.reason}", "Check the address"
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        fix = "Check the address and the connection"
        raise InputError(f"the page could not be fetched ({reason_of(error)})", fix) from error


def reason_of(error: BaseException) -> str:
    """The system's error message, unwrapped from urllib's."""
    inner = getattr(error, "reason", None)
    if isinstance(inner, BaseException):
        return reason_of(inner)
    return (
        " ".join(str(getattr(error, "strerror", None) or inner or error).split())
        or type(error).__name__
    )
