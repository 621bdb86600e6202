"""The archive as other programs see it: warcio and fastwarc read the same bytes."""

import base64
import gzip
import hashlib
import subprocess
import sys
import warnings
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

import toponaut.archive
from toponaut.archive import ArchiveWriter, RecordLocation, read_answer
from toponaut.archive.records import date_of
from toponaut.errors import InputError
from toponaut.records import Outcome, Response

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # fastwarc 1.1 warns of old names of its own
    from fastwarc.warc import ArchiveIterator, WarcRecordType

INFO = {
    "software": "Toponaut/0.1",
    "http-header-user-agent": "Toponaut/0.1",
    "robots": "obey",
    "job": "a1b2",
}
DECISIONS = {
    "outcome": "fetched",
    "node": "north",
    "promise": 0.5,
    "why": "two\r\nlines",
    "relevant": True,
}
REQUEST = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: nginx\r\n\r\n"
LONG = b"<p>" + b"Oldenburg, Leer and Jever. " * 60


def answer(number: int = 0, payload: bytes = LONG, head: bytes = HEAD, **other: Any) -> Response:
    given = {
        "url": f"http://www.example.com/{number}",
        "status": 200,
        "body": payload,
        "content_type": "text/html; charset=utf-8",
        "started": 1_800_000_000.25 + number,
        "ip": "192.0.2.7",
        "request_head": REQUEST,
        "response_head": head,
        "payload": payload,
    }
    return Response(**{**given, **other})


def archived(directory: Path, *answers: Response, max_bytes: int = 10**9) -> list[RecordLocation]:
    with ArchiveWriter(directory, "north", max_bytes=max_bytes, info=INFO) as writer:
        stored = [writer.write(one, DECISIONS) for one in answers]
    return [one for one in stored if one is not None]


def check(directory: Path) -> None:
    """What `warcio check` says of every file: nothing."""
    files = sorted(map(str, directory.glob("*.warc.gz")))
    code = "import sys; from warcio.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", *files], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def by_warcio(directory: Path) -> list[dict[str, Any]]:
    """All records as warcio reads them, with their places and blocks."""
    found = []
    for path in sorted(directory.glob("*.warc.gz")):
        with path.open("rb") as stream:
            records = WarcioIterator(stream, no_record_parse=True)
            for record in records:
                block = record.raw_stream.read()
                header = {name.lower(): value for name, value in record.rec_headers.headers}
                found.append(
                    header
                    | {"block": block, "file": path.name, "offset": records.get_record_offset()}
                )
    return found


def test_the_door_is_narrow() -> None:
    modules = {path.stem for path in Path(toponaut.archive.__file__).parent.glob("*.py")}
    visible = {name for name in vars(toponaut.archive) if not name.startswith("_")}
    assert visible - modules == set(toponaut.archive.__all__)


def test_an_answer_is_three_linked_records(tmp_path: Path) -> None:
    [stored] = archived(tmp_path, answer())
    check(tmp_path)
    info, metadata, request, response = by_warcio(tmp_path)
    types = [one["warc-type"] for one in (info, metadata, request, response)]
    assert types == ["warcinfo", "metadata", "request", "response"]
    assert info["warc-filename"] == "north-000000.warc.gz"
    assert b"software: Toponaut/0.1\r\n" in info["block"]
    assert b"conformsTo: http://iipc.github.io/warc-specifications/" in info["block"]
    assert (
        metadata["warc-concurrent-to"]
        == request["warc-concurrent-to"]
        == response["warc-record-id"]
    )
    assert response["warc-concurrent-to"] == request["warc-record-id"]
    assert metadata["content-type"] == "application/warc-fields"  # indexers take JSON for a page
    assert (
        metadata["block"]
        == b"outcome: fetched\r\nnode: north\r\npromise: 0.5\r\nwhy: two lines\r\nrelevant: "
        b"True\r\n"
    )
    assert request["block"] == REQUEST
    assert response["block"] == HEAD + LONG
    assert response["warc-date"] == "2027-01-15T08:00:00.250000Z"
    assert response["warc-ip-address"] == "192.0.2.7"
    sha1 = "sha1:" + base64.b32encode(hashlib.sha1(LONG).digest()).decode()
    assert response["warc-payload-digest"] == stored.digest == sha1
    assert (response["file"], response["offset"]) == (stored.file, stored.offset)
    assert stored.end == (tmp_path / stored.file).stat().st_size  # the response closes its group


