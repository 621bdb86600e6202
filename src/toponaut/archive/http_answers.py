"""The HTTP answer in a WARC record: status, headers, payload."""

import re
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.archive.warc_reader import WarcRecord

Headers = tuple[tuple[str, str], ...]
_HEAD_END = re.compile(rb"\r*\n\r*\n")
_CHUNK_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\r\n]{0,200})?\r\n")


class NoHttpError(UnreadableRecordError):
    def __init__(self) -> None:
        super().__init__("no HTTP answer")


class RecordedAnswer(Struct, frozen=True):
    """An answer as it was recorded."""

    status: int
    headers: Headers  # names in lower case
    head: bytes  # as received; b"" if there was none, as in a folder of pages
    payload: bytes  # chunks joined
    # Why the payload is incomplete, in WARC's words: "length", "time", "disconnect", "unspecified".
    cut: str = ""
    time: float = 0.0  # Unix time of the request, 0 if unknown

    @property
    def encoding(self) -> str:
        """The value of all Content-Encoding headers."""
        return ",".join(value for name, value in self.headers if name == "content-encoding")


def answer_in(record: WarcRecord) -> RecordedAnswer:
    """The answer in a response, revisit or resource record. Raises NoHttpError."""
    header = record.header
    cut = header.get("warc-truncated", "") if record.is_whole else "length"
    if record.kind == "resource":
        headers = (("content-type", header.get("content-type", "")),)
        return RecordedAnswer(200, headers, b"", record.block, cut, record_time(header))
    return replace(parse_answer(record.block, cut), time=record_time(header))


def record_time(header: dict[str, str]) -> float:
    """A record's WARC-Date as Unix time, 0.0 if it is missing or invalid."""
    try:
        date = datetime.fromisoformat(header.get("warc-date", ""))
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def parse_answer(block: bytes, cut: str) -> RecordedAnswer:
    """Head and payload of an HTTP answer. Raises NoHttpError."""
    found = _HEAD_END.search(block)
    end = found.end() if found else len(block)
    status, headers = parse_head(block[:end])
    payload = without_chunks(block[end:], headers)
    return RecordedAnswer(status, headers, block[:end], payload, cut)


def parse_head(head: bytes) -> tuple[int, Headers]:
    """Status and headers of an answer. Raises NoHttpError."""
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    first, *lines = text.splitlines() or [""]
    words = first.split(None, 2)
    if len(words) < 2 or not words[0].upper().startswith("HTTP") or not words[1][:3].isdecimal():
        raise NoHttpError
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:  # an old way to break long lines
            headers[-1] = headers[-1][0], f"{headers[-1][1]} {line.strip()}"
        elif colon:
            headers.append((name.strip().lower(), value.strip()))
    return int(words[1][:3]), tuple(headers)


def value_of(headers: Headers, name: str) -> str:
    """The value of a header, "" if it is missing."""
    return next((value for header, value in headers if header == name), "")


def without_chunks(payload: bytes, headers: Headers) -> bytes:
    """A body joined from its chunks, as far as they go.

    Some archives keep chunks, others join them and keep the header that announces them: a payload
    that does not begin with a chunk is returned unchanged.
    """
    if "chunked" not in value_of(headers, "transfer-encoding").lower():
        return payload
    parts: list[bytes] = []
    place = 0
    while line := _CHUNK_LINE.match(payload, place):
        size = int(line[1], 16)
        place = line.end() + size
        parts.append(payload[line.end() : place])
        if size == 0 or place >= len(payload):  # the last chunk, or cut short
            return b"".join(parts)
        if payload[place : place + 2] != b"\r\n":
            break
        place += 2
    return b"".join(parts) if len(parts) > 1 else payload
