"""The command `toponaut export`: output files, bad input, and exports of a running crawl."""

import json
import subprocess
import time
from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, command, job
from tests.support.little_web import little_web
from tests.support.shops import crawl_shops
from tests.support.towns import spotted, visit, written
from tests.support.webserver import TestWeb
from warcio.archiveiterator import ArchiveIterator

from toponaut.cli import main
from toponaut.crawl.directory import LOG
from toponaut.crawl.status import status_of
from toponaut.export.disk_sort import DiskSort
from toponaut.export.run import FORMATS, ExportRequest, export
from toponaut.job import render
from toponaut.log import LogWriter

Said = tuple[object, str, str]
Toponaut = Callable[..., Said]


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_shops(tmp_path_factory.mktemp("shops"))


@pytest.fixture
def toponaut(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Toponaut:
    """Runs the command in this process, in an empty folder: exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Said:
        monkeypatch.setattr("sys.argv", ["toponaut", "export", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return ended.value.code or 0, said.out, said.err

    return call


def there(folder: Path = Path()) -> list[str]:
    """The files in a folder."""
    return sorted(path.name for path in folder.iterdir())


# --- where it goes ---


def test_without_a_name_it_is_called_as_the_crawl(shops: Path, toponaut: Toponaut) -> None:
    code, out, err = toponaut(shops, "--format", "geoparquet")
    assert (code, err) == (0, "")
    size = Path("shops.parquet").stat().st_size / 1e6
    counts = f"5 organisations at addresses from 12 visits, {size:.1f} MB"
    assert out == f"{counts}: shops.parquet\n"
    assert there() == ["shops.parquet"]


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.GeoJSON", "geojson"), ("a.json", "geojson"), ("a.geojsonl", "geojsonl"), ("a.parquet",
     "geoparquet"), ("a.csv", "csv"),
     ("a.warc.gz", "warc"), ("a.wacz", "wacz")],
)  # fmt: skip
def test_the_ending_gives_the_format(name: str, form: str, shops: Path, toponaut: Toponaut) -> None:
    code, out, _ = toponaut(shops, "-o", name, "--json")
    done = json.loads(out)
    content = Path(name).read_bytes()
    assert (code, done["format"], done["file"], done["notes"]) == (0, form, name, [])
    assert (done["bytes"], done["sha256"]) == (len(content), sha256(content).hexdigest())
    assert done["rows"] == (7 if form in ("warc", "wacz") else 5)


def test_a_file_is_replaced_only_by_force(shops: Path, toponaut: Toponaut) -> None:
    Path("a.csv").write_text("mine")
    assert toponaut(shops, "-o", "a.csv") == (
        2, "", "toponaut: a.csv exists. Name another file, or replace it with --force\n",
    )  # fmt: skip
    assert Path("a.csv").read_text() == "mine"
    Path("link.csv").symlink_to("a.csv")
    assert toponaut(shops, "-o", "link.csv", "--force")[0] == 0
    assert Path("link.csv").is_symlink()
    assert Path("a.csv").read_text().startswith("id,organisation,")
    assert there() == ["a.csv", "link.csv"]


@pytest.mark.parametrize(
    "name", ["-f", "two\nlines.csv", "x" * 255, "\udcff\udcfe.csv", "ümläut 世界.warc.gz",
    "$(touch evil).wacz", "\udcff.warc.gz", "a\r\nWARC-Type: x.warc.gz"],
    ids=["option", "lines", "long", "bytes", "unicode", "shell", "bytes in a header", "header"],
)  # fmt: skip
def test_hostile_names_of_files(name: str, shops: Path, toponaut: Toponaut) -> None:
    form = next((form for form in ("csv", "warc", "wacz") if form in name), "csv")
    code, out, err = toponaut(shops, f"--output={name}", "--format", form, "--json")
    assert (code, err) == (0, "")
    assert there() == [name]
    assert json.loads(out)["bytes"] == Path(name).stat().st_size
    if form == "warc":
        with Path(name).open("rb") as stream:
            kinds = [record.rec_type for record in ArchiveIterator(stream, check_digests="raise")]
        assert kinds[0] == "warcinfo"
        assert set(kinds) == {"warcinfo", "metadata", "response"}


@pytest.mark.parametrize("form", ["csv", "geoparquet", "wacz"])
def test_standard_output_has_the_same_bytes(
    form: str,
    shops: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for output in ("-", str(tmp_path / "file")):
        monkeypatch.setattr(
            "sys.argv", ["toponaut", "export", str(shops), "-f", form, "-o", output]
        )
        with pytest.raises(SystemExit):
            main()
        if output == "-":
            printed = capfdbinary.readouterr()
    assert printed.out == (tmp_path / "file").read_bytes()
    assert printed.err.endswith(b" MB: -\n")


def test_a_reader_that_goes_away(shops: Path) -> None:
    line, environment = command("export", shops, "-f", "geojson", "-o", "-", "-q")
    with subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as exporting:
        assert exporting.stdout is not None
        assert exporting.stderr is not None
        exporting.stdout.close()
        assert b"Traceback" not in exporting.stderr.read()


def test_a_reader_that_closes_a_long_table_early() -> None:
    """The reader closes the pipe early: `| head -1` on a table longer than a pipe's buffer."""
    with DiskSort() as ordered:
        for number in range(3):
            ordered.add(b"%d" % number, b"row")
        rows = iter(ordered)
        assert next(rows) == (b"0", b"row")
    assert isinstance(rows, Generator)
    rows.close()


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{shops}"],
         "no format is named. Give --format, one of geojson, geojsonl, geoparquet, csv, "
         "geopackage, sqlite, duckdb, opensearch, warc, wacz"),
        (["{shops}", "-f", "shapefile"],
         "there is no format 'shapefile'. Give --format, one of geojson,"),
        (["{shops}", "-o", "a.xls"], "no format is named. Give --format"),
        (["nowhere", "-f", "csv"],
         "nowhere holds no crawl. Name a directory that `toponaut crawl` has made"),
        (["{shops}", "-o", "missing/a.csv"],
         "missing/a.csv cannot be written (No such file or directory)."),
        (["{shops}", "-f", "csv", "-o", "."], ". is a directory. Name a file"),
        (["{shops}", "-f", "csv", "-o", "/dev/null", "--force"],
         "/dev/null is not a regular file."),
        (["{shops}", "-f", "csv", "-o", "x" * 300], "x cannot be written (File name too long)."),
        (["{shops}", "-f", "wacz", "--what", "addresses"], "a WACZ holds pages, not addresses."),
        (["{shops}", "-f", "csv", "--what", "words"],
         "--what is 'words'. Give one of addresses, pages"),
        (["{shops}", "-f", "csv", "--bbox", "1,2,3"],
         '--bbox is "1,2,3". Give west, south, east and north'),
        (["{shops}", "-f", "csv", "--bbox", "0,10,0,-10"], '--bbox is "0,10,0,-10".'),
        (["{shops}", "-f", "csv", "--bbox", "nan,0,0,0"], '--bbox is "nan,0,0,0".'),
        (["{shops}", "-f", "csv", "--min-confidence", "95"],
         "--min-confidence is 95. Give a number from 0 to 1"),
        (["{shops}", "-f", "csv", "--place", "Glendale"], '"Glendale" is ambiguous'),
        (["{shops}", "-f", "csv", "--place", "Nirgendwohausen"],
         'no place is called "Nirgendwohausen"'),
        (["{shops}", "-f", "csv", "--all", "--relevant-only"],
         "--all and --relevant-only exclude each other."),
    ],
    ids=lambda one: one[:40] if isinstance(one, str) else " ".join(one[1:])[:40],
)  # fmt: skip
def test_bad_input_is_one_line(
    arguments: list[str], message: str, shops: Path, toponaut: Toponaut
) -> None:
    code, out, err = toponaut(*(one.format(shops=shops) for one in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("toponaut: ")
    assert message in err
    assert err.count("\n") == 1
    assert there() == []


def test_a_full_disk_leaves_nothing(shops: Path, tmp_path: Path) -> None:
    """A file may not grow beyond 4 KB here, which is how a full disk looks to a program."""
    line, environment = command("export", shops, "-f", "warc", "-o", tmp_path / "a.warc.gz")
    limited = ["sh", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "sh", *line]
    done = subprocess.run(limited, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a.warc.gz cannot be written (File too large). Nothing was written" in done.stderr
    assert there(tmp_path) == []


@pytest.mark.parametrize("form", list(FORMATS))
def test_an_interrupted_export_leaves_nothing(form: str, shops: Path, tmp_path: Path) -> None:
    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export([shops], ExportRequest(form, tmp_path / "out"), interrupt)
    assert there(tmp_path) == []


def test_a_crawl_without_an_archive(tmp_path: Path, toponaut: Toponaut) -> None:
    root = written(tmp_path / "bare", [visit(0, "http://a.test/", "x")])
    message = (
        "toponaut: no answer of the crawl bare is archived. "
        "Crawl with storage.warc = true. Tables need no archive\n"
    )
    for form in ("warc", "wacz"):
        assert toponaut(root, "-f", form) == (2, "", message)
    assert there() == ["bare"]


def test_an_empty_result_is_reported(shops: Path, toponaut: Toponaut) -> None:
    code, out, err = toponaut(shops, "-o", "a.geojson", "--place", "Germany")
    assert (code, out) == (0, "0 organisations at addresses from 12 visits, 0.0 MB: a.geojson\n")
    assert err == "toponaut: nothing in the crawl matches: the file is valid and empty\n"
    assert json.loads(Path("a.geojson").read_bytes())["features"] == []


# --- a crawl that runs ---


def test_a_log_that_grows(tmp_path: Path, toponaut: Toponaut) -> None:
    """Appended visits are read, sealed or not; later ones are not."""
    root = written(tmp_path / "crawl", [])
    with LogWriter(root / "log", LOG) as log:
        for number in range(6):
            log.append(
                visit(
                    number,
                    f"http://{number}.test/",
                    "x",
                    addresses=(spotted(50.0, 8.0, f"{number}, de"),),
                )
            )
            if number == 2:
                log.seal()
            log.sync()
            _, out, _ = toponaut(root, "-o", tmp_path / f"{number}.csv", "--json")
            assert json.loads(out)["rows"] == number + 1


def test_during_a_crawl(tmp_path: Path, toponaut: Toponaut) -> None:
    little = little_web(seed=7, hosts=4, pages=400)
    root = tmp_path / "c"
    (tmp_path / "job.toml").write_text(
        render(job([little.seed], politeness=replace(FAST, delay=0.1))), encoding="utf-8"
    )
    with TestWeb(little.sites) as web:
        line, environment = command(
            "crawl", tmp_path / "job.toml", root, "--workers", "0", "-q", proxy=web.proxy
        )
        with subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL) as crawling:
            try:
                while not (root / "job.toml").exists() or status_of(root).log.relevant < 3:
                    assert crawling.poll() is None
                    time.sleep(0.05)
                csv, wacz = (
                    toponaut(root, "-o", "a.csv", "--json"),
                    toponaut(root, "-o", "a.wacz", "--all", "--json"),
                )
                assert status_of(root).running
            finally:
                crawling.kill()
    assert (csv[0], wacz[0]) == (0, 0), csv[2] + wacz[2]
    before, after = json.loads(csv[1]), json.loads(wacz[1])
    assert before["rows"] >= 1
    assert after["visits"] >= before["visits"]
    with ZipFile(tmp_path / "a.wacz") as package:
        assert package.testzip() is None
        lines = package.read("pages/pages.jsonl") + package.read("pages/extraPages.jsonl")
    assert len(lines.splitlines()) == after["pages"] + 2
