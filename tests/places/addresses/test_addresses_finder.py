"""Addresses of whole pages: towns from the page, merging, owners, points; and the normal form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.addresses import AddressFinder, normal_form
from toponaut.places.addresses.us.spots import spots_of
from toponaut.places.addresses.us.words import DIRECTIONS, TYPES
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Precision, Response


@pytest.fixture(scope="module")
def addresses(gazetteer: Gazetteer, finder: NameFinder) -> AddressFinder:
    return AddressFinder(gazetteer, finder)


def found(addresses: AddressFinder, html: str) -> list[Address]:
    body = f"<!DOCTYPE html>{html}".encode()
    return addresses.find(
        parse(Response("https://www.example.com/", 200, body, "text/html; charset=utf-8"))
    )


def only(addresses: AddressFinder, html: str) -> Address:
    (address,) = found(addresses, html)
    return address


def test_an_address_with_everything(addresses: AddressFinder, gazetteer: Gazetteer) -> None:
    html = (
        "<h2>Falls Cycle</h2><p>4210 Ridge Ave, Unit B<br>Philadelphia, PA 19129<br>Tel. (215) "
        "555-0101</p>"
    )
    address = only(addresses, html)
    assert address.text == "4210 Ridge Ave, Unit B\nPhiladelphia, PA 19129"
    assert (address.number, address.street, address.unit) == ("4210", "Ridge Ave", "Unit B")
    assert (address.city, address.state, address.postcode, address.country) == (
        "Philadelphia",
        "PA",
        "19129",
        "US",
    )
    assert (address.organisation, address.phone) == ("Falls Cycle", "+12155550101")
    assert address.normal == "4210 ridge avenue #b, 19129, us"
    assert gazetteer.place(address.place).name == "Philadelphia"
    assert address.precision is Precision.POSTCODE
    assert address.lat == pytest.approx(40.0, abs=0.1)
    assert (address.evidence, address.inferred) == (("text",), ())
    assert address.confidence > 0.9


def test_marked_data_shows_where_a_street_begins(addresses: AddressFinder) -> None:
    html = (
        "<p itemscope itemtype=http://schema.org/Store><b itemprop=name>Lampenhuis</b> <span "
        "itemprop=address itemscope itemtype=http://schema.org/PostalAddress><span "
        "itemprop=streetAddress>Kleine Berg 4</span>, <span itemprop=postalCode>5611 JV</span> "
        "<span itemprop=addressLocality>Eindhoven</span></span>"
    )
    address = only(addresses, html)
    assert (address.street, address.number) == ("Kleine Berg", "4")
    assert address.text.startswith("Kleine Berg 4")
    assert set(address.evidence) == {"text", "microdata"}


@pytest.mark.parametrize(
    ("html", "city", "inferred"),
    [
        (
            "<title>Marquette, MI Business Directory</title><p>150 Hawley Street</p>",
            "Marquette",
            ("city", "state"),
        ),
        (
            "<h1>Hays, Kansas</h1><table><tr><td>Haus</td><td>507 W 7th Street</td></tr></table>",
            "Hays",
            ("city", "state"),
        ),
        (
            "<p>9 Oak St, Troy, NY 12180</p><p>Annex</p><p>45 Elm Street</p>",
            "Troy",
            ("city", "state"),
        ),
        (
            "<h1>Iowa news</h1><p>Officers were called to 614 Ash Street, Ottumwa, at 3 a.m.</p>",
            "Ottumwa",
            ("state",),
        ),
        ("<p>2750 Oakwood Blvd 12180</p>", "Troy", ("city", "state")),
    ],
)
def test_a_town_left_out_is_taken_from_the_page(
    addresses: AddressFinder, html: str, city: str, inferred: tuple[str, ...]
) -> None:
    address = found(addresses, html)[-1]
    assert (address.city, address.inferred) == (city, inferred)
    assert address.state


def test_each_street_belongs_to_the_heading_above_it(addresses: AddressFinder) -> None:
    html = (
        "<h1>Shops</h1><h2>Boulder, Colorado</h2><p>12 Pearl St</p><h2>Denver, Colorado</h2><p>40 "
        "Wazee St</p>"
    )
    assert [(one.number, one.city) for one in found(addresses, html)] == [
        ("12", "Boulder"),
        ("40", "Denver"),
    ]


def test_the_sentence_names_the_town_before_the_heading_does(addresses: AddressFinder) -> None:
    html = (
        "<title>Boards of Troy, NY</title><h2>Bluefield, WV</h2>"
        "<p>We serve residents from our Princeton, WV office at 95 Davis St., Suite 10.</p>"
    )
    one = only(addresses, html)
    assert (one.street, one.city, one.state) == ("Davis St.", "Princeton", "WV")


def test_a_hamlet_is_not_meant_by_a_city_s_name(addresses: AddressFinder) -> None:
    html = "<title>Sounds</title><h2>Kansas City, Missouri</h2><p>15 S Pearl St, Denver</p>"
    assert [(one.city, one.state) for one in found(addresses, html)] == [("Denver", "CO")]


def test_a_street_on_a_page_without_town_needs_a_sign_of_contact(addresses: AddressFinder) -> None:
    assert found(addresses, "<p>Chapter one</p><p>12 Memory Hill Road</p><p>A novel</p>") == []
    assert only(addresses, "<p>12 Memory Hill Road</p><p>518-555-0100</p>").number == "12"
    assert only(addresses, "<address>12 Memory Hill Road</address>").city == ""


def test_text_and_data_become_one_address_with_both_as_evidence(addresses: AddressFinder) -> None:
    html = """<script type="application/ld+json">
        {"@type": "Dentist", "name": "Prairie Dental Group", "telephone": "785-555-0171",
        "address": {"@type": "PostalAddress", "addressLocality": "Topeka", "postalCode": "66612",
        "streetAddress": "725 Southwest 10th Street, Suite 102", "addressRegion": "Kansas"},
        "geo": {"latitude": "39.05", "longitude": "-95.68"}}</script>
        <footer><p>725 SW 10th St. #102<br>Topeka, KS</p></footer>"""
    address = only(addresses, html)
    assert set(address.evidence) == {"text", "json-ld"}
    assert address.text.startswith("725 SW 10th St.")
    assert (address.postcode, address.phone, address.organisation) == (
        "66612",
        "+17855550171",
        "Prairie Dental Group",
    )
    assert (address.lat, address.lon, address.precision) == (39.05, -95.68, Precision.GIVEN)


