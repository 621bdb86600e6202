"""A web out of WARCs: one, a folder of them, or those in a WACZ, which are read where they lie in the zip.

An index (CDXJ) is taken at its word where it reaches to the very end of its WARC, as ours do, or comes in the same WACZ;
any other WARC is read through once.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from toponaut.errors import InputError
from toponaut.urls import fingerprint, normalise
from toponaut.web.replay.index import Capture, Gathering, Refers
from toponaut.web.replay.listing import basename, find_listings
from toponaut.web.replay.recorded import (
    NoHttpError,
    Recorded,
    UnreadableError,
    parse_head,
    recorded,
    value_of,
)
from toponaut.web.replay.wacz import is_zip, parts_in
from toponaut.web.replay.warcs import HEAD, PackedInOnePieceError, Part, Reader, Record

Progress = Callable[[int, int], None]  # bytes read so far, bytes in all

_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
_ANSWERS = frozenset({"response", "revisit", "resource"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_OPEN = 64  # WARCs at once: far below what a process may have open
_EVERY = 256  # records: how often progress is told


class Archive:
    """WARCs, indexed."""

    def __init__(
        self, source: Path, *, partial: bool = False, progress: Progress | None = None
    ) -> None:
        self._parts = _parts(source)
        self._partial = partial
        self._open: dict[int, Reader] = {}
        gathering = Gathering()
        listed = self._take_listings(source, gathering)
        total, done = sum(part.size for part in self._parts), 0
        tell = progress or _tell_nobody
        for number, part in enumerate(self._parts):
            if number not in listed:
                for end in self._scan(number, gathering):
                    tell(done + end, total)
            done += part.size
            tell(done, total)
        self._index, self._originals = gathering.index()
        if not len(self._index):
            raise InputError(
                f"{source} holds no answers of web servers",
                "Replay a WARC, a WACZ, or a folder of pages",
            )

    def __len__(self) -> int:
        return len(self._index)

    def find(self, url: str, limit: int) -> Recorded | None:
        key = fingerprint(url)
        place = self._index.find(key)
        if place is None:
            return None
        original = self._originals.find(key)
        if original is None:
            return self._answer(place, limit)
        earlier = self._answer(original, limit)
        try:
            own = self._answer(place, limit)
        except NoHttpError:  # a revisit need not have a head
            return earlier
        if own.status == 304:  # what that server said to that client; to us the page is what it was
            return earlier
        return Recorded(own.status, own.headers, own.head, earlier.payload, earlier.cut)

    def urls(self) -> Iterator[str]:
        for number, offset in self._index.pages():
            with suppress(
                UnreadableError, PackedInOnePieceError
            ):  # asked for, it is a broken answer
                url = normalise(_target(self._reader(number).at(offset, HEAD)))
                if url is not None:
                    yield url

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _answer(self, place: tuple[int, int], limit: int) -> Recorded:
        number, offset = place
        try:
            return _answer(self._reader(number).at(offset, limit + HEAD))
        except NoHttpError:
            raise
        except (UnreadableError, PackedInOnePieceError, OSError) as error:
            raise UnreadableError(f"{self._parts[number].name}, byte {offset}: {error}") from None

    def _reader(self, number: int) -> Reader:
        """An open WARC; opening takes as long as reading a page does."""
        if number not in self._open:
            if len(self._open) == _OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[number] = Reader(self._parts[number])
        return self._open[number]

    def _take_listings(self, source: Path, gathering: Gathering) -> set[int]:
        """Takes what indexes tell; the numbers of the WARCs that need no scan."""
        listed: set[int] = set()
        for listing in find_listings(source, self._parts):
            covered = [
                n for n, part in enumerate(self._parts) if n not in listed and listing.covers(part)
            ]
            for capture in listing.captures(
                {basename(self._parts[number].name): number for number in covered}
            ):
                gathering.add(capture)
            listed.update(covered)
        return listed

    def _scan(self, number: int, gathering: Gathering) -> Iterator[int]:
        """Reads a WARC through; gives out, now and then, how far it is."""
        part = self._parts[number]
        count, end = 0, 0
        try:
            with Reader(part) as reader:
                for count, (offset, record) in enumerate(reader.records(), 1):
                    end = record.end
                    if record.header.get("warc-type") in _ANSWERS and (
                        capture := _capture(record, number, offset)
                    ):
                        gathering.add(capture)
                    if not count % _EVERY:
                        yield end
        except PackedInOnePieceError:
            raise InputError(
                f"{part.path} is packed in one piece, so that no page can be read alone",
                f"Repack it: warcio recompress {part.path} new.warc.gz",
            ) from None
        except UnreadableError as error:
            if not self._partial:
                raise _damaged(part, end, str(error), count) from None


def _parts(source: Path) -> list[Part]:
    """The WARCs of a source, in the order of their names."""
    if source.is_dir():
        files = sorted(
            path
            for path in source.rglob("*")
            if path.name.endswith((*_ENDINGS, ".wacz")) and path.is_file()
        )
    elif source.is_file():
        files = [source]
    else:
        raise InputError(
            f"there is no {source}", "Name a WARC, a WACZ, or a folder of WARCs or of pages"
        )
    if not files:
        raise InputError(
            f"{source} holds neither WARCs nor a manifest.tsv",
            "A folder of pages needs one: URL, tab, file in each line",
        )
    parts: list[Part] = []
    for path in files:
        parts += parts_in(path) if is_zip(path) else [Part(path, path.name, path.stat().st_size)]
    return parts


def _capture(record: Record, part: int, offset: int) -> Capture | None:
    """What a record's header and HTTP head tell; None where the record is no answer of a web server."""
    header = record.header
    refers = None
    if header["warc-type"] == "revisit":
        refers = Refers(
            header.get("warc-refers-to-target-uri", "").strip("<>"),
            header.get("warc-refers-to-date", ""),
        )
        is_page = False
    elif header["warc-type"] == "resource":
        is_page = _is_html(header.get("content-type", ""))
    else:
        try:
            status, headers = parse_head(record.block.partition(b"\r\n\r\n")[0])
        except UnreadableError:
            return None
        is_page = status == 200 and _is_html(value_of(headers, "content-type"))
    digest = header.get("warc-payload-digest", "")
    return Capture(
        _target(record), header.get("warc-date", ""), digest, part, offset, is_page, refers
    )


def _answer(record: Record) -> Recorded:
    header = record.header
    cut = header.get("warc-truncated", "") if record.is_whole else "length"
    if header.get("warc-type") == "resource":
        return Recorded(
            200, (("content-type", header.get("content-type", "")),), b"", record.block, cut
        )
    return recorded(record.block, cut)


def _target(record: Record) -> str:
    return record.header.get("warc-target-uri", "").strip(
        "<>"
    )  # WARC 1.0's grammar put it in brackets


def _is_html(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _HTML


def _tell_nobody(_done: int, _total: int) -> None:
    """Who does not ask for progress gets none."""


def _damaged(part: Part, offset: int, how: str, count: int) -> InputError:
    cause = f"{part.path} is damaged from byte {offset:,} on ({how}), after {count:,} records"
    if part.start:
        return InputError(cause, "Fetch the WACZ again")
    return InputError(
        cause,
        f"Restore it, or keep what stands before: head -c {offset} {part.path} > kept{_ending(part)}",
    )


def _ending(part: Part) -> str:
    return next((ending for ending in reversed(_ENDINGS) if part.name.endswith(ending)), ".warc.gz")
