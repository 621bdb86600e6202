"""Answers out of archives into one WARC: records as they are, and nothing in it that refers to what is not there.

A copy of a page is archived as a reference to its original (a revisit). Where the original is not among what is wanted, it is taken
along, before the first answer that refers to it. A page that was unchanged since an earlier crawl refers to that crawl: it is whole
only if that is exported, too, and else counted in `orphans`.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np

from toponaut import __version__
from toponaut.archive.indexing import line_of
from toponaut.archive.members import packed
from toponaut.archive.records import date_of, warcinfo
from toponaut.errors import InputError
from toponaut.export.groups import Group, read_group
from toponaut.records import Visit
from toponaut.store.mirror import present
from toponaut.urls import fingerprint

FIELDS = (
    "outcome",
    "time",
    "relevant",
    "addresses",
    "title",
    "content_type",
    "hops",
    "archive",
    "offset",
    "length",
)

Write = Callable[[bytes], object]


class Copier:
    """Writes a WARC. `note` is given a line of an index (CDXJ) for each answer in it."""

    def __init__(self, write: Write, name: str, title: str, note: Write = lambda _: None) -> None:
        self._write, self._note = write, note
        self._name = Path(quote(name, safe=" "))  # as it stands in a header: it may hold anything
        self._info = {"software": f"Toponaut/{__version__}", "description": title}
        self._known: dict[Path, _Known] = {}
        self._size = 0
        self._responses, self._unreferred = array("Q"), array("Q")  # fingerprints of URLs
        self.answers = 0
        self.damaged = 0

    def take(self, archive: Path, visit: Visit, wanted: bool) -> bool:
        """Copies the answer of a visit if it is wanted. All visits of a log must be shown, in order. False: nothing was copied."""
        if not visit.archive:
            return False
        path = archive / visit.archive
        known = self._known.setdefault(path, _Known())
        start = known.ends[-1] if known.ends else 0
        known.ends.append(visit.offset + visit.length)
        group = self._read(path, start, visit.offset, known.ends[-1]) if wanted else None
        if group is None:
            return False
        if group.is_revisit and not self._has_original(archive, group):
            self._unreferred.append(fingerprint(group.header["warc-target-uri"]))
        known.copied.append(visit.offset)
        self._append(group)
        return True

    def close(self) -> None:
        """Ends the WARC. One without answers has its first record all the same."""
        if not self._size:
            self._begin(date_of(0.0))

    @property
    def has_archive(self) -> bool:
        """Whether any visit that was shown has an archived answer."""
        return bool(self._known)

    @property
    def orphans(self) -> int:
        """Answers that refer to a page which is neither here nor in a crawl that was named."""
        return int(
            (
                ~np.isin(
                    np.array(self._unreferred, np.uint64), np.array(self._responses, np.uint64)
                )
            ).sum()
        )

    def _read(self, path: Path, start: int, offset: int, end: int) -> Group | None:
        try:
            return read_group(present(path), start, offset, end)
        except FileNotFoundError:
            raise InputError(
                f"there is no {path}", "Put the crawl's archive back beside its log"
            ) from None
        except OSError as error:
            cure = "Mend the permissions or the disk"
            raise InputError(f"{path} cannot be read ({error.strerror or error})", cure) from error
        except ValueError:
            self.damaged += 1
            return None

    def _has_original(self, archive: Path, group: Group) -> bool:
        """Sees to it that the original of a revisit is here; False if it cannot be."""
        if group.original is None:
            return False
        file, offset = group.original
        known = self._known.get(archive / file, _Known())
        if known.has(offset):
            return True
        at = bisect_right(known.ends, offset)  # the first answer that ends behind it: itself
        if at == len(known.ends):
            return False
        original = self._read(
            archive / file, known.ends[at - 1] if at else 0, offset, known.ends[at]
        )
        if original is None or original.is_revisit:
            return False
        known.along.add(offset)
        self._append(original)
        return True

    def _append(self, group: Group) -> None:
        if not self._size:
            self._begin(group.header.get("warc-date", date_of(0.0)))
        *beside, answer = group.members
        for member in beside:
            self._write(member)
            self._size += len(member)
        if not group.is_revisit:
            self._responses.append(fingerprint(group.header["warc-target-uri"]))
        self._note(line_of(self._name, self._size, len(answer), group.header, group.block))
        self._write(answer)
        self._size += len(answer)
        self.answers += 1

    def _begin(self, date: str) -> None:
        member = packed(warcinfo(self._info, date, self._name.name, self._info["description"]))
        self._write(member)
        self._size = len(member)


class _Known:
    """What has been seen of a WARC: where its answers end, and which were copied, by offset."""

    def __init__(self) -> None:
        self.ends, self.copied = array("Q"), array("Q")  # both grow with their numbers
        self.along: set[int] = set()

    def has(self, offset: int) -> bool:
        at = bisect_right(self.copied, offset)
        return offset in self.along or (at > 0 and self.copied[at - 1] == offset)
