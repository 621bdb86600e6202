"""The command that tries strategies against each other: compare."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from toponaut.cli.measuring import print_rows, write_page
from toponaut.cli.terminal import print_json, read_text
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.compare.comparing import ComparisonReport, ComparisonRequest
    from toponaut.compare.runs import ComparisonRun
    from toponaut.measures import Measures

TRAINING_PAGES = 5_000
CORES = os.cpu_count() or 1

JobFile = Annotated[
    Path, typer.Argument(help="The job file: what is crawled, and what does not differ.")
]
Out = Annotated[
    Path, typer.Argument(help="Where the runs are kept. What is there already is not repeated.")
]
Collaborations = Annotated[
    str, typer.Option(help='Collaborations to compare: "all", or names with commas between.')
]
Orderings = Annotated[
    str,
    typer.Option(help='Orderings: likewise; with keys of the job if wanted, "lookahead:depth=1".'),
]
Pages = Annotated[int, typer.Option(min=0, help="Pages of a run; 0: as the job says.")]
Seeds = Annotated[
    int, typer.Option(min=1, max=1000, help="Runs of each, that differ by chance alone.")
]
Synthetic = Annotated[
    int | None,
    typer.Option(min=0, help="Crawl the synthetic webs made from this number and those after it."),
]
Replay = Annotated[
    Path | None, typer.Option(help="Crawl this instead: a WARC, a WACZ, or a folder of pages.")
]
Product = Annotated[
    bool, typer.Option("--product", help="Every collaboration with every ordering.")
]
Workers = Annotated[int, typer.Option(min=1, max=256, help="Runs at once.")]
Training = Annotated[
    int,
    typer.Option(
        min=0, help="Pages that the classifier is trained from, if the job names no model; 0: none."
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Nothing but the tables, and what failed.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object with all measures and tables.")]
Html = Annotated[Path | None, typer.Option(help="Write a report with figures to this file.")]


def compare(
    job: JobFile,
    out: Out = Path("comparison"),
    collaboration: Collaborations = "",
    ordering: Orderings = "",
    pages: Pages = 0,
    seeds: Seeds = 3,
    synthetic: Synthetic = None,
    replay: Replay = None,
    product: Product = False,
    workers: Workers = CORES,
    training: Training = TRAINING_PAGES,
    quiet: Quiet = False,
    json: Json = False,
    html: Html = None,
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
    if synthetic is not None and replay is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    if not collaboration and not ordering:
        collaboration = ordering = "all"
    names = _names(collaboration), _names(ordering)
    wanted = _wanted(
        job, out, names, product, pages, seeds, 1 if synthetic is None else synthetic, replay
    )
    console = Console(stderr=True, highlight=False)
    report = _run(wanted, workers, training, console, quiet)
    if json:
        print_json(report)
    else:
        _print(report)
    for path, group in zip(_paths(html, len(report.groups)), report.groups, strict=False):
        write_page(path, group.entries, group.title, report.compared)
        console.print(f"Look at {path.absolute().as_uri()}", soft_wrap=True)
    if report.failed:
        raise typer.Exit(1)


def _wanted(
    file: Path,
    out: Path,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    product: bool,
    pages: int,
    seeds: int,
    first: int,
    replay: Path | None,
) -> "ComparisonRequest":
    from toponaut.compare.comparing import ComparisonRequest
    from toponaut.job import load

    job = load(read_text(file), str(file), seedless=replay is None)
    pages = pages or job.limits.pages
    if not pages:
        raise InputError("neither the job nor --pages says when a run ends", "Give --pages 20000")
    who, when = names
    return ComparisonRequest(
        job=job, out=out, collaborations=who, orderings=when, product=product, pages=pages, seeds=seeds, first=first,
        replay=replay,
    )  # fmt: skip


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _run(
    wanted: "ComparisonRequest", workers: int, training: int, console: Console, quiet: bool
) -> "ComparisonReport":
    """All runs to their end, with a bar."""
    from toponaut.compare.comparing import ComparisonReport, compared, plan, runs_of
    from toponaut.compare.providing import provide
    from toponaut.compare.runs import Commands, refuse_others, run_all

    processes = Commands()
    with _interruptible(processes.stop, console), _Bar(console, quiet) as bar:
        planned = plan(wanted, provide(wanted, training, processes, bar.train))
        for name, why in planned.left_out.items() if not quiet else ():
            console.print(f"toponaut: {name} is left out: {why}", soft_wrap=True)
        runs = runs_of(wanted, planned)
        refuse_others(runs)
        bar.expect(runs, wanted.pages)
        run_all(runs, workers, processes, bar.ended, bar.tell)
    return ComparisonReport(
        wanted.lead,
        planned.left_out,
        dict(sorted(bar.failed.items())),
        compared(planned, runs, bar.measured),
    )


@contextmanager
def _interruptible(stop: Callable[[], None], console: Console) -> Iterator[None]:
    """Ctrl-C and a polite kill stop the runs cleanly; the same command goes on with them."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        stop()
        console.print("toponaut: stopped; the same command goes on")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


