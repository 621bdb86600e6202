"""Commands for the index of a crawl: index, search."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from toponaut.api.crawls import open as open_crawl
from toponaut.cli.options import CrawlDirectory, Json, Quiet
from toponaut.cli.terminal import ProgressBar, make_console, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from rich.text import Text

    from toponaut.index import Hit, PlaceCandidate, QueryLocation, SearchAnswer
    from toponaut.index.query.organisations import OrganisationAnswer, OrganisationHit


def index(
    directory: CrawlDirectory,
    follow: Annotated[bool, Option("--follow", help="Continue until the crawl has ended.")] = False,
    workers: Annotated[
        int | None,
        Option(
            help="Indexing processes (0-256). 0 indexes in this process. On a cluster: tasks.",
            show_default="one per core on 4 cores and more",
        ),
    ] = None,
    cluster: Annotated[
        str,
        Option(
            help="Index on a Ray cluster: auto, ray://host:10001 or host:port. All machines must"
            " see DIRECTORY."
        ),
    ] = "",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a crawl searchable, or add what is new (works while it runs).

    The index is in the crawl's directory, under index/. It is built from the log alone, so
    deleting it loses nothing. Fewer than 5,000 new visits are indexed by one process. The index
    is the same however it was built.

        toponaut index oldenburg/
        toponaut index oldenburg/ --follow
        toponaut index /shared/oldenburg/ --cluster auto
        toponaut index s3://bucket/oldenburg --cluster ray://head:10001
    """
    crawl = open_crawl(directory)
    with _progress(directory, quiet or json) as bar:
        done = crawl.index(follow=follow, workers=workers, cluster=cluster, on_visits=bar.advance)
    if json:
        print_json(done)
        return
    kind = "tasks" if cluster else "processes"
    by = f"by {done.processes} {kind}" if done.processes > 1 else "by one process"
    print(
        f"{done.pages:,} pages added from {done.visits:,} visits in {done.seconds:.1f} s {by}: "
        f"{directory}/index"
    )


