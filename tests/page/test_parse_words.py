"""The parser's fast paths give the same results as the slow ones."""

from hypothesis import example, given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.page.parse.kinds import MARK, MARK_END
from toponaut.page.parse.links import words_after, words_before
from toponaut.page.parse.marks import marks
from toponaut.page.parse.text import decode_references, trim
from toponaut.records import Link, Response
from toponaut.urls import _is_normal, _normal_form, _parse, join

URL = "https://www.example.com/dir/page.html"


def text(markup: str) -> str:
    return parse(Response(URL, 200, markup.encode(), "text/html; charset=utf-8")).text


@given(st.text(alphabet="ab é中\n\t", max_size=30), st.integers(0, 30), st.integers(0, 30))
@example("", 0, 0)
@example("  ", 0, 2)
@example("a  b", 1, 3)
def test_spans_are_trimmed_like_strings(content: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(content)), min(other, len(content))))
    events = [(MARK, 0, 0), (MARK, 0, start), (MARK_END, 0, end), (MARK_END, 0, len(content))]
    spans = [trim(content, start, end), trim(content, 0, len(content))]
    found = [(mark.start, mark.end) for mark in marks(content, events)]
    assert found == [(start, end) for start, end in spans if start < end]


@given(st.text(alphabet="ab \n", max_size=60), st.integers(0, 60), st.integers(1, 4))
def test_windows_have_the_wanted_number_of_words(content: str, at: int, count: int) -> None:
    at = min(at, len(content))
    link = Link(URL, URL, start=at, end=at)
    before, after = words_before(content, link, count), words_after(content, link, count)
    assert before.split() == content[:at].split()[-count:]
    assert after.split() == content[at:].split()[:count]
    assert content[:at].rstrip().endswith(before)
    assert content[at:].lstrip().startswith(after)


hosts = st.lists(
    st.sampled_from(["a", "b-c", "www", "com", "xn--a", "1", "0x1", "_x", "x" * 63, "x" * 64, ""]),
    min_size=1,
    max_size=3,
).map(".".join)
paths = st.lists(
    st.sampled_from(["", "a", ".", "..", "...", ".a", "~b.html", "%7e", ";x"]), max_size=3
).map("/".join)
queries = st.sampled_from(
    ["", "?", "?a=1", "?a&&b", "?utm_source=x&a=1", "?a=..", "?sid=" + "0f" * 16, "?a?b"]
)


@given(hosts, paths, queries)
@example("www.example.com", "a/b.html", "?a=1&b=2")
@example("a.com\n", "", "")
def test_a_url_recognised_as_normal_is_normal(host: str, path: str, query: str) -> None:
    url = f"https://{host}/{path}{query}"
    if _is_normal(url):
        assert _normal_form(_parse(url)) == url


origins = st.sampled_from(
    [
        "a.com",
        "A.Com:443",
        "a.com:80",
        "a.com:",
        "127.0.0.1:8765",
        "1.2",
        "0x7f.1",
        "a..b",
        "a.com.",
        "xn--a",
        "a:1:2",
        "é.fr",
    ]
)


@given(st.sampled_from(["http", "https", "HTTP"]), origins, paths, queries)
def test_an_absolute_link_equals_its_join(scheme: str, host: str, path: str, query: str) -> None:
    href = f"{scheme}://{host}/{path}{query}"
    page = parse(
        Response(
            URL,
            200,
            f'<link rel="canonical" href="{href}"><a href="{href}">x</a>'.encode(),
            "text/html",
        )
    )
    expected = join(URL, href)
    assert [link.url for link in page.links] == ([expected] if expected else [])
    assert page.canonical == (expected or "")


@given(
    st.sampled_from(
        [URL, "https://h.example/", "https://h.example/a/b/c?d=/e/", "http://h.example"]
    ),
    st.text(alphabet="./ab-", min_size=1, max_size=14) | paths.filter(bool),
)
@example(URL, "../../../x")
@example(URL, "..")
@example(URL, "a/../b")
def test_a_relative_link_equals_its_join(base: str, href: str) -> None:
    page = parse(Response(base, 200, f'<a href="{href}">x</a>'.encode(), "text/html"))
    expected = join(base, href)
    assert [link.url for link in page.links] == ([expected] if expected else [])


def test_common_references() -> None:
    assert decode_references("a &amp; b") == "a & b"
    assert decode_references("&amp;amp; &amp;nbsp;&nbsp;x") == "&amp; &nbsp; x"
    assert decode_references("a&&amp;b &ampc") == "a&&b &c"
    assert decode_references("&amp;&lt;") == "&<"


def test_the_same_chunk_in_and_out_of_pre() -> None:
    assert text("a<i>\n </i>b<pre>c<i>\n </i>d</pre>e<i>\n </i>f") == "a b\n\nc\n d\n\ne f"


def test_the_same_link_with_and_without_words() -> None:
    markup = (
        '<a href="/x"><img alt="one"></a> <a href="/x"><img alt="two"></a> <a href="/x">three</a>'
    )
    links = parse(Response(URL, 200, markup.encode(), "text/html")).links
    assert [(link.url, link.anchor) for link in links] == [
        ("https://www.example.com/x", anchor) for anchor in ("one", "two", "three")
    ]


def test_a_link_with_a_greater_than_sign_in_its_tag() -> None:
    markup = (
        '<p itemscope><b itemprop="name">N <a class="a > b" href="/x">t</a></b><a class="c > '
        'd" href="/y"></a>'
    )
    page = parse(Response(URL, 200, markup.encode(), "text/html"))
    assert [(link.url[23:], link.anchor) for link in page.links] == [("/x", "t"), ("/y", "")]
    assert page.structured[0].data["name"] == ["N t"]


def test_line_breaks_add_up_over_tags_without_words() -> None:
    assert text("a<br> <br>b<br>\n<div></div>c<br><td><br>d") == "a\n\nb\nc\td"


def test_nested_marks_share_their_span() -> None:
    body = b"x " + b"<b>" * 20_000 + b"word " * 100_000 + b"</b>" * 20_000
    found = parse(Response(URL, 200, body, "text/html")).marks
    assert {(mark.tag, mark.start, mark.end) for mark in found} == {("b", 2, 2 + 5 * 100_000 - 1)}
    assert len(found) == 20_000


def test_offsets_after_collapsed_spaces() -> None:
    markup = (
        "<p> a   b&nbsp; <a href=/x>c  d</a>  <b>e\n  f</b><ul hidden><li><a "
        "href=/y>g</a></ul><pre>  h  i</pre> j"
    )
    page = parse(Response(URL, 200, markup.encode(), "text/html"))
    assert page.text == "a b c d e f\n\n  h  i\n\nj"
    assert [(link.anchor, link.start, link.end) for link in page.links] == [
        ("c d", 4, 7),
        ("g", 11, 11),
    ]
    assert [page.text[mark.start : mark.end] for mark in page.marks] == ["e f"]
    item = parse(
        Response(URL, 200, b"<p>a  b<p itemscope>c  <i itemprop=name>d   e</i>", "text/html")
    ).structured[0]
    assert (item.start, item.end) == (5, 10)
