"""The parts of a structured address, from the properties of schema.org and hCard.

Authors repeat the town after the street, write "Springfield, IL 62701" as a town, "D-97070" as a
code, and leave labels of forms and placeholders of templates. Known mistakes are fixed or dropped
here.
"""

import re
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from toponaut.places.addresses.regions import country_code, fold, is_country, likely_country
from toponaut.places.addresses.us.words import DIRECTIONS, STRONG_TYPES
from toponaut.places.gazetteer import Gazetteer

Item = dict[str, object]

STREET = ("streetAddress", "street-address")
EXTENDED = ("extendedAddress", "extended-address")
_LINES = frozenset(STREET + EXTENDED)  # of several values, all are parts
_CITY = ("addressLocality", "locality")
_REGION = ("addressRegion", "region")
_POSTCODE = ("postalCode", "postal-code")
_COUNTRY = ("addressCountry", "country-name")
_BOX = ("postOfficeBoxNumber", "post-office-box")
IS_ADDRESS = frozenset((*STREET, *_BOX, *_CITY, *_POSTCODE))

# Labels and empty values that forms and templates leave, folded.
_LABELS = (
    "address addressline1 streetaddress street strasse yourstreet youraddress addresshere city "
    "town locality state region zip zipcode postcode postalcode plz ort country na none null "
    "undefined nil tba tbd false true unknown online virtual various comingsoon"
)
_NOTHING = frozenset(_LABELS.split())
_TEMPLATE = re.compile(
    r"\{\{|\}\}|<%|%>|\$\{|\[\w+\]|^(?:enter |your |insert |street address|lorem ipsum)",
    re.IGNORECASE,
)
_NOWHERE = re.compile(
    r"any ?(?:town|city|where)|(?:your|my|sample|example|test|some) ?(?:town|city)|city ?name|"
    r"muster(?:stadt|hausen|ort)",
    re.IGNORECASE,
)
_PLACEHOLDERS = (
    "123mainst 123mainstreet 1234mainst 1234mainstreet 123anystreet 1234streetname".split()
)
_EXAMPLE_STREETS = (
    *"yourstreet streetname samplestreet examplestreet musterstr musterweg beispielstr".split(),
    *"mustermann ruedelexemple calleejemplo callefalsa viaesempio".split(),
)
# With the number 123 they are examples anywhere: "123 Community Street, Chicago".
_EXAMPLE_NAMES = ("community", "business", "example", "sample", "demo", "test", "fake", "any")
_EXAMPLE_NUMBERS = frozenset({"123", "1234", "12345"})
_FALSE_CODES = frozenset({"12345", "00000", "99999", "123456", "55555"})

_CODE_IN_CITY = re.compile(r"(?:[A-Z]{1,2}-)?(?P<code>\d{4,5})\s+(?P<city>\D+)")
_CITY_AND_STATE = re.compile(
    r"(?P<city>[^,]{2,60}),\s*(?P<region>[A-Za-z][A-Za-z. ]{1,30}?)\s*(?P<code>\d{5}(?:-\d{4})?)?"
)
_CODE_PREFIX = re.compile(r"^[A-Z]{1,2}-(?=\d{4})")
_STATE_AND_CODE = re.compile(
    r"(?P<region>[A-Z]{2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?),?\s+(?P<code>\d{5}(?:-\d{4})?)"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]+")
_BRACKETED_UNIT = re.compile(
    r"\s*\(((?:suite|ste|unit|apt|room|floor|bldg)\b[^()]*)\)", re.IGNORECASE
)
_UNIT_COLON = re.compile(r"\b(suite|ste|unit|apt|room|rm)\.?\s?:\s?(?=\w)", re.IGNORECASE)
# A building before the number, without a comma: "West Hall 1801 Oak Ave".
_HALL_FIRST = re.compile(r"(?P<hall>[A-Z][^\d,#]{2,40}?) (?P<line>\d{1,6}[A-Za-z]? .+)")
_NUMBERED = re.compile(
    r"(?:box|hwy|highway|route|rte|road|rd|us|suite|ste|unit|apt|room|floor|bldg|building|no|lot|pier"
    r"|sr|cr|fm|interstate|mile|and|at)\.?$",
    re.IGNORECASE,
)
_CORNER = re.compile(r"[&@/]| (?:and|at) ", re.IGNORECASE)
_BOX_NAMES = {"FR": "BP", "NL": "Postbus", "PT": "Apartado"}
_BOX_NAMES |= dict.fromkeys(("DE", "AT", "CH"), "Postfach")


class StructuredParts(NamedTuple):
    street: str  # with number and unit
    city: str
    region: str  # as written
    postcode: str
    country: str  # a code, "" if unknown


def text_of(item: Item, names: tuple[str, ...]) -> str:
    """The text of the first non-empty property; of a nested item its name."""
    for name in names:
        values = item.get(name)
        if not isinstance(values, list):
            continue
        if name in _LINES:
            if line := ", ".join(dict.fromkeys(filter(None, map(_text, values)))):
                return line
            continue
        for value in values:
            if text := _text(value):
                return text
    return ""


