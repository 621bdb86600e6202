"""The log and archive of one life of an actor: on its disk, then on the shared storage.

    disk             log/Cn1@17/000003.tail, archive/Cn1%4017-003000.warc.gz       growing
    shared storage   log/Cn1@17/000002.parquet, 000002.letters,                    complete
                     archive/Cn1%4017-002000.warc.gz, ...

Every `storage.seal_seconds` the log gets a new tail and the archive a new file. The finished files
go to the shared storage: first the WARC files with their indexes and the letters
(stored_logs.py), then the segment whose visits point into them. So a visit that counts has its
response there, and no WARC file there is torn. The number of a WARC file is its segment's x 1000.
The next epoch records how many segments of a life count, and so which of its WARC files do; the
next life fetches the responses in the others again.

Segments stay on the disk while links in them wait to be sent, and WARC files for a while, so that a
copy of a page finds its original; at most a few of each. Older ones are read from the storage.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toponaut.archive.archive_files import ArchiveFiles
from toponaut.archive.cdxj import index_path
from toponaut.cluster.letters import EncodedLinks
from toponaut.cluster.stored_logs import SegmentLetters, letters_name
from toponaut.crawl.parts import open_archive
from toponaut.job import Job
from toponaut.log import Epoch, Fence, LogWriter, read_from, seal, ship
from toponaut.log import files as log_files
from toponaut.log.segments import SealedSegment
from toponaut.records import QueuedLink, ScoredLink, Visit
from toponaut.store import Store

# The columns of links that a frontier needs.
LINKS = (
    "sequence",
    "stamp",
    "links.owners",
    *(
        f"links.{name}"
        for name in QueuedLink.__struct_fields__
        if name in ScoredLink.__struct_fields__
    ),
)
WARCS = 1000  # numbers for the WARC files of one segment
_KEPT_SEGMENTS = 50  # at most, for actors that have much to catch up
_KEPT_WARCS = 4  # segments whose WARC files stay


class OwnLog:
    """The log and the archive of one life. `seal` may run in a thread."""

    def __init__(self, store: Store, disk: Path, epoch: Epoch, job: Job) -> None:
        self._store, self._logs = store, store.subfolder("log")
        self._fence = Fence(self._logs, epoch)
        self._folder = log_files.folder_of(epoch.log)
        self.log = LogWriter(disk / "log", epoch.log, epoch.first)
        self._warcs = ArchiveFiles(disk / "archive", epoch.log)
        self.archive = open_archive(self._warcs.directory, epoch.log, job, group=WARCS)
        self.needed: Callable[[], int | None] = lambda: None  # the first visit others still lack
        self._firsts = [epoch.first]  # the sequence that each segment begins with
        self._letters = {0: SegmentLetters(epoch)}  # of segments not on the shared storage yet
        self._shipped = 0  # segments on the shared storage
        self._kept_from = 0  # the first that is still on the disk

    def add_letters(self, packed: Mapping[str, EncodedLinks]) -> None:
        """Keep the links of the last visit, by receiver."""
        self._letters[len(self._firsts) - 1].add(packed)

    def sync(self) -> None:
        """Write everything to the disk: the archive first, then the log that points into it."""
        if self.archive:
            self.archive.sync()
        self.log.sync()

    def roll(self) -> None:
        """Finish the growing segment, unless it is empty, and its WARC files."""
        self.sync()
        growing = self.log.roll()
        if growing == len(self._firsts):
            self._firsts.append(self.log.synced)
            self._letters[growing - 1].stamp = self.log.stamp(0.0)
            self._letters[growing] = SegmentLetters(self._fence.epoch)
            if self.archive:
                self.archive.roll(growing * WARCS)

    def snapshot(self, stopped: str) -> Callable[[], None]:  # noqa: ARG002 (the driver writes one)
        return lambda: None

    def clean_up(self) -> None:
        self.trim(self.needed())

    def seal(self) -> None:
        """Copy the finished files to the shared storage. Raises FencedError after a later start."""
        finished = len(self._firsts) - 1
        seal(self.log.directory)
        ship(self.log.directory, self._fence, self._copy_companions)
        for segment in range(self._shipped, finished):
            self._letters.pop(segment, None)
        self._shipped = finished

    def _copy_companions(self, segment: int) -> None:
        """Copy the WARC files and the letters of a segment."""
        for number in self._warcs.numbers():
            if number // WARCS == segment:
                warc = self._warcs.path(number)
                for file in (index_path(warc), warc):
                    self._store.put(f"archive/{file.name}", file)

        after, upto = self._firsts[segment : segment + 2]
        name = letters_name(self._folder, segment)
        self._logs.write(name, self._letters[segment].file(after, upto))

    def trim(self, needed: int | None) -> None:
        """Remove local copies of segments before the visit `needed`, and of old WARC files."""
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

    def visits_from(self, sequence: int, more: tuple[str, ...] = ()) -> Iterator[Visit]:
        """The committed visits from a sequence on, with their links and these fields."""
        fields = (*LINKS, *more)
        for number in range(self._kept_from):
            if self._firsts[number + 1] > sequence:
                with self._logs.opened(f"{self._folder}/{log_files.sealed_name(number)}") as path:
                    yield from (
                        visit for visit in _visits(path, fields) if visit.sequence >= sequence
                    )
        yield from read_from(self.log.directory, sequence, fields)

    def close(self) -> None:
        if self.archive:
            self.archive.close()
        self.log.close()


def _visits(path: Path, fields: tuple[str, ...]) -> Iterator[Visit]:
    with SealedSegment(path) as segment:
        for table in segment.tables(fields):
            yield from segment.visits(table)
