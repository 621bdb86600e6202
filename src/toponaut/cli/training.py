"""Commands that teach strategies: train."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from toponaut.cli.terminal import Json, crawl_at, print_json, read_text

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.errors import InputError
    from toponaut.strategy.learning.training import TrainingResult


def train(
    source: Annotated[
        Path,
        typer.Argument(
            help="A labelled list (URL or file, tab, place) or the directory of a crawl.",
            parser=crawl_at,
            metavar="source",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where to write the model.")],
    job: Annotated[
        Path | None,
        typer.Option(
            help="A job whose targets are the places to tell apart, instead of the source's own."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    json: Json = False,
) -> None:
    """Train the classifier that gives links to nodes by the words of their page (collaboration.strategy "classifier").

    A list has a line for each page: a URL (it is fetched) or a file, folder or WARC (relative to the list), a tab, and
    the place that it is about: a name as in a job, a GeoNames id, or - for none. Of a crawl the addresses tell what a
    page is about.

    A model serves any job: it knows places, and the job says which node answers for which. Name it there:
    collaboration.model.

        toponaut train cities.tsv --out cities.model
        toponaut train oldenburg/ --out oldenburg.model --json
    """
    from toponaut.job import load
    from toponaut.strategy.learning.training import train as run

    wanted = load(read_text(job), str(job)) if job else None
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("reading", total=None)

        def report(where: str, error: "InputError") -> None:
            console.print(
                f"toponaut: {where}: {error}", markup=False, highlight=False, soft_wrap=True
            )

        def tell(done: int, total: int) -> None:
            bar.update(
                task,
                completed=done,
                total=total,
                description="reading" if done < total else "learning",
            )

        trained = run(source, out, wanted, report, tell)
    if json:
        print_json(trained)
    else:
        sys.stdout.write(_in_words(out, trained))


def _in_words(out: Path, trained: "TrainingResult") -> str:
    lines = [f"{out}: {sum(trained.pages.values()):,} pages, {trained.words:,} words"]
    wide = max(map(len, trained.pages))
    lines += [f"  {name:<{wide}}  {pages:>7,}" for name, pages in trained.pages.items()]
    if trained.accuracy is None:
        lines.append("too few pages to put some aside and see how good it is")
    else:
        lines.append(
            f"of pages put aside {trained.accuracy:.1%} are put right (saying always the same: {trained.largest:.1%})"
        )
    return "\n".join(lines) + "\n"


COMMANDS = (train,)
