"""The command that measures a crawl: measure."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from toponaut.api.crawls import Crawl, local_directory
from toponaut.cli.options import CrawlDirectory, Json
from toponaut.cli.terminal import make_console, print_json, print_measures, write_report

if TYPE_CHECKING:
    from toponaut.measures.tables import MeasuredRuns


def measure(
    directory: CrawlDirectory,
    html: Annotated[
        Path | None, Option(help="Write a report with figures and a map to this file.")
    ] = None,
    against: Annotated[
        Path | None,
        Option(
            help="Another crawl of the same targets: estimates how much both have missed.",
            parser=local_directory,
            metavar="DIRECTORY",
        ),
    ] = None,
    synthetic: Annotated[
        int | None,
        Option(
            min=0,
            help="Seed of the synthetic web that was crawled: adds measures against the truth.",
        ),
    ] = None,
    k: Annotated[int, Option(min=0, max=6, help="Geo-centrality: links to look ahead.")] = 2,
    m: Annotated[float, Option(min=1.0, help="Geo-centrality: discount factor per link.")] = 10.0,
    download_cost: Annotated[
        float, Option(min=0.0, help="Cost of fetching a page (b in Lemma 2).")
    ] = 1.0,
    message_cost: Annotated[
        float, Option(min=0.0, help="Cost of sending a URL to a node (c in Lemma 2).")
    ] = 0.01,
    json: Json = False,
) -> None:
    """Measure a crawl: coverage, focus, harvest, overlap, locality, completeness and more.

    Reads the log alone, also while the crawl runs. The tables follow those of the papers;
    docs/explanation/measures.md says which is which.

        toponaut measure oldenburg/
        toponaut measure oldenburg/ --html report.html
        toponaut measure may/ --against april/ --json
    """
    from toponaut.measures.tables import MeasuredRuns, tables

    found = Crawl(directory).measure(
        against=against,
        synthetic=synthetic,
        k=k,
        m=m,
        download_cost=download_cost,
        message_cost=message_cost,
    )
    entry = MeasuredRuns(directory.resolve().name, (found,))
    if html is not None:
        write_report(html, [entry], f"Crawl {entry.name}", _lead(entry))
    if json:
        print_json(found)
        return
    console = make_console(200)
    for table in tables([entry]):
        print_measures(console, table, named=False)
    if html is not None:
        console.print(f"Report: {html.absolute().as_uri()}")


def _lead(entry: "MeasuredRuns") -> str:
    setup = entry.runs[0].setup
    counts = ((setup.targets, "target"), (setup.seeds, "seed"), (len(entry.runs[0].nodes), "node"))
    counted = ", ".join(f"{many:,} {name}{'s' * (many != 1)}" for many, name in counts)
    return (
        f"{counted}; collaboration {setup.collaboration} (policy {setup.policy}), "
        f"ordering {setup.ordering}"
    )


COMMANDS = (measure,)
