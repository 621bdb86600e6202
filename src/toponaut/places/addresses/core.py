"""How an address is found: anchor on the postcode, check its town, walk to the street.

A postcode is rare and has a strict form, so it is looked for first, by one pattern. Then the town beside it is read
and checked against the postcode table and the gazetteer (towns.py), and the segments around (segments.py) are walked,
nearest first, until one reads as a street; floors, building parts, labels and at most one stray segment (a district)
are passed over. No street, no address: "26122 Oldenburg" alone is none.

    street -> town -> postcode      "88 Wood Street, London EC2V 7RS"         town_before_postcode
    street -> postcode -> town      "Escherweg 2, 26121 Oldenburg"            postcode_before_town
    postcode -> town -> street      "26121 Oldenburg, Escherweg 2"            the same, where no street stands before

A country gives its `Rules`: patterns, and one function that reads a segment as a street. Each step is bounded (REACH),
so the time grows with the number of postcodes, never with their product.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from msgspec import Struct

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.segments import (
    NUMBER_AFTER,
    Segment,
    segment_after,
    segments_before,
    strength,
)
from toponaut.places.addresses.towns import (
    BOXED,
    FAR,
    UNKNOWN,
    Town,
    agreeing,
    known,
    looked_up,
    name_words,
)
from toponaut.places.gazetteer.gazetteer import Gazetteer, Postcode

# How far a segment can be trusted to be a street: by its type word and number; by its number and place alone; by its
# type word alone; by nothing but its form.
STRONG, WEAK, NUMBERLESS = 1.0, 0.9, 0.8
NOTHING = re.compile(r"(?!)")
_SEGMENTS = 6
# Of a hostile page; no honest one has as many (us/find.py has the same limit for its anchors).
MOST_POSTCODES = 5000
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")  # "Gegründet 1908" is no street
_LONGEST_BOX = 18  # characters: "Boîte postale n° "
_ROW = 800  # characters of a table row within which columns are counted
_GAP = re.compile(r"[\s,]{0,4}")
_STRAY = re.compile(r"[^\W\d_]+(?:[.'’ -]{1,2}[^\W\d_]+){0,4}\.?")


class Street(Struct, frozen=True):
    """A street read from a segment; offsets count from the segment's start."""

    start: int
    end: int
    number: str
    street: str
    unit: str = ""
    strength: float = STRONG


class Rules(Struct, frozen=True):
    """What a country's addresses look like."""

    country: str
    postcode: re.Pattern[str]  # beginning with a class of characters, or the scan is slow
    street: Callable[[str], Street | None]  # reads a segment
    prefix: re.Pattern[str] = (
        NOTHING  # what may stand before the postcode: "D-", up to its end ("$")
    )
    box: re.Pattern[str] = (
        NOTHING  # what makes a number like a postcode that of a post box: "BP ", up to its end ("$")
    )
    unit: re.Pattern[str] = NOTHING  # a whole segment that is a floor, flat or part of a building
    passed: re.Pattern[str] = (
        NOTHING  # a whole segment that may stand between street, town and postcode: a label
    )
    number: str = NUMBER_AFTER  # where the house number stands
    town_tail: re.Pattern[str] = (
        NOTHING  # what may lengthen a town's name: " am Main", "/Saale", " (Oder)"
    )
    region: Callable[[str], tuple[str, int]] | None = (
        None  # a state's code and its length, at a segment's near end
    )
    stated: bool = False  # a state must stand before the postcode, whose form is that of any number
    strict: bool = (
        False  # the postcode's form is so common (1950 is a year) that the town must agree
    )
    townless: bool = False  # a street and a postcode make an address also where no town follows
    label: re.Pattern[str] = NOTHING  # between postcode and town: "Ort:"
    localities: bool = False  # villages and districts regularly stand between street and town


class _Code(Struct, frozen=True):
    """A postcode; it starts with its prefix ("D-"), which `text` leaves out."""

    start: int
    end: int
    text: str


class _Found(Struct, frozen=True):
    """A street with its place in the text."""

    start: int
    end: int
    street: Street
    unit: str
    forward: bool = False


