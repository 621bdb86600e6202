"""US addresses in plain text: numbers, streets, units, towns, layouts and false friends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.places.addresses.us import find
from toponaut.places.addresses.us.hints import WINDOW
from toponaut.places.addresses.us.promise import is_promising
from toponaut.places.addresses.us.reading import best_reading
from toponaut.places.addresses.us.scan import read_words
from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address


def parts(found: Address) -> tuple[str, str, str, str, str, str]:
    return found.number, found.street, found.unit, found.city, found.state, found.postcode


def only(text: str, gazetteer: Gazetteer) -> tuple[str, str, str, str, str, str]:
    found = find(text, gazetteer)
    assert len(found) == 1, found
    return parts(found[0])


@pytest.mark.parametrize(
    ("line", "number", "street"),
    [
        ("100-104 Water St", "100-104", "Water St"),
        ("123 1/2 Elm Street", "123 1/2", "Elm Street"),
        ("123½ Elm Street", "123½", "Elm Street"),
        ("12B Kings Hwy", "12B", "Kings Hwy"),
        ("37-20 58th St", "37-20", "58th St"),
        ("One Main Street", "One", "Main Street"),
        ("Twenty-Five Main Street", "Twenty-Five", "Main Street"),
        ("N95W16915 Richfield Way", "N95W16915", "Richfield Way"),
        ("S74 W17000 Janesville Rd.", "S74 W17000", "Janesville Rd."),
        ("123 W 4500 S", "123", "W 4500 S"),
        ("511 South 300 West", "511", "South 300 West"),
        ("39000 W 7 Mile Rd", "39000", "W 7 Mile Rd"),
        ("No. 12 Water Street", "12", "Water Street"),
        ("4501 US Hwy 19 N", "4501", "US Hwy 19 N"),
        ("12720 FM 1960 West", "12720", "FM 1960 West"),
        ("2210 County Road 12", "2210", "County Road 12"),
        ("1250 Avenue of the Americas", "1250", "Avenue of the Americas"),
        ("4141 Via Marina", "4141", "Via Marina"),
        ("600 El Camino Real", "600", "El Camino Real"),
        ("100 Broadway", "100", "Broadway"),
        ("One Ferry Building", "One", "Ferry Building"),
        ("8 Bowdoin", "8", "Bowdoin"),
        ("1414 15th Ave. NE", "1414", "15th Ave. NE"),
        ("5225 Wisconsin Avenue, N.W.", "5225", "Wisconsin Avenue, N.W."),
        ("20 Martin Luther King, Jr. Blvd", "20", "Martin Luther King, Jr. Blvd"),
        ("45 Old Court House Rd", "45", "Old Court House Rd"),
        ("12 Old St. Augustine Rd", "12", "Old St. Augustine Rd"),
        ("2100 Hamilton Place Blvd.", "2100", "Hamilton Place Blvd."),
        ("9 Elfreth's Alley", "9", "Elfreth's Alley"),
        ("107 A Street East", "107", "A Street East"),
        ("410 East Stop 12 Road", "410", "East Stop 12 Road"),
        ("2200 FM 521 Rd", "2200", "FM 521 Rd"),
    ],
)
def test_numbers_and_streets(gazetteer: Gazetteer, line: str, number: str, street: str) -> None:
    assert only(f"{line}, Troy, NY 12180", gazetteer) == (number, street, "", "Troy", "NY", "12180")
    assert only(f"{line}\nTroy, NY 12180", gazetteer) == (number, street, "", "Troy", "NY", "12180")


@pytest.mark.parametrize(
    "unit",
    [
        "Suite 310",
        "Ste. 4",
        "#404",
        "# 12",
        "Apt 2B",
        "2nd Floor",
        "Fourth Floor",
        "Fl 34",
        "Bldg. A, Room 150",
        "Space D-7",
        "Suites 100 & 200",
        "Unit B",
        "Hangar 4",
        "Penthouse",
        "PH-2",
        "Lower Level",
        "P.O. Box 12",
        "Rear",
        "Rm 5",
        "Ste.K2",
        "Suite-100",
        "B110",
        "C-102",
        "Suites 130-140",
        "#Suite A",
        "#Building G Suite 201",
        "Ste:11",
    ],
)
def test_units(gazetteer: Gazetteer, unit: str) -> None:
    assert only(f"210 North Tejon Street, {unit}, Troy, NY 12180", gazetteer)[1:3] == (
        "North Tejon Street",
        unit,
    )
    assert only(f"210 North Tejon Street\n{unit}\nTroy, NY 12180", gazetteer)[1:3] == (
        "North Tejon Street",
        unit,
    )


def test_the_end_of_a_name_is_not_a_unit(gazetteer: Gazetteer) -> None:
    line = "Veterans Post #118, 210 North Tejon Street\nTroy, NY 12180"
    assert only(line, gazetteer)[:3] == ("210", "North Tejon Street", "")
    line = "Seaport Tower C\n210 North Tejon Street\nTroy, NY 12180"
    assert only(line, gazetteer)[:3] == ("210", "North Tejon Street", "")


def test_a_unit_may_come_before_the_street(gazetteer: Gazetteer) -> None:
    assert only("Suite 310, 210 North Tejon Street, Troy, NY 12180", gazetteer)[:3] == (
        "210",
        "North Tejon Street",
        "Suite 310",
    )


@pytest.mark.parametrize(
    ("tail", "city", "state", "code"),
    [
        ("Colorado Springs, CO 80903", "Colorado Springs", "CO", "80903"),
        ("Denver, Colorado 80202-1234", "Denver", "CO", "80202-1234"),
        ("Worcester, Mass.", "Worcester", "MA", ""),
        ("Washington, D.C. 20036", "Washington", "DC", "20036"),
        ("Charleston West Virginia 25301", "Charleston", "WV", "25301"),
        ("New York, New York 10002", "New York", "NY", "10002"),
        ("portland, or 97209", "portland", "OR", "97209"),
        ("Kansas City, Missouri 64106", "Kansas City", "MO", "64106"),
        ("Truth or Consequences, NM 87901", "Truth or Consequences", "NM", "87901"),
        ("Coeur d'Alene, ID 83814", "Coeur d'Alene", "ID", "83814"),
        ("West Hartford CT 06107", "West Hartford", "CT", "06107"),
        ("Mt. Pleasant, S.C. 29464", "Mt. Pleasant", "SC", "29464"),
        ("Nowhereville, OH 44101", "Nowhereville", "OH", "44101"),
        ("San Juan, PR 00901", "San Juan", "PR", "00901"),
        ("Grants Pass, OR USA 97526", "Grants Pass", "OR", "97526"),
        ("Quarry Homes Huntsville, AL 35801", "Huntsville", "AL", "35801"),
        ("Quarry Homes Huntsville, AL", "Huntsville", "AL", ""),
    ],
)
def test_towns_states_and_zips(
    gazetteer: Gazetteer, tail: str, city: str, state: str, code: str
) -> None:
    for joint in (", ", "\n", " | ", "\t", "\n\n", " · "):
        assert only(f"12 Elm Street{joint}{tail}", gazetteer) == (
            "12",
            "Elm Street",
            "",
            city,
            state,
            code,
        )
    assert only(f"12 Elm Street{joint}{tail}, USA", gazetteer)[3:] == (city, state, code)


@pytest.mark.parametrize(
    "text",
    [
        "14 Thayer Street Providence RI 02906",
        "14 THAYER STREET\nPROVIDENCE RI 02906",
        "14 thayer street\nprovidence, ri 02906",
        "Providence Futons\t14 Thayer Street\tProvidence\tRI\t02906\t401-555-0121",
        "14\tThayer Street\tProvidence\tRI\t02906",
        "Address:\n14 Thayer Street\nCity:\nProvidence\nState:\nRI\nZIP:\n02906",
        "14 Thayer Street\n401-555-0121\nProvidence, RI 02906",
        "14 Thayer Street\nThe Arcade, upper level\nProvidence, RI 02906",
        "14 Thayer Street (at Angell), Providence, RI 02906",
        "© 2014 Providence Futons 14 Thayer Street, Providence RI 02906",
        "Hours: 9-5\n14 Thayer Street\nProvidence, RI 02906",
        "One Futon Plaza, 14 Thayer Street, Providence, RI 02906",
    ],
)
def test_layouts(gazetteer: Gazetteer, text: str) -> None:
    number, street, _, city, state, code = only(text, gazetteer)
    assert (number, street.lower(), city.lower(), state, code) == (
        "14",
        "thayer street",
        "providence",
        "RI",
        "02906",
    )


def test_boxes_routes_and_corners(gazetteer: Gazetteer) -> None:
    assert only("P.O. Box 418\nKalispell, MT 59903", gazetteer) == (
        "",
        "P.O. Box 418",
        "",
        "Kalispell",
        "MT",
        "59903",
    )
    assert only("RR 2 Box 44, Kalispell, MT 59901", gazetteer)[1] == "RR 2 Box 44"
    assert only("Corner of Elm St and 3rd Ave, Denver, CO", gazetteer)[1] == "Elm St and 3rd Ave"
    assert only("5th & Main\nDenver, CO", gazetteer)[1] == "5th & Main"
    assert only("INTERSECTION OF ELM ST AND OAK ST\nDenver, CO", gazetteer)[1] == (
        "ELM ST AND OAK ST"
    )
    assert only("The corner of Mill Rd and Old Pike.", gazetteer)[1] == "Mill Rd and Old Pike"


@pytest.mark.parametrize(
    "text",
    [
        "The oaks are near the corner of Elm Street and Oak Street.",
        "It moved to the intersection of Mill Rd and Old Pike in 1982.",
        "NEAR THE INTERSECTION OF CR 130 AND OAK RD HUTTO TX 78634",
        "N of Interstate 40 Frontage Road 1 mile W of County Line Rd 79057",
        "Field note4900 Six Flags Rd, Eureka, MO 63025",
    ],
)
def test_directions_in_prose_are_no_address(text: str, gazetteer: Gazetteer) -> None:
    assert find(text, gazetteer) == []


@pytest.mark.parametrize(
    ("text", "street", "unit"),
    [
        ("91 Jonas Rd 2B, Union City, GA 30291", "Jonas Rd", "2B"),
        ("33 Buford Dr Ste.2018 B, Buford, GA 30519", "Buford Dr", "Ste.2018 B"),
        ("Upper East Side\n15 Second Avenue\nNew York NY 10075", "Second Avenue", ""),
    ],
)
def test_units_without_their_word(text: str, street: str, unit: str, gazetteer: Gazetteer) -> None:
    assert only(text, gazetteer)[1:3] == (street, unit)


def test_a_number_after_at_begins_the_address(gazetteer: Gazetteer) -> None:
    assert only("Overflow parking at 749 Oak Street, Troy, NY", gazetteer)[:2] == (
        "749",
        "Oak Street",
    )
    assert only("Lamp Center at 33 West Elm Road, Troy, NY", gazetteer)[0] == "33"


def test_the_capital_has_its_full_name(gazetteer: Gazetteer) -> None:
    assert only("Meet us at 18 Elm Street NW, D.C.", gazetteer)[3:5] == ("Washington", "DC")


@pytest.mark.parametrize(
    ("text", "street"),
    [
        (
            "after ten years we opened at 2215 magazine street in new orleans, la 70130",
            "magazine street",
        ),
        ("come to 14 thayer street, providence, RI", "thayer street"),
        ("we moved, 14 thayer street, providence, Rhode Island", "thayer street"),
    ],
)
def test_lower_case_in_prose(gazetteer: Gazetteer, text: str, street: str) -> None:
    assert only(text, gazetteer)[1] == street


@pytest.mark.parametrize(
    "text",
    [
        "for 12 people in the park. In Ohio they drive on.",
        "on May 25\n\nDrive to Denver, CO, and turn.",
        "it was 74 percent, main street said",
        "\tsince 1951\tdrive\nin 1952\tway",
    ],
)
def test_counted_things_are_not_addresses(gazetteer: Gazetteer, text: str) -> None:
    assert find(text, gazetteer) == []


def test_post_boxes_of_every_spelling(gazetteer: Gazetteer) -> None:
    for box in (
        "PO BOX 12",
        "P.O. box 12",
        "Post Office Box 12",
        "P.O. Drawer H",
        "PO DRAWER H",
        "P.O. drawer H",
    ):
        assert only(f"{box}\nKalispell, MT 59903", gazetteer)[1] == box


def test_two_addresses_in_one_line(gazetteer: Gazetteer) -> None:
    found = find("12 Park Pl, New York, NY 10007 | 45 Oak Rd, Troy, NY 12180", gazetteer)
    assert [one.number for one in found] == ["12", "45"]


def test_columns_of_a_table_are_read_downward(gazetteer: Gazetteer) -> None:
    text = "123 Main St\t456 Pearl St\nSuite 100\tSuite 200\nDenver, CO 80202\tBoulder, CO 80301"
    assert [parts(one)[:4] for one in find(text, gazetteer)] == [
        ("123", "Main St", "Suite 100", "Denver"),
        ("456", "Pearl St", "Suite 200", "Boulder"),
    ]


def test_a_street_without_town_is_reported_without_one(gazetteer: Gazetteer) -> None:
    for text in (
        "Joe's Diner\n123 Main St.\nOpen daily",
        "a fire at 123 Main St. within minutes",
        "123 Main St., 518-555-0100",
    ):
        found = find(text, gazetteer)
        assert [(one.number, one.city, one.state) for one in found] == [("123", "", "")], text
        assert found[0].confidence <= 0.5


def test_a_house_named_like_a_street_is_not_an_address(gazetteer: Gazetteer) -> None:
    text = "One Liberty Place, 46th Floor\n1650 Market Street\nPhiladelphia, PA 19103"
    assert only(text, gazetteer)[:2] == ("1650", "Market Street")


def test_the_place_is_the_town_of_that_state(gazetteer: Gazetteer) -> None:
    (found,) = find("902 State Street, Springfield, IL 62701", gazetteer)
    place = gazetteer.place(found.place)
    assert (place.name, place.admin1) == ("Springfield", "IL")


@pytest.mark.parametrize(
    "text",
    [
        "2015 Spring Street Fair",
        "10 Downing Street style",
        "that 10 Downing Street style for under $200",
        "5 star Drive",
        "4 Wheel Drive",
        "500 GB Hard Drive $49",
        "Call 555-1234 Main Street office",
        "(970) 555-0101",
        "$123 Main Street special",
        "In 2012 Court Street School scored 78",
        "Copyright 2014 Oak Street Press, Chicago, IL 60614",
        "3 Mexican Street Tacos",
        "version 3.1 Park Place",
        "let lane = 12; drive(4, Court)",
        "Denver, CO 80202",
        "Weather for Boise, ID 83702",
        "24 Hour Fitness\nDenver, CO 80202",
        "2 Locations\nDenver, CO 80202",
        "Of 26 Church Street houses, 19 are contributing.",
        "May 5, 1995 Grand Avenue Parade",
        "On Main Street in Springfield",
        "1\tThe Long Drive\tSept. 19",
        "Anna Moss January 29, 2016 Valley Express",
        "29 January 2016 Valley Express",
        "4 Bolt circle",
        "5K Harvest Classic\nChicago, IL",
        "Seven Lamps Gaming\nRoanoke, VA",
        "New Holland, PA - Seven Lamps Gaming\nRoanoke, VA - Star Centre",
        "12\nRegional Finals\nBrooklyn, NY",
        "12180 covers Lansingburgh in Rensselaer County, New York",
        "20 restaurants in Carroll Gardens",
        "3 best lamp stores in Fort Wainwright, Alaska",
        "Union Square At Night\nNew York, NY",
        "More at 1545",
        "Columbia, and 12 District Courts.",
        "101 Noodle Express",
        "4 North\nNew Ulm, MN",
    ],
)
def test_false_friends(gazetteer: Gazetteer, text: str) -> None:
    assert find(text, gazetteer) == []


PIECES = "1|12|One|A|a|St.|Main|Ave|NY|,|\n|\t|#|&|(|)|12180|Troy|PO Box|Suite|N|at|of| ".split("|")


@settings(max_examples=100)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_text_gives_ordered_spans_inside_it(gazetteer: Gazetteer, pieces: list[str]) -> None:
    text = " ".join(pieces)
    end = 0
    for one in find(text, gazetteer):
        assert end <= one.start < one.end <= len(text)
        assert one.street
        end = one.end


AFTER_NUMBERS = (
    "Main|Elm|oak|the|The|of|St|st|Ave.|park|Park|Broadway|5th|second|N|W|no|So.|north|Highway|US"
    "|us|old|County|FM|50|12-34|I-5|K|7|Mile|4500|South|Via|El|Camino|Jr|, Jr.|, |\n|\t| - |(|)|in"
    "|Suite 5|#|PH12|5th Floor|twenty-first Floor|PO Box 5|Post Office|Rear|City:|State|Zip:|Troy"
    "|NY|N.Y.|New York|Ohio|In|or|OR|D. C.|Us Virgin Islands|12180|12180-1234|USA|United States"
    "|Springfield|IL|ill"
).split("|")


@settings(max_examples=300)
@given(pieces=st.lists(st.sampled_from(AFTER_NUMBERS), max_size=30))
def test_words_that_are_not_promising_are_not_a_street(
    gazetteer: Gazetteer, pieces: list[str]
) -> None:
    text = " ".join(pieces)
    words = read_words(text, 0, WINDOW)
    if not is_promising(text, 0):
        assert not words or best_reading(words, UsTowns(gazetteer)) is None
        assert not words[:20] or best_reading(words[:20], UsTowns(gazetteer)) is None


def test_which_words_are_promising() -> None:
    texts = {
        "Elm Street": True,
        "people came to see it": False,
        "May 2016 we met": False,
        "Bowdoin\nCambridge, MA": True,
    }
    assert {text: is_promising(text, 0) for text in texts} == texts
