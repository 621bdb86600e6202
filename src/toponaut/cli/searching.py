"""Commands around the index of a crawl: index, search."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from toponaut.cli.terminal import Crawled, Json, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:  # commands import what they need themselves: `toponaut --help` takes 0.1 s
    from toponaut.crawl.indexing import Tell
    from toponaut.index import Answer, Hit, Meant, Where


def index(
    directory: Crawled,
    follow: Annotated[bool, typer.Option(help="Go on until the crawl has ended.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that make it, up to 256; 0: this one. On a cluster: tasks at once.",
            show_default="one for each core, from four on",
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help="Make it on a Ray cluster: auto, ray://host:10001 or host:port. All of it must see DIRECTORY."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Make a crawl searchable, or add what is new since the last time; also while it runs.

    The index is kept in the crawl's directory under index/ and made from the log alone: deleting it loses nothing. Where fewer than
    5,000 visits are new, and for what comes while it follows, one process is enough. It is the same index, whoever makes it.

        toponaut index oldenburg/
        toponaut index oldenburg/ --follow
        toponaut index /shared/oldenburg/ --cluster auto
        toponaut index s3://bucket/oldenburg --cluster ray://head:10001
    """
    from toponaut.crawl.directory import Directory
    from toponaut.crawl.indexing import bring_up
    from toponaut.crawl.pools import pool_for

    crawled = Directory(directory)
    crawled.read_job()
    with pool_for(crawled, workers, cluster) as pool, _bar(directory, json) as tell:
        done = bring_up(directory, tell, follow, pool)
    if json:
        print_json(done)
        return
    by = (
        f"by {done.processes} {'tasks' if cluster else 'processes'}"
        if done.processes > 1
        else "by one process"
    )
    print(
        f"{done.pages:,} pages added from {done.visits:,} visits in {done.seconds:.1f} s {by}: {directory}/index"
    )


def search(
    directory: Crawled,
    query: Annotated[str, typer.Argument(help='What and where: "pizza in lisbon".')],
    near: Annotated[
        str, typer.Option(help='Where you are, as "LATITUDE,LONGITUDE", for "near me".')
    ] = "",
    place: Annotated[
        int | None,
        typer.Option(
            help="The id of a place, chosen by hand from the alternatives; 0: words only."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Hits to show.")
    ] = 10,
    json: Json = False,
) -> None:
    """Search a crawl by what and where. The place that was understood is shown, with the others of its name.

    What the crawl has added since the last time is indexed first.

    toponaut search oldenburg/ "pizzeria oldenburg"
    toponaut search lisbon/ "hotels within 2 km of alfama"
    toponaut search houston/ "plumbers near me" --near 29.76,-95.37 --json
    """
    from toponaut.crawl.indexing import index_folder
    from toponaut.index import Question, Search
    from toponaut.places.gazetteer.cache import open_names

    question = Question(query, _spot(near), place, limit=limit)
    make_searchable(directory, quiet=json)
    answer = Search(index_folder(directory), open_names()).ask(question)
    if json:
        print_json(answer)
    else:
        _print(answer)


def make_searchable(directory: Path, quiet: bool) -> None:
    """Brings the index up to the log. What hinders that is told, and the index is asked as it is, if there is one."""
    from toponaut.crawl.directory import Directory
    from toponaut.crawl.indexing import is_behind, make_ready

    Directory(directory).read_job()
    if is_behind(directory):
        with _bar(directory, quiet) as tell:
            make_ready(directory, tell, lambda cause: print(f"toponaut: {cause}", file=sys.stderr))


@contextmanager
def _bar(directory: Path, quiet: bool) -> Iterator["Tell"]:
    """Shows on a terminal how far the index is; gives whom to tell of visits that were read."""
    from toponaut.crawl.directory import Directory
    from toponaut.crawl.indexing import index_folder
    from toponaut.index import read_marker

    Directory(directory).read_job()
    known = read_marker(index_folder(directory))
    total = Directory(directory).logs.summary().visits
    columns = (TextColumn("Indexing"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=total, completed=known.visits if known else 0)
        yield lambda visits: bar.advance(task, visits)


def _spot(text: str) -> tuple[float, float] | None:
    if not text:
        return None
    try:
        lat, lon = (float(part) for part in text.split(","))
    except ValueError:
        lat = lon = float("nan")
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise InputError(f'--near is "{text}"', "Give latitude and longitude: --near 53.14,8.21")
    return lat, lon


def _print(answer: "Answer") -> None:
    """For people. Text of pages has lost its control characters, so that it cannot act on the terminal."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(_understood(answer))
    for told in _alternatives(answer):
        console.print(Text(told, style="dim"))
    for number, hit in enumerate(answer.hits, 1):
        console.print()
        for line in _lines(number, hit):
            console.print(line)
    if not answer.hits:
        console.print(f"Nothing found among {answer.pages:,} pages.")


def _understood(answer: "Answer") -> Text:
    what = Text(f'"{answer.what}"' if answer.what else "anything", style="bold")
    where = Text(f" {_place_in_words(answer.where)}" if answer.where else " anywhere")
    return Text.assemble(what, where, (f"   {answer.total:,} of {answer.pages:,} pages", "dim"))


def _place_in_words(where: "Where") -> str:
    from toponaut.index.query.hits import km_in_words

    place = (
        ", ".join(reversed(where.place.path)) if where.place else f"{where.lat:.4f},{where.lon:.4f}"
    )
    if where.street:
        place = f"{where.street}, {place}" + (
            "" if where.street_found else " (the street is on no page: its city's middle)"
        )
    manner = f"within {km_in_words(where.radius_km)} of" if where.radius_km else where.manner.value
    return f"{manner} {place}"


def _alternatives(answer: "Answer") -> list[str]:
    told = [answer.note] if answer.note else []
    if answer.others:
        told.append("or: " + "; ".join(_other(one) for one in answer.others))
    if answer.as_words and answer.where:
        told.append(f'or without a place: "{answer.query}" --place 0')
    return told + [f"did you mean: {query}" for query in answer.did_you_mean]


def _other(meant: "Meant") -> str:
    many = f"{meant.pages:,} page{'s' * (meant.pages != 1)}"
    return f"{', '.join(reversed(meant.path))} ({many}, --place {meant.id})"


def _lines(number: int, hit: "Hit") -> list[Text]:
    from toponaut.index.query.hits import km_in_words

    extract = Text(hit.extract.text)
    for start, end in hit.extract.marks:
        extract.stylize("bold", start, end)
    lines = [
        Text.assemble((f"{number:>2}. ", "dim"), (hit.title, "bold")),
        Text(f"    {hit.url}", style="cyan"),
    ]
    said = [hit.organisation, hit.address, hit.phone]
    if hit.distance_km is not None and hit.point is not None:
        said.append(("about " if hit.point.is_area else "") + km_in_words(hit.distance_km))
    if any(said):
        lines.append(Text("    " + " · ".join(part for part in said if part), style="green"))
    lines.append(Text.assemble("    ", extract))
    under = " > ".join(hit.path)
    copies = (
        f" · {hit.copies:,} near cop{'y' if hit.copies == 1 else 'ies'} not shown"
        if hit.copies
        else ""
    )
    lines.append(
        Text(
            "    "
            + " · ".join(part for part in (under, hit.captured[:10], hit.why) if part)
            + copies,
            style="dim",
        )
    )
    return lines


COMMANDS = (index, search)