def _text(value: object) -> str:
    if isinstance(value, dict):
        return text_of(value, ("name", "@id"))
    return decoded(str(value)).strip(" ,;")


def decoded(text: str) -> str:
    """Without invisible signs and the HTML entities that JSON keeps: "Joe&#39;s &amp; Co"."""
    text = unescape(text) if "&" in text else text
    return text if text.isascii() else _INVISIBLE.sub("", text)


def has_street(item: Item) -> bool:
    return any(name in item for name in (*STREET, *_BOX))


def parts_of(item: Item, url: str, gazetteer: Gazetteer) -> StructuredParts:
    """The parts of an address, each in its place; junk is ""."""
    street, written = _cleaned(item, STREET), _cleaned(item, _COUNTRY)
    city, region, code = _separated(*(_cleaned(item, one) for one in (_CITY, _REGION, _POSTCODE)))
    if region and not written and is_country(region, gazetteer):
        region, written = "", region
    country = country_code(written, gazetteer) or likely_country(city, region, code, url, gazetteer)
    if country == "US" and code.isdigit() and len(code) in (3, 4):
        code = code.zfill(5)  # a ZIP that a program stored as a number
    street = _without_tail(street, [written, code, region, city])
    if country == "US":
        street = _us_street(street, city)
    box = _cleaned(item, _BOX)
    if not street and any(map(str.isdigit, box)):
        is_number = box.replace(" ", "").isdigit()
        street = f"{_BOX_NAMES.get(country, 'PO Box')} {box}" if is_number else box
    return StructuredParts(street, city, region, code, country)


def _us_street(street: str, city: str) -> str:
    """A street line with its unit after a comma, and without a town that was written after it."""
    if "(" in street:
        street = _BRACKETED_UNIT.sub(r", \1", street)
    if ":" in street:
        street = _UNIT_COLON.sub(r"\1 ", street)
    line = street.removesuffix(f" {city}") if city else street
    words = line.split()
    is_whole = len(words) > 2 and _ends_street(words[-1])
    if is_whole and words[0][0].isdigit():
        street = line
    found = _HALL_FIRST.fullmatch(street)
    if found and _ends_street(found["line"].split()[-1]) and not _NUMBERED.search(found["hall"]):
        street = f"{found['line']}, {found['hall']}"
    return street


def _ends_street(word: str) -> bool:
    key = word.rstrip(".,").lower()
    return key in STRONG_TYPES or key in DIRECTIONS


def is_street(number: str, street: str, country: str) -> bool:
    """Whether a US line may be a street: it has a number, a type, or two streets at a corner."""
    if country != "US" or number or any(map(str.isdigit, street)) or _CORNER.search(street):
        return True
    return any(map(_ends_street, street.split()[1:]))


@lru_cache(maxsize=8192)  # parts repeat on the pages of a site
def is_junk(text: str) -> bool:
    """Whether it is a label, a leftover of a template, or empty."""
    folded = fold(text)
    return folded in _NOTHING or not folded or bool(_TEMPLATE.search(text))


def is_placeholder(number: str, street: str, parts: StructuredParts) -> bool:
    """Whether it is only an example: "123 Main St, Anytown", "12345 Musterstadt"."""
    if _NOWHERE.fullmatch(parts.city) or fold(street).startswith(_EXAMPLE_STREETS):
        return True
    if number in _EXAMPLE_NUMBERS and street.lower().split(" ")[0] in _EXAMPLE_NAMES:
        return True
    false_area = parts.postcode in _FALSE_CODES or not parts.city
    return false_area and fold(number + street) in _PLACEHOLDERS


def _cleaned(item: Item, names: tuple[str, ...]) -> str:
    text = text_of(item, names)
    return "" if is_junk(text) else text


def _separated(city: str, region: str, code: str) -> tuple[str, str, str]:
    """Town, region and postcode, each in its own part."""
    if found := _STATE_AND_CODE.fullmatch(region):  # "IL 62704"
        region, code = found["region"], code or found["code"]
    if found := _STATE_AND_CODE.fullmatch(code):
        region, code = region or found["region"], found["code"]
    if found := _CITY_AND_STATE.fullmatch(city):
        city, region, code = found["city"], region or found["region"], code or found["code"] or ""
    elif found := _CODE_IN_CITY.fullmatch(city):
        city, code = found["city"], code or found["code"]
    return city.strip(" ,"), region, _CODE_PREFIX.sub("", code)


def _without_tail(street: str, parts: list[str]) -> str:
    """A street line without the parts repeated after it; "Paris" in "10 Rue de Paris" stays."""
    sure = False
    for part in filter(None, parts):
        rest = street[: -len(part)]
        if rest.strip() and street.casefold().endswith(part.casefold()) and not rest[-1].isalnum():
            apart = rest.rstrip()[-1] in ",;"
            if apart or sure or (part.isdigit() and len(part) >= 4):
                street, sure = rest.rstrip(" ,;"), True
    return street
