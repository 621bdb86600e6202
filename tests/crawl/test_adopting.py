"""WARC files of other crawlers, adopted, measured, explained and resumed."""

import asyncio
import gzip
import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from shutil import copytree
from zipfile import ZipFile

import pytest
import zstandard
from msgspec import structs
from tests.support.crawling import crawl, edges, job, run_here, visits
from tests.support.little_web import export, little_web
from tests.support.pdfs import pdf
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from toponaut.archive import read_answer
from toponaut.compare.measuring import measure_directory
from toponaut.crawl.adopting import AdoptionResult, adopt
from toponaut.crawl.explain import explain
from toponaut.crawl.status import status_of
from toponaut.errors import InputError
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    TerritorySection,
    render,
)
from toponaut.records import PAGES, Outcome, Request, Visit
from toponaut.web.replay import ReplayFetcher

HTML = ("Content-Type", "text/html; charset=utf-8")
DINER = (
    b"<title>Diner</title><p>400 Broad Street, Seattle, WA 98109</p>"
    b"<a href='/menu'>Menu</a><a href='/far'>Far</a>"
)
MENU = b"<title>Menu</title><p>Soup</p><a href='/'>home</a><a href='http://b.test/'>B</a>"
OTHER = b"<title>Other</title><p>1100 Congress Avenue, Austin, TX 78701</p><a href='http://a.test/menu'>menu</a>"
WANTED = job(["http://a.test/"])


class Warc:
    """A WARC as another crawler writes it, by warcio."""

    def __init__(self, path: Path, *, packed: bool = True, version: str = "1.1") -> None:
        self.path = path
        self._file = path.open("wb")
        self._writer = WARCWriter(self._file, gzip=packed, warc_version=version)
        self._second = 0

    def add(
        self,
        kind: str,
        url: str,
        payload: bytes = b"",
        status: str = "200 OK",
        headers: Iterable[tuple[str, str]] = (HTML,),
        **header: str,
    ) -> int:
        """Appends a record, one second after the last; gives its offset."""
        offset = self._file.tell()
        fields = {name.replace("_", "-"): value for name, value in header.items()}
        fields["WARC-Date"] = f"2026-03-01T12:00:{self._second:02}Z"
        self._second += 1
        head = None
        if kind in ("response", "revisit"):
            head = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        elif kind == "request":
            head = StatusAndHeaders(status, [("Host", "a.test")], is_http_request=True)
        self._writer.write_record(
            self._writer.create_warc_record(
                url,
                kind,
                payload=BytesIO(payload),
                length=len(payload),
                http_headers=head,
                warc_headers_dict=fields,
            )
        )
        return offset

    def bytes(self, some: bytes) -> int:
        """Append bytes that are not a record."""
        offset = self._file.tell()
        self._file.write(some)
        return offset

    def close(self) -> Path:
        self._file.close()
        return self.path


def adopted(
    path: Path, *warcs: Path, wanted: Job = WANTED, said: list[str] | None = None, workers: int = 0
) -> AdoptionResult:
    reported = said if said is not None else []
    return adopt(
        list(warcs), path, render(wanted), "job.toml", workers=workers, say=reported.append
    )


def pages(directory: Path) -> list[Visit]:
    return [visit for visit in visits(directory) if visit.outcome in PAGES]


def small(path: Path) -> Path:
    """Three pages, the second linked by the first, and all else that a crawler leaves in a WARC."""
    warc = Warc(path)
    warc.add("warcinfo", "", b"software: Other/1.0\r\n")
    warc.add(
        "response",
        "http://a.test/robots.txt",
        b"User-agent: *\n",
        headers=[("Content-Type", "text/plain")],
    )
    warc.add("request", "http://a.test/", status="GET / HTTP/1.1")
    warc.add("response", "http://a.test/", DINER, WARC_IP_Address="192.0.2.7")
    warc.add("metadata", "http://a.test/", b"via: seed\r\n")
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(MENU[k : k + 40]), MENU[k : k + 40]) for k in range(0, len(MENU), 40)
    )
    warc.add(
        "response",
        "http://a.test/menu",
        chunks + b"0\r\n\r\n",
        headers=[HTML, ("Transfer-Encoding", "chunked")],
    )
    warc.add(
        "response", "http://a.test/logo.png", b"\x89PNG", headers=[("Content-Type", "image/png")]
    )
    packed = [HTML, ("Content-Encoding", "gzip")]
    warc.add("response", "http://b.test/", gzip.compress(OTHER, mtime=0), headers=packed)
    warc.add("response", "http://a.test/old", b"", "301 Moved", [("Location", "/menu")])
    warc.add("response", "http://a.test/gone", b"no", "404 Not Found")
    warc.add("resource", "dns:a.test", b"a.test. 60 IN A 192.0.2.7")
    return warc.close()


