"""Phones, opening hours, categories, e-mail and website of the organisation at an address."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.addresses import AddressFinder
from toponaut.places.addresses.contact.categories import (
    CATEGORIES,
    category,
    category_of_name,
    is_category,
)
from toponaut.places.addresses.contact.hours import hours_in, hours_of
from toponaut.places.addresses.contact.phones import international
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Response

TROY = "8 Oak St<br>Troy, NY 12180"


@pytest.fixture(scope="module")
def addresses(gazetteer: Gazetteer, finder: NameFinder) -> AddressFinder:
    return AddressFinder(gazetteer, finder)


def found(addresses: AddressFinder, html: str, url: str = "https://guide.example/") -> Address:
    page = parse(Response(url, 200, f"<!DOCTYPE html>{html}".encode(), "text/html; charset=utf-8"))
    [address] = addresses.find(page)
    return address


# --- phones ---


@pytest.mark.parametrize(
    ("said", "country", "number"),
    [
        ("(518) 555-0100", "US", "+15185550100"),
        ("1-518-555-0100 ext. 4", "US", "+15185550100"),
        ("0441 / 12 34 56", "DE", "+49441123456"),
        ("+49 (0)441 123456", "US", "+49441123456"),
        ("04 50 12 34 56", "FR", "+33450123456"),
        ("518-555-0100 / 518-555-0101", "US", "+15185550100"),
        ("123-456-7890", "US", ""),  # no area code begins with 1
        ("555-0100", "US", ""),
        ("08.06.2024", "DE", ""),
        ("call us", "US", ""),
        ("0441 123456", "", ""),  # of which country?
    ],
)
def test_phones_are_international_and_valid(said: str, country: str, number: str) -> None:
    assert international(said, country) == number


def test_a_date_near_an_address_is_not_its_phone(addresses: AddressFinder) -> None:
    html = "<p>Lampen Meier<br>Lange Straße 12<br>26122 Oldenburg<br>08.06.2024<br>0441 123456</p>"
    assert found(addresses, html).phone == "+49441123456"


# --- opening hours ---


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Mon - Fri: 9 am - 5:30 pm, Sunday closed", "Mo-Fr 09:00-17:30; Su off"),
        ("Öffnungszeiten\nMo-Fr 9–18 Uhr\nSa 10-14 Uhr", "Mo-Fr 09:00-18:00; Sa 10:00-14:00"),
        ("Monday\t9am-5pm\nTuesday\t9am-5pm", "Mo-Tu 09:00-17:00"),
        ("Open Daily 11-9", "Mo-Su 11:00-21:00"),
        ("Lundi au vendredi : 9h30 à 18h", "Mo-Fr 09:30-18:00"),
        ("Mo, Mi 8:00-12:00 und 13:00-17:00 Uhr", "Mo,We 08:00-12:00,13:00-17:00"),
        ("Fri 6pm - 2am, Sat 6pm - 2am", "Fr-Sa 18:00-02:00"),
        ("Sat 1-5pm, Sun 10-4pm", "Sa 13:00-17:00; Su 10:00-16:00"),
        ("Open Saturday 24 hours", "Sa 00:00-24:00"),
        ("Call from 8:00am to 5:30pm EST, Mon – Fri", "Mo-Fr 08:00-17:30"),
        ("9AM - 5PM PST M-F", "Mo-Fr 09:00-17:00"),
        ("Weekdays 7a-6p, weekends 8a-noon", "Mo-Fr 07:00-18:00"),
        ("7 days a week between the hours of 7 a.m. and 8 p.m.", "Mo-Su 07:00-20:00"),
        ("7 am to 12 am Eastern Time (EST) Monday - Friday", "Mo-Fr 07:00-00:00"),
        ("Mon-Sat | 9:00 - 6:00 | Sun | 12-4", "Mo-Sa 09:00-18:00; Su 12:00-16:00"),
        ("We are open 24 hours a day, 7 days a week", "24/7"),
        ("Monday:7:30am-5:30pm\nFriday:Closed", "Mo 07:30-17:30; Fr off"),
        ("9am to 5pm Saturday 10am to 2pm", ""),  # whose are the first times?
        ("We answer within 24 hours Monday to Friday", ""),
        ("Sat 7pm-9pm", ""),  # one day without a label: perhaps an event
        ("We do 1 to 2 things, so 3-4 people help", ""),
        ("Monday 99-120", ""),
    ],
)
def test_hours_in_text(text: str, hours: str) -> None:
    assert hours_in(text, 0, len(text)) == hours


def test_hours_of_data_in_all_its_forms() -> None:
    sunday = {"dayOfWeek": [{"name": ["Sunday"]}], "opens": ["00:00"], "closes": ["00:00"]}
    weekdays = {
        "dayOfWeek": ["Monday", "https://schema.org/Tuesday"],
        "opens": ["T08:00:00"],
        "closes": ["17:00"],
    }
    assert (
        hours_of({"openingHoursSpecification": [weekdays, sunday]}) == "Mo-Tu 08:00-17:00; Su off"
    )
    assert hours_of({"openingHours": ["Mo-We 09:00-12:00", "Mo 13:00-17:00"]}) == (
        "Mo 09:00-12:00,13:00-17:00; Tu-We 09:00-12:00"
    )
    assert hours_of({"openingHours": ["by appointment"]}) == ""


@given(st.text(alphabet="MoTuFr satun19:-–apm h.,\n", max_size=80))
def test_any_text_has_hours_or_none(text: str) -> None:
    assert len(hours_in(text, 0, len(text))) <= 300


# --- categories ---


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Pizzeria Roma", "restaurant"),
        ("Zahnarztpraxis Dr. Meier", "dentist"),
        ("Museum Café", "cafe"),
        ("Troy City Hall", "townhall"),
        ("Vasaskolan", "school"),
        ("Zahnärzte am Theater", "dentist"),
        ("Hôtel du Parc", "hotel"),
        ("Haus am Theater", "theatre"),
        ("Joe's Barber Shop", "hairdresser"),
        ("Gift Shop", "shop"),
        ("Baker Holdings", ""),
        ("Beacon Holdings", ""),
    ],
)
def test_names_mean_categories(name: str, known: str) -> None:
    assert category_of_name(name) == known


def test_an_exact_type_counts_before_the_name_and_a_vague_one_after() -> None:
    assert category("dentist", "Roma Pizza") == "dentist"
    assert category("office", "Roma Pizza") == "restaurant"
    assert category("office", "Beacon") == "office"
    assert len(set(CATEGORIES)) == len(CATEGORIES)


def test_a_category_is_not_a_name() -> None:
    assert all(map(is_category, ["Pawn Shop", "Italian / Steakhouse", "Gold & Coin Buyer"]))
    assert not any(map(is_category, ["Joe's Pizza", "Club 54", "Beacon Books"]))


# --- e-mail, website, entities ---


def test_an_organisation_has_mail_and_website(addresses: AddressFinder) -> None:
    html = f"<p>Beacon Lamps<br>{TROY}<br>Info@Beacon.test<br>www.beacon-lamps.test</p>"
    one = found(addresses, html)
    assert (one.email, one.website) == ("info@beacon.test", "http://www.beacon-lamps.test")
    linked = f"<p>Beacon Lamps<br>{TROY}<br><a href='https://beacon.example.org/'>Website</a></p>"
    assert found(addresses, linked).website == "https://beacon.example.org/"
    platform = f"<p>Beacon Lamps<br>{TROY}<br>https://www.facebook.com/beacon</p>"
    assert found(addresses, platform).website == ""


def test_the_site_of_an_organisation_is_its_website(addresses: AddressFinder) -> None:
    html = f"<title>Contact - Beacon Lamps</title><p>Beacon Lamps<br>{TROY}</p>"
    one = found(addresses, html, "https://www.beaconlamps.com/contact")
    assert one.website == "https://www.beaconlamps.com/"


def test_data_is_decoded_split_and_validated(addresses: AddressFinder) -> None:
    item = {
        "@type": ["LocalBusiness", "Bakery"],
        "name": "Joe&#39;s Bread &amp; More",
        "email": "mailto:Joe@bread.test?subject=Hi",
        "url": "https://guide.example/entries/joe",
        "telephone": "(217) 555-0100",
        "address": {
            "@type": "PostalAddress",
            "streetAddress": "12 Elm Street",
            "addressLocality": "Springfield",
            "addressRegion": "IL 62704",
            "addressCountry": "US",
        },
    }
    html = f'<script type="application/ld+json">{json.dumps(item)}</script><p>A list of bakers'
    one = found(addresses, html)
    assert (one.organisation, one.category) == ("Joe's Bread & More", "bakery")
    assert (one.state, one.postcode, one.normal) == ("IL", "62704", "12 elm street, 62704, us")
    assert (one.phone, one.email) == ("+12175550100", "joe@bread.test")
    assert one.website == ""  # the entry of a directory
