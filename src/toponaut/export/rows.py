"""The columns of tables. The order of the fields is the order of the columns."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from toponaut.records import Address, Record

if TYPE_CHECKING:  # not for the workers of extract
    from toponaut.index.georeference import AddressPoint

# The parts of a postal address. Address has them, and every row of an address, in this order.
ADDRESS_PARTS = ("number", "street", "unit", "city", "state", "postcode", "country", "normal")


class AddressRow(Record, frozen=True):
    """An organisation at an address, from all pages that name it; text as on the best of them."""

    id: str  # 16 hexadecimal digits, the same in every export
    organisation: str
    category: str  # a word of OpenStreetMap: "restaurant"; "" if unknown
    phone: str  # international: "+12175550100"
    hours: str  # in OpenStreetMap's syntax: "Mo-Fr 09:00-17:00"
    website: str
    email: str
    number: str
    street: str
    unit: str
    city: str
    state: str
    postcode: str
    country: str
    normal: str
    place: int  # id in the gazetteer; 0 if unknown
    place_name: str
    place_path: tuple[str, ...]
    lat: float | None
    lon: float | None
    precision: str  # "given", "house": a point; "postcode", "city": an area's centre; "": unknown
    radius_km: float | None  # of the area around the point
    confidence: float
    evidence: tuple[str, ...]
    in_target: bool
    pages: int
    relevant_pages: int
    first_seen: datetime | None
    last_seen: datetime | None
    url: str
    urls: tuple[str, ...]  # the best, `url` first
    ids: tuple[str, ...] = ()  # at the sources of the crawl's seeds: "osm:node/123"


class PageRow(Record, frozen=True):
    """A page as last seen. Its point is that of its most precise address."""

    url: str
    title: str
    description: str
    language: str
    relevant: bool
    addresses: int
    organisation: str
    place: int  # of that address, else the first in the page's scope
    place_name: str
    place_path: tuple[str, ...]
    lat: float | None
    lon: float | None
    precision: str
    radius_km: float | None
    outcome: str
    status: int
    content_type: str
    size: int
    digest: str
    visits: int
    first_seen: datetime | None
    last_seen: datetime | None
    archive: str  # its WARC, and where its record is there
    offset: int
    length: int


class ExtractRow(Struct, frozen=True):
    """An address in a document, for `toponaut extract`."""

    source: str
    text: str
    start: int
    end: int
    number: str
    street: str
    unit: str
    city: str
    state: str
    postcode: str
    country: str
    normal: str
    organisation: str
    category: str
    phone: str
    hours: str
    website: str
    email: str
    lat: float | None
    lon: float | None
    precision: str
    id: int  # of the city's place
    evidence: tuple[str, ...]
    inferred: tuple[str, ...]
    confidence: float


ExportRow = AddressRow | PageRow


def moment(time: float) -> datetime | None:
    """Unix time to the second; None if it is out of the calendar's range."""
    try:
        return datetime.fromtimestamp(int(time), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def point_columns(point: "AddressPoint | None") -> dict[str, Any]:
    """The columns of a point, or of none."""
    if point is None:
        return {"lat": None, "lon": None, "precision": "", "radius_km": None}
    precision, radius_km = point.precision.value, round(point.radius_km, 3)
    return {"lat": point.lat, "lon": point.lon, "precision": precision, "radius_km": radius_km}


def extract_row(source: str, address: Address) -> ExtractRow:
    different = ("source", "id", "precision")
    names = (name for name in ExtractRow.__struct_fields__ if name not in different)
    same = {name: getattr(address, name) for name in names}
    return ExtractRow(source=source, id=address.place, precision=address.precision.value, **same)