def test_an_address_given_twice_is_one(addresses: AddressFinder) -> None:
    html = (
        "<p>9 N. Oak St., Ste 4, Troy, NY 12180</p><hr><p>9 North Oak Street #4, Troy, New York "
        "12180</p>"
    )
    assert len(found(addresses, html)) == 1


def test_a_direction_may_be_before_or_after_the_street(addresses: AddressFinder) -> None:
    html = "<p>9 Oak St W, Troy, NY 12180</p><hr><p>9 West Oak Street, Troy, NY 12180</p>"
    assert len(found(addresses, html)) == 1


def test_the_county_of_a_postcode_has_many_spellings(addresses: AddressFinder) -> None:
    html = (
        "<p>9 Maxwell Road, Stevenage, Hertfordshire, SG1 2EW</p><hr><p>9 Maxwell "
        "Road<br>Stevenage<br>Herts<br>SG1 2EW</p>"
    )
    assert len(found(addresses, html)) == 1


def test_an_australian_address_may_end_the_page(addresses: AddressFinder) -> None:
    one = only(addresses, "<p>Call us.</p><p>100 Collins Street, Melbourne VIC 3000</p>")
    assert (one.country, one.state, one.postcode) == ("AU", "VIC", "3000")


def test_two_suites_of_one_house_are_two(addresses: AddressFinder) -> None:
    html = "<p>9 Oak St., Ste 4, Troy, NY 12180</p><p>9 Oak St., Ste 5, Troy, NY 12180</p>"
    assert [one.unit for one in found(addresses, html)] == ["Ste 4", "Ste 5"]


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<b>Beacon Chess</b><br>8 Oak St<br>Troy, NY 12180", "Beacon Chess"),
        ("<p>Beacon Chess &middot; 8 Oak St &middot; Troy, NY 12180</p>", "Beacon Chess"),
        (
            "<table><tr><td>Beacon Chess</td><td>8 Oak "
            "St</td><td>Troy</td><td>NY</td><td>12180</td></tr></table>",
            "Beacon Chess",
        ),
        (
            "<h1>Beacon Chess</h1><h2>Contact us</h2><p>Address: 8 Oak St, Troy, NY 12180</p>",
            "Beacon Chess",
        ),
        (
            "<p>Beacon Chess, Inc.<br>518-555-0100<br>8 Oak St<br>Troy, NY 12180</p>",
            "Beacon Chess, Inc.",
        ),
        (
            "<p>The club met for years in a cellar at 8 Oak St., Troy, NY 12180, near the "
            "river.</p>",
            "",
        ),
    ],
)
def test_the_owner_of_an_address(addresses: AddressFinder, html: str, name: str) -> None:
    assert only(addresses, html).organisation == name


