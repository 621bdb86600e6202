"""The replay web on WARCs of every packing, WACZs and folders, sound and damaged."""

import asyncio
import gzip
import zipfile
import zlib
from base64 import b32encode
from collections.abc import Iterable
from hashlib import sha1
from pathlib import Path
from typing import Any
from uuid import uuid4

import brotli
import pytest
import zstandard

from toponaut.archive import ArchiveWriter
from toponaut.archive.cdxj import CdxjEntry, format_line
from toponaut.errors import InputError
from toponaut.job import LimitsSection
from toponaut.records import Outcome, Request, Response
from toponaut.web.replay import ReplayFetcher
from toponaut.web.replay.capture_index import Capture, CaptureCollector

HTML = "text/html; charset=utf-8"
PAGE = b"<title>Oldenburg</title><p>Schlossplatz 1, 26122 Oldenburg</p>"


class Warc:
    """A WARC that grows in memory, written by the letter of WARC 1.1, without Toponaut's code."""

    def __init__(self, packed: bool = True) -> None:
        self._packed = packed
        self._records: list[bytes] = []

    def record(self, kind: str, url: str, block: bytes, content_type: str, **header: str) -> None:
        fields = {"WARC-Date": "2026-01-01T00:00:00Z", "WARC-Record-ID": f"<urn:uuid:{uuid4()}>"}
        fields |= {name.replace("_", "-"): value for name, value in header.items()}
        fields |= {
            "WARC-Type": kind,
            "Content-Type": content_type,
            "Content-Length": str(len(block)),
        }
        fields |= {"WARC-Target-URI": url} if url else {}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        record = f"WARC/1.1\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"
        self._records.append(gzip.compress(record) if self._packed else record)

    def response(
        self,
        url: str,
        body: bytes = PAGE,
        *,
        status: str = "200 OK",
        headers: Iterable[tuple[str, str]] = (("Content-Type", HTML),),
        **header: str,
    ) -> None:
        block = http_head(status, headers) + body
        self.record(
            "response",
            url,
            block,
            "application/http;msgtype=response",
            WARC_Payload_Digest=digest(body),
            **header,
        )

    def revisit(
        self,
        url: str,
        body: bytes,
        *,
        status: str = "200 OK",
        headers: Iterable[tuple[str, str]] = (("Content-Type", HTML),),
        **header: str,
    ) -> None:
        block = http_head(status, headers)
        self.record(
            "revisit",
            url,
            block,
            "application/http;msgtype=response",
            WARC_Payload_Digest=digest(body),
            **header,
        )

    def offset(self) -> int:
        return sum(map(len, self._records))

    def data(self) -> bytes:
        return b"".join(self._records)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.data())
        return path


