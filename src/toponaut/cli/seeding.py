"""Commands that need no more than the name of a place: seeds, city."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from toponaut.cli.crawling import failed_seeds
from toponaut.cli.options import Json, Quiet, Replay, Synthetic
from toponaut.cli.serving import serve as open_map
from toponaut.cli.terminal import ProgressBar, make_table, print_json, print_table, write_text

if TYPE_CHECKING:
    from toponaut.api.cities import CityData

_SHOWN = 10  # addresses

From = Annotated[
    list[str] | None,
    Option(
        "--from",
        help="A source: osm, wikidata, common-crawl, hosts, NAME=URL for another service of that"
        " kind, a file, or - for standard input. Can be repeated.",
        show_default="osm, wikidata, hosts",
    ),
]
Contact = Annotated[str, Option(help="Your web or mail address, sent to the services.")]


def seeds(
    place: Annotated[str, Argument(help='A place: "Oldenburg, DE", or a GeoNames id.')],
    from_: From = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write to this file. Default: standard output.")
    ] = None,
    contact: Contact = "",
    fresh: Annotated[
        bool, Option("--fresh", help="Ask services again. Answers are kept for a week.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find web addresses at which a crawl of a place can start.

    OpenStreetMap, Wikidata and Common Crawl are asked politely; "hosts" looks up likely host names.
    Files are recognised by their content: extracts of OpenStreetMap (.osm.pbf, GeoJSON), Overture,
    Foursquare and AllThePlaces places (Parquet, GeoJSON), Curlie or ODP (RDF), Common Crawl's index
    (Parquet, JSON lines), tables and lists. Places outside are left out; the rest is ranked by
    geo-rank. The result is a table (TSV) that a job can name: seeds = "seeds.tsv".

        toponaut seeds "Oldenburg, DE" -o seeds.tsv
        toponaut seeds "Madison, WI" --from overture-madison.parquet --from osm -o seeds.tsv
    """
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.seeds.find import DEFAULT, find_seeds
    from toponaut.seeds.seed import to_tsv
    from toponaut.seeds.service import Services

    names = open_names()
    wanted = find_place(names.gazetteer, place)
    with ProgressBar("Seeds", quiet) as bar:
        found = find_seeds(
            names,
            wanted,
            from_ or DEFAULT,
            services=Services(contact, fresh=fresh, received=lambda size: bar.update(size)),
            standard_input=sys.stdin.buffer.read,
            say=lambda source: bar.update(0, None, source),
        )
        for fault in found.faults:
            bar.say(fault)
    if json:
        for seed in found.seeds:
            print_json(seed)
    elif output is None:
        sys.stdout.write(to_tsv(found.seeds))
    else:
        write_text(output, to_tsv(found.seeds))
        counted = f"{len(found.seeds):,} seed{'s' * (len(found.seeds) != 1)}"
        print(f"{output}: {counted} for {wanted.name}")


def city(
    place: Annotated[str, Argument(help='A place: "Oldenburg, DE", or a GeoNames id.')],
    directory: Annotated[
        str, Argument(help="The crawl's directory.", show_default="the name of the place")
    ] = "",
    pages: Annotated[
        int,
        Option(min=0, help="Stop after this many pages.", show_default="500; none with --hours"),
    ] = 0,
    hours: Annotated[
        float, Option(min=0, help="Stop after this many hours.", show_default="none")
    ] = 0.0,
    from_: From = None,
    contact: Contact = "",
    replay: Replay = None,
    synthetic: Synthetic = None,
    serve: Annotated[
        bool | None,
        Option(help="Serve and open the map at the end.", show_default="if this is a terminal"),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Crawl a city from its name alone: seeds, crawl, index, exports, and the map.

    Finds seeds (see `toponaut seeds`), writes and prints the job, crawls with live progress, and
    exports addresses (GeoParquet, GeoJSON) and relevant pages (WACZ) to DIRECTORY/export. The same
    command resumes it; with larger --pages or --hours it continues.

        toponaut city "Oldenburg, DE" --contact crawler@example.org
        toponaut city "Madison, WI" madison/ --pages 5000 --from overture-madison.parquet
    """
    from toponaut.api.cities import CityOptions
    from toponaut.api.cities import city as run

    options = CityOptions(
        pages, hours, from_ or (), contact, replay, synthetic, "json" if json else not quiet
    )
    found = run(place, directory, options, _ignore if json or quiet else print)
    assert found.crawl.end is not None
    if found.crawl.end.interrupted:
        raise typer.Exit(130)
    if not found.files:
        print(f"toponaut: {'; '.join(failed_seeds(found.crawl))}", file=sys.stderr)
        raise typer.Exit(1)
    if json:
        print_json({"directory": found.crawl.directory, "files": found.files})
    else:
        _print_summary(found)
    if serve or (serve is None and sys.stdout.isatty() and not json):
        open_map(found.crawl.directory, open=True, quiet=quiet, json=json)


def _ignore(_: str) -> None:
    """Say nothing."""


def _print_summary(found: "CityData") -> None:
    """The first addresses, and where everything is."""
    table = make_table("organisation", "address", "pages")
    rows = found.crawl.addresses(in_targets=True, min_confidence=0.5)
    for row in rows[:_SHOWN]:
        street = " ".join(filter(None, (row.street, row.number)))
        town = " ".join(filter(None, (row.postcode, row.city)))
        table.add_row(row.organisation, ", ".join(filter(None, (street, town))), str(row.pages))
    print_table(table)
    if len(rows) > _SHOWN:
        print(f"and {len(rows) - _SHOWN:,} more")
    for file in found.files:
        print(f"wrote {file} ({file.stat().st_size:,} bytes)")
    print(f"Search it on a map: toponaut serve {found.crawl.directory} --open")


COMMANDS = (city, seeds)