def test_fastwarc_reads_the_same_bytes(tmp_path: Path) -> None:
    packed = gzip.compress(
        bytes(range(256)) * 999 + hashlib.shake_128(b"x").digest(90_000), mtime=0
    )
    assert len(packed) > 65_535  # more than a stored block of deflate holds
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    sent = [
        answer(1),
        answer(2, packed, head, headers=(("content-encoding", "gzip"),)),
        answer(3, b""),
    ]
    archived(tmp_path, *sent)
    check(tmp_path)
    with (tmp_path / "north-000000.warc.gz").open("rb") as stream:
        read = [
            (record.headers["WARC-Target-URI"], record.reader.read())
            for record in ArchiveIterator(stream, parse_http=False)
            if record.headers["WARC-Type"] == "response"
        ]
    assert read == [(one.url, one.response_head + one.payload) for one in sent]
    with (tmp_path / "north-000000.warc.gz").open("rb") as stream:
        kinds = WarcRecordType.response
        checked = [
            one.verify_payload_digest() for one in ArchiveIterator(stream, record_types=kinds)
        ]
    assert checked == [True] * len(sent)


def test_no_answer_no_record(tmp_path: Path) -> None:
    assert archived(tmp_path, answer(status=0, outcome=Outcome.TIMEOUT)) == []
    assert list(tmp_path.iterdir()) == []


def test_files_are_rotated_and_taken_up_again(tmp_path: Path) -> None:
    first = archived(
        tmp_path, *(answer(number, LONG + b"%d" % number) for number in range(5)), max_bytes=3000
    )
    second = archived(
        tmp_path,
        *(answer(number, LONG + b"%d" % number) for number in range(5, 12)),
        max_bytes=3000,
    )
    check(tmp_path)
    files = sorted(path.name for path in tmp_path.glob("*.warc.gz"))
    assert files == [f"north-{number:06d}.warc.gz" for number in range(len(files))]
    assert len(files) > 3
    assert first[-1].file == second[0].file  # closing does not begin a new file
    kinds = Counter((one["file"], one["warc-type"]) for one in by_warcio(tmp_path))
    assert all(kinds[file, "warcinfo"] == 1 for file in files)
    sizes = [(tmp_path / file).stat().st_size for file in files]
    assert all(3000 <= size < 5000 for size in sizes[:-1])


def test_a_file_may_be_finished_while_another_thread_waits_for_it(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, "north", max_bytes=10**9, info=INFO) as archive:
        archive.write(answer(0), DECISIONS)
        archive.sync()
        archive.write(answer(1, LONG * 2), DECISIONS)
        wait = archive.sync_later()
        archive.roll(1)
        archive.write(answer(2, LONG * 3), DECISIONS)
        wait()
        archive.sync_later()()
    check(tmp_path)
    responses = [one for one in by_warcio(tmp_path) if one["warc-type"] == "response"]
    assert len(responses) == 3


def test_equal_crawls_give_equal_archives(tmp_path: Path) -> None:
    answers = [answer(number % 7, LONG * (number % 3)) for number in range(20)]
    for name in ("one", "two"):
        archived(tmp_path / name, *answers, max_bytes=4000)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two
    ids = [record["warc-record-id"] for record in by_warcio(tmp_path / "one")]
    assert len(set(ids)) == len(ids)  # although pages and times repeat


def test_a_copy_refers_to_its_original(tmp_path: Path) -> None:
    original, other, copy = archived(
        tmp_path, answer(1), answer(2, LONG * 2), answer(3), max_bytes=2500
    )
    assert copy.digest == original.digest
    assert copy.file != original.file
    check(tmp_path)
    response, _, revisit = (
        one for one in by_warcio(tmp_path) if one["warc-type"] in ("response", "revisit")
    )
    assert revisit["warc-type"] == "revisit"
    assert (
        revisit["warc-profile"]
        == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    )
    assert revisit["block"] == HEAD
    assert revisit["warc-truncated"] == "length"
    assert revisit["warc-refers-to"] == response["warc-record-id"]
    assert revisit["warc-refers-to-target-uri"] == "http://www.example.com/1"
    assert revisit["warc-refers-to-date"] == response["warc-date"]
    assert revisit["warc-payload-digest"] == response["warc-payload-digest"]
    read = read_answer(tmp_path / copy.file, copy.offset, copy.length)
    assert (read.kind, read.url, read.payload) == ("revisit", "http://www.example.com/3", LONG)
    assert (read.refers_to, read.refers_to_date) == (
        "http://www.example.com/1",
        response["warc-date"],
    )
    assert read_answer(tmp_path / other.file, other.offset, other.length).kind == "response"


