"""Sitemaps: the kinds of the protocol, the faults of real ones, and what hostile ones cost."""

import gzip
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.web.sitemaps import MAX_BYTES, MAX_ENTRIES, Sitemap, read_sitemap

HERE = "https://www.example.com/sitemap.xml"
PLAIN = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>https://www.example.com/</loc>
    <lastmod>2005-01-01</lastmod>
    <changefreq>monthly</changefreq>
    <priority>0.8</priority>
  </url>
  <url><loc>https://www.example.com/catalog?item=12&amp;desc=vacation_hawaii</loc></url>
  <url>
    <lastmod>2004-12-23T18:00:15+00:00</lastmod>
    <loc> https://www.example.com/catalog?item=73 </loc>
  </url>
</urlset>
"""
PLAIN_PAGES = (
    "https://www.example.com/",
    "https://www.example.com/catalog?item=12&desc=vacation_hawaii",
    "https://www.example.com/catalog?item=73",
)
INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://www.example.com/sitemap1.xml.gz</loc>
<lastmod>2004-10-01T18:23:17+00:00</lastmod></sitemap>
<sitemap><loc>https://www.example.com/sitemap2.xml.gz</loc></sitemap>
</sitemapindex>"""
RSS = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>News</title><link>https://www.example.com/news</link>
<atom:link rel="self" href="https://www.example.com/feed.xml"/>
<item><title>One</title><link>https://www.example.com/one</link>
<pubDate>Mon, 26 Mar 2007 18:38:58 +0000</pubDate></item>
<item><title>Two</title><guid isPermaLink="true">https://www.example.com/two</guid></item>
<item><guid isPermaLink="false">310@example</guid>
<link><![CDATA[https://www.example.com/three?a=1&b=2]]></link></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://www.example.com/"/>
<updated>2024-01-01T00:00:00Z</updated>
<entry><link rel="edit" href="https://www.example.com/edit/1"/>
<link rel="alternate" href="https://www.example.com/1?a=1&amp;b=2"/>
<updated>2003-12-13T18:30:02Z</updated></entry>
<entry><link href='https://www.example.com/2'/></entry></feed>"""


def test_dates_of_pages() -> None:
    """2005-01-01 and 2004-12-23 18:00:15 UTC; 2007-03-26 18:38:58 and 2003-12-13 18:30:02 UTC."""
    first, _, third = PLAIN_PAGES
    assert read_sitemap(PLAIN.encode(), HERE).modified == {
        first: 1_104_537_600.0, third: 1_103_824_815.0,
    }  # fmt: skip
    rss, atom = (read_sitemap(one.encode(), HERE).modified for one in (RSS, ATOM))
    assert rss == {"https://www.example.com/one": 1_174_934_338.0}
    assert atom == {"https://www.example.com/1?a=1&b=2": 1_071_340_202.0}
    odd = PLAIN.replace("2005-01-01", "last week").replace("2004-12-23T18:00:15+00:00", "99999")
    assert read_sitemap(odd.encode(), HERE).modified == {}


def pages(body: str | bytes, url: str = HERE) -> tuple[str, ...]:
    found = read_sitemap(body.encode() if isinstance(body, str) else body, url)
    return found.pages


def urls(*paths: str) -> tuple[str, ...]:
    return tuple(f"https://www.example.com{path}" for path in paths)


# --- kinds ---


def test_xml() -> None:
    assert read_sitemap(PLAIN.encode(), HERE).pages == PLAIN_PAGES


def test_index() -> None:
    found = read_sitemap(INDEX.encode(), HERE)
    assert found == Sitemap(sitemaps=urls("/sitemap1.xml.gz", "/sitemap2.xml.gz"))


def test_text() -> None:
    body = (
        b"\xef\xbb\xbfhttps://www.example.com/a\r\nhttps://www.example.com/b c\n\n  "
        b"https://www.example.com/d\nnot a URL\n"
    )
    assert pages(body) == urls("/a", "/b%20c", "/d")


def test_rss() -> None:
    assert pages(RSS) == urls("/one", "/two", "/three?a=1&b=2")


def test_atom() -> None:
    assert pages(ATOM) == urls("/1?a=1&b=2", "/2")


def test_gzip_by_its_first_bytes_in_members_and_damaged() -> None:
    packed = gzip.compress(PLAIN.encode())
    assert read_sitemap(packed, HERE).pages == PLAIN_PAGES
    half = PLAIN.index("<url><loc>")
    members = gzip.compress(PLAIN[:half].encode()) + gzip.compress(PLAIN[half:].encode())
    assert read_sitemap(members, HERE).pages == PLAIN_PAGES
    lines = "".join(f"https://www.example.com/{i}\n" for i in range(40_000)).encode()
    torn = gzip.compress(lines)[: len(gzip.compress(lines)) // 2]
    assert 1000 < len(pages(torn)) < 40_000
    damaged = bytearray(gzip.compress(lines, 1))
    damaged[len(damaged) * 3 // 4 :: 7] = bytes(len(damaged[len(damaged) * 3 // 4 :: 7]))
    assert pages(bytes(damaged))[:2] == urls("/0", "/1")
    assert pages(b"\x1f\x8b" + b"rubbish") == ()


# --- faults of real ones ---


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # namespaces
        ("<s:urlset xmlns:s='x'><s:url><s:loc>https://www.example.com/a</s:loc></s:url></s:urlset>",
         urls("/a")),
        ("<urlset><url><loc>https://www.example.com/a</loc><image:image><image:loc>"
         "https://www.example.com/a.png"
         "</image:loc></image:image></url></urlset>", urls("/a")),
        ("<urlset><url><loc>https://www.example.com/a</loc><xhtml:link rel='alternate' "
         "href='https://www.example.com/de'/>"
         "</url></urlset>", urls("/a")),
        ("<URLSET><URL><LOC>https://www.example.com/a</LOC></URL></URLSET>", urls("/a")),
        # broken XML
        ("<urlset><url><loc>https://www.example.com/a<url><loc>https://www.example.com/b</loc>",
         urls("/a", "/b")),
        ("<urlset><loc>https://www.example.com/a</loc><loc>https://www.example.com/b</loc>",
         urls("/a", "/b")),
        ("<url><loc>https://www.example.com/a</loc></url>", urls("/a")),  # no root
        ("\n\n  <?xml version='1.0'?><urlset><url><loc>https://www.example.com/a</loc></url>"
         "</urlset>", urls("/a")),
        ("Warning: line 3<br><urlset><url><loc>https://www.example.com/a</loc></url></urlset>",
         urls("/a")),
        ("<urlset><url><loc>https://www.example.com/a?b=1&c=2&copy=3</loc></url></urlset>",
         urls("/a?b=1&c=2&copy=3")),
        # odd URLs
        ("<urlset><url><loc><![CDATA[https://www.example.com/a?b=1&c=2]]></loc></url></urlset>",
         urls("/a?b=1&c=2")),
        ("<urlset><url><loc>\n <![CDATA[ https://www.example.com/a ]]>\n</loc></url></urlset>",
         urls("/a")),
        ("<urlset><url><loc>https://www.example.com/&#252;&#xFC;&apos;&#0;</loc></url></urlset>",
         urls("/%C3%BC%C3%BC'%EF%BF%BD")),
        ("<urlset><url><loc>HTTPS://WWW.Example.com:443/a/../b#c</loc></url></urlset>", urls("/b")),
        ("<urlset><url><loc>/a</loc></url><url><loc></loc></url><url><loc/></url></urlset>", ()),
        ("<urlset><url><loc>https://www.example.com/a</loc></url><url><loc>"
         "https://www.example.com/a</loc></url>", urls("/a")),
        # not entries
        ("<urlset><!-- <url><loc>https://www.example.com/old</loc></url> --><url><loc>"
         "https://www.example.com/a</loc>", urls("/a")),
        ("<urlset><url><loc>https://www.example.com/a</loc></url><!-- <url><loc>"
         "https://www.example.com/b</loc>",
         urls("/a", "/b")),
        ("<!DOCTYPE html><html><body>Not found. See https://www.example.com/help</body></html>",
         ()),
        ("", ()),
    ],
)  # fmt: skip
def test_faults(body: str, expected: tuple[str, ...]) -> None:
    assert pages(body) == expected


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252"],
)
def test_encodings(encoding: str) -> None:
    body = (
        f"<?xml version='1.0' encoding='{encoding}'?><urlset><url><loc>"
        f"https://www.example.com/ü</loc></url></urlset>"
    )
    assert pages(body.encode(encoding)) == urls("/%C3%BC")


# --- whose pages ---


def test_a_sitemap_vouches_for_its_own_site() -> None:
    named = (
        "https://shop.example.com/a",
        "http://example.com/b",
        "https://example.org/c",
        "https://evil-example.com/d",
    )
    body = "".join(f"<url><loc>{url}</loc></url>" for url in named)
    assert pages(f"<urlset>{body}</urlset>") == named[:2]
    elsewhere = "https://cdn.example.net/sitemap.xml"
    assert pages(f"<urlset>{body}</urlset>", elsewhere) == ()
    index = f"<sitemapindex>{body}</sitemapindex>".replace("url>", "sitemap>")
    assert read_sitemap(index.encode(), HERE).sitemaps == named[:2]


# --- limits and hostile ones ---


def test_at_most_50_000_entries() -> None:
    body = "".join(f"https://www.example.com/{i}\n" for i in range(MAX_ENTRIES + 10))
    assert len(pages(body)) == MAX_ENTRIES


def test_a_bomb_is_unpacked_up_to_the_limit() -> None:
    bomb = gzip.compress(
        b"https://www.example.com/a\n" + b" " * (2 * MAX_BYTES) + b"\nhttps://www.example.com/b\n",
        1,
    )
    assert pages(bomb) == urls("/a")


def test_entities_cannot_multiply_nor_reach_out() -> None:
    body = """<!DOCTYPE urlset [<!ENTITY a "https://www.example.com/a"><!ENTITY b "&a;&a;&a;&a;">
    <!ENTITY c SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>&a;</loc></url>
    <url><loc>https://www.example.com/&b;&c;</loc></url></urlset>"""
    assert pages(body) == urls("/&b;&c;")


def cpu(body: bytes) -> float:
    times = []
    for _ in range(3):
        start = process_time()
        read_sitemap(body, HERE)
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b"<" * n,
        lambda n: b"<urlset>" + b"<url>" * n,
        lambda n: b"<urlset>" + b"<loc " * n,
        lambda n: b"<urlset>" + b"<loc>x" * n,
        lambda n: b"<urlset>" + b"<loc><![CDATA[" * n,
        lambda n: b"<urlset>" + b"<!-- " * n,
        lambda n: b"<urlset>" + b"<loc>" + b" " * n + b"&" * n + b"]]>" * n,
        lambda n: b"<urlset>" + b"<a" * n,
        lambda n: b"<" + b"a" * n + b":urlset" * n,
        lambda n: b"<rss>" + b"<item><link " * n,
        lambda n: b"<feed>" + b"<entry><link" + b" rel=" * n + b" href=" * n + b">",
        lambda n: gzip.compress(b"") * n,
        lambda n: b"http://\n" * n,
    ],
)
def test_hostile_ones_take_linear_time(make: Callable[[int], bytes]) -> None:
    """Eight times the file takes far less than eight times eight."""
    assert cpu(make(16_000)) < 32 * cpu(make(2000)) + 0.005


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"<urlset>", b"<rss>", b"<feed>", b"\x1f\x8b\x08\0", b"\xff\xfe"]),
)
def test_never_raises(body: bytes, start: bytes) -> None:
    read_sitemap(start + body, HERE)


@given(st.lists(st.sampled_from("<url> </url> <loc> </loc> <lastmod> </lastmod> "
                                "https://www.example.com/a 2024 <!-- --> "
                                "<![CDATA[ ]]> <item> <link> & &amp; < > <entry> href='x'".split()),
                                max_size=30))  # fmt: skip
def test_every_found_page_is_in_normal_form_and_ours(parts: list[str]) -> None:
    for root in ("<urlset>", "<rss>", ""):
        for page in read_sitemap((root + " ".join(parts)).encode(), HERE).pages:
            assert page.startswith("https://www.example.com/a")
