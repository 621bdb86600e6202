"""Targets that links name: in their URLs, and in the words around them.

A page has 60 links and few of them name a target, so most of the time goes into seeing that they do not. All URLs of a
page, or all texts, are tokenised as one, and the runs of their words are looked up in a *sieve*: a byte for each of four
million hashes that says whether a name of a target, or the beginning of any name, may have it. What passes is read in
full, all of it at once: URLs by url_names.py, texts as those of pages are (context.py, doubts.py). Each URL and each text
is read for itself; the sieve lets some pass in vain, but never holds one back that names a target.

Two rules differ from those for the text of a page (Gao, Lee and Miao 2006, section 3.5). Of a name's places the most
populous is meant, unless a state or country beside it says otherwise: "Glendale" is in Arizona, even if Glendale in
California is the target. And a link's text is short and written like a title ("Houston Hotels"), so that a name that
means a target is believed at lower odds than others are.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import ALIAS, JOINED, WEAK
from toponaut.places.names.finder import EVEN, Found, NameFinder, closed, compose
from toponaut.places.names.nametable import IS_PREFIX, LONGEST
from toponaut.places.names.tokens import CHUNK, Bools, Hashes, Index, Ints, Tokens
from toponaut.places.names.tokens import chain as chained
from toponaut.places.names.url_names import by_size, grouped
from toponaut.urls import tokens as url_tokens

# What it adds to the odds of a name that it means a target, if it is no common word ("Mobile"). Swept on the link texts of
# tests/test_link_names.py: of 48 that name a target 0 finds 27, 1 32, 2 38, 2.3 40, 3 no more; of 53 that mean something else
# it takes 5, 6, 8, 8, 9 for one.
OF_TARGET = 2.3

_SIEVE_BITS = 22  # 7 % of runs that begin no name pass, of 20 bits 26 %
_TO_SIEVE = np.uint64(64 - _SIEVE_BITS)
_IN_TEXT, _IN_URL, _BEGINS = 1, 2, 4
_REMEMBERED = 50_000  # hosts, names
_URLS = 20_000  # 5 MB. On the synthetic web 23 % of the URLs asked for are among them; 27 % of 50,000, 32 % of all
# Parts texts that are read at once. Wider than any gap that context.py looks across, with a word in between that stands
# before no name: nothing that is said in one text counts in the next.
_APART = "\n\n\n\n\nx\n\n\n\n\n"
# The rest of a URL whose words are what stands between signs: no escapes, capitals, queries or words like "pizza2go".
_PLAIN = re.compile(r"(?:[!$&-/:;=@_~]*+(?:[a-z]++(?![0-9])|[0-9]++(?![a-z])))*+[!$&-/:;=@_~]*+")


class Named(NamedTuple):
    """A target, or a place in one, that a URL or a text names."""

    place: int  # its id
    text: str
    start: int  # offsets; of a URL that spells it otherwise ("%C3%BC") -1
    end: int


class Near(NamedTuple):
    """One named near a core of a text, such as the link's own."""

    named: Named
    words: int  # from the core: 0 inside, -1 the word before it, 2 the second after it


class _Host(NamedTuple):
    words: str
    hides: bool  # perhaps the name of a target, inside a word