class _Bar:
    """How far the runs are: pages of all of them, and a line for each that ends."""

    def __init__(self, console: Console, quiet: bool) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(
            *columns, console=console, transient=True, disable=quiet or not console.is_terminal
        )
        self._task = self._bar.add_task("getting ready", total=None, speed="")
        self._console = console
        self._quiet = quiet
        self._pages: dict[ComparisonRun, int] = {}
        self._least: dict[ComparisonRun, int] = {}  # what a run had when it was first heard of here
        self._each = 0
        self._began = time.monotonic()
        self.measured: dict[ComparisonRun, Measures] = {}
        self.failed: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def train(self, run: "ComparisonRun", pages: int) -> None:
        self._bar.update(
            self._task,
            description="training the classifier",
            total=run.job.limits.pages,
            completed=pages,
        )

    def expect(self, runs: Sequence["ComparisonRun"], each: int) -> None:
        self._pages = dict.fromkeys(runs, 0)
        self._each = each
        self._began = time.monotonic()
        self._bar.update(self._task, total=len(runs) * each, completed=0)
        self._show()

    def tell(self, run: "ComparisonRun", pages: int) -> None:
        self._least.setdefault(run, pages)
        self._pages[run] = pages
        self._show()

    def ended(self, run: "ComparisonRun", result: "Measures | str") -> None:
        self._pages[run] = self._each  # also if nothing more was left to fetch
        done = f"{len(self.measured) + len(self.failed) + 1} of {len(self._pages)}"
        if isinstance(result, str):
            self.failed[run.title] = result
            self._console.print(
                f"{done}: {run.title} failed: {result}", soft_wrap=True, markup=False
            )
        else:
            self.measured[run] = result
            told = f"{result.whole.pages:,} pages, harvest {result.whole.harvest or 0.0:.2%}"
            if not self._quiet:
                self._console.print(f"{done}: {run.title}: {told}", soft_wrap=True, markup=False)
        self._show()

    def _show(self) -> None:
        done = len(self.measured) + len(self.failed)
        fetched = sum(self._pages[run] - least for run, least in list(self._least.items()))
        speed = fetched / max(time.monotonic() - self._began, 1.0)
        text = f"{done} of {len(self._pages)} runs"
        self._bar.update(
            self._task,
            description=text,
            completed=sum(self._pages.values()),
            speed=f"{speed:,.0f} pages/s",
        )


def _print(report: "ComparisonReport") -> None:
    console = Console(highlight=False, width=None if Console().is_terminal else 220)
    console.print(report.compared, end="\n\n")
    for group in report.groups:
        console.rule(group.title, align="left", characters="-")
        console.print()
        for table in group.tables:
            print_rows(console, table, named=True)


def _paths(html: Path | None, groups: int) -> list[Path]:
    """A page for each group: FILE itself for one, and for two FILE-1 and FILE-2 with their ending."""
    if html is None:
        return []
    if groups == 1:
        return [html]
    return [
        html.with_name(f"{html.stem}-{kind}{html.suffix}")
        for kind in ("collaborations", "orderings")
    ]


COMMANDS = (compare,)
