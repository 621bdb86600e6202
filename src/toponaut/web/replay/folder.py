"""A web out of a folder of pages, with a manifest.tsv that says which URL each file is: URL, tab, file, and perhaps
another tab and a content type.

The type "message/http" means that the file holds a whole answer, head and body: that is how a redirect, an error or a
packed page is told. Without a type the file's ending tells it.
"""

import mimetypes
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.urls import fingerprint, normalise
from toponaut.web.replay.index import Capture, Gathering
from toponaut.web.replay.recorded import Recorded, UnreadableError, recorded

MANIFEST = "manifest.tsv"
WHOLE_ANSWER = "message/http"
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class _Line(Struct, frozen=True):
    url: str  # in normal form
    file: Path
    content_type: str


class Folder:
    """Pages on disk. Of the manifest only the places of its lines are kept in memory."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._manifest = root / MANIFEST
        gathering = Gathering()
        offset = 0
        with self._manifest.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                if line := self._line(raw, number):
                    is_page = line.content_type.partition(";")[0] in _HTML
                    gathering.add(Capture(line.url, "", "", 0, offset, is_page))
                offset += len(raw)
        self._index, _ = gathering.index()
        if not len(self._index):
            raise InputError(
                f"{self._manifest} names no pages", "Write a URL, a tab and a file into each line"
            )

    def __len__(self) -> int:
        return len(self._index)

    def find(self, url: str, limit: int) -> Recorded | None:
        place = self._index.find(fingerprint(url))
        if place is None:
            return None
        line = self._at(place[1])
        try:
            with line.file.open("rb") as stream:
                content = stream.read(limit + 1)
        except OSError as error:
            raise UnreadableError(f"{line.file.name}: {error.strerror}") from None
        cut = "length" if len(content) > limit else ""
        if line.content_type == WHOLE_ANSWER:
            return recorded(content, cut)
        return Recorded(200, (("content-type", line.content_type),), b"", content, cut)

    def urls(self) -> Iterator[str]:
        return (self._at(offset).url for _, offset in self._index.pages())

    def close(self) -> None:
        """Nothing is kept open."""

    def _at(self, offset: int) -> _Line:
        with self._manifest.open("rb") as stream:
            stream.seek(offset)
            line = self._line(stream.readline(), 0)
        assert line is not None, "the manifest was changed meanwhile"
        return line

    def _line(self, raw: bytes, number: int) -> _Line | None:
        """What a line says; None for an empty one and for a comment. `number` is 0 where it was checked before."""
        text = raw.decode("utf-8-sig", "replace").rstrip("\r\n")
        if not text.strip() or text.startswith("#"):
            return None
        url, *rest = text.split("\t")
        normal = normalise(url.strip())
        if not rest or len(rest) > 2 or not rest[0]:
            raise self._fault(number, "is not URL, tab, file", "Part the columns with single tabs")
        if normal is None:
            raise self._fault(
                number, f"has no http(s) address: {url!r}", "Write the whole URL, https:// included"
            )
        file = self._root / rest[0]
        if number and not self._is_inside(file):
            raise self._fault(
                number,
                f"names no file in the manifest's folder: {rest[0]}",
                "Put it there, and give its path from there",
            )
        return _Line(
            normal, file, rest[1].strip() if len(rest) == 2 and rest[1].strip() else _type_of(file)
        )

    def _is_inside(self, file: Path) -> bool:
        return file.is_file() and file.resolve().is_relative_to(self._root)

    def _fault(self, number: int, what: str, cure: str) -> InputError:
        return InputError(f"{self._manifest}, line {number} {what}", cure)


def _type_of(file: Path) -> str:
    """By the ending; a page that was saved without one is HTML."""
    return mimetypes.guess_type(file.name)[0] or "text/html"
