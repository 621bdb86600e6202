"""Targets that links name: in their URLs, and in the words around them.

Of the 60 links of a page only few name a target, so ruling out the others must be fast. All URLs,
or all texts, of a page are tokenised at once, and the runs of their words are looked up in a sieve
(sieve.py). The suspects are then read in full: URLs by url_names.py, texts as page text is. The
sieve passes some links in vain, but never drops one that names a target.

Two rules differ from page text (Gao, Lee and Miao 2006, sections 3.4 and 3.5). A name means a
target of that name, and else the most populous place (target_names.py), unless a state or country
next to it says otherwise. And link texts are short titles ("Houston Hotels"), so a target's name is
believed at lower odds; one that is a common word counts if it is the whole link text ("Mobile").
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import ALIAS, JOINED, WEAK
from toponaut.places.names.composed_text import ComposedText, composed_text
from toponaut.places.names.finder import EVEN, NameFinder, NameMatch, closed_end
from toponaut.places.names.initials import InitialsReader
from toponaut.places.names.name_table import IS_PREFIX, Matches
from toponaut.places.names.sieve import Sieve
from toponaut.places.names.target_names import TargetNames, bare_name
from toponaut.places.names.tokens import CHUNK, Bools, Index, Ints, TextTokens
from toponaut.places.names.url_names import by_size, grouped
from toponaut.urls import tokens as url_tokens

# Added to the odds of a target's name that is not a common word ("Mobile"). Swept 0 to 3 on the
# link texts of tests/places/test_link_names.py: 2.3 finds 44 of 48, with 8 of 53 false.
OF_TARGET = 2.3

_IN_TEXT, _IN_URL = 1, 2  # kinds of names in the sieve
_REMEMBERED = 50_000  # hosts, names
_TEXTS, _LONG_TEXT = 10_000, 500  # cached, and the longest of them in characters: 5 MB
_URLS = 20_000  # cached: 5 MB. 23 % hits on the synthetic web; with 50,000 27 %.
# Separates texts that are read at once: wider than any gap that context.py reads across, with a
# word that is not context.
_APART = "\n\n\n\n\nx\n\n\n\n\n"
# The rest of a simple URL: no escapes, capitals, queries or words like "pizza2go".
_PLAIN = re.compile(r"(?:[!$&-/:;=@_~]*+(?:[a-z]++(?![0-9])|[0-9]++(?![a-z])))*+[!$&-/:;=@_~]*+")


_CoredText = tuple[str, tuple[int, int], int]  # a text, its core, and the words around that count


class NamedTarget(NamedTuple):
    """A target, or a place in a target, that a URL or a text names."""

    place: int  # its id
    text: str
    start: int  # offsets; -1 if a URL spells it differently ("%C3%BC")
    end: int


class NearbyTarget(NamedTuple):
    """A target named near a core of a text, such as the link's own text."""

    target: NamedTarget
    words: int  # from the core: 0: inside, -1: the word before, 2: the second after


class _HostWords(NamedTuple):
    words: str
    hides: bool  # a word may contain the name of a target


