"""Addresses in structured data: every syntax, mistakes of authors, and data without an address."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.addresses.owners.site_names import SiteNames
from toponaut.places.addresses.owners.structured import page_point
from toponaut.places.addresses.structured.find import find_structured
from toponaut.places.addresses.structured.street_line import split_street
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Page, Precision, Response, StructuredItem


def page_of(html: str, url: str = "https://example.com/") -> Page:
    return parse(Response(url, 200, html.encode(), "text/html; charset=utf-8"))


def find(html: str, gazetteer: Gazetteer, url: str = "https://example.com/") -> list[Address]:
    return found_in(page_of(html, url), gazetteer)


def found_in(page: Page, gazetteer: Gazetteer) -> list[Address]:
    return find_structured(page, gazetteer, SiteNames(page))


def json_ld(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script><p>Welcome</p>'


def postal(**properties: object) -> dict[str, object]:
    return {"@type": "PostalAddress", **properties}


TOPEKA = postal(
    streetAddress="725 SW 10th Street, Suite 102",
    addressLocality="Topeka",
    addressRegion="Kansas",
    postalCode="66612",
)


# --- street lines ---


@pytest.mark.parametrize(
    ("line", "country", "number", "street", "unit"),
    [
        ("725 SW 10th Street, Suite 102", "US", "725", "SW 10th Street", "Suite 102"),
        ("85 Delancey Street Suite 12", "US", "85", "Delancey Street", "Suite 12"),
        ("123 1/2 Main St #4", "US", "123 1/2", "Main St", "#4"),
        ("1 Main St Bldg 2 Ste 5", "US", "1", "Main St", "Bldg 2 Ste 5"),
        ("Suite 200, 100 Main St", "US", "100", "Main St", "Suite 200"),
        ("37-11 35th Avenue", "US", "37-11", "35th Avenue", ""),
        ("One Ferry Building", "US", "One", "Ferry Building", ""),
        ("123 W 4500 S", "US", "123", "W 4500 S", ""),
        ("N95W16915 Richfield Way", "US", "N95W16915", "Richfield Way", ""),
        ("123 A Street", "US", "123", "A Street", ""),
        ("12 Box Hill Rd", "US", "12", "Box Hill Rd", ""),
        ("Highway 12", "US", "", "Highway 12", ""),
        ("PO Box 12", "US", "", "PO Box 12", ""),
        ("100 Main St, PO Box 12", "US", "100", "Main St", ""),
        ("Domstraße 2", "DE", "2", "Domstraße", ""),
        ("Straße des 17. Juni 135", "DE", "135", "Straße des 17. Juni", ""),
        ("Am Markt 1 a", "DE", "1 a", "Am Markt", ""),
        ("Hauptstraße 12 – 14", "DE", "12 – 14", "Hauptstraße", ""),
        ("Hauptstr. 5, 2. OG", "DE", "5", "Hauptstr.", "2. OG"),
        ("Q7, 12", "DE", "12", "Q7", ""),
        ("Postfach 12 34", "DE", "", "Postfach 12 34", ""),
        ("Mariahilfer Straße 12/3/14", "AT", "12/3/14", "Mariahilfer Straße", ""),
        ("12 rue du Rhône", "CH", "12", "rue du Rhône", ""),
        ("Keizersgracht 81-II", "NL", "81-II", "Keizersgracht", ""),
        ("Rua Augusta n.º 12, 3.º Esq", "PT", "12", "Rua Augusta", "3.º Esq"),
        ("Bâtiment B, 12 bis, rue de la Paix", "FR", "12 bis", "rue de la Paix", "Bâtiment B"),
        ("Flat 3, 12 High Street", "GB", "12", "High Street", "Flat 3"),
        ("Wellington House, 12 High Street", "GB", "12", "High Street", "Wellington House"),
        ("Rose Cottage, Mill Lane", "GB", "", "Mill Lane", "Rose Cottage"),
        ("203-1885 Marine Drive", "CA", "1885", "Marine Drive", "203"),
        ("1880-1884 Marine Drive", "CA", "1880-1884", "Marine Drive", ""),
        ("5/12 Smith St", "AU", "12", "Smith St", "5"),
        ("Hauptstr. 5", "", "5", "Hauptstr.", ""),
        ("", "US", "", "", ""),
    ],
)
def test_a_street_line_is_split_by_its_countrys_convention(
    line: str, country: str, number: str, street: str, unit: str
) -> None:
    assert split_street(line, country) == (number, street, unit)


@given(st.text(max_size=400), st.sampled_from(["US", "DE", "GB", "CA", "FR", ""]))
def test_splitting_any_text_invents_nothing(line: str, country: str) -> None:
    for part in split_street(line, country):
        assert set(part) <= set(line) | set(", ")


# --- JSON-LD ---


def test_a_business_gives_its_address_name_phone_hours_and_point(gazetteer: Gazetteer) -> None:
    weekdays = ["Monday", "Tuesday", "https://schema.org/Wednesday", "Thursday", "Friday"]
    business = {
        "@context": "https://schema.org",
        "@type": "Dentist",
        "name": "Prairie Dental Group",
        "telephone": "785-555-0171",
        "address": TOPEKA,
        "geo": {"@type": "GeoCoordinates", "latitude": 39.05, "longitude": "-95.68"},
        "openingHoursSpecification": [
            {
                "@type": "OpeningHoursSpecification",
                "dayOfWeek": weekdays,
                "opens": "08:00:00",
                "closes": "17:00",
            },
            {"dayOfWeek": "Saturday", "opens": "09:00", "closes": "12:00"},
        ],
    }
    assert find(json_ld(business), gazetteer) == [
        Address(
            text="",
            start=-1,
            end=-1,
            number="725",
            street="SW 10th Street",
            unit="Suite 102",
            city="Topeka",
            state="KS",
            postcode="66612",
            country="US",
            organisation="Prairie Dental Group",
            category="dentist",
            phone="785-555-0171",
            hours="Mo-Fr 08:00-17:00; Sa 09:00-12:00",
            lat=39.05,
            lon=-95.68,
            precision=Precision.GIVEN,
            evidence=("json-ld",),
            confidence=0.95,
        )
    ]


def test_graphs_departments_and_lists_give_each_address_to_its_owner(gazetteer: Gazetteer) -> None:
    second = postal(
        streetAddress="85 Delancey Street", addressLocality="New York", addressRegion="NY"
    )
    graph = {
        "@graph": [
            {"@type": "WebSite", "name": "A site"},
            {
                "@type": "Organization",
                "name": "Brine",
                "department": [
                    {"@type": "Store", "name": "Brine Topeka", "address": [TOPEKA]},
                    {
                        "@type": "Store",
                        "name": "Brine New York",
                        "address": second,
                        "telephone": "212-555-0100",
                    },
                ],
            },
        ]
    }
    found = find(json_ld(graph), gazetteer)
    assert [(one.organisation, one.city, one.phone) for one in found] == [
        ("Brine Topeka", "Topeka", ""),
        ("Brine New York", "New York", "212-555-0100"),
    ]


def test_an_event_does_not_own_its_venue(gazetteer: Gazetteer) -> None:
    event = {"@type": "MusicEvent", "name": "Jazz night"}
    at_hall = event | {"location": {"@type": "Place", "name": "Town Hall", "address": TOPEKA}}
    nameless = event | {"location": {"@type": "Place", "address": TOPEKA}}
    assert [one.organisation for one in find(json_ld(at_hall), gazetteer)] == ["Town Hall"]
    assert [one.organisation for one in find(json_ld(nameless), gazetteer)] == [""]


def test_the_employer_owns_the_address_of_a_job(gazetteer: Gazetteer) -> None:
    job = {
        "@type": "JobPosting",
        "title": "Hygienist",
        "hiringOrganization": {"@type": "Organization", "name": "Prairie Dental Group"},
        "jobLocation": {"@type": "Place", "address": TOPEKA},
    }
    assert [one.organisation for one in find(json_ld(job), gazetteer)] == ["Prairie Dental Group"]


def test_the_same_address_twice_is_one_with_the_parts_of_both(gazetteer: Gazetteer) -> None:
    short = postal(streetAddress="725 SW 10TH STREET, Suite 102", addressLocality="TOPEKA")
    items = [
        {"@type": "Place", "address": short},
        {"@type": "Store", "name": "Prairie", "address": TOPEKA},
    ]
    micro = """<div itemscope itemtype="https://schema.org/PostalAddress">
        <span itemprop="streetAddress">725 SW 10th Street, Suite 102</span>,
        <span itemprop="addressLocality">Topeka</span></div>"""
    [address] = find(json_ld(items) + micro, gazetteer)
    assert (address.organisation, address.postcode) == ("Prairie", "66612")
    assert address.evidence == ("json-ld", "microdata")
    assert address.text == "725 SW 10th Street, Suite 102, Topeka"


def test_one_street_line_in_two_towns_is_two_addresses(gazetteer: Gazetteer) -> None:
    items = [
        {"address": postal(streetAddress="1 Main St", addressLocality=city)}
        for city in ("Dover", "Salem")
    ]
    assert [one.city for one in find(json_ld(items), gazetteer)] == ["Dover", "Salem"]


def test_the_point_of_an_organisation_with_two_addresses_is_dropped(gazetteer: Gazetteer) -> None:
    second = postal(streetAddress="1 Main St", addressLocality="Salina", addressRegion="KS")
    item = {
        "name": "Two",
        "address": [TOPEKA, second],
        "geo": {"latitude": 39.05, "longitude": -95.68},
    }
    assert [one.lat for one in find(json_ld(item), gazetteer)] == [None, None]


def test_an_address_as_a_string_is_left_to_the_text_finders(gazetteer: Gazetteer) -> None:
    whole = "5151 Corporate Way, Jupiter, FL 33458"
    item = {"@type": "Store", "name": "Loxahatchee Pools", "address": whole}
    [address] = find(json_ld(item), gazetteer)
    assert address.text == whole
    assert (address.number, address.street, address.organisation) == ("", "", "Loxahatchee Pools")


# --- mistakes of authors ---


@pytest.mark.parametrize(
    ("properties", "expected"),
    [  # street, city, state, postcode, country
        (
            {
                "streetAddress": "1 Oak St, Springfield, IL 62701",
                "addressLocality": "Springfield",
                "addressRegion": "IL",
                "postalCode": "62701",
            },
            ("Oak St", "Springfield", "IL", "62701", "US"),
        ),
        (
            {"streetAddress": "1 Oak St", "addressLocality": "Springfield, Illinois 62701"},
            ("Oak St", "Springfield", "IL", "62701", "US"),
        ),
        (
            {"streetAddress": "10 Rue de Paris", "addressLocality": "Paris", "postalCode": "75001"},
            ("Rue de Paris", "Paris", "", "75001", "FR"),
        ),
        (
            {
                "streetAddress": "Domstraße 2",
                "addressLocality": "97070 Würzburg",
                "addressCountry": "Deutschland",
            },
            ("Domstraße", "Würzburg", "", "97070", "DE"),
        ),
        (
            {
                "streetAddress": "Domstraße 2",
                "addressLocality": "Würzburg",
                "postalCode": "D-97070",
            },
            ("Domstraße", "Würzburg", "", "97070", "DE"),
        ),
        (
            {
                "streetAddress": "1 Brattle St",
                "addressLocality": "Cambridge",
                "postalCode": 2138,
                "addressCountry": {"@type": "Country", "name": "USA"},
                "addressRegion": "US-MA",
            },
            ("Brattle St", "Cambridge", "MA", "02138", "US"),
        ),
        (
            {
                "streetAddress": "1 King St",
                "addressLocality": "Toronto",
                "addressRegion": "Ontario",
                "postalCode": "M5V 2T6",
            },
            ("King St", "Toronto", "ON", "M5V 2T6", "CA"),
        ),
        (
            {"streetAddress": "1 High St", "addressLocality": "Leeds", "addressCountry": "England"},
            ("High St", "Leeds", "", "", "GB"),
        ),
        (
            {"streetAddress": "1 Oak St", "addressLocality": "Orange", "addressRegion": "US"},
            ("Oak St", "Orange", "", "", "US"),
        ),
        (
            {
                "postOfficeBoxNumber": "77",
                "addressLocality": "Cody",
                "addressRegion": "WY",
                "streetAddress": "N/A",
            },
            ("PO Box 77", "Cody", "WY", "", "US"),
        ),
    ],
)
def test_parts_are_put_where_they_belong(
    properties: dict[str, object], expected: tuple[str, ...], gazetteer: Gazetteer
) -> None:
    [one] = find(json_ld({"address": postal(**properties)}), gazetteer)
    assert (one.street, one.city, one.state, one.postcode, one.country) == expected


def test_the_host_shows_the_country_if_nothing_else_does(gazetteer: Gazetteer) -> None:
    html = json_ld({"address": postal(streetAddress="Neue Gasse 3", addressLocality="Kleinstdorf")})
    assert [one.country for one in find(html, gazetteer, "https://shop.example.at/")] == ["AT"]


def test_town_and_postcode_outweigh_the_host(
    gazetteer: Gazetteer,
) -> None:
    html = json_ld(
        {
            "address": postal(
                streetAddress="Austurvegur", addressLocality="Reykjavik", postalCode="101"
            )
        }
    )
    assert [one.country for one in find(html, gazetteer, "https://air.example.dk/")] == ["IS"]


@pytest.mark.parametrize(
    "properties",
    [
        {"streetAddress": "", "addressLocality": ""},
        {"streetAddress": "Address", "addressLocality": "City"},
        {"streetAddress": "n/a", "addressLocality": "Boston"},
        {"streetAddress": "Your Street", "addressLocality": "Boston"},
        {"streetAddress": "123 Main St", "addressLocality": "Anytown", "postalCode": "12345"},
        {"streetAddress": "123 Main Street", "addressLocality": "Boston", "postalCode": "12345"},
        {
            "streetAddress": "Musterstraße 1",
            "addressLocality": "Musterstadt",
            "postalCode": "12345",
        },
        {"streetAddress": "{{ address.line1 }}", "addressLocality": "{{ city }}"},
        {"addressLocality": "Boston", "addressRegion": "MA", "postalCode": "02108"},
        {"streetAddress": "Downtown"},
    ],
)
def test_junk_placeholders_and_towns_alone_are_not_addresses(
    properties: dict[str, object], gazetteer: Gazetteer
) -> None:
    assert find(json_ld({"name": "Shop", "address": postal(**properties)}), gazetteer) == []


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("47 Oak Ave S Topeka", ("47", "Oak Ave S", "")),
        ("12 Avenue Topeka", ("12", "Avenue Topeka", "")),
        ("62 7th Ave Ste:11", ("62", "7th Ave", "Ste 11")),
        ("20 Chapel Rd (Suite 26A)", ("20", "Chapel Rd", "Suite 26A")),
        ("211-D New Mill Ave.", ("211-D", "New Mill Ave.", "")),
        ("West Sanctuary \u200b181 Oak Ave", ("181", "Oak Ave", "")),
        ("County Road 12", ("", "County Road 12", "")),
        ("Oak St &amp; Elm", ("", "Oak St & Elm", "")),
    ],
)
def test_a_us_street_line_is_split_into_its_parts(
    gazetteer: Gazetteer, line: str, parts: tuple[str, str, str]
) -> None:
    one = find(json_ld(TOPEKA | {"streetAddress": line}), gazetteer)[0]
    assert (one.number, one.street, one.unit) == parts


@pytest.mark.parametrize("line", ["Coming Soon", "Old Canal Park", "Lakeside"])
def test_a_us_street_needs_a_number_or_a_type(gazetteer: Gazetteer, line: str) -> None:
    assert find(json_ld(TOPEKA | {"streetAddress": line}), gazetteer) == []


def test_a_house_is_not_named_by_its_address(gazetteer: Gazetteer) -> None:
    house = {"@type": "Place", "name": "725 SW 10th Street, Topeka", "address": TOPEKA}
    assert [one.organisation for one in find(json_ld(house), gazetteer)] == [""]


# --- the other syntaxes ---


def test_microdata_is_located_in_the_text(gazetteer: Gazetteer) -> None:
    html = """<div itemscope itemtype="http://schema.org/Hostel">
        <h2 itemprop="name">Salzspeicher Hostel</h2>
        <div itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">
        <span itemprop="streetAddress">Münzstraße 15</span><br>
        <span itemprop="postalCode">21335</span>
        <span itemprop="addressLocality">Lüneburg</span></div>
        <span itemprop="telephone">04131 / 22 33 44</span></div>"""
    [address] = find(html, gazetteer)
    assert (
        page_of(html).text[address.start : address.end]
        == address.text
        == "Münzstraße 15\n21335 Lüneburg"
    )
    assert (address.number, address.street, address.country) == ("15", "Münzstraße", "DE")
    assert (address.organisation, address.phone) == ("Salzspeicher Hostel", "04131 / 22 33 44")


def test_rdfa(gazetteer: Gazetteer) -> None:
    html = """<div vocab="https://schema.org/" typeof="Museum"><b property="name">Rice Museum</b>
        <p property="address" typeof="PostalAddress">
        <span property="streetAddress">62 Meeting St.</span>
        <span property="addressLocality">Charleston</span>,
        <span property="addressRegion">SC</span></p></div>"""
    [address] = find(html, gazetteer)
    assert (address.number, address.street, address.state, address.country) == (
        "62",
        "Meeting St.",
        "SC",
        "US",
    )
    assert (address.organisation, address.evidence) == ("Rice Museum", ("rdfa",))


def test_hcard(gazetteer: Gazetteer) -> None:
    html = """<div class="vcard"><span class="fn">Jo Smith</span>,
        <span class="org">Smith Saddlery</span>
        <div class="adr"><span class="street-address">4 Ash St</span>
        <span class="extended-address">Rear</span>
        <span class="locality">Meeteetse</span>, <abbr class="region" title="Wyoming">WY</abbr>
        <span class="postal-code">82433</span>
        <span class="country-name">United States of America</span></div>
        <span class="tel">307-555-0100</span>
        <span class="geo"><span class="latitude">44.157</span>,
        <span class="longitude">-108.871</span></span></div>"""
    [address] = find(html, gazetteer)
    assert (address.number, address.street, address.unit) == ("4", "Ash St", "Rear")
    assert (address.city, address.state, address.country) == ("Meeteetse", "WY", "US")
    assert (address.organisation, address.phone) == ("Smith Saddlery", "307-555-0100")
    assert (address.lat, address.lon, address.precision) == (44.157, -108.871, Precision.GIVEN)


def test_an_h_adr_without_parts_is_left_to_the_text_finders(gazetteer: Gazetteer) -> None:
    html = '<p>Visit us</p><p class="h-adr">1 Main Street, Springfield, IL</p>'
    [address] = find(html, gazetteer)
    assert (
        page_of(html).text[address.start : address.end]
        == address.text
        == "1 Main Street, Springfield, IL"
    )
    assert address.evidence == ("hcard",)


def test_meta_tags_give_a_point_to_the_only_address(gazetteer: Gazetteer) -> None:
    meta = '<meta name="geo.position" content="39.05;-95.68">'
    second = {"address": postal(streetAddress="1 Main St", addressLocality="Salina")}
    [only] = find(meta + json_ld({"address": TOPEKA}), gazetteer)
    assert (only.lat, only.lon, only.precision) == (39.05, -95.68, Precision.GIVEN)
    assert [one.lat for one in find(meta + json_ld([{"address": TOPEKA}, second]), gazetteer)] == [
        None,
        None,
    ]


def test_open_graph_is_an_address_too(gazetteer: Gazetteer) -> None:
    html = """<meta property="og:street-address" content="725 SW 10th Street">
        <meta property="og:locality" content="Topeka"><meta property="og:region" content="KS">
        <meta property="og:latitude" content="39.05">
        <meta property="og:longitude" content="-95.68">"""
    [address] = find(html, gazetteer)
    assert (address.number, address.city, address.state, address.lat) == (
        "725",
        "Topeka",
        "KS",
        39.05,
    )


@pytest.mark.parametrize("content", ["", "0;0", "91;5", "north", "12", "1e999;nan"])
def test_a_false_point_is_dropped(content: str) -> None:
    assert page_point(Page("https://example.com/", geo=(("geo.position", content),))) is None


# --- any data ---

values = st.recursive(
    st.text(max_size=20) | st.sampled_from(["1 Main St", "Topeka", "12345", "US", "x" * 2000]),
    lambda inner: st.dictionaries(
        st.sampled_from(
            ["address", "streetAddress", "addressLocality", "postalCode", "geo", "name", "location"]
        )
        | st.text(max_size=5),
        st.lists(inner, max_size=3),
        max_size=4,
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(["address", "location", "@type", "name"]), st.lists(values, max_size=3)
    )
)
def test_any_data_gives_addresses_with_a_street_or_a_text(
    gazetteer: Gazetteer, data: dict[str, object]
) -> None:
    page = Page(
        "https://example.com/",
        text="1 Main St",
        structured=(StructuredItem("microdata", data, 0, 9),),
    )
    for address in found_in(page, gazetteer):
        assert address.street or address.text
        assert address.start == -1 or page.text[address.start : address.end] == address.text
