"""Which countries' addresses a text can hold at all: one look at its numbers, before any finder reads it.

A finder takes 0.1-0.3 ms for a page and finds nothing on most. What it could find begins with a postcode, and
postcodes differ in form: "26121 Oldenburg" (five digits and a name), "1010 Wien" (four), "113 56 Stockholm", "00-950
Warszawa", "1012 LG", "1200-109", "01305-100", "EC2V 7RS", "M5V 2T6". A four-digit number that reads as a year counts only in a text that
looks continental: by its language, or by its words where it does not say that it is English. Countries that share a form
with others are looked for only where the page is in their language, a word of their streets stands near the code, or the code
bears a country's letter ("B-2000").
"""

import re

from toponaut.places.addresses.us.spots import AUSTRALIAN_STATES, Spots
from toponaut.places.addresses.us.types import TYPES
from toponaut.places.addresses.us.words import STATE_CODES

_LANGUAGES = frozenset({"de", "fr", "it", "nl", "pt", "rm", "da", "hu", "nb", "nn", "no"})
# Words of streets: those that no English text has, and of German ones those that it may have.
_GERMAN_STREETS = ("traße", "trasse", "TRASSE", "Str.", "str. ", "platz", "gasse", "weg ", "allee")
_ALSO_GERMAN = ("ring ", "damm ", "ufer ", "markt ")
_OTHER_STREETS = ("weg\n", "rue ", "Rue ", "chemin", "Via ")
# Of countries that share the form of their postcodes: the languages, and words that nearly all their streets have.
_TOLD_BY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "IT": (("it",), ("Via ", "via ", "Viale ", "V.le", "Piazza", "P.zza", "Corso ", "VIA ", "Italy")),
    "ES": (("es", "ca", "gl", "eu"), ("Calle ", "calle ", "C/", "Avda", "Avenida", "Plaza", "Paseo", "Carrer ", "Ctra", "Spain")),
    "FI": (("fi",), ("katu ", "tie ", "kuja ", "Finland")),
    "SE": (("sv",), ("gatan ", "vägen ", "torg", "Box ", "Sweden")),
    "CZ": (("cs",), ("CZ", "Česk", "náměstí", "třída ", "ulice ", "s.r.o", "a.s.", "Czech")),
    "SK": (("sk",), ("SK", "Sloven", "námestie", "trieda ", "ulica ", "s.r.o", "a.s.", "PSČ")),
    "DK": (("da",), ("vej ", "gade ", "DK-", "Danmark", "Denmark")),
    "NO": (("no", "nb", "nn"), ("veien ", "gate ", "gata ", "vei ", "Postboks", "Norge", "Norway")),
    "HU": (("hu",), ("utca", " u. ", "tér ", "krt.", "Hungary")),
    "BE": (("nl", "fr"), ("straat ", "laan ", "steenweg", "rue ", "Rue ", "venue ", "Belgi")),
}  # fmt: skip
_CYRILLIC_O = "\N{CYRILLIC SMALL LETTER O}"  # the most frequent letter: no text in these languages is without it
_CYRILLIC_STREETS = (
    "ул.",
    "Ул.",
    "улица",
    "вулиця",
    "пр.",
    "пр-т",
    "просп",
    "Просп",
    "пер.",
    "бульвар",
    "шоссе",
    "наб.",
    "площадь",
)
_AROUND = 90  # characters on either side of a code: two lines of an address
_PREFIX = re.compile(r"[A-Z][-–]")
_YEARS = ("18", "19", "20")
_STREET_LENGTH = 32  # characters after a number that may hold its street


def possible_countries(text: str, language: str, spots: Spots) -> frozenset[str]:
    """ISO codes, without the United States, which are always possible: a street there may have its number in words."""
    if not spots.has_digits:
        return _NONE
    found: set[str] = set()
    german, continental = _sounds(text, language)
    if german:
        found.add("DE")
    if _CYRILLIC_O in text and any(word in text for word in _CYRILLIC_STREETS):
        found.add("RU")
    for start, end in spots.codes:
        signs = _signs(text, start, end, continental)
        if not signs <= found:
            sure = signs is _SPACED or _PREFIX.fullmatch(text, max(0, start - 2), start)
            around = text[max(0, start - _AROUND) : end + _AROUND]
            found |= {
                country for country in signs - found if sure or _is_told(country, around, language)
            }
    return frozenset(found)


