"""Records: frozen, and the same after a way through JSON and back."""

import inspect

import msgspec
import pytest

from toponaut import records
from toponaut.records import Address, Judged, Link, Mention, Page, Precision, Scored, Visit

RECORDS = [
    kind for _, kind in inspect.getmembers(records, inspect.isclass) if issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct
]  # fmt: skip

LINK = Link("https://example.org/a", "https://example.org/", "Kontakt", before="Hier ist der", start=3, end=10)
ADDRESS = Address("Escherweg 2, 26121 Oldenburg", 0, 28, "2", "Escherweg", city="Oldenburg", precision=Precision.CITY)
PAGE = Page(
    "https://example.org/", "Start", "de", "Escherweg 2, 26121 Oldenburg", (LINK,), robots=frozenset({"nofollow"})
)
JUDGED = Judged(PAGE, (Mention("Oldenburg", 19, 28, 2857458, (2857458,), 0.9),), (ADDRESS,), ((2857458, 1.0),), True)
VISIT = Visit(
    0, "Cn1", PAGE.url, 200, "fetched", addresses=(ADDRESS,), links=(Scored(LINK, 0.5, ("Cn1",), "near", "its URL"),)
)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_is_frozen(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen
    assert kind.__doc__


@pytest.mark.parametrize("record", [LINK, ADDRESS, PAGE, JUDGED, VISIT], ids=lambda record: type(record).__name__)
def test_a_record_survives_the_log(record: msgspec.Struct) -> None:
    for codec in (msgspec.json, msgspec.msgpack):
        assert codec.decode(codec.encode(record), type=type(record)) == record
    with pytest.raises(AttributeError):
        record.url = "changed"  # type: ignore[attr-defined]