def test_pages_of_another_crawler_are_visits(tmp_path: Path) -> None:
    reported = adopted(tmp_path / "c", small(tmp_path / "other.warc.gz"))
    assert (reported.visits, reported.pages, reported.relevant, reported.addresses) == (7, 3, 2, 2)
    assert reported.skipped == {"robots.txt": 1}
    seeded, home, menu, logo, other, old, gone = visits(tmp_path / "c")
    assert (logo.url, logo.outcome) == ("http://a.test/logo.png", Outcome.REQUISITE)
    assert (seeded.outcome, [link.url for link in seeded.links]) == (
        Outcome.SEEDED,
        ["http://a.test/"],
    )
    assert (home.url, home.title, home.relevant, home.ip) == (
        "http://a.test/",
        "Diner",
        True,
        "192.0.2.7",
    )
    assert home.time == 1772366403.0  # 2026-03-01 12:00:03 UTC: the fourth record
    assert [address.city for address in home.addresses] == ["Seattle"]
    assert (menu.title, menu.relevant, menu.text.split()) == ("Menu", False, ["Soup", "homeB"])
    assert {link.url for link in home.links} == {"http://a.test/menu", "http://a.test/far"}
    assert [visit.found_by for visit in (home, menu, other)] == [0, 1, 2]
    assert [(visit.hops, visit.depth) for visit in (home, menu, other)] == [(0, 0), (1, 1), (2, 0)]
    assert [visit.promise for visit in (home, menu, other)] == [0, 0, 0]
    assert (old.outcome, old.detail, old.found_by) == (
        Outcome.REDIRECT,
        "to http://a.test/menu",
        -1,
    )
    assert (gone.outcome, gone.status) == (Outcome.GONE, 404)
    assert not (tmp_path / "c.adopting").exists()


def test_the_bytes_are_archived_and_explained(tmp_path: Path) -> None:
    adopted(tmp_path / "c", small(tmp_path / "other.warc.gz"))
    (tmp_path / "other.warc.gz").unlink()
    for visit, body in zip(pages(tmp_path / "c"), (DINER, MENU, OTHER), strict=True):
        stored = read_answer(tmp_path / "c" / "archive" / visit.archive, visit.offset, visit.length)
        assert stored.url == visit.url
        assert (
            gzip.decompress(stored.payload) if stored.payload[:2] == b"\x1f\x8b" else stored.payload
        ) == body
        assert stored.digest == visit.digest
    reported = explain(tmp_path / "c", "http://a.test/menu")
    assert [(finding.page, finding.decision) for finding in reported.found] == [
        ("http://a.test/", "queued"),
        ("http://b.test/", "known"),  # that page is relevant, but the link was visited
        ("http://a.test/old", "known"),
    ]
    assert reported.visits[0].detail.endswith("of other.warc.gz")
    assert explain(tmp_path / "c", "http://a.test/far").state == "waiting"
    assert status_of(tmp_path / "c").stopped == "all records of the WARCs were read"