def http_head(status: str, headers: Iterable[tuple[str, str]]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode()


def digest(body: bytes) -> str:
    return "sha1:" + b32encode(sha1(body).digest()).decode()


def fetch(web: ReplayFetcher, url: str, **request: Any) -> Response:
    async def once() -> Response:
        answer = await web.fetch(Request(url, **request))
        await web.close()
        return answer

    return asyncio.run(once())


def site(packed: bool = True) -> Warc:
    warc = Warc(packed)
    warc.record("warcinfo", "", b"software: test\r\n", "application/warc-fields")
    warc.record(
        "request", "http://a.test/", b"GET / HTTP/1.1\r\n\r\n", "application/http;msgtype=request"
    )
    warc.response("http://a.test/")
    warc.response("http://a.test/old", b"", status="301 Moved", headers=[("Location", "/new page")])
    warc.response("http://a.test/gone", b"no", status="410 Gone")
    warc.response("http://a.test/down", b"", status="503 Busy", headers=[("Retry-After", "120")])
    warc.response("http://a.test/logo.png", b"\x89PNG", headers=[("Content-Type", "image/png")])
    warc.record("resource", "http://a.test/saved.html", b"<p>saved", "text/html")
    warc.record("response", "dns:a.test", b"a.test. 60 IN A 127.0.0.1", "text/dns")
    return warc


@pytest.fixture(params=["gz", "plain", "zst", "zst with dictionary"])
def web(request: pytest.FixtureRequest, tmp_path: Path) -> ReplayFetcher:
    if request.param == "gz":
        path = site().write(tmp_path / "a.warc.gz")
    elif request.param == "plain":
        path = site(packed=False).write(tmp_path / "a.warc")
    else:
        path = tmp_path / "a.warc.zst"
        path.write_bytes(in_zstd(site(), with_dictionary="dictionary" in request.param))
    return ReplayFetcher(path)


def in_zstd(warc: Warc, *, with_dictionary: bool) -> bytes:
    """The records of a WARC as zstd frames, perhaps after a frame with a dictionary."""
    records = []
    data = warc.data()
    while data:
        inflate = zlib.decompressobj(31)
        records.append(inflate.decompress(data))
        data = inflate.unused_data
    if not with_dictionary:
        return b"".join(zstandard.compress(record) for record in records)
    known = zstandard.ZstdCompressionDict(b"".join(records) * 3)
    frame = zstandard.compress(known.as_bytes())
    head = b"\x5d\x2a\x4d\x18" + len(frame).to_bytes(4, "little") + frame
    packer = zstandard.ZstdCompressor(dict_data=known)
    return head + b"".join(packer.compress(record) for record in records)


def test_a_page(web: ReplayFetcher) -> None:
    page = fetch(web, "http://a.test/")
    assert (page.status, page.outcome, page.body, page.payload) == (
        200,
        Outcome.FETCHED,
        PAGE,
        PAGE,
    )
    assert page.content_type == HTML
    assert page.headers == (("content-type", HTML),)
    assert page.response_head == f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\n\r\n".encode()
    assert (page.started, page.seconds) == (1767225600.0, 0.0)  # its WARC-Date
    assert web.live is False


def test_other_answers_are_served_as_recorded(web: ReplayFetcher) -> None:
    moved = fetch(web, "http://a.test/old")
    assert (moved.status, moved.outcome, moved.location) == (
        301,
        Outcome.REDIRECT,
        "http://a.test/new%20page",
    )
    gone = fetch(web, "http://a.test/gone")
    assert (gone.status, gone.outcome, gone.detail, gone.body) == (
        410,
        Outcome.GONE,
        "status 410",
        b"",
    )
    down = fetch(web, "http://a.test/down")
    assert (down.status, down.outcome, down.retry_after) == (503, Outcome.SERVER_ERROR, 120.0)
    saved = fetch(web, "http://a.test/saved.html")
    assert (saved.status, saved.outcome, saved.body, saved.content_type) == (
        200,
        Outcome.FETCHED,
        b"<p>saved",
        "text/html",
    )


def test_what_is_not_recorded_is_not_found(web: ReplayFetcher) -> None:
    for url in ("http://a.test/robots.txt", "https://a.test/", "http://b.test/"):
        missing = fetch(web, url)
        assert (missing.status, missing.outcome) == (404, Outcome.GONE)
        assert missing.detail == "not in the replayed web"


def test_types_are_filtered_before_the_body(web: ReplayFetcher) -> None:
    image = fetch(web, "http://a.test/logo.png", types=("text/html",))
    assert (image.outcome, image.detail, image.body, image.payload) == (
        Outcome.WRONG_TYPE,
        "image/png",
        b"",
        b"",
    )
    assert fetch(web, "http://a.test/logo.png").outcome is Outcome.FETCHED
    assert fetch(web, "http://a.test/gone", types=("text/plain",)).outcome is Outcome.GONE


def test_a_urls_spelling_does_not_matter(tmp_path: Path) -> None:
    warc = Warc()
    warc.response("HTTP://A.test:80/%7euser/?utm_source=x#top")
    web = ReplayFetcher(warc.write(tmp_path / "a.warc.gz"))
    assert fetch(web, "http://a.test/~user/").body == PAGE


# --- bodies ---


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)),
        ("br", brotli.compress(PAGE)),
        ("zstd", zstandard.compress(PAGE)),
        ("gzip", PAGE),  # some archives unpack and keep the header
    ],
)
def test_bodies_are_unpacked_and_payloads_are_not(
    tmp_path: Path, encoding: str, packed: bytes
) -> None:
    warc = Warc()
    warc.response(
        "http://a.test/", packed, headers=[("Content-Type", HTML), ("Content-Encoding", encoding)]
    )
    page = fetch(ReplayFetcher(warc.write(tmp_path / "a.warc.gz")), "http://a.test/")
    assert (page.outcome, page.body, page.payload) == (Outcome.FETCHED, PAGE, packed)


