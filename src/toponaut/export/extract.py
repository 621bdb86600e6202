"""Addresses from files, folders, WARCs and URLs, as a file: `toponaut extract`.

Memory does not grow with the input: documents are read when a worker is about to be free, and rows
are written as they come. Documents travel in batches, because sending a single page to another
process costs a tenth of its work. A worker opens the gazetteer once; it is memory-mapped, so all
workers share it.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import cache, partial
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TextIO

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from toponaut.archive.documents import (
    NO_PAGE,
    Document,
    DocumentPlace,
    Documents,
    page_of,
    total_bytes,
)
from toponaut.errors import InputError
from toponaut.export import csv, geojson, geoparquet
from toponaut.export.checkpoints import Checkpoint, CheckpointFile
from toponaut.export.house_points import at_house, open_points, prepared
from toponaut.export.output import whole_file
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


GEOPARQUET = "geoparquet"
_JSON_LINES = RowFormat("", lambda row: msgspec.json.encode(row).decode() + "\n", "", "")
_decode_row = msgspec.json.Decoder(ExtractRow).decode
FORMATS = {
    "json": _JSON_LINES,
    GEOPARQUET: _JSON_LINES,  # its rows, until all are there
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
    scripted: int = 0  # pages without text, but with scripts


def extract(
    sources: list[str],
    format: str,
    out: TextIO,
    jobs: int,
    quiet: bool,
    points: str = "",
    checkpoints: CheckpointFile | None = None,
    after: Checkpoint | None = None,
) -> ExtractSummary:
    """Writes the addresses of all sources to `out` as "json" (one object per line), "geojson" or
    "csv".

    Sources are files, folders, WARCs, WACZs and http(s) URLs. Raises InputError if none could be
    read. Ctrl-C completes the output and sets `interrupted`. A script that calls this with several
    `jobs` needs the usual `if __name__ == "__main__"`. `checkpoints` keeps track for a later run;
    `after` is where an earlier one stopped.
    """
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", f"Choose one of {', '.join(FORMATS)}")
    if not sources:
        raise InputError("nothing to extract from", "Name a file, a folder, a WARC or a URL")
    run = _ExtractRun(sources, format, out, quiet, checkpoints, after)
    with run.bar, prepared(points) as houses:
        rows = document_rows(iter(run.documents), format, jobs, houses)
        with closing(rows) as found:
            run.write(found)
    run.finish()
    return run.summary


def extract_to_file(
    sources: list[str], format: str, output: Path, jobs: int, quiet: bool, points: str = ""
) -> ExtractSummary:
    """The same into a file. A run that was stopped goes on where it was."""
    is_table = format == GEOPARQUET  # it cannot grow: its rows are collected in another file
    rows = output.with_name(f"{output.name}.rows") if is_table else output
    checkpoints = CheckpointFile(output)
    after = checkpoints.load(sources, format, rows)
    with (
        rows.open("r+b" if after else "wb") as raw,
        TextIOWrapper(raw, encoding="utf-8", newline="") as out,
    ):
        raw.truncate(after.size if after else 0)
        raw.seek(0, os.SEEK_END)
        summary = extract(sources, format, out, jobs, quiet, points, checkpoints, after)
    if summary.interrupted:
        return summary
    if is_table:
        with whole_file(output, force=True) as sink, rows.open("rb") as lines:
            geoparquet.write(sink, ExtractRow, map(_decode_row, lines))
        rows.unlink()
    checkpoints.remove()
    return summary


class _ExtractRun:
    def __init__(
        self,
        sources: list[str],
        form: str,
        out: TextIO,
        quiet: bool,
        checkpoints: CheckpointFile | None,
        after: Checkpoint | None,
    ) -> None:
        self.sources, self.form, self.out, self.quiet = sources, form, out, quiet
        self.format = FORMATS[form]
        self.documents = Documents(sources, self.report, after.place if after else None)
        self.summary = ExtractSummary()
        if after:
            self.summary.documents, self.summary.addresses = after.documents, after.addresses
        self._checkpoints, self._resumed = checkpoints, after is not None
        self.console = Console(stderr=True)
        self.withheld: InputError | None = None
        columns = (
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        hidden = quiet or not self.console.is_terminal
        self.bar = Progress(*columns, console=self.console, transient=True, disable=hidden)
        self.task = self.bar.add_task("", total=None if hidden else total_bytes(sources) or None)

    def write(self, found: "Iterator[DocumentRows]") -> None:
        """Writes all rows between head and tail, even if it is interrupted."""
        if not self._resumed:
            self.out.write(self.format.head)
        try:
            for document in found:
                self._write_one(document)
                if self._checkpoints and self._checkpoints.is_due:
                    figures = self.summary.documents, self.summary.addresses
                    place = document.place
                    done = Checkpoint(self.sources, self.form, place, 0, *figures)
                    self._checkpoints.save(self.out, done)
        except KeyboardInterrupt:
            self.summary.interrupted = True
        self.out.write(self.format.tail)
        self.out.flush()

    def _write_one(self, document: "DocumentRows") -> None:
        if document.readable:
            self.summary.documents += 1
            self.summary.scripted += document.scripted
        else:
            self.report(document.source, NO_PAGE)
        rows = self.format.between.join(document.rows)
        if rows:  # in one call: Ctrl-C must not separate them
            self.out.write((self.format.between if self.summary.addresses else "") + rows)
            self.summary.addresses += len(document.rows)
        shown = f"{self.summary.documents:,} pages, {self.summary.addresses:,} addresses"
        self.bar.update(self.task, completed=document.place.done, description=shown)

    def report(self, source: str, error: InputError) -> None:
        """Prints an error on stderr. That of the only source is withheld: it may end the run."""
        self.summary.unreadable += 1
        named = InputError(f"{source}: {error.cause}", error.fix)
        if self.sources == [source]:
            self.withheld = named
        else:
            self._print(str(named))

    def finish(self) -> None:
        """Raises if nothing could be read, else prints a withheld error and notes."""
        if not self.summary.documents and not self.summary.interrupted:
            raise self.withheld or InputError("nothing could be read", "The lines above say why")
        if self.withheld:
            self._print(str(self.withheld))
        if self.quiet:
            return
        if skipped := self.documents.skipped:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in skipped.most_common(8))
            self._print(f"skipped {skipped.total():,} files or records of other kinds: {kinds}")
        if self.summary.scripted:
            self._print(
                f"{self.summary.scripted:,} pages have scripts but no text: a browser would draw "
                "them. Save them from a browser and name the saved files"
            )

    def _print(self, line: str) -> None:
        self.bar.console.print(f"toponaut: {line}", markup=False, highlight=False, soft_wrap=True)


# --- documents to rows, on all cores ---

Batch = list[Document]


class DocumentRows(Struct, frozen=True):
    """The rows of a document, as they are written."""

    source: str
    rows: list[str]
    place: DocumentPlace
    readable: bool
    scripted: bool = False  # it has scripts, but no text


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
    scripted = page is not None and not page.text.strip() and b"<script" in document.body.lower()
    return DocumentRows(document.source, rows, document.place, page is not None, scripted)


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
