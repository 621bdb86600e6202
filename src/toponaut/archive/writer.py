"""Appends answers to a node's WARC files.

An answer is one group of records. Groups are held back, a megabyte at most, and written in one piece: a reader of the growing
file sees a group whole or not at all, and a write that fails (a full disk) is cut off again, so that the file always ends
with a whole record, and is made again the next time. `sync` writes all and makes it safe. It comes before the log's own:
the archive is never behind it.

A file begins with a warcinfo record, dated by the first answer in it. It is finished, and its index sorted, by the
answer after the one that takes it past `max_bytes`, or by `close`.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from toponaut.archive import cdxj, records
from toponaut.archive.indexing import latest_responses
from toponaut.archive.members import packed, packed_around
from toponaut.archive.originals import GENERATION, Originals
from toponaut.archive.reading import original_at
from toponaut.archive.records import Answer, Original
from toponaut.archive.repair import Files, Mended
from toponaut.records import Outcome, Response
from toponaut.store.disk import sync_directory

# A reference takes 150 bytes more than a response's header, packed; 300 bytes of HTML pack to 170, 1,000 to 500.
# Below this a copy costs less than looking for its original.
SMALLEST_ORIGINAL = 1000
_MANY_LINES = 1000  # of the index, kept back until the next sync: 300 KB
_HELD = (
    1 << 20
)  # bytes; the groups of a hundred pages. Written one by one they took 20 us each, so 4


class Stored(Struct, frozen=True):
    """Where an answer lies: what the log keeps of it."""

    file: str
    offset: int  # of the response or revisit
    length: int  # of it, packed
    digest: str  # of the payload: "sha1:" and 32 letters

    @property
    def end(self) -> int:
        """Where the whole group ends: the answer closes it."""
        return self.offset + self.length


class ArchiveWriter:
    """The archive of one node. On resume call `truncate_to` before the first `write`. `group`: numbers between two `roll`s; the last
    file before the next grows beyond `max_bytes` rather than taking a number of that."""

    def __init__(
        self, directory: Path, node: str, *, max_bytes: int, info: Mapping[str, str], group: int = 0
    ) -> None:
        self._files = Files(directory, node)
        self._max_bytes = max_bytes
        self._group = group
        self._info = dict(info)
        self._seed = blake2b(
            repr((node, sorted(self._info.items()))).encode(), digest_size=16
        ).hexdigest()
        self._originals = Originals()
        self._known = False  # whether the files of earlier runs have been looked at
        self._number = -1  # of the last file
        self._warc: FileIO | None = None  # the last file, while it grows
        self._size = 0  # of it, with what is held back
        self._held: list[bytes] = []  # groups behind what is written of it
        self._written = 0
        self._is_new = False  # its name is not safe on disk yet
        self._lines: list[
            tuple[cdxj.Entry, str]
        ] = []  # of its index, not written yet: entries and dates

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write(
        self,
        fetched: Response,
        decisions: Mapping[str, object],
        earlier: tuple[str, int] | None = None,
    ) -> Stored | None:
        """Archives an answer with our decisions on it; None where no answer came.

        `earlier` is where our last copy of the page lies (file, offset), for a server that says it is unchanged.
        """
        if fetched.status == 0:
            return None
        answer = records.answer_of(fetched)
        self._grow()
        file = self._files.name(self._number)
        seeds = (self._seed, file, str(self._size), answer.url, answer.date, answer.digest)
        metadata_id, request_id, id = records.ids(*seeds)
        before = packed(records.metadata(answer, metadata_id, id, decisions))
        if self._size == 0:
            before = packed(records.warcinfo(self._info, answer.date, file, self._seed)) + before
        if answer.request:
            before += packed(records.request(answer, request_id, id))
        beside = request_id if answer.request else metadata_id
        if fetched.outcome is Outcome.UNCHANGED:
            original = (
                self._original_at(self._files.directory / earlier[0], earlier[1])
                if earlier
                else None
            )
            member = packed(records.revisit(answer, id, beside, records.NOT_MODIFIED, original))
        elif original := self._original_of(answer):
            member = packed(records.revisit(answer, id, beside, records.IDENTICAL, original))
        else:
            member = _packed_response(answer, id, beside)
        stored = Stored(
            file,
            self._size + len(before),
            len(member),
            original.digest if original else answer.digest,
        )
        self._held += before, member
        self._size = stored.end
        is_revisit = original is not None or fetched.outcome is Outcome.UNCHANGED
        self._note(stored, fetched, answer, is_revisit)
        return stored

    def sync(self) -> None:
        """Makes safe on disk what has been written. To be called before the log's own."""
        self.sync_later()()

    def sync_later(self) -> Callable[[], None]:
        """Writes all that is held back, and gives what waits for the disk: for another thread."""
        if self._warc is None:
            return _nothing
        self._write_held()
        self._write_lines()
        if self._is_new:
            os.fsync(self._warc.fileno())
            sync_directory(self._files.directory)
            self._is_new = False
            return _nothing
        return partial(
            _wait_for, os.dup(self._warc.fileno())
        )  # of its own: the file may be finished meanwhile

    def close(self) -> None:
        """Makes all safe and sorts the index. A later run goes on in the same file."""
        self._finish()
        self._known = False

    def roll(self, number: int) -> None:
        """Finishes the file that grows: nothing more is written to it. The next one has this number, a higher one than any so far."""
        self._finish()
        if not self._known:
            self._look_at_files()
        self._number = number - 1

    def truncate_to(self, file: str, end: int) -> Mended:
        """Cuts off all that follows the last answer the log knows of; ("", 0) if it knows of none.

        Look at `missing` in what it returns: the log may know of more than is there.
        """
        if self._warc is not None:
            self._warc.close()
            self._warc = None
            self._held.clear()
            self._lines.clear()
        mended = self._files.truncate(file, end)
        self._look_at_files()
        if file and not mended.missing:
            self._open()
        elif file:
            self._number = self._files.number(file)
        return mended

    # --- files ------------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Sees to it that there is a file to write to, and room in what is held back."""
        if not self._known:
            self._files.mend()
            self._look_at_files()
            if self._number >= 0:
                self._open()
        is_last = self._group and (self._number + 1) % self._group == 0
        if self._warc is not None and self._size >= self._max_bytes and not is_last:
            self._finish()
        if self._warc is None:
            self._number += 1
            self._open()
        elif self._size - self._written >= _HELD:
            self._write_held()

    def _open(self) -> None:
        self._files.directory.mkdir(parents=True, exist_ok=True)
        path = self._files.path(self._number)
        self._is_new = not path.exists()
        self._warc = FileIO(path, "a")
        self._size = self._written = path.stat().st_size

    def _write_held(self) -> None:
        if self._held and self._warc is not None:
            append(self._warc, self._written, b"".join(self._held))
            self._held.clear()
            self._written = self._size

    def _finish(self) -> None:
        if self._warc is not None:
            self.sync()
            cdxj.sort(self._index())
            self._warc.close()
            self._warc = None

    def _look_at_files(self) -> None:
        """Learns what earlier runs have written."""
        numbers = self._files.numbers()
        self._number = numbers[-1] if numbers else -1
        self._originals = Originals()
        for warc, entry in latest_responses(
            [self._files.path(number) for number in numbers], GENERATION
        ):
            self._originals.add(entry.digest, self._files.number(warc.name), entry.start)
        self._known = True

    # --- copies and the index ---------------------------------------------------------------------------------

    def _original_of(self, answer: Answer) -> Original | None:
        """The archived response with the same payload, if it is remembered and worth a reference."""
        if len(answer.payload) < SMALLEST_ORIGINAL or answer.cut:
            return None
        place = self._originals.find(answer.digest)
        if place is None:
            return None
        return self._original_at(self._files.path(place[0]), place[1], answer.digest)

    def _original_at(self, path: Path, offset: int, digest: str = "") -> Original | None:
        if offset >= self._written and path.name == self._files.name(self._number):
            self._write_held()
        return original_at(path, offset, digest)

    def _note(self, stored: Stored, fetched: Response, answer: Answer, is_revisit: bool) -> None:
        """Takes an answer into the index and, if others may refer to it, among the originals."""
        if not is_revisit and len(answer.payload) >= SMALLEST_ORIGINAL:
            self._originals.add(answer.digest, self._number, stored.offset)
        entry = cdxj.Entry(
            url=answer.url,
            mime=cdxj.REVISIT if is_revisit else cdxj.mime_of(fetched.content_type),
            status=str(fetched.status),
            digest=stored.digest,
            length=str(stored.length),
            offset=str(stored.offset),
            filename=stored.file,
        )
        self._lines.append((entry, answer.date))
        if len(self._lines) >= _MANY_LINES:
            self._write_lines()

    def _write_lines(self) -> None:
        if self._lines:
            self._write_held()  # an index is not ahead of its file
            with FileIO(self._index(), "a") as index:
                append(index, index.tell(), b"".join([cdxj.line(*one) for one in self._lines]))
            self._lines.clear()

    def _index(self) -> Path:
        return cdxj.index_of(self._files.path(self._number))


def _packed_response(answer: Answer, id: str, beside: str) -> bytes:
    head, payload, tail = records.response(answer, id, beside)
    return packed_around(head, payload, tail) if answer.packed else packed(head + payload + tail)


def _nothing() -> None:
    pass


def _wait_for(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append(file: FileIO, size: int, data: bytes) -> None:
    """Writes all of `data` behind the `size` bytes of a file, or nothing: what a full disk cuts short is undone."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except BaseException:
        os.ftruncate(file.fileno(), size)
        raise
