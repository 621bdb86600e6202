"""Commands around a crawl: crawl, status, explain, job."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from toponaut.cli.terminal import Crawled, Json, print_json, read_text
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.job import Job


Synthetic = Annotated[
    int | None,
    typer.Option(
        min=0, help="Crawl the synthetic web made from this number instead of the live web."
    ),
]


def crawl(
    job: Annotated[Path, typer.Argument(help="The job file; see `toponaut job --example`.")],
    directory: Annotated[
        str,
        typer.Argument(
            help="Where the crawl is kept; with --cluster also a URL (s3://...). If there is one already, it goes on."
        ),
    ],
    replay: Annotated[
        Path | None,
        typer.Option(
            help="Crawl this instead of the live web: a WARC, a WACZ, or a folder of pages."
        ),
    ] = None,
    synthetic: Synthetic = None,
    since: Annotated[
        Path | None,
        typer.Option(
            help="An earlier crawl, or a WARC: pages that have not changed since are not sent again."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that read pages beside the crawling one, up to 256; 0: it reads all. On a cluster: for each actor.",
            show_default="one for each other core",
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help="Crawl on a Ray cluster: auto, ray://host:10001 or host:port. All of it must see DIRECTORY."
        ),
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the last line.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="A JSON object a second, and one at the end.")
    ] = False,
) -> None:
    """Crawl: start, or go on where it stopped, whatever stopped it.

    Ctrl-C stops cleanly, a second one at once; both lose nothing that was written. The last line says why it stopped.
    On the synthetic web a job needs no seeds: it is given some of that web's own, near its targets.

        toponaut crawl oldenburg.toml oldenburg/
        toponaut crawl oldenburg.toml may/ --since april/
        toponaut crawl oldenburg.toml again/ --replay oldenburg/archive
        toponaut crawl oldenburg.toml made/ --synthetic 1
        toponaut crawl oldenburg.toml /shared/oldenburg/ --cluster auto
        toponaut crawl oldenburg.toml s3://bucket/oldenburg --cluster auto
    """
    from msgspec.structs import asdict

    from toponaut.crawl.start import View, start

    view: View = "json" if json else "none" if quiet else "live"
    text, name = read_text(job), str(job)
    ended = start(
        text,
        name,
        directory,
        replay=replay,
        synthetic=synthetic,
        since=since,
        workers=workers,
        view=view,
        cluster=cluster,
    )
    if json:
        print_json({"stopped": ended.why, **asdict(ended.progress)})
    else:
        print(ended.line(directory))
    if ended.interrupted:
        raise typer.Exit(130)


def status(directory: Crawled, json: Json = False) -> None:
    """Say how far a crawl is, also while it runs: pages, harvest, queue, hosts, outcomes, refusals, why it stopped.

    Of the hosts, "waiting" are those with links whose time has not come, "busy" those that are being asked.

    toponaut status oldenburg/
    """
    from toponaut.crawl.status import in_words, status_of

    found = status_of(directory)
    if json:
        print_json(found)
    else:
        Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(in_words(found))


def explain(
    directory: Crawled,
    url: Annotated[str, typer.Argument(help="The URL that you wonder about.")],
    json: Json = False,
) -> None:
    """Tell all that a crawl decided on a URL: where found, why then, why fetched or not, which addresses.

    toponaut explain oldenburg/ https://www.oldenburg.de/kontakt
    """
    from toponaut.crawl.explain import explain as explained
    from toponaut.crawl.telling import in_words

    found = explained(directory, url)
    if json:
        print_json(found)
    else:
        print(in_words(found))


def job(
    file: Annotated[Path | None, typer.Argument(help="A job file to check.")] = None,
    example: Annotated[
        bool, typer.Option(help="Print a commented job file with every key and its default.")
    ] = False,
) -> None:
    """Check a job file, or print an example of one.

    toponaut job --example > job.toml
    toponaut job job.toml
    """
    from toponaut.job import example as example_job
    from toponaut.job import load

    if example:
        print(example_job(), end="")
        return
    if file is None:
        raise InputError(
            "no job file given", "Name one, or get an example: toponaut job --example > job.toml"
        )
    _check_job(file.name, load(read_text(file), str(file)))


def _check_job(name: str, loaded: "Job") -> None:
    from toponaut.crawl.surroundings import Strategies
    from toponaut.job.targets import job_targets, territories
    from toponaut.places.gazetteer.cache import open_gazetteer

    nodes = Strategies(loaded).nodes
    gazetteer = open_gazetteer()
    targets = job_targets(gazetteer, loaded)
    print(
        f"{name} is good: {len(loaded.seeds)} seeds, {len(targets)} targets, {len(nodes)} node{'s'[: len(nodes) > 1]}"
    )
    for territory in territories(gazetteer, loaded):
        some = ", ".join(place.name for place in territory.targets[:4])
        more = f" and {len(territory.targets) - 4} more" if len(territory.targets) > 4 else ""
        print(f"  {territory.node}: {some}{more}")
    for general in nodes[len(nodes) - loaded.nodes.general :]:
        print(f"  {general}: what no other node claims")


COMMANDS = (crawl, status, explain, job)
