"""Links and marks by kernels and twins: the same on any page, and no invalid reads."""

import gc
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toponaut.kernels import COMPILED, Kernels
from toponaut.page.parse.flow import flow
from toponaut.page.parse.kinds import MARK, MARK_END, MARKS
from toponaut.page.parse.links import anchors_of, links
from toponaut.page.parse.markup import attributes, decode_attribute
from toponaut.page.parse.page import marks
from toponaut.records import Link, Mark

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)

URL = "https://www.example.com/dir/page.html"
PIECES = (
    '<a href="/a">', '<a href="/a/b.html" title="The map">', '<a href="/a" title=" two  spaces ">',
    '<a href="/a" rel="NoFollow ugc">',
    '<a href="/a" title="">', '<a href="http://b.org/x">', '<a href="HTTP://B.org:80/x">',
    '<a href="http://b..org/x">',
    '<a href="http://1.2/x">', '<a href="?q=1">', '<a href="#top">', '<a href="../x y">',
    "<a href=/é>", "<a href='/q'>", "<a>",
    '<a href="javascript:x">', f'<a href="/{"x" * 1200}">', '<a href="/h" hidden>', "<ul hidden>",
    "</ul>", "</a>",
    '<img alt="An image">', '<area href="/area" alt="Area">', '<iframe src="/frame"></iframe>',
    "<b>", "</b>", "<strong>", "</strong>",
    "<h1>", "</h1>", "<h2>", "</h2>", "<address>", "</address>", "<p>", "<br>", "<pre>", "</pre>",
    "\n", " ", "  ", "\t", "word", "é",
    "東京", "🙂", "&nbsp;", "&amp;", "<", ">",
)  # fmt: skip
markups = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40).map("".join)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


@given(markups, st.sampled_from([URL, "http://b.org/x/", "file:///x"]))
@example('<a href="/a">one</a><a href="http://b.org/x" title="t"> two </a><a href="/c"> </a>', URL)
@example("<pre><b> \n<b> \n<b>\n\n</b> </b>\n</b></pre><h1><h1>x </h1> y</h1></b>", URL)
def test_pages(markup: str, base: str) -> None:
    page = flow(markup)
    assert links(page, URL, base) == links(page, URL, base, None)
    assert marks(page.text, page.marks) == marks(page.text, page.marks, None)


texts = st.text(st.sampled_from("ab \n\t\x1c\x85\u3000é🙂"), max_size=20)


@given(texts, st.lists(st.tuples(st.integers(0, 230), st.just(0), st.integers(0, 20)), max_size=30))
def test_any_events(text: str, events: list[tuple[int, int, int]]) -> None:
    """Also impossible events, out of text order."""
    fitting = [event for event in events if event[2] <= len(text)]
    assert marks(text, fitting) == marks(text, fitting, None)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 99), st.integers(0, 99)), max_size=30))
@example([(24, 1, 1), (8, 2, 2), (24, 3, 3), (24, 4, 4), (32, 5, 5), (8, 6, 6)])
def test_link_elements(kernels: Kernels, events: list[tuple[int, int, int]]) -> None:
    assert kernels.anchors(events, 100, 200) == anchors_of(events, 100, 200)


@pytest.mark.parametrize("event", [(-1, 0, 0), (8, 0), [8, 0, 0]], ids=str)
def test_wrong_events(kernels: Kernels, event: Any) -> None:
    with pytest.raises(ValueError, match=r"kind|right size"):
        kernels.anchors([(8, 0, 0), event], 1, 1)


@given(st.text(st.sampled_from("aB =\"'/&;\t\u3000éİ<"), max_size=20) | st.text(max_size=20))
@example("a href='/x' title=\"a &amp; b\" HREF=/y hidden x= y")
@example("a x=\"never closed y=' z")
def test_attributes(head: str) -> None:
    assert list(attributes(head).items()) == list(attributes(head, None).items())


def test_a_value_that_cannot_be_decoded(kernels: Kernels) -> None:
    def fails(_: str) -> str:
        raise KeyError("odd")

    assert kernels.attributes("a b=c", fails) == {"b": "c"}
    with pytest.raises(KeyError, match="odd"):
        kernels.attributes("a b=c&d", fails)


def made(
    kernels: Kernels, anchors: Any, targets: Any, odd: Any = lambda _: None, most: int = 100
) -> list[Any]:
    way = (Link, URL, "https://www.example.com", lambda origin: origin, 1000)
    return kernels.links("some text", anchors, targets, way, odd, most)


