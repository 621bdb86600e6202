"""What requests for the pages under watch need: URL, validators and memos, in a spool on disk."""

from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.frontier.spool import LONGEST, MOST, Spool
from toponaut.records import QueuedLink, Visit

Wheres = NDArray[np.uint64]  # where the record of each page is


class PageRecord(Struct, frozen=True, array_like=True):
    """What a request for a page needs."""

    node: str
    url: str
    depth: int
    hops: int
    found_by: int
    score: float
    ordering_memo: bytes
    owner_memo: bytes
    etag: str
    modified: str

    def link(self, promise: float) -> QueuedLink:
        """The page as a link to visit again."""
        return QueuedLink(
            self.url, promise, self.depth, self.hops, self.found_by, score=self.score,
            ordering_memo=self.ordering_memo, owner_memo=self.owner_memo, revisit=True,
        )  # fmt: skip


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PageRecord).decode


class PageRecords:
    """The records of a table of pages."""

    def __init__(self, directory: Path) -> None:
        self._spool = Spool(directory)

    def read(self, where: int) -> PageRecord:
        return _decode(self._spool.read(where))

    def append(self, visit: Visit) -> int | None:
        """Keep the record of a page; return where it is, None if it is too long."""
        record = _encoded(visit)
        return self._spool.append_one(record) if len(record) <= LONGEST else None

    def rewrite(self, wheres: Wheres, row: int, visit: Visit) -> None:
        """Replace the record of a row, unless the new one is too long."""
        old = int(wheres[row])
        if (where := self.append(visit)) is not None:
            wheres[row] = where
            self._spool.forget(old)
        if (segment := self._spool.sparse()) is not None:
            self._move(wheres, segment)

    def _move(self, wheres: Wheres, segment: int) -> None:
        """Move the live records of a mostly dead segment to the end."""
        rows = np.flatnonzero(self._spool.lies_in(wheres, segment))
        for some in np.array_split(rows, -(-len(rows) // MOST) or 1):
            old = wheres[some]
            wheres[some] = self._spool.append([self._spool.read(one) for one in old.tolist()])
            self._spool.forget_all(old)


def _encoded(visit: Visit) -> bytes:
    return _encode(
        PageRecord(
            visit.node, visit.url, visit.depth, visit.hops, visit.found_by, visit.score,
            visit.ordering_memo, visit.owner_memo, visit.etag, visit.modified,
        )
    )  # fmt: skip
