"""A web from WARCs: one, a folder of them, or those in a WACZ.

A CDXJ index is trusted if it reaches exactly to the end of its WARC, as Toponaut's do, or is in the
same WACZ. Any other WARC is read through once.
"""

from pathlib import Path

from msgspec.structs import replace

from toponaut.archive.http_answers import (
    NoHttpError,
    RecordedAnswer,
    answer_in,
    parse_head,
    record_time,
)
from toponaut.archive.record_heads import HEAD_BYTES, UnreadableRecordError
from toponaut.archive.warc_files import WarcFile, is_zip, starts_like_warc, warcs_in
from toponaut.archive.warc_reader import (
    AddressableWarcs,
    DamagedSpan,
    WarcReader,
    WarcRecord,
    unusable,
)
from toponaut.errors import InputError
from toponaut.web.replay.capture_index import Capture, CaptureCollector, RevisitTarget
from toponaut.web.replay.cdxj_listing import basename, find_listings

ANSWER_KINDS = frozenset({"response", "revisit", "resource"})
_MAX_OPEN = 64  # WARCs at once, far below the limit of a process


class WarcWeb:
    """WARCs, indexed."""

    def __init__(self, source: Path) -> None:
        self._files = warc_files(source)
        self._addressable = AddressableWarcs()
        self._open: dict[int, WarcReader] = {}
        self.damage: list[str] = []  # what could not be read, for the user
        collector = CaptureCollector()
        listed = self._add_listings(source, collector)
        for number in range(len(self._files)):
            if number not in listed:
                self._scan(number, collector)
        self._index, self._originals = collector.index()
        # The date of the newest answer; of answers without a date, that of the file.
        self.latest = record_time({"warc-date": collector.latest}) or self._files[0].written
        if not len(self._index):
            cause = f"{source} has no answers of web servers"
            raise InputError(cause, "Replay a WARC, a WACZ, or a folder of pages")

    def find(self, url: str, limit: int) -> RecordedAnswer | None:
        location = self._index.find(url)
        if location is None:
            return None
        original = self._originals.find(url)
        if original is None:
            return self._read(location, limit)
        earlier = self._read(original, limit)
        try:
            own = self._read(location, limit)
        except NoHttpError:  # a revisit need not have a head
            return earlier
        if own.status == 304:  # that crawler had the page already; we do not
            return earlier
        return replace(own, payload=earlier.payload, cut=earlier.cut)

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _read(self, location: tuple[int, int], limit: int) -> RecordedAnswer:
        number, offset = location
        try:
            return answer_in(self._reader(number).record_at(offset, limit + HEAD_BYTES))
        except NoHttpError:
            raise
        except (UnreadableRecordError, OSError) as error:
            cause = f"{self._files[number].name}, byte {offset}: {error}"
            raise UnreadableRecordError(cause) from None

    def _reader(self, number: int) -> WarcReader:
        """An open WARC; opening one takes as long as reading a page."""
        if number not in self._open:
            if len(self._open) == _MAX_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[number] = WarcReader(self._files[number])
        return self._open[number]

    def _scan(self, number: int, collector: CaptureCollector) -> None:
        """Reads a WARC through."""
        file = self._files[number] = self._addressable.addressable(self._files[number])
        with WarcReader(file) as reader:
            for found in reader.walk():
                if isinstance(found, DamagedSpan) or unusable(found):
                    self.damage.append(f"{file.name}, byte {found.offset:,}: {unusable(found)}")
                elif found.kind in ANSWER_KINDS and (capture := _capture(found, number)):
                    collector.add(capture)

    def _add_listings(self, source: Path, collector: CaptureCollector) -> set[int]:
        """Adds the captures in indexes; gives the numbers of the WARCs that need no scan."""
        listed: set[int] = set()
        for listing in find_listings(source, self._files):
            covered = [
                number
                for number, file in enumerate(self._files)
                if number not in listed and listing.covers(file)
            ]
            numbers = {basename(self._files[number].name): number for number in covered}
            for capture in listing.captures(numbers):
                collector.add(capture)
            listed.update(covered)
        return listed


def warc_files(source: Path) -> list[WarcFile]:
    """The WARCs of a source, in the order of their names. Raises InputError."""
    wanted = "Name a WARC, a WACZ, or a folder of WARCs or of pages"
    try:
        files = warcs_in(source)
        if not files:
            raise InputError(
                f"{source} has neither WARCs nor a manifest.tsv",
                "A folder of pages needs one, with URL, tab, file on each line",
            )
        if source.is_file() and not is_zip(source) and not starts_like_warc(source):
            fix = "Name a WARC (.warc, .warc.gz, .warc.zst), an ARC or a WACZ"
            raise InputError(f"{source} is not a WARC", fix)
        return files
    except FileNotFoundError:
        raise InputError(f"there is no {source}", wanted) from None
    except OSError as error:
        cause = f"{error.filename or source} cannot be read ({error.strerror})"
        raise InputError(cause, "Name a file that you may read") from error


def _capture(record: WarcRecord, number: int) -> Capture | None:
    """A record as a capture; None if it has no HTTP answer."""
    header = record.header
    target = None
    if record.kind == "revisit":
        target = RevisitTarget(
            header.get("warc-refers-to-target-uri", "").strip("<>"),
            header.get("warc-refers-to-date", ""),
        )
    elif record.kind == "response":
        try:
            parse_head(record.block.partition(b"\r\n\r\n")[0])
        except NoHttpError:
            return None
    date, digest = header.get("warc-date", ""), header.get("warc-payload-digest", "")
    return Capture(record.url, date, digest, number, record.offset, target)
