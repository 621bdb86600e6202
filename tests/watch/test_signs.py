"""Words and redirects that say a place is closed, in the main languages."""

import pytest

from toponaut.records import Address
from toponaut.watch.signs import closed_sign, leads_home

FOR_GOOD = [
    "This location is permanently closed.",
    "We have closed our doors after thirty years.",
    "The shop has closed for good.",
    "Sadly, we are out of business.",
    "Joe's Diner ceased trading in May.",
    "Our restaurant closed permanently on 3 May.",
    "Unser Geschäft ist dauerhaft geschlossen.",
    "Wir haben unser Geschäft zum 31. März für immer geschlossen.",
    "Geschäftsaufgabe: Wir danken allen Kunden.",
    "Das Lokal hat endgültig geschlossen.",
    "Loja encerrada definitivamente.",
    "O restaurante encerrou definitivamente em maio.",
    "Estamos permanentemente fechados.",
    "Fechado permanentemente.",
    "El restaurante ha cerrado definitivamente.",
    "Cerrado permanentemente desde junio.",
    "Hemos cerrado nuestras puertas tras veinte años.",
    "Restaurant définitivement fermé depuis mars.",
    "La boutique a fermé définitivement ses portes.",
    "Fermeture définitive du magasin.",
    "Il negozio è chiuso definitivamente.",
    "Abbiamo chiuso definitivamente.",
    "Onze winkel is definitief gesloten.",
    "Wij zijn permanent gesloten.",
    "Sklep został trwale zamknięty.",
    "Restauracja zamknięta na stałe.",
    "Butiken är permanent stängd.",
    "Vi har stängt för gott.",
    "Butikken er permanent lukket.",
    "Butikken er lukket permanent.",
    "Ravintola on suljettu pysyvästi.",
    "Obchod je trvale uzavřen.",
    "Магазин закрыт навсегда.",
    "Ресторан навсегда закрыт.",
    "Dükkanımız kalıcı olarak kapandı.",
    "当店は閉店いたしました。",
    "本店已永久停业。",
    "가게는 폐업했습니다.",
]
FOR_A_WHILE = [
    "We are closed on Mondays.",
    "Temporarily closed until May.",
    "Our store is closed today for inventory.",
    "The kitchen is closed between 3 and 5 pm.",
    "Closed for the season, back in spring.",
    "An Feiertagen geschlossen.",
    "Vorübergehend geschlossen.",
    "Montags geschlossen.",
    "Encerrado aos feriados.",
    "Encerrado temporariamente para obras.",
    "Cerrado los lunes.",
    "Cerrado por vacaciones.",
    "Fermé le lundi.",
    "Fermeture annuelle du 1 au 15 août.",
    "Chiuso per ferie.",
    "Chiuso il lunedì.",
    "Op maandag gesloten.",
    "Tijdelijk gesloten.",
    "Zamknięte w niedziele.",
    "Stängt på söndagar.",
    "Lukket om søndagen.",
    "Закрыто на ремонт.",
    "定休日は月曜日です。",
    "The road past our shop is permanently closed to cars.",
]


@pytest.mark.parametrize("text", FOR_GOOD)
def test_closed_for_good(text: str) -> None:
    sign = closed_sign("Corner Shop", f"Welcome. {text} Thank you.", ())
    assert sign is not None
    assert sign.kind == "words"


@pytest.mark.parametrize("text", FOR_A_WHILE)
def test_closed_for_a_while(text: str) -> None:
    assert closed_sign("Corner Shop", f"Welcome. {text} Thank you.", ()) is None


@pytest.mark.parametrize(
    "text",
    [
        "This domain is for sale.",
        "corner-shop.example is parked free, courtesy of a registrar.",
        "Diese Domain steht zum Verkauf.",
        "Ce nom de domaine est à vendre.",
        "Este dominio está en venta.",
        "Este domínio está à venda.",
        "Questo dominio è in vendita.",
        "Deze domeinnaam is te koop.",
        "Ta domena jest na sprzedaż.",
        "The domain name corner-shop.example is for sale",
    ],
)
def test_parked_domains(text: str) -> None:
    sign = closed_sign("corner-shop.example", text, ())
    assert sign is not None
    assert sign.kind == "parked"


def test_a_long_page_about_domains_is_not_parked() -> None:
    text = "How to sell a domain. " + "Words about names. " * 300 + "This domain is for sale."
    assert closed_sign("Blog", text, ()) is None


def test_a_list_is_not_closed() -> None:
    places = [Address("", -1, -1, number=str(number)) for number in range(3)]
    assert closed_sign("Shops", "The old mill is permanently closed.", places) is None


@pytest.mark.parametrize(
    ("url", "target", "home"),
    [
        ("http://shop.example/contact", "http://chain.example/", True),
        ("http://shop.example/contact", "http://shop.example/", True),
        ("http://shop.example/", "http://chain.example/", True),
        ("http://shop.example/", "https://www.shop.example/", False),
        ("http://shop.example/contact", "http://shop.example/visit-us", False),
        ("http://shop.example/old", "http://chain.example/stores/12", False),
    ],
)
def test_redirects_to_front_pages(url: str, target: str, home: bool) -> None:
    assert leads_home(url, target) is home
