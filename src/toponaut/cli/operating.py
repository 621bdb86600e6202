"""Commands for operators: check, control."""

from typing import Annotated

import typer
from typer import Argument, Option

from toponaut.api.crawls import Crawl
from toponaut.cli.options import CrawlDirectory, Json, Quiet
from toponaut.cli.terminal import ProgressBar, print_json


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


def control(
    directory: CrawlDirectory,
    action: Annotated[str, Argument(help="pause, resume, budget, exclude or seed.")],
    values: Annotated[
        list[str] | None,
        Argument(help="Pages for budget; hosts or patterns for exclude; URLs for seed."),
    ] = None,
    json: Json = False,
) -> None:
    """Give a command to a running crawl on this machine.

    Every accepted command is in the log: a resumed crawl obeys it, too. A paused crawl stays paused
    until it is resumed. A host is excluded with its subdomains; anything else than a host is a
    pattern, as in limits.exclude.

        toponaut control oldenburg/ pause
        toponaut control oldenburg/ resume
        toponaut control oldenburg/ budget 20000
        toponaut control oldenburg/ exclude shop.example.org '/calendar/'
        toponaut control oldenburg/ seed https://www.oldenburg.de/
    """
    done = Crawl(directory).control(action, *(values or ()))
    if json:
        print_json({"action": action, "values": values or [], "done": done})
    else:
        print(f"{directory}: {done}")


COMMANDS = (check, control)
