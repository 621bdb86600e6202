"""What the servers of the test web answer: pages, and every fault that servers of the real web
have.

An answer is an object with one method, `send`. All of them are plain data, so that one may serve
many URLs, in many tests; the request has what they need
to know of the past (how often a URL was requested).
"""

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal, Protocol

import brotli
import zstandard

Headers = tuple[tuple[str, str], ...]
HTML = "text/html; charset=utf-8"
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "deflate": zlib.compress,
}


@dataclass(frozen=True)
class Asked:
    """A request, and the way back to who made it."""

    host: str
    path: str  # with its query
    headers: Mapping[str, str]  # names in lower case
    count: int  # how often this URL has been asked for, this time included
    write: Callable[[bytes], Awaitable[None]]  # bytes to the client; waits until they are under way
    has_gone: Callable[[], bool]  # the client has closed its end


class Answer(Protocol):
    """What a server does when asked."""

    async def send(self, asked: Asked) -> bool:
        """Answers; True if the connection may be used again."""
        ...


def head(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    """Status line and headers, with the empty line."""
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Odd"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {status} {phrase}\r\n{lines}\r\n".encode()


# --- sound answers ---


@dataclass(frozen=True)
class Page:
    """A document. With an ETag or a date it answers conditional requests."""

    body: bytes | str
    content_type: str = HTML
    status: int = 200
    headers: Headers = ()
    packing: str = ""
    etag: str = ""
    modified: str = ""
    chunked: bool = False

    @property
    def content(self) -> bytes:
        """The body in bytes."""
        return self.body.encode() if isinstance(self.body, str) else self.body

    async def send(self, asked: Asked) -> bool:
        headers = [("Content-Type", self.content_type), *self.headers]
        headers += [("ETag", self.etag)] if self.etag else []
        headers += [("Last-Modified", self.modified)] if self.modified else []
        if self._is_known(asked.headers):
            await asked.write(head(304, headers))
            return True
        body = self.content
        if self.packing:
            body = _PACKERS[self.packing](body)
            headers.append(("Content-Encoding", self.packing))
        if self.chunked:
            half = len(body) // 2
            headers.append(("Transfer-Encoding", "chunked"))
            body = b"".join(
                b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part
            )
            body += b"0\r\n\r\n"
        else:
            headers.append(("Content-Length", str(len(body))))
        await asked.write(head(self.status, headers) + body)
        return True

    def _is_known(self, headers: Mapping[str, str]) -> bool:
        if "if-none-match" in headers:
            return bool(self.etag) and headers["if-none-match"] == self.etag
        return bool(self.modified) and headers.get("if-modified-since") == self.modified


def Status(code: int, body: str = "", headers: Headers = ()) -> Page:  # noqa: N802
    """An error, or any other bare status."""
    return Page(body, status=code, headers=headers)


def Redirect(to: str, status: int = 301) -> Page:  # noqa: N802
    """Elsewhere."""
    return Page("", status=status, headers=(("Location", to),))


def Robots(rules: str, status: int = 200) -> Page:  # noqa: N802
    """A robots.txt."""
    return Page(rules, "text/plain", status)


def Sitemap(  # noqa: N802
    urls: Iterable[str], kind: Literal["urlset", "sitemapindex"] = "urlset"
) -> Page:
    """A sitemap, or an index of sitemaps."""
    item = "url" if kind == "urlset" else "sitemap"
    items = "".join(
        f"<{item}><loc>{url}</loc><lastmod>2026-05-01</lastmod></{item}>" for url in urls
    )
    xml = (
        f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"{items}</{kind}>"
    )
    return Page(xml, "application/xml")


# --- time ---


@dataclass(frozen=True)
class Slow:
    """Waits before the first byte, then sends the body in pieces with a pause before each."""

    body: bytes = b"<p>slow</p>"
    delay: float = 0.0
    pause: float = 0.0
    pieces: int = 1

    async def send(self, asked: Asked) -> bool:
        await asyncio.sleep(self.delay)
        await asked.write(
            head(200, [("Content-Type", HTML), ("Content-Length", str(len(self.body)))])
        )
        size = -(-len(self.body) // self.pieces)
        for start in range(0, len(self.body), size):
            await asyncio.sleep(self.pause)
            await asked.write(self.body[start : start + size])
        return True


@dataclass(frozen=True)
class SlowLoris:
    """Sends its head a byte at a time, for ever or nearly so."""

    pause: float = 0.05

    async def send(self, asked: Asked) -> bool:
        for byte in head(200, [(f"X-{number}", "slow") for number in range(10_000)]):
            await asked.write(bytes((byte,)))
            await asyncio.sleep(self.pause)
            if asked.has_gone():
                break
        return False


_BUSY = Status(503)


@dataclass(frozen=True)
class Flaky:
    """Fails some times, then is fine."""

    failures: int
    then: Answer
    failure: Answer = _BUSY

    async def send(self, asked: Asked) -> bool:
        return await (self.failure if asked.count <= self.failures else self.then).send(asked)


def TooMany(  # noqa: N802
    retry_after: str = "1", times: int = 1, then: Answer | None = None
) -> Flaky:
    """429 with a Retry-After, then fine."""
    return Flaky(
        times, then or Page("<p>fine</p>"), Status(429, headers=(("Retry-After", retry_after),))
    )


# --- broken answers ---


@dataclass(frozen=True)
class Drop:
    """Closes the connection before the head, within it, or within the body."""

    where: Literal["before", "head", "body"] = "before"

    async def send(self, asked: Asked) -> bool:
        whole = head(200, [("Content-Type", HTML), ("Content-Length", "1000")])
        if self.where == "head":
            await asked.write(whole[:30])
        elif self.where == "body":
            await asked.write(whole + b"<p>the first of a thousand bytes")
        return False


@dataclass(frozen=True)
class LyingLength:
    """A wrong Content-Length: `surplus` bytes more are sent than announced (negative: fewer)."""

    surplus: int
    body: bytes = b"<p>" + b"word " * 200

    async def send(self, asked: Asked) -> bool:
        said = len(self.body) - self.surplus
        await asked.write(
            head(200, [("Content-Type", HTML), ("Content-Length", str(said))]) + self.body
        )
        return False


@dataclass(frozen=True)
class WrongEncoding:
    """Says that it is packed and is not, or (`damaged`) is packed and has a hole."""

    packing: str = "gzip"
    damaged: bool = False

    async def send(self, asked: Asked) -> bool:
        body = b"<p>plain as can be, whatever the header says</p>" * 20
        if self.damaged:
            packed = _PACKERS[self.packing](body)
            body = packed[: len(packed) // 2]
        headers = (("Content-Encoding", self.packing),)
        return await Page(body, headers=headers).send(asked)


@dataclass(frozen=True)
class Bomb:
    """A small body that unpacks to `size` bytes."""

    size: int = 100_000_000
    packing: str = "gzip"

    async def send(self, asked: Asked) -> bool:
        return await Page(bytes(self.size), packing=self.packing).send(asked)


@dataclass(frozen=True)
class EndlessBody:
    """Sends until the client goes."""

    chunk: bytes = b"<p>and on and on</p>" * 500
    content_type: str = HTML

    async def send(self, asked: Asked) -> bool:
        await asked.write(head(200, [("Content-Type", self.content_type)]))
        while not asked.has_gone():
            await asked.write(self.chunk)
        return False


@dataclass(frozen=True)
class HugeHead:
    """A header of `size` bytes."""

    size: int = 1_000_000

    async def send(self, asked: Asked) -> bool:
        return await Page("<p>big head</p>", headers=(("X-Huge", "x" * self.size),)).send(asked)


@dataclass(frozen=True)
class Garbage:
    """Bytes that are no HTTP."""

    data: bytes = b"SSH-2.0-OpenSSH_9.6\r\n"

    async def send(self, asked: Asked) -> bool:
        await asked.write(self.data)
        return False


# --- traps ---


@dataclass(frozen=True)
class RedirectLoop:
    """Redirects in a ring of `length` URLs, or (0) always to new ones. Its path must end in "*"."""

    length: int = 1

    async def send(self, asked: Asked) -> bool:
        path, _, query = asked.path.partition("?")
        step = int(query.removeprefix("step=") or 0) + 1
        step = step % self.length if self.length else step
        return await Redirect(f"{path}?step={step}" if step else path, 302).send(asked)


@dataclass(frozen=True)
class EndlessPath:
    """Pages that always link to new ones: give it a path that ends in "*"."""

    kind: Literal["calendar", "session", "deeper", "copies"] = "calendar"

    async def send(self, asked: Asked) -> bool:
        links = {
            "calendar": self._months,
            "session": self._sessions,
            "deeper": self._deeper,
            "copies": self._copies,
        }
        anchors = "".join(f'<a href="{href}">more</a> ' for href in links[self.kind](asked.path))
        words = "the same words on each of these pages, " * 30
        return await Page(f"<title>Endless</title><p>{words}</p>{anchors}").send(asked)

    @staticmethod
    def _months(path: str) -> list[str]:
        """The month before, and the month after."""
        root, _, date = path.rpartition("/")
        months = int(date[:4]) * 12 + int(date[5:7]) - 1 if date[:4].isdigit() else 2026 * 12
        return [f"{root}/{one // 12}-{one % 12 + 1:02}" for one in (months - 1, months + 1)]

    @staticmethod
    def _sessions(path: str) -> list[str]:
        """Two pages with session ids, which change from page to page."""
        number = zlib.crc32(path.encode())
        return [
            f"{path.partition('?')[0]}?usersession={number:08x}{number * 7:010x}a{page}"
            for page in (1, 2)
        ]

    @staticmethod
    def _deeper(_path: str) -> list[str]:
        return ["more/stuff/", "more/things/"]  # relative, below a path that ends in a slash

    @staticmethod
    def _copies(path: str) -> list[str]:
        """Numbers that no URL rule can distinguish from articles."""
        root, _, number = path.rpartition("/")
        start = int(number) * 3 if number.isdigit() else 0
        return [f"{root}/{start + step}" for step in (1, 2, 3)]
