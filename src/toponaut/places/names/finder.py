"""Place names in text, URL and anchor -> mentions.

    scan (name_table.py) -> longest names -> context (context.py) -> is it a place? (weighing.py)
    -> which one? (resolve.py) -> mentions

The same text always gives the same mentions.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import KINDS, PRIMARY, WEAK, Gazetteer
from toponaut.places.names.context import ContextReader
from toponaut.places.names.evidence import HOPELESS, abroad_odds
from toponaut.places.names.glance import Glancer
from toponaut.places.names.home_countries import ENGLISH, Home, country_rows
from toponaut.places.names.name_table import Matches
from toponaut.places.names.resolve import NameItem, resolve
from toponaut.places.names.tokens import Bools, Bytes, Index, Ints, TextTokens
from toponaut.places.names.url_names import UrlNameFinder
from toponaut.places.names.vocabulary import Vocabulary
from toponaut.places.names.weighing import MatchWeigher
from toponaut.records import Kind, Mention

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# A match at or below even log-odds is not a mention. If it is not hopeless, nearby places may help:
# COHERENCE is added if all the other names are near.
EVEN, COHERENCE = 0.0, 3.0
_COUNTRY = KINDS.index(Kind.COUNTRY)
_CITY = KINDS.index(Kind.CITY)
_GERMAN_ARTICLE = re.compile(
    r"\b(?:[Dd](?:er|ie|as|en|em|es)|[Ii]m|[Zz]u[mr]|[Ee]ine[mnrs]?|[Dd]iese[mnrs]?)\s$"
)
_LONGEST_ARTICLE = 8  # characters: " dieser "
_INITIALS = re.compile(r"\w(\.\w)+")


class NameMatch(NamedTuple):
    """A match that is not hopeless: span, name, candidates, odds."""

    start: int
    end: int
    name: int
    rows: Ints | None  # candidates that fit the context; None: all
    odds: float


class Scan(NamedTuple):
    """A text with all names of the table in it, whether places or not."""

    text: str  # in NFC
    chunks: list[tuple[TextTokens, Matches]]

    def has(self, wanted: Bools) -> bool:
        """Whether it contains a wanted name (by index in the table)."""
        return any(wanted[matches.name].any() for _, matches in self.chunks)


class NameFinder:
    def __init__(self, gazetteer: Gazetteer, words: dict[str, NDArray[Any]]) -> None:
        self.gazetteer = gazetteer
        vocabulary = Vocabulary(gazetteer.names.tokeniser, words)
        self._weigher = MatchWeigher(gazetteer.names, vocabulary)
        self._contexts = ContextReader(gazetteer)
        self._glancer = Glancer(gazetteer, self._contexts)
        self._english = country_rows(gazetteer)[ENGLISH]
        self.urls = UrlNameFinder(gazetteer, vocabulary)

    def find(self, text: str, region: Mapping[int, float] | None = None) -> list[Mention]:
        """The place names in a text, in order.

        `region`: ids of places known to be near, with weights. 1 counts as a name in the text.
        """
        scan = self.scan(text)
        if scan.text is not text:
            return self._find_unnormalised(text, region)
        return self.resolve(scan, region)

    def scan(self, text: str) -> Scan:
        """The first step of `find`: all names of the table."""
        names = self.gazetteer.names
        text, chars = names.tokeniser.read_composed(text)
        chunks = (
            (tokens, names.scan(tokens, apart=True)) for tokens in names.tokeniser.chunked(chars)
        )
        return Scan(text, [chunk for chunk in chunks if len(chunk[1].first)])

    def resolve(
        self, scan: Scan, region: Mapping[int, float] | None = None, home: Home = frozenset()
    ) -> list[Mention]:
        """The other steps of `find`. `home`: the home countries of the text (home_countries.py)."""
        found = self.match(scan)
        near = {self.gazetteer.row(place): weight for place, weight in (region or {}).items()}
        return self._mentions(scan.text, found, near, home)

    def match(self, scan: Scan, begins: Index | None = None) -> list[NameMatch]:
        """The second step of `find`: matches that may be places.

        `begins`: the starts of several texts that were joined, but are judged separately.
        """
        return [match for chunk in scan.chunks for match in self._match(scan.text, *chunk, begins)]

    def glance(self, scan: Scan, home: Home = frozenset()) -> dict[int, float]:
        """Place ids with weights: an estimate in a tenth of the time of `resolve`."""
        return self._glancer.weights(*scan, home)

    def _find_unnormalised(self, text: str, region: Mapping[int, float] | None) -> list[Mention]:
        """Find names in the composed text (NFC) and map the offsets back."""
        composed, origin = compose(text)
        mentions = []
        for one in self.find(composed, region):
            start, end = origin[one.start], origin[one.end]
            mentions.append(
                Mention(text[start:end], start, end, one.place, one.candidates, one.confidence)
            )
        return mentions

    def _match(
        self, text: str, tokens: TextTokens, matches: Matches, begins: Index | None
    ) -> list[NameMatch]:
        context = self._contexts.read(text, tokens, matches)
        documents = None if begins is None else np.searchsorted(begins, tokens.start, "right")
        odds = self._weigher.weigh(tokens, matches, context.candidates.keys(), documents)
        starts, ends = tokens.start[matches.first].tolist(), tokens.end[matches.last].tolist()
        found = [
            NameMatch(start, end, name, context.candidates.get(k), weight)
            for k, (start, end, name, weight) in enumerate(
                zip(starts, ends, matches.name.tolist(), odds, strict=True)
            )
            if weight > HOPELESS
            and k not in context.dropped
            and not self._is_german_noun(text, start, name)
        ]
        found += [
            NameMatch(start, end, name, np.array([row], np.int32), 6.0)
            for start, end, name, row in context.codes
        ]
        return sorted(found, key=lambda match: match.start)

    def _is_german_noun(self, text: str, start: int, name: int) -> bool:
        """Whether a town's name has an article, as German nouns have: "der Zug", "im Namen"."""
        article = _GERMAN_ARTICLE.search(text, max(0, start - _LONGEST_ARTICLE), start)
        if article is None:
            return False
        rows, _ = self.gazetteer.names.postings(name)
        return bool((self.gazetteer.levels[rows] == _CITY).all())

    def _mentions(
        self, text: str, found: list[NameMatch], region: Mapping[int, float], home: Home
    ) -> list[Mention]:
        keys, items = self._items(text, found)
        choices = resolve(self.gazetteer, items, region)
        places = [choice.places[0] for choice in choices]
        far = self._abroad(places, found, keys, home) if home else {}
        mentions = []
        for (start, end, _, rows, odds), key in zip(found, keys, strict=True):
            candidates, share, nearness = choices[key]
            odds += COHERENCE * nearness
            if rows is None and key in far:
                odds += far[key]
            if odds > EVEN:
                if text[end : end + 1] in ").":
                    end = closed_end(text, start, end)
                confidence = round(_belief(odds) * share, 3)
                mentions.append(
                    Mention(text[start:end], start, end, candidates[0], candidates, confidence)
                )
        return mentions

    def _abroad(
        self, places: Sequence[int], found: list[NameMatch], keys: list[int], home: Home
    ) -> dict[int, float]:
        """Odds against places abroad, by key. Countries that the text names count as home."""
        rows = np.searchsorted(self.gazetteer.ids, places)
        columns = (
            self.gazetteer.levels[rows],
            self.gazetteer.lineage[rows, _COUNTRY],
            self.gazetteer.prior[rows],
        )
        facts = list(zip(rows.tolist(), *(column.tolist() for column in columns), strict=True))
        names = {key: match.name for match, key in zip(found, keys, strict=True)}
        against = [
            abroad_odds(size, level, self._quality(names[key], row))
            for key, (row, level, _, size) in enumerate(facts)
        ]
        english = self._english in home
        home |= {
            facts[key][2]
            for match, key in zip(found, keys, strict=True)
            if match.odds > EVEN and facts[key][1] == _COUNTRY and not (english and against[key])
        }
        return {
            key: against[key]
            for key, (_, level, country, _) in enumerate(facts)
            if (english if level <= _COUNTRY else country not in home)
        }

    def _quality(self, name: int, row: int) -> int:
        rows, quality = self.gazetteer.names.postings(name)
        return int(quality[(rows == row).argmax()])

    def _items(self, text: str, found: list[NameMatch]) -> tuple[list[int], list[NameItem]]:
        """One item per name and candidates. A name settled once means the same everywhere."""
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
                rows = self.rows_spelled(match.name, text[match.start : match.end])
            key = (match.name, b"" if rows is None else rows.tobytes())
            if key not in index:
                index[key] = len(parts)
                parts.append(self._candidates(match.name, rows))
                weights.append(0.0)
            keys.append(index[key])
            belief = _belief(match.odds)
            # A repeated name counts a little more.
            weights[index[key]] = max(weights[index[key]], belief) + 0.1 * belief
        return keys, [NameItem(*part, weight) for part, weight in zip(parts, weights, strict=True)]

    def rows_spelled(self, name: int, text: str) -> Ints | None:
        """The places of a name with exactly these accents: "Mâcon" is not in Georgia.

        None for countries, which have names in many languages: "España" is not in the Philippines.
        """
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
        usable = np.count_nonzero(quality >= WEAK)  # codes and run-together names are last
        return rows[:usable], quality[:usable]


def _belief(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def closed_end(text: str, start: int, end: int) -> int:
    """The end of a name, with the bracket of "Halle (Saale)" or the full stop of "U.S."."""
    follows = text[end : end + 1]
    if follows == ")" and "(" in text[start:end]:
        return end + 1
    return end + 1 if follows == "." and _INITIALS.fullmatch(text, start, end) else end


def _starts_new(piece: str, char: str) -> bool:
    """Whether a character is not composed with those before it, as accents and Hangul are."""
    if unicodedata.combining(char):
        return False
    return unicodedata.is_normalized("NFC", piece + unicodedata.normalize("NFC", char))


def compose(text: str) -> tuple[str, list[int]]:
    """The text in NFC, and the original position of each of its characters."""
    pieces, origin = [], []
    begin = 0
    for at in range(1, len(text) + 1):
        piece = unicodedata.normalize("NFC", text[begin:at])
        if at == len(text) or _starts_new(piece, text[at]):
            pieces.append(piece)
            origin += [begin] * len(piece)
            begin = at
    return "".join(pieces), [*origin, len(text)]