CHUNKED = b"5;x=1\r\nHello\r\n6\r\n world\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("payload", "body"),
    [
        (CHUNKED, b"Hello world"),
        (b"Hello world", b"Hello world"),
        (b"5\r\nHello\r\n99\r\nno", b"Hellono"),  # cut short
        (b"5\r\nof us\r or six", b"5\r\nof us\r or six"),
        (b"<p>chunks were joined</p>", b"<p>chunks were joined</p>"),
    ],
)
def test_chunks_are_joined_where_an_archive_has_kept_them(
    tmp_path: Path, payload: bytes, body: bytes
) -> None:
    warc = Warc()
    warc.response(
        "http://a.test/",
        payload,
        headers=[("Content-Type", HTML), ("Transfer-Encoding", "chunked")],
    )
    page = fetch(ReplayFetcher(warc.write(tmp_path / "a.warc.gz")), "http://a.test/")
    assert (page.body, page.payload) == (body, body)  # as the archive keeps it: without the frames


def test_chunks_of_a_packed_body(tmp_path: Path) -> None:
    packed = gzip.compress(PAGE)
    warc = Warc()
    headers = [
        ("Content-Type", HTML),
        ("Transfer-Encoding", "chunked"),
        ("Content-Encoding", "gzip"),
    ]
    warc.response(
        "http://a.test/", b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed), headers=headers
    )
    page = fetch(ReplayFetcher(warc.write(tmp_path / "a.warc.gz")), "http://a.test/")
    assert (page.body, page.payload) == (PAGE, packed)


def test_bodies_beyond_the_limit(tmp_path: Path) -> None:
    warc = Warc()
    warc.response("http://a.test/fits", b"x" * 1000)
    warc.response("http://a.test/long", b"x" * 1001)
    warc.response("http://a.test/longer", b"x" * 1_000_000)
    warc.response(
        "http://a.test/bomb",
        gzip.compress(b"x" * 1_000_000),
        headers=[("Content-Encoding", "gzip")],
    )
    web = ReplayFetcher(warc.write(tmp_path / "a.warc.gz"), LimitsSection(body_bytes=1000))
    assert fetch(web, "http://a.test/fits").outcome is Outcome.FETCHED
    for name in ("long", "longer", "bomb"):
        assert fetch(web, f"http://a.test/{name}").outcome is Outcome.TOO_LARGE, name


@pytest.mark.parametrize(
    ("why", "outcome"),
    [("length", Outcome.TOO_LARGE), ("time", Outcome.TIMEOUT), ("disconnect", Outcome.BROKEN)],
)
def test_a_page_cut_off_then_is_cut_off_now(tmp_path: Path, why: str, outcome: Outcome) -> None:
    warc = Warc()
    warc.response("http://a.test/", PAGE[:10], WARC_Truncated=why)
    assert (
        fetch(ReplayFetcher(warc.write(tmp_path / "a.warc.gz")), "http://a.test/").outcome
        is outcome
    )


