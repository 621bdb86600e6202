"""The letters of a segment, kept beside it on the shared storage: for each receiver one, with all links for it in the segment's visits.

    log/Cn1@17/000003.parquet     the visits
    log/Cn1@17/000003.letters     what they have for others: an index (receiver: where, how long), then the letters, packed

Who begins anew, or has missed the end of a sender's life, reads its own letters there instead of the links of everybody: what it reads
is its n-th part of the log, not all of it. The file is there before its segment, so a segment that counts has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, islice

import msgspec
import zstandard

from toponaut.cluster.letters import Letter, Packed, from_bytes, to_bytes
from toponaut.cluster.lives import Life
from toponaut.log import Epoch
from toponaut.store import Store

_SIZE = 4  # bytes that say how long the index is
_HEAD = (
    1 << 16
)  # bytes that are read first: the index for two thousand receivers, or all of a small file
_AT_ONCE = 16  # letters that are read ahead: an answer of S3 takes some 30 ms

_Index = dict[str, tuple[int, int]]
_Known = tuple[
    int, int, float, _Index
]  # from which visit up to which, the last one's stamp, and where the letters are


def name_of(folder: str, number: int) -> str:
    """What the letters of a segment are called, in the folder of logs."""
    return f"{folder}/{number:06}.letters"


class Letters:
    """The letters of a segment while that grows. Links come as they go over the wire: they are encoded once. At 20 links a page and 50
    pages a second that is 40 MB in `storage.seal_seconds`; to read them from the segment again would cost 5 us for each."""

    def __init__(self, epoch: Epoch) -> None:
        self._epoch = epoch
        self._links: dict[str, list[Packed]] = {}
        self.stamp = 0.0  # of the segment's last visit, or later

    def add(self, packed: Mapping[str, Packed]) -> None:
        """What a visit has for others."""
        for receiver, links in packed.items():
            self._links.setdefault(receiver, []).append(links)

    def file(self, after: int, upto: int) -> bytes:
        """The file for the visits from `after` up to `upto`."""
        pack, epoch = zstandard.ZstdCompressor().compress, self._epoch
        blobs = {
            receiver: pack(to_bytes(epoch.actor, epoch.number, after, upto, self.stamp, links))
            for receiver, links in self._links.items()
        }
        ends = accumulate(map(len, blobs.values()))
        index = {
            to: (end - len(blobs[to]), len(blobs[to])) for to, end in zip(blobs, ends, strict=True)
        }
        head = msgspec.msgpack.encode((after, upto, self.stamp, index))
        return b"".join([len(head).to_bytes(_SIZE, "big"), head, *blobs.values()])


def read_letter(logs: Store, life: Life, number: int, receiver: str) -> Letter:
    """What a segment has for a receiver. If that is nothing, it is a letter without links."""
    name = name_of(life.folder, number)
    some = logs.read(name, 0, _HEAD)
    begins = _SIZE + int.from_bytes(some[:_SIZE], "big")
    if begins > len(some):
        some = logs.read(name, 0, begins)
    after, upto, stamp, index = msgspec.msgpack.decode(some[_SIZE:begins], type=_Known)
    if receiver not in index:
        return Letter(life.actor, life.number, after, upto, stamp, [])
    offset, length = index[receiver]
    start = begins + offset
    blob = (
        some[start : start + length]
        if start + length <= len(some)
        else logs.read(name, start, start + length)
    )
    return from_bytes(zstandard.ZstdDecompressor().decompress(blob))


def read_letters(
    logs: Store, life: Life, numbers: Sequence[int], receiver: str
) -> Iterator[Letter]:
    """The letters of several segments, in their order; some are read ahead."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        rest = iter(numbers)
        waiting = [
            pool.submit(read_letter, logs, life, number, receiver)
            for number in islice(rest, _AT_ONCE)
        ]
        while waiting:
            yield waiting.pop(0).result()
            waiting += (
                pool.submit(read_letter, logs, life, number, receiver) for number in islice(rest, 1)
            )
