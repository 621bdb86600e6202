"""The places that URLs name, of all places in the gazetteer; for geo-rank, many URLs at once.

Reading a URL in full takes 50 us (places/names/url_names.py), and most name no place. So all URLs
of a page are first scanned as one text for words that can indicate a place: names that count alone,
and states or countries, which make other words count. Only URLs with such a word are read in full.

Codes of states are words, too ("in", "me", "or", "us"), and would select half of all URLs. A code
counts only directly after a name in its state, or as a part of the path: "/me/portland".
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, KINDS
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.tokens import Index, Ints, TextTokens
from toponaut.places.names.url_names import grouped
from toponaut.records import Kind
from toponaut.urls import UrlTokens

_COUNTY = KINDS.index(Kind.COUNTY)
_APART = "\n|\n"  # separates the words of two URLs: no name extends across it
_NOT_KNOWN, _SILENT, _SPEAKS, _WORD_AND_CODE = -1, 0, 1, 2  # kinds of names
_NO_HOST = "http://192.0.2.1/"  # an IP address has no words
_REMEMBERED = 50_000  # hosts, and pairs of a name and a code


class _NameSpans(NamedTuple):
    """Names among the tokens of a text, by their first and last token; single words twice."""

    first: Index
    last: Index
    name: Index


class UrlPlaces:
    """Finds places in URLs. It caches results between pages, which changes no answer."""

    def __init__(self, names: NameFinder) -> None:
        self._names, self._gazetteer, self._table = names, names.gazetteer, names.gazetteer.names
        self._kinds = np.full(len(self._table.keys), _NOT_KNOWN, np.int8)
        self._hosts: dict[str, bool] = {}  # whether a host names a place
        self._pairs: dict[tuple[int, int], bool] = {}  # whether a name is in the state of a code

    def find(self, urls: Sequence[str], words: Sequence[UrlTokens]) -> list[tuple[int, ...]]:
        """The ids of the places that each URL (normalised, with its words) names, in order."""
        places: list[tuple[int, ...]] = [()] * len(urls)
        speaking = self.speaking(urls, words)
        mentions = self._names.urls.find([urls[k] for k in speaking])
        for k, found in zip(speaking, mentions, strict=True):
            places[k] = tuple(dict.fromkeys(mention.place for mention in found))
        return places

    def speaking(self, urls: Sequence[str], words: Sequence[UrlTokens]) -> list[int]:
        """Which URLs may name a place."""
        both = enumerate(zip(urls, words, strict=True))
        speaking = {k for k, (url, (host, _)) in both if host and self._host_speaks(url)}
        # Joined as in url_names.py: a name may begin in the host and end in the path.
        texts = [f"{' '.join(host)}\n{' '.join(path)}" for host, path in words]
        done = 0
        for group in grouped(texts, len(_APART)):
            speaking.update(done + k for k in self._speaking(group, urls[done : done + len(group)]))
            done += len(group)
        return sorted(speaking)

    def _host_speaks(self, url: str) -> bool:
        """Whether a host alone names a place, perhaps one hidden in a word."""
        host = url.split("/", 3)[2]
        known = self._hosts.get(host)
        if known is None:
            if len(self._hosts) >= _REMEMBERED:
                self._hosts.clear()
            known = self._hosts[host] = bool(self._names.urls.find([f"http://{host}/"])[0])
        return known

    # --- words ------------------------------------------------------------------------------------

    def _speaking(self, texts: Sequence[str], urls: Sequence[str]) -> Iterator[int]:
        """The numbers of the texts with a word that can indicate a place; `urls`: their URLs."""
        text = _APART.join(texts)
        tokens = self._table.tokeniser.words(text)
        names = self._read(text, tokens)
        begins = np.array([0, *accumulate(len(one) + len(_APART) for one in texts)][:-1])
        kinds = self._kinds[names.name]
        said = names.first[kinds == _SPEAKS]
        yield from (np.searchsorted(begins, tokens.start[said], "right") - 1).tolist()
        codes = (kinds == _WORD_AND_CODE).nonzero()[0]
        if not len(codes):
            return
        before: dict[int, list[int]] = {}
        for last, name in zip(names.last.tolist(), names.name.tolist(), strict=True):
            before.setdefault(last, []).append(name)
        where = np.searchsorted(begins, tokens.start[names.first[codes]], "right") - 1
        at, code = names.first[codes].tolist(), names.name[codes].tolist()
        starts, ends = tokens.start[at].tolist(), tokens.end[at].tolist()
        for k, token, index, start, end in zip(where.tolist(), at, code, starts, ends, strict=True):
            if (
                self._follows_hidden(text, start)
                or _is_part_of_path(text[start:end], urls[k])
                or any(self._lies_in(name, index) for name in before.get(token - 1, ()))
            ):
                yield k

    def _read(self, text: str, tokens: TextTokens) -> _NameSpans:
        """The names in some words, each of a known kind."""
        runs = self._table.scan(tokens, caseless=True)
        single = self._table.find(tokens.hash)  # also names without spaces: "losangeles"
        words = (single >= 0).nonzero()[0]
        first, last = np.concatenate([runs.first, words]), np.concatenate([runs.last, words])
        name = np.concatenate([runs.name, single[words]])
        new = (self._kinds[name] == _NOT_KNOWN).nonzero()[0]
        if len(new):
            starts, ends = tokens.start[first[new]].tolist(), tokens.end[last[new]].tolist()
            spans = zip(starts, ends, strict=True)
            self._learn(name[new].tolist(), [text[s:e].replace(" ", "-") for s, e in spans])
        return _NameSpans(first, last, name)

    def _learn(self, names: list[int], texts: list[str]) -> None:
        alone = self._names.urls.find([_NO_HOST + words for words in texts])
        for index, mentions in zip(names, alone, strict=True):
            areas, coded = self._areas(index)
            if mentions or len(areas) or (len(coded) and not self._names.urls.is_word(index)):
                self._kinds[index] = _SPEAKS
            else:
                self._kinds[index] = _WORD_AND_CODE if len(coded) else _SILENT

    def _areas(self, name: int) -> tuple[Ints, Ints]:
        """States and countries of this name, and those with this code ("tx")."""
        rows, quality = self._table.postings(name)
        area = self._gazetteer.levels[rows] <= _COUNTY
        return rows[area & (quality >= ALIAS)], rows[area & (quality == CODE)]

    def _follows_hidden(self, text: str, start: int) -> bool:
        """Whether a word is the first of a path, after a word of the host that may hide a name."""
        if text[start - 1 : start] != "\n":
            return False
        host = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
        return bool(host) and bool(self._names.urls.hidden(host.split()[-1]))

    def _lies_in(self, name: int, code: int) -> bool:
        """Whether a place of this name is in the state of a code."""
        known = self._pairs.get((name, code))
        if known is None:
            if len(self._pairs) >= _REMEMBERED:
                self._pairs.clear()
            lineage = self._gazetteer.lineage[self._table.postings(name)[0]]
            known = self._pairs[name, code] = bool(np.isin(lineage, self._areas(code)[1]).any())
        return known


def _is_part_of_path(word: str, url: str) -> bool:
    return f"/{word}/" in url or f"//{word}." in url or url.endswith(f"/{word}")
