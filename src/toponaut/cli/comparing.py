"""The command that tries strategies against each other: compare."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from toponaut.cli.measuring import print_table, write_page
from toponaut.cli.terminal import print_json, read_text
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.crawl.comparing import Compared, Plan
    from toponaut.crawl.runs import Run
    from toponaut.job import Job
    from toponaut.measures import Measures

TRAINING_PAGES = 5_000


def compare(
    job: Annotated[Path, typer.Argument(help="The job file: what is crawled, and what does not differ.")],
    out: Annotated[Path, typer.Argument(help="Where the runs are kept. What is there already is not repeated.")] = Path(
        "comparison"
    ),
    collaboration: Annotated[
        str, typer.Option(help='Collaborations to compare: "all", or names with commas between.')
    ] = "",
    ordering: Annotated[
        str, typer.Option(help='Orderings: likewise; with keys of the job if wanted, "lookahead:depth=1".')
    ] = "",
    pages: Annotated[int, typer.Option(min=0, help="Pages of a run; 0: as the job says.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Runs of each, that differ by chance alone.")] = 3,
    synthetic: Annotated[
        int | None, typer.Option(min=0, help="Crawl the synthetic webs made from this number and those after it.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="Crawl this instead: a WARC, a WACZ, or a folder of pages.")
    ] = None,
    product: Annotated[bool, typer.Option("--product", help="Every collaboration with every ordering.")] = False,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Runs at once.")] = os.cpu_count() or 1,
    training: Annotated[
        int, typer.Option(min=0, help="Pages that the classifier is trained from, if the job names no model; 0: none.")
    ] = TRAINING_PAGES,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Nothing but the tables.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object with all measures and tables.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report with figures to this file.")] = None,
) -> None:
    """Compare strategies: each on the same web from the same start URLs, with the mean and spread of several runs.

    Collaborations are compared under the job's ordering, orderings under the job's collaboration; --product tries every
    pair. With neither named, all of both are. A web is the synthetic one (from 1 on, if nothing is said; a run for each of
    --seeds numbers) or a recorded one, on which only ties are broken differently. Pages are fetched without rests and not
    archived; all else is as in the job. The same command goes on where it was stopped.

        toponaut compare job.toml compared/ --pages 20000 --seeds 2 --html compared.html
        toponaut compare job.toml compared/ --collaboration hash,url,anchor
        toponaut compare job.toml compared/ --ordering lookahead:depth=1,lookahead:depth=3 --replay crawl/archive
    """
    from toponaut.crawl.runs import Processes, refuse_smaller, run_all
    from toponaut.job import load

    if synthetic is not None and replay is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    first = 1 if synthetic is None else synthetic
    loaded = load(read_text(job), str(job), seedless=replay is None)
    if not collaboration and not ordering:
        collaboration = ordering = "all"
    console = Console(stderr=True, highlight=False, quiet=quiet)
    processes = Processes()
    with _interruptible(), _Bar(console) as bar:
        chosen = [[name.strip() for name in text.split(",") if name.strip()] for text in (collaboration, ordering)]
        given = _given(loaded, chosen[0], out, first + seeds, training, processes, bar) if replay is None else {}
        planned = _planned(loaded, chosen, product, given, console)
        runs = _runs(planned, out, pages or loaded.limits.pages, loaded.random_seed, first, seeds, replay)
        refuse_smaller(runs)
        bar.expect(runs)
        run_all(runs, workers, processes, bar.ended, bar.tell)
    found = _compared(planned, runs, bar.measured)
    _print(found, bar.failed, json)
    if html is not None:
        _write(html, found, f"{pages or loaded.limits.pages:,} pages, {seeds} runs of each, {_web(first, seeds, replay)}")
    if bar.failed:
        raise typer.Exit(1)
