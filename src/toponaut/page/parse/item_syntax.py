"""The three syntaxes of structured data in attributes: microdata, RDFa Lite, microformats (hCard).

All put items into elements and properties into items, but use different attributes. So a syntax is
a function from a tag's attributes to their meaning, and one walk (items.py) serves all.
"""

from collections.abc import Callable
from typing import NamedTuple

from toponaut.page.parse.jsonld import type_name

_LINKING = {"a": "href", "area": "href", "link": "href"}
_LINKING |= {"object": "data", "data": "value", "meter": "value"}
_LINKING |= dict.fromkeys(("img", "audio", "video", "source", "embed", "iframe", "track"), "src")

_CARD_TYPES = {"vcard": "vcard", "h-card": "vcard", "adr": "adr", "h-adr": "adr"}
_CARD_TYPES |= {"geo": "geo", "h-geo": "geo"}
_CARD_WORDS = (
    "fn org organization-name organization-unit adr post-office-box extended-address "
    "street-address locality region postal-code country-name label geo latitude longitude "
    "tel email url note"
)
_CARD_PROPERTIES = {name: name for name in _CARD_WORDS.split()} | {
    f"{prefix}-{name}": name for prefix in "pu" for name in ("name", *_CARD_WORDS.split())
}
CARD_CLASSES = _CARD_TYPES.keys() | _CARD_PROPERTIES.keys()
URLS = frozenset({"url", "email"})


class TagMeaning(NamedTuple):
    """The meaning of a tag in a syntax: the item it begins, the properties it gives."""

    types: list[str] | None = None  # None: not an item
    properties: tuple[str, ...] = ()
    value: str | None = None  # the properties' value, if not the element's text
    url: str | None = None  # the value of "url" and "email", if different
    refers: tuple[str, ...] = ()  # ids of other elements that belong to the item


_NO_MEANING = TagMeaning()


def _microdata(name: str, given: dict[str, str]) -> TagMeaning:
    types = (
        [type_name(one) for one in given.get("itemtype", "").split()]
        if "itemscope" in given
        else None
    )
    value = (
        given.get("content")
        if name == "meta"
        else given.get("content", given.get(_LINKING.get(name, "")))
    )
    if name == "time":
        value = given.get("datetime", value)
    properties = tuple(map(type_name, given.get("itemprop", "").split()))
    return TagMeaning(types, properties, value, refers=tuple(given.get("itemref", "").split()))


def _rdfa(name: str, given: dict[str, str]) -> TagMeaning:
    types = [type_name(one) for one in given["typeof"].split()] if "typeof" in given else None
    value = given.get("content", given.get("resource", given.get(_LINKING.get(name, ""))))
    if name == "time":
        value = given.get("content", given.get("datetime"))
    return TagMeaning(types, tuple(map(type_name, given.get("property", "").split())), value)


def _hcard(name: str, given: dict[str, str]) -> TagMeaning:
    classes = given.get("class", "").split()
    if CARD_CLASSES.isdisjoint(classes):
        return _NO_MEANING
    types = list(dict.fromkeys(_CARD_TYPES[one] for one in classes if one in _CARD_TYPES)) or None
    properties = tuple(
        dict.fromkeys(_CARD_PROPERTIES[one] for one in classes if one in _CARD_PROPERTIES)
    )
    value = given.get("value") if name == "data" else None
    if name == "abbr" or "value-title" in classes:
        value = given.get("title")
    elif name == "img":
        value = given.get("alt")
    return TagMeaning(
        types, properties, value, given.get("href") if name in ("a", "area") else None
    )


class ItemSyntax(NamedTuple):
    """How items are written."""

    name: str
    markers: tuple[str, ...]  # every page with the syntax contains one of them
    read: Callable[[str, dict[str, str]], TagMeaning]
    hints: tuple[str, ...]  # every tag with a meaning contains one of them


_ALL = (
    ItemSyntax("microdata", ("itemscope",), _microdata, ("item", "id=")),
    ItemSyntax("rdfa", ("typeof",), _rdfa, ("typeof", "property")),
    ItemSyntax("hcard", ("vcard", "h-card", "adr", "h-adr"), _hcard, ("class",)),
)
SYNTAXES = {syntax.name: syntax for syntax in _ALL}
