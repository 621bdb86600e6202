"""Finds all names of the gazetteer in a text, in one pass over its tokens.

The table is a sorted array of 64-bit hashes of token runs. It contains every name, and every prefix
of a longer name ("new" because of "New York"). To look up a hash takes one step into a bucket (by
its top bits) and about two comparisons. Runs are extended token by token, only where a longer name
may follow. A bitmap of first tokens rules out most words before that. The arrays are mapped from
disk and nothing is built on opening.
"""

from typing import Any, NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.token_hashes import ShortTextHasher
from toponaut.places.names.tokens import Bytes, Hashes, Index, Ints, TextTokens, Tokeniser

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

IS_NAME, IS_PREFIX = 1, 2
# Tokens of the longest names: "Las Palmas de Gran Canaria" has 5, a Japanese name in Kana up to 10.
# Longer names can be looked up by their first ten tokens only.
LONGEST = 10
BUCKET_BITS = 22  # 0.3 keys in a bucket. Swept 18 to 22: 22 wins.
FIRST_BITS = 22
_LONGEST_TEXT = 400  # characters of a name that `lookup` reads

# The same for compiled code.
_NAME = cython.declare(cython.uchar, IS_NAME)
_PREFIX = cython.declare(cython.uchar, IS_PREFIX)
_LONGEST = cython.declare(cython.int, LONGEST)
_TO_BUCKET = cython.declare(cython.int, 64 - BUCKET_BITS)
_TO_FIRST = cython.declare(cython.int, 64 - FIRST_BITS)
_MIX = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
_CHAIN = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)


class Matches(NamedTuple):
    """Names among tokens: the longest that begins at each token. They may overlap."""

    first: Index  # first and last token of a name
    last: Index
    name: Index  # its index in the table


