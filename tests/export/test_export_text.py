"""Exported text is the text of pages, whatever it is, and no spreadsheet runs it."""

import csv
import io
import json
import re

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.export import csv as csv_format
from toponaut.export import geojson, geoparquet
from toponaut.export.output import OutputSink
from toponaut.export.rows import AddressRow, moment

TEXT = st.text(max_size=30) | st.text("=+-@'\t\r\n\"\\;, 0123\x00＝|%", max_size=8)
ROWS = st.builds(
    AddressRow,
    **dict.fromkeys(
        (
            "id",
            "organisation",
            "phone",
            "hours",
            "number",
            "street",
            "unit",
            "city",
            "state",
            "postcode",
            "country",
        ),
        TEXT,
    ),
    **dict.fromkeys(("normal", "place_name", "precision", "url"), TEXT),
    **dict.fromkeys(("place_path", "evidence", "urls"), st.lists(TEXT, max_size=3).map(tuple)),
    **dict.fromkeys(("place", "pages", "relevant_pages"), st.integers(0, 2**40)),
    lat=st.none() | st.floats(-90, 90),
    lon=st.floats(-180, 180),
    radius_km=st.none() | st.floats(0, 100),
    confidence=st.floats(0, 1),
    first_seen=st.integers(0, 4 * 10**9).map(moment),
    last_seen=st.floats().map(moment),
)


@settings(max_examples=30)
@given(st.lists(ROWS, max_size=4))
def test_csv_round_trip(wanted: list[AddressRow]) -> None:
    text = b"".join(csv_format.lines(AddressRow, wanted)).decode()
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(table) == len(wanted)
    for cells, row in zip(table, wanted, strict=True):
        for name in ("organisation", "phone", "url"):
            assert csv_format.unguarded(cells[name]) == getattr(row, name)
        assert csv_format.unguarded(cells["urls"]) == "; ".join(row.urls)
        assert (float(cells["lon"]), cells["lat"] == "") == (row.lon, row.lat is None)


@given(TEXT)
def test_no_cell_is_a_formula(text: str) -> None:
    """Nor what a spreadsheet of another country takes for one."""
    cell = csv_format.guarded(text)
    for part in (
        [cell]
        if cell == text and not text.strip("+-()./ 0123456789")
        else re.split(r"[;\t\r\n]", cell)
    ):
        first = part.strip(" \t\r\n\0")[:1]
        assert first not in {*"=@＝＋－＠"}
        assert first not in {"+", "-"} or not part.strip("+-()./ 0123456789")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "\t'=1"),
        ("'=1", "''=1"),
        ("Joe;=HYPERLINK(A1)", "Joe;'=HYPERLINK(A1)"),
        ("+49 (441) 123-4", "+49 (441) 123-4"),
        ("-", "-"),
        ("Joe's = best", "Joe's = best"),
        ("a-b; c", "a-b; c"),
        ("'tis", "'tis"),
        ("", ""),
    ],
)
def test_golden_cells(text: str, cell: str) -> None:
    assert csv_format.guarded(text) == cell
    assert csv_format.unguarded(cell) == text


@settings(max_examples=30)
@given(ROWS)
def test_geojson_round_trip(row: AddressRow) -> None:
    feature = json.loads(geojson.feature(row))
    assert feature["properties"]["organisation"] == row.organisation
    assert feature["properties"]["urls"] == list(row.urls)
    assert (feature["geometry"] is None) == (row.lat is None)
    if row.lat is not None:
        assert feature["geometry"]["coordinates"] == [row.lon, row.lat]
    assert b"\n" not in geojson.feature(row)


@settings(max_examples=30)
@given(st.lists(ROWS, max_size=4))
def test_geoparquet_round_trip(wanted: list[AddressRow]) -> None:
    out = io.BytesIO()
    geoparquet.write(OutputSink(out), AddressRow, wanted)
    out.seek(0)
    table = pq.read_table(out).to_pylist()
    for cells, row in zip(table, wanted, strict=True):
        assert [cells[name] for name in ("organisation", "lat", "place", "first_seen")] == [
            row.organisation, row.lat, row.place, row.first_seen,
        ]  # fmt: skip
        assert (cells["urls"], cells["geometry"] is None) == (list(row.urls), row.lat is None)
