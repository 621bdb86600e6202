"""Addresses of any country by their shape: the lines of a contact block."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.places.addresses.world.country_choice import PageSigns
from toponaut.places.addresses.world.find import find_world
from toponaut.places.addresses.world.street import read_street
from toponaut.places.addresses.world.town import TownReader
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.descriptions import address_formats, street_types

# lines | number | street | city | postcode | country
BLOCKS = """
Storgatan 4 / Malmö | 4 | Storgatan | Malmö | | SE
Lipowa 17a / 15-427 Białystok | 17a | Lipowa | Białystok | 15-427 | PL
Brīvības iela 8 / LV-1050 Rīga | 8 | Brīvības iela | Rīga | LV-1050 | LV
Vytauto g. 31 / 44352 Kaunas | 31 | Vytauto g. | Kaunas | 44352 | LT
Strada Mihai Viteazu 12 / 400135 Cluj-Napoca | 12 | Strada Mihai Viteazu | Cluj-Napoca | 400135 | RO
Atatürk Caddesi 55 / 35210 İzmir | 55 | Atatürk Caddesi | İzmir | 35210 | TR
Αγίου Νικολάου 9 / 26221 Πάτρα | 9 | Αγίου Νικολάου | Πάτρα | 26221 | GR
Садовая улица 6 / 220013 Минск | 6 | Садовая улица | Минск | 220013 | BY
Вулиця Шевченка 20 / 79000 Львів | 20 | Вулиця Шевченка | Львів | 79000 | UA
Jalan Melati 21 / 40115 Bandung | 21 | Jalan Melati | Bandung | 40115 | ID
Jalan 5/31 19 / 50480 Kuala Lumpur | 19 | Jalan 5/31 | Kuala Lumpur | 50480 | MY
Avenida Arequipa 402 / Trujillo / Peru | 402 | Avenida Arequipa | Trujillo | | PE
Carrera 7 12-40 / Cali | 12-40 | Carrera 7 | Cali | | CO
14 Avenida 2-06 / Mixco | 2-06 | 14 Avenida | Mixco | | GT
شارع النيل 12 / القاهرة | 12 | شارع النيل | القاهرة | | EG
דיזנגוף 99 / תל אביב | 99 | דיזנגוף | תל אביב | | IL
中山路 25 / 臺中市 | 25 | 中山路 | 臺中市 | | TW
세종대로 110 / 04524 서울 | 110 | 세종대로 | 서울 | 04524 | KR
ქუჩა რუსთაველის 7 / თბილისი | 7 | ქუჩა რუსთაველის | თბილისი | | GE
12 Church Street / Cape Town 8001 | 12 | Church Street | Cape Town | 8001 | ZA
31 Queen Street / Christchurch 8011 | 31 | Queen Street | Christchurch | 8011 | NZ
12 bis, rue des Lilas / 75002 Paris | 12 bis | rue des Lilas | Paris | 75002 | FR
5, sente du Moulin / 78000 Versailles | 5 | sente du Moulin | Versailles | 78000 | FR
12, MG Road / Bengaluru - 560 001 | 12 | MG Road | Bengaluru | 560 001 | IN
4 St Peter Street / DD1 4JJ / Dundee | 4 | St Peter Street | Dundee | DD1 4JJ | GB
""".strip().splitlines()
# One line with the country, province or postcode at its end.
LINES = """
24 Palm Street, Old Souk, Amman 11183, Jordan | 24 | Palm Street | Amman | 11183 | JO
House 35, Road 11, Tajmahal, Dhaka-1213, Bangladesh | 35 | Road 11 | Dhaka | 1213 | BD
House No. 12, Street 7, Block C, Islamabad, Pakistan | 12 | Street 7 | Islamabad | | PK
Building 23, Street 905, Zone 56, Doha, Qatar | 23 | Street 905 | Doha | | QA
200 Market Street, London, Ontario | 200 | Market Street | London | | CA
25 Harbour Square, Dublin 2, D02 X596, Ireland | 25 | Harbour Square | Dublin 2 | D02 X596 | IE
вул. Лісова, 22, м. Київ, 01001 | 22 | вул. Лісова | Київ | 01001 | UA
12 Kowhai Road, Hilltop, Auckland 1011 | 12 | Kowhai Road | Auckland | 1011 | NZ
#27, 100 Feet Road, Palm, Bengaluru, Goa – 560038 | 27 | 100 Feet Road | Bengaluru | 560038 | IN
15 شارع الورد، الدقي، الجيزة، مصر | 15 | شارع الورد | الجيزة | | EG
""".strip().splitlines()
# One line from the largest area to the house: line | number | street | city | postcode | country
EAST_ASIAN = """
北京市海淀区学院路31号 | 31 | 学院路 | 北京市 | | CN
广东省广州市天河区体育东路12号 | 12 | 体育东路 | 广州市 | | CN
110臺北市信義區松仁路9號 | 9 | 松仁路 | 臺北市 | 110 | TW
臺中市西區民權路二段18之3號 | 18之3 | 民權路二段 | 臺中市 | | TW
〒150-0002 東京都渋谷区渋谷3丁目12-4 | 3丁目12-4 | 渋谷 | 渋谷区 | 150-0002 | JP
大阪府大阪市北区梅田2-5-8 | 2-5-8 | 梅田 | 大阪市 | | JP
서울특별시 강남구 테헤란로 77 | 77 | 테헤란로 | 서울특별시 | | KR
(13494) 경기도 성남시 분당구 판교역로 166 | 166 | 판교역로 | 성남시 | 13494 | KR
""".strip().splitlines()
PAGE = "Contact\n\nPlease visit us.\n\n{}\n\nMonday to Friday"
NO_BLOCKS = [
    "Chapter 12\nLondon in winter",
    "Grade 3 Reading 81\nMath 80\nIn 2012 Reading 83",
    "Form 103\nForm 110",
    "Wien\n1010 Wien, 1020 Wien, 1030 Wien",
    "Windows 98\n2000 Professional",
    "Copyright © 2003, 2006\n1991 Juni",
    "May 12\nParis",
    "HP 9000\nHP 9001",
    "Park Avenue has 212\nLake Road has 118",
    "Boeing 737\nSeattle",
    "Kontakt\n\nResolutie 1080 HD, 2160 UHD",
    "Contact\n\nCS 40112\n31000 Toulouse",
    "Contact\n\nBekasi 17330\nBekasi",
    "Contact\n\nMill Road CM9 8SE\nTollesbury",
    "2012年北京市有100号",
    "第5回市民大会3-2",
    "Kontakt\nSK Essen 2\t-\tKSC Wesel 3",
    "Contact: +90 232 555 0100\n327 Lira Maltija | Bornova",
    "7 Minuten | 1434 Wörter | Anna\nKontakt",
    "Contact\n74190 Passy View on map\nCoordinates",
    "Contact\n40 route des Prés aux Gets.\n\nVoir le site",
    "Hamburg 3\nBremen 1\nHannover 2",
]


@pytest.fixture(scope="module")
def towns(gazetteer: Gazetteer) -> TownReader:
    return TownReader(gazetteer)


@pytest.mark.parametrize("example", BLOCKS)
def test_a_block_is_an_address_in_any_country(example: str, towns: TownReader) -> None:
    lines, *parts = (part.strip() for part in example.split("|"))
    text = PAGE.format(lines.replace(" / ", "\n"))
    found = find_world(text, towns, PageSigns())
    assert [[one.number, one.street, one.city, one.postcode, one.country] for one in found] == [
        parts
    ]
    assert text[found[0].start : found[0].end].startswith(lines.partition(" / ")[0])


@pytest.mark.parametrize("example", LINES)
def test_a_line_is_read_up_to_its_country(example: str, towns: TownReader) -> None:
    line, *parts = (part.strip() for part in example.split("|"))
    (one,) = find_world(PAGE.format(line), towns, PageSigns())
    assert [one.number, one.street, one.city, one.postcode, one.country] == parts


@pytest.mark.parametrize("example", EAST_ASIAN)
def test_a_line_of_east_asia_is_an_address(example: str, towns: TownReader) -> None:
    line, *parts = (part.strip() for part in example.split("|"))
    found = find_world(f"会社案内 {line} Tel. 02-123", towns, PageSigns())
    assert [[one.number, one.street, one.city, one.postcode, one.country] for one in found] == [
        parts
    ]
    assert found[0].place


@pytest.mark.parametrize("text", NO_BLOCKS)
def test_lines_with_numbers_are_not_addresses(text: str, towns: TownReader) -> None:
    assert find_world(text, towns, PageSigns()) == []


def test_a_name_without_a_type_or_postcode_needs_a_contact_near(towns: TownReader) -> None:
    assert find_world("News\n\nDao 273\nMarikina\n\nMore", towns, PageSigns()) == []
    found = find_world("Address:\nDao 273\nMarikina", towns, PageSigns())
    assert [(one.street, one.city, one.country) for one in found] == [("Dao", "Marikina", "PH")]


def test_a_street_follows_the_end_of_a_sentence(towns: TownReader) -> None:
    (one,) = find_world("Huset vid torget. Storgatan 4, Malmö", towns, PageSigns())
    assert (one.street, one.number, one.city) == ("Storgatan", "4", "Malmö")
    (one,) = find_world("Vi ses i Helsingborg. Storgatan 4, Helsingborg", towns, PageSigns())
    assert one.street == "Storgatan"


def test_words_after_a_town_do_not_belong_to_it(towns: TownReader) -> None:
    text = "Adresse\nRésidence du Moulin 3\n74000 Annecy Voir sur la carte"
    (one,) = find_world(text, towns, PageSigns("fr"))
    assert (one.city, one.postcode) == ("Annecy", "74000")


def test_a_country_is_no_town(towns: TownReader) -> None:
    assert find_world("Kontakt\nOak Street, Dublin 4, Irland", towns, PageSigns("de", "AT")) == []


def test_a_page_in_another_language_needs_a_postcode(towns: TownReader) -> None:
    text = "Contact\nAtatürk Caddesi 55\nBornova"
    assert find_world(text, towns, PageSigns("tr"))
    assert find_world(text, towns, PageSigns("de")) == []


def test_spans_of_other_finds_are_left_out(towns: TownReader) -> None:
    text = "Storgatan 4\n211 42 Malmö\n\nStorgatan 9\n211 42 Malmö"
    assert [one.number for one in find_world(text, towns, PageSigns())] == ["4", "9"]
    assert [one.number for one in find_world(text, towns, PageSigns(), [(0, 24)])] == ["9"]
    assert find_world(text, towns, PageSigns(), [(0, 24), (26, len(text))]) == []


def test_the_line_below_decides_between_countries(towns: TownReader) -> None:
    block = "Contact\nCalle Bolívar 12\nSanta Cruz\n{}"
    assert find_world(block.format("Chile"), towns, PageSigns())[0].country == "CL"
    assert find_world(block.format("Bolivia"), towns, PageSigns())[0].country == "BO"


def test_every_country_has_a_description() -> None:
    formats = address_formats()
    assert len(formats) >= 240
    assert formats["HU"].town_first
    assert not formats["SE"].town_first
    assert street_types().words["rue"] >= {"fr"}


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_read_as_a_street(text: str) -> None:
    for street in read_street(text):
        assert street.number in text
        assert street.name in text
