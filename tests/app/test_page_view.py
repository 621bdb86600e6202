"""The page view and archived copies over HTTP, also with missing or damaged files."""

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.crawling import crawl, job
from tests.support.serving import ask, get, serve
from tests.support.towns import visit, written

OFFICES = f"""<html lang="en"><head><title>Two offices 😀</title></head><body>
<h1>Our offices 😀</h1>
<p>Emerald Law<br>123 Pike Street<br>Seattle, WA 98101</p><p>and</p>
<p>Emerald Law<br>500 Congress Avenue<br>Austin, TX 78701</p>
<!-- {"long enough for the archive to keep one of two copies only " * 30} --></body></html>"""


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages with addresses in their text, a copy under another URL, plain text, and a dead link."""
    folder = tmp_path_factory.mktemp("offices")
    web = folder / "web"
    web.mkdir()
    files = {
        "/": (
            "front.html",
            '<title>Front</title><a href="/a">a</a> <a href="/b">b</a> <a href="/t">t</a> <a '
            'href="/gone">g</a>',
        ),
        "/a": ("a.html", OFFICES),
        "/b": ("b.html", OFFICES),
        "/t": ("t.txt", "Emerald Law, 123 Pike Street, Seattle, WA 98101"),
    }
    for name, text in files.values():
        (web / name).write_text(text, encoding="utf-8")
    lines = [f"http://offices.test{path}\t{name}" for path, (name, _) in files.items()]
    (web / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    crawl(folder / "crawl", job(["http://offices.test/"]), replay=web)
    return folder / "crawl"


@pytest.fixture(scope="module")
def office(offices: Path) -> Iterator[str]:
    with serve(offices) as url:
        yield url


def test_addresses_are_marked_in_the_text(office: str) -> None:
    page = ask(office, "/api/page", url="http://offices.test/a")
    assert (page["title"], page["language"], page["relevant"], page["truncated"]) == (
        "Two offices 😀",
        "en",
        True,
        False,
    )
    marked = [page["text"][one["start"] : one["end"]] for one in page["addresses"]]
    assert marked == ["123 Pike Street\nSeattle, WA 98101", "500 Congress Avenue\nAustin, TX 78701"]
    assert marked == [one["text"] for one in page["addresses"]]
    named = {page["text"][start:end]: path for start, end, _, _, path in page["mentions"]}
    assert named["Seattle"][-1] == "Seattle"
    assert named["Austin"][:2] == ["United States", "Texas"]
    assert page["explained"]["state"] == "fetched, relevant"
    assert page["explained"]["found"][0]["page"] == "http://offices.test/"
    assert page["hit"]["url"] == "http://offices.test/a"
    assert page["archived"] is True


def test_every_geojson_point_has_its_own_address(office: str) -> None:
    features = ask(office, "/api/search.geojson", q="emerald law", place=0)["features"]
    found = {(one["properties"]["url"], one["properties"]["address"]) for one in features}
    assert ("http://offices.test/a", "123 Pike Street, Seattle, WA 98101") in found
    assert ("http://offices.test/a", "500 Congress Avenue, Austin, TX 78701") in found


def test_the_copy_of_a_revisit(office: str, offices: Path) -> None:
    """The archive stores the second of two equal pages as a revisit record."""
    archive = b"".join(
        gzip.decompress(path.read_bytes()) for path in (offices / "archive").glob("*.warc.gz")
    )
    assert b"WARC-Type: revisit" in archive
    for path in ("/a", "/b"):
        answer = get(office, f"/archived?url=http://offices.test{path}")
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert answer.body.decode() == OFFICES


def test_a_copy_of_plain_text(office: str) -> None:
    answer = get(office, "/archived?url=http://offices.test/t")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert ask(office, "/api/page", url="http://offices.test/t")["addresses"][0]["number"] == "123"


def test_a_url_without_its_scheme(office: str) -> None:
    assert ask(office, "/api/page", url="offices.test/a")["url"] == "http://offices.test/a"


def test_a_url_that_was_not_a_page(office: str) -> None:
    """There is no text, but the explanation."""
    page = ask(office, "/api/page", url="http://offices.test/gone")
    assert (page["text"], page["hit"], page["archived"]) == ("", None, False)
    assert page["explained"]["visits"][0]["status"] == 404
    assert get(office, "/archived?url=http://offices.test/gone").status == 404


def test_an_unknown_url(office: str) -> None:
    answer = get(office, "/api/page?url=http://elsewhere.test/")
    assert answer.status == 404
    assert answer.json == {
        "error": "http://elsewhere.test/ is not a page of this crawl: no fetched page links to it",
        "fix": "Use the URL of a search hit",
    }
    assert get(office, "/archived?url=http://elsewhere.test/").status == 404


def test_an_archive_that_was_deleted_or_damaged(offices: Path, tmp_path: Path) -> None:
    root = tmp_path / "crawl"
    shutil.copytree(offices, root)
    (warc,) = (root / "archive").glob("*.warc.gz")
    with serve(root) as url:
        body = warc.read_bytes()
        warc.write_bytes(body[:200] + b"\0" * (len(body) - 200))
        damaged = get(url, "/archived?url=http://offices.test/a")
        warc.unlink()
        gone = get(url, "/archived?url=http://offices.test/a")
        page = ask(url, "/api/page", url="http://offices.test/a")
    assert (damaged.status, "has no answer" in damaged.json["error"]) == (404, True)
    assert (gone.status, gone.json["fix"]) == (404, "Put the crawl's archive back next to its log")
    assert page["archived"] is False
    assert "Pike Street" in page["text"]


def test_a_crawl_without_an_archive(tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [visit(0, "http://a.test/", "Pizza in Lisbon")])
    with serve(root) as url:
        answer = get(url, "/archived?url=http://a.test/")
        assert (answer.status, answer.json["error"]) == (404, "http://a.test/ was not archived")
        assert ask(url, "/api/page", url="http://a.test/")["archived"] is False


def test_odd_texts_are_unchanged(tmp_path: Path) -> None:
    """Zero bytes, characters beyond 16 bits, text direction marks; and a truncated text."""
    odd = "\0 \u202eevil\u2028 \U0001f600 </script> é e\u0301"
    long = "pizza " * 60_000
    root = written(
        tmp_path / "crawl", [visit(0, "http://odd.test/", odd), visit(1, "http://long.test/", long)]
    )
    with serve(root) as url:
        assert ask(url, "/api/page", url="http://odd.test/")["text"] == odd
        page = ask(url, "/api/page", url="http://long.test/")
        assert (len(page["text"]), page["truncated"]) == (200_000, True)
