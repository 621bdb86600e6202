"""The command that writes what a crawl has found: export."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from toponaut.cli.terminal import Json, crawl_at, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.export.run import Exported
    from toponaut.export.wanted import What
    from toponaut.index import Box


def export(
    directories: Annotated[
        list[Path],
        typer.Argument(
            help="The directory of a crawl, or its URL; or of several, to be one file.",
            parser=crawl_at,
            metavar="directories",
        ),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="geojson, geojsonl, geoparquet, csv, warc or wacz. [by the file's ending]",
        ),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file; - for standard output. [DIR.ending, here]"),
    ] = None,
    what: Annotated[str, typer.Option(help="A row is one of: addresses, pages. [addresses]")] = "",
    relevant_only: Annotated[
        bool, typer.Option("--relevant-only", help="Only what relevant pages say.")
    ] = False,
    in_targets: Annotated[
        bool, typer.Option("--in-targets", help="Only addresses in the job's targets.")
    ] = False,
    min_confidence: Annotated[
        float, typer.Option(help="Only addresses as sure as that, 0 to 1.")
    ] = 0.0,
    bbox: Annotated[
        str, typer.Option(help='Only addresses in a box, as "WEST,SOUTH,EAST,NORTH".')
    ] = "",
    place: Annotated[
        str, typer.Option(help='Only addresses in a place, by name or id: "Lisbon, Portugal".')
    ] = "",
    all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="warc, wacz: every answer, robots.txt and errors included; not only relevant pages.",
        ),
    ] = False,
    bom: Annotated[
        bool, typer.Option("--bom", help="csv: begin with the mark by which Excel knows UTF-8.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    json: Json = False,
) -> None:
    """Write what a crawl has found to a file: addresses or pages as a table, or the pages themselves.

    Tables have a row for each organisation at each address, with phone, coordinates and how exact they are, the pages that tell of it,
    and when they were first and last seen. WARC and WACZ hold the relevant pages (--all: everything) as they were fetched.
    Works while the crawl runs.

        toponaut export oldenburg/ -o oldenburg.geojson
        toponaut export lisbon/ -f geoparquet --in-targets --min-confidence 0.8
        toponaut export april/ may/ -o both.csv
        toponaut export oldenburg/ -o oldenburg.wacz
        toponaut crawl oldenburg.toml again/ --replay oldenburg.wacz
    """
    from toponaut.export.run import STANDARD_OUTPUT, Asked
    from toponaut.export.run import export as run
    from toponaut.export.wanted import Wanted

    if all and relevant_only:
        raise InputError("--all and --relevant-only exclude each other", "Give one of them")
    relevant = True if relevant_only else False if all else None
    wanted = Wanted(relevant, in_targets, min_confidence, _box(bbox), place)
    asked = Asked(format, output, _what(what), wanted, force, bom)
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("Exporting"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    hidden = quiet or json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=None)
        done = run(
            directories, asked, lambda some, total: bar.update(task, completed=some, total=total)
        )
    _report(done, json, to_stderr=output == STANDARD_OUTPUT)


def _report(done: "Exported", json: bool, to_stderr: bool) -> None:
    """What came of it; on standard error where the file itself went to standard output."""
    if json and not to_stderr:
        print_json(done)
    elif json:
        sys.stderr.write(msgspec.json.encode(done).decode() + "\n")
    else:
        of_what = "answers" if done.format in ("warc", "wacz") else done.what.value
        line = f"{done.rows:,} {of_what} from {done.visits:,} visits, {done.bytes / 1e6:,.1f} MB: {done.file}"
        print(line, file=sys.stderr if to_stderr else sys.stdout)
        for note in done.notes:
            print(f"toponaut: {note}", file=sys.stderr)


def _what(name: str) -> "What | None":
    from toponaut.export.wanted import What

    try:
        return What(name) if name else None
    except ValueError:
        raise InputError(f"--what is {name!r}", f"Give one of {', '.join(What)}") from None


def _box(text: str) -> "Box | None":
    from toponaut.index import Box

    if not text:
        return None
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        west = south = east = north = float("nan")
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise InputError(
            f'--bbox is "{text}"',
            "Give west, south, east and north in degrees: --bbox 8.1,53.1,8.3,53.2",
        )
    return Box(south, west, north, east)


COMMANDS = (export,)
