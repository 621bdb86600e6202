"""The index as a fold over its WARC: what it lacks is read from there."""

import re
from collections.abc import Iterator
from pathlib import Path

from toponaut.archive import cdxj
from toponaut.archive.members import members
from toponaut.archive.reading import parsed
from toponaut.archive.records import digest_of

_CONTENT_TYPE = re.compile(rb"\ncontent-type[ \t]*:([^\r\n]*)", re.IGNORECASE)


def complete_index(warc: Path, limit: int) -> int:
    """Makes a WARC's index tell of all whole answers up to `limit`, and of no others; where the last of them ends.

    Lines are taken from the index as far as it goes, and made from the WARC thereafter.
    """
    index = cdxj.index_of(warc)
    lines, end = _trusted(warc, cdxj.lines_in(index), min(limit, warc.stat().st_size))
    for line, group_end in _groups(warc, end):
        if group_end > limit:
            break
        lines.append(line)
        end = group_end
    cdxj.replace(index, lines)
    return end


def latest_responses(warcs: list[Path], count: int) -> list[tuple[Path, cdxj.Entry]]:
    """The last responses of some WARCs in their order: all, or at least `count`, taking no more files than needed."""
    found: list[tuple[Path, cdxj.Entry]] = []
    for warc in reversed(warcs):
        entries = sorted(_entries(warc), key=lambda entry: entry.start, reverse=True)
        found += ((warc, entry) for entry in entries if entry.mime != cdxj.REVISIT)
        if len(found) >= count:
            break
    return found[::-1]


def _entries(warc: Path) -> list[cdxj.Entry]:
    """All entries of a WARC's index, which is made again where it is lost or damaged."""
    index = cdxj.index_of(warc)
    try:
        if index.exists():
            return [cdxj.entry_in(line) for line in cdxj.lines_in(index)]
    except (ValueError, IndexError):
        index.unlink()
    complete_index(warc, warc.stat().st_size)
    cdxj.sort(index)
    return [cdxj.entry_in(line) for line in cdxj.lines_in(index)]


def _trusted(warc: Path, lines: list[bytes], limit: int) -> tuple[list[bytes], int]:
    """The lines up to `limit`, and where their last record ends; none if that record is not there."""
    try:
        entries = [cdxj.entry_in(line) for line in lines]
    except (ValueError, IndexError):
        return [], 0
    kept = [
        (entry.end, entry.start, line)
        for entry, line in zip(entries, lines, strict=True)
        if entry.end <= limit
    ]
    if not kept:
        return [], 0
    end, start, _ = max(kept)
    offset, length, _ = next(members(warc, start), (0, 0, b""))
    return ([line for _, _, line in kept], end) if offset + length == end else ([], 0)


def _groups(warc: Path, start: int) -> Iterator[tuple[bytes, int]]:
    """The line and the end of every whole group of records from `start` on."""
    for offset, length, record in members(warc, start):
        try:
            header, block = parsed(record)
        except ValueError:
            return
        if header.get("warc-type") in ("response", "revisit"):
            yield line_of(warc, offset, length, header, block), offset + length


def line_of(warc: Path, offset: int, length: int, header: dict[str, str], block: bytes) -> bytes:
    """The line of the answer at this place of a WARC."""
    head, _, _ = block.partition(b"\r\n\r\n")
    found = _CONTENT_TYPE.search(head)
    is_revisit = header["warc-type"] == "revisit"
    entry = cdxj.Entry(
        url=header["warc-target-uri"],
        mime=cdxj.REVISIT
        if is_revisit
        else cdxj.mime_of(found[1].decode("latin-1") if found else ""),
        status=head.split(b" ", 2)[1][:3].decode("latin-1"),
        digest=header.get("warc-payload-digest")
        or digest_of(b""),  # a 304 without an original has none
        length=str(length),
        offset=str(offset),
        filename=warc.name,
    )
    return cdxj.line(entry, header["warc-date"])
