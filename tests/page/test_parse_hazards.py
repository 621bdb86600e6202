"""Hostile and broken input: any bytes give a page within the limits."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from toponaut.page.parse import MAX_BYTES, parse, parse_text
from toponaut.page.parse.links import MAX_LINKS, is_plain_path, words_after, words_before
from toponaut.page.parse.markup import MAX_TAGS
from toponaut.records import Page, Response
from toponaut.urls import join

URL = "https://www.example.com/dir/page.html"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]")


def page(body: bytes, content_type: str = "text/html") -> Page:
    return parse(Response(URL, 200, body, content_type))


def check(parsed: Page) -> None:
    """Invariants of every page that is not plain text."""
    text = parsed.text
    assert not CONTROLS.search(text)
    for link in parsed.links:
        assert 0 <= link.start <= link.end <= len(text)
        if link.start < link.end:
            assert text[link.start : link.end] == link.anchor == link.anchor.strip()
        before, after = words_before(text, link), words_after(text, link)
        assert len(before.split()) <= 25
        assert len(after.split()) <= 25
        assert text[: link.start].rstrip().endswith(before)
        assert text[link.end :].lstrip().startswith(after)
        assert join(URL, link.url) == link.url
    for mark in parsed.marks:
        assert 0 <= mark.start < mark.end <= len(text)
    for item in parsed.structured:
        assert (item.start, item.end) == (-1, -1) or 0 <= item.start < item.end <= len(text)
        plain_data(item.data)


def plain_data(data: object) -> None:
    assert isinstance(data, dict)
    for key, values in data.items():
        assert isinstance(key, str)
        assert isinstance(values, list)
        for value in values:
            if not isinstance(value, str):
                plain_data(value)


# --- properties -----------------------------------------------------------------------------------

NAMES = (
    "div p a b span li ul td tr table br pre h1 address script style title select template dd img"
).split()
ATTRIBUTES = [
    ' href="/x"', " href=y", " hidden", ' style="display:none"', ' title="a > b <c>"', " title='q",
    ' class="vcard adr"',
    " itemscope", " itemprop=name", " typeof=T property=p", " id=i itemref=i",
    ' alt="&copy=1 &amp;"', " =\"", "\n", "/",
]  # fmt: skip
pieces = st.one_of(
    st.builds(
        lambda name, given: f"<{name}{''.join(given)}>",
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(ATTRIBUTES), max_size=3),
    ),
    st.sampled_from(NAMES).map(lambda name: f"</{name}>"),
    st.sampled_from(
        [
            "<!--",
            "-->",
            "<![CDATA[",
            "<",
            ">",
            '"',
            "'",
            "&amp;",
            "&nbsp;",
            "&#8203;",
            "\n",
            "  ",
            "\t",
        ]
    ),
    st.sampled_from(
        ["<script type='application/ld+json'>", '{"@id": "a", "b": {"@id": "a"}}', "</script>"]
    ),
    st.text(max_size=8),
)
soups = st.lists(pieces, max_size=40).map("".join)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(soups, st.sampled_from(["text/html", "application/xhtml+xml"]))
@example('<pre>x\n<a href="/x">y\n</a>  </pre>z', "text/html")
@example('<a href="/x"><a hidden href="/y">', "text/html")
def test_any_soup(markup: str, content_type: str) -> None:
    body = markup.encode("utf-8", "replace")
    parsed = page(body, content_type)
    check(parsed)
    assert parsed == page(body, content_type)


@settings(max_examples=300)
@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html", "text/html; charset=utf-16", "text/xml", "x;charset=\0"]),
)
@example(b"\xff\xfe<\x00p", "")
@example(b"<p>\x81\x8d" * 5, "text/html; charset=shift_jis")
def test_any_bytes(body: bytes, content_type: str) -> None:
    parsed = page(body, content_type)
    if content_type.startswith("text/"):
        check(parsed)
    assert parsed == page(body, content_type)


@given(st.text())
def test_plain_text_is_unchanged(content: str) -> None:
    assert parse_text(URL, content).text == content
    parsed = page(content.encode("utf-8", "replace"), "text/plain; charset=utf-8")
    assert parsed.text in (content.encode("utf-8", "replace").decode().removeprefix("\ufeff"), "")


@given(st.text(alphabet="/.~-_abC%7", max_size=12))
def test_the_fast_path_to_a_url_equals_joining(path: str) -> None:
    if is_plain_path(path):
        assert join(URL, path) == "https://www.example.com" + path


words = st.text(alphabet="abcdé ", min_size=1, max_size=6)
trees = st.recursive(
    words,
    lambda inner: st.builds(
        lambda name, children: f"<{name}>{''.join(children)}</{name}>",
        st.sampled_from(["div", "span", "ul", "section", "b", "em", "blockquote", "table><tr><td"]),
        st.lists(inner, max_size=4),
    ).map(lambda markup: markup.replace("</table><tr><td>", "</td></tr></table>")),
    max_leaves=20,
)


@given(trees)
def test_the_same_words_as_a_browser(markup: str) -> None:
    body = LexborHTMLParser(markup).body
    assert body is not None
    assert "".join(page(markup.encode()).text.split()) == "".join(body.text().split())


# --- hazards --------------------------------------------------------------------------------------

DEEP = 100_000
HOSTILE = {
    "nested divs": b"<div>" * DEEP + b"x",
    "nested lists": b"<ul><li>" * DEEP + b"x",
    "nested tables": b"<table><tr><td>" * DEEP + b"x",
    "nested hidden": b"<div hidden>" * DEEP,
    "nested items": b"<div itemscope itemprop=a>" * DEEP + b"x",
    "nested properties": b"<div itemscope>" + b"<b itemprop=a>" * DEEP + b"x",
    "items that refer to each other": b"".join(
        b"<div itemscope itemprop=p id=i%d itemref='%s'>"
        % (one, b" ".join(b"i%d" % two for two in range(50)))
        for one in range(50)
    ),
    "formatting left open": b"<p>"
    + b"".join(b"<font color=%d>" % n for n in range(50_000))
    + b"<p>x" * 50_000,
    "a million links": b"<a href=/x>y</a>" * 1_000_000,
    "a million attributes": b"<p " + b"".join(b"a%d " % n for n in range(500_000)) + b">x",
    "open tags": b"<a " * 1_000_000,
    "open quotes": b'<a b="' * 500_000,
    "mixed quotes": b"<a b=\"<a b='" * 200_000,
    "open comments": b"<!--" * 1_000_000,
    "open scripts": b"<script>" * 400_000,
    "open cdata": b"<![CDATA[" * 400_000,
    "references": b"&a" * 500_000,
    "a long number": b"&#" + b"9" * 100_000 + b"; <a href='&#" + b"9" * 100_000 + b"'>x</a>",
    "spaces": b"<a x" + b" " * 2_000_000 + b">" + b" " * 2_000_000,
    "a script of spaces": b"<script type=application/ld+json>" + b" " * 4_000_000 + b"x",
    "nulls": b"<p>a\0\0b</p>" * 50_000,
    "broken bytes": b"<p>\xff\xc3\x28\xe2\x82</p>" * 100_000,
    "fifty megabytes": b"<p>word</p> " * 4_200_000,
    "a giant token": b"<p>" + b"x" * 50_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    body = HOSTILE[name]
    parsed = page(body)
    assert len(parsed.text) <= MAX_BYTES
    assert len(parsed.links) <= MAX_LINKS
    assert parsed.truncated == (len(body) > MAX_BYTES or body.count(b"<") >= MAX_TAGS)
    assert all(
        len(read(parsed.text, link)) <= 500
        for link in parsed.links[:100]
        for read in (words_before, words_after)
    )


def test_links_beyond_the_limit() -> None:
    body = b"".join(b'<a href="/%d">x</a>' % number for number in range(MAX_LINKS + 1))
    parsed = page(body)
    assert len(parsed.links) == MAX_LINKS
    assert parsed.truncated
    assert not page(body[: body.rindex(b"<a ")]).truncated


def test_a_truncated_page() -> None:
    whole = b'<p>one <a href="/x">two</a> <a href="/long/address">three'
    assert page(whole[:-12]).links == page(whole[: whole.index(b'<a href="/l')]).links
    assert page(b"<p>a<!-- cut").text == "a"
    assert page(b"<p>a<script>cut").text == "a"


def test_tags_with_misleading_ends() -> None:
    assert page(b'<a title="a > b" href="/x">y</a>').links[0].anchor == "y"
    assert page(b"<a title='a > b' href=/x>y</a>").links[0].title == "a > b"
    assert page(b"<p>a<!-- b > c --> d").text == "a d"
    assert page(b'<p>a<b title="never closed>b</b> c').text == "ab c"
    assert page(b'<div itemscope title="a > b"><b itemprop=name>N<!-- > --></b></div>').structured[
        0
    ].data["name"] == ["N"]
