"""`toponaut export` as WARC and WACZ: sound, whole, and a web that can be crawled again."""

import gzip
import io
import json
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job, urls, visits
from tests.support.little_web import LittleWeb, little_web
from tests.support.web_answers import Answer, Page
from tests.support.webserver import TestWeb
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from toponaut.archive import read_answer
from toponaut.archive.cdxj import parse_line
from toponaut.crawl.adopting import adopt
from toponaut.errors import InputError
from toponaut.export.output import OutputSink
from toponaut.export.run import ExportReport, ExportRequest, export
from toponaut.export.selection import ExportFilter, RowKind
from toponaut.export.wacz_writer import WaczWriter
from toponaut.job import render
from toponaut.records import PAGES, Outcome

Sites = dict[str, dict[str, str | bytes | Answer]]
ADDRESS = "<p>Call in at 123 Main Street, Springfield, IL 62701 any day"
LONG = "<p>word " * 300  # copies of it are archived as revisits
EVERYTHING = ExportFilter(relevant=False)


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    return little_web(seed=3, hosts=4, pages=60)


@pytest.fixture(scope="module")
def crawled(little: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Over the wire: with requests, redirects, errors, copies and robots.txt."""
    root = tmp_path_factory.mktemp("little") / "little"
    with TestWeb(little.sites) as web:
        crawl(root, job([little.seed]), proxy=web.proxy)
    return root


def exported(
    out: Path, *roots: Path, filters: ExportFilter | None = None, force: bool = True
) -> ExportReport:
    return export(
        list(roots), ExportRequest(output=out, filters=filters or ExportFilter(), force=force)
    )


def records(warc: Path | io.BytesIO) -> list[tuple[str, str, dict[str, str], bytes]]:
    """Kind, URL, header and content of every record, by warcio."""
    stream = warc.open("rb") if isinstance(warc, Path) else warc
    with stream:
        return [
            (
                one.rec_type,
                one.rec_headers["WARC-Target-URI"],
                dict(one.rec_headers.headers),
                one.content_stream().read(),
            )
            for one in ArchiveIterator(stream)
        ]


def kinds(warc: Path) -> Counter[str]:
    return Counter(kind for kind, *_ in records(warc))


def is_sound(warc: Path) -> bool:
    """RowKind `warcio check` says: every digest holds."""
    arguments: Any = type("Arguments", (), {"inputs": [str(warc)], "verbose": False})
    checker = Checker(arguments)
    checker.process_all()
    return bool(checker.exit_value == 0)


def replayed(web: Path, root: Path, seeds: list[str]) -> Path:
    crawl(root, job(seeds), replay=web)
    return root


def pages(root: Path) -> dict[str, tuple[str, bool, object]]:
    return {
        one.url: (one.text, one.relevant, one.addresses)
        for one in visits(root)
        if one.outcome in PAGES
    }


# --- WARC ---


def test_a_warc_holds_the_relevant_pages_with_all_their_records(
    crawled: Path, little: LittleWeb, tmp_path: Path
) -> None:
    out = tmp_path / "relevant.warc.gz"
    done = exported(out, crawled)
    assert is_sound(out)
    found = records(out)
    answers = {url for kind, url, *_ in found if kind in ("response", "revisit")}
    assert answers == little.relevant
    assert done.pages == done.rows == len(little.relevant)
    assert kinds(out)["warcinfo"] == 1
    assert kinds(out)["metadata"] == kinds(out)["request"] == len(answers)
    assert found[0][2]["WARC-Filename"] == "relevant.warc.gz"
    others = {
        one["WARC-Concurrent-To"] for kind, _, one, _ in found if kind in ("request", "metadata")
    }
    assert others == {
        one["WARC-Record-ID"] for kind, _, one, _ in found if kind in ("response", "revisit")
    }


def test_all_is_every_record_of_the_archive(crawled: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.warc.gz"
    done = exported(out, crawled, filters=EVERYTHING)
    [source] = (crawled / "archive").glob("*.warc.gz")
    assert is_sound(out)
    assert done.rows == sum(1 for one in visits(crawled) if one.archive)
    before, after = records(source)[1:], records(out)[1:]
    assert [(kind, url, content) for kind, url, _, content in after] == [
        (k, url, c) for k, url, _, c in before
    ]
    moved = (
        "WARC-Refers-To-Filename",
        "WARC-Refers-To-File-Offset",
    )  # they name the file of an original
    assert [one for _, _, one, _ in after] == [
        {name: value for name, value in one.items() if name not in moved} for _, _, one, _ in before
    ]
    assert kinds(out)["revisit"] > 0


def test_an_unwanted_original_is_copied_too(tmp_path: Path) -> None:
    """The original is an error; its copies are pages that are wanted, and refer to it."""
    body = f"{ADDRESS}{LONG}<a href='/copy'>2</a><a href='/other'>3</a>"
    site: Sites = {
        "a.test": {
            "/": "<a href='/gone'>1</a>", "/gone": Page(body, status=404), "/copy": Page(body),
            "/other": Page(body),
        }
    }  # fmt: skip
    crawled = tmp_path / "c"
    with TestWeb(site) as web:
        for seeds in (["http://a.test/"], ["http://a.test/", "http://a.test/copy"]):
            crawl(crawled, job(seeds), proxy=web.proxy)
    out = tmp_path / "copies.warc.gz"
    done = exported(out, crawled)
    assert [(kind, url) for kind, url, *_ in records(out) if kind in ("response", "revisit")] == [
        ("response", "http://a.test/gone"), ("revisit", "http://a.test/copy"), ("revisit",
         "http://a.test/other"),
    ]  # fmt: skip
    assert (done.pages, done.rows, done.notes) == (2, 3, ())
    assert kinds(out)["request"] == 3
    assert is_sound(out)
    again = replayed(out, tmp_path / "again", ["http://a.test/copy"])
    assert pages(again) == {url: page for url, page in pages(crawled).items() if page[1]}


def test_an_unchanged_page_needs_the_earlier_crawl(tmp_path: Path) -> None:
    april, may = tmp_path / "april", tmp_path / "may"
    with TestWeb({"a.test": {"/": Page(ADDRESS + LONG, etag='"v1"')}}) as web:
        crawl(april, job(["http://a.test/"]), proxy=web.proxy)
        crawl(may, job(["http://a.test/"]), proxy=web.proxy, since=april)
    alone = exported(tmp_path / "may.warc.gz", may)
    assert [note.split(":")[0] for note in alone.notes] == [
        "1 pages are unchanged since an earlier crawl and only archived there"
    ]
    both = exported(tmp_path / "both.wacz", april, may)
    assert (both.notes, both.pages) == ((), 2)
    again = replayed(tmp_path / "both.wacz", tmp_path / "again", ["http://a.test/"])
    assert pages(again)["http://a.test/"] == pages(april)["http://a.test/"]


def test_an_adopted_crawl_is_exported_like_any_other(
    crawled: Path, little: LittleWeb, tmp_path: Path
) -> None:
    exported(tmp_path / "all.warc.gz", crawled, filters=EVERYTHING)
    adopt([tmp_path / "all.warc.gz"], tmp_path / "adopted", render(job([little.seed])), "job.toml")
    out = tmp_path / "adopted.warc.gz"
    exported(out, tmp_path / "adopted")
    assert is_sound(out)
    found = {url for kind, url, *_ in records(out) if kind in ("response", "revisit")}
    others = set(urls(tmp_path / "adopted", Outcome.REQUISITE))  # sitemaps, here
    assert found == little.relevant | others


def test_archives_in_many_files(tmp_path: Path) -> None:
    """A new WARC begins every megabyte; originals lie in earlier ones."""
    noise = "".join(
        sha256(str(number).encode()).hexdigest() for number in range(6000)
    )  # 384 KB that hardly pack
    site: Sites = {
        "a.test": {"/": "".join(f"<a href='/{number}'>{number}</a>" for number in range(8))}
    }
    for number in range(8):
        site["a.test"][f"/{number}"] = (
            ADDRESS + LONG if number in (0, 7) else f"{ADDRESS}, {number}<!-- {noise} -->"
        )
    wanted_job = job(["http://a.test/"], ordering="breadth-first")
    with TestWeb(site) as web:
        crawl(
            tmp_path / "c",
            replace(wanted_job, storage=replace(wanted_job.storage, warc_bytes=1_000_000)),
            proxy=web.proxy,
        )
    assert len(list((tmp_path / "c" / "archive").glob("*.warc.gz"))) > 1
    out = tmp_path / "c.warc.gz"
    assert exported(out, tmp_path / "c").pages == 8
    assert is_sound(out)
    assert kinds(out) == {"warcinfo": 1, "metadata": 8, "request": 8, "response": 7, "revisit": 1}


def test_a_damaged_answer_is_left_out_and_reported(crawled: Path, tmp_path: Path) -> None:
    root = tmp_path / "damaged"
    copytree(crawled, root)
    [hit] = [one for one in visits(root) if one.relevant and one.archive][:1]
    warc = root / "archive" / hit.archive
    raw = bytearray(warc.read_bytes())
    raw[hit.offset + hit.length // 2] ^= 0xFF
    warc.write_bytes(raw)
    done = exported(tmp_path / "rest.warc.gz", root)
    assert any("damaged answers were left out" in note for note in done.notes)
    assert is_sound(tmp_path / "rest.warc.gz")
    warc.unlink()
    with pytest.raises(InputError, match="Put the crawl's archive back"):
        exported(tmp_path / "none.warc.gz", root)
    assert not (tmp_path / "none.warc.gz").exists()


def test_no_pages_is_a_valid_archive(tmp_path: Path) -> None:
    with TestWeb({"a.test": {"/": "<p>words"}}) as web:
        crawl(tmp_path / "c", job(["http://a.test/"]), proxy=web.proxy)
    for name in ("none.warc.gz", "none.wacz"):
        done = exported(tmp_path / name, tmp_path / "c")
        assert (done.rows, len(done.notes)) == (0, 1)
    assert kinds(tmp_path / "none.warc.gz") == {"warcinfo": 1}
    with ZipFile(tmp_path / "none.wacz") as package:
        assert gzip.decompress(package.read("indexes/index.cdx.gz")) == b""
        assert [
            json.loads(line)["format"] for line in package.read("pages/pages.jsonl").splitlines()
        ] == ["json-pages-1.0"]


# --- WACZ ---


@pytest.fixture(scope="module")
def wacz(crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wacz") / "little.wacz"
    exported(out, crawled, filters=EVERYTHING)
    return out


def listed(wacz: Path, name: str) -> list[dict[str, Any]]:
    with ZipFile(wacz) as package:
        header, *lines = map(json.loads, package.read(f"pages/{name}.jsonl").splitlines())
    assert header["format"] == "json-pages-1.0"
    return lines


def test_a_wacz_is_as_the_standard_wants_it(wacz: Path) -> None:
    """By hand; py-wacz looks at less."""
    with ZipFile(wacz) as package:
        assert package.testzip() is None
        names = {one.filename: one for one in package.infolist()}
        about = json.loads(package.read("datapackage.json"))
        digest = json.loads(package.read("datapackage-digest.json"))
        assert digest["path"] == "datapackage.json"
        assert digest["hash"] == f"sha256:{sha256(package.read('datapackage.json')).hexdigest()}"
        assert (about["profile"], about["wacz_version"]) == ("data-package", "1.1.1")
        assert {one["path"] for one in about["resources"]} == names.keys() - {
            "datapackage.json",
            "datapackage-digest.json",
        }
        for resource in about["resources"]:
            content = package.read(resource["path"])
            assert resource["hash"] == f"sha256:{sha256(content).hexdigest()}"
            assert resource["bytes"] == len(content)
    stored = {name for name, one in names.items() if one.compress_type == ZIP_STORED}
    assert stored == {"archive/data.warc.gz", "indexes/index.cdx.gz"}


def test_the_index_of_a_wacz_leads_to_every_answer(wacz: Path) -> None:
    with ZipFile(wacz) as package:
        index, warc = package.read("indexes/index.cdx.gz"), package.read("archive/data.warc.gz")
        meta, *blocks = package.read("indexes/index.idx").decode().splitlines()
    lines = gzip.decompress(index).splitlines(keepends=True)
    assert lines == sorted(lines)
    found = []
    for line in lines:
        entry = parse_line(line)
        assert entry.filename == "data.warc.gz"
        [(kind, url, header, _)] = records(io.BytesIO(warc[entry.start : entry.end]))
        assert url == entry.url
        assert header.get("WARC-Payload-Digest", entry.digest) == entry.digest
        assert (kind == "revisit") == (entry.mime == "warc/revisit")
        found.append(entry.start)
    assert len(found) == sum(
        kind in ("response", "revisit") for kind, *_ in records(io.BytesIO(warc))
    )
    assert json.loads(meta.removeprefix("!meta 0 ")) == {
        "format": "cdxj-gzip-1.0",
        "filename": "index.cdx.gz",
    }
    for block in blocks:
        place = json.loads(block[block.index("{") :])
        packed = index[place["offset"] : place["offset"] + place["length"]]
        assert place["digest"] == f"sha256:{sha256(packed).hexdigest()}"
        assert gzip.decompress(packed).decode().startswith(block[: block.index("{")])


def test_pages_are_listed_the_relevant_ones_first(
    wacz: Path, crawled: Path, little: LittleWeb
) -> None:
    assert {one["url"] for one in listed(wacz, "pages")} == little.relevant
    assert {one["url"] for one in listed(wacz, "extraPages")} == little.pages - little.relevant
    titles = {one.url: one.title for one in visits(crawled)}
    everything = [*listed(wacz, "pages"), *listed(wacz, "extraPages")]
    assert {one["url"]: one["title"] for one in everything} == {
        one["url"]: titles[one["url"]] for one in everything
    }
    assert len({one["id"] for one in everything}) == len(everything)


def test_py_wacz_finds_it_valid(wacz: Path) -> None:
    """In a process of its own: its validator brings a whole framework along, with warnings."""
    line = [sys.executable, "-W", "ignore", "-m", "wacz.main", "validate", "-f", str(wacz)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert "Validation succeeded" in done.stdout, done.stdout + done.stderr


def test_a_wacz_is_crawled_again_to_the_same_pages(
    wacz: Path, crawled: Path, little: LittleWeb, tmp_path: Path
) -> None:
    again = replayed(wacz, tmp_path / "again", [little.seed])
    assert pages(again) == pages(crawled)
    assert pages(again).keys() == little.pages
    assert set(urls(again, Outcome.REDIRECT)) == set(urls(crawled, Outcome.REDIRECT))


def test_a_wacz_of_relevant_pages_replays_those(
    crawled: Path, little: LittleWeb, tmp_path: Path
) -> None:
    out = tmp_path / "relevant.wacz"
    exported(out, crawled)
    seeds = [one["url"] for one in listed(out, "pages")]
    again = replayed(out, tmp_path / "again", seeds)
    assert pages(again) == {
        url: page for url, page in pages(crawled).items() if url in little.relevant
    }


def test_an_export_holds_the_archived_answers(wacz: Path, crawled: Path) -> None:
    with ZipFile(wacz) as package:
        found = records(io.BytesIO(package.read("archive/data.warc.gz")))
    digests = {
        url: one["WARC-Payload-Digest"]
        for kind, url, one, _ in found
        if kind in ("response", "revisit")
    }
    for one in visits(crawled):
        if one.archive:
            answer = read_answer(crawled / "archive" / one.archive, one.offset, one.length)
            assert digests[one.url] == answer.digest


def test_an_index_of_many_lines_has_many_blocks() -> None:
    """1,024 lines each, found by their first key."""
    lines = [f"test,a)/{number:04} 20260101000000 {{}}\n".encode() for number in range(2500)]
    out = io.BytesIO()
    with WaczWriter(OutputSink(out), "many", "lines") as writer:
        with writer.warc() as member:
            member.write(b"")
        for line in reversed(lines):
            writer.line(line)
    with ZipFile(out) as package:
        index = package.read("indexes/index.cdx.gz")
        _, *blocks = package.read("indexes/index.idx").decode().splitlines()
    assert [block.split(" ")[0] for block in blocks] == [
        "test,a)/0000",
        "test,a)/1024",
        "test,a)/2048",
    ]
    places = [json.loads(block.split(" ", 2)[2]) for block in blocks]
    unpacked = [
        gzip.decompress(index[one["offset"] : one["offset"] + one["length"]]) for one in places
    ]
    assert b"".join(unpacked) == b"".join(lines)


def test_addresses_cannot_be_an_archive(crawled: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a WACZ holds pages, not addresses"):
        export([crawled], ExportRequest("wacz", tmp_path / "x.wacz", RowKind.ADDRESSES))
