"""How the countries of the world write addresses: tables/address_formats and street_types.

Both tables are plain text, made to be corrected by hand (docs/how-to/add-a-country.md).
"""

import csv
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from msgspec import Struct


class AddressFormat(Struct, frozen=True):
    """How a country writes an address."""

    country: str
    postcode: re.Pattern[str] | None  # of a whole postcode, without the prefix
    languages: tuple[str, ...]  # the most spoken first
    number_first: bool  # the house number comes before the street's name
    town_first: bool  # the town comes before the street
    code_last: bool  # the postcode comes after the town


class StreetTypes(Struct, frozen=True):
    """Words that make a name a street, in lower case, each with its languages."""

    words: Mapping[str, frozenset[str]]  # a word of its own: "rue", "ul."
    endings: Mapping[str, frozenset[str]]  # the end of a word: "straße", "gatan", "路"
    leading: Mapping[str, frozenset[str]]  # the first word, with a capital: "Am", "Zum"


@cache
def address_formats() -> Mapping[str, AddressFormat]:
    """By country code."""
    return {row["country"]: _format(row) for row in _rows("address_formats")}


@cache
def street_types() -> StreetTypes:
    found: dict[str, dict[str, set[str]]] = {"word": {}, "ending": {}, "leading": {}}
    for row in _rows("street_types"):
        for word in row["words"].split():
            found[row["position"]].setdefault(word, set()).add(row["language"])
    words, endings, leading = (
        {word: frozenset(languages) for word, languages in found[position].items()}
        for position in ("word", "ending", "leading")
    )
    return StreetTypes(words, endings, leading)


def _format(row: dict[str, str]) -> AddressFormat:
    postcode = None
    if row["postcode"]:
        # The letters before a code are written or left out: "LV-1010", "SE 113 56", "1010".
        letters = {row["prefix"], row["country"], row["country"][:1]} - {""}
        prefix = "|".join(sorted(letters, key=len, reverse=True))
        postcode = re.compile(rf"(?:(?:{prefix})[ -]?)?(?P<code>{row['postcode']})")
    order = row["order"]
    town, code = order.find("C"), order.find("Z")
    return AddressFormat(
        row["country"],
        postcode,
        tuple(row["languages"].split()),
        row["number"] == "before",
        -1 < town < order.find("A"),
        -1 < town < code or (town < 0 and order.find("S") < code),
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    tables = resources.files("toponaut.places.gazetteer").joinpath("tables")
    lines = tables.joinpath(f"{name}.tsv").read_text("utf-8").splitlines()
    yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
