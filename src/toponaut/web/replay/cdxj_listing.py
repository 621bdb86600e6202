"""CDXJ indexes next to WARCs or in a WACZ. One line per capture: "SURT timestamp JSON"."""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from zipfile import ZipFile

import msgspec
from msgspec import Struct

from toponaut.archive.cdxj import REVISIT
from toponaut.archive.warc_files import WarcFile, index_names, is_zip
from toponaut.web.replay.capture_index import Capture, RevisitTarget


class _ListingLine(Struct):
    """The JSON of a line. By convention numbers are strings, but some writers use numbers."""

    url: str
    filename: str
    offset: str | int
    length: str | int = 0
    mime: str = ""
    digest: str = ""


_decode = msgspec.json.Decoder(_ListingLine).decode


class CdxjListing:
    """An index of one or several WARCs."""

    def __init__(self, path: Path, member: str = "") -> None:
        self._path, self._member = path, member
        self._reach: dict[str, int] = {}  # the end of the last record listed, by WARC
        for _, line in self._lines():
            end = int(line.offset) + int(line.length)
            name = basename(line.filename)
            self._reach[name] = max(end, self._reach.get(name, 0))

    def covers(self, file: WarcFile) -> bool:
        """Whether it lists a WARC to its end. In a WACZ, an index is trusted anyway."""
        reach = self._reach.get(basename(file.name), -1)
        return reach == file.size or (
            bool(self._member) and file.path == self._path and 0 <= reach <= file.size
        )

    def captures(self, numbers: Mapping[str, int]) -> Iterator[Capture]:
        """The captures in some WARCs, whose numbers are given by name."""
        for date, line in self._lines():
            number = numbers.get(basename(line.filename))
            if number is not None:
                refers = RevisitTarget() if line.mime == REVISIT else None
                yield Capture(line.url, date, line.digest, number, int(line.offset), refers)

    def _lines(self) -> Iterator[tuple[str, _ListingLine]]:
        """Date and JSON of every line. Skips invalid lines, like a header or an incomplete end."""
        for raw in self._raw():
            words = raw.split(b" ", 2)
            if len(words) < 3:
                continue
            try:
                yield words[1].decode("ascii", "replace"), _decode(words[2])
            except (msgspec.MsgspecError, ValueError):
                continue

    def _raw(self) -> Iterable[bytes]:
        if not self._member:
            with self._path.open("rb") as stream:
                yield from stream
            return
        with ZipFile(self._path) as package, package.open(self._member) as member:
            if self._member.endswith(".gz"):
                with gzip.open(member) as lines:
                    yield from lines
            else:
                yield from member


def find_listings(source: Path, files: list[WarcFile]) -> list[CdxjListing]:
    """The indexes of some WARCs, in their WACZ or next to them."""
    listings: list[CdxjListing] = []
    for path in dict.fromkeys(file.path for file in files):
        if is_zip(path):
            listings += (CdxjListing(path, name) for name in index_names(path))
    folders = (
        dict.fromkeys(file.path.parent for file in files) if source.is_dir() else [source.parent]
    )
    for folder in folders:
        listings += (CdxjListing(path) for path in sorted(folder.glob("*.cdxj")))
    return listings


def basename(name: str) -> str:
    """A WARC's name without folders, which tools write differently."""
    return name.rpartition("/")[2]
