"""One run of `toponaut extract`: sources in, a file of addresses out, a bar and complaints on stderr."""

from collections.abc import Iterator
from contextlib import closing
from typing import TextIO

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from toponaut.archive.documents import NO_PAGE, documents, total_bytes
from toponaut.errors import InputError
from toponaut.extract.pool import Outcome, outcomes
from toponaut.extract.rows import FORMATS


class Summary(Struct):
    """What a run came to."""

    documents: int = 0
    addresses: int = 0
    unreadable: int = 0
    interrupted: bool = False


def extract(sources: list[str], format: str, out: TextIO, jobs: int, quiet: bool) -> Summary:
    """Writes the addresses of all sources to `out` as "json" (an object a line), "geojson" or "csv".

    Sources are files, folders, WARCs and http(s) URLs. Raises InputError if not one could be read. Ctrl-C
    ends the output properly and sets `interrupted`. A script that calls this with several `jobs` needs the
    usual `if __name__ == "__main__"`.
    """
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", f"Choose one of {', '.join(FORMATS)}")
    if not sources:
        raise InputError("nothing to extract from", "Name a file, a folder, a WARC or a URL")
    run = _Run(sources, format, out, quiet)
    with run.bar, closing(outcomes(documents(sources, run.complain), format, jobs)) as found:
        run.write(found)
    run.settle()
    return run.summary


class _Run:
    def __init__(self, sources: list[str], form: str, out: TextIO, quiet: bool) -> None:
        self.sources, self.format, self.out = sources, FORMATS[form], out
        self.console = Console(stderr=True)
        self.summary = Summary()
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

    def write(self, found: Iterator[Outcome]) -> None:
        """All rows between head and tail, however it ends."""
        self.out.write(self.format.head)
        try:
            for outcome in found:
                self._count(outcome)
                for row in outcome.rows:
                    between = self.format.between if self.summary.addresses else ""
                    self.out.write(between + row)  # in one go: Ctrl-C must not come between them
                    self.summary.addresses += 1
                said = f"{self.summary.documents:,} pages, {self.summary.addresses:,} addresses"
                self.bar.update(self.task, advance=outcome.passed, description=said)
        except KeyboardInterrupt:
            self.summary.interrupted = True
        self.out.write(self.format.tail)
        self.out.flush()

    def _count(self, outcome: Outcome) -> None:
        if outcome.readable:
            self.summary.documents += 1
        else:
            self.complain(outcome.source, NO_PAGE)

    def complain(self, source: str, error: InputError) -> None:
        """One line on stderr; that of the only source waits, for it may be how the run ends."""
        self.summary.unreadable += 1
        named = InputError(f"{source}: {error.cause}", error.cure)
        if self.sources == [source]:
            self.withheld = named
        else:
            self._print(named)

    def settle(self) -> None:
        """Raises if there was nothing to read, else says what was withheld."""
        if not self.summary.documents and not self.summary.interrupted:
            raise self.withheld or InputError("nothing could be read", "The lines above say why")
        if self.withheld:
            self._print(self.withheld)

    def _print(self, error: InputError) -> None:
        self.bar.console.print(f"toponaut: {error}", markup=False, highlight=False, soft_wrap=True)
