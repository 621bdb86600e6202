"""CDXJ: the index next to each WARC, as pywb, wabac and cdxj-indexer read and write it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from toponaut.archive import ArchiveWriter, read_answer
from toponaut.archive.answers import PayloadIndex
from toponaut.archive.cdxj import surt
from toponaut.records import Outcome, Response
from toponaut.urls import normalise


# The right sides were printed by the package surt 0.3.1.
@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.com/", "com,example)/"),
        ("https://example.com/A/b.HTML", "com,example)/a/b.html"),
        ("http://www2.a.b.co.uk/x/", "uk,co,b,a)/x"),
        ("http://example.com:8080/?b=2&a=1", "com,example:8080)/?a=1&b=2"),
        ("http://10.1.2.3//a//b", "3,2,1,10)/a/b"),
        ("http://example.com/%C3%A4/%252F?q=%C3%A4&a", "com,example)/%c3%a4?a&q=%c3%a4"),
        ("http://example.com/a%2F..%2Fb", "com,example)/b"),
        ("http://example.com/?a=b=c&a&a=", "com,example)/?a&a=&a=b=c"),
        ("http://example.com/a%20b?c=d+e", "com,example)/a%20b?c=d+e"),
        ("http://xn--mnchen-3ya.de/", "de,xn--mnchen-3ya)/"),
    ],
)
def test_keys(url: str, key: str) -> None:
    assert normalise(url) == url
    assert surt(url) == key


def test_keys_of_ipv6() -> None:
    assert surt("http://[2001:db8::1]:81/A") == "[2001:db8::1]:81)/a"


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_key_is_one_word(path: str, query: str) -> None:
    url = normalise(f"http://example.com/{path}?{query}")
    if url is not None:
        key = surt(url)
        assert key.startswith("com,example)/")
        assert key.isascii()
        assert key.split() == [key]
        assert key == key.lower()


def written(directory: Path, max_bytes: int = 10**9) -> list[str]:
    """A small crawl: three hosts, a copy, an error, an unchanged page; the URLs in their order."""
    page = b"<p>" + b"Oldenburg " * 200
    cases = [
        ("http://zoo.example.org/b", 200, page, Outcome.FETCHED),
        ("http://example.org/B?y=1&x=%22", 200, page * 2, Outcome.FETCHED),
        ("http://a.example.org/", 200, page, Outcome.FETCHED),
        ("http://example.org/404", 404, b"no", Outcome.GONE),
        ("http://example.org/a", 304, b"", Outcome.UNCHANGED),
        ("http://example.org/", 200, b'{"a": 1}', Outcome.FETCHED),
    ]
    with ArchiveWriter(
        directory, "north", max_bytes=max_bytes, info={"software": "Toponaut"}
    ) as writer:
        for number, (url, status, payload, outcome) in enumerate(cases):
            head = f'HTTP/1.1 {status} X\r\nContent-Type: text/html;q="a"\r\n\r\n'.encode()
            writer.write(
                Response(url, status, payload, 'text/html;q="a"', outcome=outcome,
                started=1.8e9 + number,
                        request_head=b"GET / HTTP/1.1\r\n\r\n", response_head=head,
                        payload=payload),
                {"outcome": outcome},
            )  # fmt: skip
    return [url for url, *_ in cases]


@pytest.mark.parametrize("max_bytes", [10**9, 2000])
def test_every_line_leads_to_its_record(tmp_path: Path, max_bytes: int) -> None:
    urls = written(tmp_path, max_bytes)
    found = []
    for index in sorted(tmp_path.glob("*.cdxj")):
        lines = index.read_bytes().splitlines()
        assert lines == sorted(lines)
        assert lines
        for line in lines:
            key, timestamp, text = line.split(b" ", 2)
            entry = json.loads(text)
            assert key.decode() == surt(entry["url"])
            warc = tmp_path / entry["filename"]
            assert warc.stem == f"{index.stem}.warc"
            read = read_answer(warc, int(entry["offset"]), int(entry["length"]))
            assert read.url == entry["url"]
            assert read.date.translate(str.maketrans("", "", "-:T"))[:14].encode() == timestamp
            assert read.response_head.split()[1].decode() == entry["status"]
            assert entry["mime"] == ("text/html" if read.kind == "response" else "warc/revisit")
            with warc.open("rb") as stream:
                stream.seek(int(entry["offset"]))
                record = next(iter(ArchiveIterator(stream)))
                assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"]
            found.append(entry["url"])
    assert sorted(found) == sorted(urls)


def test_a_lost_or_damaged_index_is_rebuilt(tmp_path: Path) -> None:
    written(tmp_path, 2000)
    indexes = {path: path.read_bytes() for path in tmp_path.glob("*.cdxj")}
    first, *_, last = sorted(indexes)
    assert first != last
    for damage in (None, b"", b"\0" * 500, b"a b {}\n"):
        for path in (first, last):
            path.unlink() if damage is None else path.write_bytes(damage)
        # An answer that finishes the file, so that its index is complete and sorted again.
        with ArchiveWriter(
            tmp_path, "north", max_bytes=10**9, info={"software": "Toponaut"}
        ) as writer:
            stored = writer.write(Response("http://example.org/~", 200, b"x", started=1.9e9), {})
            assert stored is not None
        assert stored.file == f"{last.stem}.warc.gz"
        lines = last.read_bytes().splitlines(keepends=True)
        assert lines == sorted(lines)
        assert set(indexes[last].splitlines(keepends=True)) < set(lines)
        with ArchiveWriter(
            tmp_path, "north", max_bytes=10**9, info={"software": "Toponaut"}
        ) as writer:
            writer.truncate_to(
                stored.file,
                stored.end - stored.length - _before(tmp_path / stored.file, stored.offset),
            )
        assert last.read_bytes() == indexes[last]
        if damage is None:
            assert first.read_bytes() == indexes[first]
        first.write_bytes(indexes[first])


def _before(warc: Path, offset: int) -> int:
    """Bytes of the records before an answer in its group (only metadata: no request was sent)."""
    with warc.open("rb") as stream:
        records = ArchiveIterator(stream)
        starts: list[int] = [records.get_record_offset() for _ in records]
    return offset - starts[starts.index(offset) - 1]


def test_memory_of_originals_is_bounded() -> None:
    originals = PayloadIndex(generation=10)
    for number in range(1000):
        originals.add(f"sha1:{number}", number % 5, number + 1)
    remembered = [number for number in range(1000) if originals.find(f"sha1:{number}")]
    assert remembered == list(range(990, 1000))
    originals.add("sha1:x", 3, 7)
    assert originals.find("sha1:x") == (3, 7)
    assert originals.find("sha1:999") == (4, 1000)
    assert originals.find("sha1:y") is None