def test_it_is_measured(tmp_path: Path) -> None:
    adopted(tmp_path / "c", small(tmp_path / "other.warc.gz"))
    found = measure_directory(tmp_path / "c")
    done = run_here("measure", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "Geo-coverage" in done.stdout
    assert (found.whole.pages, found.whole.entities, found.whole.hosts) == (3, 2, 2)
    assert found.whole.geo_coverage == pytest.approx(2 / 3)
    assert (found.whole.communication, found.whole.overlap) == (0, 0)
    # a.test/ (an address) -> menu -> b.test/ (an address) -> menu: with k = 2 and m = 10
    # 1 + 0 + 0.01; 0 + 2 * 0.1 (it links home, too); 1 + 0 + 0.01 (b -> menu -> a)
    assert found.whole.geo_centrality == pytest.approx((1.01 + 0.2 + 1.01) / 3)


def test_a_page_that_is_listed_twice_counts_twice(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "other.warc.gz")
    digest = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    warc.add("response", "http://a.test/", DINER, WARC_Payload_Digest=digest)
    warc.add("response", "http://a.test/menu", MENU)
    warc.add(
        "revisit",
        "http://a.test/",
        WARC_Payload_Digest=digest,
        WARC_Refers_To_Target_URI="http://a.test/",
    )
    warc.add("revisit", "http://a.test/menu", status="304 Not Modified")
    warc.add("revisit", "http://mirror.test/", WARC_Payload_Digest=digest)
    warc.add("revisit", "http://a.test/lost", WARC_Payload_Digest="sha1:" + "B" * 32)
    reported = adopted(tmp_path / "c", warc.close())
    assert reported.skipped == {"revisit without its original": 1}
    found = pages(tmp_path / "c")
    assert [(visit.url, visit.outcome, visit.title) for visit in found] == [
        ("http://a.test/", Outcome.FETCHED, "Diner"),
        ("http://a.test/menu", Outcome.FETCHED, "Menu"),
        ("http://a.test/", Outcome.FETCHED, "Diner"),
        ("http://a.test/menu", Outcome.UNCHANGED, "Menu"),
        ("http://mirror.test/", Outcome.FETCHED, "Diner"),
    ]
    assert [visit.found_by for visit in found] == [0, 1, 0, 1, -1]
    assert [visit.relevant for visit in found] == [True, False, True, False, True]
    assert measure_directory(tmp_path / "c").whole.overlap == pytest.approx(0.4)  # 5 pages, 3 URLs


def test_broken_records_are_reported_and_skipped(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "other.warc.gz")
    warc.add("response", "http://a.test/", DINER)
    torn = warc.bytes(
        gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 9999\r\n\r\nshort")
    )
    whole = warc.add("response", "http://a.test/menu", MENU)
    noise = warc.bytes(b"\x1f\x8b\x08 this was a record once " * 40)
    odd = warc.add("resource", "urn:x", b"")
    warc.add("response", "http://b.test/", OTHER)
    end = warc.bytes(gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n")[:20])
    said: list[str] = []
    reported = adopted(tmp_path / "c", warc.close(), said=said)
    assert [visit.title for visit in pages(tmp_path / "c")] == ["Diner", "Menu", "Other"]
    assert reported.skipped == {"broken record": 3}
    assert torn < whole < noise < odd < end
    assert [line.partition(": ")[0] for line in said] == [
        f"other.warc.gz, byte {torn:,}",
        f"other.warc.gz, byte {noise:,}",
        f"other.warc.gz, byte {end:,}",
    ]


def test_no_http_in_a_response_is_a_broken_record(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "other.warc", packed=False)
    warc.add("response", "http://a.test/", DINER)
    block = b"what is this"
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/x\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    warc.bytes(head.encode() + block + b"\r\n\r\n")
    warc.bytes(b"WARC/1.1\r\nContent-Length: 3\r\n\r\nfar too much for what it says\r\n\r\n")
    warc.add("response", "http://a.test/menu", MENU)
    reported = adopted(tmp_path / "c", warc.close())
    assert reported.skipped == {"broken record": 1}
    assert [visit.title for visit in pages(tmp_path / "c")] == ["Diner", "Menu"]


def test_a_file_of_wget(tmp_path: Path) -> None:
    """Plain WARC 1.0, URIs in brackets, requests in absolute form (through a proxy), wget's own log
    at the end.
    """
    warc = Warc(tmp_path / "wget.warc", packed=False, version="1.0")
    warc.add("request", "<http://a.test/>", status="GET http://a.test/ HTTP/1.1")
    warc.add("response", "<http://a.test/>", DINER)
    warc.add("request", "<http://a.test/menu>", status="GET http://a.test/menu HTTP/1.1")
    warc.add("response", "<http://a.test/menu>", MENU)
    warc.add("resource", "<metadata://gnu.org/software/wget/warc/wget.log>", b"saved\n")
    reported = adopted(tmp_path / "c", warc.close())
    assert (reported.pages, reported.relevant, reported.skipped) == (2, 1, {})
    assert [visit.url for visit in pages(tmp_path / "c")] == [
        "http://a.test/",
        "http://a.test/menu",
    ]


def test_pages_that_were_never_served(tmp_path: Path) -> None:
    """warcit makes WARCs of files: resource records only."""
    warc = Warc(tmp_path / "files.warc.gz")
    warc.add("resource", "http://a.test/", DINER, Content_Type="text/html")
    adopted(tmp_path / "c", warc.close())
    (page,) = pages(tmp_path / "c")
    assert (page.title, page.relevant, page.status) == ("Diner", True, 200)


@pytest.mark.parametrize("workers", [0, 2])
def test_our_own_crawl_is_adopted_unchanged(tmp_path: Path, workers: int) -> None:
    little = little_web(seed=5, hosts=6, pages=90)
    wanted = job([little.seed])
    crawl(tmp_path / "ours", wanted, replay=export(little, tmp_path / "web"))
    warcs = sorted((tmp_path / "ours" / "archive").glob("*.warc.gz"))
    reported = adopted(tmp_path / "again", *warcs, wanted=wanted, workers=workers)
    ours, again = pages(tmp_path / "ours"), pages(tmp_path / "again")
    assert reported.pages == len(little.pages)
    assert {visit.url for visit in again if visit.relevant} == little.relevant
    same = (
        "url",
        "outcome",
        "status",
        "relevant",
        "addresses",
        "scope",
        "simhash",
        "title",
        "text",
        "language",
        "digest",
    )
    for one, other in zip(ours, again, strict=True):
        assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]
    both = [
        {edge for edge in edges(tmp_path / name) if edge[0] in little.pages}
        for name in ("ours", "again")
    ]
    assert both[0] == both[1]
    assert len(both[0]) > 500
    first, second = (measure_directory(tmp_path / name) for name in ("ours", "again"))
    assert structs.replace(first.whole, received=0) == structs.replace(
        second.whole, received=0
    )  # the rest was robots.txt
    assert (first.links, first.locality, first.places) == (
        second.links,
        second.locality,
        second.places,
    )


def test_an_adopted_crawl_can_be_resumed(tmp_path: Path) -> None:
    """An adopted and resumed half of a crawl has every page once."""
    little = little_web(seed=6, hosts=5, pages=60)
    web = export(little, tmp_path / "web")
    wanted = job([little.seed])
    half = structs.replace(wanted, limits=LimitsSection(pages=30))
    assert crawl(tmp_path / "half", half, replay=web).progress.pages == 30
    adopted(tmp_path / "c", *(tmp_path / "half" / "archive").glob("*.warc.gz"), wanted=wanted)
    assert len(pages(tmp_path / "c")) == 30
    ended = crawl(tmp_path / "c", wanted, replay=web)
    assert ended.why == "nothing is left to fetch"
    fetched = [visit.url for visit in pages(tmp_path / "c")]
    assert len(fetched) == len(set(fetched))
    assert set(fetched) == little.pages
    for visit in pages(tmp_path / "c"):
        assert (
            read_answer(tmp_path / "c" / "archive" / visit.archive, visit.offset, visit.length).url
            == visit.url
        )


def test_nodes_share_what_one_crawler_fetched(tmp_path: Path) -> None:
    west = TerritorySection(name="west", targets=("Seattle, WA",))
    south = TerritorySection(name="south", targets=("Austin, TX",))
    wanted = structs.replace(
        WANTED,
        partition="written",
        nodes=NodesSection(general=1, territories=(west, south)),
        collaboration=CollaborationSection(strategy="url"),
    )
    warc = Warc(tmp_path / "other.warc.gz")
    warc.add(
        "response",
        "http://a.test/",
        b"<a href='/austin'>1</a><a href='/seattle'>2</a><a href='/nowhere'>3</a>",
    )
    for path in ("austin", "seattle", "nowhere", "austin"):
        warc.add("response", f"http://a.test/{path}", f"<p>{path}".encode())
    warc.add("response", "http://seattle.test/unlinked", b"<p>here")
    adopted(tmp_path / "c", warc.close(), wanted=wanted)
    assert [visit.node for visit in pages(tmp_path / "c")] == [
        "general1",
        "south",
        "west",
        "general1",
        "south",
        "west",
    ]
    assert pages(tmp_path / "c")[0].sent == 2


def test_several_files_are_one_crawl(tmp_path: Path) -> None:
    one, two = Warc(tmp_path / "1.warc.gz"), Warc(tmp_path / "2.warc", packed=False)
    one.add("response", "http://a.test/", DINER, WARC_Payload_Digest="sha1:" + "C" * 32)
    two.add("response", "http://a.test/menu", MENU)
    two.add("revisit", "http://b.test/", WARC_Payload_Digest="sha1:" + "C" * 32)
    adopted(tmp_path / "c", one.close(), two.close())
    assert [(visit.title, visit.found_by) for visit in pages(tmp_path / "c")] == [
        ("Diner", 0),
        ("Menu", 1),
        ("Diner", 2),
    ]


def test_a_wacz_of_browsertrix(tmp_path: Path) -> None:
    """WARCs in a zip, with texts and pictures of pages next to the answers, and a 304 of the
    browser's cache.
    """
    warc = Warc(tmp_path / "rec.warc.gz")
    warc.add("response", "http://a.test/", DINER)
    warc.add("resource", "urn:text:http://a.test/", b"400 Broad Street", Content_Type="text/plain")
    warc.add("response", "http://a.test/", b"", "304 Not Modified", [])
    with ZipFile(tmp_path / "other.wacz", "w") as package:
        package.writestr("datapackage.json", "{}")
        package.write(warc.close(), "archive/rec.warc.gz")
    adopted(tmp_path / "c", tmp_path / "other.wacz")
    assert [(visit.title, visit.outcome) for visit in pages(tmp_path / "c")] == [
        ("Diner", Outcome.FETCHED),
        ("Diner", Outcome.UNCHANGED),
    ]


def test_the_command(tmp_path: Path) -> None:
    warc = small(tmp_path / "other.warc.gz")
    (tmp_path / "job.toml").write_text(render(WANTED), encoding="utf-8")
    with warc.open("ab") as stream:
        stream.write(b"torn")
    size = warc.stat().st_size
    done = run_here("adopt", warc, tmp_path / "c", "--job", tmp_path / "job.toml", "--workers", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{tmp_path / 'c'}: 3 pages, 2 relevant (66.7%), 2 addresses found; "
        "skipped: broken record 1, robots.txt 1.\n"
    )
    assert done.stderr == (
        f"toponaut: other.warc.gz, byte {size - 4:,}: skipped a broken record (cut short)\n"
    )
    again = run_here(
        "adopt", warc, tmp_path / "d", "--job", tmp_path / "job.toml", "--json", "--workers", "0"
    )
    figures = json.loads(again.stdout)
    assert (figures["pages"], figures["skipped"]["robots.txt"]) == (3, 1)


def test_a_folder_of_warcs_of_all_packings(tmp_path: Path) -> None:
    plain = gzip.decompress(small(tmp_path / "other.warc.gz").read_bytes())
    folder = tmp_path / "warcs"
    (folder / "below").mkdir(parents=True)
    (folder / "1.warc.gz").write_bytes(gzip.compress(plain))  # all records in one member
    (folder / "below" / "2.warc").write_bytes(plain)
    (folder / "3.warc.zst").write_bytes(zstandard.compress(plain))
    (folder / "notes.md").write_text("not a WARC")
    reported = adopted(tmp_path / "c", folder)
    assert (reported.visits, reported.pages) == (1 + 3 * 6, 9)
    assert [visit.title for visit in pages(tmp_path / "c")] == ["Diner", "Menu", "Other"] * 3


def test_bad_input(tmp_path: Path) -> None:
    warc = small(tmp_path / "other.warc.gz")
    with pytest.raises(InputError, match="there is no"):
        adopted(tmp_path / "c", tmp_path / "none.warc.gz")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match="has neither WARCs nor"):
        adopted(tmp_path / "c", tmp_path / "nothing")
    (tmp_path / "page.html").write_bytes(DINER)
    with pytest.raises(InputError, match="is not a WARC"):
        adopted(tmp_path / "c", tmp_path / "page.html")
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="exists"):
        adopted(tmp_path / "there", warc)
    lookups = Warc(tmp_path / "lookups.warc.gz")
    lookups.add("resource", "dns:a.test", b"a.test. 60 IN A 192.0.2.7")
    with pytest.raises(InputError, match=r"no response of a web server"):
        adopted(tmp_path / "c", lookups.close())
    with pytest.raises(InputError, match="workers"):
        adopted(tmp_path / "c", warc, workers=-1)
    assert not list(tmp_path.glob("c*"))
    done = run_here("adopt", warc, tmp_path / "c", "--job", tmp_path / "none.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_killed_adoption_leaves_no_crawl_and_can_be_repeated(tmp_path: Path) -> None:
    warc = small(tmp_path / "other.warc.gz")
    left = tmp_path / "c.adopting"

    def power_cut(_done: int, _total: int, _pages: int) -> None:
        copytree(left, tmp_path / "kept")  # as a kill would leave it
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adopt([warc], tmp_path / "c", render(WANTED), "job.toml", progress=power_cut)
    assert not left.exists()
    (tmp_path / "kept").rename(left)
    with pytest.raises(InputError, match="holds no crawl"):
        measure_directory(tmp_path / "c")
    assert adopted(tmp_path / "c", warc).pages == 3
    assert not left.exists()


STYLE = b"body { color: #123; background: url(logo.png) }" * 40
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


def test_requisites_travel_and_pdfs_are_read(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "other.warc.gz")
    warc.add("response", "http://a.test/", DINER)
    kept = {
        "http://a.test/style.css": (STYLE, "text/css"),
        "http://a.test/logo.png": (PICTURE, "image/png"),
        "http://a.test/again.png": (PICTURE, "image/png"),
        "http://a.test/font.woff2": (b"wOF2" + bytes(500), "font/woff2"),
    }
    for url, (payload, content_type) in kept.items():
        warc.add("response", url, payload, headers=[("Content-Type", content_type)])
    flyer = pdf(["Our diner", "123 Main Street", "Springfield, IL 62701"])
    kind = [("Content-Type", "application/pdf")]
    warc.add("response", "http://a.test/a.pdf", flyer, headers=kind)
    reported = adopted(tmp_path / "c", warc.close())
    assert (reported.pages, reported.skipped) == (2, {})
    found = {visit.url: visit for visit in visits(tmp_path / "c")}
    for url in kept:
        assert found[url].outcome is Outcome.REQUISITE
        assert (found[url].text, found[url].links, found[url].relevant) == ("", (), False)
    assert found["http://a.test/a.pdf"].outcome is Outcome.FETCHED
    assert [one.street for one in found["http://a.test/a.pdf"].addresses] == ["Main Street"]

    for name in ("all.warc.gz", "all.wacz"):
        done = run_here("export", tmp_path / "c", "--all", "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        web = ReplayFetcher(tmp_path / name)
        for url, (payload, content_type) in kept.items():
            answer = asyncio.run(web.fetch(Request(url)))
            assert (answer.payload, answer.content_type) == (payload, content_type)
            assert answer.started == found[url].time > 1.7e9
        assert asyncio.run(web.fetch(Request("http://a.test/a.pdf"))).payload == flyer
        asyncio.run(web.close())