def postcode_before_town(text: str, gazetteer: Gazetteer, rules: Rules) -> list[Candidate]:
    """Addresses whose postcode comes before the town, their street before or after both."""
    found: list[Candidate] = []
    floor, forward = 0, False
    for code in _postcodes(text, rules):
        if code.start < floor:
            continue
        words = _town_words(text, code.end, rules)
        if not words and not rules.townless and text[code.start - 1 : code.start] != "(":
            continue
        post = gazetteer.postcode(rules.country, code.text)
        agreed = agreeing(text, words, post)
        if rules.strict and agreed is None and YEAR.fullmatch(code.text):
            continue
        near, town = _in_brackets(text, code, floor, post, rules)
        near = near or street_before(text, code.start, floor, rules)
        town = town or agreed
        if town is None and (near or _street_follows(text, words, rules)):
            town = looked_up(text, words, rules.country, post, gazetteer)
        if town is not None:
            town = lengthened(text, town, post, rules, gazetteer)
            near = near or _street_after(text, town.end, rules, forward)
        candidate = _judged(text, code, near, town, post, rules) if near else None
        if candidate and near:
            found.append(candidate)
            floor, forward = candidate.end, near.forward
    return found


def town_before_postcode(text: str, gazetteer: Gazetteer, rules: Rules) -> list[Candidate]:
    """Addresses that read street, town, region, postcode."""
    found: list[Candidate] = []
    floor = 0
    for code in _postcodes(text, rules):
        segments = segments_before(text, code.start, floor, rules.number)[:_SEGMENTS]
        while segments and rules.passed.fullmatch(text, segments[0].start, segments[0].end):
            segments.pop(0)
        state, segments = _region(text, segments, rules)
        if (
            not segments
            or (rules.stated and not state)
            or not any(map(str.isupper, text[segments[0].start : segments[0].end]))
        ):
            continue
        post = gazetteer.postcode(rules.country, code.text)
        split = _town_at_end(text, segments[0], post, rules, gazetteer)
        if split is None:
            continue
        town, rest = split
        near = _walk(text, rest + segments[1:], rules)
        if near is None or (town.trust < UNKNOWN and not _believed(near, town, rules)):
            continue
        found.append(_candidate(near, town, code, rules, state=state, end=code.end))
        floor = code.end
    return found


def _postcodes(text: str, rules: Rules) -> Iterator[_Code]:
    """The postcodes of a text that are no part of a longer word or number; "" for the number of a post box."""
    for match in islice(rules.postcode.finditer(text), MOST_POSTCODES):
        prefix = rules.prefix.search(text, max(0, match.start() - 6), match.start())
        start = prefix.start() if prefix else match.start()
        if box := rules.box.search(text, max(0, start - _LONGEST_BOX), start):
            yield _Code(box.start(), match.end(), "")
        elif start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "./+-_"):
            yield _Code(start, match.end(), match.group())


def _in_brackets(
    text: str, code: _Code, floor: int, post: Postcode | None, rules: Rules
) -> tuple[_Found | None, Town | None]:
    """Street and town where the postcode follows the town in brackets: "12, rue des Tanneurs à Lille (59000)"."""
    if (
        post is None
        or text[code.start - 1 : code.start] != "("
        or text[code.end : code.end + 1] != ")"
    ):
        return None, None
    segments = segments_before(text, code.start, floor, rules.number)[:_SEGMENTS]
    split = _agreeing_at_end(text, segments[0], post) if segments else None
    if split is None:
        return None, None
    town, rest = split
    near = _walk(text, rest + segments[1:], rules)
    return (near, town) if near else (None, None)


def street_before(text: str, anchor: int, floor: int, rules: Rules) -> _Found | None:
    """The street that stands before an anchor: in the cell above it, else in the segments before it."""
    above = _street_above(text, anchor, rules)
    walked = _walk(text, segments_before(text, anchor, floor, rules.number)[:_SEGMENTS], rules)
    return walked if walked and above and walked.street == above.street else above or walked


