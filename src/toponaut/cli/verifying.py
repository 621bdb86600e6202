"""The command that checks a list of places against a crawl: verify."""

from pathlib import Path
from typing import TYPE_CHECKING

from toponaut.api.crawls import Crawl
from toponaut.cli.options import (
    CrawlDirectory,
    Force,
    Json,
    ListColumns,
    MissingFile,
    PagesFirst,
    PlaceList,
    Quiet,
    Replay,
    Synthetic,
    VerdictFile,
)
from toponaut.cli.terminal import ProgressBar, print_json

if TYPE_CHECKING:
    from toponaut.verify.run import VerifyReport


def verify(
    places: PlaceList,
    directory: CrawlDirectory,
    output: VerdictFile = None,
    missing: MissingFile = None,
    columns: ListColumns = "",
    pages: PagesFirst = 0,
    replay: Replay = None,
    synthetic: Synthetic = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check somebody's places against a crawl: alive, moved, closed or unknown.

    Knows the columns of OpenStreetMap, Overture, Foursquare and AllThePlaces. A place is found by
    its name, position, phone, website and address. Each verdict has a page as proof, its date, its
    words and its record in the archive. Also estimates how many places there are in all.

        toponaut verify overture.parquet oldenburg/ -o verdicts.csv
        toponaut verify shops.csv oldenburg/ --columns name=Titel,city=Ort --json
        toponaut verify osm.geojson oldenburg/ --pages 500 --missing new.geojson
    """
    from toponaut.export.rows import AddressRow
    from toponaut.export.table_file import write_table
    from toponaut.verify.listed_place import parse_columns
    from toponaut.verify.verdict import VerifiedPlace

    with ProgressBar("Checking", quiet or json) as bar:
        report = Crawl(directory).verify(
            places,
            columns=parse_columns(columns),
            pages=pages,
            replay=replay,
            synthetic=synthetic,
            progress=bar.update,
        )
    if output is not None:
        write_table(output, VerifiedPlace, report.places, force)
    if missing is not None:
        write_table(missing, AddressRow, report.missing, force)
    if json:
        print_json(report)
    else:
        _print(report, output)


def _print(report: "VerifyReport", output: Path | None) -> None:
    from toponaut.verify.completeness import in_words

    counts = ", ".join(f"{many:,} {status}" for status, many in report.counts().items())
    print(f"{len(report.places):,} places: {counts}")
    for estimate in report.estimates:
        print(f"  {in_words(estimate)}")
    print(f"  {len(report.missing):,} places of the crawl are not in the list")
    if output is not None:
        print(f"verdicts: {output}")


COMMANDS = (verify,)
