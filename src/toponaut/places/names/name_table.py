"""Finds all names of the gazetteer in a text, in one pass of vector operations.

The table is a sorted array of 64-bit hashes of token runs. It contains every name, and every prefix
of a longer name ("new" because of "New York"). To look up a hash takes one step into a bucket (by
its top bits) and about two comparisons. Runs are extended token by token, only where a longer name
may follow. A bitmap of first tokens rules out most words before that. The arrays are mapped from
disk and nothing is built on opening: twice as fast as an automaton (bench/names.py).

The compiled kernels (kernels/names.c) do the same token by token, in a sixth of the time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.names.tokens import (
    Bools,
    Bytes,
    Hashes,
    Index,
    Ints,
    TextTokens,
    Tokeniser,
    chain,
)

IS_NAME, IS_PREFIX = 1, 2
# Tokens of the longest names: "Las Palmas de Gran Canaria" has 5, a Japanese name in Kana up to 10.
# Longer names can be looked up by their first ten tokens only.
LONGEST = 10
BUCKET_BITS = 22  # 0.3 keys in a bucket. Swept 18 to 22: 22 wins.
FIRST_BITS = 22
_TO_BUCKET, _TO_FIRST = np.uint64(64 - BUCKET_BITS), np.uint64(64 - FIRST_BITS)
_FOUR = np.arange(4)
_LONGEST_TEXT = 400  # characters of a name that `lookup` reads
_BITS = np.array([1 << bit for bit in range(8)], np.uint8)


class Matches(NamedTuple):
    """Names among tokens: the longest that begins at each token. They may overlap."""

    first: Index  # first and last token of a name
    last: Index
    name: Index  # its index in the table


class NameTable:
    """Names -> postings. A posting is a row of the gazetteer with a quality (aliases.py)."""

    def __init__(self, arrays: dict[str, NDArray[Any]], kernels: Kernels | None = COMPILED) -> None:
        self.keys: Hashes = arrays["name_hash"]
        self.flags: Bytes = arrays["name_flags"]
        self.buckets: Ints = arrays["name_bucket"]
        self.firsts: Bytes = arrays["name_first"]
        self.columns = (self.keys, self.flags, self.buckets, self.firsts)  # for kernels
        self.posting_start: Ints = arrays["posting_start"]
        self.posting_row: Ints = arrays["posting_row"]
        self.posting_quality: Bytes = arrays["posting_quality"]
        self.odds: NDArray[np.float64] = arrays["name_odds"]  # prior odds (name_columns.py)
        self.traits: Bytes = arrays["name_traits"]
        self.tokeniser = Tokeniser(arrays["fold"], arrays["kind"], kernels)
        self.kernels = kernels

    def find(self, hashes: Hashes) -> Index:
        """For each hash its index in the table, or -1."""
        if self.kernels:
            found = self.kernels.find(np.ascontiguousarray(hashes), self.columns)
            return np.frombuffer(found, np.int64)
        indices = np.full(len(hashes), -1, np.int64)
        which, index = self._among(hashes)
        indices[which] = index
        return indices

    def _among(self, hashes: Hashes) -> tuple[Index, Index]:
        """Which hashes are in the table, in any order, and their indices there."""
        bucket = (hashes >> _TO_BUCKET).view(np.int64)
        at, stop = self.buckets[bucket], self.buckets[bucket + 1]
        which = (at < stop).nonzero()[0]
        at, stop, hashes = at[which], stop[which], hashes[which]
        found, indices = [which[:0]], [which[:0]]
        while len(which):
            # Four keys at once, also past the bucket: nearly all buckets end there.
            places = at[:, None] + _FOUR
            equal = self.keys[np.minimum(places, len(self.keys) - 1)] == hashes[:, None]
            if at.max() + 4 > len(self.keys):  # do not find the last key twice
                equal &= places < len(self.keys)
            hit, further = equal.nonzero()
            found.append(which[hit])
            indices.append(at[hit] + further)
            left = (at + 4 < stop).nonzero()[0]
            which, at, stop, hashes = which[left], at[left] + 4, stop[left], hashes[left]
        return np.concatenate(found), np.concatenate(indices)

    def postings(self, name: int) -> tuple[Ints, Bytes]:
        """The rows that have a name, and the quality of the name for each."""
        part = slice(int(self.posting_start[name]), int(self.posting_start[name + 1]))
        return self.posting_row[part], self.posting_quality[part]

    def lookup(self, name: str) -> int:
        """The index of a whole string as a name, or -1."""
        name = name[:_LONGEST_TEXT]
        if self.kernels:
            index = self.kernels.lookup(name, *self.tokeniser.alphabet, self.columns)
        else:
            tokens = self.tokeniser.words(name)
            index = int(self.find(run_hash(tokens.hash[:LONGEST]))[0]) if len(tokens.start) else -1
        is_name = index >= 0 and self.posting_start[index] < self.posting_start[index + 1]
        return index if is_name else -1

    def scan(self, tokens: TextTokens, *, caseless: bool = False, apart: bool = False) -> Matches:
        """All names among tokens. Unless `caseless`, they begin with a capital or have no case.

        `apart`: only names that are whole words and do not overlap.
        """
        if self.kernels:
            chars = tokens.chars
            columns = (chars.kind, chars.planes, tokens.start, tokens.end, tokens.upper)
            found = self.kernels.scan(columns, self.columns, caseless, apart)
            return Matches(*(np.frombuffer(column, np.int64) for column in found))
        first, run = self._may_begin(tokens, caseless)
        best_last = np.full(len(first), -1, np.int64)
        best_name = best_last.copy()
        alive, last = np.arange(len(first)), first  # current runs and their last tokens
        for length in range(1, LONGEST + 1):
            which, index = self._among(run)
            if length > 1 and len(which):  # checked after the table, which has few of the runs
                whole = tokens.joined_at(last[which] - 1)
                which, index = which[whole], index[whole]
            alive, last, run, flags = alive[which], last[which], run[which], self.flags[index]
            hit = ((flags & IS_NAME) != 0).nonzero()[0]
            best_last[alive[hit]] = last[hit]
            best_name[alive[hit]] = index[hit]
            grow = ((flags & IS_PREFIX) != 0) & (last < len(tokens.start) - 1)
            if not grow.any():
                break
            alive, last = alive[grow], last[grow] + 1
            run = chain(run[grow], tokens.hash_at(last))
        hit = best_name >= 0
        matches = Matches(first[hit], best_last[hit], best_name[hit])
        return longest(whole_words(matches, tokens)) if apart else matches

    def _may_begin(self, tokens: TextTokens, caseless: bool) -> tuple[Index, Hashes]:
        """The tokens that a name may begin with, and their hashes."""
        at = np.arange(len(tokens.start)) if caseless else tokens.upper.nonzero()[0]
        hashes = tokens.hash_at(at)
        slot = (hashes >> _TO_FIRST).view(np.int64)
        allowed = (self.firsts[slot >> 3] & _BITS[slot & 7]) != 0
        return at[allowed], hashes[allowed]


def whole_words(matches: Matches, tokens: TextTokens) -> Matches:
    """The matches that do not begin or end inside a word of Katakana.

    Katakana spells foreign words, whose parts may be names: "リマ" (Lima) in "リマインダー"
    (reminder). Other scripts without spaces do not show where words end.
    """
    planes = tokens.chars.planes
    if len(planes) == 1 or not len(matches.first):
        return matches
    start, end = tokens.start[matches.first], tokens.end[matches.last]

    def is_kana(at: Index) -> Bools:
        return np.asarray((planes[1][at] == 0x30) & (planes[0][at] >= 0xA1) & (planes[2][at] == 0))

    cut = (is_kana(start) & is_kana(np.maximum(start - 1, 0)) & (start > 0)) | (
        is_kana(end - 1) & is_kana(end)
    )
    return Matches(*(column[~cut] for column in matches)) if cut.any() else matches


def longest(matches: Matches) -> Matches:
    """Of overlapping matches, the one that begins first."""
    first, last, name = matches
    reach = np.maximum.accumulate(last)
    clashing = (first[1:] <= reach[:-1]).nonzero()[0] + 1  # few matches overlap an earlier one
    if not len(clashing):
        return matches
    kept = np.ones(len(first), np.bool_)
    firsts, lasts = first.tolist(), last.tolist()
    free, following = 0, -1  # the first token after the matches kept; the next match
    for k in clashing.tolist():
        if k != following:  # the match before overlaps no other
            free = lasts[k - 1] + 1
        if firsts[k] >= free:
            free = lasts[k] + 1
        else:
            kept[k] = False
        following = k + 1
    return Matches(first[kept], last[kept], name[kept])


def run_hash(hashes: Hashes) -> Hashes:
    """The hash of a whole run of tokens, as an array of one."""
    run = hashes[:1]
    for k in range(1, len(hashes)):
        run = chain(run, hashes[k : k + 1])
    return run
