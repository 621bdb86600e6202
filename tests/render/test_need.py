"""Which pages need a browser: shells of apps do, short pages and pages with text do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.records import Address, JudgedPage, Page, Response
from toponaut.render.need import needs_browser

TEXT = "<p>" + "We sell bread, cakes and coffee, and we are open every day of the week. " * 6
MENU = "<a href=/x>A long entry of the menu</a>" * 20
SCRIPT = "<script src=/app.js></script>"


def judged(html: str) -> bool:
    body = html.encode()
    return needs_browser(body, JudgedPage(page_of(body)))


def page_of(body: bytes) -> Page:
    return parse(Response("http://a.test/", 200, body, "text/html; charset=utf-8"))


@pytest.mark.parametrize(
    ("html", "needed"),
    [
        (f"<div id=root></div>{SCRIPT}", True),
        (f"<body>{SCRIPT}", True),
        (f"<p>Loading ...</p><div id=app></div>{SCRIPT}", True),
        (f"<nav>{MENU}</nav><main id=m></main>{SCRIPT}", True),
        (f"<noscript>{TEXT}</noscript><div id=root><!--app--></div>{SCRIPT}", True),
        (f"<footer>Copyright by us, all rights reserved</footer><ul id=list> </ul>{SCRIPT}", True),
        ("<div id=root></div>", False),  # nothing would fill it
        ('<div id=root></div><script type="application/ld+json">{}</script>', False),
        (f"{TEXT}<div id=map></div>{SCRIPT}", False),  # a widget beside the text
        (f"<h1>Gallery of our garden in summer and autumn</h1><img src=/a.png>{SCRIPT}", False),
    ],
)  # fmt: skip
def test_by_example(html: str, needed: bool) -> None:
    assert judged(html) is needed


def test_a_page_with_an_address_has_what_we_look_for() -> None:
    body = f"<div id=root></div>{SCRIPT}".encode()
    page = page_of(body)
    assert needs_browser(body, JudgedPage(page))
    assert not needs_browser(body, JudgedPage(page, (Address("1 Main St", 0, 9),)))


@given(st.text(alphabet="<>/divscrpt id=noscript \n\"'!-a", max_size=400))
def test_any_bytes_are_judged(text: str) -> None:
    assert judged(text) in (True, False)
