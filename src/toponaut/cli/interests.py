"""Commands around a region's interests: interests learn, interests rank."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from toponaut.cli.terminal import Crawled, Json, crawl_at, print_json, print_table, read_text
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.job import OrderingSection
    from toponaut.strategy.learning.interests import InterestsResult, RankedPage

ABOUT = 'Interests of a region, for the ordering "interest": learn them, and rank pages by them.'

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def learn(
    source: Annotated[
        Path,
        typer.Argument(
            help="The directory of a crawl, or a list of pages (URL or file, tab, yes or no).",
            parser=crawl_at,
            metavar="source",
        ),
    ],
    terms: Annotated[int, typer.Option(min=1, max=1000, help="At most so many interests.")] = 20,
    job: Annotated[
        Path | None,
        typer.Option(
            help="Start with the interests of this job, instead of those of the crawl's own."
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(min=0, help="Weight of the interests to start with.")
    ] = 1.0,
    beta: Annotated[float, typer.Option(min=0, help="Weight of the relevant pages.")] = 0.75,
    gamma: Annotated[
        float, typer.Option(min=0, help="Weight of the other pages, which is taken off.")
    ] = 0.15,
    least: Annotated[
        int, typer.Option(min=1, help="Relevant pages that must have a new term.")
    ] = 2,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn interests from pages that are relevant or not (Rocchio's feedback), and print them for a job file.

    Of a crawl the log says which pages are relevant. A list says it in lines: a URL (it is fetched), file, folder or WARC
    (relative to the list), a tab, and yes or no.

        toponaut interests learn oldenburg/ --terms 10
        toponaut interests learn judged.tsv --json
    """
    from toponaut.strategy.learning.interests import InterestsRequest
    from toponaut.strategy.learning.interests import learn as run
    from toponaut.strategy.learning.rocchio import Factors

    wish = InterestsRequest(
        terms, _section_of(job).interests if job else None, Factors(alpha, beta, gamma), least
    )
    with _progress(quiet) as (report, tell):
        learned = run(source, wish, report, tell)
    if json:
        print_json(learned)
    else:
        sys.stdout.write(_as_toml(learned))


def rank(
    directory: Crawled,
    job: Annotated[
        Path | None,
        typer.Option(help="By the interests of this job, instead of those of the crawl's own."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many pages.")] = 20,
    soonest: Annotated[
        float, typer.Option(min=0.01, help="Days between two visits of the heaviest page.")
    ] = 1.0,
    latest: Annotated[
        float, typer.Option(min=0.01, help="Days between two visits of any page, at most.")
    ] = 30.0,
    due: Annotated[
        float | None,
        typer.Option(min=0, help="Only pages that are to be visited again within so many days."),
    ] = None,
    seeds: Annotated[
        bool, typer.Option("--seeds", help="Print the pages as seeds for a job.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List a crawl's pages by their weight against the interests, and how often each is worth a visit.

    Visits are as frequent as a page is heavy: half the weight, half as often. A crawl of the pages that are due, with
    --since, costs servers nothing for those that have not changed.

        toponaut interests rank april/ --limit 100
        toponaut interests rank april/ --due 7 --limit 1000 --seeds
    """
    from toponaut.strategy.learning.interests import rank as run

    if latest < soonest:
        raise InputError(
            f"--latest {latest:g} is sooner than --soonest {soonest:g}",
            "Give the longer time to --latest",
        )
    with _progress(quiet) as (_, tell):
        ranked = run(directory, _section_of(job) if job else None, (soonest, latest), tell)
    shown = [page for page in ranked if due is None or page.days <= due][:limit]
    if seeds:
        sys.stdout.write(_as_seeds(shown))
    elif json:
        for page in shown:
            print_json(page)
    else:
        _print_ranked(shown)


def _section_of(job: Path) -> "OrderingSection":
    """The part of a job that has interests. A job without any is no answer to where to find some."""
    from toponaut.job import load

    section = load(read_text(job), str(job)).ordering
    if not section.interests:
        raise InputError(
            f"{job} has no interests", "Add interests = { tehran = 2, iran = 4 } to its [ordering]"
        )
    return section


def _as_toml(learned: "InterestsResult") -> str:
    from toponaut.job.writing import to_toml

    pages = f"# Learned from {learned.relevant:,} relevant pages and {learned.others:,} others."
    interests = f"interests = {to_toml(learned.interests)}"
    return f'{pages}\n[ordering]\nstrategy = "interest"\n{interests}\n'


def _as_seeds(pages: list["RankedPage"]) -> str:
    from toponaut.job.writing import to_toml

    return "\n".join(["seeds = [", *(f"  {to_toml(page.url)}," for page in pages), "]"]) + "\n"


def _print_ranked(pages: list["RankedPage"]) -> None:
    table = Table("weight", "every", "page", "interests", box=None, header_style="bold")
    for page in pages:
        said = ", ".join(f"{term} {tf}x" for term, tf in list(page.terms.items())[:5])
        table.add_row(f"{page.weight:.3g}", f"{page.days:.1f} days", page.url, said)
    print_table(table)


@contextmanager
def _progress(
    quiet: bool,
) -> Iterator[tuple[Callable[[str, InputError], None], Callable[[int, int], None]]]:
    """A bar on standard error, and how to complain and to tell how far it is meanwhile."""
    console = Console(stderr=True)
    columns = (TextColumn("reading"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)

        def report(where: str, error: InputError) -> None:
            console.print(
                f"toponaut: {where}: {error}", markup=False, highlight=False, soft_wrap=True
            )

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report, tell


COMMANDS = (learn, rank)
