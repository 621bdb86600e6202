"""Base maps: PMTiles files of the user, their tiles over HTTP, on the map, and bad files."""

import contextlib
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from tests.support.base_map import write_base_map
from tests.support.browser import chromium, map_colours, window
from tests.support.serving import ask, get, serve
from tests.support.towns import PAGES, crawl_towns
from typer.testing import CliRunner

from toponaut.app.tile_files import OUTLINES, TileFile
from toponaut.cli import app
from toponaut.errors import InputError

LISBON = (38.71, -9.137)
GREEN, SEA, HIGHWAY = (220, 234, 210), (207, 224, 232), (251, 217, 155)  # map.css


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base_map(tmp_path_factory.mktemp("map") / "city.pmtiles", *LISBON)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, city: Path) -> Iterator[str]:
    with serve(crawl_towns(tmp_path_factory.mktemp("towns"), PAGES), basemap=city) as url:
        yield url


def test_tiles_over_http(base: str, city: Path) -> None:
    """Lisbon at zoom 10: x is (-9.137 + 180) / 360 * 1024 = 486.01, and y is 392."""
    about = ask(base, "/api/about")["basemap"]
    assert (about["layers"], about["attribution"]) == ("protomaps", "© Example Maps")
    path = "/tiles/basemap/10/486/392"
    packed = get(base, path, accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    tile = gzip.decompress(packed.body)
    assert b"High Street" in tile
    assert get(base, path).body == tile
    assert get(base, "/tiles/basemap/10/0/0").body == b""
    assert get(base, "/tiles/outlines/0/0/0").status == 200
    assert get(base, "/tiles/basemap/3/8/0").status == 404
    assert get(base, "/tiles/basemap/99/0/0").status == 404
    assert city.name not in json.dumps(about)  # a path of the server is nobody's business


def test_streets_are_drawn(base: str) -> None:
    with chromium() as browser, window(browser, base) as page:
        page.goto("/?q=pizza+in+lisbon")
        expect(page.locator(".pin").first).to_be_visible()
        assert {GREEN, SEA} <= map_colours(page, 0.005)
        assert HIGHWAY in map_colours(page, 0.0005)
        expect(page.locator(".maplibregl-ctrl-attrib")).to_contain_text("© Example Maps")


def test_the_command_checks_a_file(city: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert "zoom 4 to 12" in run(app, ["basemap", str(city)]).output
    assert json.loads(run(app, ["basemap", str(city), "--json"]).output)["layers"] == "protomaps"
    other = write_base_map(tmp_path / "other.pmtiles", *LISBON, "openmaptiles")
    assert "layers of openmaptiles" in run(app, ["basemap", str(other)]).output
    assert "pmtiles extract" in run(app, ["basemap"]).output


def broken(tmp_path: Path) -> dict[str, Path]:
    good = write_base_map(tmp_path / "good.pmtiles", *LISBON).read_bytes()
    files = {
        "is empty": b"",
        "is not a PMTiles file": b"<html>Not found</html>" * 20,
        "another version": good[:7] + b"\x02" + good[8:],
        "is damaged": good[:200],
        "has png tiles": good[:99] + b"\x02" + good[100:],
        "compressed by brotli": good[:98] + b"\x03" + good[99:],
    }
    for number, body in enumerate(files.values()):
        (tmp_path / f"{number}.pmtiles").write_bytes(body)
    paths = {words: tmp_path / f"{number}.pmtiles" for number, words in enumerate(files)}
    return paths | {"cannot read": tmp_path / "missing.pmtiles", "no layers": OUTLINES}


def test_bad_files(tmp_path: Path) -> None:
    for words, path in broken(tmp_path).items():
        with pytest.raises(InputError, match=words) as caught:
            TileFile(path).base_map()
        assert "\n" not in str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(0, 400), value=st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused(
    city: Path, tmp_path: Path, position: int, value: int
) -> None:
    body = bytearray(city.read_bytes())
    body[position] = value
    path = tmp_path / "changed.pmtiles"
    path.write_bytes(body)
    with contextlib.suppress(InputError):  # any other error fails
        TileFile(path).tile(10, 486, 392)