def test_copies_are_known_after_a_restart(tmp_path: Path) -> None:
    [original] = archived(tmp_path, answer(1))
    for index in tmp_path.glob("*.cdxj"):
        index.unlink()  # the known payloads are then read from the archive itself
    [copy] = archived(tmp_path, answer(2))
    assert (
        read_answer(tmp_path / copy.file, copy.offset, copy.length).refers_to
        == "http://www.example.com/1"
    )
    assert copy.digest == original.digest


def test_small_and_cut_answers_are_not_copies(tmp_path: Path) -> None:
    stored = archived(
        tmp_path,
        answer(1, b"tiny"),
        answer(2, b"tiny"),
        answer(3),
        answer(4, outcome=Outcome.TOO_LARGE),
    )
    kinds = [read_answer(tmp_path / one.file, one.offset, one.length).kind for one in stored]
    assert kinds == ["response"] * 4


def test_an_unchanged_page(tmp_path: Path) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
    unchanged = {"status": 304, "outcome": Outcome.UNCHANGED}
    with ArchiveWriter(tmp_path, "north", max_bytes=10**9, info=INFO) as writer:
        first = writer.write(answer(1), DECISIONS)
        assert first is not None
        known = writer.write(
            answer(1, b"", head, **unchanged), DECISIONS, (first.file, first.offset)
        )
        assert known is not None
        again = writer.write(
            answer(1, b"", head, **unchanged), DECISIONS, (known.file, known.offset)
        )
        unknown = writer.write(answer(2, b"", head, **unchanged), DECISIONS)
        lost = writer.write(
            answer(3, b"", head, **unchanged), DECISIONS, ("south-000000.warc.gz", 77)
        )
    check(tmp_path)
    for stored in (known, again, unknown, lost):
        assert stored is not None
        read = read_answer(tmp_path / stored.file, stored.offset, stored.length)
        assert (read.kind, read.response_head) == ("revisit", head)
        assert read.payload == (LONG if stored in (known, again) else b"")
        assert stored.digest == read.digest if read.payload else read.digest == ""
    profiles = {one["warc-profile"] for one in by_warcio(tmp_path) if one["warc-type"] == "revisit"}
    assert profiles == {"http://netpreserve.org/warc/1.1/revisit/server-not-modified"}


@pytest.mark.parametrize(
    ("outcome", "announced", "reason"),
    [
        (Outcome.TOO_LARGE, 10**6, "length"),
        (Outcome.TIMEOUT, 10**6, "time"),
        (Outcome.BROKEN, 10**6, "disconnect"),
        (Outcome.WRONG_TYPE, 10**6, "unspecified"),
        (Outcome.TOO_LARGE, None, "length"),
        (Outcome.BROKEN, len(LONG), ""),  # whole, but packed wrongly
        (Outcome.FETCHED, None, ""),
    ],
)
def test_cut_answers_say_so(
    tmp_path: Path, outcome: Outcome, announced: int | None, reason: str
) -> None:
    headers = () if announced is None else (("content-length", str(announced)),)
    [stored] = archived(tmp_path, answer(outcome=outcome, headers=headers))
    check(tmp_path)
    assert read_answer(tmp_path / stored.file, stored.offset, stored.length).truncated == reason


