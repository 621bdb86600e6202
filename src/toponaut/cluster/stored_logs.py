"""The logs of all actors on the shared storage, and the state of an actor that starts from them.

    log/Cn1@17/000003.parquet     a segment: the visits
    log/Cn1@17/000003.letters     letters to others about them: an index by receiver, then these

An actor that starts folds its own logs, and `main` if the crawl started on one machine, as any
crawl does (crawl/fold.py). Of the logs of others it reads only its letters: links for it, and what
a few of them have to teach. So the work grows with what it has done itself, not with the number of
actors. Letters are written before their segment, so
every segment that counts has them.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import accumulate, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import zstandard
from msgspec import Struct, field

from toponaut.cluster.letters import EncodedLinks, Letter, from_bytes, to_bytes
from toponaut.crawl.fold import CrawlHistory, LogFold
from toponaut.frontier import Frontier
from toponaut.log import MAIN, Epoch, tables, tails
from toponaut.log import files as log_files
from toponaut.log.epochs import epochs, first_sequence
from toponaut.log.segments import SealedSegment
from toponaut.records import Visit
from toponaut.store import Store
from toponaut.timing import crawl_moment

_SIZE = 4  # bytes of the length of the index
_HEAD = 1 << 16  # bytes read first: the index for two thousand receivers, or a whole small file
_AHEAD = 16  # letters read ahead: a read from S3 takes about 30 ms
_FOLDED = 1000  # visits at a time

_Index = dict[str, tuple[int, int]]  # receiver: offset and length
_Head = tuple[int, int, float, _Index]  # first visit, end, stamp of the last visit


class EpochLog(NamedTuple):
    """The log of one epoch of an actor, or `main`, that of a crawl on one machine."""

    number: int  # its epoch; 0 for `main`
    actor: str
    folder: str
    ends: int | None = None  # the first segment that does not count; None: all do


def epoch_logs(known: Sequence[Epoch]) -> list[EpochLog]:
    """`main`, and the logs of these epochs."""
    ends = {one.before: one.segments for one in known if one.before}
    named = (
        EpochLog(one.number, one.actor, log_files.folder_of(one.log), ends.get(one.number))
        for one in known
    )
    return [EpochLog(0, "", log_files.folder_of(MAIN)), *named]


def log_tables(logs: Store, log: EpochLog, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Some columns of the segments that count, in order."""
    for number in segment_numbers(logs, log):
        with _segment(logs, log, number) as path:
            if path.suffix != ".parquet":
                yield from map(tables.pack, tails.chunks(path, grows=True))
                continue
            with SealedSegment(path) as segment:
                yield from segment.tables(fields)


def segment_numbers(logs: Store, log: EpochLog) -> list[int]:
    """The segments that count. For an epoch that has ended, no listing is needed."""
    if log.ends is None:
        return log_files.numbers_in(logs.names(log.folder))
    return list(range(log.ends))


@contextmanager
def _segment(logs: Store, log: EpochLog, number: int) -> Iterator[Path]:
    """A segment on this machine; the last one of `main` may be a tail."""
    name = f"{log.folder}/{log_files.sealed_name(number)}"
    if not log.number and not logs.exists(name):
        name = f"{log.folder}/{number:06}.tail"
    with logs.opened(name) as path:
        yield path


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

    def letters(self, epoch: int, after: int) -> list[Letter]:
        log = epoch_logs(self._known)[epoch]
        numbers = list(reversed(segment_numbers(self._logs, log)))
        found: list[Letter] = []
        for letter in read_letters(self._logs, log, numbers, self._actor):
            found.append(letter)
            if letter.after <= after:
                break
        return found[::-1]


class ActorHistory(Struct):
    """How far an actor has read the logs of all."""

    applied: dict[int, int] = field(default_factory=dict)  # the next sequence, by epoch
    time: float = 0.0
    stamp: float = 0.0
    crawl: CrawlHistory = field(default_factory=CrawlHistory)


def rebuild(
    logs: Store, known: Sequence[Epoch], actor: str, frontier: Frontier, fold: LogFold
) -> ActorHistory:
    """Read all logs of these epochs once.

    Own visits and lessons are folded in the order of their stamps, which is about the order in
    which the actor met them: a page comes after the one whose link led to it.
    """
    history, by_actor = ActorHistory(), dict[str, list[EpochLog]]()
    for log in epoch_logs(known):
        history.applied[log.number] = first_sequence(log.number)
        by_actor.setdefault(log.actor or actor, []).append(log)
    streams = [_own_visits(logs, by_actor.pop(actor), fold, history)]
    streams += (_lessons(logs, some, actor, frontier, history) for some in by_actor.values())
    visits = heapq.merge(*streams, key=attrgetter("stamp", "sequence"))
    while some := list(islice(visits, _FOLDED)):
        fold.add(some)
    history.crawl = fold.finish()
    return history


def _own_visits(
    logs: Store, own: Sequence[EpochLog], fold: LogFold, history: ActorHistory
) -> Iterator[Visit]:
    """The visits of one actor in all its epochs."""
    for log in own:
        for table in log_tables(logs, log, ("stamp", *fold.fields)):
            history.applied[log.number] = table.column("sequence")[-1].as_py() + 1
            latest = pc.max(table.column("time")).as_py()
            if "stamp" in table.schema.names:
                history.stamp = max(history.stamp, pc.max(table.column("stamp")).as_py())
            history.time = max(history.time, crawl_moment(latest, history.stamp))
            yield from tables.unpack(table)


def _lessons(
    logs: Store, theirs: Sequence[EpochLog], actor: str, frontier: Frontier, history: ActorHistory
) -> Iterator[Visit]:
    """Queue the links for an actor in all epochs of another; what its visits teach."""
    for log in theirs:
        for letter in read_letters(logs, log, segment_numbers(logs, log), actor):
            frontier.put(letter.links)
            history.applied[log.number] = letter.upto
            history.stamp = max(history.stamp, letter.stamp)
            history.time = max(history.time, letter.stamp)
            yield from letter.lessons
