"""A web from a folder of pages with a manifest.tsv: URL, tab, file and, optionally, tab, content
type.

The type "message/http" means that the file has a complete answer, head and body: this is how to
give a redirect, an error or a compressed page. Without a type, the file's ending decides.
"""

import mimetypes
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toponaut.archive.http_answers import RecordedAnswer, parse_answer
from toponaut.archive.warc_reader import UnreadableRecordError
from toponaut.errors import InputError
from toponaut.urls import fingerprint, normalise
from toponaut.web.replay.capture_index import HTML_TYPES, Capture, CaptureCollector

MANIFEST = "manifest.tsv"
WHOLE_ANSWER = "message/http"


class _ManifestLine(Struct, frozen=True):
    url: str  # in normal form
    file: Path
    content_type: str


class FolderWeb:
    """Pages on disk. Only the offsets of the manifest's lines are kept in memory."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._manifest = root / MANIFEST
        collector = CaptureCollector()
        offset = 0
        with self._manifest.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                if line := self._line(raw, number):
                    is_page = line.content_type.partition(";")[0] in HTML_TYPES
                    collector.add(Capture(line.url, "", "", 0, offset, is_page))
                offset += len(raw)
        self._index, _ = collector.index()
        if not len(self._index):
            raise InputError(
                f"{self._manifest} names no pages", "Write a URL, a tab and a file on each line"
            )

    def __len__(self) -> int:
        return len(self._index)

    def find(self, url: str, limit: int) -> RecordedAnswer | None:
        place = self._index.find(fingerprint(url))
        if place is None:
            return None
        line = self._line_at(place[1])
        try:
            with line.file.open("rb") as stream:
                content = stream.read(limit + 1)
        except OSError as error:
            raise UnreadableRecordError(f"{line.file.name}: {error.strerror}") from None
        cut = "length" if len(content) > limit else ""
        if line.content_type == WHOLE_ANSWER:
            return parse_answer(content, cut)
        return RecordedAnswer(200, (("content-type", line.content_type),), b"", content, cut)

    def urls(self) -> Iterator[str]:
        return (self._line_at(offset).url for _, offset in self._index.pages())

    def close(self) -> None:
        """No file is kept open."""

    def _line_at(self, offset: int) -> _ManifestLine:
        with self._manifest.open("rb") as stream:
            stream.seek(offset)
            line = self._line(stream.readline(), 0)
        assert line is not None, "the manifest was changed during the crawl"
        return line

    def _line(self, raw: bytes, number: int) -> _ManifestLine | None:
        """Parses a line; None if it is empty or a comment. `number`: 0 if checked before."""
        text = raw.decode("utf-8-sig", "replace").rstrip("\r\n")
        if not text.strip() or text.startswith("#"):
            return None
        url, *rest = text.split("\t")
        normal = normalise(url.strip())
        if not rest or len(rest) > 2 or not rest[0]:
            raise self._fault(
                number, "is not URL, tab, file", "Separate the columns with single tabs"
            )
        if normal is None:
            raise self._fault(
                number, f"has no http(s) address: {url!r}", "Write the whole URL, https:// included"
            )
        file = self._root / rest[0]
        if number and not self._is_inside(file):
            raise self._fault(
                number,
                f"names a file outside the manifest's folder, or none: {rest[0]}",
                "Put it there, and give its path from there",
            )
        return _ManifestLine(
            normal, file, rest[1].strip() if len(rest) == 2 and rest[1].strip() else _type_of(file)
        )

    def _is_inside(self, file: Path) -> bool:
        return file.is_file() and file.resolve().is_relative_to(self._root)

    def _fault(self, number: int, what: str, fix: str) -> InputError:
        return InputError(f"{self._manifest}, line {number} {what}", fix)


def _type_of(file: Path) -> str:
    """By the ending; a page that was saved without one is HTML."""
    return mimetypes.guess_type(file.name)[0] or "text/html"
