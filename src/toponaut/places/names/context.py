"""Context right next to a name: "Paris, Texas", "Portland, OR", "26121 Oldenburg".

Reads from right to left, so that "Paris, Lamar County, Texas" settles the county before the town.
Context counts only if the gazetteer has the name in that area. A list of cities ("Paris, London and
Rome") is not context, nor is a list of states: "Delaware, Ohio, Nevada, Iowa" are four, though Ohio
has a Delaware and Iowa a Nevada. Nor are names in lines below each other: these are mostly lists.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, KINDS, Gazetteer, great_circle_km
from toponaut.places.names.name_table import Matches
from toponaut.places.names.tokens import Bools, Index, Ints, TextTokens, chain
from toponaut.records import Kind

_REMEMBERED = 50_000  # pairs of names: pages often name the same towns
_WIDEST_GAP = 4
_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?|\s?[-–/|·•]\s?")
_COUNTY, _STATE = KINDS.index(Kind.COUNTY), KINDS.index(Kind.STATE)
# Largest distance between the centres of a postcode and of its town.
_POSTCODE_KM = 40.0
# Countries that write the postcode before the town.
_POSTCODE_FIRST = frozenset(
    {"DE", "AT", "CH", "FR", "IT", "ES", "PT", "NL", "BE", "DK", "SE", "NO", "FI", "PL", "CZ"}
)


@dataclass
class ChunkContext:
    """What the context settles, for the matches of one chunk."""

    candidates: dict[int, Ints] = field(default_factory=dict)  # match -> the rows that remain
    # Abbreviations: start, end, name, row.
    codes: list[tuple[int, int, int, int]] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)  # matches that turned out to be abbreviations


class ContextReader:
    """Reads the context of names. Caches look-ups across documents."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer
        self._state, self._of = gazetteer.names.tokeniser.words("state of").hash
        self._known: dict[tuple[int, int], tuple[Ints, Ints]] = {}  # by names of town and area

    def read(self, text: str, tokens: TextTokens, found: Matches) -> ChunkContext:
        """The context of the matches of a chunk, which are in order and do not overlap."""
        after = np.minimum(found.last + 1, len(tokens.start) - 1)
        end, start = tokens.end[found.last], tokens.start[after]
        gap = start - end  # negative at the end of the chunk
        near = (gap >= 0) & (gap <= _WIDEST_GAP)
        codes = _codes_among(self.gazetteer, text, tokens, after[near & tokens.upper[after]])
        followed = near[:-1] & (found.first[1:] == after[:-1])  # by the next match
        before = np.maximum(found.first - 1, 0)
        length = tokens.end[before] - tokens.start[before]
        postcode_length = (length == 4) | (length == 5)
        settled = postcode_length & ~_begin_with_a_letter(tokens, before)
        settled |= tokens.hash[before] == self._of
        settled |= near & (tokens.hash[after] == self._state)
        settled[:-1] |= followed
        if codes:
            settled |= np.isin(after, list(codes))
        reader = _ChunkReader(self, text, tokens, found, codes)
        which = np.flatnonzero(settled)[::-1]
        columns = (after, end, start, near, before, np.append(followed, False))
        rows = zip(*(column[which].tolist() for column in columns), strict=True)
        for k, row in zip(which.tolist(), rows, strict=True):
            reader.settle(k, _Neighbours._make(row))
        return reader.context

    def inside(self, name: int, area: int) -> tuple[Ints, Ints]:
        """As `_inside` below, for the names of a town and of an area.

        "New York, New York" is a town in its state. But "Florida" twice does not mean the one in
        Uruguay's Florida, because the name mostly means another place.
        """
        known = self._known.get((name, area))
        if known is None:
            postings = self.gazetteer.names.postings
            known = _inside(self.gazetteer, postings(name)[0], postings(area)[0])
            if name == area and postings(name)[0][0] not in np.concatenate(known):
                known = known[0][:0], known[1][:0]
            if len(self._known) < _REMEMBERED:
                self._known[name, area] = known
        return known

    def is_area(self, name: int) -> bool:
        """Whether a name mostly means a state, a country or more."""
        return bool(self.gazetteer.levels[self.gazetteer.names.postings(name)[0][0]] <= _STATE)


