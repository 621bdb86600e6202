"""The inputs of commands as documents: files, folders, WARCs, URLs and standard input."""

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path

from msgspec import Struct

from toponaut import __version__
from toponaut.archive.http_answers import NoHttpError, answer_in, value_of
from toponaut.archive.warc_reader import (
    HEAD_BYTES,
    SharedMemberError,
    UnreadableRecordError,
    WarcFile,
    WarcReader,
    WarcRecord,
)
from toponaut.errors import InputError
from toponaut.page.parse import MAX_BYTES, parse
from toponaut.records import Page, Response
from toponaut.web.http.body_decoder import DamagedBodyError, decode_start

_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".txt": "text/plain",
}
_WARCS = (".warc", ".warc.gz", ".warc.zst", ".wet", ".wet.gz")
_GZIP, _WARC = b"\x1f\x8b", b"WARC/"
_RECORDS = ("response", "resource", "conversion")
_READ_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
_TIMEOUT_S = 20
_USER_AGENT = f"Toponaut/{__version__} (one page at its user's request)"


class Document(Struct, frozen=True):
    """A page or text, with the number of bytes of its source that were read for it."""

    source: str  # as the output names it: the file's path or the page's URL
    url: str
    content_type: str
    body: bytes
    passed: int


Report = Callable[[str, InputError], None]


def documents(sources: list[str], report: Report) -> Iterator[Document]:
    """All documents of some sources in order. Reports unreadable sources by name and skips them."""
    for source in sources:
        try:
            yield from _in_source(source, report)
        except InputError as error:
            report(source, error)
        except OSError as error:
            report(
                source, InputError(_reason(error), "Check that it exists and that you may read it")
            )


def total_bytes(sources: list[str]) -> int:
    """Bytes to read, for the progress bar; URLs count as 0."""
    paths = (path for source in sources if "://" not in source for path in _files(Path(source)))
    return sum(path.stat().st_size for path in paths if path.is_file())


def page_of(document: Document) -> Page | None:
    """The page in a document; None if it is neither HTML nor text."""
    page = parse(Response(document.url, 200, document.body, document.content_type))
    # parse() makes an empty page of a picture.
    has_text = page.text or page.title or page.structured
    return page if has_text or document.body.strip()[:1] in (b"", b"<") else None


NO_PAGE = InputError(
    "it is neither HTML nor text", "Name HTML files, text files, WARCs, folders or URLs"
)


def _in_source(source: str, report: Report) -> Iterator[Document]:
    if source == "-":
        yield Document("-", "stdin:", "", sys.stdin.buffer.read(MAX_BYTES + 1), 0)
        return
    if "://" in source:
        yield _fetched(source)
        return
    path = Path(source)
    if not path.exists():
        raise InputError(
            "there is no such file or folder", "Check the path; a URL begins with https://"
        )
    if not path.is_dir():
        yield from _in_file(path)
        return
    empty = True
    for file in _files(path):
        empty = False
        try:
            yield from _in_file(file)
        except InputError as error:
            report(str(file), error)
        except OSError as error:
            report(str(file), InputError(_reason(error), "Check that you may read it"))
    if empty:
        endings = " ".join(f"*{ending}" for ending in (*_TYPES, *_WARCS))
        raise InputError(
            "the folder has nothing to read", f"Looked for {endings}, also in subfolders"
        )


def _files(path: Path) -> Iterator[Path]:
    """A file itself; of a folder all pages, texts and WARCs in it and below, by name."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith((*_TYPES, *_WARCS)):
                yield Path(folder) / name


def _in_file(path: Path) -> Iterator[Document]:
    with path.open("rb") as stream:
        head = stream.read(8)
    if path.name.lower().endswith(_WARCS) or head.startswith((_GZIP, _WARC)):
        yield from _in_warc(path)
        return
    with path.open("rb") as stream:
        body = stream.read(MAX_BYTES + 1)
    content_type = _TYPES.get(path.suffix.lower(), "")
    yield Document(str(path), path.absolute().as_uri(), content_type, body, path.stat().st_size)


# --- WARCs ---


def _in_warc(path: Path) -> Iterator[Document]:
    """The HTML and text in a WARC's responses, resources and conversions (WET)."""
    last, end, is_torn = -1, 0, False
    with WarcReader(WarcFile.whole(path)) as reader:
        try:
            for record in reader.records(MAX_BYTES + HEAD_BYTES, allow_torn=True):
                is_torn = len(record.block) < min(record.size, MAX_BYTES)
                if record.kind in _RECORDS:
                    last, passed = record.offset, record.end - end
                    end = record.end
                    if document := _document(record, passed):
                        yield document
        except SharedMemberError:
            raise WarcFile.whole(path).repack_error() from None
        except (UnreadableRecordError, DamagedBodyError) as error:
            where = "from its beginning" if last < 0 else f"after byte {last:,}"
            cause = f"the WARC cannot be read {where} ({error})"
            raise InputError(cause, "Download or write it again") from error
    if last < 0:
        raise InputError(
            "the file has no WARC records with pages", "Check that it is a WARC with responses"
        )
    if is_torn:
        raise InputError(
            "the WARC ends within a record", "The rest was read; download it again for all of it"
        )


def _document(record: WarcRecord, passed: int) -> Document | None:
    """The document in a record; None if it is not a page or a text, or an error page."""
    content_type, body = record.header.get("content-type", ""), record.block
    if content_type.lower().startswith("application/http"):
        try:
            answer = answer_in(record)
        except NoHttpError:
            return None
        if not 200 <= answer.status < 300:
            return None
        content_type, body = value_of(answer.headers, "content-type"), answer.payload
        if encoding := answer.encoding:
            body = decode_start(body, encoding, MAX_BYTES + 1)
    if not content_type.lower().startswith(_READ_TYPES):
        return None
    return Document(record.url, record.url, content_type.lower(), body[: MAX_BYTES + 1], passed)


# --- URLs ---


# No handlers for ftp: and file:, so that no redirect leads there.
_HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.HTTPDefaultErrorHandler,
)


def _fetched(url: str) -> Document:
    """One page from the web. Follows redirects to HTTP addresses only."""
    if not url.lower().startswith(("http://", "https://")):
        raise InputError(
            "only http:// and https:// URLs can be fetched", "Save the page and name the file"
        )
    opener = urllib.request.OpenerDirector()
    for handler in _HANDLERS:
        opener.add_handler(handler())
    headers = {"User-Agent": _USER_AGENT, "Accept": ", ".join(_READ_TYPES)}
    try:
        with opener.open(
            urllib.request.Request(url, headers=headers), timeout=_TIMEOUT_S
        ) as answer:
            body = answer.read(MAX_BYTES + 1)
            return Document(url, answer.geturl(), answer.headers.get("Content-Type", ""), body, 0)
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError(
            f"the server answered {error.code} {error.reason}", "Check the address"
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        fix = "Check the address and the connection"
        raise InputError(f"the page could not be fetched ({_reason(error)})", fix) from error


def _reason(error: BaseException) -> str:
    """The system's error message, unwrapped from urllib's."""
    inner = getattr(error, "reason", None)
    if isinstance(inner, BaseException):
        return _reason(inner)
    return (
        " ".join(str(getattr(error, "strerror", None) or inner or error).split())
        or type(error).__name__
    )
