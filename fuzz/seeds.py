"""First inputs for each target: pages of examples and benches, and small hand-written files."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec
import zstandard

from fuzz.targets import URL
from toponaut.page.parse import parse
from toponaut.page.reading.wire import write_answer
from toponaut.records import JudgedPage, Response

ROOT = Path(__file__).parents[1]
MOST_BYTES = 1 << 13  # of a page, so that many inputs are tried
PAGES = ("examples/oldenburg/*.html", "bench/addresses/us/*.html", "bench/addresses/world/*.html")
TEXTS = ("bench/toponyms/*.txt",)
STRUCTURED = (b"ld+json", b"itemprop", b"vcard", b"h-adr", b"property=")

URLS = """
https://www.example.com/springfield/pizza.html?id=7#top
HTTP://Example.COM:80/%7Euser/../a//b/./c?utm_source=x&b=1&a=%C3%A4
//cdn.example.org/x
../paris-texas/?q=new+york
http://xn--mnchen-3ya.de:8080/straße
https://user:pass@[2001:db8::1]:443/path
http://192.168.0.1/
mailto:someone@example.com
javascript:void(0)
"""
ROBOTS = b"""User-agent: *
User-agent: toponaut
Crawl-delay: 2.5
Disallow: /private*/$
Allow: /private/%61*b
Request-rate: 1/5m
Sitemap: https://www.example.com/sitemap.xml
"""
SITEMAPS = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
    b"<loc>https://www.example.com/a?b=1&amp;c=2</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod>"
    b"</url></urlset>",
    b"<sitemapindex><sitemap><loc><![CDATA[ https://www.example.com/s.xml.gz ]]></loc></sitemap>"
    b"</sitemapindex>",
    b"<rss><channel><item><link>https://www.example.com/n</link><pubDate>Tue, 05 Mar 2024 10:00:00"
    b" GMT</pubDate></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://www.example.com/e"/>'
    b"<updated>2024-01-02</updated></entry></feed>",
    b"https://www.example.com/one\nhttps://www.example.com/two\n",
)
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n<p>hi\r\n0\r\n\r\n"
)
RECORD = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://www.example.com/\r\n"
    b"WARC-Date: 2024-05-06T07:08:09Z\r\nContent-Type: application/http; msgtype=response\r\n"
    b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(ANSWER), ANSWER)
)
INFO = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n"


def seeds(target: str, real: Path | None = None) -> list[bytes]:
    """The seeds of a target. `real`: a folder of pages, used as well."""
    return list(_SEEDS[target](real))


def _pages(real: Path | None) -> Iterator[bytes]:
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    if real is not None:
        paths += [path for path in sorted(real.rglob("*")) if path.is_file()]
    return (path.read_bytes()[:MOST_BYTES] for path in paths)


def _typed_pages(real: Path | None) -> Iterator[bytes]:
    return (b"\0" + page for page in _pages(real))


def _structured(real: Path | None) -> Iterator[bytes]:
    return (page for page in _typed_pages(real) if any(sign in page for sign in STRUCTURED))


def _texts(real: Path | None) -> Iterator[bytes]:
    for pattern in TEXTS:
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_bytes()[:MOST_BYTES]
    for page in _pages(real):
        yield parse(Response(URL, 200, page, "text/html")).text.encode("utf-8", "replace")


def _urls(_: Path | None) -> Iterator[bytes]:
    return (line.encode() for line in URLS.split())


def _robots(_: Path | None) -> Iterator[bytes]:
    yield ROBOTS
    yield (ROOT / "examples/oldenburg/robots.txt").read_bytes()


def _sitemaps(_: Path | None) -> Iterator[bytes]:
    yield from SITEMAPS
    yield gzip.compress(SITEMAPS[0], mtime=0)


def _warcs(_: Path | None) -> Iterator[bytes]:
    yield INFO + RECORD
    yield gzip.compress(INFO, mtime=0) + gzip.compress(RECORD, mtime=0)
    yield gzip.compress(INFO + RECORD, mtime=0)
    yield zstandard.compress(INFO) + zstandard.compress(RECORD)
    yield b"http://a.example/ 192.0.2.1 20190506070809 text/html 19\nHTTP/1.1 200 OK\r\n\r\n\n"


def _answers(real: Path | None) -> Iterator[bytes]:
    buffer = bytearray()
    for body in _pages(real):
        page = parse(Response(URL, 200, body, "text/html"))
        prints = tuple(range(len(page.links)))
        write_answer(JudgedPage(page, (), (), True, link_fingerprints=prints), buffer)
        yield bytes(buffer[4:])


def _responses(real: Path | None) -> Iterator[bytes]:
    for body in _pages(real):
        body = body[:200]
        head = msgspec.msgpack.encode(Response(URL, 200, b"", "text/html", (("server", "x"),)))
        yield bytes([len(body)]) + head + body


_SEEDS = {
    "parse": _typed_pages,
    "names": _texts,
    "addresses": _texts,
    "structured": _structured,
    "urls": _urls,
    "robots": _robots,
    "sitemaps": _sitemaps,
    "warc": _warcs,
    "answers": _answers,
    "responses": _responses,
}
