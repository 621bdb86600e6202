"""Addresses of other countries than the United States and Germany, by example."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.places.addresses.countries.segments import (
    NUMBER_AFTER,
    NUMBER_BEFORE,
    segments_before,
    strength,
)
from toponaut.places.addresses.finder import FINDERS as ALL_FINDERS
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

FINDERS = {country: find for country, find in ALL_FINDERS.items() if country != "RU"}
# number | street | unit | city | state | postcode
EXAMPLES = [
    ("AT", "Mariahilfer Straße 12/3/14, 1060 Wien", "12/3/14|Mariahilfer Straße||Wien||1060"),
    ("AT", "Naschmarkt 8, Stand 214, 1060 Wien", "8|Naschmarkt|Stand 214|Wien||1060"),
    ("AT", "Wiener Straße 4, A-3100 St. Pölten", "4|Wiener Straße||St. Pölten||3100"),
    ("AT", "zuerst am Karl-Renner-Ring 2 in 1010 Wien", "2|Karl-Renner-Ring||Wien||1010"),
    ("CH", "Bahnhofstrasse 1\nPostfach\nCH-8001 Zürich", "1|Bahnhofstrasse||Zürich||8001"),
    ("CH", "Rue du Rhône 42, 1204 Genève", "42|Rue du Rhône||Genève||1204"),
    ("CH", "12, rue du Mont-Blanc, 1201 Genève", "12|rue du Mont-Blanc||Genève||1201"),
    ("CH", "Via Cantonale 7\t6928 Manno TI", "7|Via Cantonale||Manno|TI|6928"),
    ("CH", "Case postale 123, 1211 Genève 3", "|Case postale 123||Genève||1211"),
    (
        "GB",
        "Unit 9 Malt Road Kings Trading Estate Cheltenham Gloucestershire GL51 9PL",
        "|Malt Road|Unit 9, Kings Trading Estate|Cheltenham|Gloucestershire|GL51 9PL",
    ),
    ("GB", "12 High Street Cheltenham GL51 9PL", "12|High Street||Cheltenham||GL51 9PL"),
    ("FR", "12 bis, rue de la Paix, 75002 Paris", "12 bis|rue de la Paix||Paris||75002"),
    (
        "FR",
        "Le siège reste 110, boulevard Saint-Germain, 75006 Paris.",
        "110|boulevard Saint-Germain||Paris||75006",
    ),
    ("FR", "ouverte en 1987 au 24 rue Gambetta, 21000 Dijon", "24|rue Gambetta||Dijon||21000"),
    ("FR", "2 rue Frézier\nCS 63834\n29238 Brest Cedex 2", "2|rue Frézier||Brest||29238"),
    ("FR", "Cité de l'Air\nCS 40001\n31000 Toulouse", "|CS 40001||Toulouse||31000"),
    ("FR", "5 rue du 8 Mai 1945, 44000 Nantes", "5|rue du 8 Mai 1945||Nantes||44000"),
    ("FR", "ZA de Kergaradec, 29850 Gouesnou", "|ZA de Kergaradec||Gouesnou||29850"),
    (
        "FR",
        "Retrouvez-nous 12, rue des Tanneurs à Lille (59000).",
        "12|rue des Tanneurs||Lille||59000",
    ),
    (
        "FR",
        "10 rue Pasteur, Bâtiment B, 33000 Bordeaux",
        "10|rue Pasteur|Bâtiment B|Bordeaux||33000",
    ),
    (
        "FR",
        "12 rue du Moulin\nZI des Peupliers\n89100 Sens",
        "12|rue du Moulin|ZI des Peupliers|Sens||89100",
    ),
    ("FR", "7 rue du Moulin, BP 40307 Bourg-en-Bresse", "7|rue du Moulin||Bourg-en-Bresse||"),
    ("NL", "Herengracht 12 hs, 1015 BK Amsterdam", "12 hs|Herengracht||Amsterdam||1015 BK"),
    (
        "NL",
        "Prins Hendrikkade 33-II\n1012TM Amsterdam",
        "33-II|Prins Hendrikkade||Amsterdam||1012TM",
    ),
    (
        "NL",
        "We zitten aan de Oudegracht 112 in 3511 AW Utrecht",
        "112|Oudegracht||Utrecht||3511 AW",
    ),
    ("NL", "Parade 12\nNL-5211 KL 's-Hertogenbosch", "12|Parade||'s-Hertogenbosch||5211 KL"),
    ("NL", "Plein 1813 nr. 4, 2514 JN Den Haag", "4|Plein 1813||Den Haag||2514 JN"),
    ("NL", "Postbus 81, 2300 AB Leiden", "|Postbus 81||Leiden||2300 AB"),
    ("PT", "Rua Augusta, n.º 24, 1100-053 Lisboa", "24|Rua Augusta||Lisboa||1100-053"),
    (
        "PT",
        "Largo do Chiado, 8 - 2.º Dto., 1200-108 Lisboa",
        "8|Largo do Chiado|2.º Dto.|Lisboa||1200-108",
    ),
    ("PT", "Rua de Camões, 210, r/c\n4000-138 Porto", "210|Rua de Camões|r/c|Porto||4000-138"),
    (
        "PT",
        "Apartado 4012\nP-4461-901 Senhora da Hora",
        "|Apartado 4012||Senhora da Hora||4461-901",
    ),
    (
        "PT",
        "com sede na Rua do Norte, 12/3º, Apartado 99 - 9000-012 Funchal",
        "12|Rua do Norte|3º|Funchal||9000-012",
    ),
    (
        "PT",
        "Rua do Norte,\nNº 608, 1º Andar\n4745-330 Trofa",
        "608|Rua do Norte|1º Andar|Trofa||4745-330",
    ),
    ("IT", "Sede: Via Verdi, 8 - 10124 Torino (TO)", "8|Via Verdi||Torino|TO|10124"),
    ("IT", "Via 5 Maggio, 14r, 16147 Genova", "14r|Via 5 Maggio||Genova||16147"),
    ("IT", "P.zza della Vittoria 3/A\nI-06121 Perugia", "3/A|P.zza della Vittoria||Perugia||06121"),
    ("ES", "Calle Mayor, 12, 2º B, 28013 Madrid", "12|Calle Mayor|2º B|Madrid||28013"),
    ("ES", "C/ Ancha 45 - 48011 Bilbao", "45|C/ Ancha||Bilbao||48011"),
    (
        "ES",
        "Avda. de la Playa, s/n\nC.P. 29640 Fuengirola",
        "s/n|Avda. de la Playa||Fuengirola||29640",
    ),
    (
        "ES",
        "Paseo del Mar, 30 local 2 bajos. 07500 Manacor.",
        "30|Paseo del Mar|local 2 bajos|Manacor||07500",
    ),
    ("ES", "C/ Ancha, 4 2º B - 28013 Madrid", "4|C/ Ancha|2º B|Madrid||28013"),
    ("PL", "ul. Długa 5/7 m. 3, 00-238 Warszawa", "5/7|ul. Długa|m. 3|Warszawa||00-238"),
    ("PL", "Rynek Główny 12\n31-042 Kraków", "12|Rynek Główny||Kraków||31-042"),
    (
        "CZ",
        "Papír s.r.o.\ntřída Míru 65, CZ - 530 02 Pardubice",
        "65|třída Míru||Pardubice||530 02",
    ),
    ("CZ", "28. října 12\n110 00 Praha 1", "12|28. října||Praha 1||110 00"),
    ("SK", "Priemyselná 45\n071 01 Michalovce\nSlovensko", "45|Priemyselná||Michalovce||071 01"),
    ("HU", "1051 Budapest, Arany János utca 7.", "7.|Arany János utca||Budapest||1051"),
    ("HU", "1073 Budapest Erzsébet krt. 9", "9|Erzsébet krt.||Budapest||1073"),
    (
        "SE",
        "Lampor AB Birger Jarlsgatan 61 113 56 Stockholm Sweden",
        "61|Birger Jarlsgatan||Stockholm||113 56",
    ),
    ("SE", "Box 123, 101 23 Stockholm", "|Box 123||Stockholm||101 23"),
    ("DK", "c/o Foreningen\nGammel Skovvej 1\n7100 Vejle", "1|Gammel Skovvej||Vejle||7100"),
    ("DK", "Nørregade 10, 2. th, DK-1165 København K", "10|Nørregade|2. th|København K||1165"),
    ("NO", "Karl Johans gate 5, 0154 Oslo", "5|Karl Johans gate||Oslo||0154"),
    ("NO", "Postboks 123 Sentrum\n0101 Oslo", "|Postboks 123 Sentrum||Oslo||0101"),
    ("FI", "Mannerheimintie 12 A 5, 00100 Helsinki", "12|Mannerheimintie|A 5|Helsinki||00100"),
    ("BE", "Rue de la Loi 16, 1000 Bruxelles", "16|Rue de la Loi||Bruxelles||1000"),
    ("BE", "Oude Markt 50 bus 3\nB-3000 Leuven", "50|Oude Markt|bus 3|Leuven||3000"),
    ("AU", "5/12 George Street, Parramatta NSW 2150", "12|George Street|5|Parramatta|NSW|2150"),
    (
        "AU",
        "Level 2, 45 Collins Street\nMelbourne, Victoria 3000\nAustralia",
        "45|Collins Street|Level 2|Melbourne|VIC|3000",
    ),
    ("AU", "GPO Box 1234, Brisbane Qld 4001", "|GPO Box 1234||Brisbane|QLD|4001"),
    (
        "BR",
        "Rua das Palmeiras, 843\nBairro Alto\nSão Bernardo do Campo - SP\nCEP 09892-120",
        "843|Rua das Palmeiras||São Bernardo do Campo|SP|09892-120",
    ),
    (
        "BR",
        "Av. do Sol, 1000 - 10º andar - São Paulo/SP - CEP: 01310-100",
        "1000|Av. do Sol|10º andar|São Paulo|SP|01310-100",
    ),
    (
        "BR",
        "Rua da Praia, 12, sala 3 - Centro - CEP 90.010-000 - Porto Alegre - RS",
        "12|Rua da Praia|sala 3|Porto Alegre|RS|90.010-000",
    ),
    ("GB", "10 Downing Street, London SW1A 2AA", "10|Downing Street||London||SW1A 2AA"),
    ("GB", "88 Wood Street London EC2V 7RS", "88|Wood Street||London||EC2V 7RS"),
    ("GB", "12 St Mary's Road\nHeadington\nOxford\nOX3 7AB", "12|St Mary's Road||Oxford||OX3 7AB"),
    (
        "GB",
        "Rose Cottage, Church Lane, Little Snoring, Fakenham, Norfolk NR21 0HP",
        "|Church Lane|Rose Cottage|Fakenham|Norfolk|NR21 0HP",
    ),
    (
        "GB",
        "Unit 12a, Kingfisher Way, Nottingham NG7 2TR",
        "|Kingfisher Way|Unit 12a|Nottingham||NG7 2TR",
    ),
    (
        "GB",
        "15-17 Kirkgate | Leeds | West Yorkshire | LS1 6BY",
        "15-17|Kirkgate||Leeds|West Yorkshire|LS1 6BY",
    ),
    ("GB", "7 Topsfield Parade, Crouch End, London N8 8PR", "7|Topsfield Parade||London||N8 8PR"),
    ("GB", "Post: PO Box 412, Leeds LS1 9AB", "|PO Box 412||Leeds||LS1 9AB"),
    ("GB", "Castle Court, Cardiff CF10 1BU", "|Castle Court||Cardiff||CF10 1BU"),
    (
        "CA",
        "203-1885 Marine Drive\nNorth Vancouver BC  V7P 1V5",
        "1885|Marine Drive|203|North Vancouver|BC|V7P 1V5",
    ),
    (
        "CA",
        "1450, rue Sherbrooke Ouest, Montréal (Québec)  H3G 1K4",
        "1450|rue Sherbrooke Ouest||Montréal|QC|H3G 1K4",
    ),
    (
        "CA",
        "#210, 10220 104 Avenue NW | Edmonton, Alberta | T5J 0H6",
        "10220|104 Avenue NW|#210|Edmonton|AB|T5J 0H6",
    ),
    ("CA", "at 2650 Beacon Avenue, Sidney, B.C. V8L 1Y1.", "2650|Beacon Avenue||Sidney|BC|V8L 1Y1"),
    ("CA", "123 Main St Toronto ON M5V 2T6", "123|Main St||Toronto|ON|M5V 2T6"),
]
NO_ADDRESS = [
    "Ski: 1. Platz Hirscher 1:44,12. Straßenlauf Graz 5 km: 1200 Starter.",
    "1955 Bern gewinnt 3:1 gegen Zürich, 2008 Basel und Genève als Spielorte.",
    "Livraison: 1200 Genève, 1000 Lausanne. Lieferung: 3000 Bern, 8000 Zürich.",
    "Zones de livraison : 75001 Paris, 75002 Paris, 92100 Boulogne-Billancourt.",
    "La rue de Rivoli est longue, 75001 Paris",
    "Jeu du 1er mai au 14 juillet 2018, 75000 Participants.",
    "Op 5 mei 2015 vierden 12.000 bezoekers feest op de Grote Markt.",
    "NIF 501 234 567, Proc. 1100-053/19, Art. 12.º, n.º 3",
    "Order ref. AB1 2CD-77, order AB12 3CD for your kit",
    "Delivery areas: M4B, M5H, M6K Toronto; L5B Mississauga; V6B Vancouver, BC.",
    "Kings Cross, London N1C 4AG",
    "Rua 843 unidades, pedido 09892-120, São Paulo - SP",
    "Via Email 5\n10124 Utenti, 20124 Milano",
    "Ventas: 28013 Madrid, 48011 Bilbao y 08001 Barcelona",
    "Telefon 45\n071 01 Michalovce",
    "V roce 1950 Praha 110 00 obyvatel",
    "Copyright 2014\n1051 Budapest",
    "Svar 61 113 56 Visningar",
    "Vol. 12, 1998 Oslo, 2001 Bergen",
    "In 1999 the VIC 2000 was sold, in 2004 the 12 Star NSW 2005",
]


def _parts(found: Address) -> str:
    return "|".join(
        (found.number, found.street, found.unit, found.city, found.state, found.postcode)
    )


@pytest.mark.parametrize(("country", "text", "expected"), EXAMPLES)
def test_an_address_is_found_by_its_country_alone(
    country: str, text: str, expected: str, gazetteer: Gazetteer
) -> None:
    found = [
        one for find in FINDERS.values() for one in find(text, gazetteer) if one.confidence >= 0.5
    ]
    assert [(one.country, _parts(one)) for one in found] == [(country, expected)]


@pytest.mark.parametrize("text", NO_ADDRESS)
@pytest.mark.parametrize("country", FINDERS)
def test_false_friends_are_not_addresses(country: str, text: str, gazetteer: Gazetteer) -> None:
    assert FINDERS[country](text, gazetteer) == []


@pytest.mark.parametrize(
    ("text", "country", "expected"),
    [
        ("г.Киев, ул. Садовая, 37\nЗвоните нам", "UA", "37|ул. Садовая||Киев||"),
        ("м. Київ, вул. Садова, буд. 22", "UA", "22|вул. Садова||Київ||"),
        (
            "Республика Беларусь,\n220013 г. Минск,\nул. П.Бровки 6",
            "BY",
            "6|ул. П.Бровки||Минск||220013",
        ),
        (
            "125009, г. Москва, ул. Садовая, д. 7, стр. 1, офис 12",
            "RU",
            "7, стр. 1|ул. Садовая|офис 12|Москва||125009",
        ),
        ("Москва, Ленинский проспект, 12 корп. 3", "RU", "12 корп. 3|Ленинский проспект||Москва||"),
        ("ул. 8 Марта, 5, Екатеринбург", "RU", "5|ул. 8 Марта||Екатеринбург||"),
        (
            "191186, Санкт-Петербург, Невский пр., д. 28",
            "RU",
            "28|Невский пр.||Санкт-Петербург||191186",
        ),
    ],
)
def test_cyrillic_streets_are_in_the_country_of_their_town(
    text: str, country: str, expected: str, gazetteer: Gazetteer
) -> None:
    assert [(one.country, _parts(one)) for one in ALL_FINDERS["RU"](text, gazetteer)] == [
        (country, expected)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Минск\nул. Садовая\n7\n-50%",
        "Москва, 12 мая",
        "по ул. Садовой 5 домов",
        "Минск, ул. Садовая 5 км",
        "пр-т Мира - ул. Садовая",
    ],
)
def test_cyrillic_prices_and_distances_are_not_house_numbers(
    text: str, gazetteer: Gazetteer
) -> None:
    assert ALL_FINDERS["RU"](text, gazetteer) == []


def test_neighbours_keep_their_own_streets(gazetteer: Gazetteer) -> None:
    text = (
        "Domwinkel | Oudegracht 25 | 3511 AB Utrecht\nMaaswinkel | Coolsingel 100 | 3012AG "
        "Rotterdam"
    )
    assert [(one.street, one.city) for one in FINDERS["NL"](text, gazetteer)] == [
        ("Oudegracht", "Utrecht"),
        ("Coolsingel", "Rotterdam"),
    ]


def test_a_village_outside_the_gazetteer_is_believed_with_a_postcode(gazetteer: Gazetteer) -> None:
    (found,) = FINDERS["CA"]("4417 Concession Road 5\nOrono, ON  L0B 1M0", gazetteer)
    assert (found.city, found.place) == ("Orono", 0)


def test_segments_are_nearest_first_and_lone_numbers_join_their_street() -> None:
    text = "Rua Castilho, 55 | Loja B, 1250"
    after = segments_before(text, text.index("1250"), 0, NUMBER_AFTER)
    assert [text[one.start : one.end] for one in after] == ["Loja B", "Rua Castilho, 55"]
    text = "Shop; 12, High Street, OX1"
    before = segments_before(text, text.index("OX1"), 0, NUMBER_BEFORE)
    assert [text[one.start : one.end] for one in before] == ["12, High Street", "Shop"]


def test_strengths_of_separators() -> None:
    gaps = [" ", ", ", " | ", "; ", "\n", "\n\n"]
    assert [strength(gap) for gap in gaps] == [0, 1, 2, 3, 4, 5]


PIECES = (
    "SW1A 2AA|M5H 2N2|1015 BK|1100-053|75002|8001|Paris|London|Zürich|Toronto|ON|12|rue|Rua|High"
    "|Street|Gracht|,|\n|\t|(|)|de|Unit 4| - ".split("|")
)


@settings(max_examples=100)
@given(
    st.sampled_from(sorted(FINDERS)),
    st.lists(
        st.sampled_from(PIECES),
        max_size=30,
    ),
)
def test_spans_are_inside_any_text_and_do_not_overlap(
    gazetteer: Gazetteer, country: str, pieces: list[str]
) -> None:
    text = " ".join(pieces)
    end = 0
    for found in FINDERS[country](text, gazetteer):
        assert end <= found.start < found.end <= len(text)
        assert found.country == country
        assert found.street
        assert 0 < found.confidence <= 1
        end = found.end