class LinkNames:
    """Finds names of targets. `target_of`: the target of each row of the gazetteer, or -1."""

    def __init__(self, names: NameFinder, target_of: Ints) -> None:
        self._names, self._gazetteer, self.inside = names, names.gazetteer, target_of >= 0
        self._targets = TargetNames(self._gazetteer, target_of == np.arange(len(target_of)))
        self.urls = names.urls.among(self._targets)
        self._initials = InitialsReader(self._gazetteer, self._targets)
        table = self._gazetteer.names
        borne = self.inside[table.posting_row]
        self._in_text = _any_of(borne, table.posting_start)
        self._in_url = _any_of(borne & (table.posting_quality >= JOINED), table.posting_start)
        for by_name in (self._in_text, self._in_url):
            by_name[list(self._targets.initials)] = True
        names_of = {_IN_TEXT: table.keys[self._in_text], _IN_URL: table.keys[self._in_url]}
        self._sieve = Sieve(names_of, table.keys[table.flags & IS_PREFIX != 0])
        self._hosts: dict[str, _HostWords] = {}
        self._urls: dict[str, tuple[NamedTarget, ...]] = {}
        self._texts: dict[_CoredText, list[NearbyTarget]] = {}
        self._largest: dict[int, int] = {}  # rows by name

    def in_urls(self, urls: Sequence[str]) -> list[tuple[NamedTarget, ...]]:
        """The targets that each normalised URL names, in order. Cached: URLs come again."""
        known = self._urls
        new = [url for url in urls if url not in known]
        if len(known) + len(new) > _URLS:
            known.clear()
            new = list(urls)
        known.update(zip(new, self._read_urls(new), strict=True))
        return [known[url] for url in urls]

    def _read_urls(self, urls: Sequence[str]) -> list[tuple[NamedTarget, ...]]:
        answers: list[tuple[NamedTarget, ...]] = [()] * len(urls)
        suspects = self._suspects_of_urls(urls)
        if suspects:
            ids = self._gazetteer.ids
            read = self.urls.names([urls[k] for k in suspects])
            for k, names in zip(suspects, read, strict=True):
                answers[k] = tuple(
                    NamedTarget(int(ids[row]), one.text, one.start, one.end)
                    for one in names
                    if self.inside[row := one.rows[0]]
                )
        return answers

    def in_texts(self, texts: Sequence[str]) -> list[tuple[NamedTarget, ...]]:
        """The targets that each text names, in order."""
        wholes = [(0, len(text)) for text in texts]
        answers: list[tuple[NamedTarget, ...]] = [()] * len(texts)
        for k, near in self.near(texts, wholes, 0, self.suspects(texts, wholes, 0)).items():
            answers[k] = tuple(sorted((one.target for one in near), key=lambda one: one.start))
        return answers

    def suspects(
        self, texts: Sequence[str], cores: Sequence[tuple[int, int]], window: int
    ) -> list[int]:
        """The texts that may name a target in their core, or within `window` words of it."""
        suspects: set[int] = set()
        first = 0
        for group in grouped([text[:CHUNK] for text in texts], 1):
            begins = _begins(group, 1)
            edges = np.array(cores[first : first + len(group)]) + begins[:, None]
            suspects.update(first + k for k in self.around("\n".join(group), edges, window))
            first += len(group)
        return sorted(suspects)

    def around(self, text: str, cores: Index | Sequence[tuple[int, int]], window: int) -> list[int]:
        """As `suspects`, for many cores of one text."""
        tokens = self._gazetteer.names.tokeniser.words(text)
        composed = tokens.chars.composed or unicodedata.is_normalized("NFC", text)
        if len(text) > CHUNK or not composed:
            return list(range(len(cores)))
        first, last = self._sieve.passing(tokens.hash, tokens.upper.nonzero()[0], _IN_TEXT)
        if not len(first) or not len(cores):
            return []
        near = np.abs(_words_from(tokens, first, last, np.asarray(cores)[:, None])) <= window
        return np.flatnonzero(near.any(axis=1)).tolist()

    def near(
        self,
        texts: Sequence[str],
        cores: Sequence[tuple[int, int]],
        window: int,
        which: Sequence[int],
    ) -> dict[int, list[NearbyTarget]]:
        """The targets in the core of some texts, or within `window` words of it, closest first.

        By the number of the text. Reads the first CHUNK characters of a text.
        """
        keys = [(texts[k][:CHUNK], cores[k], window) for k in which]
        known = {key: self._texts[key] for key in keys if key in self._texts}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        composed = [composed_text(text, core) for text, core, _ in new]
        read: list[list[NearbyTarget]] = []
        for group in grouped([one.text for one in composed], len(_APART)):
            read += self._read(composed[len(read) : len(read) + len(group)], window)
        for key, ones in zip(new, read, strict=True):
            known[key] = sorted(ones, key=lambda one: abs(one.words))
            self._remember(key, known[key])
        return {k: known[key] for k, key in zip(which, keys, strict=True) if known[key]}

    def _remember(self, key: _CoredText, near: list[NearbyTarget]) -> None:
        """Menus and lists come again on other pages of a site: two texts of five."""
        if len(key[0]) <= _LONG_TEXT:
            if len(self._texts) >= _TEXTS:
                self._texts.clear()
            self._texts[key] = near

    # --- the sieve ----------------------------------------------------------------------------

    def _suspects_of_urls(self, urls: Sequence[str]) -> list[int]:
        suspects: set[int] = set()
        lines = []
        for k, url in enumerate(urls):
            authority, _, rest = url.partition("://")[2].partition("/")
            host = self._hosts.get(authority) or self._read_host(authority, url)
            if host.hides:
                suspects.add(k)
            path = rest if _PLAIN.fullmatch(rest) else " ".join(url_tokens(url).path)
            lines.append(f"{host.words} {path}")
        first = 0
        for group in grouped(lines, 1):
            tokens = self._gazetteer.names.tokeniser.words("\n".join(group))
            runs, _ = self._sieve.passing(tokens.hash, np.arange(len(tokens.start)), _IN_URL)
            if len(runs):
                lines_of = np.searchsorted(_begins(group, 1), tokens.start[runs], "right") - 1
                suspects.update((first + lines_of).tolist())
            first += len(group)
        return sorted(suspects)

    def _read_host(self, authority: str, url: str) -> _HostWords:
        words = url_tokens(url).host
        # Words of scripts without spaces are several tokens.
        tokens = self._gazetteer.names.tokeniser.words(" ".join(words))
        hidden = chain.from_iterable(map(self.urls.hidden, words))
        hides = len(tokens.start) != len(words) or any(self._in_url[name] for name, _ in hidden)
        if len(self._hosts) > _REMEMBERED:
            self._hosts.clear()
        host = self._hosts[authority] = _HostWords(" ".join(words), hides)
        return host

    # --- texts in full ------------------------------------------------------------------------

    def _read(self, texts: Sequence[ComposedText], window: int) -> list[list[NearbyTarget]]:
        """The targets in the core of each text, or within `window` words of it, in order."""
        near: list[list[NearbyTarget]] = [[] for _ in texts]
        begins = _begins([one.text for one in texts], len(_APART))
        joined = _APART.join([one.text for one in texts])
        scan = self._names.scan(joined)
        initials = self._initials.find(joined)
        if not initials and not scan.has(self._in_text):
            return near
        ends = begins + [len(one.text) for one in texts]
        beside = scan._replace(chunks=[self._beside_targets(*one) for one in scan.chunks])
        found = self._names.match(beside, np.stack([begins, ends], axis=1).ravel())
        found = [match for match in found if self._in_text[match.name]]
        found = sorted(found + initials, key=_start)
        offsets = begins.tolist()
        # There is one chunk, or none if there are only initials.
        tokens = scan.chunks[0][0] if scan.chunks else self._gazetteer.names.tokeniser.words(joined)
        starts = tokens.start.tolist()
        numbers = [bisect_right(offsets, match.start) - 1 for match in found]
        settled: dict[tuple[int, int], Ints] = {}
        for k, match in zip(numbers, found, strict=True):
            if match.rows is not None:
                settled.setdefault((k, match.name), match.rows)
        cores = [
            (begin + one.core[0], begin + one.core[1])
            for begin, one in zip(offsets, texts, strict=True)
        ]
        for k, match in zip(numbers, found, strict=True):
            words = _words_between(starts, match, cores[k])
            if abs(words) > window:
                continue
            target = self._target(match, texts[k], offsets[k], settled.get((k, match.name)))
            if target:
                near[k].append(NearbyTarget(target, words))
        for k, text in enumerate(texts):
            if all(one.words for one in near[k]):
                near[k] += self._bare(text, {name for number, name in settled if number == k})
        return near

    def _bare(self, text: ComposedText, settled: set[int]) -> list[NearbyTarget]:
        """The target that is the whole core, if the context does not settle its name."""
        core = text.text[slice(*text.core)]
        bare = bare_name(core)
        name = self._gazetteer.names.lookup(bare) if bare[:1].isupper() else -1
        if name < 0 or name in settled or not self._in_text[name] or self.urls.is_word(name):
            return []
        row = self._most_populous(name)
        if not self._targets.has(np.array([row])):
            return []
        start = text.core[0] + core.index(bare)
        return [NearbyTarget(self._named(row, text, start, start + len(bare)), 0)]

    def _beside_targets(self, tokens: TextTokens, found: Matches) -> tuple[TextTokens, Matches]:
        """The names of targets, and those in one run with them: nothing else is evidence.

        In a run at most one word ("and") is between two names. A third of all names is left out.
        """
        run = np.concatenate([[0], (found.first[1:] - found.last[:-1] > 2).cumsum()])
        wanted = np.zeros(run[-1] + 1, np.bool_)
        wanted[run[self._in_text[found.name]]] = True
        kept = wanted[run]
        return tokens, Matches(found.first[kept], found.last[kept], found.name[kept])

    def _target(
        self, match: NameMatch, text: ComposedText, begin: int, settled: Ints | None
    ) -> NamedTarget | None:
        """The target of a match, if it means one. `begin`: the start of its text."""
        is_word = self._names.urls.is_word
        if match.odds <= EVEN and (match.odds <= EVEN - OF_TARGET or is_word(match.name)):
            return None
        start, end = (
            match.start - begin,
            closed_end(text.text, match.start - begin, match.end - begin),
        )
        row = self._meant_row(match, text.text[start:end], settled)
        return self._named(row, text, start, end) if self.inside[row] else None

    def _named(self, row: int, text: ComposedText, start: int, end: int) -> NamedTarget:
        if text.origin:
            start, end = text.origin[start], text.origin[end]
        return NamedTarget(int(self._gazetteer.ids[row]), text.source[start:end], start, end)

    def _meant_row(self, match: NameMatch, spelled: str, settled: Ints | None) -> int:
        """The row of the place that a name means."""
        rows = match.rows if match.rows is not None else settled
        if rows is None and not spelled.isascii():
            rows = self._names.rows_spelled(match.name, spelled)
        if rows is not None:
            return int(by_size(self._gazetteer, rows)[0])
        row = self._largest.get(match.name)
        if row is None:
            if len(self._largest) > _REMEMBERED:
                self._largest.clear()
            row = self._largest[match.name] = self._most_populous(match.name)
        return row

    def _most_populous(self, name: int) -> int:
        rows, quality = self._gazetteer.names.postings(name)
        ranked = rows[:1]
        for least in (ALIAS, WEAK):
            if (usable := quality >= least).any():
                ranked = by_size(self._gazetteer, rows[usable], quality[usable])
                break
        return int(self._targets.meant(name, ranked)[0])


