"""`--points`: house-level points from files and from geocoders of the user's own."""

import csv
import io
import json
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.shops import crawl_shops

import toponaut
from toponaut.errors import InputError
from toponaut.export.extract import extract
from toponaut.export.house_points import at_house, open_points, prepared
from toponaut.export.run import ExportRequest, export
from toponaut.records import Address, Precision

TROY = Address(
    "", -1, -1, number="8", street="N Oak St", city="Troy", state="NY", postcode="12180",
    country="US", lat=42.73, lon=-73.69, precision=Precision.POSTCODE,
)  # fmt: skip
OLDENBURG = Address(
    "", -1, -1, number="12 a", street="Lange Str.", city="Oldenburg", postcode="26122",
    country="DE", lat=53.14, lon=8.21, precision=Precision.CITY,
)  # fmt: skip
OAK, LANGE = (42.7311, -73.6911), (53.1402, 8.2102)


def found(source: Path | str, *addresses: Address) -> list[tuple[float | None, str]]:
    with prepared(str(source)) as ready, closing(open_points(ready)) as houses:
        placed = [at_house(one, houses) for one in addresses]
    return [(one.lat, one.precision.value) for one in placed]


# --- files ---


def open_addresses(path: Path) -> Path:
    path.write_text(
        "LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n"
        f"{OAK[1]},{OAK[0]},8,NORTH OAK STREET,,TROY,,NY,12180,,a\n"
        f"{LANGE[1]},{LANGE[0]},12A,Lange Straße,,,,,26122,,b\n"
        "8.2,53.1,,Lange Straße,,,,,26122,,c\n"
        ",,14,Lange Straße,,,,,26122,,d\n"
    )
    return path


def lines_of_features(path: Path) -> Path:
    rows = [("8", "NORTH OAK STREET", "Troy", "12180", OAK), ("12a", "Lange Straße", "", "", LANGE)]
    features = [
        {
            "type": "Feature",
            "properties": {"number": number, "street": street, "city": city, "postcode": code},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        }
        for number, street, city, code, (lat, lon) in rows
    ]
    path.write_text("\n".join(map(json.dumps, features)))
    return path


def osm_geojson(path: Path) -> Path:
    """A node, and a building as an outline."""
    lat, lon = LANGE
    corners = [(lon - 0.1, lat - 0.1), (lon + 0.1, lat - 0.1), (lon + 0.1, lat + 0.1)]
    ring = [*corners, (lon - 0.1, lat + 0.1), (lon - 0.1, lat - 0.1)]
    tags = {"addr:housenumber": "8", "addr:street": "North Oak Street", "addr:city": "Troy"}
    other = {"addr:housenumber": "12a", "addr:street": "Lange Straße", "addr:postcode": "26122"}
    node = {"type": "Point", "coordinates": OAK[::-1]}
    features = [
        {"type": "Feature", "properties": tags, "geometry": node},
        {"type": "Feature", "properties": {"tags": other},
         "geometry": {"type": "Polygon", "coordinates": [ring]}},
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}, indent=1))
    return path


def overture(path: Path) -> Path:
    rows = [
        {"country": "US", "postcode": "12180", "street": "N OAK ST", "number": "8",
         "postal_city": "Troy", "geometry": struct.pack("<BIdd", 1, 1, *OAK[::-1])},
        {"country": "DE", "postcode": "26122", "street": "Lange Straße", "number": "12a",
         "postal_city": None, "geometry": struct.pack(">BIdd", 0, 1, *LANGE[::-1])},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (open_addresses, "city.csv"),
        (lines_of_features, "city.geojson"),
        (osm_geojson, "osm.geojson"),
        (overture, "overture.parquet"),
    ],
)
def test_houses_are_found_in_every_kind_of_file(
    write: Callable[[Path], Path], name: str, tmp_path: Path
) -> None:
    one, other = found(write(tmp_path / name), TROY, OLDENBURG)
    assert one == (OAK[0], "house")
    assert other[0] == pytest.approx(LANGE[0])
    assert other[1] == "house"


def table(path: Path, *rows: tuple[object, ...]) -> Path:
    text = io.StringIO()
    names = ("lat", "lon", "number", "street", "city", "postcode")
    csv.writer(text).writerows([names, *rows])
    path.write_text(text.getvalue())
    return path


def test_only_the_right_house_counts(tmp_path: Path) -> None:
    """Not of another town, number or street, nor of two houses that cannot be told apart."""
    oak = (8, "North Oak Street")
    others = table(
        tmp_path / "others.csv",
        (42.74, -73.7, *oak, "Albany", "12207"),
        (40.0, -80.0, *oak, "Troy", "12180"),
        (42.73, -73.69, 10, "North Oak Street", "Troy", "12180"),
        (42.73, -73.69, 8, "South Oak Street", "Troy", "12180"),
    )
    assert found(others, TROY) == [(42.73, "postcode")]
    two = table(tmp_path / "two.csv", (42.7, -73.6, *oak, "", ""), (42.8, -73.7, *oak, "", ""))
    assert found(two, TROY) == [(42.73, "postcode")]
    by_code = table(
        tmp_path / "code.csv", (42.7, -73.6, *oak, "", "12180"), (42.8, -73.7, *oak, "", "12182")
    )
    assert found(by_code, TROY) == [(42.7, "house")]