def search(
    directory: CrawlDirectory,
    query: Annotated[str, Argument(help='What and where: "pizza in lisbon".')],
    near: Annotated[
        str, Option(help='Where you are, as "LATITUDE,LONGITUDE", for "near me".')
    ] = "",
    place: Annotated[
        int | None,
        Option(help="Id of the place that is meant, from the alternatives. 0: words only."),
    ] = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, max=1000, help="Results to show.")] = 10,
    places: Annotated[
        bool, Option("--places", help="Show organisations at their addresses, not pages.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Search a crawl by what and where.

    Shows how the place was understood, and other places of that name. New pages are indexed first.

        toponaut search oldenburg/ "pizzeria oldenburg"
        toponaut search oldenburg/ "pizzeria oldenburg" --places
        toponaut search lisbon/ "hotels within 2 km of alfama"
        toponaut search houston/ "plumbers near me" --near 29.76,-95.37 --json
    """
    spot = _spot(near)
    make_searchable(directory, quiet or json)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # make_searchable() has printed why it did not update
        crawl = open_crawl(directory)
        find = crawl.organisations if places else crawl.search
        answer = find(query, near=spot, place=place, limit=limit).answer
    if json:
        print_json(answer)
    else:
        _print(answer)


def make_searchable(directory: Path, quiet: bool) -> None:
    """Adds what is new to the index, with a bar. If that fails, an existing index is used."""
    crawl = open_crawl(directory)
    with _progress(directory, quiet) as bar:
        crawl.make_searchable(
            bar.advance, lambda cause: print(f"toponaut: {cause}", file=sys.stderr)
        )


@contextmanager
def _progress(directory: Path, quiet: bool) -> Iterator[ProgressBar]:
    """A bar over the visits of the log, beginning at those already indexed."""
    from toponaut.crawl.directory import Directory
    from toponaut.index import index_folder, read_marker

    known = read_marker(index_folder(directory))
    with ProgressBar("Indexing", quiet) as bar:
        bar.update(known.visits if known else 0, Directory(directory).logs.summary().visits)
        yield bar


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


def _print(answer: "SearchAnswer | OrganisationAnswer") -> None:
    """For people. The index has removed control characters, so pages cannot act on terminals."""
    from rich.text import Text

    from toponaut.index import SearchAnswer

    console = make_console(160)
    console.print(_understood(answer))
    for line in _alternatives(answer):
        console.print(Text(line, style="dim"))
    if isinstance(answer, SearchAnswer):
        found = [_lines(number, hit, answer.where) for number, hit in enumerate(answer.hits, 1)]
    else:
        cards = enumerate(answer.organisations, 1)
        found = [_card(number, one, answer.where) for number, one in cards]
    for lines in found:
        console.print()
        for shown in lines:
            console.print(shown)
    if not found:
        console.print(f"Nothing found among {answer.pages:,} pages.")


def _away(km: float | None, where: "QueryLocation | None") -> str:
    """A distance, if the query asked for what is near."""
    from toponaut.index.query.hits import format_km

    return "" if km is None or where is None or where.manner == "in" else f"{format_km(km)} away"


def _card(number: int, one: "OrganisationHit", where: "QueryLocation | None") -> "list[Text]":
    from rich.text import Text

    from toponaut.index.query.hits import one_line

    name = one_line(one.organisation) or "(no name)"
    seen = f"last confirmed {one.last_seen:%Y-%m-%d}" if one.last_seen else ""
    sure = f"{one.confidence:.0%} sure"
    facts = (one.phone, one.hours, one.website, one.email, ", ".join(one.ids))
    pages = f"{one.pages:,} page{'s' * (one.pages != 1)}"
    known = " · ".join(one_line(fact) for fact in facts if fact)
    about = " · ".join(part for part in (sure, seen, pages, one.url) if part)
    return [
        Text.assemble((f"{number:>2}. ", "dim"), (name, "bold"), (f"   {one.category}", "dim")),
        Text(
            "    " + " · ".join(filter(None, (one.address, _away(one.distance_km, where)))),
            style="green",
        ),
        *([Text(f"    {known}")] if known else []),
        Text(f"    {about}", style="dim"),
    ]


def _understood(answer: "SearchAnswer | OrganisationAnswer") -> "Text":
    from rich.text import Text

    from toponaut.index import SearchAnswer

    what = Text(f'"{answer.what}"' if answer.what else "anything", style="bold")
    where = Text(f" {_place_in_words(answer.where)}" if answer.where else " anywhere")
    places = f"place{'s' * (answer.total != 1)} on the best pages of"
    counted = "of" if isinstance(answer, SearchAnswer) else places
    total = f"   {answer.total:,} {counted} {answer.pages:,} pages"
    return Text.assemble(what, where, (total, "dim"))


def _place_in_words(where: "QueryLocation") -> str:
    from toponaut.index.query.hits import format_km

    spot = f"{where.lat:.4f},{where.lon:.4f}"
    place = ", ".join(reversed(where.place.path)) if where.place else where.area or spot
    if where.spot:
        missing = "" if where.spot_found else " (no address is known there: centre of the city)"
        place = f"{where.spot}, {place}{missing}"
    if where.area:
        return f"in {where.area}"
    manner = f"within {format_km(where.radius_km)} of" if where.radius_km else where.manner.value
    return f"{manner} {place}"


def _alternatives(answer: "SearchAnswer | OrganisationAnswer") -> list[str]:
    lines = [answer.note] if answer.note else []
    if answer.others:
        lines.append("or: " + "; ".join(_other(one) for one in answer.others))
    if answer.as_words and answer.where:
        lines.append(f'or without a place: "{answer.query}" --place 0')
    return lines + [f"did you mean: {query}" for query in answer.did_you_mean]


def _other(meant: "PlaceCandidate") -> str:
    many = f"{meant.pages:,} page{'s' * (meant.pages != 1)}"
    return f"{', '.join(reversed(meant.path))} ({many}, --place {meant.id})"


def _lines(number: int, hit: "Hit", where: "QueryLocation | None") -> "list[Text]":
    from rich.text import Text

    extract = Text(hit.extract.text)
    for start, end in hit.extract.marks:
        extract.stylize("bold", start, end)
    lines = [
        Text.assemble((f"{number:>2}. ", "dim"), (hit.title, "bold")),
        Text(f"    {hit.url}", style="cyan"),
    ]
    found = [hit.organisation, hit.address, hit.phone]
    if hit.point is not None and (away := _away(hit.distance_km, where)):
        found.append(f"about {away}" if hit.point.is_area else away)
    if any(found):
        lines.append(Text("    " + " · ".join(part for part in found if part), style="green"))
    lines.append(Text.assemble("    ", extract))
    copies = f"{hit.copies:,} near cop{'y' if hit.copies == 1 else 'ies'} not shown"
    about = (" > ".join(hit.path), hit.captured[:10], hit.why, copies if hit.copies else "")
    lines.append(Text("    " + " · ".join(part for part in about if part), style="dim"))
    return lines


COMMANDS = (index, search)
