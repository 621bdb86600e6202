"""One export: crawls in, a file out."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.export import addresses, csv, geojson, geoparquet, pages, warc_copier
from toponaut.export.crawls import Crawls, Tell, printable
from toponaut.export.output import Sink, standard_output, whole_file
from toponaut.export.rows import AddressRow, PageRow, Row
from toponaut.export.wacz import WARC, WaczWriter
from toponaut.export.wanted import Choice, Wanted, What
from toponaut.export.warc_copier import WarcCopier
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import PAGES

# Each format with the endings of files by which it is known; the first is its own.
FORMATS = {
    "geojson": (".geojson", ".json"),
    "geojsonl": (".geojsonl", ".geojsons"),
    "geoparquet": (".parquet", ".geoparquet"),
    "csv": (".csv",),
    "warc": (".warc.gz", ".warc"),
    "wacz": (".wacz",),
}
_TABLES = ("geojson", "geojsonl", "geoparquet", "csv")
STANDARD_OUTPUT = Path("-")


class Exported(Struct, frozen=True):
    """What an export came to."""

    file: str
    format: str
    what: What
    rows: int  # of a table; of a WARC, answers
    pages: int  # of a WARC or WACZ; 0 for a table
    bytes: int
    sha256: str
    visits: int  # that were read
    seconds: float
    notes: tuple[str, ...] = ()  # what a reader of the file should know


class Asked(Struct, frozen=True):
    """What is written, and where to. What is left open follows from the rest."""

    format: str = ""
    output: Path | None = None
    what: What | None = None
    wanted: Wanted = Wanted()
    force: bool = False
    bom: bool = False  # of CSV, for Excel


def export(roots: list[Path], asked: Asked, tell: Tell = lambda *_: None) -> Exported:
    """Writes what was found by one or several crawls to a file. `tell` hears how many visits were read, of how many."""
    start = time.monotonic()
    form, what = _format(asked), _what(asked)
    if asked.wanted.relevant is None:
        asked = replace(asked, wanted=replace(asked.wanted, relevant=form not in _TABLES))
    crawls = Crawls(roots)
    output = asked.output or Path(f"{crawls.name}{FORMATS[form][0]}")
    choice = Choice(asked.wanted, open_gazetteer(), crawls.jobs)
    run = _Run(form, what, asked, crawls, choice, tell)
    with _opened(output, asked.force) as sink:
        run.write(sink, WARC if output == STANDARD_OUTPUT else printable(output.name))
    shown = printable(str(output))
    seconds = round(time.monotonic() - start, 3)
    figures = (run.rows, run.pages, sink.size, sink.sha256, crawls.total, seconds)
    return Exported(shown, form, what, *figures, tuple(run.notes()))


def _opened(output: Path, force: bool) -> AbstractContextManager[Sink]:
    return (
        standard_output(sys.stdout.buffer)
        if output == STANDARD_OUTPUT
        else whole_file(output, force)
    )


def _format(asked: Asked) -> str:
    name = asked.output.name.lower() if asked.output else ""
    by_ending = next((form for form, endings in FORMATS.items() if name.endswith(endings)), "")
    form = asked.format or by_ending
    if form not in FORMATS:
        what = f"there is no format {form!r}" if form else "no format is named"
        raise InputError(what, f"Give --format, one of {', '.join(FORMATS)}")
    return "geojsonl" if (form, by_ending) == ("geojson", "geojsonl") else form


def _what(asked: Asked) -> What:
    form = _format(asked)
    if form in _TABLES:
        return asked.what or What.ADDRESSES
    if asked.what is What.ADDRESSES:
        raise InputError(
            f"a {form.upper()} holds pages, not addresses",
            "Leave --what out, or choose another format",
        )
    return What.PAGES


class _Run:
    def __init__(
        self, form: str, what: What, asked: Asked, crawls: Crawls, choice: Choice, tell: Tell
    ) -> None:
        self._form, self._what, self._asked = form, what, asked
        self._crawls, self._choice, self._tell = crawls, choice, tell
        self._copier: WarcCopier | None = None
        self.rows = self.pages = 0

    def write(self, sink: Sink, name: str) -> None:
        match self._form:
            case "warc":
                self._copy(WarcCopier(sink.write, name, self._description))
            case "wacz":
                with (
                    WaczWriter(sink, self._crawls.name, self._description) as wacz,
                    wacz.warc() as member,
                ):
                    self._copy(WarcCopier(member.write, WARC, self._description, wacz.line), wacz)
            case "geoparquet":
                geoparquet.write(sink, self._kind, self._counted())
            case _:
                for piece in self._pieces():
                    sink.write(piece)

    def notes(self) -> Iterator[str]:
        if not self.rows:
            yield "nothing in the crawl is as asked: the file is valid and empty"
        if self._copier and self._copier.damaged:
            yield f"{self._copier.damaged:,} answers could not be read from the archive and are left out"
        if self._copier and (orphans := self._copier.orphans):
            yield (
                f"{orphans:,} pages were unchanged since an earlier crawl that holds them: name its directory, too, "
                "to have them whole"
            )

    @property
    def _description(self) -> str:
        which = "What matches a choice" if self._asked.wanted.by_address else "All answers"
        return f"{'Relevant pages' if self._asked.wanted.relevant else which} of the crawl {self._crawls.name}"

    # --- tables ----------------------------------------------------------------------------------------------

    @property
    def _kind(self) -> type[Row]:
        return PageRow if self._what is What.PAGES else AddressRow

    def _counted(self) -> Iterator[Row]:
        for row in self._rows():
            self.rows += 1
            yield row

    def _rows(self) -> Iterable[Row]:
        if self._what is What.PAGES:
            return pages.rows(self._crawls.visits(pages.FIELDS, self._tell), self._choice)
        visits = self._crawls.visits(addresses.FIELDS, self._tell)
        return addresses.rows(visits, self._choice)

    def _pieces(self) -> Iterator[bytes]:
        writers: dict[str, Callable[[], Iterator[bytes]]] = {
            "geojson": lambda: geojson.collection(self._counted()),
            "geojsonl": lambda: geojson.lines(self._counted()),
            "csv": lambda: csv.lines(self._kind, self._counted(), self._asked.bom),
        }
        return writers[self._form]()

    # --- archives --------------------------------------------------------------------------------------------

    def _copy(self, copier: WarcCopier, wacz: WaczWriter | None = None) -> None:
        self._copier = copier
        for archive, visit in self._crawls.visits(warc_copier.FIELDS, self._tell):
            if copier.take(archive, visit, self._choice.answer(visit)) and visit.outcome in PAGES:
                self.pages += 1
                if wacz:
                    wacz.page(visit)
        if self._crawls.total and not copier.has_archive:
            cure = "Crawl with storage.warc = true; tables need no archive"
            raise InputError(f"no answer of the crawl {self._crawls.name} is archived", cure)
        copier.close()
        self.rows = copier.answers
