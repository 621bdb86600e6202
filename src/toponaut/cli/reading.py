"""Commands that read pages and look places up: places, mentions, extract, demo."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from toponaut.cli.terminal import Json, print_json, print_table
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.records import Page


def places(
    names: Annotated[
        list[str], typer.Argument(help='Names or ids, with context where it helps: "Glendale, AZ".')
    ],
    json: Json = False,
    limit: Annotated[int, typer.Option(min=1, help="At most so many places a name.")] = 10,
    wordnet: Annotated[
        bool, typer.Option(help="Look in WordNet's toponyms instead of GeoNames.")
    ] = False,
) -> None:
    """Look places up: who is called that, where, how large, in what.

    Best match first. Context may follow a name: a state, country or county, by name or code.

        toponaut places "Oldenburg, Niedersachsen" "Fort Worth TX" 2267057
    """
    from toponaut.job.targets import look_up
    from toponaut.places.gazetteer.cache import open_gazetteer, open_wordnet

    gazetteer = open_wordnet() if wordnet else open_gazetteer()
    table = Table(
        "id",
        "name",
        "kind",
        "where",
        "lat",
        "lon",
        "population",
        "time zone",
        box=None,
        header_style="bold",
    )
    for name in names:
        found = look_up(gazetteer, name)
        for place in found[:limit]:
            if json:
                print_json(place)
            else:
                where = ", ".join(reversed(place.path[:-1]))
                table.add_row(
                    str(place.id), place.name, place.kind, where, f"{place.lat:.3f}", f"{place.lon:.3f}",
                    f"{place.population:,}", place.timezone,
                )  # fmt: skip
        if len(found) > limit and not json:
            table.caption = (
                f"{len(found) - limit} more called {name}; see them with --limit {len(found)}"
            )
    if not json:
        print_table(table)


def mentions(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files (HTML or text), folders, WARCs, URLs, or - for standard input."),
    ],
    json: Json = False,
    region: Annotated[
        list[str] | None,
        typer.Option(help='A place known to be near: "Paris, Texas". May be given several times.'),
    ] = None,
) -> None:
    """Find place names in pages and texts, and say which places they mean.

    Offsets index the characters of a plain text, and the visible text of a page.

        toponaut mentions article.html notes.txt
        echo "Police in Paris, Texas, and Reno" | toponaut mentions -
    """
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_names

    finder = open_names()
    near = {find_place(finder.gazetteer, name).id: 1.0 for name in region or ()}
    table = Table(
        "source",
        "text",
        "start",
        "end",
        "place",
        "where",
        "confidence",
        box=None,
        header_style="bold",
    )
    for source, page in _pages(sources):
        for mention in finder.find(page.text, near):
            place = finder.gazetteer.place(mention.place)
            if json:
                print_json(
                    {
                        "source": source, "text": mention.text, "start": mention.start, "end": mention.end,
                        "id": place.id, "name": place.name, "country": place.country, "admin1": place.admin1,
                        "lat": place.lat, "lon": place.lon, "confidence": mention.confidence,
                    }
                )  # fmt: skip
            else:
                where = ", ".join(reversed(place.path[:-1]))
                table.add_row(
                    source,
                    mention.text,
                    str(mention.start),
                    str(mention.end),
                    place.name,
                    where,
                    f"{mention.confidence:.2f}",
                )
    if not json:
        print_table(table)


def extract(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files (HTML or text), folders, WARCs, URLs, or - for standard input."),
    ],
    format: Annotated[
        str, typer.Option("--format", "-f", help="json (an object a line), geojson or csv.")
    ] = "json",
    out: Annotated[
        Path | None, typer.Option(help="Write to this file instead of standard output.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes to work with.")] = os.cpu_count() or 1,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Find postal addresses in pages: with parts, normal form, coordinates, organisation, phone and evidence.

    Works on a folder or a WARC of any size in constant memory, on all cores, in the order of the sources.

        toponaut extract contact.html
        toponaut extract crawl.warc.gz --format geojson --out places.geojson
    """
    from toponaut.extract.run import extract as run

    if out is None:
        summary = run(sources, format, sys.stdout, jobs, quiet)
    else:
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                summary = run(sources, format, file, jobs, quiet)
        except OSError as error:
            raise InputError(
                f"cannot write {out}: {error.strerror}", "Name a file in a folder you can write to"
            ) from error
    if summary.interrupted:
        raise typer.Exit(130)


def demo(
    out: Annotated[Path, typer.Option(help="Where to write the page.")] = Path(
        "toponaut-demo.html"
    ),
) -> None:
    """Show what Toponaut does, on pages of its own, and write a page to look at."""
    from toponaut.cli.demo import run

    run(out)


def _pages(sources: list[str]) -> Iterator[tuple[str, "Page"]]:
    """The pages in the sources; faults are told on standard error, and only if nothing could be read is it an error."""
    from toponaut.archive.documents import NO_PAGE, documents, page_of

    faults: list[str] = []

    def report(source: str, error: InputError) -> None:
        faults.append(f"{source}: {error}")

    read = 0
    for document in documents(sources, report):
        if page := page_of(document):
            read += 1
            yield document.source, page
        else:
            report(document.source, NO_PAGE)
    if faults and not read:
        raise InputError("; ".join(faults))
    for fault in faults:
        print(f"toponaut: {fault}", file=sys.stderr)


COMMANDS = (places, mentions, extract, demo)
