"""A crawl that another crawler made becomes one of ours: its WARCs go down the river from the page on.

    walk the records -> parse, find places, judge -> score links -> choose owners -> log

Steps 1 and 2 of the river (which link is next, and what its server answers) were another's; from there on it is node.py as in any
crawl. So all that reads a crawl reads this one, and `toponaut crawl` goes on where the other crawler stopped: links that it found
and did not fetch wait in the frontiers, rated by the job's ordering. What is archived is written anew, with an index, because
the bytes must be found by their place in the log, however the given WARCs are packed, and so that those can be moved or deleted.

What a WARC does not tell:
- **which link was followed.** That of the first earlier visit that links there (crawl/finders.py), whatever the job's ordering says.
  A page that nothing before it links to is taken as a seed.
- **which node fetched a page.** The one that the job's collaboration gave its URL to, as if the job's nodes had shared the crawl.
- **when it was to be fetched.** The promise of every visit is 0.

The crawl is made in DIR.adopting and gets its name when it is whole.
"""

import asyncio
import time as system_time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from shutil import rmtree

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from toponaut.crawl.assemble import Assembled
from toponaut.crawl.directory import Directory
from toponaut.crawl.finders import Finders
from toponaut.crawl.pools import check_workers, reading_workers
from toponaut.crawl.status import Snapshot, is_running, write_snapshot
from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.job import Job, load
from toponaut.log import read
from toponaut.node import Catch, Node
from toponaut.page.reading.reader import UnreadableError
from toponaut.page.reading.readers import Readers, readers_of
from toponaut.records import JudgedPage, Link, Outcome, Page, Response
from toponaut.store.disk import make_directory, sync_directory
from toponaut.timing import SimulatedTime
from toponaut.web.politeness.polite_fetcher import TurnResult
from toponaut.web.politeness.robots import robots_url
from toponaut.web.replay.warc_walk import BROKEN, WalkStep, WarcWalk

Say = Callable[[str], None]
Tell = Callable[[int, int, int], None]  # bytes read so far, bytes in all, pages so far

_Read = tuple[Response, JudgedPage | None]

_PAGES = (Outcome.FETCHED, Outcome.UNCHANGED)
_COMMIT_S = 1.0  # what is appended to the log waits in memory for so long
_SEAL_VISITS = 50_000  # a segment of the log: sealing takes some 0.2 ms a visit
# Answers for each reading process that are on the way: it never waits, and some are left for this one to read (reading/pool.py). On two
# cores a worker and this process took 7.7 s for 5,000 pages so, two workers with 4 each 8.6 (medians of six, by turns).
_AHEAD = 32


class Adopted(Struct, frozen=True):
    """What a crawl was made of."""

    directory: str
    visits: int
    pages: int
    relevant: int
    harvest: float
    addresses: int
    skipped: dict[str, int]  # records that are no visits, by reason

    def line(self) -> str:
        """The same in one line."""
        skipped = ", ".join(f"{why} {count:,}" for why, count in sorted(self.skipped.items()))
        figures = f"{self.pages:,} pages, {self.relevant:,} relevant ({self.harvest:.1%}), {self.addresses:,} addresses"
        return f"{self.directory}: {figures}; skipped: {skipped or 'nothing'}."


def adopt(
    warcs: list[Path],
    directory: Path,
    text: str,
    name: str,
    *,
    workers: int | None = 0,
    say: Say = lambda _: None,
    tell: Tell = lambda *_: None,
) -> Adopted:
    """Makes a crawl of WARCs, judged by a job (its text, and its file's name for messages), in a new directory. `workers`: None for one
    for each core but one."""
    job = load(text, name)
    check_workers(workers, "Give 0 to read in this process")
    root = directory.absolute()
    if root.exists():
        raise InputError(f"{directory} exists", "Name a directory that is to be made")
    walk = WarcWalk(list(dict.fromkeys(warcs)), job.limits)
    draft = Directory(root.with_name(f"{root.name}.adopting"))
    _clear(draft)
    try:
        make_directory(root.parent)
        adopted = uvloop.run(
            _Adoption(draft, job, walk, say, tell).run(text, reading_workers(workers))
        )
        draft.root.rename(root)
        sync_directory(root.parent)
    except OSError as error:
        cause = (
            f"{error.filename or directory} cannot be read or written ({error.strerror or error})"
        )
        raise InputError(
            cause, "Nothing was made: mend that and give the same command again"
        ) from error
    finally:
        rmtree(draft.root, ignore_errors=True)
    return replace(adopted, directory=str(directory))


def _clear(draft: Directory) -> None:
    """Removes what a run that was killed has left."""
    if is_running(draft):
        raise InputError(f"{draft.root} is being made", "Wait for that, or name another directory")
    rmtree(draft.root, ignore_errors=True)