class _Neighbours(NamedTuple):
    """The tokens after and before a match."""

    after: int
    end: int  # of the match
    start: int  # of the token after it
    near: bool  # that token is right after it
    before: int
    followed: bool  # that token begins the next match


class _ChunkReader:
    """Settles the matches of a chunk that have context."""

    def __init__(
        self,
        contexts: ContextReader,
        text: str,
        tokens: TextTokens,
        found: Matches,
        codes: dict[int, tuple[int, int]],
    ) -> None:
        self.contexts, self.gazetteer = contexts, contexts.gazetteer
        self.text, self.tokens, self.found, self.codes = text, tokens, found, codes
        self.names: list[int] = found.name.tolist()
        self.context = ChunkContext()

    def settle(self, k: int, near: _Neighbours) -> None:
        """By the words after a match, else by the word before it."""
        end = near.end
        if near.near:
            follower = k + 1 if near.followed else None
            is_area = near.followed or near.after in self.codes
            is_context = is_area and _GAP.fullmatch(self.text, end, near.start)
            if is_context and self._by_area(k, near.after, follower):
                return
            if self.text.startswith(" state", end) and not self.text[end + 6 : end + 7].isalnum():
                self._keep(k, self._states(k))
                return
        before = near.before
        self._by_word_before(k, int(self.tokens.start[before]), int(self.tokens.end[before]))

    def _by_area(self, k: int, after: int, follower: int | None) -> bool:
        """By an abbreviation or the name of an area after the match."""
        if after in self.codes:
            last, name = self.codes[after]
            inside, around = self.contexts.inside(self.names[k], name)
            if len(inside):
                self.context.candidates[k] = inside
                start, end = int(self.tokens.start[after]), int(self.tokens.end[last])
                end = _with_stop(self.text, start, end)
                self.context.codes.append((start, end, name, int(around[0])))
                covered = self.found.first[k + 1 : k + 2 + last - after] <= last
                self.context.dropped.update(range(k + 1, k + 1 + int(covered.sum())))
                return True
        if follower is None or self._is_list(k) or self._is_pronoun(follower):
            return False
        areas = self.context.candidates.get(follower)
        if areas is None:
            inside, around = self.contexts.inside(self.names[k], self.names[follower])
        else:
            inside, around = _inside(self.gazetteer, self._rows(k), areas)
        if len(inside):
            self.context.candidates[k], self.context.candidates[follower] = inside, around
        return len(inside) > 0

    def _is_list(self, k: int) -> bool:
        """Whether a match and the next are items of a list, by line ends and states around them."""
        gap = self._gap(k)
        if "," not in gap and "\n" in gap:
            return True
        if self.names[k] == self.names[k + 1] or not self.contexts.is_area(self.names[k]):
            return False
        more = (k - 1, k - 1), (k + 1, k + 2)  # which gap, to which match
        return "," not in gap or any(
            self._gap(at) == ", " and self.contexts.is_area(self.names[one]) for at, one in more
        )

    def _is_pronoun(self, k: int) -> bool:
        """Whether a match is a word such as "us", not an area: "Call Us", but "Call, US"."""
        start = int(self.tokens.start[self.found.first[k]])
        end = int(self.tokens.end[self.found.last[k]])
        return end - start <= 2 and not self.text[start:end].isupper()

    def _gap(self, k: int) -> str:
        """The text between a match and the next, up to a few characters; "" for the last match."""
        if not 0 <= k < len(self.names) - 1:
            return ""
        end = int(self.tokens.end[self.found.last[k]])
        start = int(self.tokens.start[self.found.first[k + 1]])
        return self.text[end : min(start, end + _WIDEST_GAP + 1)]

    def _by_word_before(self, k: int, start: int, end: int) -> None:
        """By a postcode before the name, or by "state of"."""
        if end - start in (4, 5) and self.text[start:end].isdecimal():
            self._keep(k, _by_postcode(self.gazetteer, self._rows(k), self.text[start:end]))
        elif end - start == 2 and self.text[max(0, start - 6) : end].lower() == "state of":
            self._keep(k, self._states(k))

    def _rows(self, k: int) -> Ints:
        return self.gazetteer.names.postings(self.names[k])[0]

    def _states(self, k: int) -> Ints:
        rows = self._rows(k)
        return np.asarray(rows[self.gazetteer.levels[rows] == _STATE])

    def _keep(self, k: int, rows: Ints) -> None:
        if len(rows):
            self.context.candidates[k] = rows


