"""Records are frozen, documented, and survive encoding."""

import inspect

import msgspec
import pytest

from toponaut import records
from toponaut.records import (
    Address,
    JudgedPage,
    Link,
    Mention,
    Outcome,
    Page,
    Precision,
    Refusal,
    RefusedLink,
    ScoredLink,
    Visit,
)

RECORDS = [
    kind
    for _, kind in inspect.getmembers(records, inspect.isclass)
    if issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct
]

LINK = Link(
    "https://example.org/a", "https://example.org/", "Kontakt", rel=("nofollow",), start=3, end=10
)
ADDRESS = Address(
    "Escherweg 2, 26121 Oldenburg",
    0,
    28,
    "2",
    "Escherweg",
    city="Oldenburg",
    precision=Precision.CITY,
)
PAGE = Page(
    "https://example.org/",
    "Start",
    "de",
    "Escherweg 2, 26121 Oldenburg",
    [LINK],
    robots=frozenset({"nofollow"}),
)
JUDGED = JudgedPage(PAGE, (ADDRESS,), ((2857458, 1.0),), True, simhash=2**64 - 1)
MENTION = Mention("Oldenburg", 19, 28, 2857458, (2857458,), 0.9)
VISIT = Visit(
    0, "Cn1", PAGE.url, 200, Outcome.FETCHED, addresses=(ADDRESS,), known=(2**64 - 1,),
    links=(ScoredLink(LINK.url, 0.5, ("Cn1",), ordering_reason="near", owner_reason="its URL"),),
    refused=(RefusedLink("https://example.org/b", Refusal.NOFOLLOW),),
)  # fmt: skip


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_is_frozen_and_documented(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen
    assert kind.__doc__


@pytest.mark.parametrize(
    "record",
    [LINK, ADDRESS, PAGE, MENTION, JUDGED, VISIT],
    ids=lambda record: type(record).__name__,
)
def test_a_record_survives_encoding(record: msgspec.Struct) -> None:
    for codec in (msgspec.json, msgspec.msgpack):
        assert codec.decode(codec.encode(record), type=type(record)) == record
    with pytest.raises(AttributeError):
        record.url = "changed"  # type: ignore[attr-defined]
