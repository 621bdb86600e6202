"""The command that tells how good a crawl was: measure."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table as Rows
from rich.text import Text

from toponaut.cli.terminal import Crawled, Json, crawl_at, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.measures.tables import MeasuredRuns, MeasureTable
    from toponaut.measures.truth import WebTruth


def measure(
    directory: Crawled,
    json: Json = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a report with figures and a map to this file.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Another crawl of the same targets: estimates how much both have missed.",
            parser=crawl_at,
            metavar="directory",
        ),
    ] = None,
    synthetic: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="It was a crawl of the synthetic web of this number: measure it against the truth, too.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option(min=0, max=6, help="Links that geo-centrality looks ahead.")
    ] = 2,
    m: Annotated[float, typer.Option(min=1.0, help="What each of those links divides by.")] = 10.0,
    download_cost: Annotated[float, typer.Option(min=0.0, help="Of one page: b in Lemma 2.")] = 1.0,
    message_cost: Annotated[
        float, typer.Option(min=0.0, help="Of one URL sent: c in Lemma 2.")
    ] = 0.01,
) -> None:
    """Measure a crawl by its log alone: coverage, focus, harvest, bridges, overlap, locality, completeness and more.

    Also while it runs. The tables are those of the papers (docs/measures.md says which is which).

        toponaut measure oldenburg/
        toponaut measure oldenburg/ --html report.html
        toponaut measure may/ --against april/ --json
    """
    from toponaut.compare.measuring import MeasureOptions, measure_directory
    from toponaut.measures.tables import MeasuredRuns, tables

    truth = None if synthetic is None else _truth(directory, synthetic)
    found = measure_directory(
        directory, MeasureOptions(k, m, download_cost, message_cost, against, truth)
    )
    entry = MeasuredRuns(directory.resolve().name, (found,))
    if html is not None:
        write_page(html, [entry], f"Crawl {entry.name}", _lead(entry))
    if json:
        print_json(found)
        return
    console = Console(highlight=False, width=None if Console().is_terminal else 200)
    for table in tables([entry]):
        print_rows(console, table, named=False)
    if html is not None:
        console.print(f"Look at {html.absolute().as_uri()}")


def _truth(directory: Path, number: int) -> "WebTruth":
    from toponaut.api.truth import truth_of
    from toponaut.crawl.directory import Directory

    return truth_of(number, Directory(directory).read_job())


def print_rows(console: Console, table: "MeasureTable", *, named: bool) -> None:
    """A table; of one crawl its name need not stand in every row."""
    console.print(Text.assemble((table.title, "bold"), (f"   {table.like}", "dim")))
    rows = Rows(box=None, header_style="dim", pad_edge=False)
    for number, head in enumerate(table.head):
        if number or named:
            rows.add_column(head, justify="right" if number else "left")
    for row in table.rows:
        rows.add_row(*map(Text, row if named else row[1:]))
    console.print(rows)
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print()


def _lead(entry: "MeasuredRuns") -> str:
    setup = entry.runs[0].setup
    counts = ((setup.targets, "target"), (setup.seeds, "seed"), (len(entry.runs[0].nodes), "node"))
    told = ", ".join(f"{many:,} {name}{'s' * (many != 1)}" for many, name in counts)
    return f"{told}; collaboration {setup.collaboration} (policy {setup.policy}), ordering {setup.ordering}"


def write_page(path: Path, entries: "Sequence[MeasuredRuns]", title: str, lead: str) -> None:
    """The report, to look at."""
    from toponaut.compare.measuring import ground
    from toponaut.measures.page import page

    try:
        path.write_text(page(entries, title, lead, ground()), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}", "Name a file in a folder you can write to"
        ) from error


COMMANDS = (measure,)
