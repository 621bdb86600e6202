"""Place names in URLs: "losangeles-pizza.com", "/tx/fort_worth/", "visithouston.com".

A URL has neither case nor sentences. Its words are looked up one by one, in runs, and run together;
a host's word may contain a name before or after a common word ("houston|guide"). A name that is a
common word counts only with its state ("/al/mobile/"). One inside a longer name ("madison-avenue",
"washington-post") does not count. The most populous place of a name is meant (Gao, Lee and Miao
2006, section 3.5), unless a state or country in the same URL says otherwise. A state code that is
also a word counts only right after the name or as a path segment: "portland-me" and
"/me/portland/", but not "hotels-in-portland". For links, the names of the targets come first
(target_names.py).

Many URLs are read at once, but judged separately. Look-ups are cached.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import (
    ALIAS,
    CODE,
    JOINED,
    KINDS,
    PRIMARY,
    WEAK,
    Gazetteer,
)
from toponaut.places.names.target_names import FREQUENT_TARGET, TargetNames
from toponaut.places.names.tokens import CHUNK, Bytes, Hashes, Ints, TextTokens, chain
from toponaut.places.names.vocabulary import STREET, WARE, Vocabulary
from toponaut.records import Kind, Mention
from toponaut.urls import tokens as url_tokens

_STATE, _COUNTY = KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY)
SHORTEST = 3  # letters of a name without its state: "nyc", but not "la", "de" and "of"
SHORTEST_HIDDEN = 5  # letters of a name inside a longer word: "visithouston", but not "bathroom"
HIDDEN_PEOPLE = 50_000  # least population of such a place
COMMON_PEOPLE = 300_000  # a rare word ("phoenix") counts if the place is this large
FREQUENT = 3  # class of tables/words from which a word needs its state to be a name
# A city this large is meant rather than a state of its name (as in resolve.py), or a county.
LARGE_CITY, CITY_FOR_COUNTY = 500_000, 100_000
# Factor on the population of places with the name as an alias. At 0.28 (as in resolve.py) "Santa
# Ana" still means Taguig and "Augusta" Augsburg.
OF_ALIAS = 0.1
# In "/new-york/london/lisbon" New York is not a state. If a state's name mostly means a city,
# places in it need this share of the population of the name's main place. Lisbon in New York State
# has 1 % of Lisbon, Vancouver in Washington a quarter.
DWARF = 0.05
_REMEMBERED = 50_000

# Words that extend the name before them to a longer name; not short ones ("st", "av").
LONGER = frozenset(word for word in f"{STREET} {WARE}".split() if len(word) > 3) | {"post", "times"}
# Before a name in a host: "cityofboston.gov".
GLUED = frozenset({"cityof", "thecityof", "townof", "villageof", "countyof"})
_TIES = ("", "-", "_", "+", ".", "%20")  # between the words of a name
_APART = "\n|\n"  # between URLs: no name continues across it


class _UrlMeaning(NamedTuple):
    """The meanings of a name in any URL."""

    rows: Ints  # places of the name, except by a code
    meant: Ints  # without context, most populous first; empty for a common word
    areas: Ints  # states and countries of the name
    coded: Ints  # states and countries with this code
    is_word: bool  # a common word


class _UrlArea(NamedTuple):
    """A state or country in a URL, by name or by code."""

    first: int
    last: int
    rows: Ints
    word: str  # of a code that is also a common word ("in"); else ""
    is_city: bool  # its name mostly means a city: "new york", "washington"


class _Around(NamedTuple):
    """The rows of states and countries in a URL, for one of its names."""

    areas: list[Ints]
    perhaps: list[Ints]  # those whose name mostly means a city


_NOWHERE = _Around([], [])


class UrlName(NamedTuple):
    """A name in a URL, with the rows of the places that it may mean."""

    text: str
    rows: Ints  # most populous first
    settled: bool  # by a state or country in the URL
    start: int = -1  # in the URL; -1 if it is spelled differently there
    end: int = -1


class _UrlWords(NamedTuple):
    """The words of some URLs, and the names among them."""

    text: str
    tokens: TextTokens
    spans: list[tuple[int, int]]
    lines: list[int]  # each URL has three: host, path, a bar
    runs: dict[int, tuple[int, int]]  # first word -> last word and index of the longest name
    alone: list[int]  # each word as a name, run-together names included; -1: not a name

    def spelled(self, first: int, last: int) -> str:
        return self.text[self.spans[first][0] : self.spans[last][1]]


class UrlNameFinder:
    def __init__(
        self, gazetteer: Gazetteer, vocabulary: Vocabulary, targets: TargetNames | None = None
    ) -> None:
        self._gazetteer, self._vocabulary, self._targets = gazetteer, vocabulary, targets
        self._initials = targets.initials if targets else {}
        self._meanings: dict[int, _UrlMeaning] = {}
        self._hidden: dict[str, tuple[tuple[int, str], ...]] = {}
        self._inside: dict[tuple[int, bytes], Ints] = {}

    def among(self, targets: TargetNames) -> "UrlNameFinder":
        """A finder that reads the names of targets first."""
        return UrlNameFinder(self._gazetteer, self._vocabulary, targets)

    def find(self, urls: Sequence[str]) -> list[list[Mention]]:
        """The places that each normalised URL names, in order."""
        return [[self._mention(name) for name in names] for names in self.names(urls)]

    def names(self, urls: Sequence[str]) -> list[list[UrlName]]:
        """As `find`, but with all rows and without confidence."""
        found: list[list[UrlName]] = []
        texts = [" ".join(host) + "\n" + " ".join(path) for host, path in map(url_tokens, urls)]
        for group in grouped(texts, len(_APART)):
            found += self._find(urls[len(found) : len(found) + len(group)], _APART.join(group))
        return found

    def hidden(self, word: str) -> tuple[tuple[int, str], ...]:
        """Names at the start or end of a host's word, before or after a common word."""
        known = self._hidden.get(word)
        if known is None:
            if len(self._hidden) > _REMEMBERED:
                self._hidden.clear()
            known = self._hidden[word] = tuple(self._cuts(word))
        return known

    def is_word(self, name: int) -> bool:
        """Whether a name (by index in the table) is a common word."""
        return self._meaning(name).is_word

    def are_rare(self, hashes: Hashes) -> list[bool]:
        """For each word, by its hash, whether it is not a common one."""
        rare: list[bool] = (self._vocabulary.classes(hashes)[:, 0] < FREQUENT).tolist()
        return rare

    # --- URL by URL ---------------------------------------------------------------------------

    def _find(self, urls: Sequence[str], text: str) -> list[list[UrlName]]:
        words = self._words(text)
        found: list[list[UrlName]] = [[] for _ in urls]
        lower = [url.lower() for url in urls]
        at = [0] * len(urls)
        for number, name in self._names(words, self._areas(words), lower):
            start = lower[number].find(name.text.partition(" ")[0], at[number])
            if start >= 0:
                at[number] = start + len(name.text)
                name = name._replace(start=start, end=at[number])
            found[number].append(name)
        return found

    def _words(self, text: str) -> _UrlWords:
        names = self._gazetteer.names
        tokens = names.tokeniser.words(text)
        matches = names.scan(tokens, caseless=True)
        columns = (matches.first, matches.last, matches.name)
        runs = {
            first: (last, name)
            for first, last, name in zip(*(c.tolist() for c in columns), strict=True)
        }
        spans = list(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
        alone = names.find(tokens.hash).tolist()
        return _UrlWords(text, tokens, spans, tokens.line.tolist(), runs, alone)

    def _areas(self, words: _UrlWords) -> dict[int, list[_UrlArea]]:
        """States and countries, by name or by code ("tx", "de"), for each URL that has any."""
        hashes, lines, areas = words.tokens.hash, words.lines, dict[int, list[_UrlArea]]()
        pairs = self._gazetteer.names.find(chain(hashes[:-1], hashes[1:])).tolist()
        for length, indices in ((1, words.alone), (2, pairs)):
            for first, index in enumerate(indices):
                last = first + length - 1
                if index < 0 or lines[first] // 3 != lines[last] // 3:
                    continue
                meaning = self._meaning(index)
                word = words.spelled(first, last) if meaning.is_word else ""
                meant = meaning.meant
                is_city = len(meant) > 0 and self._gazetteer.levels[meant[0]] > _COUNTY
                here = [(meaning.areas, "", is_city), (meaning.coded, word, False)]
                if found := [_UrlArea(first, last, *one) for one in here if len(one[0])]:
                    areas.setdefault(lines[first] // 3, []).extend(found)
        return areas

    def _names(
        self, words: _UrlWords, areas: dict[int, list[_UrlArea]], urls: list[str]
    ) -> Iterator[tuple[int, UrlName]]:
        covered = -1
        for first, line in enumerate(words.lines):
            if first <= covered:
                continue
            last, index = words.runs.get(first, (first, words.alone[first]))
            url, text = urls[line // 3], words.spelled(first, last)
            near = areas.get(line // 3)
            around = _around(near, first, last, url) if near else _NOWHERE
            name = None
            if index >= 0:
                if index in self._initials and _is_path_segment(text, url):
                    name = self._initialled(index, text, words, line // 3)
                elif not _is_extended(words, last, url):
                    name = self._believed(index, text, around)
                covered = last if name else covered
            elif line % 3 == 0:  # the host
                name = self._first_hidden(text, around)
            if name:
                yield line // 3, name

    def _initialled(self, index: int, text: str, words: _UrlWords, url: int) -> UrlName | None:
        """A target by its initials ("/la/"), unless they are the state of another name."""
        coded = self._meaning(index).coded
        for first, line in enumerate(words.lines):
            if line // 3 != url:
                continue
            other = words.runs.get(first, (first, words.alone[first]))[1]
            if other >= 0 and len(self._within(other, self._meaning(other).rows, [coded])):
                return None
        return UrlName(text, np.array([self._initials[index][1]], np.int32), settled=False)

    def _first_hidden(self, word: str, around: "_Around") -> UrlName | None:
        for index, text in self.hidden(word):
            found = self._believed(index, text, around)
            if found and (
                self._gazetteer.population[found.rows[0]] >= HIDDEN_PEOPLE
                or (self._targets and self._targets.has(found.rows))
            ):
                return found
        return None

    def _believed(self, index: int, text: str, around: "_Around") -> UrlName | None:
        meaning = self._meaning(index)
        for areas in around:
            if areas and len(meaning.rows):
                rows = self._within(index, meaning.rows, areas)
                certain = areas is around.areas
                if len(rows) and (certain or not self._dwarfed(rows[0], meaning.meant)):
                    return UrlName(text, rows, settled=True)
        if not len(meaning.meant) or len(text) < SHORTEST:
            return None
        return UrlName(text, meaning.meant, settled=False)

    def _dwarfed(self, row: int, meant: Ints) -> bool:
        people = self._gazetteer.population
        return len(meant) > 0 and bool(people[row] < DWARF * people[meant[0]])

    def _within(self, index: int, rows: Ints, areas: list[Ints]) -> Ints:
        """The rows that are in some areas, most populous first. Cached: lists repeat a state."""
        around = np.concatenate(areas)
        key = index, around.tobytes()
        known = self._inside.get(key)
        if known is None:
            if len(self._inside) > _REMEMBERED:
                self._inside.clear()
            rows = rows[(self._gazetteer.lineage[rows][:, :, None] == around).any(axis=(1, 2))]
            known = self._inside[key] = by_size(self._gazetteer, rows[~np.isin(rows, around)])
        return known

    def _mention(self, name: UrlName) -> Mention:
        best, *_ = name.rows
        # Its own state is not a competitor.
        others = name.rows[~np.isin(name.rows, self._gazetteer.lineage[best])]
        people = np.exp(self._gazetteer.prior[np.append(best, others)].astype(np.float64))
        sure = (0.95 if name.settled else 0.8) * float(people[0] / people.sum())
        ids = tuple(self._gazetteer.ids[name.rows[:10]].tolist())
        return Mention(name.text, name.start, name.end, ids[0], ids, round(sure, 3))

    # --- looked up once -----------------------------------------------------------------------

    def _meaning(self, index: int) -> _UrlMeaning:
        known = self._meanings.get(index)
        if known is None:
            if len(self._meanings) > _REMEMBERED:
                self._meanings.clear()
            known = self._meanings[index] = self._look_up(index)
        return known

    def _look_up(self, index: int) -> _UrlMeaning:
        gazetteer = self._gazetteer
        rows, quality = gazetteer.names.postings(index)
        area = gazetteer.levels[rows] <= _COUNTY
        usable = (quality >= JOINED) & (quality != WEAK)
        meant = by_size(gazetteer, rows[usable], quality[usable])
        # The key of a single word is its hash.
        common = int(self._vocabulary.classes(gazetteer.names.keys[index : index + 1])[0, 0])
        is_word = common >= FREQUENT
        is_small = common > 0 and len(meant) > 0 and gazetteer.population[meant[0]] < COMMON_PEOPLE
        if self._targets:
            meant = self._targets.meant(index, meant)
            if self._targets.has(meant):
                is_word, is_small = common >= FREQUENT_TARGET, False
        if is_word or is_small:
            meant = meant[:0]
        areas, coded = rows[area & (quality >= ALIAS)], rows[area & (quality == CODE)]
        return _UrlMeaning(rows[quality >= JOINED], meant, areas, coded, is_word)

    def _cuts(self, word: str) -> Iterator[tuple[int, str]]:
        lengths = range(len(word) - 3, SHORTEST_HIDDEN - 1, -1)
        cuts = [cut for n in lengths for cut in ((word[:n], word[n:]), (word[-n:], word[:-n]))]
        if not cuts:
            return
        names = self._gazetteer.names
        hidden = names.tokeniser.words(" ".join(name for name, _ in cuts)).hash
        rests = names.tokeniser.words(" ".join(rest for _, rest in cuts)).hash
        if len(hidden) != len(cuts) or len(rests) != len(cuts):
            return  # a word of Han or Kana
        index = names.find(hidden)
        common = self._vocabulary.classes(rests)[:, 0] > 0
        for k in np.flatnonzero(index >= 0).tolist():
            name, rest = cuts[k]
            if (common[k] or rest in GLUED) and (rest not in LONGER or word.endswith(name)):
                yield int(index[k]), name


def _around(areas: Iterable[_UrlArea], first: int, last: int, url: str) -> "_Around":
    """The areas that settle a name: not its own words ("kansas city"), nor "in" before it."""
    around = _Around([], [])
    for area in areas:
        if area.first <= last and area.last >= first:
            continue
        if not area.word or area.first == last + 1 or _is_path_segment(area.word, url):
            (around.perhaps if area.is_city else around.areas).append(area.rows)
    return around


def _is_path_segment(word: str, url: str) -> bool:
    return f"/{word}/" in url or f"//{word}." in url or url.endswith(f"/{word}")


def _is_extended(words: _UrlWords, last: int, url: str) -> bool:
    """Whether the word after a name makes it a longer name: "madison-avenue"."""
    after = last + 1
    if after == len(words.lines) or words.lines[after] // 3 != words.lines[last] // 3:
        return False
    word = words.spelled(after, after)
    return word in LONGER and any(f"{words.spelled(last, last)}{tie}{word}" in url for tie in _TIES)


def by_size(gazetteer: Gazetteer, rows: Ints, quality: Bytes | None = None) -> Ints:
    """The most populous first. Aliases count less; an area comes after its or a large city."""
    level, people = gazetteer.levels[rows], gazetteer.population[rows].astype(np.float64)
    if quality is not None:
        people[quality < PRIMARY] *= OF_ALIAS
    city = level > _COUNTY
    if city.any() and not city.all():
        largest = people[city].max()
        yields = (level == _STATE) & (largest >= LARGE_CITY)
        yields |= (level == _COUNTY) & (largest >= CITY_FOR_COUNTY)
        people[~city & (yields | np.isin(rows, gazetteer.lineage[rows[city]]))] = 0
    return np.asarray(rows[np.argsort(-people, kind="stable")])


def grouped(texts: Sequence[str], apart: int) -> Iterator[Sequence[str]]:
    """Texts in groups that fit into one chunk each, with `apart` characters between texts."""
    if sum(map(len, texts)) + apart * len(texts) <= CHUNK:
        if texts:
            yield texts
        return
    group: list[str] = []
    length = 0
    for text in texts:
        if group and length + len(text) > CHUNK:
            yield group
            group, length = [], 0
        group.append(text)
        length += len(text) + apart
    yield group