def test_damaged_packing_is_broken(tmp_path: Path) -> None:
    warc = Warc()
    warc.response(
        "http://a.test/", gzip.compress(PAGE)[:-9], headers=[("Content-Encoding", "gzip")]
    )
    assert (
        fetch(ReplayFetcher(warc.write(tmp_path / "a.warc.gz")), "http://a.test/").outcome
        is Outcome.BROKEN
    )


def test_conditional_requests(tmp_path: Path) -> None:
    warc = Warc()
    since = "Thu, 01 Jan 2026 00:00:00 GMT"
    warc.response(
        "http://a.test/",
        headers=[("Content-Type", HTML), ("ETag", '"v1"'), ("Last-Modified", since)],
    )
    web = ReplayFetcher(warc.write(tmp_path / "a.warc.gz"))
    same = fetch(web, "http://a.test/", etag='"v1"')
    assert (same.status, same.outcome, same.body) == (304, Outcome.UNCHANGED, b"")
    assert fetch(web, "http://a.test/", etag='"v0"', modified=since).body == PAGE
    assert fetch(web, "http://a.test/", modified=since).outcome is Outcome.UNCHANGED


# --- captures ---


def test_the_latest_capture_wins_over_all_files(tmp_path: Path) -> None:
    first, second = Warc(), Warc()
    first.response("http://a.test/", b"newest", WARC_Date="2026-03-01T00:00:00.500Z")
    first.response("http://a.test/", b"oldest", WARC_Date="2025-03-01T00:00:00Z")
    second.response("http://a.test/", b"middle", WARC_Date="2026-03-01T00:00:00Z")
    first.write(tmp_path / "a.warc.gz")
    (tmp_path / "more").mkdir()
    second.write(tmp_path / "more" / "b.warc.gz")
    web = ReplayFetcher(tmp_path)
    assert fetch(web, "http://a.test/").body == b"newest"


def test_no_server_can_know_the_fingerprints_of_captures() -> None:
    """Two indexes of the same captures have keys of their own."""
    kept = []
    for _ in range(2):
        collector = CaptureCollector()
        collector.add(Capture("http://a.example/x", "2026-11-01T12:00:00Z", "", 3, 7))
        index, _ = collector.index()
        assert index.find("http://a.example/x") == (3, 7)
        assert index.find("http://a.example/y") is None
        kept.append(index.keys.tolist())
    assert kept[0] != kept[1]


def test_revisits_have_their_own_head_and_their_originals_payload(tmp_path: Path) -> None:
    first: dict[str, Any] = {
        "WARC_Refers_To_Target_URI": "http://a.test/",
        "WARC_Refers_To_Date": "2026-01-01T00:00:00Z",
    }
    later: dict[str, Any] = {"WARC_Date": "2026-01-03T00:00:00Z"}
    warc = Warc()
    warc.response("http://a.test/", WARC_Date="2026-01-01T00:00:00Z")
    warc.response("http://a.test/", b"in between", WARC_Date="2026-01-02T00:00:00Z")
    warc.revisit("http://a.test/", PAGE, **first, **later)
    warc.revisit("http://a.test/copy", PAGE, headers=[("X-Own", "1")], **first, **later)
    warc.revisit("http://a.test/by-digest", PAGE, **later)
    warc.revisit(
        "http://a.test/moved",
        PAGE,
        status="302 Found",
        headers=[("Location", "/there")],
        **first,
        **later,
    )
    warc.revisit("http://a.test/unchanged", PAGE, status="304 Not Modified", **first, **later)
    warc.record(
        "revisit",
        "http://a.test/headless",
        b"",
        "text/plain",
        WARC_Payload_Digest=digest(PAGE),
        **later,
    )
    warc.response("http://a.test/fallback", b"an earlier capture")
    warc.revisit("http://a.test/fallback", b"never recorded", **later)
    warc.revisit("http://a.test/lost", b"never recorded", **later)
    web = ReplayFetcher(warc.write(tmp_path / "a.warc.gz"))
    for name in ("", "copy", "by-digest", "unchanged", "headless"):
        page = fetch(web, f"http://a.test/{name}")
        assert (page.url, page.outcome, page.body) == (
            f"http://a.test/{name}",
            Outcome.FETCHED,
            PAGE,
        )
    assert fetch(web, "http://a.test/copy").headers == (("x-own", "1"),)
    assert fetch(web, "http://a.test/moved").location == "http://a.test/there"
    assert fetch(web, "http://a.test/fallback").body == b"an earlier capture"
    assert fetch(web, "http://a.test/lost").outcome is Outcome.GONE


