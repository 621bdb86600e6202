"""Commands that measure crawls and compare strategies: measure, compare."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toponaut.api.comparing import (
    TRAINING_PAGES,
    ComparisonObserver,
    compare_on_sites,
    make_request,
)
from toponaut.api.comparing import compare as run_comparison
from toponaut.api.crawls import Crawl, local_directory
from toponaut.cli import terminal
from toponaut.cli.terminal import CrawlDirectory, Json, ProgressBar, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.compare.comparison import ComparisonReport
    from toponaut.compare.focus import FocusReport
    from toponaut.compare.runs import ComparisonRun
    from toponaut.measures import Measures
    from toponaut.measures.tables import MeasuredRuns


def measure(
    directory: CrawlDirectory,
    html: Annotated[
        Path | None, typer.Option(help="Write a report with figures and a map to this file.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Another crawl of the same targets: estimates how much both have missed.",
            parser=local_directory,
            metavar="DIRECTORY",
        ),
    ] = None,
    synthetic: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Seed of the synthetic web that was crawled: adds measures against the truth.",
        ),
    ] = None,
    k: Annotated[int, typer.Option(min=0, max=6, help="Geo-centrality: links to look ahead.")] = 2,
    m: Annotated[
        float, typer.Option(min=1.0, help="Geo-centrality: discount factor per link.")
    ] = 10.0,
    download_cost: Annotated[
        float, typer.Option(min=0.0, help="Cost of fetching a page (b in Lemma 2).")
    ] = 1.0,
    message_cost: Annotated[
        float, typer.Option(min=0.0, help="Cost of sending a URL to a node (c in Lemma 2).")
    ] = 0.01,
    json: Json = False,
) -> None:
    """Measure a crawl: coverage, focus, harvest, overlap, locality, completeness and more.

    Reads the log alone, also while the crawl runs. The tables follow those of the papers;
    docs/measures.md says which is which.

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
        _write_page(html, [entry], f"Crawl {entry.name}", _lead(entry))
    if json:
        print_json(found)
        return
    console = terminal.make_console(200)
    for table in tables([entry]):
        terminal.print_measures(console, table, named=False)
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


def _write_page(path: Path, entries: "Sequence[MeasuredRuns]", title: str, lead: str) -> None:
    """The HTML report."""
    from toponaut.compare.measuring import ground
    from toponaut.measures.report import page

    terminal.write_text(path, page(entries, title, lead, ground()))


def compare(
    job: Annotated[
        Path, typer.Argument(help="The job file: everything that does not differ between runs.")
    ],
    directory: Annotated[
        Path, typer.Argument(help="Where runs are kept. Finished runs are not repeated.")
    ] = Path("comparison"),
    collaboration: Annotated[
        str, typer.Option(help='Collaborations to compare: "all", or names: "hash,url".')
    ] = "",
    ordering: Annotated[
        str,
        typer.Option(
            help='Orderings to compare: "all", or names, with job keys: "lookahead:depth=1".'
        ),
    ] = "",
    pages: Annotated[int, typer.Option(min=0, help="Pages per run. 0: as in the job.")] = 0,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Runs per strategy, with different random seeds.")
    ] = 3,
    synthetic: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Seed of the first synthetic web; each run has its own.",
            show_default="1",
        ),
    ] = None,
    replay: terminal.Replay = None,
    product: Annotated[
        bool, typer.Option("--product", help="Every collaboration with every ordering.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Runs at once.")] = os.cpu_count()
    or 1,
    training: Annotated[
        int,
        typer.Option(
            min=0,
            help="Pages to train the classifier from, if the job names no model. 0: do not train.",
        ),
    ] = TRAINING_PAGES,
    html: Annotated[
        Path | None, typer.Option(help="Write a report with figures to this file.")
    ] = None,
    targets: Annotated[
        str,
        typer.Option(
            help='With --replay FOLDER: targets from its sites.tsv, "all", a number, or places '
            "separated by semicolons."
        ),
    ] = "",
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help='With --targets: job keys to crawl with, "concurrent=64,delay=1". Repeatable.'
        ),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(help="With --targets: write a figure (SVG) per setting.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the tables and what failed.")
    ] = False,
    json: Json = False,
) -> None:
    """Compare strategies on the same web, from the same seeds, over several runs.

    Collaborations are compared under the job's ordering, and orderings under its collaboration;
    --product tries every pair. With neither option, all of both are compared. Runs crawl synthetic
    webs, or with --replay a recorded one, on which only the order of equal links differs. Requests
    are not delayed and pages are not archived. The same command resumes a comparison.

        toponaut compare job.toml compared/ --pages 20000 --seeds 2 --html compared.html
        toponaut compare job.toml compared/ --collaboration hash,url,anchor
        toponaut compare job.toml compared/ --ordering lookahead:depth=1,lookahead:depth=3

    With --targets, orderings are compared on a folder of real sites: for each target all sites are
    crawled from all their seeds, and relevant pages are counted beside an oracle's.

        toponaut compare job.toml focus/ --replay sites/ --targets 6 --setting concurrent=64,delay=1
    """
    if targets:
        if replay is None:
            raise InputError("--targets needs a folder with a sites.tsv", "Give --replay FOLDER")
        with ProgressBar("Preparing", quiet) as bar, _interruptible(bar):
            found = compare_on_sites(
                job, directory, replay, targets=targets, orderings=_names(ordering),
                settings=setting or (), pages=pages, workers=workers,
                done=lambda name, k, n: bar.update(k, n, f"{name} done"),
            )  # fmt: skip
        _show_focus(found, json, figure)
        return
    request = make_request(
        job,
        directory,
        collaborations=_names(collaboration),
        orderings=_names(ordering),
        product=product,
        pages=pages,
        seeds=seeds,
        synthetic=synthetic,
        replay=replay,
    )
    with ProgressBar("Preparing", quiet) as bar, _interruptible(bar):
        observer = _RunProgress(bar, quiet)
        report = run_comparison(request, workers=workers, training=training, observer=observer)
    if json:
        print_json(report)
    else:
        _print(report)
    for path, group in zip(_paths(html, len(report.groups)), report.groups, strict=False):
        _write_page(path, group.entries, group.title, report.compared)
        typer.echo(f"Report: {path.absolute().as_uri()}", err=True)
    if report.failed:
        raise typer.Exit(1)


