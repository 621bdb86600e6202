"""Addresses from files, folders, WARCs and URLs, as a file: `toponaut extract`.

Memory does not grow with the input: documents are read when a worker is about to be free, and rows
are written as they come. Documents travel in batches, because sending a single page to another
process costs a tenth of its work. A worker opens the gazetteer once; it is memory-mapped, so all
workers share it.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple, TextIO

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from toponaut.archive.documents import (
    NO_PAGE,
    Document,
    DocumentPlace,
    Documents,
    page_of,
    total_bytes,
)
from toponaut.errors import InputError
from toponaut.export import csv, geojson
from toponaut.export.house_points import at_house, open_points, prepared
from toponaut.export.rows import ExtractRow, extract_row
from toponaut.page.processes import process_pool
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names

_BATCH_DOCUMENTS = 32
_BATCH_BYTES = 1_000_000  # about 0.1 s of work


class RowFormat(NamedTuple):
    """How rows become a file: its head, each row, the separator and its tail."""

    head: str
    write: Callable[[ExtractRow], str]
    between: str
    tail: str


FORMATS = {
    "json": RowFormat("", lambda row: msgspec.json.encode(row).decode() + "\n", "", ""),
    "geojson": RowFormat(
        geojson.HEAD.decode(),
        lambda row: geojson.feature(row).decode(),
        geojson.BETWEEN.decode(),
        geojson.TAIL.decode(),
    ),
    "csv": RowFormat(csv.header(ExtractRow).decode(), lambda row: csv.line(row).decode(), "", ""),
}


class ExtractSummary(Struct):
    documents: int = 0
    addresses: int = 0
    unreadable: int = 0
    interrupted: bool = False


def extract(
    sources: list[str], format: str, out: TextIO, jobs: int, quiet: bool, points: str = ""
) -> ExtractSummary:
    """Writes the addresses of all sources to `out` as "json" (one object per line), "geojson" or
    "csv".

    Sources are files, folders, WARCs and http(s) URLs. Raises InputError if none could be read.
    Ctrl-C completes the output and sets `interrupted`. A script that calls this with several `jobs`
    needs the usual `if __name__ == "__main__"`.
    """
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", f"Choose one of {', '.join(FORMATS)}")
    if not sources:
        raise InputError("nothing to extract from", "Name a file, a folder, a WARC or a URL")
    run = _ExtractRun(sources, format, out, quiet)
    with run.bar, prepared(points) as houses:
        rows = document_rows(iter(Documents(sources, run.report)), format, jobs, houses)
        with closing(rows) as found:
            run.write(found)
    run.finish()
    return run.summary


class _ExtractRun:
    def __init__(self, sources: list[str], form: str, out: TextIO, quiet: bool) -> None:
        self.sources, self.format, self.out = sources, FORMATS[form], out
        self.console = Console(stderr=True)
        self.summary = ExtractSummary()
        self.withheld: InputError | None = None
        columns = (
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
        )
        hidden = quiet or not self.console.is_terminal
        self.bar = Progress(*columns, console=self.console, transient=True, disable=hidden)
        self.task = self.bar.add_task("", total=None if hidden else total_bytes(sources) or None)

    def write(self, found: "Iterator[DocumentRows]") -> None:
        """Writes all rows between head and tail, even if it is interrupted."""
        self.out.write(self.format.head)
        try:
            for document in found:
                if document.readable:
                    self.summary.documents += 1
                else:
                    self.report(document.source, NO_PAGE)
                for row in document.rows:
                    between = self.format.between if self.summary.addresses else ""
                    self.out.write(between + row)  # in one call: Ctrl-C must not separate them
                    self.summary.addresses += 1
                shown = f"{self.summary.documents:,} pages, {self.summary.addresses:,} addresses"
                self.bar.update(self.task, completed=document.place.done, description=shown)
        except KeyboardInterrupt:
            self.summary.interrupted = True
        self.out.write(self.format.tail)
        self.out.flush()

    def report(self, source: str, error: InputError) -> None:
        """Prints an error on stderr. That of the only source is withheld: it may end the run."""
        self.summary.unreadable += 1
        named = InputError(f"{source}: {error.cause}", error.fix)
        if self.sources == [source]:
            self.withheld = named
        else:
            self._print(named)

    def finish(self) -> None:
        """Raises if nothing could be read, else prints a withheld error."""
        if not self.summary.documents and not self.summary.interrupted:
            raise self.withheld or InputError("nothing could be read", "The lines above say why")
        if self.withheld:
            self._print(self.withheld)

    def _print(self, error: InputError) -> None:
        self.bar.console.print(f"toponaut: {error}", markup=False, highlight=False, soft_wrap=True)


# --- documents to rows, on all cores ---

Batch = list[Document]


class DocumentRows(Struct, frozen=True):
    """The rows of a document, as they are written."""

    source: str
    rows: list[str]
    place: DocumentPlace
    readable: bool


def document_rows(
    documents: Iterator[Document], form: str, jobs: int, points: str = ""
) -> Generator[DocumentRows, None, None]:
    """The rows of each document, in order. A single batch is not worth a pool."""
    batches = _batches(documents)
    first = list(islice(batches, 2))
    if jobs < 2 or len(first) < 2:
        for batch in chain(first, batches):
            yield from batch_rows(batch, form, points)
    else:
        with process_pool(jobs, "--workers") as pool:
            run = partial(batch_rows, form=form, points=points)
            for found in pool.run_in_order(run, chain(first, batches)):
                yield from found


def batch_rows(batch: Batch, form: str, points: str = "") -> list[DocumentRows]:
    """The part that runs in a worker: bytes to written rows, without state except the finder."""
    return [_rows_of(document, form, points) for document in batch]


def _rows_of(document: Document, form: str, points: str) -> DocumentRows:
    page = page_of(document)
    found = _finder().find(page) if page else []
    if points:
        found = [at_house(address, _points(points)) for address in found]
    rows = [FORMATS[form].write(extract_row(document.source, address)) for address in found]
    return DocumentRows(document.source, rows, document.place, page is not None)


_points = cache(open_points)


@cache
def _finder() -> AddressFinder:
    names = open_names()
    return AddressFinder(names.gazetteer, names)


def _batches(documents: Iterator[Document]) -> Iterator[Batch]:
    batch: Batch = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.body)
        if len(batch) == _BATCH_DOCUMENTS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
