"""Exports as databases and bulk requests, opened by the programs that they are for."""

import json
import sqlite3
from pathlib import Path

import duckdb
import geopandas
import pytest
from tests.support.towns import crawl_towns

import toponaut


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> toponaut.Crawl:
    return toponaut.open(crawl_towns(tmp_path_factory.mktemp("databases")))


def test_sqlite_with_a_full_text_index(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    report = crawl.export(tmp_path / "towns.db")
    db = sqlite3.connect(tmp_path / "towns.db")
    (rows,) = db.execute("SELECT count(*) FROM addresses").fetchone()
    assert rows == report.rows == len(crawl.addresses())
    found = db.execute(
        "SELECT organisation, json_array_length(urls) FROM addresses WHERE rowid IN"
        " (SELECT rowid FROM addresses_fts WHERE addresses_fts MATCH 'milam AND bayou')"
    ).fetchall()
    assert found == [("Bayou Plumbers", 1)]
    metadata = json.loads((tmp_path / "towns.metadata.json").read_text())
    table = metadata["databases"]["towns"]["tables"]["addresses"]
    assert db.execute(f"SELECT count(*) FROM {table['fts_table']}").fetchone() == (rows,)


def test_a_geopackage_in_geopandas(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    crawl.export(tmp_path / "towns.gpkg")
    frame = geopandas.read_file(tmp_path / "towns.gpkg", layer="addresses")
    assert frame.crs.to_epsg() == 4326
    roma = frame[frame.organisation == "Pizzeria Roma"].iloc[0]
    assert (roma.geometry.x, roma.geometry.y) == pytest.approx((8.2137, 53.1402))
    assert len(frame) == len(crawl.addresses())
    assert bytes.fromhex("47504b47") == (tmp_path / "towns.gpkg").read_bytes()[68:72]


def test_pages_as_a_geopackage(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    crawl.export(tmp_path / "pages.gpkg", what="pages")
    assert len(geopandas.read_file(tmp_path / "pages.gpkg")) == len(crawl.pages())


def test_duckdb(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    crawl.export(tmp_path / "towns.duckdb")
    with duckdb.connect(str(tmp_path / "towns.duckdb"), read_only=True) as db:
        found = db.execute(
            "SELECT organisation, lat, urls[1] = url FROM addresses WHERE city = 'Bremen'"
        ).fetchall()
    assert found == [("Pizzeria Bremen", pytest.approx(53.0758), True)]


def test_an_opensearch_bulk_request(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    report = crawl.export(tmp_path / "towns.ndjson")
    lines = [json.loads(line) for line in (tmp_path / "towns.ndjson").read_text().splitlines()]
    assert len(lines) == 2 * report.rows
    ids = [action["index"]["_id"] for action in lines[::2]]
    assert len(set(ids)) == report.rows
    roma = next(one for one in lines[1::2] if one["organisation"] == "Pizzeria Roma")
    assert roma["location"] == {"lat": pytest.approx(53.1402), "lon": pytest.approx(8.2137)}


def test_the_same_crawl_gives_the_same_bytes(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    for ending in ("db", "gpkg", "ndjson"):
        one, other = (crawl.export(tmp_path / f"{name}.{ending}").sha256 for name in "ab")
        assert one == other
