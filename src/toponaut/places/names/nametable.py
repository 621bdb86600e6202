"""Which names stand in a text: all of them, in one pass of vector operations.

The table is a sorted array of 64-bit hashes of token runs. It holds every name and every beginning of a longer name
("new" because of "New York"). Looking a hash up takes one step into a bucket (by its top bits) and about two
comparisons; runs are extended token by token only where the table says that a longer name may follow. Before that, a
bitmap of first tokens turns most words of a text away. The arrays are mapped from disk: nothing is built on opening,
which is why this beats an automaton twice (bench/names.py has the figures).

Where the kernels were compiled (kernels/names.c), they go from token to token instead, by the same steps, in a sixth of the
time.
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
    Tokeniser,
    Tokens,
    chain,
)

IS_NAME, IS_PREFIX = 1, 2
# The longest names worth finding: "Neustadt bei Coburg" has 3 tokens, "Las Palmas de Gran Canaria" 5, a Japanese
# name in Kana up to 10. Names of more tokens are kept for look-up by their first ten tokens only.
LONGEST = 10
BUCKET_BITS = 22  # a bucket holds 0.3 keys on average: a scan of a page takes 117 us, with 20 bits 138, with 18 226
FIRST_BITS = 22
_TO_BUCKET, _TO_FIRST = np.uint64(64 - BUCKET_BITS), np.uint64(64 - FIRST_BITS)
_FOUR = np.arange(4)
_SPELLED = 400  # characters of a name that are read
_BITS = np.array([1 << bit for bit in range(8)], np.uint8)


class Matches(NamedTuple):
    """Names among the tokens of a chunk: of those that begin at one token, the longest. They may overlap."""

    first: Index  # the tokens that a name begins and ends with
    last: Index
    name: Index  # its index in the table


class NameTable:
    """Names -> postings. A posting is a row of the gazetteer with a quality (see data/names.py)."""

    def __init__(self, arrays: dict[str, NDArray[Any]], kernels: Kernels | None = COMPILED) -> None:
        self.keys: Hashes = arrays["name_hash"]
        self.flags: Bytes = arrays["name_flags"]
        self.buckets: Ints = arrays["name_bucket"]
        self.firsts: Bytes = arrays["name_first"]
        self.columns = (self.keys, self.flags, self.buckets, self.firsts)  # for kernels
        self.posting_start: Ints = arrays["posting_start"]
        self.posting_row: Ints = arrays["posting_row"]
        self.posting_quality: Bytes = arrays["posting_quality"]
        self.odds: NDArray[np.float64] = arrays[
            "name_odds"
        ]  # what each name is by itself (data/worth.py)
        self.traits: Bytes = arrays["name_traits"]
        self.tokeniser = Tokeniser(arrays["fold"], arrays["kind"], kernels)
        self.kernels = kernels

    def find(self, hashes: Hashes) -> Index:
        """For each hash its index in the table, or -1."""
        if self.kernels:
            return np.frombuffer(
                self.kernels.find(np.ascontiguousarray(hashes), self.columns), np.int64
            )
        found = np.full(len(hashes), -1, np.int64)
        which, index = self._among(hashes)
        found[which] = index
        return found

    def _among(self, hashes: Hashes) -> tuple[Index, Index]:
        """Which hashes are in the table, in any order, and their indices there."""
        bucket = (hashes >> _TO_BUCKET).view(np.int64)
        at, stop = self.buckets[bucket], self.buckets[bucket + 1]
        which = (at < stop).nonzero()[0]
        at, stop, hashes = at[which], stop[which], hashes[which]
        found, indices = [which[:0]], [which[:0]]
        while len(which):
            # Four at once, whether they are in the bucket or behind it: nearly all buckets end there.
            places = at[:, None] + _FOUR
            equal = self.keys[np.minimum(places, len(self.keys) - 1)] == hashes[:, None]
            if at.max() + 4 > len(
                self.keys
            ):  # the last key is not to be found behind itself once more
                equal &= places < len(self.keys)
            hit, further = equal.nonzero()
            found.append(which[hit])
            indices.append(at[hit] + further)
            left = (at + 4 < stop).nonzero()[0]
            which, at, stop, hashes = which[left], at[left] + 4, stop[left], hashes[left]
        return np.concatenate(found), np.concatenate(indices)

    def postings(self, name: int) -> tuple[Ints, Bytes]:
        """Rows of the gazetteer that bear a name, and how well each bears it."""
        part = slice(int(self.posting_start[name]), int(self.posting_start[name + 1]))
        return self.posting_row[part], self.posting_quality[part]

    def lookup(self, name: str) -> int:
        """The index of a whole string as a name, or -1."""
        name = name[:_SPELLED]
        if self.kernels:
            index = self.kernels.lookup(name, *self.tokeniser.alphabet, self.columns)
        else:
            tokens = self.tokeniser.words(name)
            index = int(self.find(run_hash(tokens.hash[:LONGEST]))[0]) if len(tokens.start) else -1
        return (
            index
            if index >= 0 and self.posting_start[index] < self.posting_start[index + 1]
            else -1
        )

    def scan(self, tokens: Tokens, *, caseless: bool = False, apart: bool = False) -> Matches:
        """All names among some tokens. Where case counts, a name begins with a capital (or has no case). `apart`: only those that
        are whole words and do not overlap."""
        if self.kernels:
            columns = (
                tokens.chars.kind,
                tokens.chars.planes,
                tokens.start,
                tokens.end,
                tokens.upper,
            )
            found = self.kernels.scan(columns, self.columns, caseless, apart)
            return Matches(*(np.frombuffer(column, np.int64) for column in found))
        first, run = self._may_begin(tokens, caseless)
        best_last = np.full(len(first), -1, np.int64)
        best_name = best_last.copy()
        alive, last = (
            np.arange(len(first)),
            first,
        )  # the runs looked at, and the tokens that end them now
        for length in range(1, LONGEST + 1):
            which, index = self._among(run)
            if length > 1 and len(which):  # asked after the table, for most runs are not in there
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

    def _may_begin(self, tokens: Tokens, caseless: bool) -> tuple[Index, Hashes]:
        """The tokens that some name begins with, and their hashes."""
        at = np.arange(len(tokens.start)) if caseless else tokens.upper.nonzero()[0]
        hashes = tokens.hash_at(at)
        slot = (hashes >> _TO_FIRST).view(np.int64)
        allowed = (self.firsts[slot >> 3] & _BITS[slot & 7]) != 0
        return at[allowed], hashes[allowed]


def whole_words(matches: Matches, tokens: Tokens) -> Matches:
    """Without those that begin or end inside a word of Katakana. It spells foreign words sign by sign, and parts of them are
    names by chance: "リマ" (Lima) in "リマインダー" (reminder). Other texts without spaces do not show where words end."""
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
    """Of overlapping matches the one that begins first; it is the longest there already."""
    first, last, name = matches
    reach = np.maximum.accumulate(last)
    clashing = (first[1:] <= reach[:-1]).nonzero()[0] + 1  # with some match before: few do
    if not len(clashing):
        return matches
    kept = np.ones(len(first), np.bool_)
    firsts, lasts = first.tolist(), last.tolist()
    free, following = (
        0,
        -1,
    )  # the first token behind the matches kept; the match after the one looked at last
    for k in clashing.tolist():
        if k != following:  # the match before clashes with none
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
