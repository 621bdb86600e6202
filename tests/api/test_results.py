"""Lists of results: conversions to tables, and what notebooks show."""

import builtins
import importlib
from typing import Any

import pandas
import pyarrow
import pytest

import toponaut
from toponaut.records import Address, Place

TEXT = "Paris Post, 221 Lamar Ave, Paris, TX 75460"
EVIL = Address("<script>alert(1)</script>", 0, 9, organisation='A "<b>" & C', lat=1.0, lon=2.0)


@pytest.fixture
def found() -> toponaut.Records[Address]:
    return toponaut.extract(TEXT)


def test_records_are_a_list(found: toponaut.Records[Address]) -> None:
    assert isinstance(found, list)
    assert len(found) == 1
    assert found == [found[0]]
    assert isinstance(found[:1], toponaut.Records)
    assert found[0].to_dict()["postcode"] == "75460"
    assert found[0].to_dict()["evidence"] == ("text",)


def test_pandas_and_arrow_have_all_columns(found: toponaut.Records[Address]) -> None:
    frame, table = found.to_pandas(), found.to_arrow()
    assert isinstance(frame, pandas.DataFrame)
    assert isinstance(table, pyarrow.Table)
    assert list(frame.columns) == table.column_names == list(found.columns)
    assert frame["normal"].tolist() == table["normal"].to_pylist() == [found[0].normal]


def test_an_empty_list_keeps_its_columns() -> None:
    nothing = toponaut.extract("no address here")
    assert nothing == []
    assert "postcode" in nothing.to_pandas().columns
    assert "postcode" in nothing.to_arrow().column_names
    assert len(nothing.to_geopandas()) == 0
    assert "postcode" not in nothing._repr_html_()  # of the many columns the useful ones are shown
    assert "organisation" in nothing._repr_html_()


def test_geopandas_has_points_where_they_are_known(found: toponaut.Records[Address]) -> None:
    pointless = toponaut.Records([*found, Address("x", 0, 1)], Address)
    frame = pointless.to_geopandas()
    assert frame.crs.to_epsg() == 4326
    assert (frame.geometry[0].x, frame.geometry[0].y) == (found[0].lon, found[0].lat)
    assert frame.geometry[1] is None


def test_records_without_coordinates_are_refused() -> None:
    from toponaut.records import RefusedLink

    with pytest.raises(toponaut.InputError, match=r"RefusedLink has no coordinates. Use to_pandas"):
        toponaut.Records([], RefusedLink).to_geopandas()


@pytest.fixture(params=["pandas", "geopandas"])
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that is not installed."""
    real = importlib.import_module

    def import_module(name: str, package: str | None = None) -> Any:
        if name == request.param:
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("toponaut.api.results.import_module", import_module)
    return str(request.param)


def test_a_missing_package_is_one_line_with_the_command(
    missing: str, found: toponaut.Records[Address]
) -> None:
    line = rf"^{missing} is not installed\. Install it: pip install {missing}$"
    with pytest.raises(toponaut.InputError, match=line):
        found.to_geopandas() if missing == "geopandas" else found.to_pandas()


def test_notebooks_show_a_table_and_a_map(found: toponaut.Records[Address]) -> None:
    html = found._repr_html_()
    assert html.startswith("<svg")
    assert html.count("<circle") == 1
    assert "<td>221 lamar avenue, 75460, us</td>" in html


def test_notebooks_show_text_as_text() -> None:
    html = toponaut.Records([EVIL], Address)._repr_html_()
    assert "<script" not in html
    assert "<b>" not in html
    assert "A &quot;&lt;b&gt;&quot; &amp; C" in html


def test_only_web_addresses_become_links() -> None:
    bad = Address("", 0, 0, organisation="javascript:alert(1)", normal='https://x.example/"><b>')
    html = toponaut.Records([bad], Address)._repr_html_()
    assert 'href="javascript' not in html
    assert 'href="https://x.example/&quot;&gt;&lt;b&gt;"' in html


def test_a_long_list_is_shown_in_part() -> None:
    place = toponaut.places("Oldenburg, DE")[0]
    html = toponaut.Records([place] * 120, Place)._repr_html_()
    assert html.count("<tr>") == 51
    assert "<td>Germany › Lower Saxony › Oldenburg</td>" in html
    assert "70 more" in html


def test_the_door_does_not_shadow_the_builtin_open() -> None:
    assert open is builtins.open
