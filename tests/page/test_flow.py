"""The kernel's pass over a page and its Python twin: the same result in every field."""

import sys
from array import array
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toponaut.kernels import COMPILED, Kernels
from toponaut.page.parse.elements import ELEMENTS
from toponaut.page.parse.flow import flow
from toponaut.page.parse.kinds import NAMES, PRE, PRE_END, Kinds
from toponaut.page.parse.markup import MAX_TAGS

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)

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


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


def seen(markup: str, xml: bool, kernels: Kernels | None) -> dict[str, Any]:
    found = flow(markup, xml, kernels)
    count = len(found.tokens)
    return found._asdict() | {
        "tokens": [found.tokens[index] for index in range(count)],
        "chunks": [found.tokens.chunks[index] for index in range(count)],
        "originals": [found.originals[index] for index in range(count)],
        "others": found.kinds.others,
        "lengths": found.lengths(),
    }


def agree(markup: str) -> None:
    for xml in (False, True):
        one, other = seen(markup, xml, COMPILED), seen(markup, xml, None)
        for field, value in one.items():
            assert value == other[field], field


@given(pages)
@example("")
@example(" ")
@example("no tag")
@example("<p>cut off <a href=")
@example("one <!-- a comment\n<that>goes on-->two")
@example('<pre>a <b>b </b>  \n</pre><a href="/x">c</a></pre>d')
@example(
    "<pre>a\n<p hidden>b<a href=/x>c</a></p>\n</pre>d  e <b>f</b>"
)  # a hidden link before the white space
@example("<div hidden><!-- <p> --></div><p>text")
@example("<p title=\"a\n> b\" class='c'>text & more &lt;")
@example("a&#x1F642;b&#233;c <i>d</i> 東")
def test_both_agree(markup: str) -> None:
    agree(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "a<br><br>b<br>c",
        "<p>a<div hidden>b</p>c</div>d",  # the end tag of a closed paragraph has no effect
        "<p>a<div hidden>b</ul>c</div>d",  # that of a list has
        "<li style='display:none'>" + "<br>" * 9 + "<li>a",  # void elements are never open
        # a block protects outer elements from tags inside it
        '<li style="display:none">a<div><li>b</div></li>c',
        '<div hidden>a</div title="x <b> y">b',  # the end tag is repaired first
        "<script>a</scripts>b</script>c<style>d</styles>e</STYLE/>f",
        '<script type="Application/LD+JSON">{}</script>a',
        '<a href="/x"<b>a',  # no ">"
        "<p title='a > b'>c<p title='a' class=\"b\">d<p title=it's>e",
        '<p STYLE="DISPLAY:NONE">a</p>b<p class="HIDDEN">c<p HIDDEN>d',
        *[
            f'<a href="{path}">a</a>'
            for path in (
                "/x:y", "/.x/y", "/x/.y", "/x.y/", "//x", "/x//", "/", "", "x", "/~x", "http://h~/x"
            )
        ],
        *[
            f'<a href="/x" title="{title}" rel="{title}">a</a>'
            for title in ("a&amp;b", "", "a>b", "a'b")
        ],
        '<a href="/x?a&amp;b">a</a><a class="a&b" href="/x">b</a>',
    ],
)  # fmt: skip
def test_rules(markup: str) -> None:
    """Each case tests one rule that is also in C."""
    agree(markup)


@pytest.mark.parametrize("tags", [MAX_TAGS - 1, MAX_TAGS, MAX_TAGS + 1])
@pytest.mark.parametrize("start", ["", "x"])
def test_many_tags(tags: int, start: str) -> None:
    """Both stop at the same tag."""
    markup = start + "<p>a" * tags
    one, other = flow(markup), flow(markup, kernels=None)
    assert one.text == other.text
    assert len(one.tokens) == len(other.tokens) <= MAX_TAGS + 1
    assert one.tokens[len(one.tokens) - 1] == other.tokens[len(other.tokens) - 1]


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
@example("<li style='display:none'>", ["<b>"] * 7 + ["<li>", "text"])
@example("<li style='display:none'>", ["<b>"] * 8 + ["<li>", "text"])
def test_hidden_elements(start: str, parts: list[str]) -> None:
    agree(f"<p>a{start}{''.join(parts)}")


def test_many_heads() -> None:
    """More tags than the kernel caches."""
    agree("".join(f'<p class="c{number % 1500}">{number} <b>' for number in range(4000)))


PARTS = (
    "a", " ", ">", "href", "title", "rel", "style", "hidden", "class", "data-x", "hre", "hrefs",
    "relation", "=", '"', '="', '" ', "&", "<", "/", "//",
    "/x", "/x.y", "/.", "/..", "/~u", "/x/", "http://", "https://", "http:", "h.example", ":80",
    "x" * 255, "x" * 256, "?q", "#", "é", "東", "🙂", "A",
)  # fmt: skip


@given(
    st.sampled_from(["a ", 'a href="', 'a title="x" href="', 'a href="/x" ', 'a href="http://']),
    st.lists(st.sampled_from(PARTS)),
)
@example('a href="', ["http://", "x" * 255, "/", '">'])
@example('a href="', ["http://", "x" * 256, "/", '">'])
@example('a href="', ['">'])
@example('a href="', ["/", '" title="" rel="">'])
def test_tags_of_links(start: str, parts: list[str]) -> None:
    agree(f"<{start}{''.join(parts)}")
    agree(f'<{start}{"".join(parts)}">text</a>')