def _show_focus(report: "FocusReport", json: bool, figure: Path | None) -> None:
    """Print a comparison on real sites, and write its figures: FILE, FILE-2, ..."""
    from toponaut.compare.focus import figures_of

    if json:
        print_json(report)
    else:
        console = terminal.make_console(220)
        console.print(report.compared)
        for name, why in report.left_out.items():
            console.print(f"{name} is left out: {why}", markup=False)
        console.print()
        for table in report.tables:
            terminal.print_measures(console, table, named=True)
    if figure is None:
        return
    for number, (title, drawing) in enumerate(figures_of(report), 1):
        path = figure if number == 1 else figure.with_stem(f"{figure.stem}-{number}")
        path.write_text(drawing, encoding="utf-8")
        typer.echo(f"{title}: {path.absolute().as_uri()}", err=True)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _interruptible(bar: ProgressBar) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the runs cleanly; the same command resumes them."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        bar.say("stopped; the same command resumes the comparison")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


class _RunProgress(ComparisonObserver):
    """Shows the pages of all runs on a bar, and a line for each run that ends."""

    def __init__(self, bar: ProgressBar, quiet: bool) -> None:
        self._bar, self._quiet = bar, quiet
        self._pages: dict[ComparisonRun, int] = {}
        self._first: dict[ComparisonRun, int] = {}  # pages that a resumed run already had
        self._each = self._done = 0
        self._began = time.monotonic()

    def leave_out(self, name: str, why: str) -> None:
        if not self._quiet:
            self._bar.say(f"{name} is left out: {why}")

    def train(self, run: "ComparisonRun", pages: int) -> None:
        self._bar.update(pages, run.job.limits.pages, "Training the classifier")

    def expect(self, runs: "Sequence[ComparisonRun]", pages: int) -> None:
        self._pages = dict.fromkeys(runs, 0)
        self._each = pages
        self._began = time.monotonic()
        self._show()

    def update(self, run: "ComparisonRun", pages: int) -> None:
        self._first.setdefault(run, pages)
        self._pages[run] = pages
        self._show()

    def ended(self, run: "ComparisonRun", result: "Measures | str") -> None:
        self._pages[run] = self._each  # also if there was nothing left to fetch
        self._done += 1
        line = f"{self._done} of {len(self._pages)}: {run.title}"
        if isinstance(result, str):
            self._bar.say(f"{line} failed: {result}")
        elif not self._quiet:
            whole = result.whole
            self._bar.say(f"{line}: {whole.pages:,} pages, harvest {whole.harvest or 0.0:.2%}")
        self._show()

    def _show(self) -> None:
        fetched = sum(self._pages[run] - first for run, first in list(self._first.items()))
        speed = fetched / max(time.monotonic() - self._began, 1.0)
        text = f"{self._done} of {len(self._pages)} runs, {speed:,.0f} pages/s"
        self._bar.update(sum(self._pages.values()), len(self._pages) * self._each, text)


def _print(report: "ComparisonReport") -> None:
    console = terminal.make_console(220)
    console.print(report.compared, end="\n\n")
    for group in report.groups:
        console.rule(group.title, align="left", characters="-")
        console.print()
        for table in group.tables:
            terminal.print_measures(console, table, named=True)


def _paths(html: Path | None, groups: int) -> list[Path]:
    """A report per group: FILE for one; for two, FILE-collaborations and FILE-orderings."""
    if html is None:
        return []
    if groups == 1:
        return [html]
    kinds = ("collaborations", "orderings")
    return [html.with_name(f"{html.stem}-{kind}{html.suffix}") for kind in kinds]


COMMANDS = (measure, compare)