class NameTable:
    """Names -> postings. A posting is a row of the gazetteer with a quality (aliases.py)."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.keys: Hashes = arrays["name_hash"]
        self.flags: Bytes = arrays["name_flags"]
        self.posting_start: Ints = arrays["posting_start"]
        self.posting_row: Ints = arrays["posting_row"]
        self.posting_quality: Bytes = arrays["posting_quality"]
        self.odds: NDArray[np.float64] = arrays["name_odds"]  # prior odds (name_columns.py)
        self.traits: Bytes = arrays["name_traits"]
        self.tokeniser = Tokeniser(arrays["fold"], arrays["kind"])
        self._hasher = ShortTextHasher(arrays["fold"], arrays["kind"])
        self._hashes = _HashTable(
            self.keys, self.flags, arrays["name_bucket"], arrays["name_first"]
        )

    def find(self, hashes: Hashes) -> Index:
        """For each hash its index in the table, or -1."""
        return self._hashes.find(hashes)

    def find_run(self, hashes: Hashes) -> int:
        """The index of a run of tokens, by their hashes, or -1."""
        return self._hashes.find_run(hashes)

    def postings(self, name: int) -> tuple[Ints, Bytes]:
        """The rows that have a name, and the quality of the name for each."""
        part = slice(int(self.posting_start[name]), int(self.posting_start[name + 1]))
        return self.posting_row[part], self.posting_quality[part]

    def lookup(self, name: str) -> int:
        """The index of a whole string as a name, or -1."""
        index = self._hashes.find_words(self._hasher.hashes(name[:_LONGEST_TEXT], LONGEST))
        is_name = index >= 0 and self.posting_start[index] < self.posting_start[index + 1]
        return index if is_name else -1

    def scan(self, tokens: TextTokens, *, caseless: bool = False, apart: bool = False) -> Matches:
        """All names among tokens. Unless `caseless`, they begin with a capital or have no case.

        `apart`: only names that are whole words and do not overlap.
        """
        return self._hashes.scan(tokens, caseless, apart)


@cython.cclass
class _HashTable:
    """The hashes of token runs, sorted, with flags, buckets and the bitmap of first tokens."""

    _keys: cython.const[cython.ulonglong][::1]
    _flags: cython.const[cython.uchar][::1]
    _buckets: cython.const[cython.int][::1]
    _firsts: cython.const[cython.uchar][::1]

    def __init__(self, keys: Hashes, flags: Bytes, buckets: Ints, firsts: Bytes) -> None:
        self._keys, self._flags, self._buckets, self._firsts = keys, flags, buckets, firsts

    def find(self, hashes: Hashes) -> Index:
        indices = np.empty(len(hashes), np.int64)
        wanted: cython.const[cython.ulonglong][:] = hashes
        index: cython.longlong[::1] = indices
        k: cython.Py_ssize_t
        for k in range(wanted.shape[0]):
            index[k] = self._index(wanted[k])
        return indices

    def find_run(self, hashes: Hashes) -> int:
        token: cython.const[cython.ulonglong][::1] = hashes
        run: cython.ulonglong
        k: cython.Py_ssize_t
        if token.shape[0] == 0:
            return -1
        run = token[0]
        for k in range(1, token.shape[0]):
            run = _chained(run, token[k])
        return self._index(run)

    def find_words(self, hashes: list[int]) -> int:
        """As `find_run`, for a few hashes without an array."""
        run: cython.ulonglong = 0
        token: cython.ulonglong
        k: cython.Py_ssize_t
        if not hashes:
            return -1
        for k in range(len(hashes)):
            token = hashes[k]
            run = _chained(run, token) if k else token
        return self._index(run)

    def scan(self, tokens: TextTokens, caseless: cython.bint, apart: cython.bint) -> Matches:
        token: cython.const[cython.ulonglong][::1] = tokens.hash
        joined: cython.const[cython.uchar][::1] = tokens.joined.view(np.uint8)
        upper: cython.const[cython.uchar][::1] = tokens.upper.view(np.uint8)
        count: cython.Py_ssize_t = token.shape[0]
        found = np.empty((3, count), np.int64)
        match: cython.longlong[:, ::1] = found
        matches: cython.Py_ssize_t = 0
        free: cython.Py_ssize_t = 0  # if `apart`, the first token after the matches so far
        spelled = _Katakana(tokens) if apart and len(tokens.chars.planes) > 1 else None
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        longest: cython.Py_ssize_t
        index: cython.Py_ssize_t
        name: cython.Py_ssize_t
        run: cython.ulonglong
        for first in range(count):
            run = token[first]
            if first < free or not (caseless or upper[first]) or not self._may_begin(run):
                continue
            name, longest = -1, first
            for last in range(first, min(first + _LONGEST, count)):
                if last > first:
                    if not joined[last - 1]:
                        break
                    run = _chained(run, token[last])
                index = self._index(run)
                if index < 0:
                    break
                if self._flags[index] & _NAME:
                    name, longest = index, last
                if not self._flags[index] & _PREFIX:
                    break
            if name < 0 or (spelled is not None and spelled.cuts(first, longest)):
                continue
            match[0, matches], match[1, matches], match[2, matches] = first, longest, name
            matches += 1
            if apart:
                free = longest + 1
        return Matches(*found[:, :matches].copy())

    @cython.cfunc
    @cython.inline
    def _may_begin(self, hash_: cython.ulonglong) -> cython.bint:
        """Whether a name may begin with a token."""
        slot: cython.Py_ssize_t = hash_ >> _TO_FIRST
        return (self._firsts[slot >> 3] >> (slot & 7)) & 1

    @cython.cfunc
    @cython.inline
    def _index(self, hash_: cython.ulonglong) -> cython.Py_ssize_t:
        """The index of a hash in the table, or -1."""
        bucket: cython.Py_ssize_t = hash_ >> _TO_BUCKET
        index: cython.Py_ssize_t
        for index in range(self._buckets[bucket], self._buckets[bucket + 1]):
            if self._keys[index] == hash_:
                return index
        return -1


@cython.cclass
class _Katakana:
    """Knows whether a match begins or ends inside a word of Katakana.

    Katakana spells foreign words, whose parts may be names: "リマ" (Lima) in "リマインダー"
    (reminder). Other scripts without spaces do not show where words end.
    """

    _plane: cython.const[cython.uchar][:, ::1]
    _start: cython.const[cython.longlong][::1]
    _end: cython.const[cython.longlong][::1]

    def __init__(self, tokens: TextTokens) -> None:
        self._plane, self._start, self._end = tokens.chars.planes, tokens.start, tokens.end

    def cuts(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.bint:
        start: cython.Py_ssize_t = self._start[first]
        end: cython.Py_ssize_t = self._end[last]
        if self._has(start - 1) and self._has(start):
            return True
        return self._has(end - 1) and self._has(end)

    @cython.cfunc
    def _has(self, at: cython.Py_ssize_t) -> cython.bint:
        if at < 0 or at >= self._plane.shape[1]:
            return False
        return self._plane[1, at] == 0x30 and self._plane[0, at] >= 0xA1 and self._plane[2, at] == 0


@cython.cfunc
@cython.inline
def _chained(run: cython.ulonglong, following: cython.ulonglong) -> cython.ulonglong:
    """As tokens.chain, for two numbers."""
    value: cython.ulonglong = run * _CHAIN + following
    value = (value ^ (value >> 32)) * _MIX
    return value ^ (value >> 32)


def longest(matches: Matches) -> Matches:
    """Of overlapping matches, the one that begins first."""
    first: cython.const[cython.longlong][:] = matches.first
    last: cython.const[cython.longlong][:] = matches.last
    kept = np.zeros(len(matches.first), np.bool_)
    is_kept: cython.uchar[::1] = kept.view(np.uint8)
    free: cython.longlong = 0  # the first token after the matches kept
    k: cython.Py_ssize_t
    for k in range(first.shape[0]):
        if first[k] >= free:
            is_kept[k] = True
            free = last[k] + 1
    return Matches(*(column[kept] for column in matches))