# --- indexes ---


def indexed(names: Iterable[str], file: str) -> tuple[bytes, bytes]:
    """A WARC of pages and its CDXJ."""
    warc, lines = Warc(), []
    for name in names:
        start = warc.offset()
        warc.response(f"http://a.test/{name}", name.encode())
        length = warc.offset() - start
        entry = CdxjEntry(
            f"http://a.test/{name}", "text/html", "200", "", str(length), str(start), file
        )
        lines.append(format_line(entry, "2026-01-01T00:00:00Z"))
    return warc.data(), b"".join(lines)


def test_an_index_beside_the_warc_is_used_and_a_stale_one_is_not(tmp_path: Path) -> None:
    data, lines = indexed("abc", "x.warc.gz")
    (tmp_path / "x.warc.gz").write_bytes(data)
    renamed = lines.replace(
        b"http://a.test/b", b"http://a.test/z"
    )  # shows where the answer comes from
    (tmp_path / "x.cdxj").write_bytes(renamed)
    web = ReplayFetcher(tmp_path / "x.warc.gz")
    assert fetch(web, "http://a.test/z").body == b"b"
    assert fetch(web, "http://a.test/b").outcome is Outcome.GONE
    (tmp_path / "x.cdxj").write_bytes(
        renamed[: renamed.rindex(b"\n", 0, -1) + 1]
    )  # its last line is lost
    web = ReplayFetcher(tmp_path / "x.warc.gz")
    assert fetch(web, "http://a.test/b").body == b"b"


def test_an_index_that_lies_gives_a_broken_answer_not_a_crash(tmp_path: Path) -> None:
    data, lines = indexed("ab", "x.warc.gz")
    (tmp_path / "x.warc.gz").write_bytes(data)
    (tmp_path / "x.cdxj").write_bytes(lines.replace(b'"offset":"0"', b'"offset":"7"'))
    web = ReplayFetcher(tmp_path / "x.warc.gz")
    page = fetch(web, "http://a.test/a")
    assert page.outcome is Outcome.BROKEN
    assert fetch(web, "http://a.test/b").body == b"b"
    assert page.detail.startswith("x.warc.gz, byte 7")


@pytest.mark.parametrize("index", ["indexes/index.cdx", "indexes/index.cdx.gz", ""])
def test_wacz(tmp_path: Path, index: str) -> None:
    path = tmp_path / "site.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as package:
        package.writestr("datapackage.json", "{}")
        all_lines = b""
        for file, names in (("one.warc.gz", "abc"), ("two.warc.gz", "def")):
            data, lines = indexed(names, file)
            package.writestr(f"archive/{file}", data)
            all_lines += lines
        if index:
            package.writestr(index, gzip.compress(all_lines) if index.endswith("gz") else all_lines)
    web = ReplayFetcher(path)
    assert [fetch(web, f"http://a.test/{name}").body for name in "abcdef"] == [
        name.encode() for name in "abcdef"
    ]


def test_wacz_that_packs_its_warcs(tmp_path: Path) -> None:
    path = tmp_path / "site.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("archive/a.warc.gz", site().data())
    with pytest.raises(InputError, match=r"compresses archive/a\.warc\.gz.*unzip"):
        ReplayFetcher(path)


