"""`toponaut extract`: all sources and formats, unreadable input, and an orderly stop."""

import csv
import gzip
import io
import json
import multiprocessing
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import geopandas
import msgspec
import pytest
from tests.support.pdfs import pdf

from toponaut.archive.documents import Document, DocumentPlace, Documents, total_bytes
from toponaut.errors import InputError
from toponaut.export.checkpoints import Checkpoint
from toponaut.export.extract import ExtractSummary, document_rows, extract, extract_to_file

COLUMNS = (
    "source text start end number street unit city state postcode country normal organisation "
    "category phone hours website email lat lon "
    "precision id evidence inferred confidence"
)
TOPEKA = 4280539


def page(number: int) -> str:
    return (
        f"<html><body><h1>Prairie Dental</h1><p>{number} SW 10th Street<br>Topeka, KS 66612</p>"
        f"</body></html>"
    )


def run(*sources: str | Path, form: str = "json", jobs: int = 1) -> tuple[str, ExtractSummary]:
    out = io.StringIO()
    summary = extract([str(source) for source in sources], form, out, jobs, quiet=False)
    return out.getvalue(), summary


def rows(*sources: str | Path, jobs: int = 1) -> list[dict[str, object]]:
    return [json.loads(line) for line in run(*sources, jobs=jobs)[0].splitlines()]


