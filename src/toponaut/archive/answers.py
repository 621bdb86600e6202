"""Reads one answer from a crawl's archive, at the location the log has for it."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from xxhash import xxh3_64_intdigest

from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.archive.records import OriginalRecord, as_received
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import WHOLE, WarcReader, WarcRecord
from toponaut.errors import InputError

_END = b"\r\n\r\n"


class ArchivedAnswer(Struct, frozen=True):
    """An answer as archived. The payload of a revisit is that of its original."""

    url: str
    date: str  # of the request: "2026-11-01T12:00:00.250000Z"
    kind: str  # "response" or "revisit"
    response_head: bytes  # status line and headers, with the empty line
    payload: bytes  # the body as received, still gzip if the server compressed it
    digest: str = ""  # of the payload
    ip: str = ""
    # Why the payload is incomplete: "length", "time", "disconnect", "unspecified".
    truncated: str = ""
    refers_to: str = ""  # of a revisit: the original's URL
    refers_to_date: str = ""


def read_answer(
    path: Path, offset: int, length: int, present: Callable[[Path], Path] = lambda path: path
) -> ArchivedAnswer:
    """The answer at a location in a WARC file; InputError if there is none. `present` maps each
    file to a local copy before it is read."""
    record = _read_record(present(path), offset)
    header, kind = record.header, record.kind
    if record.end != offset + length:
        raise _no_answer(path, offset, f"its record is not {length:,} bytes long")
    if kind not in ("response", "revisit"):
        raise _no_answer(path, offset, f"a {kind or 'nameless'} record")
    head, _, payload = record.block.partition(_END)
    if kind == "revisit" and "warc-refers-to-filename" in header:
        sibling = path.with_name(Path(header["warc-refers-to-filename"]).name)
        original = _read_record(present(sibling), int(header["warc-refers-to-file-offset"]))
        if original.kind != "response":
            raise _no_answer(sibling, original.offset, "not the original of a later answer")
        payload = original.block.partition(_END)[2]
    return ArchivedAnswer(
        url=header.get("warc-target-uri", ""),
        date=header.get("warc-date", ""),
        kind=kind,
        response_head=as_received(head + _END),
        payload=payload,
        digest=header.get("warc-payload-digest", ""),
        ip=header.get("warc-ip-address", ""),
        truncated=header.get("warc-truncated", "") if kind == "response" else "",
        refers_to=header.get("warc-refers-to-target-uri", ""),
        refers_to_date=header.get("warc-refers-to-date", ""),
    )


def find_original(path: Path, offset: int, digest: str = "") -> OriginalRecord | None:
    """The response there, or the original of the revisit; None if missing or of another digest."""
    try:
        with WarcReader(WarcFile.whole(path)) as reader:
            header = reader.header_at(offset)
    except (UnreadableRecordError, FileNotFoundError):
        return None
    found = header.get("warc-payload-digest", "")
    if not found or (digest and found != digest):
        return None
    if header["warc-type"] == "response":
        names = ("warc-target-uri", "warc-date", "warc-record-id")
        file = path.name
    elif "warc-refers-to-filename" in header:
        names = ("warc-refers-to-target-uri", "warc-refers-to-date", "warc-refers-to")
        file, offset = header["warc-refers-to-filename"], int(header["warc-refers-to-file-offset"])
    else:
        return None
    url, date, id = (header[name] for name in names)
    return OriginalRecord(url, date, id, found, file, offset)


def _read_record(path: Path, offset: int) -> WarcRecord:
    try:
        with WarcReader(WarcFile.whole(path)) as reader:
            return reader.record_at(offset, WHOLE)
    except FileNotFoundError:
        raise InputError(
            f"there is no {path}", "Put the crawl's archive back next to its log"
        ) from None
    except UnreadableRecordError as error:
        raise _no_answer(path, offset, str(error)) from None


def _no_answer(path: Path, offset: int, found: str) -> InputError:
    fix = "The file is damaged or belongs to another crawl: restore it"
    return InputError(f"{path} has no answer at byte {offset:,} ({found})", fix)


GENERATION = 1 << 18  # an entry takes 108 bytes, so both generations take 57 MB at most
_OFFSET_BITS = 44  # 17 TB; the file's number is in the bits above


class PayloadIndex:
    """Payload digests with the file number and offset of their records.

    When the young generation is full it becomes the old one, which is dropped. A forgotten payload
    is archived again; most copies come soon after their originals.
    """

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def find(self, digest: str) -> tuple[int, int] | None:
        """File number and offset. Check the record: two digests may share their 64 bits."""
        key = xxh3_64_intdigest(digest.encode())
        packed = self._young.get(key) or self._old.get(key)
        if packed is None:
            return None
        return packed >> _OFFSET_BITS, packed & ((1 << _OFFSET_BITS) - 1)

    def add(self, digest: str, file: int, offset: int) -> None:
        """Notes an archived payload. File 0 with offset 0 cannot be stored: a warcinfo is there."""
        self._young[xxh3_64_intdigest(digest.encode())] = file << _OFFSET_BITS | offset
        if len(self._young) >= self._generation:
            self._old, self._young = self._young, {}
