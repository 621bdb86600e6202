"""`toponaut export`: tables of addresses and pages, opened by what their users open them with."""

import csv
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import geopandas
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job, visits
from tests.support.shops import FORMULA, HOST, PAGES, SAVED, crawl_shops
from tests.support.towns import spotted, visit, written
from tests.support.web_answers import Page
from tests.support.webserver import TestWeb

from toponaut.export.rows import ADDRESS_PARTS, AddressRow, ExtractRow, moment
from toponaut.export.run import ExportReport, ExportRequest, export
from toponaut.export.selection import ExportFilter, RowKind
from toponaut.index import Box
from toponaut.records import Address, Outcome, Precision, Visit

Row = dict[str, Any]


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_shops(tmp_path_factory.mktemp("shops"))


def written_to(
    out: Path, *roots: Path, filters: ExportFilter | None = None, **asked: Any
) -> ExportReport:
    return export(
        list(roots),
        ExportRequest(output=out, filters=filters or ExportFilter(), force=True, **asked),
    )


def rows(out: Path, *roots: Path, filters: ExportFilter | None = None, **asked: Any) -> list[Row]:
    """The properties of all features."""
    written_to(out / "rows.geojson", *roots, filters=filters, **asked)
    features = json.loads((out / "rows.geojson").read_bytes())["features"]
    return [feature["properties"] for feature in features]


def organisations(out: Path, *roots: Path, filters: ExportFilter | None = None) -> list[str]:
    return [row["organisation"] for row in rows(out, *roots, filters=filters)]


# --- rows ---


def test_a_golden_row(shops: Path, tmp_path: Path) -> None:
    """Joe's page, a guide with another spelling, and a footer without a name are one row."""
    [row] = [one for one in rows(tmp_path, shops) if one["organisation"] == "Joe's Diner"]
    assert len(row.pop("id")) == 16
    assert row == {
        "organisation": "Joe's Diner",
        "category": "restaurant",
        "phone": "+12175550100",
        "hours": "Mo-Fr 09:00-17:00",
        "website": "",
        "email": "",
        "number": "123",
        "street": "Main Street",
        "unit": "",
        "city": "Springfield",
        "state": "IL",
        "postcode": "62701",
        "country": "US",
        "normal": "123 main street, 62701, us",
        "place": 4250542,
        "place_name": "Springfield",
        "place_path": ["United States", "Illinois", "Sangamon County", "Springfield"],
        "lat": 39.8012,
        "lon": -89.6501,
        "precision": "given",
        "radius_km": 0.05,
        "confidence": 0.95,
        "evidence": ["address", "json-ld", "text"],
        "in_target": True,
        "pages": 3,
        "relevant_pages": 3,
        "first_seen": SAVED,
        "last_seen": SAVED,
        "url": f"{HOST}/joe",
        "urls": [f"{HOST}/joe", f"{HOST}/guide", f"{HOST}/joe/menu"],
        "ids": [],
    }


def test_rows_come_by_country_place_and_street(shops: Path, tmp_path: Path) -> None:
    """Two shops in one tower are two rows, the page that names neither adds nothing."""
    assert [
        (row["organisation"], row["place_name"], row["in_target"]) for row in rows(tmp_path, shops)
    ] == [
        ("Pizzaria Napoli", "Lisbon", False),
        (FORMULA, "Denver", True),
        ("Joe's Diner", "Springfield", True),
        ("Alpha Books", "Seattle", True),
        ("Beta Tours", "Seattle", True),
    ]


def test_an_area_stays_an_area(shops: Path, tmp_path: Path) -> None:
    [row] = [one for one in rows(tmp_path, shops) if one["organisation"] == "Alpha Books"]
    assert (row["precision"], row["radius_km"]) == ("postcode", 4.0)
    assert (row["lat"], row["lon"]) == pytest.approx((47.63, -122.35), abs=0.02)


