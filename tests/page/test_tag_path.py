"""Tag paths: links at one place of a template have one path, wherever the page differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.records import Response


def paths(markup: str) -> dict[str, int]:
    """The path of each link by its anchor."""
    page = parse(Response("http://a.test/", 200, markup.encode(), "text/html"))
    return {link.anchor: link.path for link in page.links}


MENU = "<nav class='menu'><ul><li><a href=/a>a</a><li><a href=/b>b</a></ul></nav>"
CARDS = (
    "<div class='list'><div class='card x1'><a href=/c>c</a></div>"
    "<div class='card x2'><a href=/d>d</a></div></div>"
)
FOOTER = "<FOOTER><a href=/e>e</a></FOOTER>"


def test_links_of_a_menu_a_list_and_a_footer_differ() -> None:
    found = paths(f"<body>{MENU}<main>{CARDS}</main>{FOOTER}")
    assert found["a"] == found["b"]
    assert found["c"] == found["d"]
    assert len(set(found.values())) == 3
    assert all(0 < path < 1 << 31 for path in found.values())


def test_another_page_of_the_template_has_the_same_paths() -> None:
    first = paths(f"<body>{MENU}<main>{CARDS}</main>{FOOTER}")
    text = "<p>one<p>two<ul><li>three<li>four</ul><table><tr><td>five</table>"
    second = paths(f"<body>{text}{MENU}<main>{text}{CARDS}</main>{text}{FOOTER}")
    assert first == second


def test_digits_and_further_classes_do_not_count() -> None:
    one = paths("<article class='post-1 news'><a class='more' href=/x>x</a></article>")
    two = paths("<article class='post-22 sport'><a class='more big' href=/x>x</a></article>")
    other = paths("<article class='page-1'><a class='more' href=/x>x</a></article>")
    without = paths("<article class='post-1'><a href=/x>x</a></article>")
    assert one == two
    assert len({one["x"], other["x"], without["x"]}) == 3


def test_only_the_nearest_three_sections_count() -> None:
    inner = "<div class=b><div class=c><div class=d><a href=/x>x</a></div></div></div>"
    assert paths(f"<div class=a>{inner}</div>") == paths(f"<div class=z>{inner}</div>")
    assert paths(f"<div class=a>{inner}</div>") != paths(inner.replace("class=b", "class=y"))


@pytest.mark.parametrize(
    "between",
    [
        "<script>document.write('<div class=q>')</script>",
        "<!-- <div class=q> -->",
        "<style>a<div</style>",
        "<header>h</header><h2>head</h2><dl><dt>d</dl><span>s</span><asides>no section</asides>",
        "<div style='display:none'><div>hidden</div></div>",
    ],
)
def test_what_is_closed_or_no_markup_is_not_around_a_link(between: str) -> None:
    link = "<div class='k'><a href=/x>x</a></div>"
    assert paths(f"<main>{between}{link}</main>") == paths(f"<main>{link}</main>")


def test_deep_and_wrong_nesting_is_bounded() -> None:
    assert paths("<div>" * 1000 + "<a href=/x>x</a>")["x"] > 0
    assert paths("</div>" * 9 + "<a href=/x>x</a>") == paths("<a href=/x>x</a>")


@given(st.text("<>/divula ='\"cs!-", max_size=80))
def test_any_markup_has_paths(markup: str) -> None:
    page = parse(Response("http://a.test/", 200, markup.encode(), "text/html"))
    assert all(0 <= link.path < 1 << 31 for link in page.links)
