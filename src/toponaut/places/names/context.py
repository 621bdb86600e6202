"""What stands right beside a name and says which place it is: "Paris, Texas", "Portland, OR", "26121 Oldenburg".

Read from right to left, so that "Paris, Lamar County, Texas" settles the county before the town. Context counts only
if the gazetteer has the name in that area; a list of cities ("Paris, London and Rome") says nothing, nor does one of
states: "Delaware, Ohio, Nevada, Iowa" are four, though Ohio has a Delaware and Iowa a Nevada. Nor do names in lines below
each other, where lists are more frequent than towns with their states.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, KINDS, Gazetteer, great_circle_km
from toponaut.places.names.nametable import Matches
from toponaut.places.names.tokens import Bools, Index, Ints, Tokens, chain
from toponaut.records import Kind

_REMEMBERED = 50_000  # pages name the same towns often
_WIDEST_GAP = 4
_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?|\s?[-–/|·•]\s?")
_COUNTY, _STATE = KINDS.index(Kind.COUNTY), KINDS.index(Kind.STATE)
# A postcode's own centre and its town's middle are at most so far apart.
_POSTCODE_KM = 40.0
# Countries that write the postcode before the town.
_POSTCODE_FIRST = frozenset(
    {"DE", "AT", "CH", "FR", "IT", "ES", "PT", "NL", "BE", "DK", "SE", "NO", "FI", "PL", "CZ"}
)


@dataclass
class Context:
    """What the neighbours settle, for the matches of one chunk."""

    candidates: dict[int, Ints] = field(default_factory=dict)  # match -> the rows that remain
    codes: list[tuple[int, int, int, int]] = field(
        default_factory=list
    )  # abbreviations: start, end, name, row
    dropped: set[int] = field(default_factory=set)  # matches that turned out to be abbreviations


class Contexts:
    """Reads what stands beside names. What it has looked up it remembers from one document to the next; that changes
    no answer."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer
        self._state, self._of = gazetteer.names.tokeniser.words("state of").hash
        self._memory: dict[
            tuple[int, int], tuple[Ints, Ints]
        ] = {}  # names of a town and of an area -> what lies in what

    def read(self, text: str, tokens: Tokens, found: Matches) -> Context:
        """The context of the matches of a chunk, which are in order and do not overlap."""
        after = np.minimum(found.last + 1, len(tokens.start) - 1)
        end, start = tokens.end[found.last], tokens.start[after]
        gap = start - end  # negative at the end of the chunk
        near = (gap >= 0) & (gap <= _WIDEST_GAP)
        codes = _codes_among(self.gazetteer, text, tokens, after[near & tokens.upper[after]])
        followed = near[:-1] & (found.first[1:] == after[:-1])  # by the next match
        before = np.maximum(found.first - 1, 0)
        length = tokens.end[before] - tokens.start[before]
        told = ((length == 4) | (length == 5)) & ~_begin_with_a_letter(
            tokens, before
        )  # a postcode, perhaps
        told |= tokens.hash[before] == self._of
        told |= near & (tokens.hash[after] == self._state)
        told[:-1] |= followed
        if codes:
            told |= np.isin(after, list(codes))
        reader = _Reader(self, text, tokens, found, codes)
        which = np.flatnonzero(told)[::-1]
        columns = (after, end, start, near, before, np.append(followed, False))
        rows = zip(*(column[which].tolist() for column in columns), strict=True)
        for k, row in zip(which.tolist(), rows, strict=True):
            reader.settle(k, _Beside._make(row))
        return reader.context

    def inside(self, name: int, area: int) -> tuple[Ints, Ints]:
        """As `_inside` below, for the names of a town and of an area. "New York, New York" is a town in its state, but the
        word "Florida" said twice is no Florida in the Florida of Uruguay: that is not what the name mostly means."""
        known = self._memory.get((name, area))
        if known is None:
            postings = self.gazetteer.names.postings
            known = _inside(self.gazetteer, postings(name)[0], postings(area)[0])
            if name == area and postings(name)[0][0] not in np.concatenate(known):
                known = known[0][:0], known[1][:0]
            if len(self._memory) < _REMEMBERED:
                self._memory[name, area] = known
        return known

    def is_area(self, name: int) -> bool:
        """Whether a name mostly means a state, a country or more."""
        return bool(self.gazetteer.levels[self.gazetteer.names.postings(name)[0][0]] <= _STATE)


class _Beside(NamedTuple):
    """The tokens after and before a match."""

    after: int
    end: int  # of the match
    start: int  # of the token after it
    near: bool  # that one stands right after it
    before: int
    followed: bool  # the token after it begins the next match


