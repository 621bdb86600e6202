"""PDFs as pages, sound, damaged and hostile."""

import subprocess
import sys
import threading
import zlib
from pathlib import Path

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
    assert page_of(packed(pdf(LINES), content)).truncated


def packed(body: bytes, content: bytes, filters: bytes = b"/FlateDecode") -> bytes:
    """A PDF whose pages have this content, already packed."""
    body = body.replace(b"<< /Length", b"<< /Filter %s /Length" % filters)
    start, end = body.index(b"stream\n") + 7, body.index(b"\nendstream")
    return body[:start] + content + body[end:]


def hostile() -> dict[str, bytes]:
    """Small files that want much memory: 50 MB of text, packed once, twice, or on every page."""
    text = zlib.compress(b"BT /F1 12 Tf (" + b"word " * 10_000_000 + b") Tj ET", 1)
    page = pdf(LINES)
    return {
        "text": packed(page, text),
        "twice": packed(page, zlib.compress(text, 9), b"[/FlateDecode /FlateDecode]"),
        "pages": packed(pdf(LINES, pages=MAX_PAGES), text),
        "contents": packed(page.replace(b"/Contents 4 0 R", b"/Contents [%s]" % (b"4 0 R " * 999)),
                           zlib.compress(b" " * 1_000_000, 9)),
        "lists": packed(page, zlib.compress(b"BT [" + b"(a) 1 " * 700_000 + b"] TJ ET", 9)),
        "xref": b"%PDF-1.4\nxref\n0 999999999\n0000000000 65535 f \n"
        b"trailer << /Size 999999999 /Root 1 0 R >>\nstartxref\n9\n%%EOF\n",
    }  # fmt: skip


def test_a_hostile_pdf_takes_little_memory_and_time(tmp_path: Path) -> None:
    """Of a process of its own, as parsers are. Without our limits the first takes 600 MB."""
    files = hostile()
    for name, body in files.items():
        assert len(body) < 300_000
        (tmp_path / name).write_bytes(body)
    program = """if True:
        import sys, time
        from pathlib import Path
        from toponaut.page.reading.pdf import CPU_SECONDS, read_page
        from toponaut.records import Response
        from tests.support.pdfs import pdf
        most = lambda: int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
        read_page(Response("http://a.test/", 200, pdf(["text"])))
        before = most()
        for path in map(Path, sys.argv[1:]):
            began = time.process_time()
            page = read_page(Response("http://a.test/", 200, path.read_bytes()))
            assert page.truncated or len(page.text) < 1_000_000, path.name
            assert time.process_time() - began < CPU_SECONDS + 2, path.name
            print(path.name, (most() - before) // 1024)
    """
    line = [sys.executable, "-c", program, *map(str, sorted(tmp_path.iterdir()))]
    root = Path(__file__).parents[2]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    grown = {row.split()[0]: int(row.split()[1]) for row in done.stdout.splitlines()}
    assert grown.keys() == files.keys()
    assert max(grown.values()) < 120, grown


def test_a_drawing_does_not_hide_the_text_of_other_pages() -> None:
    """The content of the second page is too large after unpacking."""
    page = page_of(pdf(LINES, pages=2, packed_last=zlib.compress(b"0 0 m " * 1_000_000)))
    assert page.text.rstrip() == "\n".join(LINES)
    assert page.truncated


@given(st.binary(max_size=400), st.integers(0, 700))
def test_damaged_pdfs_are_pages_without_text(noise: bytes, place: int) -> None:
    whole = pdf(LINES, link="/contact")
    page_of(b"%PDF-1.7\n" + noise)
    page_of(whole[:place] + noise + whole[place + len(noise) :])
    page_of(whole[:place])
