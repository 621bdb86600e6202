"""The command that compares strategies: compare."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from toponaut.api.jobs import read_text
from toponaut.cli.crawling import use_plugins
from toponaut.cli.options import (
    Collaborations,
    ComparedJob,
    ComparisonFolder,
    Figure,
    FirstWeb,
    Json,
    Orderings,
    Plugin,
    Product,
    Replay,
    Report,
    RunPages,
    RunsAtOnce,
    RunSeeds,
    Settings,
    TablesOnly,
    Targets,
    Training,
)
from toponaut.cli.terminal import (
    ProgressBar,
    make_console,
    print_json,
    print_measures,
    write_report,
    write_text,
)
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.compare.comparison import ComparisonReport, ComparisonRequest
    from toponaut.compare.focus import FocusReport
    from toponaut.compare.runs import ComparisonRun
    from toponaut.measures import Measures

_CORES = os.cpu_count() or 1


def compare(
    job: ComparedJob,
    directory: ComparisonFolder = Path("comparison"),
    collaboration: Collaborations = "",
    ordering: Orderings = "",
    pages: RunPages = 0,
    seeds: RunSeeds = 3,
    synthetic: FirstWeb = None,
    replay: Replay = None,
    product: Product = False,
    workers: RunsAtOnce = _CORES,
    training: Training = 5_000,
    plugin: Plugin = None,
    html: Report = None,
    targets: Targets = "",
    setting: Settings = None,
    figure: Figure = None,
    quiet: TablesOnly = False,
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
        toponaut compare job.toml compared/ --plugin mine.py --ordering mine,breadth-first

    With --targets, orderings are compared on a folder of real sites: for each target all sites are
    crawled from all their seeds, and relevant pages are counted beside an oracle's.

        toponaut compare job.toml focus/ --replay sites/ --targets 6 --setting concurrent=64,delay=1
    """
    use_plugins(plugin or ())
    if targets:
        found = _compare_on_sites(
            job, directory, replay, targets, _names(ordering or "all"), setting, pages, workers,
            quiet,
        )  # fmt: skip
        _show_focus(found, json, figure)
        return
    request = _request(
        job, directory, collaboration, ordering, product, pages, seeds, synthetic, replay
    )
    with ProgressBar("Preparing", quiet) as bar, _interruptible(bar):
        report = _run_all(request, workers, training, _RunProgress(bar, quiet))
    _show(report, json, html)
    if report.failed:
        raise typer.Exit(1)


def _request(
    job: Path,
    directory: Path,
    collaboration: str,
    ordering: str,
    product: bool,
    pages: int,
    seeds: int,
    synthetic: int | None,
    replay: Path | None,
) -> "ComparisonRequest":
    from toponaut.compare.comparison import ComparisonRequest
    from toponaut.job import load
    from toponaut.job.targets import check_targets
    from toponaut.places.gazetteer.cache import open_gazetteer

    if synthetic is not None and replay is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    text = read_text(job)
    loaded = load(text, str(job), seedless=replay is None)
    check_targets(open_gazetteer(), loaded, text, str(job))
    if not (pages := pages or loaded.limits.pages):
        raise InputError("neither the job nor --pages says when a run ends", "Give --pages 20000")
    both = not collaboration and not ordering
    return ComparisonRequest(
        job=loaded,
        out=directory,
        collaborations=_names("all" if both else collaboration),
        orderings=_names("all" if both else ordering),
        product=product,
        pages=pages,
        seeds=seeds,
        first=1 if synthetic is None else synthetic,
        replay=replay,
    )


def _show(report: "ComparisonReport", json: bool, html: Path | None) -> None:
    """Print a comparison, and write its reports."""
    if json:
        print_json(report)
    else:
        _print(report)
    for path, group in zip(_paths(html, len(report.groups)), report.groups, strict=False):
        write_report(path, group.entries, group.title, report.compared)
        typer.echo(f"Report: {path.absolute().as_uri()}", err=True)


