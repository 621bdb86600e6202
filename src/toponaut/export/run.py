"""One export: crawls in, a file out."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.export import (
    addresses,
    duckdb_file,
    opensearch,
    pages,
    sqlite,
    warc_copier,
)
from toponaut.export.house_points import open_points, prepared
from toponaut.export.output import OutputSink, printable, standard_output, whole_file
from toponaut.export.rows import AddressRow, ExportRow, PageRow
from toponaut.export.selection import CrawlLogs, ExportFilter, Progress, RowKind, Selection
from toponaut.export.table_file import TABLE_FORMATS, write_rows
from toponaut.export.wacz_writer import WARC, WaczWriter
from toponaut.export.warc_copier import WarcCopier
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import CONTENT
from toponaut.store.disk import write_whole

# Each format with its file endings; the first is the default.
FORMATS = {
    **TABLE_FORMATS,
    "geopackage": (".gpkg",),
    "sqlite": (".db", ".sqlite", ".sqlite3"),
    "duckdb": (".duckdb",),
    "opensearch": (".ndjson", ".bulk"),
    "warc": (".warc.gz", ".warc"),
    "wacz": (".wacz",),
}
_ARCHIVES = ("warc", "wacz")
STANDARD_OUTPUT = Path("-")


class ExportReport(Struct, frozen=True):
    """The figures of an export."""

    file: str
    format: str
    what: RowKind
    rows: int  # of a table; of a WARC, answers
    pages: int  # of a WARC or WACZ; 0 for a table
    bytes: int
    sha256: str
    visits: int  # visits read
    seconds: float
    notes: tuple[str, ...] = ()  # for the user of the file


class ExportRequest(Struct, frozen=True):
    """What to write, and where to. Defaults follow from the rest."""

    format: str = ""
    output: Path | None = None
    what: RowKind | None = None
    filters: ExportFilter = ExportFilter()
    force: bool = False
    bom: bool = False  # in CSV, for Excel
    points: str = ""  # a file or a geocoder's URL with the points of houses


def export(
    roots: list[Path], request: ExportRequest, progress: Progress = lambda *_: None
) -> ExportReport:
    """Writes the results of one or several crawls to a file. `progress`: visits read, in total."""
    start = time.monotonic()
    with prepared(request.points) as points:
        run = _ExportRun(roots, request, points, progress)
        output = request.output or Path(f"{run.crawls.name}{FORMATS[run.format][0]}")
        with _opened(output, request.force) as sink:
            run.write(sink, WARC if output == STANDARD_OUTPUT else printable(output.name))
    if run.format == "sqlite" and output != STANDARD_OUTPUT:
        run.metadata = output.with_suffix(".metadata.json")
        write_whole(run.metadata, sqlite.datasette_metadata(output.stem, run.what.value))
    seconds = round(time.monotonic() - start, 3)
    figures = (run.rows, run.pages, sink.size, sink.sha256, run.crawls.total, seconds)
    return ExportReport(printable(str(output)), run.format, run.what, *figures, tuple(run.notes()))


def _opened(output: Path, force: bool) -> AbstractContextManager[OutputSink]:
    if output == STANDARD_OUTPUT:
        return standard_output(sys.stdout.buffer)
    return whole_file(output, force)


def _format(request: ExportRequest) -> str:
    name = request.output.name.lower() if request.output else ""
    by_ending = next((form for form, endings in FORMATS.items() if name.endswith(endings)), "")
    form = request.format or by_ending
    if form not in FORMATS:
        what = f"there is no format {form!r}" if form else "no format is named"
        raise InputError(what, f"Give --format, one of {', '.join(FORMATS)}")
    return "geojsonl" if (form, by_ending) == ("geojson", "geojsonl") else form


def _what(request: ExportRequest, form: str) -> RowKind:
    if form not in _ARCHIVES:
        return request.what or RowKind.ADDRESSES
    if request.what is RowKind.ADDRESSES:
        raise InputError(
            f"a {form.upper()} holds pages, not addresses",
            "Leave --what out, or choose another format",
        )
    return RowKind.PAGES


class _ExportRun:
    def __init__(
        self, roots: list[Path], request: ExportRequest, points: str, progress: Progress
    ) -> None:
        self.format = _format(request)
        self.what = _what(request, self.format)
        self._filters, self._bom, self._progress = request.filters, request.bom, progress
        if self._filters.relevant is None:
            self._filters = replace(self._filters, relevant=self.format in _ARCHIVES)
        self.crawls = CrawlLogs(roots)
        self._selection = Selection(self._filters, open_gazetteer(), self.crawls.jobs)
        self._points = open_points(points) if points else None
        if self._points and self.what is RowKind.PAGES:
            raise InputError("--points is for addresses", "Leave it out, or export addresses")
        self._copier: WarcCopier | None = None
        self.rows = self.pages = 0
        self.metadata: Path | None = None  # a second file, for datasette

    def write(self, sink: OutputSink, name: str) -> None:
        kind = PageRow if self.what is RowKind.PAGES else AddressRow
        match self.format:
            case "warc":
                self._copy(WarcCopier(sink.write, name, self._description))
            case "wacz":
                with (
                    WaczWriter(sink, self.crawls.name, self._description) as wacz,
                    wacz.warc() as member,
                ):
                    self._copy(WarcCopier(member.write, WARC, self._description, wacz.line), wacz)
            case "sqlite":
                sqlite.write(sink.write, self.what.value, kind, self._rows())
            case "geopackage":
                sqlite.write_geopackage(sink.write, self.what.value, kind, self._rows())
            case "duckdb":
                duckdb_file.write(sink.write, self.what.value, kind, self._rows())
            case "opensearch":
                sink.writelines(opensearch.lines(self.what.value, self._rows()))
            case _:
                write_rows(sink, self.format, kind, self._rows(), self._bom)

    def notes(self) -> Iterator[str]:
        if not self.rows:
            yield "nothing in the crawl matches: the file is valid and empty"
        if self.metadata:
            yield f"datasette shows it best with --metadata {printable(self.metadata.name)}"
        if self._copier and self._copier.damaged:
            yield f"{self._copier.damaged:,} damaged answers were left out"
        if self._copier and (orphans := self._copier.orphans):
            yield (
                f"{orphans:,} pages are unchanged since an earlier crawl and only archived there: "
                "export both directories to include them"
            )

    @property
    def _description(self) -> str:
        which = "Matching pages" if self._filters.by_address else "All answers"
        which = "Relevant pages" if self._filters.relevant else which
        return f"{which} of the crawl {self.crawls.name}"

    def _rows(self) -> Iterator[ExportRow]:
        """The rows of a table, counted."""
        kind = pages if self.what is RowKind.PAGES else addresses
        visits = self.crawls.visits(kind.FIELDS, self._progress)
        if self.what is RowKind.PAGES:
            found: Iterator[ExportRow] = pages.rows(visits, self._selection)
        else:
            known = self.crawls.known_seeds()
            found = addresses.rows(visits, self._selection, self._points, known)
        for row in found:
            self.rows += 1
            yield row
        if self._points:
            self._points.close()

    def _copy(self, copier: WarcCopier, wacz: WaczWriter | None = None) -> None:
        self._copier = copier
        for archive, visit in self.crawls.visits(warc_copier.FIELDS, self._progress):
            if (
                copier.take(archive, visit, self._selection.wants_answer(visit))
                and visit.outcome in CONTENT
            ):
                self.pages += 1
                if wacz:
                    wacz.page(visit)
        if self.crawls.total and not copier.has_archive:
            fix = "Crawl with storage.warc = true. Tables need no archive"
            raise InputError(f"no answer of the crawl {self.crawls.name} is archived", fix)
        copier.close()
        self.rows = copier.answers
