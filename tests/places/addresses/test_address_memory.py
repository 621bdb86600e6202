"""Remembered lines, names and postcodes: the same result whatever was read before, and bounded."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.addresses import regions
from toponaut.places.addresses.countries import postcode_walk
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.addresses.owners import name_lines
from toponaut.places.addresses.structured import street_line
from toponaut.places.gazetteer.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Page, Response

MEMORIES = (
    name_lines.line_form,
    name_lines.name_in,
    postcode_walk._spans,
    regions.fold,
    street_line.split_street,
)
LINES = (
    "Falls Cycle", "Acme Tools, LLC", "Attn: Jane Doe", "Corporate Office:", "© 2014 Acme, Inc.",
    "join us today and see what we do", "Publisher: Acme Press - Books", "5. Barn (555) 123-4567",
)  # fmt: skip


def page(name: str, street: str) -> Page:
    body = f"<h1>{name}</h1><p>{name}<br>{street}<br>Portland, OR 97205<p>Tel. (503) 555-0100"
    body += "<p>Escherweg 2, 26121 Oldenburg<p>1010 Wien, 1121 Broadway, 2019 Review"
    return parse(Response(f"https://{name.lower()}.example/", 200, body.encode(), "text/html"))


def test_other_pages_do_not_change_the_addresses(gazetteer: Gazetteer, finder: NameFinder) -> None:
    pages = [page("Acme", "12 Elm Street"), page("Cycles", "12 Elm Street"), page("Acme", "9 5th")]
    for memory in MEMORIES:
        memory.cache_clear()
    used = AddressFinder(gazetteer, finder)
    first = [used.find(one) for one in pages]
    assert first[0]
    assert first[0][0].organisation == "Acme"
    assert [used.find(one) for one in reversed(pages)] == first[::-1]
    for memory in MEMORIES:
        memory.cache_clear()
    assert [AddressFinder(gazetteer, finder).find(one) for one in pages] == first


@given(st.sampled_from(LINES) | st.text(max_size=60), st.booleans())
@example("", False)
def test_a_remembered_line_is_read_as_a_new_one(line: str, small: bool) -> None:
    for read in (name_lines.line_form, name_lines.name_in):
        assert read(line, small) == read(line, small) == read.__wrapped__(line, small)
    assert regions.fold(line) == regions.fold.__wrapped__(line)
    read_again = street_line.split_street.__wrapped__(line, "US")
    assert street_line.split_street(line, "US") == read_again


def test_only_so_many_lines_are_remembered() -> None:
    for memory in MEMORIES:
        assert memory.cache_info().maxsize is not None
    most = name_lines.line_form.cache_info().maxsize or 0
    for k in range(most + 10):
        name_lines.line_form(f"Acme {k}", False)
    assert name_lines.line_form.cache_info().currsize == most


@pytest.mark.parametrize("name", ["Portland", "Glendale, AZ", "Nowhereville", "Europe", ""])
def test_the_likeliest_place_is_the_first_of_its_name(gazetteer: Gazetteer, name: str) -> None:
    places = gazetteer.lookup(name)
    for _ in range(2):
        assert gazetteer.likeliest(name) == (places[0] if places else None)


def test_names_and_postcodes_are_known_or_not(gazetteer: Gazetteer) -> None:
    assert gazetteer.has_town("Portland", "US")
    assert not gazetteer.has_town("Portland", "AT")
    assert not gazetteer.has_town("Pio Nono Ave", "US")
    for _ in range(2):
        code = gazetteer.postcode("US", "97205-1234")
        assert code is not None
        assert code.city == "Portland"
        assert gazetteer.postcode("AT", "97205") is None
