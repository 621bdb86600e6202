"""PDFs as pages: their text, title, language and links.

pypdf is pure Python: nothing in a PDF can harm the process but its time and memory. A hostile file
is bounded by its size, its number of pages, the size of each stream after decompression and CPU
time; what was read until then counts.
"""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from types import FrameType
from typing import TYPE_CHECKING, Any

from toponaut.page.parse import MAX_BYTES, parse, parse_text
from toponaut.page.parse.meta import header_robots
from toponaut.records import Link, Page, Response
from toponaut.urls import join

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

PDF = "application/pdf"
MAX_PAGES = 50  # a brochure; addresses are on its first and last pages
MAX_TEXT = 400_000  # characters
CPU_SECONDS = 2.0  # a page of a usual PDF takes 0.02
# Bytes of a stream after decompression; larger ones are drawings. pypdf's own 75 MB let 50 MB of
# text take 600 MB of memory.
MAX_STREAM = 5_000_000
_LIMITS: dict[str, Any] = {
    f"{filter}_maximum_output_length": MAX_STREAM
    for filter in ("zlib", "lzw", "run_length", "brotli", "array_based_stream")
}
_MAX_LINKS = 500
_AGAIN = 0.2  # seconds after which the time limit is enforced again, should pypdf catch it


class PdfTimeError(Exception):
    """A PDF takes too long to read."""


def read_page(fetched: Response) -> Page:
    """The page in a response: markup, text or PDF. Never raises."""
    return _read_pdf(fetched) if fetched.body.startswith(b"%PDF-") else parse(fetched)


def _read_pdf(fetched: Response) -> Page:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # damaged files are usual on the web
    found = _PdfText(fetched.url)
    with suppress(Exception), _cpu_limit(CPU_SECONDS):
        found.read(fetched.body[:MAX_BYTES])
    page = parse_text(fetched.url, "\n\n".join(found.parts))
    return Page(
        url=page.url,
        title=found.title,
        language=found.language,
        text=page.text,
        links=tuple(found.links),
        robots=header_robots(fetched),
        truncated=not found.complete or len(fetched.body) > MAX_BYTES,
    )


class _PdfText:
    """What has been read of a PDF so far."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.title = self.language = ""
        self.parts: list[str] = []
        self.links: list[Link] = []
        self.complete = self._skipped = False

    def read(self, body: bytes) -> None:
        from pypdf import PdfReader, apply_configuration  # 0.3 s, and most crawls see no PDF

        with apply_configuration(**_LIMITS):
            self._read_pages(PdfReader(BytesIO(body), root_object_recovery_limit=1000))

    def _read_pages(self, reader: "PdfReader") -> None:
        self._read_metadata(reader)
        size = 0
        for number, page in enumerate(reader.pages):
            if number == MAX_PAGES or size > MAX_TEXT:
                return
            text = self._read_text(page)
            self.parts.append(text)
            size += len(text)
            self._read_links(page)
        self.complete = not self._skipped

    def _read_text(self, page: "PageObject") -> str:
        from pypdf.errors import LimitReachedError

        try:
            return _tidy(page.extract_text())
        except LimitReachedError:  # the other pages may be text
            self._skipped = True
            return ""

    def _read_metadata(self, reader: "PdfReader") -> None:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            self.title = _tidy(str((reader.metadata and reader.metadata.title) or ""))[:500]
            root: Any = reader.trailer["/Root"]
            language = str(root.get("/Lang", ""))
            self.language = language.partition("-")[0].lower()[:3]

    def _read_links(self, page: "PageObject") -> None:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            annotations: Any = page.annotations or ()
            for annotation in annotations:
                target = annotation.get_object().get("/A", {}).get("/URI")
                url = join(self._url, str(target)) if target else None
                if url and len(self.links) < _MAX_LINKS:
                    self.links.append(Link(url, self._url))


def _tidy(text: str) -> str:
    """Lines without surplus spaces and control characters."""
    lines = ("".join(c for c in line if c.isprintable()) for line in text.splitlines())
    return "\n".join(" ".join(line.split()) for line in lines).strip()


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raises PdfTimeError in this block after so much CPU time; only in a main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise PdfTimeError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
