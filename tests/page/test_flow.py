"""The pass over a page's tags: its text and events."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toponaut.page.parse.flow import flow as flow_of_bytes
from toponaut.page.parse.kinds import BREAK, GAP, NONE, PARAGRAPH, SEPARATORS, SPACE, kind_of
from toponaut.page.parse.markup import MAX_TAGS, attributes
from toponaut.page.parse.stream import Flow
from toponaut.page.parse.text import clean, from_utf8, spaced, to_utf8

TAGS = (
    "<p>", "</p>", "<p class=x>", "<div>", "</div>", "<br>", "<br/>", "<td>", "<tr>", "</table>",
    "<li>", "<h1>", "</h1>", "<b>",
    "</b>", "<address>", "</address>", "<a>", "</a>", '<a href="/x">', '<a href="/x/y.z/">',
    '<a href="http://h.example:8/p">',
    '<a href="https://h.example">', '<a href="/a/../b">', '<a href="?q=1">',
    '<a href="/x" title="t  u" rel="nofollow x">',
    '<a class="c" href="/x">', '<a href="/x" href="/y">', '<a href="/x?a=1&amp;b=2">',
    "<a href='/x'>", "<a href=/x>",
    '<a hidden href="/x">', '<a style="display:none" href="/x">', '<a title="a > b" href="/x">',
    '<a title="a < b" href="/x">',
    '<img src="i" alt="an image">', '<area href="/x">', "<iframe src=/f>", "</iframe>",
    '<meta name="a" content="b">', "<html lang=en>",
    '<link rel="canonical" href="/c">', '<base href="/b/">', "<title>", "</title>", "<script>",
    "</script>", "<style>", "</style>",
    '<script type="application/ld+json">', "<pre>", "</pre>", "<pre class=x>", '<pre title="',
    "</pre x='", "<listing>", "<textarea>",
    "</textarea>", "<select>", "<option>", "</select>", "<div hidden>",
    '<p style="visibility: hidden">', "<template>", "</template>",
    "<!-- a comment -->", "<!-- <p> -->", "<!--", "-->", "--!>", "<!-->", "<!--->",
    "<!doctype html>", "<?xml?>", "<![CDATA[", "]]>",
    "</>", "<>", "< ", "<3", "<ä>", "<P>", "<A HREF=/X>", "<Br>", "<span itemscope itemtype=x>",
    '<p title="', "<p title='", '"', "'",
    "<p title=\"it's\">", "<p", "<a href=", '<a href="/x" ', '<p class="none">',
    '<P STYLE="DISPLAY:NONE">',
    '<div class="Hidden">', "<INPUT type=hidden>", '<script type="Application/LD+JSON">',
    "<script src=x>", "</SCRIPT >", "</scripts>", "</script/x>", "<STYLE>",
    "</STYLE", "<my-tag>", '<my-tag x="1">', "</my-tag>", '<svg:path d="M0">', "<h7>", "<-x>",
    "</1>", '<path d="M0"/>', '<div é="1">', "<", ">", "/>", "<p/>", "<script/>", "<a/>",
)  # fmt: skip
WORDS = (
    "word", "two words", " before", "after ", " both ", "two  spaces", " ", "  ", "\n", "\t",
    "\r\n", "\n\n", "&amp;", "&nbsp;", "&nbsp; &nbsp;",
    "&#39;", "&eacute;", "&#x4e00;", "&#128512;", "&#0;", "&#10;", "&", "a&b", "&copy=1",
    "&" + "#1" * 9, "é", "東京", "🙂", "\ud800", "\0",
    "\x01", "\x92", "\xad", "\u200b", "\xa0", "\u3000", "\u2028", "\x1f", "\x85", "x" * 70,
)  # fmt: skip
pages = st.one_of(
    st.lists(st.sampled_from(TAGS + WORDS), max_size=60).map("".join),
    st.lists(st.sampled_from(TAGS) | st.sampled_from(WORDS) | st.text(max_size=5), max_size=40).map(
        "".join
    ),
    st.text(st.sampled_from("<>/ab =\"'!-&;# \n東")),
    st.text(),
)


def flow(markup: str, xml: bool = False) -> Flow:
    return flow_of_bytes(to_utf8(markup), xml)


def cleaned(text: str) -> tuple[str, str]:
    return from_utf8(clean(to_utf8(text))), from_utf8(spaced(to_utf8(text)))


def check(markup: str) -> None:
    """Invariants of the text and the events of any page."""
    for xml in (False, True):
        found = flow(markup, xml)
        assert sum(found.added) == len(found.text)
        assert found.text == found.text.strip(" ")
        for events in (found.links, found.unseen, found.marks):
            places = [at for _, _, at in events]
            assert places == sorted(places)
            assert not places or 0 <= places[0] <= places[-1] <= len(found.text)
            assert all(index <= len(found.tokens) for _, index, _ in events)
        assert all(index < target for index, target in found.jumps.items())
        originals = [found.originals[index] for index in range(len(found.tokens))]
        assert len(originals) == len(found.tokens)


@given(pages)
@example("")
@example(" ")
@example("no tag")
@example("<p>cut off <a href=")
@example("one <!-- a comment\n<that>goes on-->two")
@example('<pre>a <b>b </b>  \n</pre><a href="/x">c</a></pre>d')
@example("<pre>a\n<p hidden>b<a href=/x>c</a></p>\n</pre>d  e <b>f</b>")
@example("<div hidden><!-- <p> --></div><p>text")
@example("<p title=\"a\n> b\" class='c'>text & more &lt;")
def test_any_page(markup: str) -> None:
    check(markup)


# --- a slow reference for plain tags --------------------------------------------------------------

PLAIN = (
    "<p>", "</p>", "<p class=x>", "<div>", "<br>", "<br/>", "<td>", "<tr>", "</table>", "<li>",
    "<h1>", "</h1>", "<b>", "</b>", "<a>", '<a href="/x">', "</a>", "<i>", "<P>", "<my-tag x=1>",
)  # fmt: skip
REFERENCES = (" &amp; ", "&nbsp;", "&#26481;", "&eacute;x", "&lt;p>", "a&#10;b")


def slow_text(markup: str) -> str:
    """The text of a page of plain tags: the widest gap between two words separates them."""
    text, gap = "", NONE
    for part in re.split("(<[^>]*>)", markup):
        if part.startswith("<"):
            new = kind_of(part[1:-1]) & GAP
            gap = PARAGRAPH if new == gap == BREAK else max(gap, new)
            continue
        words = unescape(part)
        if words[:1].isspace():
            gap = max(gap, SPACE)
        if words.split():
            text += (SEPARATORS[gap] if text else "") + " ".join(words.split())
            gap = SPACE if words[-1].isspace() else NONE
    return text


@given(st.lists(st.sampled_from(PLAIN + WORDS[:12] + REFERENCES + ("é", "東京", "🙂"))))
@example(["a", "<br>", "<br>", "b", "<br>", "c"])
def test_plain_tags(parts: list[str]) -> None:
    markup = "".join(parts)
    assert flow(markup).text == slow_text(markup)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<br><br>b<br>c", "a\n\nb\nc"),
        # the end tag of a closed paragraph has no effect, that of a list has
        ("<p>a<div hidden>b</p>c</div>d", "a\nd"),
        ("<p>a<div hidden>b</ul>c</div>d", "a\n\nc\nd"),
        # void elements are never open
        ("<li style='display:none'>" + "<br>" * 9 + "<li>a", "a"),
        # a block protects outer elements from tags inside it
        ('<li style="display:none">a<div><li>b</div></li>c', "c"),
        ('<div hidden>a</div title="x <b> y">b', "b"),  # the end tag is repaired first
        ("<script>a</scripts>b</script>c<style>d</styles>e</STYLE/>f", "cf"),
        ('<script type="Application/LD+JSON">{}</script>a', "a"),
        ('<a href="/x"<b>a', "a"),  # no ">"
        ("<p title='a > b'>c<p title='a' class=\"b\">d<p title=it's>e", "c\n\nd\n\ne"),
        ('<p STYLE="DISPLAY:NONE">a</p>b<p class="HIDDEN">c<p HIDDEN>d', "b\n\nc"),
        # up to eight open elements are searched for one that a start tag ends
        ("<li style='display:none'>" + "<b>" * 7 + "<li>a", "a"),
        ("<li style='display:none'>" + "<b>" * 8 + "<li>a", ""),
        ("<pre>a\n  b </pre>c", "a\n  b\n\nc"),
        ("<!-- <p> -->a<!--> b", "a b"),
        ("1 < 2 <3", "1 < 2 <3"),
    ],
)
def test_rules(markup: str, text: str) -> None:
    check(markup)
    assert flow(markup).text == text


@pytest.mark.parametrize("tags", [MAX_TAGS - 1, MAX_TAGS, MAX_TAGS + 1])
@pytest.mark.parametrize("start", ["", "x"])
def test_many_tags(tags: int, start: str) -> None:
    """The pass stops at a tag, not inside one."""
    found = flow(start + "<p>a" * tags)
    assert len(found.tokens) <= MAX_TAGS + 1
    assert found.text == (f"{start}\n\n" if start else "") + "\n\n".join("a" * (MAX_TAGS - 1))


HIDDEN = (
    "<div hidden>", "<li style='display:none'>", "<p hidden>", "<a hidden href=/x>", "<select>",
    "<template>", "<td hidden>", "<dd hidden>", "<P HIDDEN>",
    "</div>", "</li>", "</p>", "</a>", "</select>", "</template>", "</td>", "</tr>", "</table>",
    "</ul>", "</dl>", "</b>", "</DIV>", "</P >", "</x-y>",
    "<div>", "<li>", "<p>", "<ul>", "<dt>", "<dd>", "<dl>", "<option>", "<optgroup>", "<table>",
    "<thead>", "<tbody>", "<tfoot>", "<tr>", "<td>", "<th>",
    "<b>", "<br>", "<img src=x>", "<input>", "<x-y>", "<Ä>", "<xÄ>", "<X\u212a>", '<a href="/x">',
    '<a href="/x"', "<a href=/x>", "<iframe src=/f>", "</iframe>",
    "<!-- c -->", "<!-- <p> -->", "<!--", "-->", "<script>", "</script>", "<style>", "</style>",
    "<title>", "</title>", '<p title="a > b">', '<p title="',
    "<pre>", "</pre>", "<3", "</>", "text", " ",
)  # fmt: skip


@given(st.sampled_from(HIDDEN[:9]), st.lists(st.sampled_from(HIDDEN), max_size=40))
@example("<p hidden>", ["</p>"])
@example("<div hidden>", ["<b>"] * 9 + ["<li>", "</b>", "</div>", "text"])
def test_hidden_elements(start: str, parts: list[str]) -> None:
    check(f"<p>a{start}{''.join(parts)}")


def test_many_heads() -> None:
    markup = "".join(f'<p class="c{number % 1500}">{number} <b>' for number in range(4000))
    assert flow(markup).text == "\n\n".join(map(str, range(4000)))


@pytest.mark.parametrize("width", ["", "é", "東", "🙂"])
def test_widths(width: str) -> None:
    """Texts of every character width, with references to wider characters."""
    words = " ".join(["plain", width, "&#233;", "&#26481;", "&#128578;", "two  spaces", width])
    markup = f'<p title="{width}">{words}<a href="/{width}">{words}</a> <b>{width} </b>' * 20
    assert flow(markup).text == slow_text(markup)


def text_at(page: Flow, index: int) -> str:
    return page.text[page.lengths()[index] : page.lengths()[index + 1]]


def test_the_text_of_each_token() -> None:
    page = flow("<p>one<b>two </b> <i>three<br></i>four")
    assert [text_at(page, index) for index in range(len(page.tokens))] == [
        "one", "two", "", " three", "", "\nfour",
    ]  # fmt: skip


# --- attributes and characters against slow references --------------------------------------------

ATTRIBUTE = re.compile(r"""([^\s=/]+)(?:\s*=\s*("[^"]*"|'[^']*'|\S+))?""")


