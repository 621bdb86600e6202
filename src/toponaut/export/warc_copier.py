"""Copies answers from archives into one WARC that refers to nothing outside itself.

A copy of a page is archived as a reference to its original (a revisit). If the original is not
wanted, it is still copied, before the first answer that refers to it. A page that was unchanged
since an earlier crawl refers to that crawl: it is complete only if that crawl is exported too, and
else counted in `orphans`.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
from msgspec import Struct

from toponaut import __version__
from toponaut.archive.cdxj import line_of
from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.archive.records import date_of, pack, warcinfo
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import WHOLE, WarcReader, WarcRecord
from toponaut.errors import InputError
from toponaut.records import Visit
from toponaut.store.mirror import present
from toponaut.urls import fingerprint

_READ = "outcome time relevant addresses title content_type hops archive offset length"
FIELDS = tuple(_READ.split())
_MAX_BEFORE = 1 << 24  # bytes before an answer searched for its request; usually 1,000
_LOCATION = re.compile(rb"\r\nWARC-Refers-To-File(?:name|-Offset):[^\r\n]*", re.IGNORECASE)

Write = Callable[[bytes], object]


class RecordGroup(Struct, frozen=True):
    """The records of an answer: metadata, request, rendered copy, last the response or revisit."""

    members: tuple[bytes, ...]  # each record as a gzip member
    answer: WarcRecord  # the last one

    @property
    def is_revisit(self) -> bool:
        return self.answer.kind == "revisit"

    @property
    def original(self) -> tuple[str, int] | None:
        """File and offset of the response a revisit refers to."""
        header = self.answer.header
        file = header.get("warc-refers-to-filename", "")
        offset = header.get("warc-refers-to-file-offset", "")
        return (Path(file).name, int(offset)) if file and offset.isdecimal() else None


def read_group(path: Path, start: int, offset: int, end: int) -> RecordGroup:
    """The records of the answer from `offset` to `end`. Raises UnreadableRecordError.

    Its other records are between `start`, the end of the answer before, and `offset`. Records there
    that do not name the answer (a warcinfo, or answers lost from the log) are left out.
    """
    start = start if 0 <= offset - start <= _MAX_BEFORE else offset
    with WarcReader(WarcFile.whole(path)) as reader:
        answer = reader.record_at(offset, WHOLE)
        if answer.end != end:
            raise UnreadableRecordError("not one complete record")
        if answer.kind not in ("response", "revisit") or not answer.url:
            raise UnreadableRecordError("not an answer")
        members = []
        for record in reader.records(start=start):
            if record.offset >= offset:
                break
            # A rendered copy refers to its response.
            names = (record.header.get(f"warc-{one}") for one in ("concurrent-to", "refers-to"))
            if answer.header.get("warc-record-id") in names:
                members.append(reader.raw(record.offset, record.end - record.offset))
        members.append(reader.raw(offset, end - offset))
    if answer.kind == "revisit":
        # Drop the two non-standard fields with the original's location, which changes.
        head = _LOCATION.sub(b"", answer.head)
        members[-1] = pack(b"\r\n\r\n".join((head, answer.block, b"")))
    return RecordGroup(tuple(members), answer)


class WarcCopier:
    """Writes a WARC. `note` receives a line of its index (CDXJ) for each answer."""

    def __init__(self, write: Write, name: str, title: str, note: Write = lambda _: None) -> None:
        self._write, self._note = write, note
        self._name = quote(name, safe=" ")  # it goes into headers and may contain anything
        self._info = {"software": f"Toponaut/{__version__}", "description": title}
        self._sources: dict[Path, _SourceWarc] = {}
        self._size = 0
        # Fingerprints of the URLs of responses, and of revisits without their originals.
        self._responses, self._unresolved = array("Q"), array("Q")
        self.answers = 0
        self.damaged = 0

    def take(self, archive: Path, visit: Visit, wanted: bool) -> bool:
        """Copies the answer of a visit if it is wanted; False if nothing was copied. Call it with
        all visits of a log, in order."""
        if not visit.archive:
            return False
        path = archive / visit.archive
        source = self._sources.setdefault(path, _SourceWarc())
        start = source.ends[-1] if source.ends else 0
        source.ends.append(visit.offset + visit.length)
        group = self._read(path, start, visit.offset, source.ends[-1]) if wanted else None
        if group is None:
            return False
        if group.is_revisit and not self._has_original(archive, group):
            self._unresolved.append(fingerprint(group.answer.header["warc-target-uri"]))
        source.copied.append(visit.offset)
        self._append(group)
        return True

    def close(self) -> None:
        """Ends the WARC. Even one without answers gets its first record."""
        if not self._size:
            self._begin(date_of(0.0))

    @property
    def has_archive(self) -> bool:
        return bool(self._sources)

    @property
    def orphans(self) -> int:
        """The number of answers whose original is neither here nor in a crawl that was named."""
        unresolved, responses = (
            np.array(urls, np.uint64) for urls in (self._unresolved, self._responses)
        )
        return int((~np.isin(unresolved, responses)).sum())

    def _read(self, path: Path, start: int, offset: int, end: int) -> RecordGroup | None:
        try:
            return read_group(present(path), start, offset, end)
        except FileNotFoundError:
            fix = "Put the crawl's archive back next to its log"
            raise InputError(f"there is no {path}", fix) from None
        except OSError as error:
            fix = "Check the permissions and the disk"
            raise InputError(f"{path} cannot be read ({error.strerror or error})", fix) from error
        except UnreadableRecordError:
            self.damaged += 1
            return None

    def _has_original(self, archive: Path, group: RecordGroup) -> bool:
        """Whether the original of a revisit is here. Copies it if it is not."""
        if group.original is None:
            return False
        file, offset = group.original
        source = self._sources.get(archive / file, _SourceWarc())
        if source.has(offset):
            return True
        at = bisect_right(source.ends, offset)  # the first answer that ends after it: itself
        if at == len(source.ends):
            return False
        start = source.ends[at - 1] if at else 0
        original = self._read(archive / file, start, offset, source.ends[at])
        if original is None or original.is_revisit:
            return False
        source.originals.add(offset)
        self._append(original)
        return True

    def _append(self, group: RecordGroup) -> None:
        header = group.answer.header
        if not self._size:
            self._begin(header.get("warc-date", date_of(0.0)))
        *others, answer = group.members
        for member in others:
            self._write(member)
            self._size += len(member)
        if not group.is_revisit:
            self._responses.append(fingerprint(header["warc-target-uri"]))
        self._note(line_of(self._name, self._size, len(answer), header, group.answer.block))
        self._write(answer)
        self._size += len(answer)
        self.answers += 1

    def _begin(self, date: str) -> None:
        member = pack(warcinfo(self._info, date, self._name, self._info["description"]))
        self._write(member)
        self._size = len(member)


class _SourceWarc:
    """What is known of a source WARC: where its answers end, and the offsets of those copied."""

    def __init__(self) -> None:
        self.ends, self.copied = array("Q"), array("Q")  # both ascend
        self.originals: set[int] = set()  # copied because an answer refers to them

    def has(self, offset: int) -> bool:
        at = bisect_right(self.copied, offset)
        return offset in self.originals or (at > 0 and self.copied[at - 1] == offset)
