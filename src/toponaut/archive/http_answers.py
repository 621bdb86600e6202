"""The HTTP answer in a WARC record: status, headers, payload."""

from msgspec import Struct

from toponaut.archive.warc_reader import UnreadableRecordError, WarcRecord

Headers = tuple[tuple[str, str], ...]
_END = b"\r\n\r\n"


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
        return RecordedAnswer(200, headers, b"", record.block, cut)
    return parse_answer(record.block, cut)


def parse_answer(block: bytes, cut: str) -> RecordedAnswer:
    """Head and payload of an HTTP answer. Raises NoHttpError."""
    head, end, payload = block.partition(_END)
    if not end:
        head, end, payload = block.partition(b"\n\n")
    status, headers = parse_head(head)
    return RecordedAnswer(status, headers, head + end, without_chunks(payload, headers), cut)


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
    """A body joined from its chunks.

    Some archives keep chunks, others join them and keep the header that announces them: a payload
    that cannot be read as chunks to its end is returned unchanged.
    """
    if "chunked" not in value_of(headers, "transfer-encoding").lower():
        return payload
    parts: list[bytes] = []
    place = 0
    while True:
        end = payload.find(b"\r\n", place, place + 64)
        try:
            size = int(payload[place:end].partition(b";")[0], 16) if end > 0 else -1
        except ValueError:
            return payload
        if size < 0 or end + 2 + size > len(payload):
            return payload
        if size == 0:
            return b"".join(parts)
        parts.append(payload[end + 2 : end + 2 + size])
        place = end + 2 + size + 2