def test_chunks_that_were_undone(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nX-Archive-Orig-Via: 1.1 x\r\n\r\n"
    [stored] = archived(tmp_path, answer(head=head))
    check(tmp_path)
    read = read_answer(tmp_path / stored.file, stored.offset, stored.length)
    assert (read.response_head, read.payload) == (head, LONG)
    with (tmp_path / stored.file).open("rb") as stream:  # readers that undo chunks must not stumble
        texts = [
            record.reader.read()
            for record in ArchiveIterator(stream, parse_http=True, auto_decode="all")
        ]
    assert texts[-1] == LONG


def test_answers_of_a_web_without_wires(tmp_path: Path) -> None:
    headers = (("content-type", "text/html"), ("content-encoding", "gzip"), ("x", "1"))
    made_up = Response("http://example.com/", 200, LONG, "text/html", headers, started=5.0)
    strange = Response("http://example.com/2", 299, LONG * 2, "text/plain")
    stored, second = archived(tmp_path, made_up, strange)
    check(tmp_path)
    read = read_answer(tmp_path / stored.file, stored.offset, stored.length)
    expected = (
        f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx: 1\r\ncontent-length: {len(LONG)}\r\n\r\n"
    )
    assert (read.response_head, read.payload) == (expected.encode(), LONG)
    head = read_answer(tmp_path / second.file, second.offset, second.length).response_head
    assert head.startswith(b"HTTP/1.1 299 \r\ncontent-type: text/plain\r\n")
    _, metadata, response, *_ = by_warcio(tmp_path)  # no request was sent
    assert response["warc-concurrent-to"] == metadata["warc-record-id"]


names = st.text("abcXYZ-", min_size=1, max_size=12).filter(lambda name: not name.startswith("-"))
values = st.binary(max_size=60).map(lambda value: value.translate(None, b"\r\n"))
heads = st.builds(
    lambda status, pairs,
    end: b"HTTP/1.1 %d OK" % status + end + b"".join(n.encode() + b": " + v + end for n,
    v in pairs) + end,
    st.integers(200, 599),
    st.lists(st.tuples(names, values), max_size=6),
    st.sampled_from([b"\r\n", b"\n"]),
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(heads, st.binary(max_size=3000), st.booleans()), min_size=1, max_size=4))
@example(
    [
        (
            b"HTTP/1.1 200 OK\r\nA: " + b"\xff\xc3\xa4" * 40_000 + b"\r\n\r\n",
            b"\r\n\r\nHTTP/1.1 200",
            True,
        )
    ]
)
@example([(b"HTTP/1.1 200 OK\r\nno end", b"", False)])
@example([(b"HTTP/1.1 200 OK\n\nX: y\r\n\r\n", b"WARC/1.1\r\n", True)])
def test_odd_answers(
    tmp_path_factory: pytest.TempPathFactory, sent: list[tuple[bytes, bytes, bool]]
) -> None:
    directory = tmp_path_factory.mktemp("odd")
    answers = [
        answer(number, payload, head, headers=(("content-encoding", "br"),) if packed else ())
        for number, (head, payload, packed) in enumerate(sent)
    ]
    stored = archived(directory, *answers)
    assert by_warcio(directory)[0]["warc-type"] == "warcinfo"
    with (directory / "north-000000.warc.gz").open(
        "rb"
    ) as stream:  # and where the payload begins, all agree
        for record in WarcioIterator(stream, check_digests="raise"):
            record.content_stream().read()
    for one, (head, payload, _) in zip(stored, sent, strict=True):
        read = read_answer(directory / one.file, one.offset, one.length)
        assert read.payload == payload
        if (
            head.count(b"\r\n\r\n") == 1
            and head.endswith(b"\r\n\r\n")
            and b"\n" not in head.replace(b"\r\n", b"")
        ):
            assert read.response_head == head


def test_reading_a_missing_answer(tmp_path: Path) -> None:
    [stored] = archived(tmp_path, answer())
    path = tmp_path / stored.file
    with pytest.raises(InputError, match=r"there is no .*south.*Put the crawl's archive back"):
        read_answer(tmp_path / "south-000000.warc.gz", 0, 10)
    with pytest.raises(InputError, match=r"has no answer at byte 0 .a warcinfo record"):
        read_answer(path, 0, next(one["offset"] for one in by_warcio(tmp_path)[1:]))
    for offset, length in (
        (stored.offset + 1, stored.length),
        (stored.offset, stored.length - 1),
        (10**9, 5),
    ):
        with pytest.raises(InputError, match="has no answer at byte"):
            read_answer(path, offset, length)


def test_a_copy_whose_original_is_lost(tmp_path: Path) -> None:
    original, copy = archived(tmp_path, answer(1), answer(2), max_bytes=1)
    path = tmp_path / original.file
    content = path.read_bytes()
    path.write_bytes(content[: original.offset + 9])
    with pytest.raises(
        InputError, match=f"north-000000.warc.gz has no answer at byte {original.offset:,}"
    ):
        read_answer(tmp_path / copy.file, copy.offset, copy.length)
    path.unlink()
    with pytest.raises(InputError, match=r"there is no .*north-000000"):
        read_answer(tmp_path / copy.file, copy.offset, copy.length)
    path.write_bytes(content)
    assert read_answer(tmp_path / copy.file, copy.offset, copy.length).payload == LONG


@given(
    st.floats(0, 4e9)
    | st.floats(-1e9, 0)
    | st.integers(0, 4 * 10**15).map(lambda micros: micros / 1e6)
)
def test_dates(time: float) -> None:
    assert (
        date_of(time)
        == datetime.fromtimestamp(time, UTC).isoformat(timespec="microseconds")[:26] + "Z"
    )
