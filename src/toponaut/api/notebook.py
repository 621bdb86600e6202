"""How results look in a notebook: an HTML table, and a small map where they have coordinates.

The map needs no outlines and no network: the gazetteer's places, as grey dots, show the land.
"""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toponaut.api.results import Records

MOST_ROWS = 50
MOST_POINTS = 2000
_WIDTH, _MOST_DOTS = 480, 1500
_LONGEST_CELL = 80  # characters

# The columns that are worth a reader's time, by class; of other classes all are shown.
_SHOWN = {
    "Address": ("organisation", "normal", "phone", "lat", "lon", "precision", "confidence"),
    "AddressRow": ("organisation", "normal", "phone", "lat", "lon", "confidence", "pages", "url"),
    "Hit": ("title", "url", "organisation", "address", "distance_km", "why"),
    "Mention": ("text", "start", "end", "name", "country", "admin1", "lat", "lon", "confidence"),
    "PageRow": ("url", "title", "relevant", "addresses", "place_name", "outcome", "last_seen"),
    "Place": ("id", "name", "kind", "path", "lat", "lon", "population", "timezone"),
}
_LABELS = ("organisation", "title", "name", "normal", "text")

Point = tuple[float, float, str]  # latitude, longitude, label


def records_html(records: "Records[Any]", *, with_map: bool = True) -> str:
    """A map of the points, if any, and a table of the first records."""
    rows = records[:MOST_POINTS].to_dicts()
    columns = _SHOWN.get(records.kind.__name__, records.columns)
    points = [
        (row["lat"], row["lon"], _label(row))
        for row in rows
        if row.get("lat") is not None and row.get("lon") is not None
    ]
    more = f"<p>{len(records) - MOST_ROWS:,} more</p>" if len(records) > MOST_ROWS else ""
    return (
        (svg_map(points) if points and with_map else "") + _table(columns, rows[:MOST_ROWS]) + more
    )


def _table(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(row[column])}</td>" for column in columns) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1 else f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, list | tuple):
        value = " › ".join(map(str, value))
    text = str(value)
    shown = escape(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…")
    if text.startswith(("http://", "https://")):
        return f'<a href="{escape(text)}" rel="noopener noreferrer">{shown}</a>'
    return shown


def _label(row: dict[str, Any]) -> str:
    return next((str(row[name]) for name in _LABELS if row.get(name)), "")


def svg_map(points: Sequence[Point]) -> str:
    """The points on a plain map of longitude and latitude, as inline SVG."""
    from toponaut.measures.world_map import HEIGHT, WIDTH, Ground, land_path, view_around
    from toponaut.places.gazetteer.cache import open_gazetteer

    lats, lons = [point[0] for point in points], [point[1] for point in points]
    view = view_around(min(lons), min(lats), max(lons), max(lats))
    gazetteer = open_gazetteer()
    land = land_path(view, Ground(gazetteer.latlon, gazetteer.population), _MOST_DOTS)
    circles = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9"><title>{escape(label)}</title></circle>'
        for lat, lon, label in points
        for x, y in [view.point(lat, lon)]
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{_WIDTH}" role="img" '
        f'aria-label="Map of {len(points)} points" style="background:#8881;border-radius:6px">'
        f'<path d="{land}" fill="#888a" stroke="#888a" stroke-width="2"/>'
        f'<g fill="#d1495b" fill-opacity=".75">{circles}</g></svg>'
    )