@pytest.mark.parametrize("width", ["", "é", "東", "🙂"])
def test_widths(width: str) -> None:
    """Texts of every character width, with references to wider characters."""
    words = " ".join(["plain", width, "&#233;", "&#26481;", "&#128578;", "two  spaces", width])
    agree(f'<p title="{width}">{words}<a href="/{width}">{words}</a> <b>{width} </b>' * 20)


# --- invalid arguments ---------------------------------------------------------------------------


def walk(kernels: Kernels, markup: str, *answers: object) -> str:
    """The text of some markup; each callback returns a fixed answer."""
    cuts = array("q", kernels.cuts(markup))
    pieces: list[str] = []
    added = array("q", bytes(8 * (len(cuts) - 1)))
    steps = tuple([lambda *_, answer=answer: answer for answer in answers])
    kernels.walk(
        (markup, cuts, {}),
        (Kinds(), NAMES, [], ELEMENTS),
        ([], [], [], {}, {}, pieces, added),
        steps,
    )
    return "".join(pieces)


PAGE = "<p>a<title>b<p>c &lt; d"
GOOD = ((0, "x", 0), 2, (2, 1, 0), 0, "c d")


def test_valid_callback_answers(kernels: Kernels) -> None:
    assert walk(kernels, PAGE, *GOOD) == "ax\n\nc d"
    assert walk(kernels, PAGE, (PRE, "", 0), *GOOD[1:]) == "a\n\nc d"
    assert walk(kernels, PAGE, (PRE_END, "", 0), *GOOD[1:]) == "a\n\nc d"
    assert walk(kernels, PAGE, (0, "x", 1), *GOOD[1:]) == "ax"


@pytest.mark.parametrize(
    ("kind", "step", "answer"),
    [
        *[
            (0, 0, bad)
            for bad in (
                None, (), (0, "x"), (0, b"x", 0), ("0", "x", 0), (0, "x", -1), (0, "x", 2),
                (0, "x", sys.maxsize),
            )
        ],
        *[
            (PRE, 2, bad)
            for bad in (
                None, (2, 1), (1, 1, 0), (-1, 1, 0), (4, 1, 0), (2, -1, 0), (2, 1, 8), (2, 1, -1),
                ("2", 1, 0),
            )
        ],
        *[(PRE_END, 3, bad) for bad in (None, -1, 2, "0")],
        *[(0, 4, bad) for bad in (None, b"c d")],
    ],
)  # fmt: skip
def test_invalid_callback_answers(kernels: Kernels, kind: int, step: int, answer: object) -> None:
    """An invalid answer of a callback raises, and nothing is read beyond the page."""
    answers: list[object] = [(kind, "x", 0), *GOOD[1:]]
    answers[step] = answer
    with pytest.raises((TypeError, ValueError, SystemError)):
        walk(kernels, PAGE, *answers)


@pytest.mark.parametrize("answer", [None, "4", -1, 0, 5, sys.maxsize])
def test_wrong_jumps(kernels: Kernels, answer: object) -> None:
    page = "<p>a<p hidden>b<!--<i>c-->d"
    assert walk(kernels, page, None, 4, None, None, None) == "a"
    with pytest.raises((TypeError, ValueError)):
        walk(kernels, page, None, answer, None, None, None)


@pytest.mark.parametrize(
    "cuts", [[], [0], [0, 3], [0, 5], [-1, 4], [4, 4], [0, 2, 2, 4], [0, 3, 2, 4], [0, 2**62, 4]]
)
def test_wrong_cuts(kernels: Kernels, cuts: list[int]) -> None:
    added = array("q", bytes(8 * max(len(cuts) - 1, 0)))
    with pytest.raises(ValueError, match="one behind another"):
        kernels.walk(
            ("<p>a", array("q", cuts), {}),
            (Kinds(), NAMES, [], ELEMENTS),
            ([], [], [], {}, {}, [], added),
            (int, int, int, int, int),
        )
    with pytest.raises(ValueError, match="one behind another"):
        kernels.walk(
            ("<p>a", array("q", [0, 4]), {}),
            (Kinds(), NAMES, [], ELEMENTS),
            ([], [], [], {}, {}, [], added[:0]),
            (int, int, int, int, int),
        )


@pytest.mark.parametrize(
    ("markup", "kinds", "names", "error"),
    [
        ("<P>a", {}, {}, KeyError),  # called for links that are not plain
        ("<p>a", {"p": "x"}, {}, TypeError),
        ("<p>a", {"p": -1}, {}, ValueError),
        ("<p>a", {}, {"p": "x"}, TypeError),
        ("<p>a", {}, {"p": -1}, ValueError),
        ("<p>a", {}, {"p": -2}, KeyError),
    ],
)
def test_wrong_kinds(
    kernels: Kernels,
    markup: str,
    kinds: dict[str, Any],
    names: dict[str, Any],
    error: type[Exception],
) -> None:
    found: tuple[Any, ...] = ([], [], [], {}, {}, [], array("q", [0]))
    with pytest.raises(error):
        kernels.walk(
            (markup, array("q", [0, 4]), {}),
            (kinds, names, [], {}),
            found,
            (int, int, int, int, int),
        )
