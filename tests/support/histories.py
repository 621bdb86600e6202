"""Crawls for the tests of the index: the same pages in one log or in several, captured once or
again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from tests.support.crawling import job
from tests.support.towns import visit

from toponaut.index.query.reader import IndexReader, Query
from toponaut.job import render
from toponaut.log import MAIN, LogWriter, begin
from toponaut.log.epochs import epochs
from toponaut.page.processes import Item, Result
from toponaut.records import Visit
from toponaut.store import FolderStore


class Here:
    """A pool that is this process."""

    def __init__(self, processes: int, elsewhere: bool = False) -> None:
        self.processes, self.elsewhere = processes, elsewhere

    def run(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result]]:
        for number in reversed(range(len(items))):  # in another order than they were given
            yield number, function(items[number])


class Event(Struct, frozen=True):
    """A visit that a log takes down, with a stamp; its sequence is the next there."""

    log: str  # MAIN or the name of an actor
    stamp: float
    visit: Visit
    seal: bool = False  # the log, after it


def write(root: Path, events: Sequence[Event]) -> Path:
    """Adds events to the logs of a crawl's directory, each log to its own."""
    root.mkdir(exist_ok=True)
    (root / "job.toml").write_text(render(job(["http://a.test/"])), encoding="utf-8")
    logs = root / "log"
    with ExitStack() as stack:
        writers: dict[str, LogWriter] = {}
        for event in events:
            if event.log not in writers:
                writers[event.log] = stack.enter_context(_writer(logs, event.log))
            log = writers[event.log]
            log.append(replace(event.visit, sequence=log.written, stamp=event.stamp))
            if event.seal:
                log.seal()
    return root


MANY = 6000  # visits: fewer would be left to one process


def two_lives(root: Path) -> Path:
    """A crawl of this many visits, all sealed, in the logs of two lives, which captured some pages
    both.
    """
    pages = [
        visit(0, f"http://{k % 5500}.test/", "Pizza in Lisbon", title=f"Page {k}")
        for k in range(MANY)
    ]
    events = [
        Event("north" if k % 3 else "south", float(k), one, k % 2000 > 1995)
        for k, one in enumerate(pages)
    ]
    return write(root, events)


def _writer(logs: Path, name: str) -> LogWriter:
    if name == MAIN:
        return LogWriter(logs, MAIN)
    known = (one for one in epochs(FolderStore(logs)) if one.actor == name)
    epoch = next(known, None) or begin(FolderStore(logs), name, now=0.0)
    return LogWriter(logs, epoch.log, epoch.first)


def held(index: Path) -> dict[str, tuple[str, float]]:
    """The pages of an index: what their documents show, and the time that the table has under their
    numbers.
    """
    reader = IndexReader(index)
    found = reader.find(Query.all_query(), 10_000)
    assert len(found.numbers) == len(set(found.numbers.tolist())) == reader.pages
    shown = [reader.document(address)[0] for address in found.addresses]
    times = reader.table.time[found.numbers].tolist()
    held = {one.url: (one.title, time) for one, time in zip(shown, times, strict=True)}
    assert len(held) == reader.pages
    assert [one.time for one in shown] == times
    return held