PLAIN = (None, "/a", None, None, None)


def test_a_plain_link(kernels: Kernels) -> None:
    assert made(kernels, [(0, 1, -1, 4, 9)], {0: PLAIN}) == [
        Link("https://www.example.com/a", URL, "text", start=5, end=9)
    ]
    assert made(kernels, [(0, 1, -1, 4, 9)], {}, lambda anchor: anchor) == [(0, 1, -1, 4, 9)]
    assert len(made(kernels, [(0, 1, -1, 0, 4)] * 9, {0: PLAIN}, most=3)) == 3


@pytest.mark.parametrize(
    ("anchor", "target"),
    [
        ((0, 1, -1, -1, 4), PLAIN),
        ((0, 1, -1, 0, 10), PLAIN),
        ((0, 1, -1, 10, 4), PLAIN),
        ((0, 1, -1, 0), PLAIN),
        ([0, 1, -1, 0, 4], PLAIN),
        ((0, 1, -1, 0, 4), (None, "/a")),
        ((0, 1, -1, 0, 4), "/a"),
        ((0, 1, -1, 0, 4), (5, "/a", None, None, None)),  # a site that is not a string
    ],
)
def test_wrong_links(kernels: Kernels, anchor: object, target: object) -> None:
    with pytest.raises(ValueError, match=r"outside|right size|no text"):
        made(kernels, [anchor], {0: target})


def test_errors_of_callbacks(kernels: Kernels) -> None:
    def fails(_: object) -> None:
        raise KeyError("odd")

    with pytest.raises(KeyError, match="odd"):
        made(kernels, [(0, 1, -1, 0, 4)], {}, fails)
    with pytest.raises(TypeError):
        made(kernels, [([], 1, -1, 0, 4)], {0: PLAIN})
    with pytest.raises(OverflowError):
        made(kernels, [(0, 1, -1, 2**70, 4)], {0: PLAIN})
    anchors = [(5, 1, -1, 0, 4), (6, 1, -1, 0, 4)]
    assert (
        made(kernels, anchors, {}, lambda _: anchors.clear()) == []
    )  # nothing is read beyond the end


@pytest.mark.parametrize(
    "event",
    [(MARK, 0, -1), (MARK, 0, 10), (MARK_END, 0, 10), (-8, 0, 0), (MARK, 0), [MARK, 0, 0]],
    ids=str,
)
def test_wrong_marks(kernels: Kernels, event: object) -> None:
    with pytest.raises(ValueError, match=r"outside|right size"):
        kernels.marks("some text", [(MARK, 0, 0), event], Mark, MARKS)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="all marks"):
        kernels.marks("some text", [], Mark, MARKS[:-1])


def test_no_reference_leak(kernels: Kernels) -> None:
    """No call leaks a reference."""
    path, anchor, origin = "/" + "a" * 20, (0, 1, -1, 0, 5), "http://" + "b" * 20
    targets = {
        0: (origin, path, None, None, None),
        1: (None, path, None, "a  title", None),
        2: (None, "", None, None, None),
    }
    anchors = [anchor, (1, 1, -1, 0, 4), (2, 2, -1, 3, 3), (3, 3, -1, 0, 2)]
    events = [(8, 1001, 1002), (24, 1003, 1004), (8, 1005, 1006)]
    head = "a Href='" + "x" * 20 + '&amp;\' title="t" b title=2'
    watched = (
        head,
        decode_attribute,
        path,
        anchor,
        origin,
        URL,
        targets[0],
        Link,
        Mark,
        *(number for event in events for number in event),
    )
    gc.collect()
    before, blocks = [sys.getrefcount(one) for one in watched], sys.getallocatedblocks()
    for _ in range(1000):
        made(kernels, anchors, targets)
        kernels.marks("some text", [(MARK, 0, 0), (MARK_END, 0, 9)], Mark, MARKS)
        kernels.anchors(events, 1000, 1000)
        kernels.attributes(head, decode_attribute)
        with pytest.raises(ValueError, match="outside"):
            made(kernels, [anchor, (0, 1, -1, 0, 99)], targets)
    gc.collect()  # tracebacks keep references
    assert sys.getallocatedblocks() < blocks + 500
    after = [sys.getrefcount(one) for one in watched]
    assert all(
        now < then + 100 for now, then in zip(after, before, strict=True)
    )  # other code may hold some
