"""The command that tells how good a crawl was: measure."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table as Rows
from rich.text import Text

from toponaut.cli.terminal import Json, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.measures.tables import Entry, Table


def measure(
    directory: Annotated[Path, typer.Argument(help="The directory of a crawl.")],
    json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Write a report with figures and a map to this file.")] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another crawl of the same targets: estimates how much both have missed.")
    ] = None,
    k: Annotated[int, typer.Option(min=0, max=6, help="Links that geo-centrality looks ahead.")] = 2,
    m: Annotated[float, typer.Option(min=1.0, help="What each of those links divides by.")] = 10.0,
    download_cost: Annotated[float, typer.Option(min=0.0, help="Of one page: b in Lemma 2.")] = 1.0,
    message_cost: Annotated[float, typer.Option(min=0.0, help="Of one URL sent: c in Lemma 2.")] = 0.01,
) -> None:
    """Measure a crawl by its log alone: coverage, focus, harvest, bridges, overlap, locality, completeness and more.

    Also while it runs. The tables are those of the papers (docs/measures.md says which is which).

        toponaut measure oldenburg/
        toponaut measure oldenburg/ --html report.html
        toponaut measure may/ --against april/ --json
    """
    from toponaut.crawl.measuring import Asked, measure_directory
    from toponaut.measures.tables import Entry, tables

    found = measure_directory(directory, Asked(k, m, download_cost, message_cost, against))
    entry = Entry(directory.resolve().name, (found,))
    if html is not None:
        _write(html, entry)
    if json:
        print_json(found)
        return
    console = Console(highlight=False, width=None if Console().is_terminal else 200)
    for table in tables([entry]):
        _print(console, table)
    if html is not None:
        console.print(f"Look at {html.absolute().as_uri()}")


def _print(console: Console, table: "Table") -> None:
    console.print(Text.assemble((table.title, "bold"), (f"   {table.like}", "dim")))
    rows = Rows(box=None, header_style="dim", pad_edge=False)
    for head in table.head[1:]:  # one crawl: its name need not stand in every row
        rows.add_column(head, justify="right")
    for row in table.rows:
        rows.add_row(*map(Text, row[1:]))
    console.print(rows)
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print()


def _write(path: Path, entry: "Entry") -> None:
    from toponaut.crawl.measuring import ground
    from toponaut.measures.page import page

    setup = entry.runs[0].setup
    counts = ((setup.targets, "target"), (setup.seeds, "seed"), (len(entry.runs[0].nodes), "node"))
    told = ", ".join(f"{many:,} {name}{'s' * (many != 1)}" for many, name in counts)
    lead = f"{told}; collaboration {setup.collaboration} (policy {setup.policy}), ordering {setup.ordering}"
    try:
        path.write_text(page([entry], f"Crawl {entry.name}", lead, ground()), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}", "Name a file in a folder you can write to"
        ) from error


COMMANDS = (measure,)