def test_pages_are_rows_if_asked(shops: Path, tmp_path: Path) -> None:
    found = {row["url"]: row for row in rows(tmp_path, shops, what=RowKind.PAGES)}
    assert list(found) == sorted(f"{HOST}{path}" for path in ["/", *PAGES])
    joe, words = found[f"{HOST}/joe"], found[f"{HOST}/words"]
    assert (joe["organisation"], joe["lat"], joe["relevant"], joe["addresses"]) == (
        "Joe's Diner",
        39.8012,
        True,
        1,
    )
    assert (words["title"], words["lat"], words["relevant"], words["addresses"]) == (
        "Words",
        None,
        False,
        0,
    )
    assert (joe["status"], joe["outcome"], joe["visits"], joe["first_seen"]) == (
        200,
        "fetched",
        1,
        SAVED,
    )
    [seen] = [one for one in visits(shops) if one.url == joe["url"]]
    assert (joe["archive"], joe["offset"], joe["length"]) == (
        seen.archive,
        seen.offset,
        seen.length,
    )


# --- filters ---


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (ExportFilter(in_targets=True), [FORMULA, "Joe's Diner", "Alpha Books", "Beta Tours"]),
        (ExportFilter(relevant=True), [FORMULA, "Joe's Diner", "Alpha Books", "Beta Tours"]),
        (ExportFilter(place="Portugal"), ["Pizzaria Napoli"]),
        (ExportFilter(place="5809844"), ["Alpha Books", "Beta Tours"]),
        (ExportFilter(place="Germany"), []),
        (ExportFilter(box=Box(39, -90, 40, -89)), ["Joe's Diner"]),
        (
            ExportFilter(box=Box(-90, 170, 90, -100)),
            [FORMULA, "Alpha Books", "Beta Tours"],
        ),  # across the 180th meridian
        (ExportFilter(confidence=0.96), []),
        (ExportFilter(confidence=0.96, place="Illinois"), []),
    ],
    ids=lambda one: None if isinstance(one, list) else str(one).removeprefix("ExportFilter"),
)
def test_filters(filters: ExportFilter, found: list[str], shops: Path, tmp_path: Path) -> None:
    assert organisations(tmp_path, shops, filters=filters) == found


def test_pages_are_chosen_by_their_addresses(shops: Path, tmp_path: Path) -> None:
    found = rows(tmp_path, shops, what=RowKind.PAGES, filters=ExportFilter(place="Seattle, WA"))
    assert [row["url"] for row in found] == [
        f"{HOST}{path}" for path in ("/tower", "/tower/books", "/tower/tours")
    ]


# --- seen more than once ---


def seen(sequence: int, url: str, *addresses: Address, relevant: bool = True) -> Visit:
    return replace(
        visit(sequence, url, "x", addresses=addresses),
        time=1.7e9 + sequence * 86_400,
        relevant=relevant,
    )


def test_first_and_last_seen_and_the_best_of_all(tmp_path: Path) -> None:
    """A page on three days: it has a phone on the second, and no address on the third."""
    plain = replace(
        spotted(53.14, 8.21, "12 langestrasse, 26122, de"),
        precision=Precision.CITY,
        organisation="Roma",
    )
    phoned = replace(plain, phone="0441 123", confidence=0.7, lat=53.15, precision=Precision.GIVEN)
    log = [
        seen(0, "http://roma.test/", plain),
        seen(1, "http://roma.test/", phoned, relevant=False),
        seen(2, "http://guide.test/a/long/path", plain),
        seen(3, "http://roma.test/"),
        replace(seen(4, "http://roma.test/", plain), outcome=Outcome.NO_INDEX),
    ]
    [row] = rows(tmp_path, written(tmp_path / "crawl", log))
    assert (row["pages"], row["relevant_pages"], row["url"]) == (2, 2, "http://roma.test/")
    assert (row["first_seen"], row["last_seen"]) == ("2023-11-14T22:13:20Z", "2023-11-16T22:13:20Z")
    assert (row["phone"], row["confidence"]) == ("0441 123", 0.9)
    assert (row["lat"], row["precision"], row["radius_km"]) == (53.15, "given", 0.05)


def test_two_crawls_are_one_table(tmp_path: Path) -> None:
    """With --since, an unchanged page was first seen by the earlier crawl."""
    page = Page(
        "<p>Call in at 123 Main Street, Springfield, IL 62701 any day" + "<p>word " * 300,
        etag='"v1"',
    )
    april, may = tmp_path / "april", tmp_path / "may"
    with TestWeb({"a.test": {"/": page}}) as web:
        crawl(april, job(["http://a.test/"]), proxy=web.proxy)
        crawl(may, job(["http://a.test/"]), proxy=web.proxy, since=april)
    times = [[one.time for one in visits(root) if one.addresses] for root in (april, may)]
    [row] = rows(tmp_path, april, may)
    assert [row["first_seen"], row["last_seen"]] == [
        f"{moment(time):%Y-%m-%dT%H:%M:%SZ}" for [time] in times
    ]
    [page_row] = rows(tmp_path, april, may, what=RowKind.PAGES)
    assert (page_row["visits"], page_row["outcome"], row["pages"]) == (2, "unchanged", 1)


