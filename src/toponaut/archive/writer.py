"""Appends answers to a node's WARC files.

The records of one answer form a group. Groups are buffered, up to a megabyte, and written in one
piece: a reader of the growing file sees a group completely or not at all. A failed write (a full
disk) is undone and repeated the next time, so a file always ends with a complete record. `sync`
writes everything and makes it durable. Call it before the log's sync: the archive must never lag
behind the log.

A file begins with a warcinfo record, dated by its first answer. It is finished, and its index
sorted, by the first answer after it exceeds `max_bytes`, or by `close`.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import Self

from msgspec import Struct

from toponaut.archive import cdxj, records
from toponaut.archive.answers import GENERATION, PayloadIndex, find_original
from toponaut.archive.archive_files import ArchiveFiles, TruncateResult
from toponaut.archive.records import AnswerRecord, OriginalRecord, pack, pack_around
from toponaut.records import Outcome, Response
from toponaut.store.disk import sync_directory

# Below this size a copy costs less than a reference: a reference takes 150 bytes more than a
# response's header, and 300 bytes of HTML pack to 170, 1,000 to 500.
SMALLEST_ORIGINAL = 1000
_MAX_LINES = 1000  # of the index, buffered until the next sync: 300 KB
_BUFFER = 1 << 20  # bytes, about a hundred pages; unbuffered, a page took 20 us instead of 4


class RecordLocation(Struct, frozen=True):
    """Where an answer is archived, as the log keeps it."""

    file: str
    offset: int  # of the response or revisit
    length: int  # of its gzip member
    digest: str  # of the payload: "sha1:" and 32 letters

    @property
    def end(self) -> int:
        """Where its group of records ends: the answer is the last."""
        return self.offset + self.length


class ArchiveWriter:
    """The archive of one node. On resume call `truncate_to` before the first `write`.

    `group`: file numbers between two `roll`s. The last file before the next `roll` grows beyond
    `max_bytes` instead of taking a number of the next group.
    """

    def __init__(
        self, directory: Path, node: str, *, max_bytes: int, info: Mapping[str, str], group: int = 0
    ) -> None:
        self._files = ArchiveFiles(directory, node)
        self._max_bytes = max_bytes
        self._group = group
        self._info = dict(info)
        self._seed = blake2b(
            repr((node, sorted(self._info.items()))).encode(), digest_size=16
        ).hexdigest()
        self._originals = PayloadIndex()
        self._known = False  # whether the files of earlier runs have been read
        self._number = -1  # of the last file
        self._warc: FileIO | None = None  # the last file, while it grows
        self._size = 0  # of it, with the buffer
        self._buffer: list[bytes] = []  # groups not written yet
        self._written = 0
        self._is_new = False  # its directory entry is not synced yet
        self._lines: list[tuple[cdxj.CdxjEntry, str]] = []  # index entries and dates, not written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(
        self,
        fetched: Response,
        decisions: Mapping[str, object],
        earlier: tuple[str, int] | None = None,
    ) -> RecordLocation | None:
        """Archives an answer; None if there was none. `earlier`: the place of our last copy."""
        if fetched.status == 0:
            return None
        answer = records.answer_record(fetched)
        self._grow()
        file = self._files.name(self._number)
        seeds = (self._seed, file, str(self._size), answer.url, answer.date, answer.digest)
        metadata_id, request_id, id = records.ids(*seeds)
        before = pack(records.metadata(answer, metadata_id, id, decisions))
        if self._size == 0:
            before = pack(records.warcinfo(self._info, answer.date, file, self._seed)) + before
        if answer.request:
            before += pack(records.request(answer, request_id, id))
        if fetched.rendered:
            before += pack(records.conversion(answer, id, fetched.rendered))
        sibling = request_id if answer.request else metadata_id
        if fetched.outcome is Outcome.UNCHANGED:
            original = self._original_at(*earlier) if earlier else None
            member = pack(records.revisit(answer, id, sibling, records.NOT_MODIFIED, original))
        elif original := self._original_of(answer):
            member = pack(records.revisit(answer, id, sibling, records.IDENTICAL, original))
        else:
            member = _pack_response(answer, id, sibling)
        digest = original.digest if original else answer.digest
        stored = RecordLocation(file, self._size + len(before), len(member), digest)
        self._buffer += before, member
        self._size = stored.end
        is_revisit = original is not None or fetched.outcome is Outcome.UNCHANGED
        self._note(stored, fetched, answer, is_revisit)
        return stored

    def sync(self) -> None:
        """Makes everything durable. Call it before the log's sync."""
        self.sync_later()()

    def sync_later(self) -> Callable[[], None]:
        """Writes the buffer; returns a function that waits for the disk, for another thread."""
        if self._warc is None:
            return _nothing
        self._write_buffer()
        self._write_lines()
        if self._is_new:
            os.fsync(self._warc.fileno())
            sync_directory(self._files.directory)
            self._is_new = False
            return _nothing
        # A duplicate, because the file may be closed before the function is called.
        return partial(_wait_for, os.dup(self._warc.fileno()))

    def close(self) -> None:
        """Makes everything durable and sorts the index. A later run continues in the same file."""
        self._finish()
        self._known = False

    def roll(self, number: int) -> None:
        """Finishes the growing file. The next one gets this number, higher than any so far."""
        self._finish()
        if not self._known:
            self._read_files()
        self._number = number - 1

    def truncate_to(self, file: str, end: int) -> TruncateResult:
        """Removes everything after the last answer in the log. Check `missing` in the result."""
        if self._warc is not None:
            self._warc.close()
            self._warc = None
            self._buffer.clear()
            self._lines.clear()
        result = self._files.truncate(file, end)
        self._read_files()
        if file and not result.missing:
            self._open()
        elif file:
            self._number = self._files.number(file)
        return result

    # --- files ---

    def _grow(self) -> None:
        """Makes sure that there is a file to write to, and room in the buffer."""
        if not self._known:
            self._files.repair_end()
            self._read_files()
            if self._number >= 0:
                self._open()
        is_last = self._group and (self._number + 1) % self._group == 0
        if self._warc is not None and self._size >= self._max_bytes and not is_last:
            self._finish()
        if self._warc is None:
            self._number += 1
            self._open()
        elif self._size - self._written >= _BUFFER:
            self._write_buffer()

    def _open(self) -> None:
        self._files.directory.mkdir(parents=True, exist_ok=True)
        path = self._files.path(self._number)
        self._is_new = not path.exists()
        self._warc = FileIO(path, "a")
        self._size = self._written = path.stat().st_size

    def _write_buffer(self) -> None:
        if self._buffer and self._warc is not None:
            append(self._warc, self._written, b"".join(self._buffer))
            self._buffer.clear()
            self._written = self._size

    def _finish(self) -> None:
        if self._warc is not None:
            self.sync()
            cdxj.sort_index(self._index())
            self._warc.close()
            self._warc = None

    def _read_files(self) -> None:
        """Reads which files and payloads earlier runs have written."""
        numbers = self._files.numbers()
        self._number = numbers[-1] if numbers else -1
        self._originals = PayloadIndex()
        for warc, entry in cdxj.latest_responses(
            [self._files.path(number) for number in numbers], GENERATION
        ):
            self._originals.add(entry.digest, self._files.number(warc.name), entry.start)
        self._known = True

    # --- copies and the index ---

    def _original_of(self, answer: AnswerRecord) -> OriginalRecord | None:
        """The archived response with the same payload, if it is known and worth a reference."""
        if len(answer.payload) < SMALLEST_ORIGINAL or answer.cut:
            return None
        place = self._originals.find(answer.digest)
        if place is None:
            return None
        return self._original_at(self._files.name(place[0]), place[1], answer.digest)

    def _original_at(self, file: str, offset: int, digest: str = "") -> OriginalRecord | None:
        if offset >= self._written and file == self._files.name(self._number):
            self._write_buffer()
        return find_original(self._files.directory / file, offset, digest)

    def _note(
        self, stored: RecordLocation, fetched: Response, answer: AnswerRecord, is_revisit: bool
    ) -> None:
        """Adds an answer to the index and, if others may refer to it, to the originals."""
        if not is_revisit and len(answer.payload) >= SMALLEST_ORIGINAL:
            self._originals.add(answer.digest, self._number, stored.offset)
        entry = cdxj.CdxjEntry(
            url=answer.url,
            mime=cdxj.REVISIT if is_revisit else cdxj.mime_of(fetched.content_type),
            status=str(fetched.status),
            digest=stored.digest,
            length=str(stored.length),
            offset=str(stored.offset),
            filename=stored.file,
        )
        self._lines.append((entry, answer.date))
        if len(self._lines) >= _MAX_LINES:
            self._write_lines()

    def _write_lines(self) -> None:
        if self._lines:
            self._write_buffer()  # the index must not list more than the file has
            with FileIO(self._index(), "a") as index:
                append(
                    index, index.tell(), b"".join([cdxj.format_line(*one) for one in self._lines])
                )
            self._lines.clear()

    def _index(self) -> Path:
        return cdxj.index_path(self._files.path(self._number))


def _pack_response(answer: AnswerRecord, id: str, sibling: str) -> bytes:
    head, payload, tail = records.response(answer, id, sibling)
    return pack_around(head, payload, tail) if answer.packed else pack(head + payload + tail)


def _nothing() -> None:
    pass


def _wait_for(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append(file: FileIO, size: int, data: bytes) -> None:
    """Appends all of `data` to a file of `size` bytes, or nothing."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise
