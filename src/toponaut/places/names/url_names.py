"""Place names in URLs: "losangeles-pizza.com", "/tx/fort_worth/", "visithouston.com".

A URL has neither case nor sentences. Its words are looked up one by one and in runs, also run together; a host's word
may hide a name behind or before a common word ("houston|guide"). A name that is a common word counts only beside its
state ("/al/mobile/"), and one inside a longer name ("madison-avenue", "washington-post") not at all. Of several places
the most populous is meant (SPEC 1), unless a state or country in the same URL says otherwise. A state's code that is a
word as well does so only right after the name or as a part of the path: "portland-me" and "/me/portland/", but not
"hotels-in-portland".

Many URLs are read at once, each for itself. What is looked up is remembered; that changes no answer.
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
from toponaut.places.names.cues import STREET, WARE
from toponaut.places.names.tokens import CHUNK, Bytes, Ints, Tokens, chain
from toponaut.places.names.vocabulary import Vocabulary
from toponaut.records import Kind, Mention
from toponaut.urls import tokens as url_tokens

_STATE, _COUNTY = KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY)
SHORTEST = (
    3  # letters of a name that may stand without its state: "nyc"; "la", "de" and "of" may not
)
SHORTEST_HIDDEN = 5  # letters of a name inside a longer word: "visithouston", but not "bathroom"
HIDDEN_PEOPLE = 50_000  # and people that the place must have
COMMON_PEOPLE = 300_000  # a rare word ("phoenix") counts if the place is so large
FREQUENT = 3  # class of tables/words from which a word is no name without its state
# People of a city that is meant rather than a state of its name (Washington; as in resolve.py), and rather than a county.
LARGE_CITY, CITY_FOR_COUNTY = 500_000, 100_000
# What the people of a place count for that bears the name as an alias only. At 0.28 (as in resolve.py) Taguig is still meant by
# "Santa Ana" and Augsburg by "Augusta"; "Cologne" and "Lisboa" mean what they should at both.
OF_ALIAS = 0.1
# In "/new-york/london/lisbon" New York is no state: a place in one whose name mostly means a city counts only if it has such a
# share of the people of the one that is mostly meant. Lisbon in New York State has a hundredth, Vancouver in Washington a quarter.
DWARF = 0.05
_REMEMBERED = 50_000

# Words that make a longer name of the name before them; not the shortest ("st", "av"), which mean much else in a URL.
LONGER = frozenset(word for word in f"{STREET} {WARE}".split() if len(word) > 3) | {"post", "times"}
# No words, but what stands before a name in a host: "cityofboston.gov".
GLUED = frozenset({"cityof", "thecityof", "townof", "villageof", "countyof"})
_TIES = ("", "-", "_", "+", ".", "%20")  # what parts the words of one name
_APART = "\n|\n"  # parts one URL from the next: no name goes across


class _Meaning(NamedTuple):
    """What a name may mean in a URL, the same in every one."""

    rows: Ints  # all that bear it, not by a code
    meant: Ints  # where nothing in the URL says otherwise, most populous first; none for a word that is hardly a name
    areas: Ints  # states and countries of the name
    coded: Ints  # states and countries that it is the code of
    is_word: bool  # a common one


class _Area(NamedTuple):
    """A state or country that words of a URL name, or are the code of."""

    first: int
    last: int
    rows: Ints
    word: str  # of a code that is a common word as well: "in"; else ""
    is_city: bool  # its name mostly means a city: "new york", "washington"


class _Around(NamedTuple):
    """The rows of states and countries that a URL names besides a name."""

    areas: list[Ints]
    perhaps: list[Ints]  # those whose name mostly means a city


_NOWHERE = _Around([], [])


class UrlName(NamedTuple):
    """A name in a URL, with the rows of the places that it may mean."""

    text: str
    rows: Ints  # most populous first
    settled: bool  # by a state or country in the URL
    start: int = -1  # in the URL; -1 where that spells it otherwise
    end: int = -1


class _Words(NamedTuple):
    """The words of some URLs, with what the table of names has for them."""

    text: str
    tokens: Tokens
    spans: list[tuple[int, int]]
    lines: list[int]  # three for a URL: host, path, a bar
    runs: dict[
        int, tuple[int, int]
    ]  # the longest name that begins with a word: its last word, its index
    alone: list[int]  # what each word alone is, run-together names included; -1: nothing

    def said(self, first: int, last: int) -> str:
        return self.text[self.spans[first][0] : self.spans[last][1]]


class UrlNames:
    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._gazetteer, self._vocabulary = gazetteer, vocabulary
        self._meanings: dict[int, _Meaning] = {}
        self._hidden: dict[str, tuple[tuple[int, str], ...]] = {}
        self._inside: dict[tuple[int, bytes], Ints] = {}

    def find(self, urls: Sequence[str]) -> list[list[Mention]]:
        """The places that each URL (in normal form) names, in the order of its words."""
        return [[self._mention(name) for name in names] for names in self.names(urls)]

    def names(self, urls: Sequence[str]) -> list[list[UrlName]]:
        """As `find`, for those who want to know no more than what is meant."""
        found: list[list[UrlName]] = []
        texts = [" ".join(host) + "\n" + " ".join(path) for host, path in map(url_tokens, urls)]
        for group in grouped(texts, len(_APART)):
            found += self._find(urls[len(found) : len(found) + len(group)], _APART.join(group))
        return found

    def hidden(self, word: str) -> tuple[tuple[int, str], ...]:
        """The names at the beginning or end of a host's word, where the rest is a common word; the longest first."""
        known = self._hidden.get(word)
        if known is None:
            if len(self._hidden) > _REMEMBERED:
                self._hidden.clear()
            known = self._hidden[word] = tuple(self._cuts(word))
        return known

    def is_word(self, name: int) -> bool:
        """Whether a name (by its index in the table) is a common word, so that it says little by itself."""
        return self._meaning(name).is_word

    # --- URL by URL --------------------------------------------------------------------------------------

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

    def _words(self, text: str) -> _Words:
        names = self._gazetteer.names
        tokens = names.tokeniser.words(text)
        matches = names.scan(tokens, caseless=True)
        columns = (matches.first, matches.last, matches.name)
        runs = {
            first: (last, name)
            for first, last, name in zip(*(c.tolist() for c in columns), strict=True)
        }
        spans = list(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
        return _Words(
            text, tokens, spans, tokens.line.tolist(), runs, names.find(tokens.hash).tolist()
        )

    def _areas(self, words: _Words) -> dict[int, list[_Area]]:
        """States and countries that some words name, by name or by code ("tx", "de"), for each URL that has any."""
        hashes, lines, areas = words.tokens.hash, words.lines, dict[int, list[_Area]]()
        pairs = self._gazetteer.names.find(chain(hashes[:-1], hashes[1:])).tolist()
        for length, indices in ((1, words.alone), (2, pairs)):
            for first, index in enumerate(indices):
                last = first + length - 1
                if index < 0 or lines[first] // 3 != lines[last] // 3:
                    continue
                meaning = self._meaning(index)
                word = words.said(first, last) if meaning.is_word else ""
                is_city = (
                    len(meaning.meant) > 0 and self._gazetteer.levels[meaning.meant[0]] > _COUNTY
                )
                here = [(meaning.areas, "", is_city), (meaning.coded, word, False)]
                if found := [_Area(first, last, *one) for one in here if len(one[0])]:
                    areas.setdefault(lines[first] // 3, []).extend(found)
        return areas

    def _names(
        self, words: _Words, areas: dict[int, list[_Area]], urls: list[str]
    ) -> Iterator[tuple[int, UrlName]]:
        covered = -1
        for first, line in enumerate(words.lines):
            if first <= covered:
                continue
            last, index = words.runs.get(first, (first, words.alone[first]))
            url, text = urls[line // 3], words.said(first, last)
            around = (
                _counting(areas[line // 3], first, last, url) if line // 3 in areas else _NOWHERE
            )
            name = None
            if index >= 0:
                if not _is_part(words, last, url):
                    name = self._believed(index, text, around)
                covered = last if name else covered
            elif line % 3 == 0:  # the host
                name = self._first_hidden(text, around)
            if name:
                yield line // 3, name

    def _first_hidden(self, word: str, around: "_Around") -> UrlName | None:
        for index, text in self.hidden(word):
            found = self._believed(index, text, around)
            if found and self._gazetteer.population[found.rows[0]] >= HIDDEN_PEOPLE:
                return found
        return None

    def _believed(self, index: int, text: str, around: "_Around") -> UrlName | None:
        meaning = self._meaning(index)
        for areas in around:
            if areas and len(meaning.rows):
                rows = self._within(index, meaning.rows, areas)
                if len(rows) and (
                    areas is around.areas or not self._dwarfed(rows[0], meaning.meant)
                ):
                    return UrlName(text, rows, settled=True)
        if not len(meaning.meant) or len(text) < SHORTEST:
            return None
        return UrlName(text, meaning.meant, settled=False)

    def _dwarfed(self, row: int, meant: Ints) -> bool:
        people = self._gazetteer.population
        return len(meant) > 0 and bool(people[row] < DWARF * people[meant[0]])

    def _within(self, index: int, rows: Ints, areas: list[Ints]) -> Ints:
        """Of the rows of a name those that lie in some areas, most populous first. Remembered: lists of a state's towns
        ask the same again and again."""
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
        others = name.rows[
            ~np.isin(name.rows, self._gazetteer.lineage[best])
        ]  # its own state says nothing against it
        people = np.exp(self._gazetteer.prior[np.append(best, others)].astype(np.float64))
        sure = (0.95 if name.settled else 0.8) * float(people[0] / people.sum())
        ids = tuple(self._gazetteer.ids[name.rows[:10]].tolist())
        return Mention(name.text, name.start, name.end, ids[0], ids, round(sure, 3))

    # --- looked up once ----------------------------------------------------------------------------------

    def _meaning(self, index: int) -> _Meaning:
        known = self._meanings.get(index)
        if known is None:
            if len(self._meanings) > _REMEMBERED:
                self._meanings.clear()
            known = self._meanings[index] = self._look_up(index)
        return known

    def _look_up(self, index: int) -> _Meaning:
        gazetteer = self._gazetteer
        rows, quality = gazetteer.names.postings(index)
        area = gazetteer.levels[rows] <= _COUNTY
        usable = (quality >= JOINED) & (quality != WEAK)
        meant = by_size(gazetteer, rows[usable], quality[usable])
        # The key of a single word is its hash; that of a run is no word's.
        common = int(self._vocabulary.classes(gazetteer.names.keys[index : index + 1])[0, 0])
        if len(meant) and (
            common >= FREQUENT or (common and gazetteer.population[meant[0]] < COMMON_PEOPLE)
        ):
            meant = meant[:0]
        areas, coded = rows[area & (quality >= ALIAS)], rows[area & (quality == CODE)]
        return _Meaning(rows[quality >= JOINED], meant, areas, coded, common >= FREQUENT)

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


def _counting(areas: Iterable[_Area], first: int, last: int, url: str) -> "_Around":
    """The areas that say which place a name is: not its own words ("kansas" of "kansas city"), nor "in" before it."""
    around = _Around([], [])
    for area in areas:
        beside = area.last < first or area.first > last
        if beside and (not area.word or area.first == last + 1 or _is_part_of_path(area.word, url)):
            (around.perhaps if area.is_city else around.areas).append(area.rows)
    return around


def _is_part_of_path(word: str, url: str) -> bool:
    return f"/{word}/" in url or f"//{word}." in url or url.endswith(f"/{word}")


def _is_part(words: _Words, last: int, url: str) -> bool:
    """Whether the word after a name makes it part of a longer one: "madison-avenue"."""
    after = last + 1
    if after == len(words.lines) or words.lines[after] // 3 != words.lines[last] // 3:
        return False
    word = words.said(after, after)
    return word in LONGER and any(f"{words.said(last, last)}{tie}{word}" in url for tie in _TIES)


def by_size(gazetteer: Gazetteer, rows: Ints, quality: Bytes | None = None) -> Ints:
    """The most populous first. Places that bear the name as an alias count for less: Santa Ana in California before Taguig,
    which was once called so. An area comes after a city of its name that lies in it or is large."""
    level, people = gazetteer.levels[rows], gazetteer.population[rows].astype(np.float64)
    if quality is not None:
        people[quality < PRIMARY] *= OF_ALIAS
    city = level > _COUNTY
    if city.any() and not city.all():
        largest = people[city].max()
        yields = (level == _STATE) & (largest >= LARGE_CITY) | (level == _COUNTY) & (
            largest >= CITY_FOR_COUNTY
        )
        people[~city & (yields | np.isin(rows, gazetteer.lineage[rows[city]]))] = 0
    return np.asarray(rows[np.argsort(-people, kind="stable")])


def grouped(texts: Sequence[str], apart: int) -> Iterator[Sequence[str]]:
    """Texts in groups that fit into one chunk each, with so many characters between them."""
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