def _walk(text: str, segments: list[Segment], rules: Rules) -> _Found | None:
    """Back over the segments, nearest first, to the first that is a street."""
    units: list[str] = []
    strays = 0
    second_best: _Found | None = (
        None  # a building or box, if no street follows: "Castle Court", "BP 12"
    )
    for k, segment in enumerate(segments):
        content = text[segment.start : segment.end]
        street = rules.street(content)
        passed = rules.passed.fullmatch(content)
        if passed or rules.unit.fullmatch(content):
            units = units if passed else [content, *units]
            if street and second_best is None:
                second_best = _placed(text, street, segments[k:], units[1:], rules)
        elif street:
            if rules.localities and street.strength == NUMBERLESS and second_best is None:
                second_best = _placed(
                    text, street, segments[k:], units, rules
                )  # or a district: "Crouch End"
                continue
            if street.strength == NUMBERLESS and (
                better := _numbered(text, segments[k + 1 :], rules)
            ):
                return _placed(text, better, segments[k + 1 :], [content, *units], rules)
            doubtful = strays and street.strength < STRONG and not rules.localities
            if doubtful or (second_best and not street.number):
                break
            return _placed(text, street, segments[k:], units, rules)
        else:
            strays += 1
            if (
                strays > 1 + rules.localities
                or not _STRAY.fullmatch(content)
                or not content[0].isupper()
            ):
                break
    return second_best


def _numbered(text: str, segments: list[Segment], rules: Rules) -> Street | None:
    """The street with a number right before one without, which then is a district or zone: "10 rue du Lac, ZI Nord"."""
    street = rules.street(text[segments[0].start : segments[0].end]) if segments else None
    return street if street and street.strength == STRONG and street.number else None


def _placed(
    text: str, street: Street, segments: list[Segment], units: list[str], rules: Rules
) -> _Found:
    """A street of the first segment, with the units that were passed and those that stand before it."""
    start, end = segments[0].start + street.start, segments[0].start + street.end
    before: list[str] = []
    if not street.start:
        start, before = _units_before(text, start, segments[1:], rules)
    return _Found(
        start, end, street, ", ".join([*before, *([street.unit] if street.unit else []), *units])
    )


def _units_before(
    text: str, start: int, segments: list[Segment], rules: Rules
) -> tuple[int, list[str]]:
    """Floors and building names that stand before the street ("Unit 3, 40 Longbridge Road")."""
    units: list[str] = []
    for segment in segments[:2]:
        if not rules.unit.fullmatch(text, segment.start, segment.end):
            break
        units.insert(0, text[segment.start : segment.end])
        start = segment.start
    return start, units


def _street_above(text: str, anchor: int, rules: Rules) -> _Found | None:
    """The street in the cell above, where addresses stand side by side in the columns of a table.

    Its span is empty: it stands among the cells of other addresses.
    """
    line = text.rfind("\n", max(0, anchor - _ROW), anchor) + 1
    if line == 0:
        return None
    before = text[line:anchor].split("\t")
    if before[-1].strip():
        return None
    after = text[anchor : anchor + _ROW].partition("\n")[0].count("\t")
    above = text[max(0, line - _ROW) : line - 1].rpartition("\n")[2].split("\t")
    if len(above) < 2 or len(above) != len(before) + after:
        return None
    street = rules.street(above[len(before) - 1].strip())
    if street is None or street.start or not street.number:
        return None
    return _Found(anchor, anchor, street, street.unit)


def _street_follows(text: str, words: list[tuple[int, int]], rules: Rules) -> bool:
    """Whether a street follows the words after a postcode: only then a look-up of the town is worth its time."""
    segment = segment_after(text, words[-1][1], rules.number) if words else None
    return segment is not None and rules.street(text[segment.start : segment.end]) is not None


def _street_after(text: str, town_end: int, rules: Rules, was_forward: bool) -> _Found | None:
    """The street that follows the town, unless it belongs to a postcode that follows it more closely."""
    segment = segment_after(text, town_end, rules.number)
    if segment is None:
        return None
    street = rules.street(text[segment.start : segment.end])
    if street is None or street.start or street.strength == NUMBERLESS:
        return None
    after = segment_after(text, segment.end, rules.number)
    other = rules.postcode.search(text, after.start, after.start + 8) if after else None
    if after and other and _town_words(text, other.end(), rules):
        closer = strength(after.gap) - strength(segment.gap)
        if closer < 0 or (closer == 0 and not was_forward):
            return None
    return _Found(segment.start, segment.start + street.end, street, street.unit, forward=True)


def _town_words(text: str, start: int, rules: Rules) -> list[tuple[int, int]]:
    """The words after a postcode, over a space, comma, cell or line, and a label like "Ort:"."""
    gap = _GAP.match(text, start)
    start = gap.end() if gap else start
    label = rules.label.match(text, start)
    return name_words(text, label.end() if label else start)


