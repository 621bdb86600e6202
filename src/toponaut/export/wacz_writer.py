"""A WACZ 1.1.1: a WARC with its index and its list of pages in one zip, for ReplayWeb.page and
Toponaut.

    archive/data.warc.gz              stored, so that a record can be read in place
    indexes/index.cdx.gz, index.idx   the index in gzip blocks, and where each begins
    pages/pages.jsonl                 the relevant pages
    pages/extraPages.jsonl            the others, if there are any
    datapackage.json                  the contents with SHA-256; datapackage-digest.json has its own

The zip is written without seeking, as Browsertrix does it: sizes follow each file.
"""

import io
import struct
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import msgspec
from isal import isal_zlib
from xxhash import xxh3_64_hexdigest

from toponaut import __version__
from toponaut.export.disk_sort import DiskSort
from toponaut.export.output import OutputSink
from toponaut.export.rows import moment
from toponaut.records import Visit

WARC = "data.warc.gz"
_INDEX = "index.cdx.gz"
_BLOCK_LINES = 1024  # as py-wacz does it
_GZIP, _LEVEL = 31, 2
_RELEVANT, _EXTRA = b"0", b"1"
# A time stamp ("UT", the date of the entry: 1980) as an extra field of every entry. ReplayWeb.page
# reads the local header, with its longer ZIP64 field, only of entries that have an extra field.
_TIME_STAMP = struct.pack("<HHBL", 0x5455, 5, 1, 315_532_800)


class WaczWriter:
    """Writes a WACZ: the WARC through `warc()`, with a `line` and a `page` for each answer. Leaving
    the context writes the rest."""

    def __init__(self, out: io.RawIOBase, title: str, description: str) -> None:
        self._out, self._title, self._description = out, title, description
        self._resources: list[dict[str, object]] = []
        self._has_extra = False
        self._last = 0.0  # the time of the newest page
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._zip = ZipFile(self._out, "w")
        self._lines, self._pages = (self._stack.enter_context(DiskSort()) for _ in range(2))
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self._stack:
            if error is None:
                self._write_index()
                self._write_pages()
                self._write_package()
                self._zip.close()
            else:
                self._zip.fp = None  # so that it does not write its table of contents

    @contextmanager
    def warc(self) -> Iterator[OutputSink]:
        with self._member(f"archive/{WARC}", ZIP_STORED) as member:
            yield member

    def line(self, line: bytes) -> None:
        """A line of the index."""
        self._lines.add(line, b"")

    def page(self, visit: Visit) -> None:
        self._last = max(self._last, visit.time)
        self._has_extra |= not visit.relevant
        entry = {
            "id": xxh3_64_hexdigest(f"{visit.url} {visit.time!r}".encode()),
            "url": visit.url,
            "ts": _iso(visit.time),
            "title": visit.title or visit.url,
            "mime": visit.content_type.partition(";")[0].strip(),
            "status": visit.status,
            "depth": visit.hops,
        }
        self._pages.add(_RELEVANT if visit.relevant else _EXTRA, msgspec.json.encode(entry))

    # --- the files after the WARC ---

    def _write_index(self) -> None:
        places = [b"!meta 0 " + _json({"format": "cdxj-gzip-1.0", "filename": _INDEX})]
        with self._member(f"indexes/{_INDEX}", ZIP_STORED) as member:
            for lines in _blocks(line for line, _ in self._lines):
                block: bytes = isal_zlib.compress(b"".join(lines), _LEVEL, _GZIP)
                digest = f"sha256:{sha256(block).hexdigest()}"
                place = {
                    "offset": member.size,
                    "length": len(block),
                    "digest": digest,
                    "filename": _INDEX,
                }
                if lines:
                    key, stamp, _ = lines[0].split(b" ", 2)
                    places.append(key + b" " + stamp + b" " + _json(place))
                member.write(block)
        with self._member("indexes/index.idx", ZIP_DEFLATED) as member:
            member.write(b"".join(places))

    def _write_pages(self) -> None:
        lists = [(_RELEVANT, "pages", "Relevant pages"), (_EXTRA, "extraPages", "Other pages")]
        for key, name, title in lists if self._has_extra else lists[:1]:
            with self._member(f"pages/{name}.jsonl", ZIP_DEFLATED) as member:
                member.write(_json({"format": "json-pages-1.0", "id": name, "title": title}))
                for which, entry in self._pages:
                    if which == key:
                        member.write(entry + b"\n")

    def _write_package(self) -> None:
        package = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "title": self._title,
            "description": self._description,
            # Not the time of the export: the same crawl gives the same bytes.
            "created": _iso(self._last),
            "software": f"Toponaut {__version__}",
            "resources": list(self._resources),
        }
        with self._member("datapackage.json", ZIP_DEFLATED) as member:
            member.write(_json(package))
        digest = {"path": "datapackage.json", "hash": f"sha256:{member.sha256}"}
        with self._member("datapackage-digest.json", ZIP_DEFLATED) as member:
            member.write(_json(digest))

    @contextmanager
    def _member(self, path: str, packing: int) -> Iterator[OutputSink]:
        info = ZipInfo(path)  # dated 1980, the earliest date in a zip
        info.compress_type = packing
        info.external_attr = 0o644 << 16
        info.extra = _TIME_STAMP
        with self._zip.open(info, "w", force_zip64=packing == ZIP_STORED) as stream:
            member = OutputSink(stream)
            yield member
        self._resources.append(
            {
                "name": path.rpartition("/")[2].lower(),
                "path": path,
                "hash": f"sha256:{member.sha256}",
                "bytes": member.size,
            }
        )


def _blocks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines in blocks; one empty block if there are none: a gzip file has at least one member."""
    rest = iter(lines)
    block = list(islice(rest, _BLOCK_LINES))
    yield block
    while block := list(islice(rest, _BLOCK_LINES)):
        yield block


def _json(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _iso(time: float) -> str:
    return f"{moment(time) or datetime.fromtimestamp(0, UTC):%Y-%m-%dT%H:%M:%SZ}"
