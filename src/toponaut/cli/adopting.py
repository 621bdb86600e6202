"""The command that takes another crawler's pages over: adopt."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from toponaut.cli.terminal import print_json, read_text


def adopt(
    warcs: Annotated[
        list[Path],
        typer.Argument(help="WARC or WACZ files of any crawler, in the order of their making."),
    ],
    directory: Annotated[Path, typer.Argument(help="The crawl to make. It must not exist.")],
    job: Annotated[
        Path, typer.Option(help="The job file, for its targets; see `toponaut job --example`.")
    ],
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that read pages beside this one, up to 256; 0: it reads all.",
            show_default="one for each other core",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object at the end.")] = False,
) -> None:
    """Make a crawl of WARCs that another crawler wrote: Heritrix, wget, Browsertrix, Scrapy, or our own.

    Every answer is a visit, in the order of the records, judged by the job. Then measure, status and explain work as on any crawl,
    and `toponaut crawl` goes on with it. The WARCs are only read.

        toponaut adopt heritrix/*.warc.gz theirs/ --job oldenburg.toml
        toponaut measure theirs/ --against ours/
        toponaut crawl oldenburg.toml theirs/
    """
    from toponaut.crawl.adopting import adopt as run

    console = Console(stderr=True, highlight=False)
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    hidden = quiet or json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int, pages: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{pages:,} pages")

        def say(line: str) -> None:
            bar.console.print(f"toponaut: {line}", markup=False, soft_wrap=True)

        adopted = run(
            warcs, directory, read_text(job), str(job), workers=workers, say=say, tell=tell
        )
    if json:
        print_json(adopted)
    else:
        print(adopted.line())


COMMANDS = (adopt,)