class _Adoption:
    """One run."""

    def __init__(
        self, directory: Directory, job: Job, walk: WarcWalk, say: Say, tell: Tell
    ) -> None:
        self._directory, self._job, self._walk, self._say, self._tell = (
            directory,
            job,
            walk,
            say,
            tell,
        )
        self._strategies = Strategies(job, directory.given)
        self._seed_score = self._strategies.ordering.seed().score
        self._skipped: Counter[str] = Counter()

    async def run(self, text: str, workers: int) -> Adopted:
        directory = self._directory
        async with AsyncExitStack() as stack:
            stack.enter_context(directory.open(text, self._job))
            self._strategies.keep_files()
            self._readers: Readers = await readers_of(self._job, workers)
            stack.push_async_callback(self._readers.close)
            # Visits have the times of their records: the crawl's own stands still.
            self._parts = Assembled(
                directory, self._strategies, self._walk, self._readers, SimulatedTime(), self._say
            )
            self._finders = Finders(directory.state / "finders")
            self._committed = system_time.monotonic()
            self._take_seeds()
            try:
                await self._flow(_AHEAD * workers)
                self._refuse_nothing()
                self._parts.log.seal()
            except BaseException:
                with suppress(
                    OSError, InputError
                ):  # it is the first error that counts, and all goes anyway
                    self._parts.close(settled_all=False)
                raise
            self._parts.close(settled_all=True)
            rmtree(directory.state / "finders")
            write_snapshot(
                directory, Snapshot(self._parts.progress(), "all records of the WARCs were read")
            )
        totals = self._parts.totals
        figures = (
            totals.visits,
            totals.pages,
            totals.relevant,
            round(totals.harvest, 4),
            totals.addresses,
        )
        return Adopted("", *figures, dict(self._skipped))

    async def _flow(self, ahead: int) -> None:
        """Pages are read by many processes, and settled in the order of the records."""
        under_way: deque[tuple[WalkStep, asyncio.Task[_Read]]] = deque()
        try:
            for walked in self._walk:
                if why := _unwanted(walked):
                    self._skip(walked, why)
                if why or walked.fetched is None:
                    continue
                under_way.append((walked, asyncio.ensure_future(self._read(walked.fetched))))
                if len(under_way) > ahead:
                    await self._settle(*under_way.popleft())
            while under_way:
                await self._settle(*under_way.popleft())
        finally:
            for _, task in under_way:
                task.cancel()

    def _skip(self, walked: WalkStep, why: str) -> None:
        self._skipped[why] += 1
        if why == BROKEN:
            self._say(
                f"{walked.file}, byte {walked.offset:,}: a record is skipped, because it is broken ({walked.detail})"
            )

    async def _read(self, fetched: Response) -> _Read:
        if fetched.outcome not in _PAGES:
            return fetched, None
        try:
            return fetched, await self._readers.read(fetched)
        except UnreadableError as error:
            return replace(fetched, outcome=Outcome.UNREADABLE, detail=str(error)), None

    async def _settle(self, walked: WalkStep, reading: asyncio.Task[_Read]) -> None:
        """All that the river does with an answer, once it is read."""
        fetched, judged = await reading
        if judged is not None:
            fetched = replace(fetched, detail=f"byte {walked.offset:,} of {walked.file}")
        queued = self._finders.queued(fetched.url, self._seed_score)
        node = self._node_of(fetched.url)
        node.frontier.mark_taken([fetched.url])
        for visit in node.settle(Catch(queued, TurnResult(fetched, 0.0), fetched, judged)):
            self._parts.count(node, visit)
            self._finders.add(visit)
        self._tell(walked.end, self._walk.size, self._parts.totals.pages)
        self._commit()

    def _node_of(self, url: str) -> Node:
        """The node that was given a URL; if none was, the one that is given it as a seed."""
        nodes = self._parts.nodes
        if len(nodes) == 1:
            return nodes[0]
        holder = next((node for node in nodes if node.frontier.holds([url])[0]), None)
        if holder is not None:
            return holder
        owner = self._strategies.collaboration.assign(JudgedPage(Page("")), [Link(url, "")])[
            0
        ].owners[0]
        return next(node for node in nodes if node.name == owner)

    def _take_seeds(self) -> None:
        """The job's seeds are in the log already: what is a seed is found by that."""
        self._parts.log.sync()
        for visit in read(self._parts.log.directory):
            self._finders.add(visit)

    def _commit(self) -> None:
        now, log = system_time.monotonic(), self._parts.log
        if now - self._committed >= _COMMIT_S:
            if self._parts.archive:
                self._parts.archive.sync()
            log.sync()
            self._committed = now
        if not log.written % _SEAL_VISITS:
            log.seal()

    def _refuse_nothing(self) -> None:
        if self._parts.totals.visits == len(
            self._parts.totals.outcomes.keys() & {Outcome.SEEDED.value}
        ):
            told = ", ".join(f"{why} {count:,}" for why, count in sorted(self._skipped.items()))
            raise InputError(
                f"no answer of a web server is in the WARCs (skipped: {told or 'nothing'})",
                "Name WARCs with pages of the types in limits.content_types",
            )


def _unwanted(walked: WalkStep) -> str:
    """Why an answer is none of a crawl's visits; "" if it is one."""
    url = walked.fetched.url if walked.fetched else ""
    return "robots.txt" if url and url == robots_url(url) else walked.skipped