def numbers(*sources: str | Path, jobs: int = 1) -> list[object]:
    return [row["number"] for row in rows(*sources, jobs=jobs)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three pages and a text, two of them below, among files of other kinds."""
    (tmp_path / "below").mkdir()
    (tmp_path / "a.html").write_text(page(1), encoding="utf-8")
    (tmp_path / "b.HTM").write_text(page(2), encoding="utf-8")
    (tmp_path / "below" / "c.xhtml").write_text(page(3), encoding="utf-8")
    (tmp_path / "below" / "d.txt").write_text(
        "Visit 4 SW 10th Street, Topeka, KS 66612.", encoding="utf-8"
    )
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return tmp_path


# --- files and formats ---


def test_a_page_gives_one_object_a_line_with_exactly_these_keys(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(725), encoding="utf-8")
    [row] = rows(path)
    assert tuple(row) == tuple(COLUMNS.split())
    assert row["source"] == str(path)
    assert row["text"] == "725 SW 10th Street\nTopeka, KS 66612"
    parts = ("number", "street", "city", "state", "postcode", "country")
    assert [row[part] for part in parts] == ["725", "SW 10th Street", "Topeka", "KS", "66612", "US"]
    assert (row["id"], row["precision"], row["evidence"]) == (TOPEKA, "postcode", ["text"])


def test_in_a_text_file_start_and_end_index_its_characters(tmp_path: Path) -> None:
    text = "Größe: 3 m\r\n\r\nVisit us at 725 SW 10th Street, Topeka, KS 66612, any day.\r\n"
    path = tmp_path / "note.txt"
    path.write_bytes(text.encode())
    [row] = rows(path)
    start, end = int(str(row["start"])), int(str(row["end"]))
    assert text[start:end] == row["text"] == "725 SW 10th Street, Topeka, KS 66612"


def test_a_file_of_any_name_is_read_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "index.php?id=7"
    path.write_text(page(725), encoding="utf-8")
    assert rows(path)[0]["text"] == "725 SW 10th Street\nTopeka, KS 66612"


def test_a_folder_is_read_through_in_order(folder: Path) -> None:
    assert numbers(folder) == ["1", "2", "3", "4"]


def test_geojson_is_one_collection_with_longitude_first(folder: Path) -> None:
    collection = json.loads(run(folder, form="geojson")[0])
    assert (collection["type"], len(collection["features"])) == ("FeatureCollection", 4)
    feature = collection["features"][0]
    assert tuple(feature["properties"]) == tuple(COLUMNS.split())
    assert feature["geometry"] == {
        "type": "Point",
        "coordinates": [feature["properties"]["lon"], feature["properties"]["lat"]],
    }
    assert feature["geometry"]["coordinates"] == pytest.approx([-95.68, 39.05], abs=0.1)


def test_geojson_has_no_geometry_where_no_point_is_known(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<address>12 Nowhere Lane</address>", encoding="utf-8")
    [feature] = json.loads(run(path, form="geojson")[0])["features"]
    assert feature["geometry"] is None


@pytest.mark.parametrize(
    ("form", "empty"), [("json", ""), ("csv", COLUMNS.replace(" ", ",") + "\n")]
)
def test_a_source_without_addresses_gives_an_empty_file(
    form: str, empty: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>Nothing here</p>", encoding="utf-8")
    assert run(path, form=form) == (empty, ExtractSummary(documents=1))
    assert json.loads(run(path, form="geojson")[0])["features"] == []


def test_csv_has_the_same_columns(folder: Path) -> None:
    table = list(csv.DictReader(io.StringIO(run(folder, form="csv")[0])))
    assert [row["number"] for row in table] == ["1", "2", "3", "4"]
    assert tuple(table[0]) == tuple(COLUMNS.split())
    assert table[0]["text"] == "1 SW 10th Street\nTopeka, KS 66612"
    assert table[0]["evidence"] == "text"


# --- WARCs ---


def record(
    url: str, body: bytes, head: str = "200 OK\r\nContent-Type: text/html", kind: str = "response"
) -> bytes:
    """A WARC record as crawlers write it, gzipped for itself."""
    block = f"HTTP/1.1 {head}\r\n\r\n".encode() + body if kind == "response" else body
    declared = "application/http;msgtype=response" if kind == "response" else "text/plain"
    lines = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: "
        f"2024-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Type: "
        f"{declared}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(lines.encode() + block + b"\r\n\r\n", mtime=0)


def test_a_warc_gives_the_pages_in_it_under_their_urls(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    packed = "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip"
    path.write_bytes(
        record("https://a.example/", page(1).encode())
        + record("https://b.example/", gzip.compress(page(2).encode()), packed)
        + record("https://c.example/", page(3).encode(), "404 Not Found\r\nContent-Type: text/html")
        + record("https://d.example/", page(4).encode(), "200 OK\r\nContent-Type: image/png")
        + record("https://e.example/", b"5 SW 10th Street, Topeka, KS 66612", kind="conversion")
    )
    found = rows(path)
    assert [row["source"] for row in found] == [
        "https://a.example/",
        "https://b.example/",
        "https://e.example/",
    ]
    assert [row["number"] for row in found] == ["1", "2", "5"]


def test_an_uncompressed_warc_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    path.write_bytes(gzip.decompress(record("https://a.example/", page(1).encode())))
    assert numbers(path) == ["1"]


@pytest.mark.parametrize("compressed", [True, False])
def test_of_a_warc_that_is_cut_short_the_rest_is_read(
    compressed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crawl.warc.gz"
    body = record("https://a.example/", page(1).encode()) + record(
        "https://b.example/", page(2).encode()
    )
    body = body if compressed else gzip.decompress(body)
    path.write_bytes(body[: len(body) - 60])
    assert "1" in numbers(path)
    assert f"{path}: the WARC ends within a record. " in capsys.readouterr().err


def test_of_a_warc_with_rubbish_in_it_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crawl.warc.gz"
    first, last = (record(f"https://{k}.example/", page(k).encode()) for k in (1, 2))
    path.write_bytes(first + b"\x1f\x8b\x08\x00" + b"rubbish" * 50 + last)
    assert numbers(path) == ["1", "2"]
    [line] = capsys.readouterr().err.splitlines()
    assert f"the WARC cannot be read from byte {len(first)} to {len(first) + 354}" in line


def test_a_warc_in_one_gzip_member_is_read_and_so_are_the_sources_after_it(tmp_path: Path) -> None:
    records = [record(f"https://{k}.example/", page(k).encode()) for k in (1, 2)]
    path, other = tmp_path / "crawl.warc.gz", tmp_path / "other.html"
    path.write_bytes(gzip.compress(b"".join(map(gzip.decompress, records))))
    other.write_text(page(3), encoding="utf-8")
    assert numbers(path, other) == ["1", "2", "3"]


@pytest.mark.parametrize("end", [None, -20], ids=["complete", "cut short"])
def test_bodies_in_a_warc_may_be_chunked_compressed_and_cut_short(
    end: int | None, tmp_path: Path
) -> None:
    body = gzip.compress((page(7) + "<p>".join(map(str, range(5000)))).encode())[:end]
    head = (
        "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked"
    )
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(record("https://a.example/", chunks, head))
    assert numbers(path) == ["7"]


# --- unreadable input ---


def test_unreadable_sources_are_reported_and_skipped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = folder / "missing.html"
    out, summary = run(missing, folder / "picture.png", folder / "a.html")
    assert json.loads(out)["number"] == "1"
    assert summary == ExtractSummary(documents=1, addresses=1, unreadable=2)
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"toponaut: {missing}: there is no such file or folder. ")
    assert second.startswith(f"toponaut: {folder / 'picture.png'}: it is neither HTML nor text. ")


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("missing.html", "there is no such file or folder"),
        ("empty", "the folder has nothing to read"),
        ("picture.png", "it is neither HTML nor text"),
        ("rubbish.warc", "the WARC cannot be read from byte 0 to 700"),
        ("empty.warc.gz", "the file has no WARC records with pages"),
    ],
)
def test_nothing_to_read_is_one_error_with_its_cause(source: str, cause: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "rubbish.warc").write_bytes(b"rubbish" * 100)
    (folder / "empty.warc.gz").write_bytes(b"")
    with pytest.raises(InputError) as error:
        run(folder / source)
    assert error.value.cause.startswith(f"{folder / source}: {cause}")
    assert error.value.fix


def test_several_sources_that_cannot_be_read_are_an_error_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="nothing could be read"):
        run(tmp_path / "one", tmp_path / "two")
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="no format 'xml'"):
        run("page.html", form="xml")
    with pytest.raises(InputError, match="nothing to extract from"):
        run()


# --- URLs ---


class Site(BaseHTTPRequestHandler):
    """A page, a redirect to it, one into the file system, and nothing else."""

    def do_GET(self) -> None:
        targets = {"/moved": "/page", "/trap": "file:///etc/hostname"}
        if self.path in targets:
            self.send_response(302)
            self.send_header("Location", targets[self.path])
            self.end_headers()
        elif self.path == "/page":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page(len(self.headers["User-Agent"].split("Toponaut/"))).encode())
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_url_is_fetched_under_our_own_name(site: str) -> None:
    [row] = rows(f"{site}/moved")
    assert (row["source"], row["number"]) == (
        f"{site}/moved",
        "2",
    )  # "2": the user agent says Toponaut once


@pytest.mark.parametrize(
    ("path", "cause"),
    [("/gone", "the server answered 404 Not Found"), ("/trap", "the server answered 302")],
)
def test_errors_and_redirects_out_of_the_web_are_refused(path: str, cause: str, site: str) -> None:
    with pytest.raises(InputError) as error:
        run(site + path)
    assert error.value.cause.startswith(f"{site}{path}: {cause}")


def test_only_http_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(1), encoding="utf-8")
    with pytest.raises(InputError, match="only http:// and https:// URLs can be fetched"):
        run((tmp_path / "page.html").as_uri())


def test_a_dead_server_is_one_error(site: str) -> None:
    with pytest.raises(InputError, match="could not be fetched"):
        run(site.rpartition(":")[0] + ":1/")


# --- many documents ---


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(1, 201):
        (tmp_path / f"{number:03}.html").write_text(page(number), encoding="utf-8")
    return tmp_path


def test_two_processes_give_the_same_rows_in_the_same_order(many: Path) -> None:
    assert numbers(many, jobs=2) == [str(number) for number in range(1, 201)]


class Interrupted(io.StringIO):
    """A file whose user presses Ctrl-C, once, when it has 40 lines."""

    pressed = False

    def write(self, text: str) -> int:
        if not self.pressed and self.getvalue().count("\n") == 40:
            self.pressed = True
            raise KeyboardInterrupt
        return super().write(text)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_the_file_properly_and_leaves_no_process(jobs: int, many: Path) -> None:
    out = Interrupted()
    summary = extract([str(many)], "geojson", out, jobs, quiet=True)
    assert summary.interrupted
    assert 0 < len(json.loads(out.getvalue())["features"]) < 200
    assert multiprocessing.active_children() == []


def test_documents_are_read_only_as_they_are_worked_on() -> None:
    read = 0

    def documents() -> Iterator[Document]:
        nonlocal read
        for read in range(1, 1001):
            yield Document("page", "https://example.com/", "text/html", page(read).encode())

    found = document_rows(documents(), "json", jobs=2)
    next(found)
    assert read < 400
    found.close()
    assert multiprocessing.active_children() == []


# --- large inputs: stopped, resumed, in constant memory ---


def a_warc(path: Path, pages: int, filler: bytes = b"") -> Path:
    with path.open("wb") as stream:
        for k in range(1, pages + 1):
            stream.write(record(f"https://{k}.example/", page(k).encode()))
            if filler:
                picture = "200 OK\r\nContent-Type: image/png"
                stream.write(record(f"https://{k}.example/a.png", filler, picture))
    return path


@pytest.mark.parametrize("packing", ["members", "one member"])
@pytest.mark.parametrize("form", ["json", "geojson", "geoparquet"])
def test_a_killed_run_is_resumed(tmp_path: Path, packing: str, form: str) -> None:
    first, second = (a_warc(tmp_path / f"{name}.warc.gz", 300) for name in "ab")
    if packing == "one member":
        first.write_bytes(gzip.compress(gzip.decompress(first.read_bytes())))
    output, progress = tmp_path / "out", tmp_path / "out.progress"
    sources = [str(first), str(second)]
    script = (
        "import sys; from pathlib import Path; from toponaut.export import checkpoints, extract\n"
        "checkpoints._EVERY_S = 0.0\n"
        "extract.extract_to_file(sys.argv[3:], sys.argv[1], Path(sys.argv[2]), 1, True)\n"
    )
    kills = 0
    for _ in range(50):
        process = subprocess.Popen([sys.executable, "-c", script, form, output, *sources])
        if kills < 3:
            before = progress.read_bytes() if progress.exists() else b""
            while process.poll() is None and (
                not progress.exists() or progress.read_bytes() == before
            ):
                time.sleep(0.01)
            process.kill()
        if process.wait() == 0:
            break
        kills += 1
    assert kills >= 2
    assert not progress.exists()
    if form == "json":
        found = [json.loads(line)["number"] for line in output.read_text().splitlines()]
    elif form == "geojson":
        features = json.loads(output.read_text())["features"]
        found = [feature["properties"]["number"] for feature in features]
    else:
        table = geopandas.read_parquet(output)
        found = list(table["number"])
        assert table.geometry.notna().all()
    assert found == [str(k) for k in range(1, 301)] * 2


def test_another_command_starts_anew(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    place = DocumentPlace(str(tmp_path / "a.html"))
    old = Checkpoint(["other"], "json", place, 0, 5, 5)
    (tmp_path / "out.json.progress").write_bytes(msgspec.json.encode(old))
    (tmp_path / "a.html").write_text(page(1))
    summary = extract_to_file([str(tmp_path / "a.html")], "json", output, 1, quiet=True)
    assert (summary.documents, summary.addresses) == (1, 1)


def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    """400 MB of pictures and pages in a WARC of 2 MB."""
    warc = a_warc(tmp_path / "a.warc.gz", 100, bytes(4_000_000))
    script = (
        "import io, resource, sys; from toponaut.export.extract import extract\n"
        "def run(path): return extract([path], 'json', io.StringIO(), 1, True).documents\n"
        "run(sys.argv[1]); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(run(sys.argv[2]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    small = a_warc(tmp_path / "small.warc.gz", 1, bytes(4_000_000))
    command = [sys.executable, "-c", script, str(small), str(warc)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    documents, kilobytes = map(int, done.stdout.split())
    assert documents == 100
    assert kilobytes < 60_000


def test_progress_is_counted_in_bytes_to_the_end(tmp_path: Path) -> None:
    warc = a_warc(tmp_path / "a.warc.gz", 3)
    (tmp_path / "z.html").write_text(page(4))
    sources = [str(tmp_path)]
    done = [document.place.done for document in Documents(sources, lambda *_: None)]
    assert done == sorted(done)
    assert done[2] == warc.stat().st_size
    assert done[-1] == total_bytes(sources)


# --- files of all kinds ---


def test_pages_by_other_names_and_what_was_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["a.shtml", "b.php", "c.php?id=3", "d", "e.v2", "style.css", "logo.png", "f.pdf"]
    for number, name in enumerate(names, 1):
        (tmp_path / name).write_text(page(number))
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "g").write_bytes(b"\x00\x01\x02" * 9)
    lines = ["8 SW 10th Street", "Topeka, KS 66612"]
    (tmp_path / "f.pdf").write_bytes(pdf(lines))
    assert numbers(tmp_path) == ["1", "2", "3", "4", "8"]
    said = capsys.readouterr().err
    assert "skipped 4 files or records of other kinds: " in said
    for kind in (".css 1", ".png 1", ".v2 1", "no ending 1"):
        assert kind in said


def test_a_wacz_is_read_like_its_warcs(tmp_path: Path) -> None:
    warc = a_warc(tmp_path / "a.warc.gz", 3)
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.write(warc, "archive/data.warc.gz")
    assert numbers(path) == ["1", "2", "3"]
    warc.unlink()
    assert numbers(tmp_path) == ["1", "2", "3"]


def test_a_page_that_only_a_browser_draws_gets_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.html"
    path.write_text("<html><body><div id=root></div><script src=/app.js></script></body></html>")
    assert rows(path) == []
    assert "1 pages have scripts but no text" in capsys.readouterr().err
