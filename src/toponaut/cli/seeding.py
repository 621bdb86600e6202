"""The command that finds where a crawl can start: seeds."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from toponaut.cli.terminal import Json, ProgressBar, Quiet, print_json, write_text

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
        print(f"{output}: {len(found.seeds):,} seeds for {wanted.name}")


COMMANDS = (seeds,)
