"""One answer as WARC 1.1 records: metadata, request, a rendered copy if a browser made one, and the
response that closes the group.

The response is the last, so that its end is the end of the group: the log keeps its offset and
length and thus knows how far the archive reaches. Its block is head and payload as received, except
that "Transfer-Encoding" becomes "X-Archive-Orig-Transfer-Encoding" (the HTTP client joins chunks)
and odd line ends become "\\r\\n". Record ids are derived from the content, so that equal crawls
give equal archives.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b, sha1
from http import HTTPStatus
from itertools import product
from math import modf

from isal import isal_zlib
from msgspec import Struct

from toponaut.records import Outcome, Response

VERSION = b"WARC/1.1\r\n"
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

# Base32 by pairs of letters, ten bits each: 1.5 us, b32encode 4.
_LETTERS = ["".join(pair) for pair in product("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", repeat=2)]
_SHIFTS = range(150, -1, -10)
_END = b"\r\n\r\n"
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_LINE = re.compile(rb"[^\r\n]+")
_CHUNKED = re.compile(rb"(?<=\n)(?=transfer-encoding[ \t]*:)", re.IGNORECASE)
_WAS_CHUNKED = re.compile(rb"(?<=\n)X-Archive-Orig-(?=transfer-encoding[ \t]*:)", re.IGNORECASE)
_BREAKS = re.compile(r"[\r\n]+")
# Why a payload is incomplete, in WARC's words.
_TRUNCATED_BY = {
    Outcome.TOO_LARGE: "length",
    Outcome.TIMEOUT: "time",
    Outcome.BROKEN: "disconnect",
    Outcome.WRONG_TYPE: "unspecified",  # the body was not requested
}
_DECODED_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class OriginalRecord(Struct, frozen=True):
    """The record that a revisit refers to."""

    url: str
    date: str
    id: str
    digest: str
    file: str
    offset: int


class AnswerRecord(Struct, frozen=True):
    """The archived parts of an answer."""

    url: str
    date: str
    ip: str
    request: bytes
    head: bytes
    payload: bytes
    digest: str  # of the payload
    cut: str  # why the payload is incomplete; "" if it is complete
    packed: bool  # the server has compressed the payload


def answer_record(fetched: Response) -> AnswerRecord:
    """The parts to archive. An answer without a head (of a folder) gets a plain one."""
    payload = fetched.payload
    if fetched.response_head:
        head = _regular(fetched.response_head)
    else:
        payload = payload or fetched.body
        head = _plain_head(fetched, len(payload))
    return AnswerRecord(
        url=fetched.url,
        date=date_of(fetched.started),
        ip=fetched.ip,
        request=fetched.request_head,
        head=head,
        payload=payload,
        digest=digest_of(payload),
        cut=_cut(fetched, len(payload)),
        packed=bool(fetched.response_head)
        and _value(fetched, "content-encoding") not in ("", "identity"),
    )


def date_of(time: float) -> str:
    """Unix time as a WARC 1.1 date with microseconds."""
    part, second = modf(time)
    micros = round(part * 1e6)
    if not 0 <= micros < 1_000_000:  # rounded up, or before 1970
        second, micros = second + micros // 1_000_000, micros % 1_000_000
    return f"{_second(second)}.{micros:06}Z"


@lru_cache(maxsize=64)
def _second(time: float) -> str:  # cached: hundreds of pages share a second
    return datetime.fromtimestamp(time, UTC).isoformat()[:19]


def digest_of(content: bytes) -> str:
    """ "sha1:" and 32 base32 letters, as in all web archives."""
    bits = int.from_bytes(sha1(content, usedforsecurity=False).digest(), "big")
    return "sha1:" + "".join([_LETTERS[bits >> shift & 1023] for shift in _SHIFTS])


def ids(*seeds: str) -> tuple[str, str, str]:
    """Three record ids derived from one seed, as UUIDs of version 8 (RFC 9562)."""
    drawn = blake2b("\n".join(seeds).encode(), digest_size=48).hexdigest()
    return _uuid(drawn[:32]), _uuid(drawn[32:64]), _uuid(drawn[64:])


def _uuid(digits: str) -> str:
    d = digits
    return f"<urn:uuid:{d[:8]}-{d[8:12]}-8{d[13:16]}-a{d[17:20]}-{d[20:]}>"


def warcinfo(info: Mapping[str, str], date: str, file: str, seed: str) -> bytes:
    """The first record of a file: software, settings and standard."""
    block = fields({**info, "format": "WARC File Format 1.1", "conformsTo": CONFORMS_TO}.items())
    head = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", ids(seed, file, date)[0]),
        ("WARC-Date", date),
        ("WARC-Filename", file),
        ("WARC-Block-Digest", digest_of(block)),
        ("Content-Type", "application/warc-fields"),
    ]
    return header(head, len(block)) + block + _END


def metadata(
    answer: AnswerRecord, id: str, response_id: str, decisions: Mapping[str, object]
) -> bytes:
    """Our decisions on the page, as warc-fields: indexers mistake JSON metadata for a page."""
    block = fields(decisions.items())
    return _concurrent(answer, "metadata", id, response_id, "application/warc-fields", block)


def request(answer: AnswerRecord, id: str, response_id: str) -> bytes:
    return _concurrent(
        answer, "request", id, response_id, "application/http;msgtype=request", answer.request
    )


def conversion(answer: AnswerRecord, response_id: str, html: bytes) -> bytes:
    """The page after its scripts ran, derived from the response (WARC 1.1, 6.8).

    Like all records of a group it is before the response, whose end is the end of the group.
    """
    digest = digest_of(html)
    head = [
        ("WARC-Type", "conversion"),
        ("WARC-Record-ID", ids(response_id, digest)[0]),
        ("WARC-Date", answer.date),
        ("WARC-Target-URI", answer.url),
        ("WARC-Refers-To", response_id),
        ("WARC-Block-Digest", digest),
        ("Content-Type", "text/html; charset=utf-8"),
    ]
    return header(head, len(html)) + html + _END


def _concurrent(
    answer: AnswerRecord, kind: str, id: str, response_id: str, content_type: str, block: bytes
) -> bytes:
    head = (
        f"WARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\n"
        f"WARC-Date: {answer.date}\r\nWARC-Target-URI: {answer.url}\r\n"
        f"WARC-Concurrent-To: {response_id}\r\nWARC-Block-Digest: {digest_of(block)}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return VERSION + head.encode() + block + _END


def response(answer: AnswerRecord, id: str, request_id: str) -> tuple[bytes, bytes, bytes]:
    """The record as head, payload and tail: a compressed payload is not compressed again.

    It has no digest of its block: hashing the payload twice takes a quarter of the writer's time.
    """
    ip = f"WARC-IP-Address: {answer.ip}\r\n" if answer.ip else ""
    cut = f"WARC-Truncated: {answer.cut}\r\n" if answer.cut else ""
    head = (
        f"WARC-Type: response\r\nWARC-Record-ID: {id}\r\n"
        f"WARC-Date: {answer.date}\r\nWARC-Target-URI: {answer.url}\r\n"
        f"WARC-Concurrent-To: {request_id}\r\n{ip}WARC-Payload-Digest: {answer.digest}\r\n"
        f"{cut}Content-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(answer.head) + len(answer.payload)}\r\n\r\n"
    )
    return VERSION + head.encode() + answer.head, answer.payload, _END


def revisit(
    answer: AnswerRecord, id: str, request_id: str, profile: str, original: OriginalRecord | None
) -> bytes:
    """An answer whose payload is archived. `original`: None if another crawl has it."""
    head = [
        ("WARC-Type", "revisit"),
        ("WARC-Record-ID", id),
        ("WARC-Date", answer.date),
        ("WARC-Target-URI", answer.url),
        ("WARC-Concurrent-To", request_id),
    ]
    if answer.ip:
        head.append(("WARC-IP-Address", answer.ip))
    head.append(("WARC-Profile", profile))
    if original is not None:
        head += (
            ("WARC-Payload-Digest", original.digest),
            ("WARC-Refers-To", original.id),
            ("WARC-Refers-To-Target-URI", original.url),
            ("WARC-Refers-To-Date", original.date),
            # Not in the standard, but known to validators: with these no index is needed.
            ("WARC-Refers-To-Filename", original.file),
            ("WARC-Refers-To-File-Offset", str(original.offset)),
        )
    head.append(("WARC-Block-Digest", digest_of(answer.head)))
    if profile == IDENTICAL:
        head.append(
            ("WARC-Truncated", "length")
        )  # WARC 1.1, 6.7.2: the block ends before the payload
    head.append(("Content-Type", "application/http;msgtype=response"))
    return header(head, len(answer.head)) + answer.head + _END


def header(lines: Iterable[tuple[str, str]], length: int) -> bytes:
    text = "".join([f"{name}: {value}\r\n" for name, value in lines])
    return VERSION + f"{text}Content-Length: {length}\r\n\r\n".encode()


def fields(values: Iterable[tuple[str, object]]) -> bytes:
    """A block of application/warc-fields, one line per value: line breaks become spaces."""
    return "".join([f"{name}: {_on_one_line(str(value))}\r\n" for name, value in values]).encode()


def _on_one_line(text: str) -> str:
    return _BREAKS.sub(" ", text) if "\n" in text or "\r" in text else text


# --- heads ---


def _regular(head: bytes) -> bytes:
    """A head with standard line ends that does not announce chunks."""
    empty = _EMPTY_LINE.search(head)
    if empty is None or empty.end() != len(head) or not head.endswith(_END):
        head = b"\r\n".join(_LINE.findall(head)) + _END
    return _CHUNKED.sub(b"X-Archive-Orig-", head) if b"transfer-encoding" in head.lower() else head


def as_received(head: bytes) -> bytes:
    """The head of an archived response with its original header names."""
    return _WAS_CHUNKED.sub(b"", head)


def _plain_head(fetched: Response, size: int) -> bytes:
    """A head for an answer without one. The headers of the encoding do not hold any more."""
    known = fetched.status in HTTPStatus._value2member_map_
    lines = [f"HTTP/1.1 {fetched.status} {HTTPStatus(fetched.status).phrase if known else ''}"]
    lines += [
        f"{name}: {_on_one_line(value)}"
        for name, value in fetched.headers
        if name not in _DECODED_HEADERS
    ]
    if fetched.content_type and not _value(fetched, "content-type"):
        lines.append(f"content-type: {_on_one_line(fetched.content_type)}")
    return "\r\n".join([*lines, f"content-length: {size}", "", ""]).encode()


def _cut(fetched: Response, size: int) -> str:
    """Why the payload is incomplete, in WARC's words; "" if it is as long as the server said."""
    reason = _TRUNCATED_BY.get(fetched.outcome, "")
    return "" if reason and _value(fetched, "content-length") == str(size) else reason


