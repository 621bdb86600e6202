"""Where the last answer of each URL is recorded: 20 bytes per URL, in sorted arrays.

All captures are collected first (36 bytes each), then the last one of each URL is kept. A revisit
has its own head but the payload of an earlier capture, perhaps of another URL; a second index, of
revisits only, says where that is. A revisit without its original is skipped, so that an earlier
capture answers.

URLs are known by fingerprints with a secret key, which each collector draws: otherwise a server
could make up a URL whose capture answers for another site's.
"""

import secrets
from array import array

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.urls import fingerprint, normalise

_DATE_DIGITS = 17  # to the millisecond: as many as 64 bits hold


class RevisitTarget(Struct, frozen=True):
    """What a revisit says about its original."""

    url: str = ""
    date: str = ""


class Capture(Struct, frozen=True):
    """One recorded answer, from a WARC header or an index."""

    url: str
    date: str  # "2026-11-01T12:00:00Z" or 20261101120000
    digest: str  # of the payload, "" if unknown
    file: int
    offset: int
    refers: RevisitTarget | None = None  # a revisit


class CaptureIndex:
    """URL -> file number and offset. `keys`: fingerprints of the URLs with the key `secret`."""

    def __init__(
        self,
        secret: int,
        keys: NDArray[np.uint64],
        files: NDArray[np.uint32],
        offsets: NDArray[np.uint64],
    ) -> None:
        self._secret = secret
        self.keys, self._files, self._offsets = keys, files, offsets

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, url: str) -> tuple[int, int] | None:
        """File number and offset of the answer for a URL in normal form."""
        key = fingerprint(url, self._secret)
        row = int(np.searchsorted(self.keys, np.uint64(key)))
        if row == len(self.keys) or int(self.keys[row]) != key:
            return None
        return int(self._files[row]), int(self._offsets[row])


class CaptureCollector:
    """Collects the captures of a web, to make an index of them."""

    def __init__(self) -> None:
        self._secret = secrets.randbits(64)
        self._keys, self._dates, self._digests, self._offsets = (array("Q") for _ in range(4))
        self._files = array("I")
        self._revisits: dict[int, RevisitTarget] = {}

    def add(self, capture: Capture) -> None:
        """Adds a capture. Skips targets that are not http(s) URLs, like "dns:example.com"."""
        url = normalise(capture.url)
        if url is None:
            return
        if capture.refers is not None:
            self._revisits[len(self._keys)] = capture.refers
        self._keys.append(fingerprint(url, self._secret))
        self._dates.append(_number(capture.date))
        self._digests.append(fingerprint(capture.digest) if capture.digest else 0)
        self._offsets.append(capture.offset)
        self._files.append(capture.file)

    @property
    def latest(self) -> str:
        """The date of the last capture, as 2026-11-01T12:00:00."""
        d = str(max(self._dates, default=0)).rjust(_DATE_DIGITS, "0")
        return f"{d[:4]}-{d[4:6]}-{d[6:8]}T{d[8:10]}:{d[10:12]}:{d[12:14]}"

    def index(self) -> tuple[CaptureIndex, CaptureIndex]:
        """The last captures of all URLs, and the originals of those that are revisits.

        Of two captures at the same time, the one added later counts.
        """
        keys, dates = np.array(self._keys, np.uint64), np.array(self._dates, np.uint64)
        offsets, files = np.array(self._offsets, np.uint64), np.array(self._files, np.uint32)
        order = np.lexsort((dates, keys))
        original = np.arange(len(keys))
        if self._revisits:
            originals = _RevisitResolver(
                self._secret, keys, dates, np.array(self._digests, np.uint64), order, self._revisits
            )
            for row, refers in self._revisits.items():
                original[row] = originals.find(row, refers)
            order = order[original[order] >= 0]
        ordered = keys[order]
        is_last = np.ones(len(order), np.bool_)
        is_last[:-1] = ordered[1:] != ordered[:-1]
        kept = order[is_last]
        again = kept[original[kept] != kept]
        first = original[again]
        captures = CaptureIndex(self._secret, keys[kept], files[kept], offsets[kept])
        originals_of = CaptureIndex(self._secret, keys[again], files[first], offsets[first])
        return captures, originals_of


class _RevisitResolver:
    """Finds the originals of revisits."""

    def __init__(
        self,
        secret: int,
        keys: NDArray[np.uint64],
        dates: NDArray[np.uint64],
        digests: NDArray[np.uint64],
        order: NDArray[np.int64],
        revisits: dict[int, RevisitTarget],
    ) -> None:
        self._secret = secret
        self._keys, self._dates, self._digests = keys, dates, digests
        firsthand = np.ones(len(keys), np.bool_)
        firsthand[list(revisits)] = False
        self._order = order[firsthand[order]]  # by key, then by date
        self._ordered_keys = keys[self._order]
        by_digest = np.flatnonzero(firsthand & (digests != 0))
        self._by_digest = by_digest[np.argsort(digests[by_digest], kind="stable")]
        self._ordered_digests = digests[self._by_digest]

    def find(self, row: int, refers: RevisitTarget) -> int:
        """The original by the named URL (or the revisit's own) and digest or date, else by digest
        alone; -1 if there is none."""
        url = normalise(refers.url) if refers.url else None
        key = self._keys[row] if url is None else np.uint64(fingerprint(url, self._secret))
        until = _number(refers.date) if refers.date else int(self._dates[row])
        low, high = (
            np.searchsorted(self._ordered_keys, key),
            np.searchsorted(self._ordered_keys, key, "right"),
        )
        named = [int(one) for one in self._order[low:high] if int(self._dates[one]) <= until]
        digest = self._digests[row]
        for one in reversed(named):
            if not digest or not self._digests[one] or self._digests[one] == digest:
                return one
        place = int(np.searchsorted(self._ordered_digests, digest))
        if digest and place < len(self._by_digest) and self._ordered_digests[place] == digest:
            return int(self._by_digest[place])
        return -1


def _number(date: str) -> int:
    """A date as a number with a fixed number of digits."""
    digits = "".join(filter(str.isdecimal, date))[:_DATE_DIGITS]
    return int(digits.ljust(_DATE_DIGITS, "0"))