def test_a_point_of_the_page_stays(tmp_path: Path) -> None:
    from msgspec.structs import replace

    given = replace(TROY, precision=Precision.GIVEN)
    assert found(open_addresses(tmp_path / "a.csv"), given) == [(42.73, "given")]


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("none.csv", None, "No such file"),
        ("a.xlsx", "x", "unknown kind of file"),
        ("a.csv", "name,age\nJoe,4\n", "has no address with number, street and point"),
        ("a.geojson", "{", "damaged"),
        ("a.parquet", "no parquet", "damaged"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    name: str, content: str | None, cause: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=cause) as error:
        found(tmp_path / name, TROY)
    assert "\n" not in str(error.value)


# --- geocoders ---


def photon(query: dict[str, str]) -> Any:
    if "Oak" not in query["q"]:
        return {"type": "FeatureCollection", "features": []}
    street = {"type": "Point", "coordinates": [-73.0, 42.0]}
    house = {"type": "Point", "coordinates": list(OAK[::-1])}
    return {"features": [
        {"geometry": street, "properties": {"street": "North Oak Street", "type": "street"}},
        {"geometry": house, "properties": {"housenumber": "8", "street": "North Oak Street"}},
    ]}  # fmt: skip


def nominatim(query: dict[str, str]) -> Any:
    assert query["format"] == "jsonv2"
    if query["street"] != "8 N Oak St" or query["countrycodes"] != "us":
        return [{"lat": "53.1", "lon": "8.2", "address": {"road": "Lange Straße"}}]
    return [{"lat": str(OAK[0]), "lon": str(OAK[1]), "address": {"house_number": "8"}}]


def pelias(query: dict[str, str]) -> Any:
    number = "8" if "Oak" in query["text"] else "13"
    house = {"type": "Point", "coordinates": list(OAK[::-1])}
    return {"features": [{"geometry": house, "properties": {"housenumber": number}}]}


@contextmanager
def server(answer: Callable[[dict[str, str]], Any]) -> Iterator[tuple[str, list[str]]]:
    """A geocoder; `answer` gives plain data, a status or bytes. With the paths asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            query = {name: one for name, [one] in parse_qs(urlsplit(self.path).query).items()}
            given = answer(query)
            body = given if isinstance(given, bytes) else json.dumps(given).encode()
            self.send_response(given if isinstance(given, int) else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", asked
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.mark.parametrize(
    ("path", "answer"), [("/api", photon), ("/search", nominatim), ("/v1/search", pelias)]
)
def test_geocoders_give_points_of_houses(path: str, answer: Callable[[Any], Any]) -> None:
    with server(answer) as (url, asked):
        assert found(url + path, TROY, TROY, OLDENBURG) == [
            (OAK[0], "house"), (OAK[0], "house"), (53.14, "city"),
        ]  # fmt: skip
        assert len(asked) == 2  # the same address is asked for once
        assert all(one.startswith(f"{path}?") for one in asked)


@pytest.mark.parametrize(
    ("answer", "cause"), [(500, "status 500"), (404, "status 404"), (b"<html>", "not answer with")]
)
def test_a_geocoder_that_fails_is_an_error(answer: object, cause: str) -> None:
    with server(lambda _: answer) as (url, _), pytest.raises(InputError, match=cause):
        found(f"{url}/api", TROY)


def test_an_address_that_a_geocoder_cannot_read_has_no_point() -> None:
    with server(lambda _: 400) as (url, _):
        assert found(f"{url}/api", TROY) == [(42.73, "postcode")]


def test_a_geocoder_must_be_there_and_of_a_known_kind() -> None:
    with server(photon) as (url, _):
        pass
    with pytest.raises(InputError, match="refused"):
        found(f"{url}/api", TROY)
    with pytest.raises(InputError, match="kind of geocoder"):
        found(f"{url}/geocode", TROY)
    with pytest.raises(InputError, match="Name a file"):
        found("ftp://example.test/points.csv", TROY)


# --- commands and Python ---


def test_export_and_extract_use_them(tmp_path: Path) -> None:
    crawl = crawl_shops(tmp_path / "shops")
    houses = table(
        tmp_path / "houses.csv",
        (47.6205, -122.3493, 400, "Broad St", "Seattle", "98109"),
        (39.9, -89.7, 123, "Main St", "Springfield", "62701"),
    )
    out = tmp_path / "rows.geojson"
    export([crawl], ExportRequest(output=out, points=str(houses)))
    rows = [one["properties"] for one in json.loads(out.read_bytes())["features"]]
    precise = {row["organisation"]: (row["lat"], row["precision"]) for row in rows}
    assert precise["Alpha Books"] == precise["Beta Tours"] == (47.6205, "house")
    assert precise["Joe's Diner"] == (39.8012, "given")  # the page's own
    page = tmp_path / "page.html"
    page.write_text("<p>Alpha Books<br>400 Broad Street, Seattle, WA 98109</p>")
    text = io.StringIO()
    extract([str(page)], "json", text, 1, True, str(houses))
    row = json.loads(text.getvalue())
    assert (row["lat"], row["lon"], row["precision"]) == (47.6205, -122.3493, "house")
    [address] = toponaut.extract(page, points=houses)
    assert address.precision is Precision.HOUSE


def test_pages_have_no_houses(tmp_path: Path) -> None:
    crawl = crawl_shops(tmp_path / "shops")
    houses = open_addresses(tmp_path / "a.csv")
    with pytest.raises(InputError, match="for addresses"):
        export([crawl], ExportRequest(output=tmp_path / "a.wacz", points=str(houses)))
