"""The owner and the point of a structured address: name, phone, hours and point of its maps."""

import re

from msgspec.structs import replace

from toponaut.places.addresses.contact.categories import category_of_types
from toponaut.places.addresses.contact.hours import hours_of
from toponaut.places.addresses.normal import normal_form
from toponaut.places.addresses.regions import fold
from toponaut.places.addresses.structured.properties import Item, decoded, is_junk, text_of
from toponaut.records import Address, Page, Precision

Point = tuple[float, float]

_NAMES = ("org", "organization-name", "name", "fn", "legalName")
_PHONES = ("telephone", "tel", "phone")
# Types whose names are titles of events, offers or texts, not of organisations.
_TITLES = (
    "Article NewsArticle BlogPosting WebPage WebSite ContactPage AboutPage CollectionPage FAQPage "
    "JobPosting Offer Product Review ItemList ListItem Recipe Course CreativeWork VideoObject "
    "ImageObject BreadcrumbList Residence SingleFamilyResidence Apartment House RealEstateListing "
    "Person"
)
_TITLED = frozenset(_TITLES.split())
_URL = re.compile(r"^(?:https?:|mailto:|tel:|/|www\.)", re.IGNORECASE)
_WEB = re.compile(r"https?://[\w-]+\.", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s]{1,64}@[\w.-]{3,190}")
_LONGEST_URL = 300
_DECIMAL = re.compile(r"-?\d{1,3}(?:\.\d+)?")


def with_owner(address: Address, item: Item, around: tuple[Item, ...], alone: bool) -> Address:
    """With the name, phone, hours and point of the item or of the maps around it, nearest first.

    If the map has several addresses (`alone` is False), its point is not used.
    """
    owners = [owner for owner in around[:2] if not is_title_type(owner)]
    names = [_organisation(one) for one in (*owners, item)] + [_employer(one) for one in around]
    maps = (item, *owners)
    names = [name for name in names if name and not _is_place_name(name, address)]
    address = replace(
        address,
        organisation=names[0] if names else "",
        phone=next(filter(None, map(_phone, maps)), ""),
        hours=next(filter(None, map(hours_of, maps)), ""),
        category=next(filter(None, (category_of_types(one.get("@type")) for one in owners)), ""),
        website=next(filter(None, map(_website, owners)), "") if names else "",
        email=next(filter(None, map(_email, maps)), ""),
    )
    point = _given_point(maps if alone else maps[:1])
    return with_point(address, point) if point else address


def is_title_type(item: Item) -> bool:
    types = item.get("@type")
    if not isinstance(types, list) or not types:
        return False
    return all(str(one) in _TITLED or str(one).endswith("Event") for one in types)


def _organisation(item: Item) -> str:
    """The name of an item. hCards give "org" as a name or as a nested card."""
    for key in _NAMES:
        values = item.get(key)
        for value in values if isinstance(values, list) else ():
            if isinstance(value, dict):
                value = text_of(value, ("organization-name", "name"))
            if isinstance(value, str) and not is_junk(value) and not _URL.match(value):
                return " ".join(decoded(value).split())[:200]
    return ""


def _employer(item: Item) -> str:
    """The employer of a job offer."""
    values = item.get("hiringOrganization")
    value = values[0] if isinstance(values, list) and values else ""
    return _organisation(value) if isinstance(value, dict) else str(value)[:200]


def _is_place_name(name: str, address: Address) -> bool:
    """Whether a name is only the address of a house, or the town of a branch."""
    if fold(name) == fold(address.city) or is_own_street(name, address):
        return True
    line = _line(address.number, address.street, address.country)
    return bool(line) and f"{_line('', name, address.country)} ".startswith(f"{line} ")


def _line(number: str, street: str, country: str) -> str:
    return normal_form(number, street, "", "", "", "", country).partition(",")[0]


def is_own_street(name: str, address: Address) -> bool:
    """Whether a name is only the street line, in any spelling: "8 Oak St" at 8 Oak Street."""
    if not address.street or not any(map(str.isdigit, name)):
        return fold(name) == fold(address.street) != ""
    line = _line(address.number, address.street, address.country)
    return sorted(line.split()) == sorted(_line("", name, address.country).split())


def without_street(name: str, address: Address) -> str:
    """A name without the street before it: "Oak Street 8, Acme Tools"."""
    if not address.street or not name.startswith(address.street):
        return name
    rest = name[len(address.street) :].lstrip(" 0123456789")
    return rest[1:].lstrip() or name if rest[:1] == "," else name


def _phone(item: Item) -> str:
    contacts = item.get("contactPoint")
    direct = text_of(item, _PHONES)
    if direct or not isinstance(contacts, list):
        return direct.removeprefix("tel:")[:40]
    phones = (text_of(one, _PHONES) for one in contacts if isinstance(one, dict))
    return next(filter(None, phones), "")[:40]


def _website(item: Item) -> str:
    url = text_of(item, ("url",))
    return url[:_LONGEST_URL] if _WEB.match(url) else ""


def _email(item: Item) -> str:
    """ "mailto:Info@acme.com?subject=..." -> "info@acme.com"."""
    email = text_of(item, ("email",)).removeprefix("mailto:").partition("?")[0].strip().lower()
    return email if _EMAIL.fullmatch(email) else ""


def _given_point(items: tuple[Item, ...]) -> Point | None:
    for item in items:
        geo = item.get("geo")
        for one in (item, *(geo if isinstance(geo, list) else ())):
            pair = _coordinates(one)
            if len(pair) == 2 and (point := _point(*pair)):
                return point
    return None


def _coordinates(value: object) -> list[str]:
    """Of {"latitude": ..., "longitude": ...} and of "53.1;8.2"."""
    if isinstance(value, dict):
        return [text_of(value, ("latitude",)), text_of(value, ("longitude",))]
    return _DECIMAL.findall(str(value))[:2]


def _point(lat: str, lon: str) -> Point | None:
    """A point on Earth, with decimal point or comma; templates write (0, 0) for unknown."""
    try:
        point = float(lat.replace(",", ".")), float(lon.replace(",", "."))
    except ValueError:
        return None
    return point if abs(point[0]) <= 90 and abs(point[1]) <= 180 and any(point) else None


def with_point(address: Address, point: Point) -> Address:
    return replace(address, lat=point[0], lon=point[1], precision=Precision.GIVEN)


def page_point(page: Page) -> Point | None:
    """The point in a page's meta tags: geo.position, ICBM, or Open Graph."""
    tags = dict(reversed(page.geo))
    pairs = [_DECIMAL.findall(tags.get(name, ""))[:2] for name in ("geo.position", "icbm")]
    families = ("place:location:", "og:")
    pairs += [[tags.get(one + key, "") for key in ("latitude", "longitude")] for one in families]
    return next((point for pair in pairs if len(pair) == 2 and (point := _point(*pair))), None)
