"""CDXJ: the indexes that lie beside WARCs, or in a WACZ. One line a capture: "SURT timestamp JSON"."""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from zipfile import ZipFile

import msgspec
from msgspec import Struct

from toponaut.archive.cdxj import REVISIT
from toponaut.web.replay.index import Capture, Refers
from toponaut.web.replay.wacz import index_names, is_zip
from toponaut.web.replay.warcs import Part

_HTML = frozenset({"text/html", "application/xhtml+xml"})


class _Line(Struct):
    """What we read of the JSON; by custom numbers are strings there, by some writers numbers."""

    url: str
    filename: str
    offset: str | int
    length: str | int = 0
    mime: str = ""
    status: str | int = ""
    digest: str = ""


_decode = msgspec.json.Decoder(_Line).decode


class Listing:
    """An index, which may be of several WARCs."""

    def __init__(self, path: Path, member: str = "") -> None:
        self._path, self._member = path, member
        self._reach: dict[str, int] = {}  # the end of the last record that is listed, by WARC
        for _, line in self._lines():
            end = int(line.offset) + int(line.length)
            name = basename(line.filename)
            self._reach[name] = max(end, self._reach.get(name, 0))

    def covers(self, part: Part) -> bool:
        """Whether it tells of a WARC, to its end. What comes in one package belongs together, whatever the end."""
        reach = self._reach.get(basename(part.name), -1)
        return reach == part.size or (
            bool(self._member) and part.path == self._path and 0 <= reach <= part.size
        )

    def captures(self, numbers: Mapping[str, int]) -> Iterator[Capture]:
        """The captures in some WARCs, whose numbers are given by name, in the order of the index."""
        for date, line in self._lines():
            number = numbers.get(basename(line.filename))
            if number is not None:
                is_page = str(line.status) == "200" and line.mime in _HTML
                refers = Refers() if line.mime == REVISIT else None
                yield Capture(
                    line.url, date, line.digest, number, int(line.offset), is_page, refers
                )

    def _lines(self) -> Iterator[tuple[str, _Line]]:
        """Date and JSON of every line; lines that are none (a header, a torn end) are passed over."""
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


def find_listings(source: Path, parts: list[Part]) -> list[Listing]:
    """The indexes of some WARCs: in their WACZ, or beside them."""
    listings: list[Listing] = []
    for path in dict.fromkeys(part.path for part in parts):
        if is_zip(path):
            listings += (Listing(path, name) for name in index_names(path))
    folders = (
        dict.fromkeys(part.path.parent for part in parts) if source.is_dir() else [source.parent]
    )
    for folder in folders:
        listings += (Listing(path) for path in sorted(folder.glob("*.cdxj")))
    return listings


def basename(name: str) -> str:
    """A WARC's name without its folders, which every tool writes differently."""
    return name.rpartition("/")[2]
