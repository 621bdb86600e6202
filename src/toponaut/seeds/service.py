"""Requests to public services: few, slow, with an honest name, and remembered for a week."""

import hashlib
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

from platformdirs import user_cache_path

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.urls import host_of
from toponaut.web.fetch import retry_after

_WEEK_S = 7 * 86_400
_TIMEOUT_S = 200.0  # Overpass computes for up to three minutes
_TRIES = 3
_MAX_WAIT_S = 60.0
_MAX_BYTES = 1_000_000_000
_BUSY = frozenset({429, 500, 502, 503, 504})
_PART = 1 << 20


class SourceError(InputError):
    """A service cannot be reached, or does not answer as it should."""


class NothingThereError(SourceError):
    """The service answered 404: it knows nothing about the question."""


class Services:
    """Asks services, one request at a time with a delay between them; caches their answers."""

    def __init__(
        self,
        contact: str = "",
        *,
        cache: Path | None = None,
        fresh: bool = False,
        delay: float = 1.0,
        received: Callable[[int], None] = lambda _: None,
    ) -> None:
        """`fresh`: do not use remembered answers. `received` is called with the bytes so far."""
        self._agent = f"Toponaut/{__version__}" + (f" (+{contact})" if contact else "")
        self._cache = cache or user_cache_path("toponaut") / "seeds"
        self._fresh, self._delay, self._received = fresh, delay, received
        self._free_at = 0.0

    def get(self, url: str, accept: str = "*/*") -> bytes:
        return self._answer(url, None, accept)

    def post(self, url: str, fields: dict[str, str], accept: str = "*/*") -> bytes:
        return self._answer(url, urlencode(fields).encode(), accept)

    def _answer(self, url: str, data: bytes | None, accept: str) -> bytes:
        key = hashlib.sha256(url.encode() + b"\0" + (data or b"")).hexdigest()
        file = self._cache / key
        if not self._fresh and file.exists() and time.time() - file.stat().st_mtime < _WEEK_S:
            return file.read_bytes()
        answer = self._ask(url, data, accept)
        self._cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_bytes(answer)
        part.replace(file)
        return answer

    def _ask(self, url: str, data: bytes | None, accept: str) -> bytes:
        headers = {"User-Agent": self._agent, "Accept": accept}
        request = urllib.request.Request(url, data, headers)
        name = host_of(url)
        for left in reversed(range(_TRIES)):
            time.sleep(max(self._free_at - time.monotonic(), 0.0))
            self._free_at = time.monotonic() + self._delay
            try:
                with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
                    return self._body(answer)
            except urllib.error.HTTPError as error:
                wait = retry_after(error.headers.get("Retry-After", ""), time.time())
                if error.code == 404:
                    raise NothingThereError(f"{name} has no answer (404)") from None
                if error.code not in _BUSY or wait > _MAX_WAIT_S or not left:
                    raise _refused(name, error.code, wait) from None
                self._free_at = time.monotonic() + max(wait, self._delay)
            except (OSError, ValueError) as error:
                reason = getattr(error, "reason", error)
                raise SourceError(
                    f"cannot reach {name}: {reason}",
                    "Check the connection, or give a file: --from FILE",
                ) from None
        raise AssertionError("unreachable")

    def _body(self, answer: IO[bytes]) -> bytes:
        parts, size = [], 0
        while part := answer.read(_PART):
            parts.append(part)
            size += len(part)
            self._received(size)
            if size > _MAX_BYTES:
                raise ValueError("the answer is larger than a gigabyte")
        return b"".join(parts)


def _refused(name: str, code: int, wait: float) -> SourceError:
    if code in _BUSY:
        later = f" in {wait:.0f} s" if wait else " later"
        return SourceError(
            f"{name} is busy ({code})", f"Try again{later}, or give a file: --from FILE"
        )
    return SourceError(f"{name} refused the question ({code})", "Name another service: NAME=URL")
