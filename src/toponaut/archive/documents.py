"""The inputs of commands as documents: files, folders, WARCs, WACZs, URLs and standard input.

Memory does not depend on the size of the sources. Every document has its place, so that a command
that was stopped can go on after it.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from toponaut.archive.http_answers import NoHttpError, answer_in, value_of
from toponaut.archive.page_request import READ_TYPES, fetch_page, reason_of
from toponaut.archive.record_heads import HEAD_BYTES, UnreadableRecordError
from toponaut.archive.warc_files import (
    WACZ_ENDING,
    WARC_ENDINGS,
    WarcFile,
    is_zip,
    starts_like_warc,
    warcs_in,
)
from toponaut.archive.warc_reader import DamagedSpan, WarcReader, WarcRecord
from toponaut.errors import InputError
from toponaut.page.parse import MAX_BYTES
from toponaut.page.reading.pdf import read_page
from toponaut.records import Page, Response
from toponaut.web.http.body_decoder import DamagedBodyError, decode_start

_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".shtml": "text/html",
    ".php": "text/html",
    ".asp": "text/html",
    ".aspx": "text/html",
    ".jsp": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".txt": "text/plain",
    ".pdf": "application/pdf",
}
_ARCHIVES = (*WARC_ENDINGS, WACZ_ENDING)
# wget names a page after its URL: "index.php?id=3". A long "ending" is a part of the name.
_ENDING = re.compile(r"\.[a-z0-9]{1,8}(?=\?|$)")
_RECORDS = ("response", "resource", "conversion")


class DocumentPlace(Struct, frozen=True):
    """Where a document is in the sources."""

    file: str  # path or URL; for a WARC in a WACZ also its name there
    offset: int = 0  # in a WARC: of its record or of the gzip member that holds it
    number: int = 1  # among the documents at this offset, from 1
    done: int = 0  # bytes of all sources that have been read with it


class Document(Struct, frozen=True):
    """A page or text."""

    source: str  # as the output names it: the file's path or the page's URL
    url: str
    content_type: str
    body: bytes
    place: DocumentPlace = DocumentPlace("")


Report = Callable[[str, InputError], None]


class Documents:
    """All documents of some sources in order. Reports unreadable sources by name and skips them.

    `after`: the place of the last document that is not wanted any more.
    """

    def __init__(
        self, sources: list[str], report: Report, after: DocumentPlace | None = None
    ) -> None:
        self._sources, self._report, self._after = sources, report, after
        self._done = 0
        self.skipped: Counter[str] = Counter()  # files and records of other kinds, by kind

    def __iter__(self) -> Iterator[Document]:
        for source in self._sources:
            with _SourceGuard(source, self._report):
                yield from self._in_source(source)

    def _in_source(self, source: str) -> Iterator[Document]:
        if source == "-":
            body = sys.stdin.buffer.read(MAX_BYTES + 1)
            yield Document("-", "stdin:", "", body, DocumentPlace("-", done=self._done))
        elif "://" in source:
            if not self._is_done(source):
                page = fetch_page(source)
                place = DocumentPlace(source, done=self._done)
                yield Document(source, page.url, page.content_type, page.body, place)
        elif not (path := Path(source)).exists():
            raise InputError(
                "there is no such file or folder", "Check the path; a URL begins with https://"
            )
        elif path.is_dir():
            yield from self._in_folder(path)
        else:
            yield from self._in_file(path)

    def _in_folder(self, folder: Path) -> Iterator[Document]:
        is_empty = True
        for path in _files(folder):
            if not _is_readable(path):
                self.skipped[_ending(path) or "no ending"] += 1
                continue
            is_empty = False
            with _SourceGuard(str(path), self._report):
                yield from self._in_file(path)
        if is_empty:
            endings = " ".join(f"*{ending}" for ending in (*_TYPES, *WARC_ENDINGS[:3]))
            raise InputError(
                "the folder has nothing to read", f"Looked for {endings} and others, also below"
            )

    def _in_file(self, path: Path) -> Iterator[Document]:
        if path.name.lower().endswith(_ARCHIVES) or is_zip(path) or starts_like_warc(path):
            before = self._done
            for file in warcs_in(path):
                yield from self._in_warc(path, file)
                self._done += file.size
            self._done = before + path.stat().st_size
            return
        is_done, size = self._is_done(str(path)), path.stat().st_size
        self._done += size
        if is_done:
            return
        with path.open("rb") as stream:
            body = stream.read(MAX_BYTES + 1)
        content_type = _TYPES.get(_ending(path), "")
        place = DocumentPlace(str(path), done=self._done)
        yield Document(str(path), path.absolute().as_uri(), content_type, body, place)

    def _is_done(self, file: str) -> bool:
        """Whether a file was read before the command was stopped."""
        if self._after is None:
            return False
        if self._after.file == file:
            self._after = None
        return True

    # --- WARCs ---

    def _in_warc(self, path: Path, file: WarcFile) -> Iterator[Document]:
        """The HTML and text in a WARC's responses, resources and conversions (WET)."""
        name = f"{path}#{file.name}" if file.start else str(path)
        after = self._after
        if self._is_done(name) and after and after.file != name:
            return
        start = after.offset if after else None
        has_records, torn = False, False
        here, number = -1, 0
        with WarcReader(file) as reader:
            for found in reader.walk(MAX_BYTES + HEAD_BYTES, start):
                if isinstance(found, DamagedSpan):
                    has_records = True
                    self._report_damage(name, found)
                    continue
                torn = torn or found.torn
                if found.kind not in _RECORDS:
                    continue
                has_records = True
                document = self._document(found)
                if document is None:
                    continue
                here, number = found.offset, number + 1 if found.offset == here else 1
                if after and (here, number) <= (after.offset, after.number):
                    continue
                place = DocumentPlace(name, here, number, self._done + found.end)
                yield Document(*document, place)
        if torn:
            fix = "The rest was read; download it again for all of it"
            self._report(name, InputError("the WARC ends within a record", fix))
        if not has_records:
            fix = "Check that it is a WARC with responses"
            self._report(name, InputError("the file has no WARC records with pages", fix))

    def _report_damage(self, name: str, damage: DamagedSpan) -> None:
        where = f"from byte {damage.offset:,} to {damage.end:,}"
        cause = f"the WARC cannot be read {where} ({damage.reason})"
        self._report(name, InputError(cause, "The rest was read; download it again for all of it"))

    def _document(self, record: WarcRecord) -> tuple[str, str, str, bytes] | None:
        """The document in a record; None if it is not a page or a text, or an error page."""
        content_type, body = record.header.get("content-type", ""), record.block
        if content_type.lower().startswith("application/http"):
            try:
                answer = answer_in(record)
                content_type, body = value_of(answer.headers, "content-type"), answer.payload
                if not 200 <= answer.status < 300:
                    return None
                if encoding := answer.encoding:
                    body = decode_start(body, encoding, MAX_BYTES + 1)
            except (NoHttpError, DamagedBodyError):
                self.skipped["damaged response"] += 1
                return None
        kind = content_type.lower()
        if not kind.startswith(READ_TYPES):
            self.skipped[kind.partition(";")[0].strip() or "no type"] += 1
            return None
        return record.url, record.url, kind, body[: MAX_BYTES + 1]