def _sounds(text: str, language: str) -> tuple[bool, bool]:
    """Whether a text may have German streets, and whether it looks continental."""
    if language in ("de", "en"):
        return language == "de", language == "de"
    if any(word in text for word in _GERMAN_STREETS):
        return True, True
    continental = language in _LANGUAGES or any(word in text for word in _OTHER_STREETS)
    return continental and any(word in text for word in _ALSO_GERMAN), continental


def _is_told(country: str, around: str, language: str) -> bool:
    languages, words = _TOLD_BY.get(country, ((language,), ()))
    return language in languages or any(word in around for word in words)


def _signs(text: str, start: int, end: int, continental: bool) -> frozenset[str]:
    after = text[end : end + 5]
    length = end - start
    if length == 5 and after[0] == "-":
        return _BRAZILIAN if after[1:4].isdigit() and not after[4:].isdigit() else _NONE
    if length == 5:
        return (
            _FIVE
            if _names(after) and text[max(0, start - 3) : start].strip() not in STATE_CODES
            else _NONE
        )
    if length == 4:
        if text[max(0, start - 8) : start].rstrip(" ,.\xa0\n").endswith(AUSTRALIAN_STATES):
            return _AUSTRALIAN
        if after[0] == "-" and after[1:4].isdigit():
            return _PORTUGUESE
        if after.lstrip(" \xa0")[:2].isupper() and after.lstrip(" \xa0")[:2].isalpha():
            return _DUTCH | _FOUR
        year = (
            text[start : start + 2] in _YEARS and not continental and text[start - 1 : start] != "-"
        )
        if year or not _names(after):
            return _NONE
        return _FOUR if continental or not _is_street(text[end : end + _STREET_LENGTH]) else _NONE
    if length == 3:
        if after[0] == "-" and after[1:4].isdigit() and text[start - 1 : start] == ".":
            return _BRAZILIAN  # "09.892-120"
        return (
            _SPACED
            if after[0] in " \xa0" and after[1:3].isdigit() and _names(text[end + 3 : end + 8])
            else _NONE
        )
    if length == 2:
        return (
            _POLISH
            if after[0] in "-–" and after[1:4].isdigit() and not after[4:].isdigit()
            else _NONE
        )
    if length == 1 and after[0].isupper():
        before = text[start - 1] if start else ""
        if before.isupper() and after[1:2] and (after[1].isdigit() or after[2:3].isdigit()):
            return _CANADIAN
        return (
            _BRITISH
            if after[:2].isalpha() and after[:2].isupper() and not after[2:3].isalnum()
            else _NONE
        )
    return _NONE


def _is_street(after: str) -> bool:
    """ "1420 Main St": a street type among the next words, as in an English address."""
    return any(word.strip(".,").lower() in TYPES for word in after.split()[1:4])


def _names(after: str) -> bool:
    """A space, cell or line end and a capital follow."""
    rest = after.lstrip(" \t\n\xa0,")
    return (len(rest) < len(after) and rest[:1].isupper()) or (not rest and after.isspace())


_NONE: frozenset[str] = frozenset()
_FIVE = frozenset({"DE", "FR", "IT", "ES", "FI", "SE", "CZ", "SK"})
_FOUR = frozenset({"AT", "CH", "BE", "DK", "HU", "NO"})
_SPACED = frozenset({"SE", "CZ", "SK"})
_AUSTRALIAN = frozenset({"AU"})
_BRAZILIAN = frozenset({"BR"})
_POLISH = frozenset({"PL"})
_DUTCH = frozenset({"NL"})
_PORTUGUESE = frozenset({"PT"})
_CANADIAN = frozenset({"CA"})
_BRITISH = frozenset({"GB"})