def _inside(gazetteer: Gazetteer, rows: Ints, areas: Ints) -> tuple[Ints, Ints]:
    """The rows that are in one of `areas`, and the areas around the largest of these rows."""
    areas = areas[gazetteer.levels[areas] <= _COUNTY]
    if not len(areas):
        return rows[:0], areas
    lineage = gazetteer.lineage[rows]
    lineage = np.where(lineage == rows[:, None], -2, lineage)  # no place is in itself
    inside = rows[(lineage[:, :, None] == areas).any(axis=(1, 2))]
    if not len(inside):
        return inside, inside
    largest = inside[np.argmax(gazetteer.prior[inside])]
    return inside, areas[(gazetteer.lineage[largest][:, None] == areas).any(axis=0)]


def _codes_among(
    gazetteer: Gazetteer, text: str, tokens: TextTokens, first: Index
) -> dict[int, tuple[int, int]]:
    """Abbreviations of states and countries: first token -> (last token, name). Longest win."""
    names = gazetteer.names
    first = first[tokens.end[first] - tokens.start[first] <= 5]
    codes: dict[int, tuple[int, int]] = {}
    if not len(first):
        return codes
    run, last = tokens.hash[first], first
    for _ in range(3):  # "P.E.I." has three tokens
        index = names.find(run)
        for k in np.flatnonzero(index >= 0).tolist():
            name, begin, end = int(index[k]), int(first[k]), int(last[k])
            # In this order: few words look like codes, and reading postings takes longer.
            if _looks_like_code(text, tokens, begin, end) and CODE in names.postings(name)[1]:
                codes[begin] = (end, name)
        grow = (tokens.end[last] - tokens.start[last] <= 2) & tokens.joined[last]
        if not grow.any():
            break
        first, last = first[grow], last[grow] + 1
        run = chain(run[grow], tokens.hash[last])
    return codes


def _looks_like_code(text: str, tokens: TextTokens, first: int, last: int) -> bool:
    """Whether it looks like "TX", "D.C.", "Tex." or ", Ont"; not like "in", "or", "me"."""
    start, end = int(tokens.start[first]), int(tokens.end[last])
    word = text[start:end]
    return (
        word.isupper()
        or text[end : end + 1] == "."
        or (len(word) > 2 and text[max(0, start - 2) : start] == ", ")
    )


def _with_stop(text: str, start: int, end: int) -> int:
    """The end with the full stop of "Calif." or "N.Y."; the one after "OR" ends a sentence."""
    word = text[start:end]
    stopped = text[end : end + 1] == "." and not (word.isupper() and word.isalpha())
    return end + 1 if stopped else end


def _begin_with_a_letter(tokens: TextTokens, at: Index) -> Bools:
    """Whether tokens begin with a Latin letter, as nearly all words do."""
    start = tokens.start[at]
    first, *others = (plane[start] for plane in tokens.chars.planes)
    letter = (first >= ord("a")) & (first <= ord("z"))
    return np.asarray(letter & ~np.any(others, axis=0) if others else letter)


def _by_postcode(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """The rows near the area of a postcode before the name."""
    kept = []
    for row in rows.tolist():
        country = gazetteer.country(row)
        if country not in _POSTCODE_FIRST:
            continue
        if (area := gazetteer.postcode(country, code)) and area.code == code:
            lat, lon = gazetteer.latlon[row]
            if great_circle_km(lat, lon, area.lat, area.lon) <= _POSTCODE_KM:
                kept.append(row)
    return np.array(kept, np.int32)
