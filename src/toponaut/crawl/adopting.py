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
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from shutil import rmtree

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from toponaut.crawl.assemble import LocalCrawl
from toponaut.crawl.commit import Committer
from toponaut.crawl.directory import Directory
from toponaut.crawl.finders import Finders
from toponaut.crawl.pools import check_workers, reading_workers
from toponaut.crawl.status import is_running
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job, load
from toponaut.log import read
from toponaut.node import FetchedLink, Node
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, Response
from toponaut.store.disk import make_directory, sync_directory
from toponaut.timing import SimulatedTime
from toponaut.web.politeness.polite_fetcher import TurnResult
from toponaut.web.politeness.robots import robots_url
from toponaut.web.replay.warc_walk import BROKEN, WalkStep, WarcWalk

Say = Callable[[str], None]
Tell = Callable[[int, int, int], None]  # bytes read so far, bytes in all, pages so far

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
        self._directory, self._job, self._walk = directory, job, walk
        self._say, self._tell = say, tell
        self._strategies = Strategies(job, directory.given)
        self._seed_score = self._strategies.ordering.seed().score
        self._skipped: Counter[str] = Counter()

    async def run(self, text: str, workers: int) -> Adopted:
        directory = self._directory
        async with AsyncExitStack() as stack:
            stack.enter_context(directory.open(text, self._job))
            self._strategies.keep_files()
            self._readers: Readers = await open_readers(self._job, workers)
            stack.push_async_callback(self._readers.close)
            # Visits have the times of their records, so simulated time never advances.
            self._crawl = LocalCrawl(
                directory, self._strategies, self._walk, self._readers, SimulatedTime(), self._say
            )
            self._committer = Committer(self._crawl, self._job.storage.seal_seconds)
            self._finders = Finders(directory.state / "finders")
            self._add_seeds()
            try:
                await self._adopt_all(_AHEAD * workers)
                self._refuse_nothing()
                self._committer.close("all records of the WARCs were read")
                self._crawl.log.seal()
            except BaseException:
                with suppress(OSError, InputError):  # the first error counts; the draft is deleted
                    self._committer.close()
                    self._crawl.close(settled_all=False)
                raise
            self._crawl.close(settled_all=True)
            rmtree(directory.state / "finders")
        totals = self._crawl.parts.totals
        return Adopted(
            "",
            totals.visits,
            totals.pages,
            totals.relevant,
            round(totals.harvest, 4),
            totals.addresses,
            dict(self._skipped),
        )

    async def _adopt_all(self, ahead: int) -> None:
        """Pages are read by many processes, and settled in the order of the records."""
        in_flight: deque[tuple[WalkStep, asyncio.Task[FetchedLink]]] = deque()
        try:
            for walked in self._walk:
                if why := _unwanted(walked):
                    self._skip(walked, why)
                if why or walked.fetched is None:
                    continue
                in_flight.append((walked, asyncio.ensure_future(self._read(walked.fetched))))
                if len(in_flight) > ahead:
                    await self._settle(*in_flight.popleft())
            while in_flight:
                await self._settle(*in_flight.popleft())
        finally:
            for _, task in in_flight:
                task.cancel()

    def _skip(self, walked: WalkStep, why: str) -> None:
        self._skipped[why] += 1
        if why == BROKEN:
            self._say(
                f"{walked.file}, byte {walked.offset:,}: "
                f"a record is skipped, because it is broken ({walked.detail})"
            )

    async def _read(self, response: Response) -> FetchedLink:
        """The link that led here is known only when all records before this one are settled."""
        unknown = QueuedLink(response.url, 0.0)
        return await self._crawl.nodes[0].read(unknown, TurnResult(response, 0.0))

    async def _settle(self, walked: WalkStep, reading: asyncio.Task[FetchedLink]) -> None:
        """Continue with step 6 of the river, once a page is read."""
        fetched = await reading
        response, url = fetched.response, fetched.queued.url
        if response is not None and fetched.judged is not None:
            response = replace(response, detail=f"byte {walked.offset:,} of {walked.file}")
        queued = self._finders.queued(url, self._seed_score)
        node = self._node_of(url)
        node.frontier.mark_taken([url])
        for visit in node.settle(replace(fetched, queued=queued, response=response)):
            self._finders.add(visit)
        self._tell(walked.end, self._walk.size, self._crawl.parts.totals.pages)
        self._committer.tick()

    def _node_of(self, url: str) -> Node:
        """The node that was given a URL; if none was, the node that would own it as a seed."""
        nodes = self._crawl.nodes
        if len(nodes) == 1:
            return nodes[0]
        holder = next((node for node in nodes if node.frontier.holds([url])[0]), None)
        if holder is not None:
            return holder
        assigned = self._strategies.collaboration.assign(JudgedPage(Page("")), [Link(url, "")])
        return next(node for node in nodes if node.name == assigned[0].owners[0])

    def _add_seeds(self) -> None:
        """The job's seeds are in the log already."""
        self._crawl.log.sync()
        for visit in read(self._crawl.log.directory):
            self._finders.add(visit)

    def _refuse_nothing(self) -> None:
        totals = self._crawl.parts.totals
        if totals.visits == len(totals.outcomes.keys() & {Outcome.SEEDED.value}):
            told = ", ".join(f"{why} {count:,}" for why, count in sorted(self._skipped.items()))
            raise InputError(
                f"no answer of a web server is in the WARCs (skipped: {told or 'nothing'})",
                "Name WARCs with pages of the types in limits.content_types",
            )


def _unwanted(walked: WalkStep) -> str:
    """Why an answer is none of a crawl's visits; "" if it is one."""
    url = walked.fetched.url if walked.fetched else ""
    return "robots.txt" if url and url == robots_url(url) else walked.skipped
