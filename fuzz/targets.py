"""Functions that read hostile bytes as the crawler would, and check the result.

A target fails by an exception that callers do not expect, by a broken promise (an offset outside
the text, a URL that is not in normal form), or by what the sanitizers report.
"""

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from toponaut.archive.http_answers import answer_in
from toponaut.archive.record_heads import HEAD_BYTES, UnreadableRecordError
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import DamagedSpan, WarcReader
from toponaut.gate.simhash import simhash
from toponaut.page.parse import parse, parse_text
from toponaut.page.reading.wire import AnswerStream, CrawlStream
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import JudgedPage, Page, Response
from toponaut.urls import (
    fingerprint,
    host,
    host_of,
    join,
    normalise,
    registered_domain,
    tokens,
)
from toponaut.web.politeness.robots import read_rules
from toponaut.web.sitemaps import read_sitemap

URL = "https://www.example.com/a/b?c=d"
# The first byte of a page's input chooses one of these.
CONTENT_TYPES = (
    "text/html; charset=utf-8",
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/html; charset=shift_jis",
    "text/html; charset=utf-16",
)
_names = cache(open_names)


@cache
def _addresses() -> AddressFinder:
    return AddressFinder(_names().gazetteer, _names())


@cache
def _scratch_file() -> Path:
    return Path(mkdtemp(prefix="toponaut-fuzz-")) / "fuzz.warc"


def parse_page(data: bytes) -> None:
    page = _page(data)
    simhash(page.text)
    for link in page.links:
        _check_span(page.text, link.start, link.end)
        assert normalise(link.url) == link.url
        fingerprint(link.url)
    for mark in page.marks:
        _check_span(page.text, mark.start, mark.end)


def find_names(data: bytes) -> None:
    text, names = _text(data), _names()
    for mention in names.find(text):
        _check_span(text, mention.start, mention.end)
    names.glance(names.scan(text))


def find_addresses(data: bytes) -> None:
    _addresses().find(parse_text(URL, _text(data)))


def read_structured(data: bytes) -> None:
    """The data are a page, or JSON-LD that a page is made of."""
    if data[:1] < b"\x80":
        _addresses().find(_page(data))
    else:
        script = b'<script type="application/ld+json">%s</script>' % data[1:]
        _addresses().find(parse(Response(URL, 200, script, CONTENT_TYPES[0])))


def read_url(data: bytes) -> None:
    text = _text(data)
    for found in (normalise(text), join(URL, text)):
        if found is not None:
            assert normalise(found) == found
            assert host(found) == host_of(found) != ""
            registered_domain(host_of(found))
            tokens(found)
            _names().urls.find([found])
    host(text)


def read_robots(data: bytes) -> None:
    rules = read_rules(Response("https://www.example.com/robots.txt", 200, data), "toponaut")
    rules.allows(URL)
    rules.allows("https://www.example.com/" + "a" * 50)


def read_sitemaps(data: bytes) -> None:
    found = read_sitemap(data, "https://www.example.com/sitemap.xml")
    for url in (*found.sitemaps, *found.pages):
        assert normalise(url) == url


def read_warc(data: bytes) -> None:
    path = _scratch_file()
    path.write_bytes(data)
    with suppress(UnreadableRecordError), WarcReader(WarcFile.whole(path)) as reader:
        for found in reader.walk():
            assert 0 <= found.offset <= found.end <= len(data)
            if isinstance(found, DamagedSpan):
                continue
            with suppress(UnreadableRecordError):
                answer_in(found)
            if not found.shared and not found.torn:
                assert reader.record_at(found.offset, HEAD_BYTES) == found


def read_answer(data: bytes) -> None:
    """The message of a reader process, received in two pieces."""
    frame = struct.pack("<I", len(data)) + data
    cut = min(len(frame), data[-1] if data else 0)
    stream = AnswerStream(_use_answer)
    with suppress(ValueError):  # msgspec's, and that of text that is not UTF-8
        for piece in (frame[:cut], frame[cut:]):
            if piece:
                stream.buffer()[: len(piece)] = piece
                stream.received(len(piece))


def read_response(data: bytes) -> None:
    """The message of a crawl; its lengths are right or wrong by what the first byte says."""
    body = data[0] if data else 0
    head = max(len(data) - body, 0)
    ours, theirs = socket.socketpair()
    with ours, theirs, suppress(ValueError, EOFError):
        theirs.sendall(struct.pack("<II", head, body) + data[1:])
        theirs.close()
        CrawlStream(ours).next()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "parse": parse_page,
    "names": find_names,
    "addresses": find_addresses,
    "structured": read_structured,
    "urls": read_url,
    "robots": read_robots,
    "sitemaps": read_sitemaps,
    "warc": read_warc,
    "answers": read_answer,
    "responses": read_response,
}


def _page(data: bytes) -> Page:
    kind = CONTENT_TYPES[data[0] % len(CONTENT_TYPES)] if data else ""
    return parse(Response(URL, 200, data[1:], kind))


def _text(data: bytes) -> str:
    """With lone surrogates, which Python's strings may have, if all else is UTF-8."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _check_span(text: str, start: int, end: int) -> None:
    assert start == end == -1 or 0 <= start <= end <= len(text)


def _use_answer(answer: JudgedPage | str | None) -> None:
    if isinstance(answer, JudgedPage):
        answer.page.text.encode("utf-8", "surrogatepass")
        list(answer.page.links)