def _value(fetched: Response, name: str) -> str:
    return next((value for header, value in fetched.headers if header == name), "")


# --- packing ---
# ISA-L gives different bytes on different processors, so equal crawls hold equal records, but not
# always equal bytes. libdeflate and zlib are stable, but take 2 and 6 times as long.

_GZIP_WBITS = 31  # zlib's window bits for gzip
_RAW_WBITS = -15  # and for deflate without a header
# Deflate, no time, unknown system: as isal writes it.
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LEVEL = 1  # swept 0-3 on pages of 25 KB: level 1 packs to 30 % in 0.07 ms, level 3 to 29 % in 0.10
_STORED_MAX = 0xFFFF  # bytes in a stored block of deflate


def pack(record: bytes) -> bytes:
    member: bytes = isal_zlib.compress(record, _LEVEL, _GZIP_WBITS)
    return member


def pack_around(head: bytes, payload: bytes, tail: bytes) -> bytes:
    """The gzip member of head + payload + tail for a payload that is compressed already.

    Only the head is deflated; the rest follows in stored blocks: 13 us for 7 KB instead of 35 to
    50.
    """
    deflate = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _RAW_WBITS)
    parts = [_HEADER, deflate.compress(head), deflate.flush(isal_zlib.Z_FULL_FLUSH)]
    rest = payload + tail
    for start in range(0, len(rest), _STORED_MAX):
        block = rest[start : start + _STORED_MAX]
        is_last = start + _STORED_MAX >= len(rest)
        size = len(block)
        lengths = size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")
        parts += (bytes((is_last,)), lengths, block)
    check = isal_zlib.crc32(rest, isal_zlib.crc32(head))
    total = (len(head) + len(rest)) & 0xFFFFFFFF
    parts += (check.to_bytes(4, "little"), total.to_bytes(4, "little"))
    return b"".join(parts)
