"""PDFs as pages, sound, damaged and hostile."""

import threading
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.pdfs import pdf

import toponaut
from toponaut.page.reading import pdf as reading
from toponaut.page.reading.pdf import MAX_PAGES, read_page
from toponaut.records import Page, Response

LINES = ["The Corner Diner", "123 Main Street", "Springfield, IL 62701"]


def page_of(body: bytes) -> Page:
    return read_page(Response("http://a.test/menu.pdf", 200, body, "application/pdf"))


def test_text_language_and_links() -> None:
    page = page_of(pdf(LINES, link="/contact"))
    assert page.text == "\n".join(LINES)
    assert (page.language, page.truncated) == ("en", False)
    assert [link.url for link in page.links] == ["http://a.test/contact"]
    [address] = toponaut.extract(pdf(LINES))
    assert (address.number, address.street, address.postcode) == ("123", "Main Street", "62701")


def test_only_the_first_pages_are_read() -> None:
    page = page_of(pdf(["a page"], pages=MAX_PAGES + 5))
    assert page.text.count("a page") == MAX_PAGES
    assert page.truncated


def test_in_another_thread_too() -> None:
    """There the time cannot be limited by a signal."""
    found: list[Page] = []
    thread = threading.Thread(target=lambda: found.append(page_of(pdf(LINES))))
    thread.start()
    thread.join()
    assert found[0].text == "\n".join(LINES)


# The limit may strike inside a callback that ignores it; it strikes again.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_slow_pdf_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many operators in few bytes; only the time limit is shorter than usual."""
    monkeypatch.setattr(reading, "CPU_SECONDS", 0.2)
    content = zlib.compress(b"BT " + b"(x) Tj " * 500_000 + b"ET", 9)
    slow = pdf(LINES).replace(b"<< /Length", b"<< /Filter /FlateDecode /Length")
    start, end = slow.index(b"stream\n") + 7, slow.index(b"\nendstream")
    page = page_of(slow[:start] + content + slow[end:])
    assert page.truncated


@given(st.binary(max_size=400), st.integers(0, 700))
def test_damaged_pdfs_are_pages_without_text(noise: bytes, place: int) -> None:
    whole = pdf(LINES, link="/contact")
    page_of(b"%PDF-1.7\n" + noise)
    page_of(whole[:place] + noise + whole[place + len(noise) :])
    page_of(whole[:place])