class LinkNames:
    """Finds names of targets. `inside`: for every row of the gazetteer whether it is a target or lies in one."""

    def __init__(self, names: NameFinder, inside: Bools) -> None:
        self._names, self._gazetteer, self.inside = names, names.gazetteer, inside
        table = self._gazetteer.names
        borne = inside[table.posting_row]
        self._in_text = _any_of(borne, table.posting_start)
        self._in_url = _any_of(borne & (table.posting_quality >= JOINED), table.posting_start)
        self._keys = {
            _IN_TEXT: table.keys[self._in_text],
            _IN_URL: table.keys[self._in_url],
        }  # in order
        self._sieve = np.zeros(1 << _SIEVE_BITS, np.uint8)
        for bit, keys in (*self._keys.items(), (_BEGINS, table.keys[table.flags & IS_PREFIX != 0])):
            self._sieve[_slot(keys)] |= np.uint8(bit)
        self._hosts: dict[str, _Host] = {}
        self._urls: dict[str, tuple[Named, ...]] = {}
        self._largest: dict[int, int] = {}  # rows by name

    def in_urls(self, urls: Sequence[str]) -> list[tuple[Named, ...]]:
        """What each URL (in normal form) names, in the order of its words. Remembered: relevant pages have their links
        looked at again, most of which were met before."""
        known = self._urls
        new = [url for url in urls if url not in known]
        if len(known) + len(new) > _URLS:
            known.clear()
            new = list(urls)
        known.update(zip(new, self._read_urls(new), strict=True))
        return [known[url] for url in urls]

    def _read_urls(self, urls: Sequence[str]) -> list[tuple[Named, ...]]:
        answers: list[tuple[Named, ...]] = [()] * len(urls)
        suspects = self._suspects_of_urls(urls)
        if suspects:
            ids = self._gazetteer.ids
            for k, names in zip(
                suspects, self._names.urls.names([urls[k] for k in suspects]), strict=True
            ):
                answers[k] = tuple(
                    Named(int(ids[row]), one.text, one.start, one.end)
                    for one in names
                    if self.inside[row := one.rows[0]]
                )
        return answers

    def in_texts(self, texts: Sequence[str]) -> list[tuple[Named, ...]]:
        """What each text names, in order."""
        wholes = [(0, len(text)) for text in texts]
        answers: list[tuple[Named, ...]] = [()] * len(texts)
        for k, near in self.near(texts, wholes, 0, self.suspects(texts, wholes, 0)).items():
            answers[k] = tuple(sorted((one.named for one in near), key=lambda named: named.start))
        return answers

    def suspects(
        self, texts: Sequence[str], cores: Sequence[tuple[int, int]], window: int
    ) -> list[int]:
        """Which texts may name a target in their core, or at most so many words from it; the others do not."""
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
        if len(text) > CHUNK or not (
            tokens.chars.composed or unicodedata.is_normalized("NFC", text)
        ):
            return list(range(len(cores)))
        first, last = self._passing(tokens, tokens.upper.nonzero()[0], _IN_TEXT)
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
    ) -> dict[int, list[Near]]:
        """What some of the texts name in their core, or at most so many words from it: the closest first, by the number of
        the text. Of a text as long as a book the first CHUNK characters are read."""
        composed = [_composed(texts[k][:CHUNK], cores[k]) for k in which]
        read: list[list[Near]] = []
        for group in grouped([one.text for one in composed], len(_APART)):
            read += self._read(composed[len(read) : len(read) + len(group)], window)
        return {
            k: sorted(ones, key=lambda one: abs(one.words))
            for k, ones in zip(which, read, strict=True)
            if ones
        }

    # --- the sieve ---------------------------------------------------------------------------------------

    def _suspects_of_urls(self, urls: Sequence[str]) -> list[int]:
        suspects: set[int] = set()
        lines = []
        for k, url in enumerate(urls):
            authority, _, rest = url.partition("://")[2].partition("/")
            host = self._hosts.get(authority) or self._read_host(authority, url)
            if host.hides:
                suspects.add(k)
            lines.append(
                f"{host.words} {rest if _PLAIN.fullmatch(rest) else ' '.join(url_tokens(url).path)}"
            )
        first = 0
        for group in grouped(lines, 1):
            tokens = self._gazetteer.names.tokeniser.words("\n".join(group))
            runs, _ = self._passing(tokens, np.arange(len(tokens.start)), _IN_URL)
            if len(runs):
                suspects.update(
                    (
                        first + np.searchsorted(_begins(group, 1), tokens.start[runs], "right") - 1
                    ).tolist()
                )
            first += len(group)
        return sorted(suspects)

    def _read_host(self, authority: str, url: str) -> _Host:
        words = url_tokens(url).host
        said = self._gazetteer.names.tokeniser.words(
            " ".join(words)
        )  # words of some scripts are more than one
        hidden = chain.from_iterable(map(self._names.urls.hidden, words))
        hides = len(said.start) != len(words) or any(self._in_url[name] for name, _ in hidden)
        if len(self._hosts) > _REMEMBERED:
            self._hosts.clear()
        host = self._hosts[authority] = _Host(" ".join(words), hides)
        return host

    def _passing(self, tokens: Tokens, at: Index, bit: int) -> tuple[Index, Index]:
        """Runs of tokens, from some on, that may be the name of a target: their first and last tokens."""
        first = last = at
        run = tokens.hash_at(at)
        firsts, lasts = [], []
        for _ in range(LONGEST):
            told = self._sieve[_slot(run)]
            hit = self._exactly(run, (told & bit).nonzero()[0], bit)
            firsts.append(first[hit])
            lasts.append(last[hit])
            grow = (told & _BEGINS).nonzero()[0]
            if len(grow) and last[grow[-1]] == len(tokens.start) - 1:
                grow = grow[last[grow] < len(tokens.start) - 1]
            if not len(grow):
                break
            first, last = first[grow], last[grow] + 1
            run = chained(run[grow], tokens.hash_at(last))
        return np.concatenate(firsts), np.concatenate(lasts)

    def _exactly(self, runs: Hashes, hit: Index, bit: int) -> Index:
        """Of some runs those that are the name of a target indeed: without that one page in three has a suspect in vain."""
        if not len(hit):
            return hit
        keys, wanted = self._keys[bit], runs[hit]
        return np.asarray(
            hit[keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted]
        )

    # --- texts in full -----------------------------------------------------------------------------------

    def _read(self, texts: "Sequence[_Composed]", window: int) -> list[list[Near]]:
        """All that each text names in its core, or at most so many words from it, in order."""
        near: list[list[Near]] = [[] for _ in texts]
        begins = _begins([one.text for one in texts], len(_APART))
        scan = self._names.scan(_APART.join([one.text for one in texts]))
        if not scan.has(self._in_text):
            return near
        ends = begins + [len(one.text) for one in texts]  # what parts the texts is no part of them
        found = self._names.found(scan, np.stack([begins, ends], axis=1).ravel())
        found = [match for match in found if self._in_text[match.name]]
        offsets, starts = (
            begins.tolist(),
            scan.chunks[0][0].start.tolist(),
        )  # of the tokens; there is one chunk
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
            named = self._named(match, texts[k], offsets[k], settled.get((k, match.name)))
            if named:
                near[k].append(Near(named, words))
        return near

    def _named(
        self, match: Found, text: "_Composed", begin: int, settled: Ints | None
    ) -> Named | None:
        """What a match names, if that is a target; `begin`: where its text begins."""
        if match.odds <= EVEN and (
            match.odds <= EVEN - OF_TARGET or self._names.urls.is_word(match.name)
        ):
            return None
        start, end = match.start - begin, closed(text.text, match.start - begin, match.end - begin)
        row = self._meant(match, text.text[start:end], settled)
        if not self.inside[row]:
            return None
        if text.origin:
            start, end = text.origin[start], text.origin[end]
        return Named(int(self._gazetteer.ids[row]), text.source[start:end], start, end)

    def _meant(self, match: Found, said: str, settled: Ints | None) -> int:
        """The row of the place that a name means."""
        rows = match.rows if match.rows is not None else settled
        if rows is None and not said.isascii():
            rows = self._names.spelled_so(match.name, said)
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
        for least in (ALIAS, WEAK):
            if (quality >= least).any():
                return int(
                    by_size(self._gazetteer, rows[quality >= least], quality[quality >= least])[0]
                )
        return int(rows[0])


