"""Seeds from the files that people download, in the shapes in which they are published."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toponaut.errors import InputError
from toponaut.places.gazetteer.cache import open_names
from toponaut.seeds.directory import read_rdf
from toponaut.seeds.find import find_seeds
from toponaut.seeds.seed import Seed

NAMES = open_names()
OLDENBURG = NAMES.gazetteer.place(2857458)
HERE, BREMEN = (53.1435, 8.2146), (53.0758, 8.8072)


def seeds_in(*paths: Path | str) -> list[Seed]:
    found = find_seeds(NAMES, OLDENBURG, [str(path) for path in paths])
    assert found.faults == []
    return found.seeds


def write(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def feature(properties: dict[str, Any], at: tuple[float, float], **more: Any) -> dict[str, Any]:
    geometry = {"type": "Point", "coordinates": [at[1], at[0]]}
    return {"type": "Feature", **more, "geometry": geometry, "properties": properties}


def test_answer_of_overpass(tmp_path: Path) -> None:
    elements = [
        {"type": "node", "id": 1, "lat": HERE[0], "lon": HERE[1],
         "tags": {"name": "Roma", "amenity": "restaurant", "website": "https://roma.example"}},
        {"type": "way", "id": 2, "center": {"lat": HERE[0], "lon": HERE[1]},
         "tags": {"name": "Schloss", "tourism": "museum", "url": "schloss.example;b.example/x"}},
        {"type": "node", "id": 3, "lat": BREMEN[0], "lon": BREMEN[1],
         "tags": {"website": "https://in-bremen.example"}},
        {"type": "node", "id": 4, "lat": HERE[0], "lon": HERE[1], "tags": {"website": "yes"}},
    ]  # fmt: skip
    path = write(tmp_path / "osm.json", {"version": 0.6, "elements": elements})
    found = {seed.url: seed for seed in seeds_in(path)}
    assert set(found) == {
        "https://roma.example/",
        "https://schloss.example/",
        "https://b.example/x",
    }
    roma = found["https://roma.example/"]
    assert roma == Seed("https://roma.example/", "osm", "Roma", "restaurant", *HERE, "osm:node/1")
    assert found["https://b.example/x"].id == "osm:way/2"


def test_extract_of_openstreetmap(tmp_path: Path) -> None:
    path = write(
        tmp_path / "town.osm",
        f"""<osm version="0.6">
        <node id="1" lat="{HERE[0]}" lon="{HERE[1]}" version="1"/>
        <node id="2" lat="{HERE[0]}" lon="{HERE[1]}" version="1">
          <tag k="contact:website" v="https://cafe.example"/><tag k="name" v="Café"/></node>
        <node id="3" lat="{BREMEN[0]}" lon="{BREMEN[1]}" version="1">
          <tag k="website" v="https://bremen.example"/></node>
        <way id="4" version="1"><nd ref="1"/><nd ref="2"/>
          <tag k="website" v="https://halle.example"/></way></osm>""",
    )
    found = {seed.url: (seed.name, seed.lat, seed.id) for seed in seeds_in(path)}
    assert found == {
        "https://cafe.example/": ("Café", HERE[0], "osm:node/2"),
        "https://halle.example/": ("", HERE[0], "osm:way/4"),
    }


def test_a_damaged_extract_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "town.osm.pbf", "not a PBF file")
    with pytest.raises(InputError, match=r"cannot read .*town.osm.pbf"):
        seeds_in(path)


@pytest.mark.parametrize("lines", [False, True])
def test_geojson_of_overture_and_alltheplaces(tmp_path: Path, lines: bool) -> None:
    features = [
        feature({"id": "o1", "names": {"primary": "Roma"}, "categories": {"primary": "pizza"},
                 "websites": ["http://roma.example", "http://roma.example/de"],
                 "confidence": 0.9, "operating_status": "open"}, HERE),
        feature({"id": "o2", "websites": ["http://doubtful.example"], "confidence": 0.1}, HERE),
        feature({"id": "o3", "websites": ["http://shut.example"],
                 "operating_status": "permanently_closed"}, HERE),
        feature({"@spider": "bakery", "ref": "77", "name": "Bäcker", "shop": "bakery",
                 "website": "https://bakery.example/77"}, HERE),
        feature({"@spider": "bakery", "ref": "78", "website": "https://bakery.example/78"}, BREMEN),
    ]  # fmt: skip
    if lines:
        text = "".join(json.dumps(one) + "\n" for one in features)
        path = write(tmp_path / "places.geojsonl", text)
    else:
        collection = {"type": "FeatureCollection", "features": features}
        path = write(tmp_path / "places.geojson", collection)
    found = {seed.url: (seed.source, seed.name, seed.category, seed.id) for seed in seeds_in(path)}
    assert found == {
        "http://roma.example/": ("overture", "Roma", "pizza", "overture:o1"),
        "http://roma.example/de": ("overture", "Roma", "pizza", "overture:o1"),
        "https://bakery.example/77": ("alltheplaces", "Bäcker", "bakery", "alltheplaces:77"),
    }


def test_a_building_has_the_middle_of_its_outline(tmp_path: Path) -> None:
    ring = [[8.21, 53.14], [8.22, 53.14], [8.22, 53.15], [8.21, 53.15]]
    town_hall = feature({"@id": "way/9", "website": "https://rathaus.example"}, HERE)
    town_hall["geometry"] = {"type": "Polygon", "coordinates": [ring]}
    path = write(tmp_path / "town.geojson", {"type": "FeatureCollection", "features": [town_hall]})
    [seed] = seeds_in(path)
    assert seed.id == "osm:way/9"
    assert seed.lat == pytest.approx(53.145)
    assert seed.lon == pytest.approx(8.215)


def test_parquet_of_overture_and_foursquare(tmp_path: Path) -> None:
    box = {"xmin": HERE[1], "xmax": HERE[1], "ymin": HERE[0], "ymax": HERE[0]}
    overture = pa.Table.from_pylist([
        {"id": "o1", "names": {"primary": "Roma"}, "categories": {"primary": "pizza"},
         "websites": ["https://roma.example"], "confidence": 0.8, "bbox": box},
        {"id": "o2", "websites": None, "confidence": 0.8, "bbox": box},
    ])  # fmt: skip
    pq.write_table(overture, tmp_path / "overture.parquet")
    shop = {
        "name": "Buch",
        "website": "buch.example",
        "fsq_category_labels": ["Retail > Bookstore"],
    }
    point = {"latitude": HERE[0], "longitude": HERE[1]}
    foursquare = pa.Table.from_pylist(
        [
            {"fsq_place_id": "f1", **shop, **point, "date_closed": None},
            {"fsq_place_id": "f2", **shop, **point, "date_closed": "2024-05-01"},
        ]
    )
    pq.write_table(foursquare, tmp_path / "fsq.parquet")
    found = seeds_in(tmp_path / "overture.parquet", tmp_path / "fsq.parquet")
    assert {(seed.url, seed.category, seed.id) for seed in found} == {
        ("https://roma.example/", "pizza", "overture:o1"),
        ("https://buch.example/", "Bookstore", "foursquare:f1"),
    }


def test_parquet_without_websites_is_an_error(tmp_path: Path) -> None:
    pq.write_table(pa.table({"name": ["Roma"]}), tmp_path / "names.parquet")
    with pytest.raises(InputError, match="has no column of websites"):
        seeds_in(tmp_path / "names.parquet")
    pq.write_table(pa.table({"name": ["Roma"], "website": [None]}), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="it has no website of a place in Oldenburg"):
        seeds_in(tmp_path / "none.parquet")
    write(tmp_path / "page.parquet", "<html>")
    with pytest.raises(InputError, match="cannot read"):
        seeds_in(tmp_path / "page.parquet")


def test_common_crawl_pages_that_name_the_place(tmp_path: Path) -> None:
    urls = ["https://oldenburg-tourismus.example/", "https://a.example/oldenburg/kontakt",
            "https://a.example/bremen/", "https://b.example/about"]  # fmt: skip
    index = pa.table({"url": urls, "url_host_name": ["a"] * 4, "fetch_status": [200] * 4})
    pq.write_table(index, tmp_path / "part.parquet")
    wanted = set(urls[:2])
    assert {seed.url for seed in seeds_in(tmp_path / "part.parquet")} == wanted
    lines = [{"urlkey": "x", "url": url, "status": "200"} for url in urls]
    lines.append({"urlkey": "x", "url": "https://oldenburg.example/gone", "status": "404"})
    path = write(tmp_path / "cdx.json", "".join(json.dumps(one) + "\n" for one in lines))
    assert {seed.url for seed in seeds_in(path)} == wanted


def test_directory_in_rdf(tmp_path: Path) -> None:
    path = write(
        tmp_path / "content.rdf.u8",
        """<?xml version="1.0" encoding="UTF-8"?>
        <RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/"
             xmlns="http://dmoz.org/rdf/"><Topic r:id="Top/World"/>
        <ExternalPage about="http://zoo.example/"><d:Title>Zoo &amp; Park</d:Title>
          <topic>Top/World/Deutsch/Oldenburg/Tierparks</topic></ExternalPage>
        <ExternalPage about="ftp://old.example/"><topic>Top</topic></ExternalPage></RDF>""",
    )
    topic = "Top/World/Deutsch/Oldenburg/Tierparks"
    assert seeds_in(path) == [
        Seed("http://zoo.example/", "directory", "Zoo & Park", "Tierparks", id=topic)
    ]
    with pytest.raises(InputError, match="is not a directory in RDF"):
        seeds_in(write(tmp_path / "cut.rdf", "<RDF><ExternalPage about='http://a.example/'>"))
    with pytest.raises(InputError, match=r"there is no file .*no\.rdf"):
        list(read_rdf(tmp_path / "no.rdf"))
    with pytest.raises(InputError, match="has no pages"):
        seeds_in(write(tmp_path / "empty.rdf", "<RDF></RDF>"))


def test_list_of_addresses(tmp_path: Path) -> None:
    path = write(tmp_path / "list.txt", "# ours\n\nhttps://a.example\tA shop\tshop\nb.example\n")
    assert seeds_in(path) == [
        Seed("https://a.example/", "list", "A shop", "shop"),
        Seed("https://b.example/", "list"),
    ]
    with pytest.raises(InputError, match=r'list.txt:2: "no address" is not a web address'):
        seeds_in(write(tmp_path / "list.txt", "a.example\nno address\n"))


def test_a_folder_or_an_error_page_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path} is a folder"):
        find_seeds(NAMES, OLDENBURG, [str(tmp_path)])
    busy = write(tmp_path / "overpass.json", "<html><body>too busy</body></html>")
    with pytest.raises(InputError, match=f"^{busy} is HTML or XML, maybe a server's error page"):
        find_seeds(NAMES, OLDENBURG, [str(busy)])


def test_seeds_that_name_the_place_come_first(tmp_path: Path) -> None:
    path = write(
        tmp_path / "list.txt", "https://a.example/\nhttps://stadt-oldenburg.example/\tOldenburg\n"
    )
    assert [seed.url for seed in seeds_in(path)] == [
        "https://stadt-oldenburg.example/", "https://a.example/",
    ]  # fmt: skip


def test_one_bad_source_does_not_stop_the_others(tmp_path: Path) -> None:
    good, bad = write(tmp_path / "list.txt", "a.example\n"), tmp_path / "missing.parquet"
    found = find_seeds(NAMES, OLDENBURG, [str(bad), str(good)])
    assert [seed.url for seed in found.seeds] == ["https://a.example/"]
    assert len(found.faults) == 1
    assert "there is no file" in found.faults[0]


def test_if_no_source_can_be_used_each_is_named_with_one_fix(tmp_path: Path) -> None:
    missing = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    with pytest.raises(InputError) as raised:
        find_seeds(NAMES, OLDENBURG, missing)
    assert all(f"there is no file {path}" in raised.value.cause for path in missing)
    assert str(raised.value).count("Sources are osm") == 1
