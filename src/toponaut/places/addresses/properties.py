"""The properties of a structured address, under the names of schema.org and hCard, put in order.

Authors repeat the town behind the street, write "Springfield, IL 62701" as a town, "D-97070" as a code, and
leave forms' labels and templates' placeholders. What is known to go wrong is put right or thrown away here.
"""

import re
from typing import NamedTuple

from toponaut.places.addresses.regions import country_code, fold, is_country, likely_country
from toponaut.places.gazetteer import Gazetteer

Item = dict[str, object]

STREET = ("streetAddress", "street-address")
EXTENDED = ("extendedAddress", "extended-address")
_CITY = ("addressLocality", "locality")
_REGION = ("addressRegion", "region")
_POSTCODE = ("postalCode", "postal-code")
_COUNTRY = ("addressCountry", "country-name")
_BOX = ("postOfficeBoxNumber", "post-office-box")
IS_ADDRESS = frozenset((*STREET, *_BOX, *_CITY, *_POSTCODE))

# Labels and empty values as forms and templates leave them, folded.
_LABELS = (
    "address addressline1 streetaddress street strasse yourstreet youraddress addresshere city "
    "town locality state region zip zipcode postcode postalcode plz ort country na none null "
    "undefined nil tba tbd false true unknown online virtual various"
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
_PLACEHOLDERS = frozenset(
    {"123mainst", "123mainstreet", "1234mainst", "1234mainstreet", "123anystreet", "1234streetname"}
)
_FALSE_CODES = frozenset({"12345", "00000", "99999", "123456", "55555"})

_CODE_IN_CITY = re.compile(r"(?:[A-Z]{1,2}-)?(?P<code>\d{4,5})\s+(?P<city>\D+)")
_CITY_AND_STATE = re.compile(
    r"(?P<city>[^,]{2,60}),\s*(?P<region>[A-Za-z][A-Za-z. ]{1,30}?)\s*(?P<code>\d{5}(?:-\d{4})?)?"
)
_CODE_PREFIX = re.compile(r"^[A-Z]{1,2}-(?=\d{4})")
_STATE_AND_CODE = re.compile(r"(?P<region>[A-Z]{2})\s+(?P<code>\d{5}(?:-\d{4})?)")
_CODELESS = {
    "DE": "Postfach",
    "AT": "Postfach",
    "CH": "Postfach",
    "FR": "BP",
    "NL": "Postbus",
    "PT": "Apartado",
}


class Parts(NamedTuple):
    street: str  # with number and unit
    city: str
    region: str  # as written
    postcode: str
    country: str  # a code, "" if unknown


def text_of(item: Item, names: tuple[str, ...]) -> str:
    """The strings of the first of some properties that says something, joined; of a nested item its name."""
    for name in names:
        values = item.get(name)
        texts = []
        for value in values if isinstance(values, list) else ():
            text = (
                text_of(value, ("name", "@id"))
                if isinstance(value, dict)
                else str(value).strip(" ,;")
            )
            if text and text not in texts:
                texts.append(text)
        if texts:
            return ", ".join(texts) if name in STREET or name in EXTENDED else texts[0]
    return ""


def parts_of(item: Item, url: str, gazetteer: Gazetteer) -> Parts:
    """The properties of an address in order; junk is ""."""
    street, city, region, code, written = (
        _said(item, names) for names in (STREET, _CITY, _REGION, _POSTCODE, _COUNTRY)
    )
    city, region, code = _sorted_out(city, region, code)
    if region and not written and is_country(region, gazetteer):
        region, written = "", region
    country = country_code(written, gazetteer) or likely_country(city, region, code, url, gazetteer)
    if country == "US" and code.isdigit() and len(code) in (3, 4):
        code = code.zfill(5)  # a ZIP that a program took for a number
    street = _without_tail(street, [written, code, region, city])
    box = _said(item, _BOX)
    if not street and any(map(str.isdigit, box)):
        street = (
            f"{_CODELESS.get(country, 'PO Box')} {box}" if box.replace(" ", "").isdigit() else box
        )
    return Parts(street, city, region, code, country)


def is_junk(text: str) -> bool:
    """A label, a template's rest, or nothing."""
    return fold(text) in _NOTHING or not fold(text) or bool(_TEMPLATE.search(text))


def is_placeholder(number: str, street: str, parts: Parts) -> bool:
    """An address that stands for any: "123 Main St, Anytown", "Musterstraße 1, 12345 Musterstadt"."""
    if _NOWHERE.fullmatch(parts.city) or fold(street).startswith("yourstreet"):
        return True
    return fold(number + street) in _PLACEHOLDERS and (
        parts.postcode in _FALSE_CODES or not parts.city
    )


def _said(item: Item, names: tuple[str, ...]) -> str:
    text = text_of(item, names)
    return "" if is_junk(text) else text


def _sorted_out(city: str, region: str, code: str) -> tuple[str, str, str]:
    """Town, region and postcode, each where it belongs."""
    if found := _STATE_AND_CODE.fullmatch(code):
        region, code = region or found["region"], found["code"]
    if found := _CITY_AND_STATE.fullmatch(city):
        city, region, code = found["city"], region or found["region"], code or found["code"] or ""
    elif found := _CODE_IN_CITY.fullmatch(city):
        city, code = found["city"], code or found["code"]
    return city.strip(" ,"), region, _CODE_PREFIX.sub("", code)


def _without_tail(street: str, parts: list[str]) -> str:
    """A street line without the rest of the address repeated behind it.

    Behind a comma, or once the postcode was there: the "Paris" of "10 Rue de Paris" is left alone.
    """
    sure = False
    for part in filter(None, parts):
        rest = street[: -len(part)]
        if rest.strip() and street.casefold().endswith(part.casefold()) and not rest[-1].isalnum():
            apart = rest.rstrip()[-1] in ",;"
            if apart or sure or (part.isdigit() and len(part) >= 4):
                street, sure = rest.rstrip(" ,;"), True
    return street
