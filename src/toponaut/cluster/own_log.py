"""What one life of an actor writes: its log and its archive, on the disk of its machine until they are on the shared storage.

    (the machine's disk)   log/Cn1@17/000003.tail, archive/Cn1%4017-003000.warc.gz   growing
    (the shared storage)   log/Cn1@17/000002.parquet, 000002.letters, archive/Cn1%4017-002000.warc.gz, ...  whole

Every `storage.seal_seconds` the log gets a new tail and the archive a new file. What was finished by that goes to the shared storage:
first the WARCs with their indexes and the letters (kept_letters.py), then the segment whose visits point into them. So a visit that counts has its answer there,
and no WARC there is torn. The number of a WARC is that of its segment x 1000: how many segments of a life count, as the epoch
after it says, tells also which of its WARCs do. Answers in the others are those that the next life has fetched again.

Segments stay on the disk while links in them wait to be sent, and WARCs for a while, so that a copy of a page finds its original; never more
than a few. What an actor that begins anew asks for beyond that is read from the shared storage.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toponaut.archive.archive_files import ArchiveFiles
from toponaut.archive.cdxj import index_path
from toponaut.cluster import kept_letters
from toponaut.cluster.letters import Packed
from toponaut.crawl.assemble import open_archive
from toponaut.job import Job
from toponaut.log import Epoch, Fence, LogWriter, read_from, seal, ship
from toponaut.log import files as log_files
from toponaut.log.segments import SealedSegment
from toponaut.records import QueuedLink, ScoredLink, Visit
from toponaut.store import Store

# What links need to wait in a frontier.
LINKS = (
    "sequence", "stamp", "links.owners", *(f"links.{name}" for name in QueuedLink.__struct_fields__ if name in ScoredLink.__struct_fields__),
)  # fmt: skip
WARCS = 1000  # numbers for the WARCs of one segment
_KEPT_SEGMENTS = 50  # at most, for actors that are far behind
_KEPT_WARCS = 4  # segments whose WARCs stay


class OwnLog:
    """The log and the archive of one life. `seal` may run in a thread of its own; all else belongs to one."""

    def __init__(self, store: Store, disk: Path, epoch: Epoch, job: Job) -> None:
        self._store, self._logs = store, store.subfolder("log")
        self._fence = Fence(self._logs, epoch)
        self._folder = log_files.folder_of(epoch.log)
        self.log = LogWriter(disk / "log", epoch.log, epoch.first)
        self._warcs = ArchiveFiles(disk / "archive", epoch.log)
        self.archive = open_archive(self._warcs.directory, epoch.log, job, group=WARCS)
        self.needed: Callable[[], int | None] = lambda: None  # the first visit others still lack
        self._firsts = [epoch.first]  # the sequence that each segment begins with
        self._letters = {
            0: kept_letters.Letters(epoch)
        }  # of segments that are not on the shared storage yet
        self._shipped = 0  # segments on the shared storage
        self._kept_from = 0  # the first that is still on the disk

    def keep(self, packed: Mapping[str, Packed]) -> None:
        """The links of the visit that was written last, by who is to have them."""
        self._letters[len(self._firsts) - 1].add(packed)

    def sync(self) -> None:
        """Brings all that was written to the disk: the archive first, then the log that points into it."""
        if self.archive:
            self.archive.sync()
        self.log.sync()

    def roll(self) -> None:
        """Finishes a segment, if there is something in it, and the WARCs that belong to it."""
        self.sync()
        growing = self.log.roll()
        if growing == len(self._firsts):
            self._firsts.append(self.log.synced)
            self._letters[growing - 1].stamp = self.log.stamp(0.0)
            self._letters[growing] = kept_letters.Letters(self._fence.epoch)
            if self.archive:
                self.archive.roll(growing * WARCS)

    def snapshot(self, stopped: str) -> Callable[[], None]:  # noqa: ARG002 (the driver writes one)
        return lambda: None

    def clean_up(self) -> None:
        self.trim(self.needed())

    def seal(self) -> None:
        """Brings all that is finished to the shared storage. Raises FencedError if a later life has begun."""
        finished = len(self._firsts) - 1
        seal(self.log.directory)
        ship(self.log.directory, self._fence, self._ship_beside)
        for segment in range(self._shipped, finished):
            self._letters.pop(segment, None)
        self._shipped = finished

    def _ship_beside(self, segment: int) -> None:
        """What a segment points to, and what it has for others."""
        for number in self._warcs.numbers():
            if number // WARCS == segment:
                warc = self._warcs.path(number)
                for file in (index_path(warc), warc):
                    self._store.put(f"archive/{file.name}", file)

        after, upto = self._firsts[segment : segment + 2]
        self._logs.write(
            kept_letters.name_of(self._folder, segment), self._letters[segment].file(after, upto)
        )

    def trim(self, needed: int | None) -> None:
        """Removes what is on the shared storage and not likely to be asked for: what comes before `needed`, or all."""
        while self._kept_from < self._shipped and (
            needed is None
            or self._firsts[self._kept_from + 1] <= needed
            or self._shipped - self._kept_from > _KEPT_SEGMENTS
        ):
            log_files.sealed(self.log.directory, self._kept_from).unlink(missing_ok=True)
            self._kept_from += 1
        for number in self._warcs.numbers():
            if number // WARCS < self._shipped - _KEPT_WARCS:
                warc = self._warcs.path(number)
                index_path(warc).unlink(missing_ok=True)
                warc.unlink(missing_ok=True)

    def visits_from(self, sequence: int) -> Iterator[Visit]:
        """The visits from a sequence on with their links, as far as they are on the disk or on the shared storage."""
        for number in range(self._kept_from):
            if self._firsts[number + 1] > sequence:
                with self._logs.opened(f"{self._folder}/{log_files.sealed_name(number)}") as path:
                    yield from (
                        visit for visit in _visits(path, LINKS) if visit.sequence >= sequence
                    )
        yield from read_from(self.log.directory, sequence, LINKS)

    def close(self) -> None:
        if self.archive:
            self.archive.close()
        self.log.close()


def _visits(path: Path, fields: tuple[str, ...]) -> Iterator[Visit]:
    with SealedSegment(path) as segment:
        for group in range(len(segment.group_rows)):
            yield from segment.visits(segment.table(group, fields))