def test_many_pages_of_one_site_name_ten_and_count_all(tmp_path: Path) -> None:
    address = spotted(53.14, 8.21, "12 langestrasse, 26122, de")
    log = [
        seen(number, f"http://a.test/{number:03}", address, relevant=number % 2 == 0)
        for number in range(120)
    ]
    [row] = rows(tmp_path, written(tmp_path / "crawl", log))
    assert (row["pages"], row["relevant_pages"]) == (120, 60)
    assert row["urls"] == [f"http://a.test/{number:03}" for number in range(10)]


# --- formats ---


def test_geojson_is_as_rfc_7946_wants_it(shops: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.geojson"
    done = written_to(out, shops)
    collection = json.loads(out.read_bytes())
    assert (collection["type"], len(collection["features"]), done.rows) == (
        "FeatureCollection",
        5,
        5,
    )
    for feature in collection["features"]:
        assert feature["type"] == "Feature"
        assert feature["id"] == feature["properties"]["id"]
        place = [feature["properties"][name] for name in ("lon", "lat")]
        assert feature["geometry"] == {"type": "Point", "coordinates": place}
    opened = geopandas.read_file(out)
    assert list(opened.organisation) == [
        feature["properties"]["organisation"] for feature in collection["features"]
    ]
    assert opened.geometry.iloc[0].coords[0] == (-9.1372, 38.7107)


def test_a_feature_a_line(shops: Path, tmp_path: Path) -> None:
    """By the ending of the file, or by name."""
    written_to(tmp_path / "a.geojson", shops)
    features = json.loads((tmp_path / "a.geojson").read_bytes())["features"]
    for name, form in (("b.geojsonl", "geojson"), ("c.txt", "geojsonl")):
        assert written_to(tmp_path / name, shops, format=form).format == "geojsonl"
        lines = (tmp_path / name).read_bytes().splitlines()
        assert [json.loads(line) for line in lines] == features
    assert len(geopandas.read_file(tmp_path / "b.geojsonl")) == 5


def test_csv_is_safe_to_open(shops: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    written_to(out, shops)
    with out.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert tuple(table[0]) == AddressRow.__struct_fields__
    denver = table[1]
    assert denver["organisation"] == f"'{FORMULA}"
    assert denver["phone"] == "+13035550100"  # not a formula, and how phones are written
    assert (denver["lon"], denver["in_target"], denver["first_seen"]) == (
        "-104.9811",
        "true",
        SAVED,
    )
    assert table[2]["urls"] == "; ".join(
        f"{HOST}{path}" for path in ("/joe", "/guide", "/joe/menu")
    )
    written_to(tmp_path / "b.csv", shops, bom=True)
    assert (tmp_path / "b.csv").read_bytes() == b"\xef\xbb\xbf" + out.read_bytes()


def test_geoparquet_is_opened_by_geopandas_duckdb_and_pyarrow(shops: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.parquet"
    written_to(out, shops)
    opened = geopandas.read_parquet(out)
    assert str(opened.crs) == "OGC:CRS84"
    assert list(opened.organisation[:3]) == ["Pizzaria Napoli", FORMULA, "Joe's Diner"]
    assert [(point.x, point.y) for point in opened.geometry[:1]] == [(-9.1372, 38.7107)]
    assert list(geopandas.read_parquet(out, bbox=(-90, 39, -89, 40)).organisation) == [
        "Joe's Diner"
    ]
    with duckdb.connect() as database:
        counted = (
            "select place_path[1], count(*), max(len(urls)) from read_parquet(?) where "
            "bbox.xmin < -80 group by 1"
        )
        assert database.execute(counted, [str(out)]).fetchall() == [("United States", 4, 3)]
        types = dict(
            database.execute(
                "select column_name, column_type from (describe from read_parquet(?))", [str(out)]
            ).fetchall()
        )
    assert (types["first_seen"], types["geometry"]) == (
        "TIMESTAMP WITH TIME ZONE",
        "GEOMETRY('OGC:CRS84')",
    )
    file = pq.ParquetFile(out)
    geo = json.loads(file.metadata.metadata[b"geo"])
    assert (geo["version"], geo["primary_column"]) == ("1.1.0", "geometry")
    column = geo["columns"]["geometry"]
    assert (column["encoding"], column["geometry_types"]) == ("WKB", ["Point"])
    assert column["bbox"] == [
        opened.lon.min(),
        opened.lat.min(),
        opened.lon.max(),
        opened.lat.max(),
    ]
    assert column["covering"]["bbox"]["xmin"] == ["bbox", "xmin"]
    group = file.metadata.row_group(0)
    statistics = {
        group.column(k).path_in_schema: group.column(k).statistics for k in range(group.num_columns)
    }
    assert (statistics["bbox.xmin"].min, statistics["bbox.ymax"].max) == (
        opened.lon.min(),
        opened.lat.max(),
    )


def test_no_point_no_geometry(tmp_path: Path) -> None:
    nowhere = Address(
        "12 Nowhere Lane", 0, 15, number="12", street="Nowhere Lane", normal="12 nowhere lane"
    )
    beyond = replace(nowhere, normal="elsewhere", lat=91.0, lon=0.0, precision=Precision.GIVEN)
    root = written(tmp_path / "crawl", [seen(0, "http://a.test/", nowhere, beyond)])
    written_to(tmp_path / "a.parquet", root)
    opened = geopandas.read_parquet(tmp_path / "a.parquet")
    assert [geometry is None for geometry in opened.geometry] == [True, True]
    assert [row["lat"] for row in rows(tmp_path, root)] == [None, None]
    assert json.loads((tmp_path / "rows.geojson").read_bytes())["features"][0]["geometry"] is None


@pytest.mark.parametrize("form", ["geojson", "geojsonl", "geoparquet", "csv"])
@pytest.mark.parametrize("what", list(RowKind))
def test_nothing_found_is_a_valid_file(form: str, what: RowKind, tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [])
    out = tmp_path / "out"
    done = written_to(out, root, format=form, what=what)
    assert (done.rows, done.notes) == (
        0,
        ("nothing in the crawl matches: the file is valid and empty",),
    )
    match form:
        case "geojson":
            assert json.loads(out.read_bytes()) == {"type": "FeatureCollection", "features": []}
        case "geojsonl":
            assert out.read_bytes() == b""
        case "geoparquet":
            assert len(geopandas.read_parquet(out)) == 0
        case "csv":
            assert out.read_bytes().count(b"\n") == 1


def test_the_same_crawl_gives_the_same_bytes(shops: Path, tmp_path: Path) -> None:
    """In this process and in another, whose strings hash otherwise."""
    forms = ("geojson", "geoparquet", "csv", "warc", "wacz")
    (tmp_path / "again").mkdir()
    code = (
        "import sys; from pathlib import Path; from toponaut.export.run import ExportRequest, "
        "export;"
        "[export([Path(sys.argv[1])], ExportRequest(form, Path(sys.argv[2], form))) for form in "
        "sys.argv[3:]]"
    )
    subprocess.run(
        [sys.executable, "-c", code, shops, tmp_path / "again", *forms], check=True, timeout=300
    )
    for form in forms:
        done = written_to(tmp_path / form, shops, format=form)
        again = (tmp_path / "again" / form).read_bytes()
        assert (tmp_path / form).read_bytes() == again
        assert (done.bytes, done.sha256) == (len(again), sha256(again).hexdigest())


def test_a_log_in_pieces_is_the_same_table(shops: Path, tmp_path: Path) -> None:
    """The order of visits does not matter, nor whether their segments are sealed."""
    log = visits(shops)
    backwards = [replace(one, sequence=k) for k, one in enumerate(reversed(log))]
    assert rows(tmp_path, written(tmp_path / "crawl", backwards)) == rows(tmp_path, shops)


def test_rows_of_addresses_have_the_same_parts_in_the_same_order() -> None:
    for kind in (AddressRow, ExtractRow):
        columns = kind.__struct_fields__
        start = columns.index(ADDRESS_PARTS[0])
        assert columns[start : start + len(ADDRESS_PARTS)] == ADDRESS_PARTS
