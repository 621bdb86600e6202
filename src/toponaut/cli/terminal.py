"""What commands share: progress bars, and output as tables or JSON lines."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toponaut.errors import InputError

if TYPE_CHECKING:  # rich takes 40 ms to import: only commands that print with it do so
    from rich.console import Console
    from rich.table import Table

    from toponaut.measures.tables import MeasuredRuns, MeasureTable


def print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def write_text(path: Path, text: str) -> None:
    """Writes a file that the user named."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(path, error) from error


def write_report(path: Path, entries: "Sequence[MeasuredRuns]", title: str, lead: str) -> None:
    """Writes measures as an HTML page."""
    from toponaut.app.embedded_map import Spot, embedded_map
    from toponaut.compare.measuring import ground
    from toponaut.measures.columns import PlaceCount
    from toponaut.measures.report import page

    def embed(picture: str, places: "Sequence[PlaceCount]") -> str:
        spots = [Spot(one.name, one.lat, one.lon, one.pages, not one.wanted) for one in places]
        return embedded_map(picture, spots)

    write_text(path, page(entries, title, lead, ground(), embed))


def cannot_write(path: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot write {path}: {error.strerror}", "Name a file in a folder you can write to"
    )


def make_table(*columns: str) -> "Table":
    from rich.table import Table

    return Table(*columns, box=None, header_style="bold")


def print_table(table: "Table") -> None:
    """As wide as the terminal; in a pipe as wide as the table needs."""
    if table.row_count:
        make_console(200).print(table)
    else:
        print("nothing found")


def make_console(width: int) -> "Console":
    """Standard output: as wide as the terminal, or this wide if it is a pipe."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else width)


def print_measures(console: "Console", table: "MeasureTable", *, named: bool) -> None:
    """A table of measures. The table of a single crawl needs no column with its name."""
    from rich.table import Table
    from rich.text import Text

    console.print(Text.assemble((table.title, "bold"), (f"   {table.like}", "dim")))
    rows = Table(box=None, header_style="dim", pad_edge=False)
    for number, head in enumerate(table.head):
        if number or named:
            rows.add_column(head, justify="right" if number else "left")
    for row in table.rows:
        rows.add_row(*map(Text, row if named else row[1:]))
    console.print(rows)
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print()


class ProgressBar:
    """A bar on standard error, if that is a terminal."""

    def __init__(self, label: str, hidden: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        self._console = Console(stderr=True, highlight=False)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), Remaining())
        self._bar = Progress(
            *columns,
            console=self._console,
            transient=True,
            disable=hidden or not self._console.is_terminal,
        )
        self._task = self._bar.add_task(label, total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, done: int, total: int | None = None, label: str | None = None) -> None:
        self._bar.update(self._task, completed=done, total=total, description=label)

    def advance(self, steps: int) -> None:
        self._bar.advance(self._task, steps)

    def say(self, line: str) -> None:
        """A line above the bar."""
        self._console.print(f"toponaut: {line}", markup=False, soft_wrap=True)

    def report(self, where: str, error: Exception) -> None:
        """A source that could not be read and is skipped."""
        self.say(f"{where}: {error}")


def join_few(names: Sequence[str], shown: int) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
