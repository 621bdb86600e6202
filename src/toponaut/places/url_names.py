"""Place names in a URL: "losangeles-pizza.com", "/tx/fort_worth/", "visithouston.com".

A URL has neither case nor sentences. Its words are looked up one by one and in runs, also run together; a host's word
may hide a name behind or before a common word ("houston|guide"). A name that is a common word counts only beside its
state ("/al/mobile/"). Of several places the most populous is meant (SPEC 1), unless a state or country in the same
URL says otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from toponaut.places.doubts import Doubts
from toponaut.places.gazetteer import ALIAS, CODE, JOINED, KINDS, WEAK, Gazetteer
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Ints, Tokens, chain
from toponaut.records import Kind, Mention
from toponaut.urls import tokens as url_tokens

_COUNTY = KINDS.index(Kind.COUNTY)
SHORTEST = 3  # letters of a name that may stand without its state: "nyc"; "la", "de" and "of" may not
SHORTEST_HIDDEN = 5  # letters of a name inside a longer word: "visithouston", but not "bathroom"
HIDDEN_PEOPLE = 50_000  # and people that the place must have
COMMON_PEOPLE = 300_000  # a rare word ("phoenix") counts if the place is so large
FREQUENT = 3  # class of tables/words from which a word is no name without its state


@dataclass(frozen=True)
class _Name:
    text: str
    rows: Ints  # most populous first
    settled: bool = False


def mentions_in_url(gazetteer: Gazetteer, doubts: Doubts, url: str) -> list[Mention]:
    """The places that a URL (in normal form) names, in the order of its words."""
    host, path = url_tokens(url)
    text = " ".join(host) + "\n" + " ".join(path)
    tokens = gazetteer.names.tokeniser.words(text)
    if not len(tokens.start):
        return []
    areas = _areas(gazetteer, tokens)
    mentions, at, lower = [], 0, url.lower()
    for name in _names(gazetteer, doubts, text, tokens, areas):
        start = lower.find(name.text.partition(" ")[0], at)
        at = start + len(name.text) if start >= 0 else at
        mentions.append(_mention(gazetteer, name, start, at))
    return mentions


def _mention(gazetteer: Gazetteer, name: _Name, start: int, end: int) -> Mention:
    people = np.exp(gazetteer.prior[name.rows].astype(np.float64))
    share = float(people[0] / people.sum())
    ids = tuple(gazetteer.ids[name.rows[:10]].tolist())
    found = start >= 0
    return Mention(
        name.text, start, end if found else -1, ids[0], ids, round((0.95 if name.settled else 0.8) * share, 3)
    )


def _areas(gazetteer: Gazetteer, tokens: Tokens) -> Ints:
    """States and countries that some of the words name, by name or by code ("tx", "de")."""
    names = gazetteer.names
    index = names.find(np.concatenate([tokens.hash, chain(tokens.hash[:-1], tokens.hash[1:])]))
    found = []
    for k in index[index >= 0].tolist():
        rows, quality = names.postings(k)
        found.append(rows[(gazetteer.levels[rows] <= _COUNTY) & ((quality >= ALIAS) | (quality == CODE))])
    return np.concatenate(found) if found else np.zeros(0, np.int32)


def _names(gazetteer: Gazetteer, doubts: Doubts, text: str, tokens: Tokens, areas: Ints) -> Iterator[_Name]:
    runs = _by_first(gazetteer.names.scan(tokens, caseless=True))
    alone = gazetteer.names.find(tokens.hash).tolist()  # finds names run together, too: "losangeles"
    covered = -1
    for k, (start, end) in enumerate(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)):
        if k <= covered:
            continue
        last, index = runs.get(k, (k, alone[k]))
        name = None
        if index >= 0:
            name = _believed(gazetteer, doubts, tokens, k, last, index, text[start : int(tokens.end[last])], areas)
            covered = last if name else covered
        elif tokens.line[k] == 0:  # the host
            name = _hidden(gazetteer, doubts, text[start:end], areas)
        if name:
            yield name


def _by_first(matches: Matches) -> dict[int, tuple[int, int]]:
    return {
        first: (last, name)
        for first, last, name in zip(matches.first.tolist(), matches.last.tolist(), matches.name.tolist(), strict=True)
    }


def _believed(
    gazetteer: Gazetteer, doubts: Doubts, tokens: Tokens, first: int, last: int, index: int, text: str, areas: Ints
) -> _Name | None:
    rows, quality = gazetteer.names.postings(index)
    usable = (quality >= JOINED) & (quality != WEAK)
    inside = rows[(quality >= JOINED) & (gazetteer.lineage[rows][:, :, None] == areas).any(axis=(1, 2))]
    inside = inside[~np.isin(inside, areas)]
    if len(inside):
        return _Name(text, _by_size(gazetteer, inside), settled=True)
    rows = _by_size(gazetteer, rows[usable])
    if not len(rows) or len(text) < SHORTEST:
        return None
    if first == last:
        common = int(doubts.classes(tokens.hash[first : first + 1])[0, 0])
        if common >= FREQUENT or (common and gazetteer.population[rows[0]] < COMMON_PEOPLE):
            return None
    return _Name(text, rows)


def _hidden(gazetteer: Gazetteer, doubts: Doubts, word: str, areas: Ints) -> _Name | None:
    """A name at the beginning or end of a host's word, where the rest is a common word; the longest there is."""
    lengths = range(len(word) - 3, SHORTEST_HIDDEN - 1, -1)
    cuts = [cut for n in lengths for cut in ((word[:n], word[n:]), (word[-n:], word[:-n]))]
    if not cuts:
        return None
    tokeniser = gazetteer.names.tokeniser
    names = tokeniser.words(" ".join(name for name, _ in cuts))
    rests = tokeniser.words(" ".join(rest for _, rest in cuts))
    if len(names.hash) != len(cuts) or len(rests.hash) != len(cuts):
        return None  # a word of Han or Kana
    index = gazetteer.names.find(names.hash)
    for k in np.flatnonzero((index >= 0) & (doubts.classes(rests.hash)[:, 0] > 0)).tolist():
        found = _believed(gazetteer, doubts, names, k, k, int(index[k]), cuts[k][0], areas)
        if found and gazetteer.population[found.rows[0]] >= HIDDEN_PEOPLE:
            return found
    return None


def _by_size(gazetteer: Gazetteer, rows: Ints) -> Ints:
    """The most populous first; of a city and the state around it that share a name, the city."""
    city = gazetteer.levels[rows] > _COUNTY
    around = gazetteer.lineage[rows[city]]
    people = gazetteer.population[rows] * ~(~city & np.isin(rows, around))
    return rows[np.argsort(-people, kind="stable")]