@given(st.text(st.sampled_from("aB =\"'/;\t\u3000éİ<"), max_size=20) | st.text(max_size=20))
@example("a href='/x' title=\"a b\" HREF=/y hidden x= y")
@example("a x=\"never closed y=' z")
def test_attributes(head: str) -> None:
    head = head.replace("&", "")
    found: dict[str, str] = {}
    for name, value in ATTRIBUTE.findall(head)[1:]:  # the first is the tag's name
        found.setdefault(name.lower(), value[1:-1] if value[:1] in ("'", '"') else value)
    assert list(attributes(head).items()) == list(found.items())


def test_references_in_attributes() -> None:
    assert attributes("a href='?a=1&copy=2&amp;b' title=&lt;x") == {
        "href": "?a=1&copy=2&b",
        "title": "<x",
    }


@given(st.text() | st.text(st.sampled_from("ab\t\n\x01\x92\x85\xa0\xad\u200b\u3000\ufeff🙂")))
def test_clean_pages(text: str) -> None:
    markup, with_spaces = cleaned(text)
    assert markup == "".join([cleaned(sign)[0] for sign in text])
    assert with_spaces == "".join([" " if sign.isspace() else sign for sign in markup])


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("a\0b\x08c\x0ed\x1be\x7ff", "abcdef"),
        ("\x80 \x85 \x92 \x9f", "€ … ’ Ÿ"),  # windows-1252 decoded as Latin-1
        ("a\x81\xad\u061c\u180e\u200b\u200f\u202a\u202e\u2060\ufeffb", "ab"),
        ("\t\r\n\x1c\xa0\u2028\u3000", "\t\r\n\x1c\xa0\u2028\u3000"),
    ],
)
def test_clean(text: str, markup: str) -> None:
    assert cleaned(text)[0] == markup
