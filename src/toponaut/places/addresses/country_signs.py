"""Which countries' addresses a text may contain: a check of its numbers before any finder reads it.

A finder takes 0.1-0.3 ms for a page and finds nothing on most. Its addresses begin with a postcode,
and postcodes differ in form: "26121 Oldenburg", "1010 Wien", "113 56 Stockholm", "00-950 Warszawa",
"1012 LG", "1200-109", "01305-100", "EC2V 7RS", "M5V 2T6". A four-digit number that may be a year
counts only in a text that looks continental, by its language or its words. Countries that share a
form need one more sign: the page's language, a street word near the code, or the country's letter
before it ("B-2000").
"""

import re

from toponaut.places.addresses.quick_pattern import has_any
from toponaut.places.addresses.us.spots import AUSTRALIAN_STATES, Spots
from toponaut.places.addresses.us.words import STATE_CODES, TYPES

_LANGUAGES = frozenset({"de", "fr", "it", "nl", "pt", "rm", "da", "hu", "nb", "nn", "no"})
# Street words that no English text has, and German ones that it may have.
_GERMAN_STREETS = ("traße", "trasse", "TRASSE", "Str.", "str. ", "platz", "gasse", "weg ", "allee")
_ALSO_GERMAN = ("ring ", "damm ", "ufer ", "markt ")
_OTHER_STREETS = ("weg\n", "rue ", "Rue ", "chemin", "Via ")
# Countries that share a form of postcode: their languages, and words of nearly all their streets.
_SHARED_FORMS = {
    country: (languages.split(), tuple(words.split("|")))
    for country, languages, words in (
        ("IT", "it", "Via |via |Viale |V.le|Piazza|P.zza|Corso |VIA |Italy"),
        ("ES", "es ca gl eu", "Calle |calle |C/|Avda|Avenida|Plaza|Paseo|Carrer |Ctra|Spain"),
        ("FI", "fi", "katu |tie |kuja |Finland"),
        ("SE", "sv", "gatan |vägen |torg|Box |Sweden"),
        ("CZ", "cs", "CZ|Česk|náměstí|třída |ulice |s.r.o|a.s.|Czech"),
        ("SK", "sk", "SK|Sloven|námestie|trieda |ulica |s.r.o|a.s.|PSČ"),
        ("DK", "da", "vej |gade |DK-|Danmark|Denmark"),
        ("NO", "no nb nn", "veien |gate |gata |vei |Postboks|Norge|Norway"),
        ("HU", "hu", "utca| u. |tér |krt.|Hungary"),
        ("BE", "nl fr", "straat |laan |steenweg|rue |Rue |venue |Belgi"),
    )
}
_CYRILLIC_O = "\N{CYRILLIC SMALL LETTER O}"  # the most frequent letter of these languages
_CYRILLIC_STREETS = tuple(
    "ул. Ул. улица вулиця пр. пр-т просп Просп пер. бульвар шоссе наб. площадь".split()
)
_AROUND = 90  # characters on either side of a code: two lines of an address
_PREFIX = re.compile(r"[A-Z][-–]")
_YEARS = ("18", "19", "20")
_STREET_LENGTH = 32  # characters after a number that may contain its street

_NONE: frozenset[str] = frozenset()
_FIVE = frozenset({"DE", "FR", "IT", "ES", "FI", "SE", "CZ", "SK"})
_FOUR = frozenset({"AT", "CH", "BE", "DK", "HU", "NO"})
_FOUR_OR_DUTCH = _FOUR | {"NL"}
_SPACED = frozenset({"SE", "CZ", "SK"})
_AUSTRALIAN, _BRAZILIAN, _POLISH = frozenset({"AU"}), frozenset({"BR"}), frozenset({"PL"})
_PORTUGUESE, _CANADIAN, _BRITISH = frozenset({"PT"}), frozenset({"CA"}), frozenset({"GB"})


