"""German addresses in text: an example of every form, false friends, and properties of any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.places.addresses.countries.german_streets import german_street
from toponaut.places.addresses.finder import FINDERS
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

find = FINDERS["DE"]
WITH_POSTCODE = [
    ("Escherweg 2, 26121 Oldenburg", "2|Escherweg||Oldenburg|26121"),
    ("Straße des 17. Juni 135, 10623 Berlin", "135|Straße des 17. Juni||Berlin|10623"),
    ("Am Markt 1 a\n18055 Rostock", "1 a|Am Markt||Rostock|18055"),
    ("Musterstr. 12-14 D-26121 Oldenburg", "12-14|Musterstr.||Oldenburg|26121"),
    ("Lange Str.12, 26122 Oldenburg", "12|Lange Str.||Oldenburg|26122"),
    ("Lange Str. 5,26122 Oldenburg", "5|Lange Str.||Oldenburg|26122"),
    ("Lange Straße 12 - 26122 Oldenburg - Telefon 0441", "12|Lange Straße||Oldenburg|26122"),
    ("ROSENSTR. 9 | 80331 MÜNCHEN", "9|ROSENSTR.||MÜNCHEN|80331"),
    ("Schuetzenstrasse 31\n33330 Guetersloh", "31|Schuetzenstrasse||Guetersloh|33330"),
    ("Kirchplatz 2\n\nD-48143 Münster", "2|Kirchplatz||Münster|48143"),
    ("in der Langen Straße 12 in 26122 Oldenburg", "12|Langen Straße||Oldenburg|26122"),
    ("Wir sitzen im Bonner Talweg 8, 53113 Bonn (Zimmer 2.14)", "8|Bonner Talweg||Bonn|53113"),
    ("Die Feier beginnt um 18 Uhr am Domplatz 3 in 94032 Passau", "3|Domplatz||Passau|94032"),
    (
        "Arztpraxis Dr. med. Hans Müller Bahnhofstraße 12 26122 Oldenburg",
        "12|Bahnhofstraße||Oldenburg|26122",
    ),
    (
        "Platz der Deutschen Einheit 1\n20457 Hamburg",
        "1|Platz der Deutschen Einheit||Hamburg|20457",
    ),
    ("E.-T.-A.-Hoffmann-Straße 22\n96047 Bamberg", "22|E.-T.-A.-Hoffmann-Straße||Bamberg|96047"),
    ("Schulterblatt 58, 20357 Hamburg", "58|Schulterblatt||Hamburg|20357"),
    ("Hinterm Horn 10, 21037 Hamburg", "10|Hinterm Horn||Hamburg|21037"),
    ("Dorfstraße, 17509 Lubmin", "|Dorfstraße||Lubmin|17509"),
    ("Q7, 12, 68161 Mannheim", "12|Q7||Mannheim|68161"),
    ("P 5, 4-6\n68161 Mannheim", "4-6|P 5||Mannheim|68161"),
    (
        "Schönhauser Allee 120, Hinterhaus, 3. OG\n10437 Berlin",
        "120|Schönhauser Allee|Hinterhaus, 3. OG|Berlin|10437",
    ),
    ("Lange Str. 5 Haus 3, 26122 Oldenburg", "5|Lange Str.|Haus 3|Oldenburg|26122"),
    ("Hauptstr. 5\nStadtteil Eversten\n26131 Oldenburg", "5|Hauptstr.||Oldenburg|26131"),
]
TOWNS = [
    ("Bergstr. 1, 91541 Rothenburg ob der Tauber", "Rothenburg ob der Tauber"),
    ("Bergstr. 1, 60486 Frankfurt a. M.", "Frankfurt a. M."),
    ("Bergstr. 1, 60311 Frankfurt/Main", "Frankfurt/Main"),
    ("Bergstr. 1, 06108 Halle (Saale)", "Halle (Saale)"),
    ("Bergstr. 1, 26129 Oldenburg OT Wechloy", "Oldenburg"),
    ("Bergstr. 1, 26129 Oldenburg-Wechloy", "Oldenburg-Wechloy"),
    ("Bergstr. 1, 01067 Dresden (Mo-Sa 8-20)", "Dresden"),
    ("Bergstr. 1, 26434 Wangerland liegt am Meer", "Wangerland"),
]
TURNED_ROUND = [
    ("26122 Oldenburg, Schlossplatz 1", ["Schlossplatz 1 26122"]),
    (
        "D-27568 Bremerhaven, Am Alten Hafen 1; D-27472 Cuxhaven, Deichstraße 33.",
        ["Am Alten Hafen 1 27568", "Deichstraße 33 27472"],
    ),
    (
        "63739 Aschaffenburg\tLudwigstraße 11\n97070 Würzburg\tKaiserstr. 36",
        ["Ludwigstraße 11 63739", "Kaiserstr. 36 97070"],
    ),
    ("Rathaus, 26121 Oldenburg\nLange Str. 1\n26122 Oldenburg", ["Lange Str. 1 26122"]),
]
CELLS = [
    ("Apotheke\tNadorster Straße 12\t26123\tOldenburg\t0441 88", ["Nadorster Straße 12 26123"]),
    (
        "04109\tLeipzig\tBrühl\t16\tMuseum\n04107\tLeipzig\tPrager Straße\t25",
        ["Brühl 16 04109", "Prager Straße 25 04107"],
    ),
    ("Straße:\tWilhelmstraße 33\nPLZ / Ort:\t72074 Tübingen", ["Wilhelmstraße 33 72074"]),
    ("Straße: Lange Straße\nHausnummer: 12\nPLZ: 26122\nOrt: Oldenburg", ["Lange Straße 12 26122"]),
    (
        "Büro A\tBüro B\nAlter Steinweg 22\tObernstr. 6\n48143 Münster\t33602 Bielefeld",
        ["Alter Steinweg 22 48143", "Obernstr. 6 33602"],
    ),
]
WITHOUT_POSTCODE = [
    ("Lange Str. 12, Oldenburg", "Lange Str. 12 Oldenburg"),
    ("eine Lagerhalle an der Trierer Straße 120 in Koblenz", "Trierer Straße 120 Koblenz"),
    ("Pension\tAm Kurgarten 5, Bad Kissingen\t18 Betten", "Am Kurgarten 5 Bad Kissingen"),
    ("Oldenburg: Lange Straße 12", "Lange Straße 12 Oldenburg"),
    ("Er wohnt in Leer in der Hafenstraße 44 und arbeitet dort.", "Hafenstraße 44 Leer"),
]
NO_ADDRESS = [
    "Wir liefern nach 26121 Oldenburg, 26122 Oldenburg und 26123 Oldenburg.",
    "HRB 1234\n26122 Oldenburg",
    "Jens Damm\t838\nVolker Stieg\t902",
    "Gegründet 1908\n26122 Oldenburg",
    "Mo-Fr 8-18\n26122 Oldenburg",
    "Der FSV rückt auf Platz 3, 26122 Oldenburg",
    "Nach § 12 Straßenverkehrs-Ordnung ist das Halten auf dem Gehweg 5 m vor Kreuzungen unzulässig",
    "Pflasterstein Marktplatz 20 x 20",
    "Markt 8-13 Uhr, Oldenburg",
    "Spende Marktplatz 2021",
    "Sitzplatz 12, Oldenburg",
    "IBAN DE12 2805 0100 0000 4711 08",
    "Jever\t14301\t42,2\nVarel\t24001\t113,6",
    "12 rue de la Paix, 75002 Paris",
    "Via Roma 12, 50123 Firenze",
    "123 Main Street, Berlin, CT 06037",
]  # fmt: skip


def _parts(found: Address) -> str:
    return "|".join((found.number, found.street, found.unit, found.city, found.postcode))


@pytest.mark.parametrize(("text", "expected"), WITH_POSTCODE)
def test_an_address_with_its_postcode(text: str, expected: str, gazetteer: Gazetteer) -> None:
    found = find(text, gazetteer)
    assert [_parts(one) for one in found] == [expected]
    assert found[0].country == "DE"
    assert found[0].confidence > 0.7


@pytest.mark.parametrize(("text", "town"), TOWNS)
def test_where_a_town_ends(text: str, town: str, gazetteer: Gazetteer) -> None:
    assert [found.city for found in find(text, gazetteer)] == [town]


@pytest.mark.parametrize(("text", "expected"), TURNED_ROUND + CELLS)
def test_the_street_belongs_to_the_right_town(
    text: str, expected: list[str], gazetteer: Gazetteer
) -> None:
    found = [one for one in find(text, gazetteer) if one.confidence >= 0.5]
    assert [f"{one.street} {one.number} {one.postcode}" for one in found] == expected


@pytest.mark.parametrize(("text", "expected"), WITHOUT_POSTCODE)
def test_a_street_with_a_known_town_needs_no_postcode(
    text: str, expected: str, gazetteer: Gazetteer
) -> None:
    found = find(text, gazetteer)
    assert [f"{one.street} {one.number} {one.city}" for one in found] == [expected]
    assert found[0].place


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_false_friends_are_not_addresses(text: str, gazetteer: Gazetteer) -> None:
    assert find(text, gazetteer) == []


def test_a_post_office_box_has_its_own_postcode(gazetteer: Gazetteer) -> None:
    (box,) = find("Postfach 24 43, 26014 Oldenburg", gazetteer)
    assert (box.number, box.street, box.city, box.postcode) == (
        "",
        "Postfach 24 43",
        "Oldenburg",
        "26014",
    )
    (street,) = find("Lange Str. 1, 26122 Oldenburg", gazetteer)
    assert box.place == street.place
    assert box.confidence < street.confidence  # the table of postcodes cannot vouch for it


def test_a_street_alone_in_its_line_has_no_town(gazetteer: Gazetteer) -> None:
    (found,) = find("Café Klinge\n\nAchternstraße 7\n\nTel. 0441 1 11 11", gazetteer)
    assert (found.street, found.number, found.city) == ("Achternstraße", "7", "")
    assert found.confidence < 0.5
    assert find("Sie fanden die Achternstraße 7 verschlossen.", gazetteer) == []


def test_a_postcode_alone_gives_the_town(gazetteer: Gazetteer) -> None:
    (found,) = find("Pizzeria\tGökerstraße 62\t26384\titalienisch", gazetteer)
    assert (found.city, found.inferred) == ("Wilhelmshaven", ("city",))


def test_the_span_is_exactly_the_address(gazetteer: Gazetteer) -> None:
    text = "Kontakt: Meyer GmbH, Am Patentbusch 6a, 26125 Oldenburg, Tel. 0441/123"
    (found,) = find(text, gazetteer)
    assert text[found.start : found.end] == "Am Patentbusch 6a, 26125 Oldenburg"


@pytest.mark.parametrize(
    ("segment", "street"),
    [
        ("Shop Düsseldorf Oststr 29", "Oststr"),
        ("Obere Königsstraße 38", "Obere Königsstraße"),
        ("Albert Schweitzer Str. 5", "Albert Schweitzer Str."),
        ("Große Bleichen 21", "Große Bleichen"),
        ("Zimmer 12", None),
        ("Telefon 12", None),
    ],
)
def test_where_a_street_begins(segment: str, street: str | None) -> None:
    found = german_street(segment)
    assert (found and found.street) == street


PIECES = (
    "26122|Oldenburg|Lange|Straße|Str.|12|a|,|\n|\t|(|)|D-|Am|Markt|Postfach| |–|in|OT|99999".split(
        "|"
    )
)


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=30,
    )
)
def test_spans_are_inside_any_text_and_do_not_overlap(
    gazetteer: Gazetteer, pieces: list[str]
) -> None:
    text = " ".join(pieces)
    end = 0
    for found in find(text, gazetteer):
        assert end <= found.start < found.end <= len(text)
        assert found.street
        assert found.number == "" or found.number in text
        assert 0 < found.confidence <= 1
        end = found.end


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_can_be_searched(gazetteer: Gazetteer, text: str) -> None:
    assert all(found.street for found in find(text, gazetteer))