def test_many_warcs_are_not_all_open_at_once(tmp_path: Path) -> None:
    for number in range(70):
        warc = Warc()
        warc.response(f"http://a.test/{number}", str(number).encode())
        warc.write(tmp_path / f"{number}.warc.gz")
    web = ReplayFetcher(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    for number in range(70):
        answer = asyncio.run(web.fetch(Request(f"http://a.test/{number}")))  # and do not close
        assert answer.body == str(number).encode()
    if before:
        assert len(list(Path("/proc/self/fd").iterdir())) - before <= 64
    assert fetch(web, "http://a.test/0").body == b"0"


def test_what_a_crawl_archived_is_replayed(tmp_path: Path) -> None:
    """A WARC of our own archive, with its index and without. Copies are revisits there."""
    body = PAGE * 100

    def answer(
        path: str, body: bytes, at: float, status: int = 200, location: str = ""
    ) -> Response:
        headers = (("content-type", HTML), *((("location", location),) if location else ()))
        return Response(
            f"http://a.test{path}", status, body, HTML, headers, payload=body, started=at
        )

    with ArchiveWriter(tmp_path, "north", max_bytes=10**6, info={}) as archive:
        archive.write(answer("/", body, 1.0), {})
        archive.write(answer("/copy", body, 2.0), {})
        archive.write(answer("/old", body, 3.0, 301, "/one"), {})
        archive.write(answer("/older", body, 4.0, 301, "/two"), {})
        archive.write(answer("/", b"new", 5.0), {})
    assert sum(path.read_bytes().count(b"warc/revisit") for path in tmp_path.glob("*.cdxj")) == 3
    for _ in ("with", "without"):
        web = ReplayFetcher(tmp_path)
        assert fetch(web, "http://a.test/").body == b"new"
        assert fetch(web, "http://a.test/copy").body == body
        assert [fetch(web, f"http://a.test/{name}").location for name in ("old", "older")] == [
            "http://a.test/one",
            "http://a.test/two",
        ]
        for index in tmp_path.glob("*.cdxj"):
            index.unlink()


# --- damage ---


@pytest.mark.parametrize("packed", [True, False])
def test_of_a_cut_warc_the_rest_is_replayed(tmp_path: Path, packed: bool) -> None:
    warc = Warc(packed)
    warc.response("http://a.test/1")
    end = warc.offset()
    warc.response("http://a.test/2")
    path = tmp_path / ("a.warc.gz" if packed else "a.warc")
    path.write_bytes(warc.data()[:-20])
    said: list[str] = []
    web = ReplayFetcher(path, say=said.append)
    assert said == [f"{path.name}, byte {end:,}: cut short"]
    assert fetch(web, "http://a.test/1").outcome is Outcome.FETCHED
    assert fetch(web, "http://a.test/2").outcome is Outcome.GONE


def test_a_flipped_byte(tmp_path: Path) -> None:
    data = bytearray(site().data())
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "a.warc.gz"
    path.write_bytes(bytes(data))
    said: list[str] = []
    web = ReplayFetcher(path, say=said.append)
    assert len(said) == 1
    assert "damaged bytes (not unpackable)" in said[0]
    assert fetch(web, "http://a.test/").body == PAGE


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_packed_in_one_piece(tmp_path: Path, ending: str) -> None:
    plain = site(packed=False).data()
    path = tmp_path / f"a.warc{ending}"
    path.write_bytes(gzip.compress(plain) if ending == ".gz" else zstandard.compress(plain))
    web = ReplayFetcher(path)
    for url in ("http://a.test/", "http://a.test/old", "http://a.test/logo.png"):
        expected = fetch(ReplayFetcher(site().write(tmp_path / "b.warc.gz")), url)
        assert fetch(web, url) == expected


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04 no zip", gzip.compress(b"no records", mtime=0)]
)
def test_what_is_no_warc(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.warc\.gz"):
        ReplayFetcher(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no"):
        ReplayFetcher(tmp_path / "none.warc")
    with pytest.raises(InputError, match=r"neither WARCs nor a manifest\.tsv"):
        ReplayFetcher(tmp_path)


# --- a folder of pages ---


def folder(root: Path, manifest: str) -> Path:
    (root / "pages").mkdir(exist_ok=True)
    (root / "pages" / "home.html").write_bytes(PAGE)
    (root / "pages" / "text").write_bytes("Grüße".encode("latin-1"))
    (root / "pages" / "moved").write_bytes(b"HTTP/1.1 302 Found\r\nLocation: /home\r\n\r\n")
    (root / "manifest.tsv").write_text(manifest, encoding="utf-8")
    return root


def test_folder(tmp_path: Path) -> None:
    lines = [
        "# what was saved",
        "",
        "http://a.test/home\tpages/home.html",
        "http://a.test/text\tpages/text\ttext/plain; charset=latin-1",
        "http://a.test/\tpages/moved\tmessage/http",
        "http://a.test/bare\tpages/text",
    ]
    web = ReplayFetcher(folder(tmp_path, "\r\n".join(lines)))
    home = fetch(web, "http://a.test/home")
    assert (home.status, home.body, home.content_type, home.response_head) == (
        200,
        PAGE,
        "text/html",
        b"",
    )
    assert fetch(web, "http://a.test/text").content_type == "text/plain; charset=latin-1"
    assert fetch(web, "http://a.test/bare").content_type == "text/html"
    moved = fetch(web, "http://a.test/")
    assert (moved.outcome, moved.location) == (Outcome.REDIRECT, "http://a.test/home")
    assert fetch(web, "http://a.test/robots.txt").status == 404


def test_a_page_beyond_the_limit(tmp_path: Path) -> None:
    web = ReplayFetcher(
        folder(tmp_path, "http://a.test/\tpages/home.html\n"), LimitsSection(body_bytes=10)
    )
    assert fetch(web, "http://a.test/").outcome is Outcome.TOO_LARGE


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("http://a.test/ pages/home.html", "is not URL, tab, file"),
        ("http://a.test/\tpages/home.html\ttext/html\tmore", "has no date: 'more'"),
        ("http://a.test/\tpages/home.html\ttext/html\t2026-01-01\tx", "is not URL, tab, file"),
        ("a.test\tpages/home.html", "has no http"),
        (
            "http://a.test/\tpages/none.html",
            "names a file outside the manifest's folder, or none: pages/none.html",
        ),
        ("http://a.test/\t../outside.html", "names a file outside the manifest's folder, or none"),
        ("http://a.test/\tpages", "names a file outside the manifest's folder, or none"),
    ],
)
def test_faults_of_a_manifest_name_the_line(tmp_path: Path, line: str, cause: str) -> None:
    root = tmp_path / "web"
    root.mkdir()
    (tmp_path / "outside.html").write_bytes(PAGE)
    with pytest.raises(InputError, match=rf"manifest\.tsv, line 2 {cause}"):
        ReplayFetcher(folder(root, f"http://a.test/home\tpages/home.html\n{line}\n"))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "web"
    root.mkdir()
    (tmp_path / "outside.html").write_bytes(PAGE)
    folder(root, "http://a.test/\tpages/link.html\nhttp://a.test/home\tpages/home.html\n")
    (root / "pages" / "link.html").symlink_to(tmp_path / "outside.html")
    web = ReplayFetcher(root)
    page = fetch(web, "http://a.test/")
    assert (page.outcome, page.body) == (Outcome.BROKEN, b"")
    assert "outside the manifest's folder" in page.detail
    assert fetch(web, "http://a.test/home").body == PAGE


def test_a_manifest_without_pages(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names no pages"):
        ReplayFetcher(folder(tmp_path, "# nothing\n"))


def test_a_file_that_goes_away_is_a_broken_answer(tmp_path: Path) -> None:
    web = ReplayFetcher(folder(tmp_path, "http://a.test/\tpages/home.html\n"))
    (tmp_path / "pages" / "home.html").unlink()
    assert fetch(web, "http://a.test/").outcome is Outcome.BROKEN