class _Composed(NamedTuple):
    """A text with its letters and accents composed."""

    text: str
    core: tuple[int, int]
    source: str  # as it was
    origin: (
        list[int] | None
    )  # where each character stands there; None if nothing had to be composed


def _composed(text: str, core: tuple[int, int]) -> _Composed:
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return _Composed(text, core, text, None)
    composed, origin = compose(text)
    start, end = core
    return _Composed(composed, (bisect_left(origin, start), bisect_left(origin, end)), text, origin)


def _words_from(tokens: Tokens, first: Index, last: Index, cores: Index) -> Index:
    """How many words some runs of tokens stand before (negative) or after cores (start and end of each)."""
    begin, end = (
        np.searchsorted(tokens.start, cores[..., 0]),
        np.searchsorted(tokens.start, cores[..., 1]),
    )
    return np.asarray(np.where(last < begin, last - begin, np.maximum(first - end + 1, 0)))


def _words_between(starts: Sequence[int], match: Found, core: Sequence[int]) -> int:
    """The same for one match and one core: ten times as fast."""
    begin, end = bisect_left(starts, core[0]), bisect_left(starts, core[1])
    first, last = bisect_left(starts, match.start), bisect_left(starts, match.end) - 1
    return last - begin if last < begin else max(first - end + 1, 0)


def _slot(hashes: Hashes) -> Index:
    return (hashes >> _TO_SIEVE).view(np.int64)


def _begins(texts: Iterable[str], apart: int) -> Index:
    """Where each text begins when they are joined by so many characters."""
    return np.array([0, *accumulate(len(text) + apart for text in texts)][:-1])


def _any_of(marked: Bools, start: Ints) -> Bools:
    """For each stretch of an array whether one of it is marked."""
    count = np.concatenate([[0], marked.cumsum()])
    return np.asarray(count[start[1:]] > count[start[:-1]])