def test_a_fax_number_is_not_a_phone_number(addresses: AddressFinder) -> None:
    html = "<p>8 Oak St<br>Troy, NY 12180<br>Fax: 518-555-0102<br>Phone: 518-555-0101</p>"
    assert only(addresses, html).phone == "+15185550101"


def test_countries_do_not_steal_from_each_other(addresses: AddressFinder) -> None:
    html = (
        "<p>Escherweg 2, 26121 Oldenburg</p><p>88 Wood Street, London EC2V 7RS</p><p>8 Oak St, "
        "Troy, NY 12180</p>"
    )
    assert [(one.country, one.number) for one in found(addresses, html)] == [
        ("DE", "2"),
        ("GB", "88"),
        ("US", "8"),
    ]


def test_a_postcode_far_from_its_town_does_not_place_the_address(addresses: AddressFinder) -> None:
    (found_one,) = found(
        addresses, "<p>Lange Straße 4<br>26121 Saarbrücken</p>"
    )  # 26121 is Oldenburg's
    assert found_one.precision is Precision.CITY
    assert (round(found_one.lat or 0), round(found_one.lon or 0)) == (49, 7)


def test_data_without_state_merges_with_text_that_has_it(addresses: AddressFinder) -> None:
    data = (
        '{"address": {"streetAddress": "12 Oak Avenue", "addressLocality": "Troy", '
        '"addressRegion": "US"}}'
    )
    html = f"<p>12 Oak Ave<br>Troy, NY 12180</p><script type='application/ld+json'>{data}</script>"
    address = only(addresses, html)
    assert (address.state, address.postcode, address.evidence) == (
        "NY",
        "12180",
        ("text", "json-ld"),
    )


def test_the_state_of_a_well_known_town_is_inferred_in_data(addresses: AddressFinder) -> None:
    data = (
        '{"address": {"streetAddress": "12 Oak Avenue", "addressLocality": "%s", '
        '"addressCountry": "US"}}'
    )
    html = "<h1>Hollywood</h1><script type='application/ld+json'>" + data + "</script>"
    known, unknown = (only(addresses, html % name) for name in ("Chicago", "Springfield"))
    assert (known.city, known.state, known.inferred) == ("Chicago", "IL", ("state",))
    assert (unknown.city, unknown.state) == ("Springfield", "")


def test_streets_of_the_continent_need_no_language(addresses: AddressFinder) -> None:
    html = (
        "<p>Via Dante 8, 20900 Monza</p><p>1051 Budapest Arany tér 7</p><p>Storgatan 5, 111 51 "
        "Stockholm</p>"
    )
    assert [(one.country, one.number) for one in found(addresses, html)] == [
        ("IT", "8"),
        ("HU", "7"),
        ("SE", "5"),
    ]


# --- the normal form ---


def us(
    number: str,
    street: str,
    unit: str = "",
    city: str = "Troy",
    state: str = "NY",
    code: str = "12180",
) -> str:
    return normal_form(number, street, unit, city, state, code, "US")


def test_spellings_of_one_address_are_equal() -> None:
    assert (
        us("123", "N. Main St.", "Ste 4")
        == us("123", "North Main Street", "#4")
        == "123 north main street #4, 12180, us"
    )
    assert us("One", "Fifth Ave") == us("1", "5th Avenue", code="12180-1234")
    assert us("Twenty-Five", "St. Charles St") == us("25", "Saint Charles Street")
    assert us("1", "Oak St", "2nd Floor") == us("1", "Oak St", "Floor 2")
    assert us("1", "Oak St", city="St. Paul", state="MN", code="") == us(
        "1", "Oak St", city="Saint Paul", state="MN", code=""
    )
    german = [
        normal_form("1 a", street, "", "Köln", "", "", "DE")
        for street in ("Lange Straße", "Lange Str.", "LANGE STRASSE")
    ]
    assert len(set(german)) == 1
    assert normal_form("1a", "Müllerstr.", "", "Koeln", "", "", "DE") == normal_form(
        "1 a", "Muellerstraße", "", "Köln", "", "", "DE"
    )


