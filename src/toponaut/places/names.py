"""Place names in text, URL and anchor -> mentions.

    scan (nametable.py) -> longest names -> context beside them (context.py) -> is it a place? (doubts.py)
    -> which one? (resolve.py) -> mentions

`NameFinder` is built from an opened gazetteer and is pure: the same text gives the same mentions.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.context import Contexts
from toponaut.places.doubts import HOPELESS, Doubts
from toponaut.places.gazetteer import PRIMARY, WEAK, Gazetteer
from toponaut.places.nametable import Matches
from toponaut.places.resolve import Choice, Item, resolve
from toponaut.places.tokens import Bools, Bytes, Ints, Tokens
from toponaut.places.url_names import mentions_in_url
from toponaut.records import Mention

# A match at or below even log-odds is no mention. One that is not hopeless may still be saved by lying near the
# places that are believed: so much is added for a name that all the others are near to.
EVEN, COHERENCE = 0.0, 3.0
# At a glance a name counts from these odds by itself. Swept on bench/toponyms, with none of its places wanted, for -1, -0.5, 0,
# 0.5 and 1: 72, 73, 77, 79, 81 % of the glance's names are places, and its scope has 0.62, 0.61, 0.59, 0.51, 0.43 of its
# weight in common with the whole one.
SURE = 0.0

_REMEMBERED = 50_000  # names at a glance
_INITIALS = re.compile(r"\w(\.\w)+")


class _Found(NamedTuple):
    """A match that is believed: where, which name, with which candidates, at what odds."""

    start: int
    end: int
    name: int
    rows: Ints | None  # what context left of the candidates; None: all of them
    odds: float


class Glance(NamedTuple):
    """The place names of a text, and whether these are all of them."""

    mentions: list[Mention]
    whole: bool


class NameFinder:
    def __init__(self, gazetteer: Gazetteer, words: dict[str, NDArray[Any]]) -> None:
        self.gazetteer = gazetteer
        self._doubts = Doubts(gazetteer, words)
        self._contexts = Contexts(gazetteer)
        self._alone: dict[int, Choice] = {}

    def find(self, text: str, region: Mapping[int, float] | None = None) -> list[Mention]:
        """The place names in a text, in order. `region`: ids of places known to be near, with weights (1: as much
        as a name in the text)."""
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            return self._find_unnormalised(text, region)
        return self._placed(text, self._scanned(text), region or {})

    def glance(self, text: str, wanted: Bools) -> Glance:
        """What a text in NFC names: all of it where it has a name that is wanted (by index in the table), else only the
        names that hardly mean anything else, put where they are mostly meant.

        Finding names takes a third of the time, doubting and placing them the rest; most of the web's pages are not
        about the places that somebody wants, and what else they are about need not be known so exactly.
        """
        chunks = list(self._scanned(text))
        if any(wanted[matches.name].any() for _, matches in chunks):
            return Glance(self._placed(text, chunks, {}), whole=True)
        return Glance([mention for chunk in chunks for mention in self._sure(text, *chunk)], whole=False)

    def find_in_url(self, url: str) -> list[Mention]:
        """The place names in a URL in normal form; offsets index the URL (-1 where it spells them otherwise)."""
        return mentions_in_url(self.gazetteer, self._doubts, url)

    def _find_unnormalised(self, text: str, region: Mapping[int, float] | None) -> list[Mention]:
        """Letters with separate accents: look in the composed text, then carry the offsets back."""
        composed, origin = compose(text)
        return [
            Mention(
                text[origin[m.start] : origin[m.end]],
                origin[m.start],
                origin[m.end],
                m.place,
                m.candidates,
                m.confidence,
            )
            for m in self.find(composed, region)
        ]

    def _scanned(self, text: str) -> Iterator[tuple[Tokens, Matches]]:
        names = self.gazetteer.names
        for tokens in names.tokeniser.chunks(text):
            matches = longest(names.scan(tokens))
            if len(matches.first):
                yield tokens, matches

    def _sure(self, text: str, tokens: Tokens, matches: Matches) -> Iterator[Mention]:
        """The names that hardly mean anything else, where they are meant in most texts."""
        names = zip(self._doubts.names(tokens, matches), tokens.upper[matches.last].tolist(), strict=True)
        sure = [(k, name.odds) for k, (name, ends_upper) in enumerate(names) if name.odds > SURE and ends_upper]
        which = [k for k, _ in sure]
        columns = (tokens.start[matches.first[which]], tokens.end[matches.last[which]], matches.name[which])
        for (_, odds), start, end, name in zip(sure, *(column.tolist() for column in columns), strict=True):
            places, share, _ = self._meant(name)
            yield Mention(text[start:end], start, end, places[0], places, round(_belief(odds) * share, 3))

    def _meant(self, name: int) -> Choice:
        """What a name means by itself; remembered, which changes no answer."""
        known = self._alone.get(name)
        if known is None:
            if len(self._alone) > _REMEMBERED:
                self._alone.clear()
            (known,) = resolve(self.gazetteer, [Item(*self._candidates(name, None), 1.0)], {})
            self._alone[name] = known
        return known

    def _placed(
        self, text: str, chunks: Iterable[tuple[Tokens, Matches]], region: Mapping[int, float]
    ) -> list[Mention]:
        found = [match for chunk in chunks for match in self._believed(text, *chunk)]
        return self._mentions(text, found, {self.gazetteer.row(place): weight for place, weight in region.items()})

    def _believed(self, text: str, tokens: Tokens, matches: Matches) -> list[_Found]:
        context = self._contexts.read(text, tokens, matches)
        odds = self._doubts.weigh(tokens, matches, context.candidates.keys())
        starts, ends = tokens.start[matches.first].tolist(), tokens.end[matches.last].tolist()
        found = [
            _Found(start, end, name, context.candidates.get(k), weight)
            for k, (start, end, name, weight) in enumerate(zip(starts, ends, matches.name.tolist(), odds, strict=True))
            if weight > HOPELESS and k not in context.dropped
        ]
        found += [_Found(start, end, name, np.array([row], np.int32), 6.0) for start, end, name, row in context.codes]
        return sorted(found, key=lambda match: match.start)

    def _mentions(self, text: str, found: list[_Found], region: Mapping[int, float]) -> list[Mention]:
        keys, items = self._items(text, found)
        choices = resolve(self.gazetteer, items, region)
        mentions = []
        for (start, end, _, _, odds), key in zip(found, keys, strict=True):
            places, share, nearness = choices[key]
            odds += COHERENCE * nearness
            if odds > EVEN:
                if text[end : end + 1] in ").":
                    end = closed(text, start, end)
                confidence = round(_belief(odds) * share, 3)
                mentions.append(Mention(text[start:end], start, end, places[0], places, confidence))
        return mentions

    def _items(self, text: str, found: list[_Found]) -> tuple[list[int], list[Item]]:
        """One item per name and set of candidates. A name settled by context anywhere means the same elsewhere."""
        settled: dict[int, Ints] = {}
        for match in found:
            if match.rows is not None:
                settled.setdefault(match.name, match.rows)
        index: dict[tuple[int, bytes], int] = {}
        keys: list[int] = []
        parts: list[tuple[Ints, Bytes]] = []
        weights: list[float] = []
        for match in found:
            rows = match.rows if match.rows is not None else settled.get(match.name)
            if rows is None and not text.isascii():
                rows = self._spelled_so(match.name, text[match.start : match.end])
            key = (match.name, b"" if rows is None else rows.tobytes())
            if key not in index:
                index[key] = len(parts)
                parts.append(self._candidates(match.name, rows))
                weights.append(0.0)
            keys.append(index[key])
            belief = _belief(match.odds)
            # A name said often says a little more.
            weights[index[key]] = max(weights[index[key]], belief) + 0.1 * belief
        return keys, [Item(*part, weight) for part, weight in zip(parts, weights, strict=True)]

    def _spelled_so(self, name: int, text: str) -> Ints | None:
        """Of a name's places those that are written with just these accents: "Mâcon" is not in Georgia."""
        if text.isascii():
            return None
        rows = self.gazetteer.names.postings(name)[0]
        same = [row for row in rows.tolist() if self.gazetteer.name(row) == text]
        return np.array(same, np.int32) if same and len(same) < len(rows) else None

    def _candidates(self, name: int, rows: Ints | None) -> tuple[Ints, Bytes]:
        if rows is not None:
            return rows, np.full(len(rows), PRIMARY, np.uint8)
        rows, quality = self.gazetteer.names.postings(name)
        if quality[-1] >= WEAK:
            return rows, quality
        usable = np.count_nonzero(quality >= WEAK)  # codes and run-together names stand last
        return rows[:usable], quality[:usable]


