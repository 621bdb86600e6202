"""A web from a folder of pages with a manifest.tsv: URL, tab, file and, optionally, content type
and date, each after a tab. Without a date, the file's own counts.

The type "message/http" means that the file has a complete answer, head and body: this is how to
give a redirect, an error or a compressed page. Without a type, the file's ending decides.

Opening checks every file once, by name; links to other folders are found when a page is read.
"""

import mimetypes
import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.archive.http_answers import RecordedAnswer, parse_answer, record_time
from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.errors import InputError
from toponaut.urls import normalise
from toponaut.web.replay.capture_index import Capture, CaptureCollector

MANIFEST = "manifest.tsv"
WHOLE_ANSWER = "message/http"


class _ManifestLine(Struct, frozen=True):
    url: str  # in normal form
    file: str  # from the manifest's folder
    content_type: str
    time: float  # when the page was saved, Unix time; 0: when the file was written


class FolderWeb:
    """Pages on disk. Only the offsets of the manifest's lines are kept in memory."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._manifest = root / MANIFEST
        self.damage: list[str] = []  # every fault of a manifest is an InputError
        collector = CaptureCollector()
        offset = 0
        checked: set[str] = set()
        self.latest = 0.0  # the date of the newest page
        with self._manifest.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                if line := self._line(raw, number):
                    if line.file not in checked:
                        written = self._check(line.file, number)
                        checked.add(line.file)
                    self.latest = max(self.latest, line.time or written)
                    collector.add(Capture(line.url, "", "", 0, offset))
                offset += len(raw)
        self._index, _ = collector.index()
        if not len(self._index):
            raise InputError(
                f"{self._manifest} names no pages", "Write a URL, a tab and a file on each line"
            )

    def find(self, url: str, limit: int) -> RecordedAnswer | None:
        place = self._index.find(url)
        if place is None:
            return None
        line = self._line_at(place[1])
        try:
            with self._inside(line.file).open("rb") as stream:
                content = stream.read(limit + 1)
                time = line.time or os.fstat(stream.fileno()).st_mtime
        except OSError as error:
            raise UnreadableRecordError(f"{line.file}: {error.strerror}") from None
        cut = "length" if len(content) > limit else ""
        if line.content_type == WHOLE_ANSWER:
            return replace(parse_answer(content, cut), time=time)
        return RecordedAnswer(200, (("content-type", line.content_type),), b"", content, cut, time)

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
        if not rest or len(rest) > 3 or not rest[0]:
            raise self._fault(
                number, "is not URL, tab, file", "Separate the columns with single tabs"
            )
        if normal is None:
            raise self._fault(
                number, f"has no http(s) address: {url!r}", "Write the whole URL, https:// included"
            )
        file, content_type, date = (*rest, "", "")[:3]
        content_type, date = content_type.strip(), date.strip()
        time = record_time({"warc-date": date})
        if date and not time:
            raise self._fault(number, f"has no date: {date!r}", "Write it as 2026-11-01T12:00:00Z")
        return _ManifestLine(normal, file, content_type or _type_of(file), time)

    def _check(self, file: str, number: int) -> float:
        """Refuses a path that leaves the folder, and a missing file. Gives the file's date."""
        leaves = file.startswith("/") or ".." in file.split("/")
        if leaves or not (self._root / file).is_file():
            raise self._fault(
                number,
                f"names a file outside the manifest's folder, or none: {file}",
                "Put it there, and give its path from there",
            )
        return (self._root / file).stat().st_mtime

    def _inside(self, file: str) -> Path:
        """The path of a file, with symbolic links resolved: they must not leave the folder."""
        path = (self._root / file).resolve()
        if not path.is_relative_to(self._root):
            raise UnreadableRecordError(f"{file}: a link to a file outside the manifest's folder")
        return path

    def _fault(self, number: int, what: str, fix: str) -> InputError:
        return InputError(f"{self._manifest}, line {number} {what}", fix)


def _type_of(file: str) -> str:
    """By the ending; a page that was saved without one is HTML."""
    return mimetypes.guess_type(file.rpartition("/")[2])[0] or "text/html"
