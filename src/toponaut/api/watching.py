"""Watching a crawl: its options, and the changes that it found."""

import time
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toponaut.api.crawls import Crawl, outside_loops
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.watch.changes import Change
    from toponaut.watch.feeds import ChangeFilter
    from toponaut.watch.place_explained import PlaceExplanation


def watch(
    directory: str | PathLike[str],
    *,
    requests_per_day: int | None = None,
    days: float = 0.0,
    post: str = "",
    replay: Sequence[str | PathLike[str]] = (),
    synthetic: int | None = None,
    workers: int | None = None,
    progress: bool | Literal["json"] = False,
    alert: str = "",
    log_json: str | PathLike[str] | None = None,
) -> Crawl:
    """Visit the pages of a crawl again, and new ones, within a daily budget.

    It returns when it is interrupted, or after `days`. `post` is a URL that gets each change.
    `replay` are dated archives of the same sites, instead of the live web; `synthetic` the seed of
    a synthetic web that changes. The other options are those of `crawl`.
    """
    from toponaut.crawl.start import View, start_watch

    view: View = "json" if progress == "json" else "live" if progress else "none"
    end = outside_loops(
        lambda interrupts: start_watch(
            Path(directory),
            requests_per_day=requests_per_day,
            days=days,
            post=post,
            replay=[Path(one) for one in replay],
            synthetic=synthetic,
            workers=workers,
            view=view,
            alert=alert,
            log_json=Path(log_json) if log_json else None,
            interrupts=interrupts,
        )
    )
    return Crawl(directory, end)


def changes_of(
    root: Path, since: str = "", kinds: Sequence[str] = (), place: str = "", category: str = ""
) -> "list[Change]":
    """The changes in the log of a crawl that are wanted, in order."""
    from toponaut.crawl.directory import Directory
    from toponaut.watch.feeds import ChangeReader

    directory = Directory(root)
    directory.read_job()
    found = list(ChangeReader(directory.logs).read())
    wanted = change_filter(since, kinds, place, category, present_of(found))
    return [change for change in found if wanted.wants(change)]


def place_history(root: Path, id: str) -> "PlaceExplanation":
    """The history of a place, by its id in exports and changes: facts over time, with proof."""
    from toponaut.crawl.directory import Directory
    from toponaut.watch.place_explained import explain_place

    return explain_place(Directory(root).logs, id)


def present_of(found: "Sequence[Change]") -> float:
    """The present; on a replayed web the moment of the last change."""
    from toponaut.timing import is_simulated

    last = found[-1].time if found else time.time()
    return last if is_simulated(last) else time.time()


def change_filter(
    since: str, kinds: Sequence[str], place: str, category: str, now: float
) -> "ChangeFilter":
    """Which changes are wanted. Unknown kinds, places and dates are InputErrors."""
    from toponaut.watch.changes import ChangeKind
    from toponaut.watch.feeds import ChangeFilter, since_time

    known = {str(kind) for kind in ChangeKind}
    for kind in kinds:
        if kind not in known:
            raise InputError(f'"{kind}" is no kind of change', f"Give one of {', '.join(known)}")
    inside = _inside(place) if place else None
    return ChangeFilter(since_time(since, now), frozenset(kinds), category, inside)


def _inside(name: str) -> "Callable[[int], bool]":
    """Whether a place of the gazetteer is in the named one."""
    from toponaut.job.targets import find_place
    from toponaut.places.containment import rows_inside
    from toponaut.places.gazetteer.cache import open_gazetteer

    gazetteer = open_gazetteer()
    rows = rows_inside(gazetteer, [gazetteer.row(find_place(gazetteer, name).id)])

    def holds(place: int) -> bool:
        try:
            return bool(rows[gazetteer.row(place)])
        except KeyError:
            return False

    return holds
