"""What a row of an exported table holds. The order of the fields is the order of the columns."""

from datetime import UTC, datetime

from msgspec import Struct


class AddressRow(Struct, frozen=True):
    """An organisation at an address, from all pages that tell of it. Text is as the surest of them has it."""

    id: str  # 16 hexadecimal digits, the same in every export
    organisation: str
    phone: str
    hours: str
    number: str
    street: str
    unit: str
    city: str
    state: str
    postcode: str
    country: str
    normal: str
    place: int  # id in the gazetteer; 0 where it has none
    place_name: str
    place_path: tuple[str, ...]
    lat: float | None
    lon: float | None
    precision: str  # "given": a point; "postcode", "city": the middle of an area; "": not known
    radius_km: float | None  # of what the point stands for
    confidence: float
    evidence: tuple[str, ...]
    in_target: bool
    pages: int
    relevant_pages: int
    first_seen: datetime | None
    last_seen: datetime | None
    url: str
    urls: tuple[str, ...]  # the best, `url` first


class PageRow(Struct, frozen=True):
    """A page as it was seen last. Its point is that of its most exactly known address."""

    url: str
    title: str
    description: str
    language: str
    relevant: bool
    addresses: int
    organisation: str
    place: int  # of that address, else what the page speaks of most
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
    archive: str  # the WARC that holds it, where, and how long its record is
    offset: int
    length: int


Row = AddressRow | PageRow


def moment(time: float) -> datetime | None:
    """Unix time to the second; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(int(time), UTC)
    except (ValueError, OverflowError, OSError):
        return None
