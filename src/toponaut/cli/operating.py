"""Commands for operators: check."""

from typing import Annotated

import typer
from typer import Option

from toponaut.api.crawls import Crawl
from toponaut.cli.terminal import CrawlDirectory, Json, ProgressBar, Quiet, print_json


def check(
    directory: CrawlDirectory,
    repair: Annotated[
        bool,
        Option(
            "--repair",
            help="Repair what can be repaired. The crawl must not be running.",
        ),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check all files of a crawl: log, archive, index, and the pointers between them.

    Reads every byte: checksums of the log, WARC records and their digests, CDXJ lines, the places
    where the log says an answer is, the files of the index. Reports what can be repaired and what
    is gone. The exit code is 0 if nothing is wrong, 1 if something is, 2 for bad input.

        toponaut check oldenburg/
        toponaut check oldenburg/ --repair
    """
    with ProgressBar("Checking", quiet or json) as bar:
        report = Crawl(directory).check(repair=repair, progress=bar.update)
    if json:
        print_json(report)
    else:
        print("\n".join(report.lines()))
    if not report.ok:
        raise typer.Exit(1)


COMMANDS = (check,)
