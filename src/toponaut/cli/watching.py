"""Commands that come back to pages: watch, changes."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from toponaut.api.crawls import Crawl
from toponaut.api.watching import watch as run_watch
from toponaut.cli.crawling import print_end
from toponaut.cli.options import (
    CrawlDirectory,
    Json,
    JsonEachSecond,
    LastLineOnly,
    LogJson,
    Synthetic,
    Workers,
)
from toponaut.cli.terminal import print_json
from toponaut.errors import InputError

Post = Annotated[
    str, Option(metavar="URL", help="Send each change to this URL by POST, with retries.")
]


def watch(
    directory: CrawlDirectory,
    requests_per_day: Annotated[
        int | None,
        Option(min=1, help="Requests in a day.", show_default="watch.requests_per_day of the job"),
    ] = None,
    days: Annotated[float, Option(min=0, help="Stop after so many days. 0: never.")] = 0.0,
    post: Post = "",
    replay: Annotated[
        list[Path] | None,
        Option(help="Watch dated archives of the same sites; repeat it, the oldest first."),
    ] = None,
    synthetic: Synthetic = None,
    workers: Workers = None,
    alert: Annotated[str, Option(help="Shell command or URL for alerts, as for crawl.")] = "",
    log_json: LogJson = None,
    quiet: LastLineOnly = False,
    json: JsonEachSecond = False,
) -> None:
    """Keep a crawl fresh: visit its pages again, and new ones, within a daily budget.

    Important pages that change often are visited most, and none is forgotten. It never ends by
    itself: Ctrl-C stops it, the same command continues. `toponaut changes` lists what it found;
    `toponaut status` shows budget, staleness and the next visits.

        toponaut watch oldenburg/ --requests-per-day 2000
        toponaut watch oldenburg/ --post https://maps.example/changes
        toponaut watch oldenburg/ --replay april/ --replay may/
    """
    watched = run_watch(
        directory,
        requests_per_day=requests_per_day,
        days=days,
        post=post,
        replay=tuple(replay or ()),
        synthetic=synthetic,
        workers=workers,
        alert=alert,
        log_json=log_json,
        progress="json" if json else not quiet,
    )
    assert watched.end is not None
    print_end(watched.end, directory, json)


def changes(
    directory: CrawlDirectory,
    since: Annotated[
        str, Option(help="Only changes since a date (2026-11-02) or some days ago (7d).")
    ] = "",
    format: Annotated[str, Option("--format", "-f", help="text, jsonl, geojson or atom.")] = "text",
    kind: Annotated[
        list[str] | None,
        Option(help='Only such changes: "closed", "moved", "appeared"; repeat it for several.'),
    ] = None,
    place: Annotated[str, Option(help='Only in a place, by name or id: "Lisbon, Portugal".')] = "",
    category: Annotated[str, Option(help='Only of a category: "restaurant".')] = "",
    post: Post = "",
    json: Json = False,
) -> None:
    """List what has changed: places that appeared, moved, closed; phones, hours, pages.

    Each change has a stable id, its evidence (page, time, record in the archive), the values before
    and after, and a confidence. With --post, changes that were sent before are not sent again.

        toponaut changes oldenburg/ --since 7d
        toponaut changes oldenburg/ --kind closed -f geojson
        toponaut changes oldenburg/ --post https://maps.example/changes
    """
    from toponaut.watch.feeds import WRITERS

    if format not in WRITERS:
        raise InputError(f'--format is "{format}"', f"Give one of {', '.join(WRITERS)}")
    found = Crawl(directory).changes(since=since, kinds=kind or (), place=place, category=category)
    if post:
        from toponaut.watch.delivery import post_changes

        sent = post_changes(directory, post, found)
        print_json({"sent": sent}) if json else print(f"{sent:,} changes sent to {post}")
        return
    for part in WRITERS["jsonl" if json else format](found):
        sys.stdout.write(part)


COMMANDS = (watch, changes)