WORDS = st.sampled_from("Main Oak Chestnut Lincoln Third Old Mill King Ferry".split())
TYPE_WORDS = sorted(set(TYPES.values()))
KINDS = st.sampled_from([word for word in TYPE_WORDS if word.isalpha()])


@given(
    name=WORDS,
    kind=KINDS,
    number=st.integers(1, 99999),
    point=st.booleans(),
    upper=st.booleans(),
    data=st.data(),
)
def test_abbreviation_case_and_points_do_not_matter(
    name: str, kind: str, number: int, point: bool, upper: bool, data: st.DataObject
) -> None:
    short = data.draw(st.sampled_from([word for word, full in TYPES.items() if full == kind]))
    direction = data.draw(st.sampled_from(sorted(DIRECTIONS)))
    written = f"{direction}{'.' * point} {name} {short}{'.' * point}"
    written = written.upper() if upper else written.title()
    assert us(str(number), written) == us(str(number), f"{DIRECTIONS[direction]} {name} {kind}")


@given(
    numbers=st.tuples(st.integers(1, 9999), st.integers(1, 9999)),
    names=st.tuples(WORDS, WORDS),
    kinds=st.tuples(KINDS, KINDS),
    units=st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_different_addresses_differ(
    numbers: tuple[int, int], names: tuple[str, str], kinds: tuple[str, str], units: tuple[int, int]
) -> None:
    one, other = (
        us(str(number), f"{name} {kind}", f"Suite {unit}" if unit else "")
        for number, name, kind, unit in zip(numbers, names, kinds, units, strict=True)
    )
    same = (
        numbers[0] == numbers[1]
        and names[0] == names[1]
        and kinds[0] == kinds[1]
        and units[0] == units[1]
    )
    assert (one == other) == same


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        # a town before a street labels that street, not the one before it
        (
            "<p>Lake Placid, NY: 2608 Main St. | Saranac Lake: 39 Main Street | Plattsburgh: 1 "
            "Bridge St",
            [
                ("2608", "Main St.", "Lake Placid"),
                ("39", "Main Street", "Saranac Lake"),
                ("1", "Bridge St", "Plattsburgh"),
            ],
        ),
        (
            "<li>Brooklyn - 243 DeKalb Ave (bet. Vanderbilt &amp; Clermont)</li><li>Manhattan - "
            "37 W 17th St, New York, NY 10011",
            [("243", "DeKalb Ave", "Brooklyn"), ("37", "W 17th St", "New York")],
        ),
        # "City" is a label in a table, but not here
        (
            "<table><tr><td>219 W. Grand</td><td>Ponca "
            "City</td><td>OK</td><td>74601</td></tr></table>",
            [("219", "W. Grand", "Ponca City")],
        ),
        # a box may have a letter
        ("<p>P.O. Box A, Troy, NY 12180", [("", "P.O. Box A", "Troy")]),
        ("<p>P.O. Drawer H<br>Boise, ID 83701", [("", "P.O. Drawer H", "Boise")]),
        # a ZIP is no street number for the line below
        ("<p>Hwy 64 East, Cashiers, NC 28717</p><p>US Highway 441 N, Dillard, GA</p>", []),
        # a corner begins at its ordinal
        ("<p>Acme Plumbing 5th &amp; Main, Los Angeles CA", [("", "5th & Main", "Los Angeles")]),
    ],
)
def test_neighbours_keep_their_own(
    addresses: AddressFinder, markup: str, expected: list[tuple[str, str, str]]
) -> None:
    assert [(one.number, one.street, one.city) for one in found(addresses, markup)] == expected


def test_a_legal_form_is_part_of_the_name(addresses: AddressFinder) -> None:
    markup = (
        "<h1>Impressum</h1><p><b>Institut für Informatik e.V.</b><br>Escherweg 2<br>26121 Oldenburg"
    )
    assert only(addresses, markup).organisation == "Institut für Informatik e.V."


def test_digits_are_found_at_their_positions() -> None:
    text = "a10001 10002 – é10003 \U0001f600 10004 100050"
    assert [int(text[at : at + 5]) for at in spots_of(text).zips] == [10001, 10002, 10003, 10004]