def possible_countries(text: str, language: str, spots: Spots) -> frozenset[str]:
    """ISO codes, without the US: it is always possible, as its numbers may be written in words."""
    if not spots.has_digits:
        return _NONE
    found: set[str] = set()
    german, continental = _looks(text, language)
    if german:
        found.add("DE")
    if _CYRILLIC_O in text and has_any(text, _CYRILLIC_STREETS):
        found.add("RU")
    for start, end in spots.codes:
        countries = _countries_of(text, start, end, continental)
        if not countries <= found:
            sure = countries is _SPACED or _PREFIX.fullmatch(text, max(0, start - 2), start)
            around = text[max(0, start - _AROUND) : end + _AROUND]
            new = countries - found
            found |= {country for country in new if sure or _has_sign(country, around, language)}
    return frozenset(found)


def _looks(text: str, language: str) -> tuple[bool, bool]:
    """Whether a text may have German streets, and whether it looks continental."""
    if language in ("de", "en"):
        return language == "de", language == "de"
    if has_any(text, _GERMAN_STREETS):
        return True, True
    continental = language in _LANGUAGES or has_any(text, _OTHER_STREETS)
    return continental and has_any(text, _ALSO_GERMAN), continental


def _has_sign(country: str, around: str, language: str) -> bool:
    if country not in _SHARED_FORMS:
        return True
    languages, words = _SHARED_FORMS[country]
    return language in languages or has_any(around, words)


def _countries_of(text: str, start: int, end: int, continental: bool) -> frozenset[str]:
    """The countries whose postcode may be at the digits text[start:end]."""
    after = text[end : end + 5]
    length = end - start
    hyphenated = after[:1] == "-" and after[1:4].isdigit()
    if length == 5:
        if after[0] == "-":
            return _BRAZILIAN if hyphenated and not after[4:].isdigit() else _NONE
        stated = text[max(0, start - 3) : start].strip() in STATE_CODES
        return _FIVE if _name_follows(after) and not stated else _NONE
    if length == 4:
        return _of_four_digits(text, start, end, continental)
    if length in (2, 3) and _is_unspaced(text, start, after):
        return _BRITISH
    if length == 3:
        if hyphenated and text[start - 1 : start] == ".":
            return _BRAZILIAN  # "09.892-120"
        spaced = after[0] in " \xa0" and after[1:3].isdigit()
        return _SPACED if spaced and _name_follows(text[end + 3 : end + 8]) else _NONE
    if length == 2:
        joined = after[0] in "-–" and after[1:4].isdigit()
        return _POLISH if joined and not after[4:].isdigit() else _NONE
    if length == 1 and after[0].isupper():
        before = text[start - 1] if start else ""
        if before.isupper() and after[1:2] and (after[1].isdigit() or after[2:3].isdigit()):
            return _CANADIAN
        lettered = after[:2].isalpha() and after[:2].isupper()
        return _BRITISH if lettered and not after[2:3].isalnum() else _NONE
    return _NONE


def _is_unspaced(text: str, start: int, after: str) -> bool:
    """A British code without its space: "ME97BZ"."""
    lettered = after[:2].isalpha() and after[:2].isupper() and not after[2:3].isalnum()
    return lettered and text[max(0, start - 1) : start].isupper()


def _of_four_digits(text: str, start: int, end: int, continental: bool) -> frozenset[str]:
    after = text[end : end + 5]
    if text[max(0, start - 8) : start].rstrip(" ,.\xa0\n").endswith(AUSTRALIAN_STATES):
        return _AUSTRALIAN
    if not after:
        return _NONE
    if after[0] == "-" and after[1:4].isdigit():
        return _PORTUGUESE
    letters = after.lstrip(" \xa0")[:2]
    if letters.isupper() and letters.isalpha():
        return _FOUR_OR_DUTCH
    year = text[start : start + 2] in _YEARS and not continental and text[start - 1 : start] != "-"
    if year or not _name_follows(after):
        return _NONE
    words = text[end : end + _STREET_LENGTH].split()[1:4]
    is_street = any(word.strip(".,").lower() in TYPES for word in words)  # "1420 Main St"
    return _FOUR if continental or not is_street else _NONE


def _name_follows(after: str) -> bool:
    """Whether a separator and a capital follow, or only white space."""
    rest = after.lstrip(" \t\n\xa0,")
    return (len(rest) < len(after) and rest[:1].isupper()) or (not rest and after.isspace())
