"""Place names in text, URL and anchor -> mentions.

    scan (nametable.py) -> longest names -> context beside them (context.py) -> is it a place? (doubts.py)
    -> which one? (resolve.py) -> mentions

`NameFinder` is built from an opened gazetteer and is pure: the same text gives the same mentions.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import KINDS, PRIMARY, WEAK, Gazetteer
from toponaut.places.names.context import Contexts
from toponaut.places.names.doubts import Doubts
from toponaut.places.names.evidence import HOPELESS, abroad
from toponaut.places.names.glance import Glances
from toponaut.places.names.nametable import Matches
from toponaut.places.names.resolve import Item, resolve
from toponaut.places.names.tokens import Bools, Bytes, Index, Ints, Tokens
from toponaut.places.names.tongues import ENGLISH, Home, country_rows
from toponaut.places.names.url_names import UrlNames
from toponaut.places.names.vocabulary import Vocabulary
from toponaut.records import Kind, Mention

# A match at or below even log-odds is no mention. One that is not hopeless may still be saved by lying near the
# places that are believed: so much is added for a name that all the others are near to.
EVEN, COHERENCE = 0.0, 3.0
_COUNTRY = KINDS.index(Kind.COUNTRY)
_INITIALS = re.compile(r"\w(\.\w)+")


class Found(NamedTuple):
    """A match that is not hopeless: where, which name, with which candidates, at what odds."""

    start: int
    end: int
    name: int
    rows: Ints | None  # what context left of the candidates; None: all of them
    odds: float


class Scan(NamedTuple):
    """A text with all names of the table in it, place or not."""

    text: str  # in NFC
    chunks: list[tuple[Tokens, Matches]]

    def has(self, wanted: Bools) -> bool:
        """Whether one of some names (by index in the table) is among them."""
        return any(wanted[matches.name].any() for _, matches in self.chunks)


class NameFinder:
    def __init__(self, gazetteer: Gazetteer, words: dict[str, NDArray[Any]]) -> None:
        self.gazetteer = gazetteer
        vocabulary = Vocabulary(gazetteer.names.tokeniser, words)
        self._doubts = Doubts(gazetteer.names, vocabulary)
        self._contexts = Contexts(gazetteer)
        self._glances = Glances(gazetteer, self._contexts)
        self._english = country_rows(gazetteer)[ENGLISH]
        self.urls = UrlNames(gazetteer, vocabulary)

    def find(self, text: str, region: Mapping[int, float] | None = None) -> list[Mention]:
        """The place names in a text, in order. `region`: ids of places known to be near, with weights (1: as much
        as a name in the text)."""
        scan = self.scan(text)
        return (
            self.placed(scan, region)
            if scan.text is text
            else self._find_unnormalised(text, region)
        )

    def scan(self, text: str) -> Scan:
        """The first step of `find`, for those who look at what there is before they take the others."""
        names = self.gazetteer.names
        text, chars = names.tokeniser.read_composed(text)
        chunks = (
            (tokens, names.scan(tokens, apart=True)) for tokens in names.tokeniser.chunked(chars)
        )
        return Scan(text, [chunk for chunk in chunks if len(chunk[1].first)])

    def placed(
        self, scan: Scan, region: Mapping[int, float] | None = None, home: Home = frozenset()
    ) -> list[Mention]:
        """The other steps. `home`: the countries where the text is at home (tongues.py)."""
        found = self.found(scan)
        near = {self.gazetteer.row(place): weight for place, weight in (region or {}).items()}
        return self._mentions(scan.text, found, near, home)

    def found(self, scan: Scan, begins: Index | None = None) -> list[Found]:
        """The second of the steps, for those who choose among places otherwise. `begins`: where each of several texts
        begins that were joined to be read at once, each for itself."""
        return [match for chunk in scan.chunks for match in self._found(scan.text, *chunk, begins)]

    def glance(self, scan: Scan, home: Home = frozenset()) -> dict[int, float]:
        """What is named in a text, by id, with weights; about, for a tenth of the time of the other steps."""
        return self._glances.weights(*scan, home)

    def find_in_url(self, url: str) -> list[Mention]:
        """The place names in a URL in normal form; offsets index the URL (-1 where it spells them otherwise)."""
        return self.urls.find([url])[0]

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

    def _found(
        self, text: str, tokens: Tokens, matches: Matches, begins: Index | None
    ) -> list[Found]:
        context = self._contexts.read(text, tokens, matches)
        documents = None if begins is None else np.searchsorted(begins, tokens.start, "right")
        odds = self._doubts.weigh(tokens, matches, context.candidates.keys(), documents)
        starts, ends = tokens.start[matches.first].tolist(), tokens.end[matches.last].tolist()
        found = [
            Found(start, end, name, context.candidates.get(k), weight)
            for k, (start, end, name, weight) in enumerate(
                zip(starts, ends, matches.name.tolist(), odds, strict=True)
            )
            if weight > HOPELESS and k not in context.dropped
        ]
        found += [
            Found(start, end, name, np.array([row], np.int32), 6.0)
            for start, end, name, row in context.codes
        ]
        return sorted(found, key=lambda match: match.start)

    def _mentions(
        self, text: str, found: list[Found], region: Mapping[int, float], home: Home
    ) -> list[Mention]:
        keys, items = self._items(text, found)
        choices = resolve(self.gazetteer, items, region)
        far = (
            self._abroad([choice.places[0] for choice in choices], found, keys, home)
            if home
            else {}
        )
        mentions = []
        for (start, end, _, rows, odds), key in zip(found, keys, strict=True):
            places, share, nearness = choices[key]
            odds += COHERENCE * nearness
            if rows is None and key in far:
                odds += far[key]
            if odds > EVEN:
                if text[end : end + 1] in ").":
                    end = closed(text, start, end)
                confidence = round(_belief(odds) * share, 3)
                mentions.append(Mention(text[start:end], start, end, places[0], places, confidence))
        return mentions

    def _abroad(
        self, places: Sequence[int], found: list[Found], keys: list[int], home: Home
    ) -> dict[int, float]:
        """What is held against the places of names, by their keys. Countries that the text itself names count as home."""
        rows = np.searchsorted(self.gazetteer.ids, places)
        columns = (
            self.gazetteer.levels[rows],
            self.gazetteer.lineage[rows, _COUNTRY],
            self.gazetteer.prior[rows],
        )
        facts = list(zip(rows.tolist(), *(column.tolist() for column in columns), strict=True))
        of = {key: match.name for match, key in zip(found, keys, strict=True)}
        held = [
            abroad(size, level, self._quality(of[key], row))
            for key, (row, level, _, size) in enumerate(facts)
        ]
        english = self._english in home
        home |= {
            facts[key][2]
            for match, key in zip(found, keys, strict=True)
            if match.odds > EVEN and facts[key][1] == _COUNTRY and not (english and held[key])
        }
        return {
            key: held[key]
            for key, (_, level, country, _) in enumerate(facts)
            if (english if level <= _COUNTRY else country not in home)
        }

    def _quality(self, name: int, row: int) -> int:
        rows, quality = self.gazetteer.names.postings(name)
        return int(quality[(rows == row).argmax()])

    def _items(self, text: str, found: list[Found]) -> tuple[list[int], list[Item]]:
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
                rows = self.spelled_so(match.name, text[match.start : match.end])
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

    def spelled_so(self, name: int, text: str) -> Ints | None:
        """Of a name's places those that are written with just these accents: "Mâcon" is not in Georgia. Countries and the
        like have their name in many languages: "España" is not in the Philippines."""
        if text.isascii():
            return None
        rows = self.gazetteer.names.postings(name)[0]
        if self.gazetteer.levels[rows[0]] <= _COUNTRY:
            return None
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


def _begins_anew(piece: str, char: str) -> bool:
    """Whether a character is not composed with those before it. Accents are, and the letters of a Hangul syllable."""
    if unicodedata.combining(char):
        return False
    return unicodedata.is_normalized("NFC", piece + unicodedata.normalize("NFC", char))


def compose(text: str) -> tuple[str, list[int]]:
    """The text with letters and accents composed (NFC), and for each of its positions where it came from."""
    pieces, origin = [], []
    begin = 0
    for at in range(1, len(text) + 1):
        piece = unicodedata.normalize("NFC", text[begin:at])
        if at == len(text) or _begins_anew(piece, text[at]):
            pieces.append(piece)
            origin += [begin] * len(piece)
            begin = at
    return "".join(pieces), [*origin, len(text)]