def _compare_on_sites(
    job: Path,
    directory: Path,
    sites: Path | None,
    targets: str,
    orderings: tuple[str, ...],
    settings: list[str] | None,
    pages: int,
    workers: int,
    quiet: bool,
) -> "FocusReport":
    from toponaut.compare.focus import SETTINGS, FocusRequest, compare_focus
    from toponaut.job import load

    if sites is None:
        raise InputError("--targets needs a folder with a sites.tsv", "Give --replay FOLDER")
    loaded = load(read_text(job), str(job), seedless=True)
    request = FocusRequest(
        job=loaded,
        out=directory,
        replay=sites,
        targets=targets,
        orderings=orderings,
        settings=tuple(settings or SETTINGS),
        pages=pages or loaded.limits.pages,
    )
    with ProgressBar("Preparing", quiet) as bar, _interruptible(bar):
        return compare_focus(request, workers, lambda name, k, n: bar.update(k, n, f"{name} done"))


def _run_all(
    request: "ComparisonRequest", workers: int, training: int, shown: "_RunProgress"
) -> "ComparisonReport":
    """Run a comparison, or resume it: finished runs are not repeated."""
    from toponaut.compare.comparison import ComparisonReport, compared, plan, runs_of
    from toponaut.compare.prerequisites import provide
    from toponaut.compare.runs import Commands, refuse_others, run_all

    processes = Commands()
    try:
        planned = plan(request, provide(request, training, processes, shown.train))
        for name, why in planned.left_out.items():
            shown.leave_out(name, why)
        runs = runs_of(request, planned)
        refuse_others(runs)
        shown.expect(runs, request.pages)
        run_all(runs, workers, processes, shown.ended, shown.update)
    except KeyboardInterrupt:
        processes.stop()
        raise
    groups = compared(planned, runs, shown.measured)
    failed = dict(sorted(shown.failed.items()))
    return ComparisonReport(request.lead, planned.left_out, failed, groups)


def _show_focus(report: "FocusReport", json: bool, figure: Path | None) -> None:
    """Print a comparison on real sites, and write its figures: FILE, FILE-2, ..."""
    from toponaut.compare.focus import figures_of

    if json:
        print_json(report)
    else:
        console = make_console(220)
        console.print(report.compared)
        for name, why in report.left_out.items():
            console.print(f"{name} is left out: {why}", markup=False)
        console.print()
        for table in report.tables:
            print_measures(console, table, named=True)
    if figure is None:
        return
    for number, (title, drawing) in enumerate(figures_of(report), 1):
        path = figure if number == 1 else figure.with_stem(f"{figure.stem}-{number}")
        write_text(path, drawing)
        typer.echo(f"{title}: {path.absolute().as_uri()}", err=True)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


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


class _RunProgress:
    """Keeps the results; shows the pages of all runs on a bar, and a line for each that ends."""

    def __init__(self, bar: ProgressBar, quiet: bool) -> None:
        self._bar, self._quiet = bar, quiet
        self.measured: dict[ComparisonRun, Measures] = {}
        self.failed: dict[str, str] = {}
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
            self.failed[run.title] = result
            self._bar.say(f"{line} failed: {result}")
        else:
            self.measured[run] = result
            whole = result.whole
            if not self._quiet:
                self._bar.say(f"{line}: {whole.pages:,} pages, harvest {whole.harvest or 0.0:.2%}")
        self._show()

    def _show(self) -> None:
        fetched = sum(self._pages[run] - first for run, first in list(self._first.items()))
        speed = fetched / max(time.monotonic() - self._began, 1.0)
        text = f"{self._done} of {len(self._pages)} runs, {speed:,.0f} pages/s"
        self._bar.update(sum(self._pages.values()), len(self._pages) * self._each, text)


def _print(report: "ComparisonReport") -> None:
    console = make_console(220)
    console.print(report.compared, end="\n\n")
    for group in report.groups:
        console.rule(group.title, align="left", characters="-")
        console.print()
        for table in group.tables:
            print_measures(console, table, named=True)


def _paths(html: Path | None, groups: int) -> list[Path]:
    """A report per group: FILE for one; for two, FILE-collaborations and FILE-orderings."""
    if html is None:
        return []
    if groups == 1:
        return [html]
    kinds = ("collaborations", "orderings")
    return [html.with_name(f"{html.stem}-{kind}{html.suffix}") for kind in kinds]


COMMANDS = (compare,)