def _words_from(tokens: TextTokens, first: Index, last: Index, cores: Index) -> Index:
    """Distances in words from cores to runs of tokens; negative before a core."""
    begin = np.searchsorted(tokens.start, cores[..., 0])
    end = np.searchsorted(tokens.start, cores[..., 1])
    return np.asarray(np.where(last < begin, last - begin, np.maximum(first - end + 1, 0)))


def _words_between(starts: Sequence[int], match: NameMatch, core: Sequence[int]) -> int:
    """As `_words_from`, for one match and one core: ten times as fast."""
    begin, end = bisect_left(starts, core[0]), bisect_left(starts, core[1])
    first, last = bisect_left(starts, match.start), bisect_left(starts, match.end) - 1
    return last - begin if last < begin else max(first - end + 1, 0)


def _start(match: NameMatch) -> int:
    return match.start


def _begins(texts: Iterable[str], apart: int) -> Index:
    """The start of each text when they are joined by `apart` characters."""
    return np.array([0, *accumulate(len(text) + apart for text in texts)][:-1])


def _any_of(marked: Bools, start: Ints) -> Bools:
    """For each stretch of an array, whether one of its elements is marked."""
    count = np.concatenate([[0], marked.cumsum()])
    return np.asarray(count[start[1:]] > count[start[:-1]])
