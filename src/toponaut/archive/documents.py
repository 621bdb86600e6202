"""What commands read: files, folders, WARCs, URLs and standard input, as documents one at a time.

WARCs are read by fastwarc: it takes 0.02 ms a page of 24 KB where warcio takes 0.08, undoes gzip, brotli and
chunks as it goes, and never holds more than a record.
"""

import os
import sys
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path

from msgspec import Struct

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.page.parse import MAX_BYTES, parse
from toponaut.records import Page, Response

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # fastwarc 1.1 warns of old names of its own
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".txt": "text/plain",
}
_WARCS = (".warc", ".warc.gz", ".warc.zst", ".wet", ".wet.gz")
_GZIP, _WARC = b"\x1f\x8b", b"WARC/"
_RECORDS = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion
_READ_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
_TIMEOUT_S = 20
_USER_AGENT = f"Toponaut/{__version__} (one page at its user's request)"


class Document(Struct, frozen=True):
    """One page or text to look through, and how many bytes of its source are behind us with it."""

    source: str  # as the output names it: the file's path or the page's URL
    url: str
    content_type: str
    body: bytes
    passed: int


Report = Callable[[str, InputError], None]


def documents(sources: list[str], report: Report) -> Iterator[Document]:
    """All documents of some sources in order; what cannot be read is reported by its name and passed over."""
    for source in sources:
        try:
            yield from _of(source, report)
        except InputError as error:
            report(source, error)
        except OSError as error:
            report(source, InputError(_reason(error), "Check that it exists and may be read"))


def total_bytes(sources: list[str]) -> int:
    """How much there is to read, for the progress bar; URLs count nothing."""
    paths = (path for source in sources if "://" not in source for path in _files(Path(source)))
    return sum(path.stat().st_size for path in paths if path.is_file())


def page_of(document: Document) -> Page | None:
    """The page in a document; None if it is neither HTML nor text (parse() makes an empty page of a picture)."""
    page = parse(Response(document.url, 200, document.body, document.content_type))
    told = page.text or page.title or page.structured or document.body.strip()[:1] in (b"", b"<")
    return page if told else None


NO_PAGE = InputError(
    "it is neither HTML nor text", "Name HTML files, text files, WARCs, folders or URLs"
)


def _of(source: str, report: Report) -> Iterator[Document]:
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
            report(str(file), InputError(_reason(error), "Check that it may be read"))
    if empty:
        endings = " ".join(f"*{ending}" for ending in (*_TYPES, *_WARCS))
        raise InputError(
            "the folder holds nothing to read", f"Looked for {endings}, also in folders below"
        )


def _files(path: Path) -> Iterator[Path]:
    """A file itself; of a folder the pages, texts and WARCs in it and below, in the order of their names."""
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


# --- WARCs ---------------------------------------------------------------------------------------------


def _in_warc(path: Path) -> Iterator[Document]:
    """The HTML and text in a WARC's responses, resources and conversions (WET)."""
    at = -1
    with path.open("rb") as stream:
        try:
            for record in ArchiveIterator(
                stream, record_types=_RECORDS, parse_http=True, auto_decode="all"
            ):
                passed, at = record.stream_pos - max(at, 0), record.stream_pos
                url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
                content_type = _type_of(record)
                if content_type.startswith(_READ_TYPES):
                    yield Document(
                        url, url, content_type, record.reader.read(MAX_BYTES + 1), passed
                    )
        except (OSError, ValueError) as error:
            where = "from its beginning" if at < 0 else f"after byte {at:,}"
            cure = "Download or write it again"
            raise InputError(f"the WARC cannot be read {where} ({error})", cure) from error
    if at < 0:
        raise InputError(
            "the file holds no WARC records with pages", "Check that it is a WARC with responses"
        )
    if _is_cut_short(path, at):
        raise InputError(
            "the WARC ends within a record", "What it holds was read; download it again for all"
        )


def _type_of(record: WarcRecord) -> str:
    """The content type of a record's document; "" for what was answered with an error."""
    if record.http_headers is None:
        return str(record.headers.get("Content-Type", "")).lower()
    status = record.http_headers.status_code
    return (
        str(record.http_headers.get("Content-Type", "")).lower()
        if status and 200 <= status < 300
        else ""
    )


def _is_cut_short(path: Path, last: int) -> bool:
    """Whether the last record is shorter than it says: fastwarc reads on to the end without a word."""
    with path.open("rb") as stream:
        stream.seek(last)
        record = next(iter(ArchiveIterator(stream, parse_http=False)))
        left = record.content_length
        while left > 0 and (some := record.reader.read(min(left, MAX_BYTES))):
            left -= len(some)
    return left > 0


# --- URLs ----------------------------------------------------------------------------------------------


# Without the handlers for ftp: and file:, so that no redirect leads there.
_HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.HTTPDefaultErrorHandler,
)


def _fetched(url: str) -> Document:
    """One page from the web. Redirects are followed, to other HTTP addresses only."""
    if not url.lower().startswith(("http://", "https://")):
        raise InputError(
            "only http:// and https:// are fetched", "Save the page to a file and name that"
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
        cure = "Check the address and the connection"
        raise InputError(f"the page could not be fetched ({_reason(error)})", cure) from error


def _reason(error: BaseException) -> str:
    """What went wrong, in the system's words; urllib wraps them once more."""
    inner = getattr(error, "reason", None)
    if isinstance(inner, BaseException):
        return _reason(inner)
    return (
        " ".join(str(getattr(error, "strerror", None) or inner or error).split())
        or type(error).__name__
    )
