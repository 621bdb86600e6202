"""The archive's writer against other ways to write a WARC: request, response and metadata of a
page.

    python -m bench.archive

CPU time a page, best of several rounds, on pages of 25 KB, plain and as a server sends them in
gzip (7 KB). The others write the same three records: fastwarc and warcio by their own writers
(which draw digests, too), and our records by zlib instead of isal. At most 0.25 ms for a plain
page.
"""

import gzip
import io
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.parse import PAGES, URL, page
from toponaut.archive import ArchiveWriter, read_answer
from toponaut.archive import writer as archive_writer
from toponaut.records import Response

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # fastwarc 1.1 warns of old names of its own
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import WarcRecord, WarcRecordType

ROUNDS = 7
LIMIT_MS = 0.25
DATE = "Date: Thu, 15 Jan 2027 08:00:00 GMT"
DECISIONS: Mapping[str, object] = {
    "outcome": "fetched", "node": "general", "promise": 0.71,
    "why": "an address in a target, two links away",
    "relevant": True, "addresses": 1,
}  # fmt: skip
REQUEST = (
    b"GET /local/news/index.html HTTP/1.1\r\nHost: www.example-times.com\r\nAccept: "
    b"text/html,text/plain;q=0.9\r\n"
    b"Accept-Encoding: gzip, deflate, br, zstd\r\nUser-Agent: Toponaut/0.1 "
    b"(+https://example.org/crawl)\r\n\r\n"
)
Write = Callable[[Path, list[Response]], None]


def answer(number: int, body: bytes, packed: bool) -> Response:
    """A page as it comes over the wire."""
    payload = gzip.compress(body, mtime=0) if packed else body
    headers = [("content-type", "text/html; charset=utf-8"), ("content-length", str(len(payload)))]
    headers += [("content-encoding", "gzip")] if packed else []
    headers += [
        ("server", "nginx/1.24.0"),
        ("etag", f'"{number:08x}"'),
        ("cache-control", "max-age=600"),
    ]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return Response(
        URL.replace("index", f"story-{number}"),
        200,
        body,
        headers[0][1],
        tuple(headers),
        started=1.8e9 + number / 7,
        ip="192.0.2.7",
        request_head=REQUEST,
        response_head=f"HTTP/1.1 200 OK\r\n{DATE}\r\n{lines}\r\n".encode(),
        payload=payload,
    )


def toponaut(path: Path, answers: list[Response]) -> None:
    """Toponaut's writer, including its index."""
    with ArchiveWriter(path, "bench", max_bytes=10**9, info={"software": "Toponaut"}) as writer:
        stored = [writer.write(one, DECISIONS) for one in answers]
    last = stored[-1]
    assert last is not None
    assert read_answer(path / last.file, last.offset, last.length).payload == answers[-1].payload


def with_zlib(path: Path, answers: list[Response]) -> None:
    """Our records, packed by zlib at its fastest."""

    def packed(record: bytes) -> bytes:
        return zlib.compress(record, 1, 31)

    def packed_around(head: bytes, payload: bytes, tail: bytes) -> bytes:
        return packed(head + payload + tail)

    with patch.multiple(archive_writer, pack=packed, pack_around=packed_around):
        toponaut(path, answers)


def fastwarc(path: Path, answers: list[Response]) -> None:
    """fastwarc's records and gzip; one member a record needs finish()."""
    with (path / "x.warc.gz").open("wb") as file:
        stream = GzipWriter(file, compression_level=1)
        for one in answers:
            for kind, content_type, block in (
                (WarcRecordType.metadata, "application/warc-fields", _fields()),
                (WarcRecordType.request, "application/http;msgtype=request", one.request_head),
                (
                    WarcRecordType.response,
                    "application/http;msgtype=response",
                    one.response_head + one.payload,
                ),
            ):
                record = WarcRecord()
                record.init_headers(kind, content_length=len(block))
                record.headers["WARC-Target-URI"] = one.url
                record.headers["Content-Type"] = content_type
                record.set_bytes_content(block)
                record.write(stream, checksum_data=True)
                stream.finish()


def warcio(path: Path, answers: list[Response]) -> None:
    """warcio's records and writer: zlib, level 9."""
    with (path / "x.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="1.1")
        for one in answers:
            head = StatusAndHeaders("200 OK", list(one.headers), protocol="HTTP/1.1")
            asked = StatusAndHeaders(
                "GET / HTTP/1.1", [("Host", "www.example-times.com")], is_http_request=True
            )
            answered = writer.create_warc_record(
                one.url, "response", payload=io.BytesIO(one.payload), http_headers=head
            )
            request = writer.create_warc_record(one.url, "request", http_headers=asked)
            writer.write_request_response_pair(request, answered)
            fields = io.BytesIO(_fields())
            writer.write_record(
                writer.create_warc_record(
                    one.url, "metadata", payload=fields, warc_content_type="application/warc-fields"
                )
            )


def _fields() -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in DECISIONS.items()).encode()


def measure(write: Write, answers: list[Response]) -> tuple[float, float]:
    """CPU milliseconds and packed bytes a page."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        write(Path(folder), answers)
        taken = time.process_time() - start
        size = sum(path.stat().st_size for path in Path(folder).glob("*.warc.gz"))
    return taken / len(answers) * 1000, size / len(answers)


def main() -> None:
    """Prints a table for each kind of page."""
    bodies = [page(seed) for seed in range(PAGES)]
    writers = {
        "toponaut.archive": toponaut,
        "  with zlib 1": with_zlib,
        "fastwarc": fastwarc,
        "warcio": warcio,
    }
    for kind, packed in (("plain", False), ("in gzip", True)):
        # Each page is different, so that none is written as a copy of another.
        answers = [
            answer(number, bodies[number % PAGES] + b"<!-- %d -->" % number, packed)
            for number in range(10 * PAGES)
        ]
        size = sum(len(one.payload) for one in answers) / len(answers) / 1000
        print(
            f"archive: {len(answers)} pages of {size:.1f} KB, {kind}: request, response, metadata"
        )
        rounds = [
            {name: measure(write, answers) for name, write in writers.items()}
            for _ in range(ROUNDS)
        ]
        for name in writers:
            taken, bytes_a_page = min(one[name] for one in rounds)
            limit = f"    (at most {LIMIT_MS})" if name == "toponaut.archive" and not packed else ""
            print(
                f"  {name:18} {taken:6.3f} ms a page, {bytes_a_page / 1000:5.1f} KB on disk{limit}"
            )


if __name__ == "__main__":
    main()
