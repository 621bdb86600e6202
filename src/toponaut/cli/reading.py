"""Commands that read pages and look up places: places, mentions, extract, demo."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from toponaut.api.reading import pages_in, place_columns
from toponaut.api.reading import places as find_places
from toponaut.cli.options import Json, Quiet, Sources
from toponaut.cli.terminal import (
    cannot_write,
    make_table,
    print_json,
    print_table,
)  # fmt: skip
from toponaut.errors import InputError

_ENDINGS = {".geojson": "geojson", ".csv": "csv", ".parquet": "geoparquet"}


def places(
    names: Annotated[list[str], Argument(help='Names or ids. Context helps: "Glendale, AZ".')],
    limit: Annotated[int, Option("--limit", "-n", min=1, help="Places per name.")] = 10,
    wordnet: Annotated[
        bool, Option("--wordnet", help="Use WordNet's toponyms instead of GeoNames.")
    ] = False,
    json: Json = False,
) -> None:
    """Look up places by name or id: location, population, region, time zone.

    Best match first. A name may be followed by a state, country or county, by name or code.

        toponaut places "Oldenburg, Niedersachsen" "Fort Worth TX" 2267057
    """
    table = make_table("id", "name", "kind", "where", "lat", "lon", "population", "time zone")
    for name in names:
        found = find_places(name, wordnet=wordnet)
        for place in found[:limit]:
            if json:
                print_json(place)
                continue
            table.add_row(
                str(place.id), place.name, place.kind, ", ".join(reversed(place.path[:-1])),
                f"{place.lat:.3f}", f"{place.lon:.3f}", f"{place.population:,}", place.timezone,
            )  # fmt: skip
        if len(found) > limit:
            more = len(found) - limit
            table.caption = f"{more} more called {name}; see them with --limit {len(found)}"
    if not json:
        print_table(table)


def mentions(
    sources: Sources,
    region: Annotated[
        list[str] | None, Option(help='A place known to be near: "Paris, Texas". Can be repeated.')
    ] = None,
    demonyms: Annotated[
        bool, Option("--demonyms", help='Also English adjectives of countries: "Turkish".')
    ] = False,
    json: Json = False,
) -> None:
    """Find place names in pages and texts, and the places they mean.

    Offsets count the characters of a text, or of a page's visible text.

        toponaut mentions article.html notes.txt
        echo "Police in Paris, Texas, and Reno" | toponaut mentions -
    """
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.places.names.demonyms import DemonymFinder

    finder = open_names()
    countries = DemonymFinder(finder.gazetteer)
    near = {find_place(finder.gazetteer, name).id: 1.0 for name in region or ()}
    columns = place_columns(finder.gazetteer)
    table = make_table("source", "text", "start", "end", "place", "where", "confidence")
    for source, page in pages_in(sources, lambda line: print(f"toponaut: {line}", file=sys.stderr)):
        some = finder.find(page.text, near)
        for found in countries.add(page.text, some) if demonyms else some:
            start, end = found.start, found.end
            if json:
                head = {"source": source, "text": found.text, "start": start, "end": end}
                place = {name: column(found) for name, column in columns.items()}
                confidence = {"confidence": found.confidence}
                print_json({**head, "id": found.place, **place, **confidence})
                continue
            path = finder.gazetteer.place(found.place).path
            table.add_row(
                source, found.text, str(start), str(end), path[-1],
                ", ".join(reversed(path[:-1])), f"{found.confidence:.2f}",
            )  # fmt: skip
    if not json:
        print_table(table)


def extract(
    sources: Sources,
    format: Annotated[
        str,
        Option(
            "--format",
            "-f",
            help="json (an object per line), geojson, csv or geoparquet.",
            show_default="by the file's ending, else json",
        ),
    ] = "",
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write to this file instead of standard output.")
    ] = None,
    points: Annotated[
        str,
        Option(
            metavar="FILE|URL",
            help="Points of houses: an OpenAddresses, Overture or OpenStreetMap file, or the URL "
            "of your own Photon, Nominatim or Pelias.",
        ),
    ] = "",
    workers: Annotated[int, Option(min=1, help="Processes to use.")] = os.cpu_count() or 1,
    quiet: Quiet = False,
    json: Annotated[bool, Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Find postal addresses in pages: parts, coordinates, organisation, phone, evidence.

    Reads pages, PDFs, folders, WARCs and WACZs of any size in constant memory, on all cores, and
    keeps the order of the sources. With --output, the same command resumes an interrupted run.

        toponaut extract contact.html
        toponaut extract crawl.warc.gz --format geojson -o places.geojson
        toponaut extract pages/ --points http://localhost:2322/api
    """
    from toponaut.export.extract import GEOPARQUET, extract_to_file
    from toponaut.export.extract import extract as run

    if json and format not in ("", "json"):
        raise InputError(f"--json and --format {format} exclude each other", "Give one of them")
    by_ending = _ENDINGS.get(output.suffix.lower(), "json") if output else "json"
    format = "json" if json else format or by_ending
    if output is None:
        if format == GEOPARQUET:
            raise InputError("GeoParquet needs a file", "Give --output, for example places.parquet")
        summary = run(sources, format, sys.stdout, workers, quiet, points)
    else:
        try:
            summary = extract_to_file(sources, format, output, workers, quiet, points)
        except OSError as error:
            raise cannot_write(output, error) from error
    if summary.interrupted:
        if output is not None:
            print("toponaut: interrupted. Repeat the command to resume", file=sys.stderr)
        raise typer.Exit(130)


def demo(
    output: Annotated[Path, Option("--output", "-o", help="The HTML report to write.")] = Path(
        "toponaut-demo.html"
    ),
) -> None:
    """Read three built-in pages, print what is found, and write an HTML report.

    toponaut demo
    """
    from toponaut.cli.demo import run

    run(output)


COMMANDS = (places, mentions, extract, demo)