def _belief(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def closed(text: str, start: int, end: int) -> int:
    """The end of a name with what belongs to it: the bracket of "Halle (Saale)", the stop of "U.S."."""
    follows = text[end : end + 1]
    if follows == ")" and "(" in text[start:end]:
        return end + 1
    return end + 1 if follows == "." and _INITIALS.fullmatch(text, start, end) else end


def longest(matches: Matches) -> Matches:
    """Of overlapping matches the one that begins first; nametable.py has seen to it that it is the longest there."""
    first, last, name = matches
    reach = np.maximum.accumulate(last)
    clashing = (first[1:] <= reach[:-1]).nonzero()[0] + 1  # with some match before: few do
    if not len(clashing):
        return matches
    kept = np.ones(len(first), np.bool_)
    firsts, lasts = first.tolist(), last.tolist()
    free, following = 0, -1  # the first token behind the matches kept; the match after the one looked at last
    for k in clashing.tolist():
        if k != following:  # the match before clashes with none
            free = lasts[k - 1] + 1
        if firsts[k] >= free:
            free = lasts[k] + 1
        else:
            kept[k] = False
        following = k + 1
    return Matches(first[kept], last[kept], name[kept])


def compose(text: str) -> tuple[str, list[int]]:
    """The text with letters and accents composed (NFC), and for each of its positions where it came from."""
    pieces, origin = [], []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            piece = unicodedata.normalize("NFC", text[begin:at])
            pieces.append(piece)
            origin += [begin] * len(piece)
            begin = at
    return "".join(pieces), [*origin, len(text)]
