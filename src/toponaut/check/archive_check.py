"""Checks WARC files: every record, its digest, its CDXJ line, and that the log's pointers lead to
it.
"""

from array import array
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, field
from xxhash import xxh3_64_intdigest

from toponaut.archive.archive_files import set_aside
from toponaut.archive.cdxj import index_path, line_of, lines_in, replace_lines
from toponaut.archive.records import digest_of
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import (
    CUT_SHORT,
    WHOLE,
    DamagedSpan,
    WarcReader,
    WarcRecord,
)
from toponaut.check.findings import Fate, Fault
from toponaut.urls import fingerprint

_ANSWERS = ("response", "revisit")
_REQUIRED = ("warc-record-id", "warc-date", "warc-type")
POINTER = 4  # numbers: offset, length, hashes of URL and digest
Step = Callable[[int], None]


class WarcCheck(Struct):
    """What a WARC file holds, and what is wrong with it."""

    records: int = 0
    answers: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # pointers by offset
    originals: list[tuple[str, int]] = field(default_factory=list)  # that revisits refer to
    lines: list[bytes] = field(default_factory=list)  # of the CDXJ, as it should be
    wrong: list[str] = field(default_factory=list)
    end: int = 0  # of the last record
    torn: int = 0  # bytes after it

    def add(self, record: WarcRecord, name: str) -> None:
        self.records += 1
        self.end = record.end
        if missing := [one for one in _REQUIRED if not record.header.get(one)]:
            self.wrong.append(f"the record at byte {record.offset:,} lacks {', '.join(missing)}")
        if not _digest_fits(record):
            self.wrong.append(f"the digest of the record at byte {record.offset:,} is wrong")
            return
        if record.kind in _ANSWERS:
            self._add_answer(record, name)

    def _add_answer(self, record: WarcRecord, name: str) -> None:
        header, length = record.header, record.end - record.offset
        line = line_of(name, record.offset, length, header, record.block)
        self.lines.append(line)
        # The log has no digest for a 304 without an original, other than that of nothing.
        digest = header.get("warc-payload-digest") or digest_of(b"")
        marks = fingerprint(record.url), xxh3_64_intdigest(digest.encode())
        self.answers[record.offset] = length, *marks
        if original := header.get("warc-refers-to-filename"):
            at = header.get("warc-refers-to-file-offset", "0")
            self.originals.append((original, int(at)))

    def dangling(self, pointers: "array[int]") -> list[int]:
        """The offsets of pointers that lead to no answer, or to another one."""
        return [
            pointers[k]
            for k in range(0, len(pointers), POINTER)
            if self.answers.get(pointers[k]) != tuple(pointers[k + 1 : k + POINTER])
        ]


def check_warc(path: Path, step: Step) -> WarcCheck:
    """Read a WARC from its first to its last byte; unreadable parts are skipped."""
    found, size = WarcCheck(), path.stat().st_size
    with WarcReader(WarcFile.whole(path)) as reader:
        for part in reader.walk(WHOLE):
            if isinstance(part, WarcRecord) and not part.torn:
                found.add(part, path.name)
            elif part.end >= size:
                found.torn = size - found.end
            else:
                what = f"bytes {part.offset:,} to {part.end:,} are unreadable"
                reason = part.reason if isinstance(part, DamagedSpan) else CUT_SHORT
                found.wrong.append(f"{what} ({reason})")
            step(part.end - part.offset)
    return found


def _digest_fits(record: WarcRecord) -> bool:
    """Whether the digests that a record names are right; other kinds than SHA-1 are not checked."""
    payload = record.block.partition(b"\r\n\r\n")[2] if record.kind == "response" else None
    named = (
        (record.header.get("warc-block-digest", ""), record.block),
        (record.header.get("warc-payload-digest", ""), payload),
    )
    return all(
        content is None or not digest.startswith("sha1:") or digest == digest_of(content)
        for digest, content in named
    )


def file_findings(warc: Path, found: WarcCheck, grows: bool, repair: bool) -> list[Fault]:
    """What is wrong with a WARC and its CDXJ, after repairing what can be."""
    file, fate = f"archive/{warc.name}", Fate.REPAIRED if repair else Fate.REPAIRABLE
    findings = [Fault("archive", file, what, Fate.GONE) for what in found.wrong]
    if grows:
        return findings
    if found.torn:
        findings.append(Fault("archive", file, f"{found.torn:,} bytes at its end are torn", fate))
        if repair:
            set_aside(warc, found.end)
    index = index_path(warc)
    if sorted(lines_in(index)) != sorted(found.lines):
        what = f"lists other answers than the {len(found.lines):,} of its WARC"
        findings.append(Fault("archive", f"archive/{index.name}", what, fate))
        if repair:
            replace_lines(index, sorted(found.lines))
    return findings