class _SourceGuard:
    """Reports errors of one source, so that the next one is read."""

    def __init__(self, source: str, report: Report) -> None:
        self._source, self._report = source, report

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, UnreadableRecordError):
            error = InputError(f"the WARC cannot be read ({error})", "Download it again")
        elif isinstance(error, OSError):
            error = InputError(reason_of(error), "Check that it exists and that you may read it")
        if not isinstance(error, InputError):
            return False
        self._report(self._source, error)
        return True


def total_bytes(sources: list[str]) -> int:
    """Bytes to read, for the progress bar; URLs count as 0."""
    paths = (path for source in sources if "://" not in source for path in _files(Path(source)))
    return sum(path.stat().st_size for path in paths if path.is_file() and _is_readable(path))


def page_of(document: Document) -> Page | None:
    """The page in a document; None if it is neither HTML, text nor PDF."""
    page = read_page(Response(document.url, 200, document.body, document.content_type))
    # parse() makes an empty page of a picture.
    has_text = page.text or page.title or page.structured
    return page if has_text or document.body.strip()[:1] in (b"", b"<") else None


NO_PAGE = InputError(
    "it is neither HTML nor text", "Name HTML files, text files, PDFs, WARCs, folders or URLs"
)


def _files(path: Path) -> Iterator[Path]:
    """A file itself; all files in a folder and below, by name."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            yield Path(folder) / name


def _ending(path: Path) -> str:
    found = _ENDING.search(path.name.lower())
    return found[0] if found else ""


def _is_readable(path: Path) -> bool:
    """Whether a file in a folder may be a page, a text or a WARC, by its name. A file without an
    ending is one if it has no control characters."""
    if path.name.lower().endswith(_ARCHIVES):
        return True
    ending = _ending(path)
    if ending:
        return ending in _TYPES
    try:
        with path.open("rb") as stream:
            return b"\0" not in stream.read(1024) or starts_like_warc(path)
    except OSError:
        return True  # it is reported when it is read
