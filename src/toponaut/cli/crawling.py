"""Commands for crawls: crawl, adopt, status, explain, job."""

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from toponaut.api.crawls import Crawl
from toponaut.api.crawls import crawl as collected_crawl
from toponaut.api.jobs import check_job, read_text
from toponaut.cli.options import (
    Alert,
    Cluster,
    CrawlDirectory,
    JobFile,
    Json,
    JsonEachSecond,
    LastLineOnly,
    LogJson,
    NewDirectory,
    Plugin,
    Quiet,
    Replay,
    Since,
    Synthetic,
    Workers,
)
from toponaut.cli.terminal import ProgressBar, join_few, make_console, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.crawl.run import CrawlEnd

_SHOWN = 5  # seeds that failed
run_crawl = inspect.unwrap(collected_crawl)  # the process ends: to collect garbage takes 0.1-0.5 s


def crawl(
    job: JobFile,
    directory: NewDirectory,
    replay: Replay = None,
    synthetic: Synthetic = None,
    since: Since = None,
    workers: Workers = None,
    cluster: Cluster = "",
    plugin: Plugin = None,
    alert: Alert = "",
    log_json: LogJson = None,
    quiet: LastLineOnly = False,
    json: JsonEachSecond = False,
) -> None:
    """Start a crawl, or resume an interrupted one.

    Ctrl-C stops after the requests in flight; a second Ctrl-C stops now. Nothing that was written
    is lost. The last line says why the crawl stopped. A job for the synthetic web needs no seeds:
    it gets some near its targets.

        toponaut crawl oldenburg.toml oldenburg/
        toponaut crawl oldenburg.toml may/ --since april/
        toponaut crawl oldenburg.toml again/ --replay oldenburg/archive
        toponaut crawl oldenburg.toml made/ --synthetic 1
        toponaut crawl oldenburg.toml /shared/oldenburg/ --cluster auto
        toponaut crawl oldenburg.toml s3://bucket/oldenburg --cluster auto
        toponaut crawl oldenburg.toml mine/ --plugin my_ordering.py
    """
    use_plugins(plugin or ())
    crawled = run_crawl(
        job,
        directory,
        replay=replay,
        synthetic=synthetic,
        since=since,
        workers=workers,
        cluster=cluster,
        progress="json" if json else not quiet,
        alert=alert,
        log_json=log_json,
    )
    assert crawled.end is not None
    print_end(crawled.end, directory, json)
    if not crawled.end.progress.pages and not cluster:
        print(f"toponaut: {'; '.join(failed_seeds(crawled))}", file=sys.stderr)
        raise typer.Exit(1)


def print_end(end: "CrawlEnd", directory: str | Path, json: bool) -> None:
    """Why a crawl or a watch stopped. Exits with 130 if it was interrupted."""
    from msgspec.structs import asdict

    if json:
        print_json({"stopped": end.why, **asdict(end.progress)})
    else:
        print(end.line(directory))
    if end.interrupted:
        raise typer.Exit(130)


def use_plugins(files: Sequence[Path]) -> None:
    """Offer the orderings in files that the user names."""
    if not files:
        return
    from toponaut.strategy.plugin_files import use_plugin_files
    from toponaut.strategy.registry import ORDERINGS, installed

    use_plugin_files(files, installed(ORDERINGS))


def failed_seeds(crawled: Crawl) -> list[str]:
    """Why a crawl without any page has none: the outcome of its first seeds."""
    seeds = crawled.job.seeds
    found = []
    for url in seeds[:_SHOWN]:
        tries = crawled.explain(url).visits
        last = tries[-1] if tries else None
        detail = f" ({last.detail})" if last and last.detail else ""
        found.append(f"{url}: {last.outcome if last else 'not fetched'}{detail}")
    more = [f"and {len(seeds) - _SHOWN:,} more"] if len(seeds) > _SHOWN else []
    return ["no page was fetched", *found, *more]


def adopt(
    warcs: Annotated[
        list[Path],
        Argument(help="WARC or WACZ files of any crawler, in the order of their making."),
    ],
    directory: Annotated[Path, Argument(help="The crawl to make. It must not exist.")],
    job: Annotated[Path, Option(help="The job file, for its targets.")],
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a crawl from WARCs that any crawler wrote: Heritrix, wget, Browsertrix, Scrapy.

    Every response becomes a visit, in the order of the records, judged by the job. Then measure,
    status and explain work as on any crawl, and `toponaut crawl` continues it. The WARCs are not
    changed.

        toponaut adopt heritrix/*.warc.gz heritrix/ --job oldenburg.toml
        toponaut measure heritrix/ --against oldenburg/
        toponaut crawl oldenburg.toml heritrix/
    """
    from toponaut.crawl.adopting import adopt as run

    with ProgressBar("Reading", quiet or json) as bar:
        adopted = run(
            warcs,
            directory,
            read_text(job),
            str(job),
            workers=workers,
            say=bar.say,
            progress=lambda done, total, pages: bar.update(done, total, f"{pages:,} pages"),
        )
    if json:
        print_json(adopted)
    else:
        print(adopted.line())


def status(directory: CrawlDirectory, json: Json = False) -> None:
    """Show a crawl's progress and statistics (works while it runs).

    Pages, harvest, queue, hosts, outcomes, refused links, and why the crawl stopped. "waiting"
    hosts have links but must rest before the next request; "busy" hosts have a request in flight.

        toponaut status oldenburg/
    """
    from toponaut.crawl.status import in_words

    found = Crawl(directory).status()
    if json:
        print_json(found)
    else:
        make_console(200).print(in_words(found))


def explain(
    directory: CrawlDirectory,
    url: Annotated[str, Argument(help="The URL to explain, or the id of a place.")],
    json: Json = False,
) -> None:
    """Explain what the crawl decided about a URL, or what it knows about a place.

    A URL: where it was found, why it was fetched then or not at all, by which node, and which
    addresses it has. A place, by its id in exports and changes: when each of its facts was first
    seen, last seen and last confirmed, with the record that proves it, and what has changed.

        toponaut explain oldenburg/ https://www.oldenburg.de/kontakt
        toponaut explain oldenburg/ 2f1c09d4be5a7786
    """
    from toponaut.api.watching import place_history
    from toponaut.watch.place_explained import is_place_id

    of_place = is_place_id(url)
    found = place_history(directory, url) if of_place else Crawl(directory).explain(url)
    if json:
        print_json(found)
    else:
        print(found)


def job(
    file: Annotated[Path | None, Argument(help="The job file to check.")] = None,
    example: Annotated[
        bool, Option("--example", help="Print a job file with every key and its default.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a job file, or print an example.

    toponaut job --example > job.toml
    toponaut job job.toml
    """
    from toponaut.job import example as example_job

    if example:
        sys.stdout.write(example_job())
        return
    if file is None:
        raise InputError(
            "no job file given", "Name one, or get an example: toponaut job --example > job.toml"
        )
    checked = check_job(file)
    if json:
        print_json(checked._asdict())
        return
    nodes = len(checked.territories) + len(checked.general)
    print(
        f"{file.name} is good: {checked.seeds} seeds, {checked.targets} targets, {nodes} "
        f"node{'s'[: nodes > 1]}"
    )
    for node, places in checked.territories.items():
        print(f"  {node}: {join_few(places, 4)}")
    for node in checked.general:
        print(f"  {node}: pages that no other node claims")


COMMANDS = (crawl, adopt, status, explain, job)
