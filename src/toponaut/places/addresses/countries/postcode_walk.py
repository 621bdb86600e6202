"""How an address is found: start at the postcode, check its town, walk to the street.

A postcode is rare and has a strict form, so one pattern finds it first. Then the town next to it is
read and checked against the postcode table and the gazetteer (towns.py). Then the segments around
it (segments.py) are walked, nearest first, until one reads as a street (street_search.py). The walk
skips floors, parts of buildings, labels and one stray segment (a district). Without a street there
is no address: "26122 Oldenburg" alone is not one.

    street -> town -> postcode   "88 Wood Street, London EC2V 7RS"   town_before_postcode
    street -> postcode -> town   "Escherweg 2, 26121 Oldenburg"      postcode_before_town
    postcode -> town -> street   "26121 Oldenburg, Escherweg 2"      the same, if no street precedes

A country gives its `CountryRules`: patterns, and a function that reads a segment as a street. Each
step is bounded, so the time grows linearly with the number of postcodes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from toponaut.places.addresses.countries import towns
from toponaut.places.addresses.countries.rules import NOTHING, STRONG, WEAK, YEAR, CountryRules
from toponaut.places.addresses.countries.segments import Segment, segments_before
from toponaut.places.addresses.countries.street_search import (
    StreetSpan,
    has_street_after,
    street_after,
    street_before,
    walk_back,
)
from toponaut.places.addresses.countries.towns import TownMatch
from toponaut.places.addresses.digits import matches_at_numbers
from toponaut.places.gazetteer.gazetteer import Gazetteer, Postcode
from toponaut.records import Address

MOST_POSTCODES = 5000  # bounds hostile pages; no honest page has as many
_LONGEST_PREFIX = 6  # characters; every prefix has a capital
_LONGEST_BOX = 18  # characters: "Boîte postale n° "


class _Code(Struct, frozen=True):
    """A postcode; it starts with its prefix ("D-"), which `text` leaves out."""

    start: int
    end: int
    text: str


def postcode_before_town(text: str, gazetteer: Gazetteer, rules: CountryRules) -> list[Address]:
    """Addresses whose postcode comes before the town, with the street before or after both."""
    found: list[Address] = []
    floor, forward = 0, False
    for code in _postcodes(text, rules):
        if code.start < floor or (not rules.townless and _is_in_prose(text, code)):
            continue
        post = gazetteer.postcode(rules.country, code.text)
        doubtful = rules.strict and YEAR.fullmatch(code.text) is not None
        if doubtful and post is None:
            continue
        words = towns.town_words(text, code.end, rules)
        if not words and not rules.townless and text[code.start - 1 : code.start] != "(":
            continue
        agreed = towns.agreeing(text, words, post)
        if doubtful and agreed is None:
            continue
        needs_name = agreed is None and (post is None or (rules.strict and words))
        if needs_name and not towns.may_be_known(text, words, rules.country, gazetteer):
            continue
        near, town = _in_brackets(text, code, floor, post, rules)
        near = near or street_before(text, code.start, floor, rules)
        town = town or agreed
        if town is None and (near or has_street_after(text, words, rules)):
            town = towns.looked_up(text, words, rules.country, post, gazetteer)
        if town is not None:
            town = towns.lengthened(text, town, post, rules, gazetteer)
            near = near or street_after(text, town.end, rules, forward)
        address = _judged(text, code, near, town, post, rules) if near else None
        if address and near:
            found.append(address)
            floor, forward = address.end, near.forward
    return found


def town_before_postcode(text: str, gazetteer: Gazetteer, rules: CountryRules) -> list[Address]:
    """Addresses in the order street, town, region, postcode."""
    found: list[Address] = []
    floor = 0
    for code in _postcodes(text, rules):
        segments = segments_before(text, code.start, floor, rules.number)
        while segments and rules.passed.fullmatch(text, segments[0].start, segments[0].end):
            segments.pop(0)
        state, segments = _region(text, segments, rules)
        if not segments or (rules.stated and not state):
            continue
        if not any(map(str.isupper, text[segments[0].start : segments[0].end])):
            continue
        post = gazetteer.postcode(rules.country, code.text)
        split = towns.town_at_end(text, segments[0], post, rules, gazetteer)
        if split is None:
            continue
        town, rest = split
        near = walk_back(text, rest + segments[1:], rules)
        if near is None or (town.trust < towns.UNKNOWN and not _believed(near, town, rules)):
            continue
        found.append(_address(near, town, code, rules, state=state, end=code.end))
        floor = code.end
    return found


def _postcodes(text: str, rules: CountryRules) -> Iterator[_Code]:
    """Postcodes that are not part of a longer word or number; "" for the number of a post box."""
    has_boxes = rules.box is not NOTHING
    for start, end in _spans(rules.postcode, rules.digits, text):
        code, first = text[start:end], max(0, start - _LONGEST_PREFIX)
        before = text[first:start]
        if before != before.lower() and (prefix := rules.prefix.search(text, first, start)):
            start = prefix.start()
        if has_boxes and (box := rules.box.search(text, max(0, start - _LONGEST_BOX), start)):
            yield _Code(box.start(), end, "")
        elif start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "./+-_"):
            yield _Code(start, end, code)


@lru_cache(maxsize=2)  # countries that share a form of postcode read a text one after the other
def _spans(postcode: re.Pattern[str], digits: tuple[int, ...], text: str) -> list[tuple[int, int]]:
    found = matches_at_numbers(postcode, text, digits) if digits else postcode.finditer(text)
    return [match.span() for match in islice(found, MOST_POSTCODES)]


def _is_in_prose(text: str, code: _Code) -> bool:
    """Whether a small letter follows ("2014 and"): towns begin with a capital. A quick test."""
    following = text[code.end : code.end + 5].lstrip(" \t\n\xa0,")[:1]
    return following.islower() and text[code.start - 1 : code.start] != "("


def _in_brackets(
    text: str, code: _Code, floor: int, post: Postcode | None, rules: CountryRules
) -> tuple[StreetSpan | None, TownMatch | None]:
    """Street and town before a postcode in brackets: "12, rue des Tanneurs à Lille (59000)"."""
    bracketed = text[code.start - 1 : code.start] == "(" and text[code.end : code.end + 1] == ")"
    if post is None or not bracketed:
        return None, None
    segments = segments_before(text, code.start, floor, rules.number)
    split = towns.agreeing_at_end(text, segments[0], post) if segments else None
    if split is None:
        return None, None
    town, rest = split
    near = walk_back(text, rest + segments[1:], rules)
    return (near, town) if near else (None, None)


def _judged(
    text: str,
    code: _Code,
    near: StreetSpan,
    town: TownMatch | None,
    post: Postcode | None,
    rules: CountryRules,
) -> Address | None:
    """The address, if street, postcode and town together are believable."""
    if town is None:
        if not rules.townless or post is None or near.street.strength < STRONG or near.forward:
            return None
        nowhere = TownMatch(code.end, code.end, post.city, post.place, towns.FAR)
        return _address(near, nowhere, code, rules, end=code.end, inferred=("city",))
    if not _believed(near, town, rules):
        return None
    weak = near.street.strength == WEAK and town.trust < towns.EXACT
    if weak and "\n" in text[code.end : town.start]:
        return None  # a column of figures above a word: "Holz 2820 2802 / Alle"
    state, length = rules.region(text[town.end : town.end + 40]) if rules.region else ("", 0)
    end = max(near.end, code.end, town.end + length)
    return _address(near, town, code, rules, state=state, end=end)


def _address(
    near: StreetSpan,
    town: TownMatch,
    code: _Code,
    rules: CountryRules,
    *,
    end: int,
    state: str = "",
    inferred: tuple[str, ...] = (),
) -> Address:
    return Address(
        text="",
        start=min(near.start, code.start),
        end=end,
        number=near.street.number,
        street=near.street.street,
        unit=near.unit,
        city=town.name,
        state=state,
        postcode=code.text,
        country=rules.country,
        place=town.place,
        inferred=inferred,
        confidence=round(town.trust * near.street.strength, 3),
    )


def _believed(near: StreetSpan, town: TownMatch, rules: CountryRules) -> bool:
    """A town that does not agree with its postcode needs a street beyond doubt."""
    if rules.strict and town.trust == towns.BOXED and near.street.strength == WEAK:
        return False  # the code is in no table: "Vol. 12, 1998 Oslo"
    if town.trust > towns.UNKNOWN:
        return True
    if not rules.digits and any(map(str.isdigit, near.unit)):
        return True  # "Unit 29, Mill Road", and a postcode that no other country has
    return not rules.strict and near.street.strength == STRONG and bool(near.street.number)


def _region(text: str, segments: list[Segment], rules: CountryRules) -> tuple[str, list[Segment]]:
    """The state at the end of the nearest segment, and the segments without it."""
    if not segments or rules.region is None:
        return "", segments
    first = segments[0]
    state, length = rules.region(text[first.start : first.end])
    if not length:
        return "", segments
    end = first.start + len(text[first.start : first.end - length].rstrip(" ,\xa0"))
    rest = [Segment(first.start, end, "")] if end > first.start else []
    return state, rest + segments[1:]