class _Reader:
    """Goes through those matches of a chunk that have something beside them."""

    def __init__(
        self,
        contexts: Contexts,
        text: str,
        tokens: Tokens,
        found: Matches,
        codes: dict[int, tuple[int, int]],
    ) -> None:
        self.contexts, self.gazetteer = contexts, contexts.gazetteer
        self.text, self.tokens, self.found, self.codes = text, tokens, found, codes
        self.names: list[int] = found.name.tolist()
        self.context = Context()

    def settle(self, k: int, beside: _Beside) -> None:
        """By what stands after a match, else by what stands before it."""
        end = beside.end
        if beside.near:
            follower = k + 1 if beside.followed else None
            told = beside.followed or beside.after in self.codes
            if (
                told
                and _GAP.fullmatch(self.text, end, beside.start)
                and self._by_area(k, beside.after, follower)
            ):
                return
            if self.text.startswith(" state", end) and not self.text[end + 6 : end + 7].isalnum():
                self._keep(k, self._states(k))
                return
        self._by_word_before(
            k, int(self.tokens.start[beside.before]), int(self.tokens.end[beside.before])
        )

    def _by_area(self, k: int, after: int, follower: int | None) -> bool:
        """By the abbreviation or the name of an area that follows."""
        if after in self.codes:
            last, name = self.codes[after]
            inside, around = self.contexts.inside(self.names[k], name)
            if len(inside):
                self.context.candidates[k] = inside
                start, end = int(self.tokens.start[after]), int(self.tokens.end[last])
                self.context.codes.append(
                    (start, _with_stop(self.text, start, end), name, int(around[0]))
                )
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
        """Whether a match and the next are items of a list, as far as lines and other states beside them tell."""
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
        """ "Call Us": Call is a town in the United States, but "us" is written otherwise then. No area has so short a name."""
        start, end = (
            int(self.tokens.start[self.found.first[k]]),
            int(self.tokens.end[self.found.last[k]]),
        )
        return end - start <= 2 and not self.text[start:end].isupper()

    def _gap(self, k: int) -> str:
        """What stands between a match and the next, if it is short; "" where there is no next one."""
        if not 0 <= k < len(self.names) - 1:
            return ""
        end = int(self.tokens.end[self.found.last[k]])
        return self.text[
            end : min(int(self.tokens.start[self.found.first[k + 1]]), end + _WIDEST_GAP + 1)
        ]

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


def _codes_among(
    gazetteer: Gazetteer, text: str, tokens: Tokens, first: Index
) -> dict[int, tuple[int, int]]:
    """Abbreviations of states and countries among tokens: first token -> (last token, name). Longest first."""
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
            # In this order: few words look like codes, and to look at a name's postings takes five times as long.
            if _looks_like_code(text, tokens, begin, end) and CODE in names.postings(name)[1]:
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
    return (
        word.isupper()
        or text[end : end + 1] == "."
        or (len(word) > 2 and text[max(0, start - 2) : start] == ", ")
    )


def _with_stop(text: str, start: int, end: int) -> int:
    """The stop of "Calif." and "N.Y." belongs to them; the one after "OR" ends a sentence."""
    word = text[start:end]
    return (
        end + 1 if text[end : end + 1] == "." and not (word.isupper() and word.isalpha()) else end
    )


def _begin_with_a_letter(tokens: Tokens, at: Index) -> Bools:
    """Whether some tokens begin with a Latin letter, as nearly all words do."""
    start = tokens.start[at]
    first, *others = (plane[start] for plane in tokens.chars.planes)
    letter = (first >= ord("a")) & (first <= ord("z"))
    return np.asarray(letter & ~np.any(others, axis=0) if others else letter)


def _by_postcode(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """Of `rows` those that a postcode before the name points to."""
    kept = []
    for row in rows.tolist():
        country = gazetteer.country(row)
        if (
            country in _POSTCODE_FIRST
            and (area := gazetteer.postcode(country, code))
            and area.code == code
        ):
            lat, lon = gazetteer.latlon[row]
            if great_circle_km(lat, lon, area.lat, area.lon) <= _POSTCODE_KM:
                kept.append(row)
    return np.array(kept, np.int32)


# --- the words beside a name --------------------------------------------------------------------------------------


def attached(tokens: Tokens, at: Index) -> Bools:
    """Whether a token continues the words before it, rather than opening a line or a sentence."""
    before = np.maximum(at - 1, 0)
    return np.asarray((at > 0) & tokens.joined[before] & (tokens.line[before] == tokens.line[at]))


def neighbours(tokens: Tokens, found: Matches) -> tuple[Index, Index]:
    """The tokens right before and after each match on its line, with nothing but a space between; -1 for none."""
    before = np.where(attached(tokens, found.first), found.first - 1, -1)
    after = np.minimum(found.last + 1, len(tokens.start) - 1)
    follows = (
        tokens.joined[found.last]
        & (tokens.line[after] == tokens.line[found.last])
        & (after > found.last)
    )
    return before, np.where(follows, after, -1)
