"""The command that writes a crawl's results to a file: export."""

import sys
from typing import TYPE_CHECKING

from toponaut.api.filters import Box, make_wanted
from toponaut.cli.options import (
    AllAnswers,
    Bbox,
    Bom,
    CrawlDirectories,
    ExportFile,
    ExportFormat,
    ForceOne,
    HousePoints,
    InPlace,
    InTargets,
    Json,
    MinConfidence,
    Quiet,
    RelevantOnly,
    What,
)
from toponaut.cli.terminal import ProgressBar, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.export.run import ExportReport
    from toponaut.export.selection import RowKind

_ROWS = {"addresses": "organisations at addresses", "pages": "pages"}


def export(
    directories: CrawlDirectories,
    format: ExportFormat = "",
    output: ExportFile = None,
    what: What = "",
    relevant_only: RelevantOnly = False,
    in_targets: InTargets = False,
    min_confidence: MinConfidence = 0.0,
    bbox: Bbox = "",
    place: InPlace = "",
    points: HousePoints = "",
    all: AllAnswers = False,
    bom: Bom = False,
    force: ForceOne = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a crawl's addresses, pages or responses to a file (works while it runs).

    A table has a row for each organisation at each address: phone, coordinates and their
    precision, the pages it is on, and when it was first and last seen. WARC and WACZ hold the
    relevant pages as they were fetched, with archived style sheets, pictures and fonts, or
    everything with --all.

        toponaut export oldenburg/ -o oldenburg.geojson
        toponaut export lisbon/ -f geoparquet --in-targets --min-confidence 0.8
        toponaut export april/ may/ -o both.csv
        toponaut export oldenburg/ -o oldenburg.gpkg
        toponaut export oldenburg/ -o oldenburg.db
        toponaut export oldenburg/ -o oldenburg.csv --points houses.parquet
        toponaut export oldenburg/ -o oldenburg.wacz
        toponaut crawl oldenburg.toml again/ --replay oldenburg.wacz
    """
    from toponaut.export.run import STANDARD_OUTPUT, ExportRequest
    from toponaut.export.run import export as run

    if all and relevant_only:
        raise InputError("--all and --relevant-only exclude each other", "Give one of them")
    relevant = True if relevant_only else False if all else None
    wanted = make_wanted(relevant, in_targets, min_confidence, _box(bbox), place)
    asked = ExportRequest(format, output, _what(what), wanted, force, bom, points)
    with ProgressBar("Exporting", quiet or json) as bar:
        done = run(directories, asked, bar.update)
    _report(done, json, to_stderr=output == STANDARD_OUTPUT)


def _report(done: "ExportReport", json: bool, to_stderr: bool) -> None:
    """The result; on standard error if the file itself went to standard output."""
    import msgspec

    if json and not to_stderr:
        print_json(done)
    elif json:
        sys.stderr.write(msgspec.json.encode(done).decode() + "\n")
    else:
        rows = "responses" if done.format in ("warc", "wacz") else _ROWS[done.what.value]
        line = f"{done.rows:,} {rows} from {done.visits:,} visits, {done.bytes / 1e6:,.1f} MB"
        print(f"{line}: {done.file}", file=sys.stderr if to_stderr else sys.stdout)
        for note in done.notes:
            print(f"toponaut: {note}", file=sys.stderr)


def _what(name: str) -> "RowKind | None":
    from toponaut.export.selection import RowKind

    try:
        return RowKind(name) if name else None
    except ValueError:
        raise InputError(f"--what is {name!r}", f"Give one of {', '.join(RowKind)}") from None


def _box(text: str) -> Box | None:
    if not text:
        return None
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f'--bbox is "{text}"',
            "Give west, south, east and north in degrees: --bbox 8.1,53.1,8.3,53.2",
        ) from None
    return west, south, east, north


COMMANDS = (export,)
