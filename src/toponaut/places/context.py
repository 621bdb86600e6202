"""What stands right beside a name and says which place it is: "Paris, Texas", "Portland, OR", "26121 Oldenburg".

Read from right to left, so that "Paris, Lamar County, Texas" settles the county before the town. Context counts only
if the gazetteer has the name in that area; a list of cities ("Paris, London and Rome") says nothing.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from toponaut.places.gazetteer import CODE, KINDS, Gazetteer, great_circle_km
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Index, Ints, Tokens, chain
from toponaut.records import Kind

_WIDEST_GAP = 4
_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?|\s?[-–/|·•]\s?")
_COUNTY, _STATE = KINDS.index(Kind.COUNTY), KINDS.index(Kind.STATE)
_DIGITS = re.compile(r"\d{4,5}")
# A postcode's own centre and its town's middle are at most so far apart.
_POSTCODE_KM = 40.0
# Countries that write the postcode before the town.
_POSTCODE_FIRST = frozenset({"DE", "AT", "CH", "FR", "IT", "ES", "PT", "NL", "BE", "DK", "SE", "NO", "FI", "PL", "CZ"})


@dataclass
class Context:
    """What the neighbours settle, for the matches of one chunk."""

    candidates: dict[int, Ints] = field(default_factory=dict)  # match -> the rows that remain
    codes: list[tuple[int, int, int, int]] = field(default_factory=list)  # abbreviations: start, end, name, row
    dropped: set[int] = field(default_factory=set)  # matches that turned out to be abbreviations


def read_context(gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches) -> Context:
    context = Context()
    begins = {first: k for k, first in enumerate(found.first.tolist())}
    codes = _codes_after(gazetteer, text, tokens, found)
    for k in _worth_asking(tokens, found, codes).tolist():
        _settle(gazetteer, text, tokens, found, k, begins, codes, context)
    return context


def _worth_asking(tokens: Tokens, found: Matches, codes: dict[int, tuple[int, int]]) -> Index:
    """Matches with something beside them that may be context, from right to left; most have nothing."""
    tells = np.zeros(len(tokens.start) + 2, np.bool_)  # by token: what may follow a name as its context
    tells[found.first] = True
    tells[list(codes)] = True
    after = np.minimum(found.last + 1, len(tokens.start) - 1)
    follows = tells[found.last + 1] & (tokens.start[after] - tokens.end[found.last] <= _WIDEST_GAP)
    before = found.first - 1  # -1 at the very beginning: harmless, `_settle` looks again
    length = tokens.end[before] - tokens.start[before]
    leads = (length == 4) | (length == 5) | (length == 2)  # a postcode, or "of"
    state = tokens.joined[found.last] & (tokens.end[after] - tokens.start[after] == len("state"))
    return np.flatnonzero(follows | leads | state)[::-1]


def _settle(
    gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches, k: int,
    begins: dict[int, int], codes: dict[int, tuple[int, int]], context: Context,
) -> None:  # fmt: skip
    rows = gazetteer.names.postings(int(found.name[k]))[0]
    after = int(found.last[k]) + 1
    if after < len(tokens.start):
        gap = text[int(tokens.end[after - 1]) : int(tokens.start[after])]
        beside = len(gap) <= _WIDEST_GAP and _GAP.fullmatch(gap) is not None
        if beside and after in codes:
            last, name = codes[after]
            inside, around = _inside(gazetteer, rows, gazetteer.names.postings(name)[0])
            if len(inside):
                context.candidates[k] = inside
                end = _with_stop(text, int(tokens.start[after]), int(tokens.end[last]))
                context.codes.append((int(tokens.start[after]), end, name, int(around[0])))
                context.dropped |= {begins[t] for t in range(after, last + 1) if t in begins}
                return
        if beside and after in begins:
            follower = begins[after]
            areas = context.candidates.get(follower)
            if areas is None:
                areas = gazetteer.names.postings(int(found.name[follower]))[0]
            inside, around = _inside(gazetteer, rows, areas)
            if len(inside):
                context.candidates[k], context.candidates[follower] = inside, around
                return
        if gap == " " and text[int(tokens.start[after]) : int(tokens.end[after])] == "state":
            _keep(context, k, rows[gazetteer.levels[rows] == _STATE])
            return
    before = int(found.first[k]) - 1
    if before >= 0:
        word = text[int(tokens.start[before]) : int(tokens.end[before])]
        if _DIGITS.fullmatch(word):
            _keep(context, k, _by_postcode(gazetteer, rows, word))
        elif (
            word == "of" and text[max(0, int(tokens.start[before]) - 6) : int(tokens.start[before])].lower() == "state "
        ):
            _keep(context, k, rows[gazetteer.levels[rows] == _STATE])


def _keep(context: Context, k: int, rows: Ints) -> None:
    if len(rows):
        context.candidates[k] = rows


def _inside(gazetteer: Gazetteer, rows: Ints, areas: Ints) -> tuple[Ints, Ints]:
    """Of `rows` those that lie in one of `areas`, and the areas around the largest of them."""
    areas = areas[gazetteer.levels[areas] <= _COUNTY]
    if not len(areas):
        return rows[:0], areas
    lineage = gazetteer.lineage[rows]
    lineage = np.where(lineage == rows[:, None], -2, lineage)  # nothing lies in itself
    inside = rows[(lineage[:, :, None] == areas).any(axis=(1, 2))]
    if not len(inside):
        return inside, inside
    largest = inside[np.argmax(gazetteer.prior[inside])]
    return inside, areas[(gazetteer.lineage[largest][:, None] == areas).any(axis=0)]


def _codes_after(gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches) -> dict[int, tuple[int, int]]:
    """Abbreviations of states and countries after matches: first token -> (last token, name). Longest first."""
    names = gazetteer.names
    first = np.unique(found.last + 1)
    first = first[first < len(tokens.start)]
    first = first[tokens.upper[first] & (tokens.end[first] - tokens.start[first] <= 5)]
    codes: dict[int, tuple[int, int]] = {}
    run, last = tokens.hash[first], first
    for _ in range(3):  # "P.E.I." has three tokens
        index = names.find(run)
        for k in np.flatnonzero(index >= 0).tolist():
            name, begin, end = int(index[k]), int(first[k]), int(last[k])
            if CODE in names.postings(name)[1] and _looks_like_code(text, tokens, begin, end):
                codes[begin] = (end, name)
        grow = (tokens.end[last] - tokens.start[last] <= 2) & tokens.joined[last]
        if not grow.any():
            break
        first, last = first[grow], last[grow] + 1
        run = chain(run[grow], tokens.hash[last])
    return codes


def _looks_like_code(text: str, tokens: Tokens, first: int, last: int) -> bool:
    """ "TX" and "D.C." in capitals; "Tex." with its stop; "Ont" by its comma. Never "in", "or", "me"."""
    start, end = int(tokens.start[first]), int(tokens.end[last])
    word = text[start:end]
    return word.isupper() or text[end : end + 1] == "." or (len(word) > 2 and text[max(0, start - 2) : start] == ", ")


def _with_stop(text: str, start: int, end: int) -> int:
    """The stop of "Calif." and "N.Y." belongs to them; the one after "OR" ends a sentence."""
    word = text[start:end]
    return end + 1 if text[end : end + 1] == "." and not (word.isupper() and word.isalpha()) else end


def _by_postcode(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """Of `rows` those that a postcode before the name points to."""
    kept = []
    for row in rows.tolist():
        country = gazetteer.country(row)
        if country in _POSTCODE_FIRST and (area := gazetteer.postcode(country, code)) and area.code == code:
            lat, lon = gazetteer.latlon[row]
            if great_circle_km(lat, lon, area.lat, area.lon) <= _POSTCODE_KM:
                kept.append(row)
    return np.array(kept, np.int32)
