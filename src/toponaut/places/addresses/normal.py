"""The normal form of an address: equal for its spellings, different for different addresses.

    123 N. Main St., Ste 4, Denver, CO 80202  ->  123 north main street #4, 80202, us
    123 North Main Street #4, Denver 80202    ->  the same

Letters become plain lower case. US directions and street types are written out, ordinals and number
words become digits. German "Straße", "Strasse" and "Str." become "strasse". Suite, unit, apartment
and "#" all become "#"; floors and buildings stay. A ZIP+4 counts as its ZIP. If there is a
postcode, the town's name is left out: a town has many names.
"""

import re
import unicodedata
from functools import lru_cache

from toponaut.places.addresses.us.words import DIRECTIONS, NUMBER_WORDS, ORDINAL_WORDS, TYPES, UNITS

_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l"}
_FRACTIONS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "–": "-", "—": "-", "’": "'", "‘": "'"}
_UMLAUT_TABLE, _FRACTION_TABLE = str.maketrans(_UMLAUTS), str.maketrans(_FRACTIONS)
_GERMAN = frozenset({"DE", "AT", "CH", "LI"})
_STRASSE = re.compile(r"(?:strasse|str)\b")
_COUNTY = re.compile(r"\bco(?= (?:rd|road|hwy|highway)\b)")
_WORD = re.compile(r"[a-z0-9]+(?:[-/][a-z0-9]+)*|#")
_SAME_UNIT = frozenset(
    {"suite", "unit", "apartment", "number", "room", "space", "#", "office", "shop", "store"}
)
_FIRST = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort", "dr": "doctor"}

_remembered = lru_cache(maxsize=8192)  # the address in a site's footer is on each of its pages


@_remembered
def normal_form(
    number: str, street: str, unit: str, city: str, state: str, postcode: str, country: str
) -> str:
    """Parts are as written or codes; any may be empty."""
    country = country.upper()
    line = f"{_number(number, country)} {_street(street, country)}".strip()
    if unit:
        line = f"{line} {_unit(unit)}".strip()
    code = re.sub(r"[\s.-]", "", postcode.lower())
    code = code[:5] if country == "US" else code
    area = (code,) if code else (_city(city, country), state.lower())
    return ", ".join(filter(None, (line, *area, country.lower())))


def plain(text: str, country: str = "") -> str:
    """Lower-case ASCII letters, without points and apostrophes."""
    if text.isascii():
        return text.lower().replace(".", "").replace("'", "")
    text = text.translate(_FRACTION_TABLE).lower()
    if country in _GERMAN:
        text = text.translate(_UMLAUT_TABLE)
    text = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return re.sub(r"[.']", "", "".join(char for char in text if not unicodedata.combining(char)))


@_remembered
def _number(number: str, country: str) -> str:
    text = re.sub(r"\s*-\s*", "-", plain(number, country))
    text = _in_digits(text) if country == "US" else text
    return re.sub(r"(?<=\d)\s+(?=[a-z]\b)", "", " ".join(text.split()))  # "1 a" is "1a"


def _in_digits(number: str) -> str:
    """ "one" -> 1, "twenty-five" -> 25, "one hundred" -> 100; anything else stays."""
    total = 0
    for word in re.findall(r"[a-z]+|.", number.replace("-", " ")):
        if word in NUMBER_WORDS:
            total += int(NUMBER_WORDS[word])
        elif word == "hundred":
            total *= 100
        elif word != " ":
            return number
    return str(total or number)


@_remembered
def _street(street: str, country: str) -> str:
    text = plain(street, country)
    if country in _GERMAN:
        words = _WORD.findall(_STRASSE.sub("strasse", text.replace("-", " ")))
        return " ".join(words).replace(" strasse", "strasse")
    if country != "US":
        return " ".join(re.findall(r"\w+", text))
    text = re.sub(r"\b(north|south)-(east|west)\b", r"\1\2", text)
    text = _COUNTY.sub("county", text)
    words = re.findall(r"\w+", text.replace("&", " and ").replace(" at ", " and "))
    if len(words) > 2 and words[-1] in DIRECTIONS and words[0] not in DIRECTIONS:
        words.insert(0, words.pop())  # "Main St W" is "W Main St"
    first = next((k for k, word in enumerate(words[:-1]) if word not in DIRECTIONS), -1)
    return " ".join(_us_word(word, k == first) for k, word in enumerate(words))


def _us_word(word: str, is_first: bool) -> str:
    """A word of a street's name, written out. "St" and "Dr" at its beginning are names."""
    if is_first and word in _FIRST:
        return _FIRST[word]
    return DIRECTIONS.get(word) or TYPES.get(word) or ORDINAL_WORDS.get(word) or word


def _unit(unit: str) -> str:
    words = [UNITS.get(word, word) for word in _WORD.findall(plain(unit).replace("&", " "))]
    words = [NUMBER_WORDS.get(word) or ORDINAL_WORDS.get(word) or word for word in words]
    kept = ["#" if word in _SAME_UNIT else word for word in words if word != "po"]
    text = " ".join(kept)
    text = re.sub(r"(\d+)(?:st|nd|rd|th) (floor|level)", r"\2 \1", text)
    return re.sub(r"(?:# ?)+", "#", text)


def _city(city: str, country: str) -> str:
    words = re.findall(r"\w+", plain(city, country).replace("-", " "))
    if words and words[0] in _FIRST and len(words) > 1:
        words[0] = _FIRST[words[0]]
    return " ".join(words)


@_remembered
def house_line(number: str, street: str) -> str:
    """Number and street alike for spellings of one house in any country.

    Other data may not say its country, so all conventions apply: "12 Lange Str." is "12 lange
    strasse", "8 N Oak St" is "8 north oak street".
    """
    text = _STRASSE.sub(" strasse", plain(street, "DE").replace("-", " "))
    words = re.findall(r"\w+", text)
    return f"{house_number(number)} {' '.join(_us_word(word, False) for word in words)}"


def house_number(number: str) -> str:
    """ "12 A" -> "12a"."""
    return re.sub(r"[^\w/-]", "", plain(number))
