"""Home countries of pages, and their effect on the names in them."""

import pytest

from toponaut.places.names.finder import NameFinder
from toponaut.places.names.home_countries import HomeCountries


def countries(finder: NameFinder, language: str, url: str) -> set[str]:
    return {
        finder.gazetteer.country(row)
        for row in HomeCountries(finder.gazetteer).home(language, url, "")
    }


def named(
    finder: NameFinder, text: str, language: str, url: str = "https://example.com/"
) -> set[str]:
    """The places of a text, resolved and at a glance: both find the same."""
    home = HomeCountries(finder.gazetteer).home(language, url, text)
    scan = finder.scan(text)
    whole = {
        finder.gazetteer.place(mention.place).name for mention in finder.resolve(scan, home=home)
    }
    assert {finder.gazetteer.place(place).name for place in finder.glance(scan, home)} == whole
    return whole


@pytest.mark.parametrize(
    ("language", "url", "home"),
    [
        ("sk", "https://example.com/", {"SK"}),
        ("da", "http://example.se/x", {"DK", "GL", "SE"}),
        ("", "https://www.example.co.uk/", {"GB"}),
        ("", "https://example.com/", set()),  # not known
        ("", "https://example.tv/", set()),  # used worldwide
        ("tlh", "https://192.0.2.1/", set()),
    ],
)
def test_home_by_language_and_domain(
    finder: NameFinder, language: str, url: str, home: set[str]
) -> None:
    assert countries(finder, language, url) == home


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Bunda, farba modrá", "sk", set()),  # a jacket, and a town in Tanzania
        ("Košice, farba modrá", "sk", {"Košice"}),
        ("Registro", "es", set()),  # "register", and a town in Brazil
        ("Registro", "pt", {"Registro"}),
        ("Nacional", "pt", set()),  # "national", and the Dominican Republic's capital district
        ("Türen", "de", set()),  # doors; a name of Turin
        ("Tokyo", "da", {"Tokyo"}),  # famous everywhere
        ("Danmark", "pt", {"Denmark"}),  # as all countries are
        ("Rejser til Island", "da", {"Iceland"}),
        (
            "Suede Boots and the like. Islands, Indie",
            "en",
            set(),
        ),  # Sweden, Iceland and India in other languages
        ("Sweden and Iceland", "en", {"Sweden", "Iceland"}),
        ("Kanada: tüm tartışmalar", "en", {"Canada"}),  # the page says "en", and is in Turkish
        ("Krabi og Thailand", "da", {"Krabi", "Thailand"}),  # the page names its country, too
    ],
)
def test_small_places_abroad_are_rarely_meant(
    finder: NameFinder, text: str, language: str, names: set[str]
) -> None:
    assert named(finder, text, language) == names


def test_an_unknown_home_changes_no_odds(finder: NameFinder) -> None:
    assert named(finder, "Bunda, farba modrá", "") == {"Bunda"}
