"""The letters of a segment, next to it on the shared storage: one letter for each receiver.

    log/Cn1@17/000003.parquet     the visits
    log/Cn1@17/000003.letters     their links for others: an index by receiver, then the letters

An actor that starts, or has missed the end of a sender's epoch, reads its own letters here, and so
its part of the log instead of all of it. The file is written before its segment, so every segment
that counts has one.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, islice

import msgspec
import zstandard

from toponaut.cluster.letters import EncodedLinks, Letter, from_bytes, to_bytes
from toponaut.cluster.stored_logs import EpochLog, epoch_logs, segment_numbers
from toponaut.log import Epoch
from toponaut.log.epochs import epochs
from toponaut.records import QueuedLink
from toponaut.store import Store

_SIZE = 4  # bytes of the length of the index
_HEAD = 1 << 16  # bytes read first: the index for two thousand receivers, or a whole small file
_AHEAD = 16  # letters read ahead: a read from S3 takes about 30 ms

_Index = dict[str, tuple[int, int]]  # receiver: offset and length
_Head = tuple[int, int, float, _Index]  # first visit, end, stamp of the last visit


def letters_name(folder: str, number: int) -> str:
    """The name of a segment's letters in the folder of logs."""
    return f"{folder}/{number:06}.letters"


class SegmentLetters:
    """The letters of the growing segment, already encoded: 40 MB in seal_seconds at 1,000 links a
    second. Reading the links from the segment again would cost 5 us each.
    """

    def __init__(self, epoch: Epoch) -> None:
        self._epoch = epoch
        self._links: dict[str, list[EncodedLinks]] = {}
        self.stamp = 0.0  # of the segment's last visit, or later

    def add(self, packed: Mapping[str, EncodedLinks]) -> None:
        """Add the links of a visit for others."""
        for receiver, links in packed.items():
            self._links.setdefault(receiver, []).append(links)

    def file(self, after: int, upto: int) -> bytes:
        """The content of the file for the visits from `after` up to `upto`."""
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


def read_letter(logs: Store, log: EpochLog, number: int, receiver: str) -> Letter:
    """A segment's letter for a receiver; without links if there are none."""
    name = letters_name(log.folder, number)
    some = logs.read(name, 0, _HEAD)
    begins = _SIZE + int.from_bytes(some[:_SIZE], "big")
    if begins > len(some):
        some = logs.read(name, 0, begins)
    after, upto, stamp, index = msgspec.msgpack.decode(some[_SIZE:begins], type=_Head)
    if receiver not in index:
        return Letter(log.actor, log.number, after, upto, stamp, [])
    offset, length = index[receiver]
    start, end = begins + offset, begins + offset + length
    blob = some[start:end] if end <= len(some) else logs.read(name, start, end)
    return from_bytes(zstandard.ZstdDecompressor().decompress(blob))


def read_letters(
    logs: Store, log: EpochLog, numbers: Sequence[int], receiver: str
) -> Iterator[Letter]:
    """The letters of several segments, in order; some are read ahead."""
    with ThreadPoolExecutor(_AHEAD) as pool:
        rest = iter(numbers)
        waiting = [
            pool.submit(read_letter, logs, log, number, receiver) for number in islice(rest, _AHEAD)
        ]
        while waiting:
            yield waiting.pop(0).result()
            waiting += (
                pool.submit(read_letter, logs, log, number, receiver) for number in islice(rest, 1)
            )


class StoredEpochs:
    """The ended epochs of all senders, for the Inbox of one actor."""

    def __init__(self, logs: Store, actor: str, known: list[Epoch]) -> None:
        self._logs, self._actor = logs, actor
        self._known = known

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        self._known = epochs(self._logs, self._known)
        return [one.number for one in self._known if one.actor == sender and one.number < epoch]

    def links(self, epoch: int, after: int) -> Iterator[QueuedLink]:
        log = epoch_logs(self._known)[epoch]
        numbers = list(reversed(segment_numbers(self._logs, log)))
        for letter in read_letters(self._logs, log, numbers, self._actor):
            yield from (link for link in letter.links if link.found_by >= after)
            if letter.after <= after:
                return