def lengthened(
    text: str, town: Town, post: Postcode | None, rules: Rules, gazetteer: Gazetteer
) -> Town:
    """The town with " am Main", "/Saale" or " (Oder)", where that is known to belong to its name."""
    tail = rules.town_tail.match(text, town.end)
    if tail is None:
        return town
    name = text[town.start : tail.end()]
    if tail.lastgroup != "sure" and not known(name, rules.country, post, gazetteer)[0]:
        return town
    return Town(town.start, tail.end(), name, town.place, town.trust)


def _judged(
    text: str, code: _Code, near: _Found, town: Town | None, post: Postcode | None, rules: Rules
) -> Candidate | None:
    """The candidate, if street, postcode and town together are believable."""
    if town is None:
        if not rules.townless or post is None or near.street.strength < STRONG or near.forward:
            return None
        nowhere = Town(code.end, code.end, post.city, post.place, FAR)
        return _candidate(near, nowhere, code, rules, end=code.end, inferred=("city",))
    if not _believed(near, town, rules):
        return None
    state, length = rules.region(text[town.end : town.end + 40]) if rules.region else ("", 0)
    return _candidate(
        near, town, code, rules, state=state, end=max(near.end, code.end, town.end + length)
    )


def _candidate(
    near: _Found,
    town: Town,
    code: _Code,
    rules: Rules,
    *,
    end: int,
    state: str = "",
    inferred: tuple[str, ...] = (),
) -> Candidate:
    return Candidate(
        min(near.start, code.start),
        end,
        rules.country,
        number=near.street.number,
        street=near.street.street,
        unit=near.unit,
        city=town.name,
        state=state,
        postcode=code.text,
        place=town.place,
        inferred=inferred,
        confidence=round(town.trust * near.street.strength, 3),
    )


def _believed(near: _Found, town: Town, rules: Rules) -> bool:
    """A town that does not agree with its postcode needs a street that leaves no doubt."""
    if rules.strict and town.trust == BOXED and near.street.strength == WEAK:
        return False  # the code is in no table: "Vol. 12, 1998 Oslo"
    if town.trust > UNKNOWN:
        return True
    return not rules.strict and near.street.strength == STRONG and bool(near.street.number)


def _region(text: str, segments: list[Segment], rules: Rules) -> tuple[str, list[Segment]]:
    """The state at the end of the nearest segment, and the segments without it."""
    if not segments or rules.region is None:
        return "", segments
    first = segments[0]
    state, length = rules.region(text[first.start : first.end])
    if not length:
        return "", segments
    end = first.start + len(text[first.start : first.end - length].rstrip(" ,\xa0"))
    return state, [Segment(first.start, end, ""), *segments[1:]] if end > first.start else segments[
        1:
    ]


def _agreeing_at_end(
    text: str, segment: Segment, post: Postcode | None
) -> tuple[Town, list[Segment]] | None:
    """The postcode table's town at the end of a segment, and what stands before it there."""
    words = [
        (segment.start + m.start(), segment.start + m.end())
        for m in re.finditer(r"\S+", text[segment.start : segment.end])
    ]
    for first in range(max(0, len(words) - 4), len(words)):
        town = agreeing(text, words[first:], post)
        if town and town.end == segment.end:
            return town, [Segment(segment.start, words[first - 1][1], "")] if first else []
    return None


def _town_at_end(
    text: str, segment: Segment, post: Postcode | None, rules: Rules, gazetteer: Gazetteer
) -> tuple[Town, list[Segment]] | None:
    """The town that a segment is or ends with, and what stands before it in the segment ("88 Wood Street London")."""
    start, end = segment.start, segment.end
    words = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text[start:end])]
    if split := _agreeing_at_end(text, segment, post):
        return split
    content = text[start:end]
    if content[:1].isupper() and len(words) <= 5 and not any(map(str.isdigit, content)):
        place, trust = known(content, rules.country, post, gazetteer)
        if place and trust > FAR:
            return Town(start, end, content, place, trust), []
        if (
            rules.street(content) is None
        ):  # a village; that its name is known abroad says nothing against the postcode
            return Town(start, end, content, place, trust or UNKNOWN), []
    for first in range(max(1, len(words) - 3), len(words)):
        if text[words[first][0]].isupper():
            name = text[words[first][0] : end]
            place, trust = known(name, rules.country, post, gazetteer)
            if place and trust > FAR:
                return Town(words[first][0], end, name, place, trust), [
                    Segment(start, words[first - 1][1], "")
                ]
    return None
