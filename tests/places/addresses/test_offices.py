"""Office lists of companies: blocks that end with a country or an Indian postcode, made up."""

import pytest

from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.addresses.world.area_lines import area_lines
from toponaut.places.addresses.world.office_street import read_office_street
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Page

# text | number | street | unit | city | postcode | country
BLOCKS = [
    (
        "Larkspur WLL\nAl Noor Building\nBlock 5 East Harbour\nKuwait City\nKuwait\nTel: 965 22",
        "|Block 5 East Harbour|Al Noor Building|Kuwait City||KW",
    ),
    (
        "Larkspur Pvt Ltd\n704 Lotus Complex\nStation Road\nAhmedabad 380 009\nTel: 079-2200",
        "704|Lotus Complex, Station Road||Ahmedabad|380 009|IN",
    ),
    (
        "No. 21, Temple Road,\nGreen Fields,\nCoimbatore 641 045 (TN)\nFax: 0422-220 1100",
        "21|Temple Road||Coimbatore|641 045|IN",
    ),
    (
        "Larkspur (Korea) Ltd.\n7th Fl., Hana Bldg.,\n#823-14, Yeoksam-dong, Gangnam-gu,\n"
        "Seoul, Korea 135-080\nTel: +82 2 200 1100",
        "823-14|Yeoksam-dong|7th Fl, Hana Bldg|Seoul|135-080|KR",
    ),
    (
        "Room 1602 Lotus Center\nNo. 88 West Garden Road\nShanghai\nChina\nTel: +86 21 2200 1100",
        "88|West Garden Road|Room 1602 Lotus Center|Shanghai||CN",
    ),
    (
        "Villa No. 8/2,\nStreet no. 15,\nAl Bateen\nAbu Dhabi\nUnited Arab Emirates\nTel: +971 2",
        "|Street no. 15|Villa No. 8/2|Abu Dhabi||AE",
    ),
    (
        "Larkspur S.A.\n32-36, Boulevard du Nord\nL-1160\nLuxembourg\nTel: +352 22 00 11",
        "32-36|Boulevard du Nord||Luxembourg|1160|LU",
    ),
    (
        "Unit 17\nCrawley\nRH10 9RX\nUnited Kingdom\nTel: +44 1293 220 110",
        "|Unit 17||Crawley|RH10 9RX|GB",
    ),
    (
        "Registered Office: B-24, Sector 63, Noida, Uttar Pradesh 201301\nTel: 0120 220",
        "B-24|Sector 63||Noida|201301|IN",
    ),
    (
        "Larkspur Ltd\n3rd Floor, Lotus Towers, Palm Road,\nPune 411001, Maharashtra\nTel: 020",
        "|Palm Road|3rd Floor, Lotus Towers|Pune|411001|IN",
    ),
    (
        "401, 4th Floor, Trade Hub,\nPalm Grove Complex,\nMumbai - 400 051, India\nTel: +91 22",
        "|Palm Grove Complex|401, 4th Floor, Trade Hub|Mumbai|400 051|IN",
    ),
    (
        "Block 3, Street 15, Building 22, Salmiya, Kuwait\nTel: +965 22",
        "22|Street 15|Block 3|Salmiya||KW",
    ),
    (
        "شارع الورد، حي العليا\nالرياض 12211\nالمملكة العربية السعودية\nهاتف: 22",
        "|شارع الورد||الرياض|12211|SA",
    ),
    (
        "Head Office - 3-5-27 Hanada Minato-ku Tokyo",
        "3-5-27|Hanada||Tokyo||JP",
    ),
]


@pytest.fixture(scope="module")
def address_finder(gazetteer: Gazetteer, finder: NameFinder) -> AddressFinder:
    return AddressFinder(gazetteer, finder)


def _row(page_text: str, finder: AddressFinder) -> list[str]:
    found = finder.find(Page("https://larkspur.example/offices", text=page_text))
    return [
        "|".join((one.number, one.street, one.unit, one.city, one.postcode, one.country))
        for one in found
    ]


@pytest.mark.parametrize(("text", "parts"), BLOCKS)
def test_a_block_is_read_upwards_from_its_end(
    text: str, parts: str, address_finder: AddressFinder
) -> None:
    assert _row(text, address_finder) == [parts]


def test_blocks_below_each_other_stay_apart(address_finder: AddressFinder) -> None:
    text = "\n\n".join(text for text, _ in BLOCKS[:3])
    assert _row(text, address_finder) == [parts for _, parts in BLOCKS[:3]]


@pytest.mark.parametrize(
    "text",
    [
        "Our team played 12 games in Seoul\nKorea\nTel: +82 2 200 1100",
        "3 May 2014\nBeijing\nChina",
        "Bangkok, Thailand\nOsaka, Japan\nIstanbul, Turkey\nTel: 555 2200",
        "Founded 1998\nMumbai, India",
        "Population of Kuwait City 60,064\nKuwait",
    ],
)
def test_towns_beside_countries_are_no_offices(text: str, address_finder: AddressFinder) -> None:
    assert _row(text, address_finder) == []


@pytest.mark.parametrize(
    "text",
    [
        "5th & Larkin\nTacos\nDowntown Las Vegas",  # a restaurant
        "Kontakt\nRaum, Ebene 1\n28359 Bremen",
        "Kontakt\n838 Volker Stieg\nMülheim",  # a player's score
        "Contact\n123 Community Street\nChicago, IL 60612",  # a template's example
    ],
)
def test_other_lines_with_numbers_are_no_streets(text: str, address_finder: AddressFinder) -> None:
    assert _row(text, address_finder) == []


def test_lines_that_end_with_a_country_or_a_code_of_six_digits() -> None:
    text = "5 Oak Lane\nMumbai, INDIA.\nNew Delhi-110 015\nTel: 220 110\nAbout India now"
    lines = [text[start:end] for start, end in area_lines(text, frozenset({"india"}))]
    assert lines == ["Mumbai, INDIA.", "New Delhi-110 015", "Tel: 220 110"]


def test_the_street_is_the_segment_with_number_and_type() -> None:
    street = read_office_street(["Rose Tower", "9th Floor", "14 Temple Road", "Green Fields"])
    assert street is not None
    assert (street.number, street.street) == ("14", "Temple Road")
    assert street.unit == "Rose Tower, 9th Floor"
    assert read_office_street(["Rose Tower"]) is None


def test_a_line_that_ends_with_another_country_is_not_american(
    address_finder: AddressFinder,
) -> None:
    page = Page("https://a.example/", text="Contact\n\n15 Palm Street, Downtown, Cairo, Egypt\n\n")
    (one,) = address_finder.find(page)
    assert (one.number, one.street, one.city, one.country) == ("15", "Palm Street", "Cairo", "EG")


def test_british_postcodes_are_read_without_their_space(address_finder: AddressFinder) -> None:
    text = "Write to us\n\nPO Box 421\nGuildford\nGU28XY\n\nFlat 3, 12 Elm Grove, London, SE154DX\n"
    found = address_finder.find(Page("https://a.example/", text=text))
    assert [one.postcode for one in found] == ["GU28XY", "SE154DX"]
