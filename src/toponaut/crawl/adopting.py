"""Turns WARC files of another crawler into a crawl: node.py runs on them from the page on.

    walk the records -> parse, find places, judge -> score links -> choose owners -> log

Everything that reads a crawl can read this one, and `toponaut crawl` continues where the other
crawler stopped: its unfetched links wait in the frontiers, rated by the job's ordering. Responses
are archived again with an index, because the log must find them however the WARC files are
compressed, and so that those files can be deleted.

A WARC file lacks:
- **the link that was followed**: the first earlier visit that links to a page (FirstLinks). A
  page without one counts as a seed.
- **the node that fetched a page**: the node that the job's collaboration gave the URL to.
- **the promise**: it is 0.

The crawl is made in DIR.adopting and renamed when it is complete.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from shutil import rmtree

import numpy as np
import uvloop
from msgspec import Struct
from msgspec.structs import replace

from toponaut.crawl.commit import Committer
from toponaut.crawl.directory import Directory
from toponaut.crawl.local_crawl import LocalCrawl
from toponaut.crawl.pools import check_workers, reading_workers
from toponaut.crawl.status import is_running
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.frontier.mapped import Columns
from toponaut.frontier.table import FingerprintTable
from toponaut.job import Job, load
from toponaut.job.targets import check_targets
from toponaut.log import read
from toponaut.node import Node
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, Response, Visit
from toponaut.store.disk import make_directory, sync_directory
from toponaut.timing import SimulatedTime
from toponaut.urls import fingerprint, host_of
from toponaut.web.politeness.polite_fetcher import FetchedLink, TurnResult
from toponaut.web.politeness.robots import robots_url
from toponaut.web.replay.warc_walk import BROKEN, WalkStep, WarcWalk

Say = Callable[[str], None]
Progress = Callable[[int, int, int], None]  # bytes read so far, bytes in total, pages so far

_AHEAD = 32  # responses per parser process: it never waits, and this process parses some, too


class AdoptionResult(Struct, frozen=True):
    """The figures of an adopted crawl."""

    directory: str
    visits: int
    pages: int
    relevant: int
    harvest: float
    addresses: int
    skipped: dict[str, int]  # records that are not visits, by reason

    def line(self) -> str:
        """The figures in one line."""
        skipped = ", ".join(f"{why} {count:,}" for why, count in sorted(self.skipped.items()))
        figures = (
            f"{self.pages:,} pages, {self.relevant:,} relevant ({self.harvest:.1%}), "
            f"{self.addresses:,} addresses found"
        )
        return f"{self.directory}: {figures}; skipped: {skipped or 'nothing'}."


def adopt(
    warcs: list[Path],
    directory: Path,
    text: str,
    name: str,
    *,
    workers: int | None = 0,
    say: Say = lambda _: None,
    progress: Progress = lambda *_: None,
) -> AdoptionResult:
    """Make a crawl of WARC files in a new directory.

    `text`, `name`: the content of the job file, and its name for messages. `workers`: None for one
    per core, except the crawler's own.
    """
    job = load(text, name)
    check_targets(open_gazetteer(), job, text, name)
    check_workers(workers, "Give 0 to read in this process")
    root = directory.absolute()
    if root.exists():
        raise InputError(f"{directory} exists", "Name a new directory")
    walk = WarcWalk(list(dict.fromkeys(warcs)), job.limits)
    draft = Directory(root.with_name(f"{root.name}.adopting"))
    _clear(draft)
    try:
        make_directory(root.parent)
        adopted = uvloop.run(
            _Adoption(draft, job, walk, say, progress).run(text, reading_workers(workers))
        )
        draft.root.rename(root)
        sync_directory(root.parent)
    except OSError as error:
        cause = (
            f"{error.filename or directory} cannot be read or written ({error.strerror or error})"
        )
        raise InputError(cause, "Nothing was made: fix the cause and repeat the command") from error
    finally:
        rmtree(draft.root, ignore_errors=True)
    return replace(adopted, directory=str(directory))


def _clear(draft: Directory) -> None:
    """Remove what a killed run has left."""
    if is_running(draft):
        raise InputError(f"{draft.root} is being made", "Wait for it, or name another directory")
    rmtree(draft.root, ignore_errors=True)


class _Adoption:
    """One run."""

    def __init__(
        self, directory: Directory, job: Job, walk: WarcWalk, say: Say, progress: Progress
    ) -> None:
        self._directory, self._job, self._walk = directory, job, walk
        self._say, self._progress = say, progress
        self._strategies = Strategies(job, directory.given)
        self._seed_score = self._strategies.ordering.seed().score
        self._skipped: Counter[str] = Counter()

    async def run(self, text: str, workers: int) -> AdoptionResult:
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
            self._first_links = FirstLinks(directory.state / "first-links")
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
            rmtree(directory.state / "first-links")
        totals = self._crawl.parts.totals
        return AdoptionResult(
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
                f"{walked.file}, byte {walked.offset:,}: skipped a broken record ({walked.detail})"
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
        queued = self._first_links.queued(url, self._seed_score)
        node = self._node_of(url)
        node.frontier.mark_taken([url])
        for visit in node.settle(replace(fetched, queued=queued, response=response)):
            self._first_links.add(visit)
        self._progress(walked.end, self._walk.size, self._crawl.parts.totals.pages)
        self._committer.tick()

    def _node_of(self, url: str) -> Node:
        """The node that was given a URL; if none was, the node that would own it as a seed."""
        nodes = self._crawl.nodes
        if len(nodes) == 1:
            return nodes[0]
        holder = self._crawl.parts.exchange.holdings([url], [fingerprint(url)])[0].node
        if holder:
            return next(node for node in nodes if node.name == holder)
        assigned = self._strategies.collaboration.assign(JudgedPage(Page("")), [Link(url, "")])
        return next(node for node in nodes if node.name == assigned[0].owners[0])

    def _add_seeds(self) -> None:
        """The job's seeds are in the log already."""
        self._crawl.log.sync()
        for visit in read(self._crawl.log.directory):
            self._first_links.add(visit)

    def _refuse_nothing(self) -> None:
        totals = self._crawl.parts.totals
        if totals.visits == len(totals.outcomes.keys() & {Outcome.SEEDED.value}):
            reasons = ", ".join(f"{why} {count:,}" for why, count in sorted(self._skipped.items()))
            raise InputError(
                "the WARC files hold no response of a web server "
                f"(skipped: {reasons or 'nothing'})",
                "Name WARC files with pages of the types in limits.content_types",
            )


def _unwanted(walked: WalkStep) -> str:
    """Why a record is not a visit; "" if it is one."""
    url = walked.fetched.url if walked.fetched else ""
    return "robots.txt" if url and url == robots_url(url) else walked.skipped


_COLUMNS = {"host": "Q", "hops": "I", "depth": "I", "score": "d"}  # a visit passes on to its links


class FirstLinks:
    """The first link to each URL: the path of a crawl of which only the pages are known.

    A crawl has many more links than pages, so they are in mapped files, 17 to 34 bytes each.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        # fingerprint -> sequence of the visit + 1; 0: no page links to it
        self._first = FingerprintTable(directory, "first")
        self._visits = Columns(directory, "visits", _COLUMNS)

    def queued(self, url: str, score: float) -> QueuedLink:
        """A URL as the first link to it; without one, it counts as a seed with this score."""
        mark = fingerprint(url)
        first = self._first.get(mark)
        if first is None:
            self._note(np.array([mark], np.uint64), 0)
        if not first:
            return QueuedLink(url, 0.0, score=score)
        row, views = first - 1, self._visits.views
        depth = views["depth"][row] if views["host"][row] == fingerprint(host_of(url)) else 0
        score_there = float(self._visits.arrays["score"][row])
        return QueuedLink(
            url, 0.0, depth=depth, hops=views["hops"][row], found_by=row, score=score_there
        )

    def add(self, visit: Visit) -> None:
        """Add the links of a visit."""
        self._visits.reserve(visit.sequence + 1)
        # Links of a redirect and seeds are not one link further.
        step = visit.outcome not in (Outcome.REDIRECT, Outcome.SEEDED)
        row, arrays = visit.sequence, self._visits.arrays
        arrays["host"][row] = fingerprint(host_of(visit.url)) if visit.url else 0
        arrays["hops"][row], arrays["depth"][row] = visit.hops + step, visit.depth + step
        # Strategies pass the same score on to all links.
        arrays["score"][row] = visit.links[0].score if visit.links else 0.0
        urls = (*(link.url for link in visit.links), *(link.url for link in visit.refused))
        marks = np.fromiter((*map(fingerprint, urls), *visit.known), np.uint64)
        self._note(np.unique(marks), visit.sequence + 1)

    def _note(self, marks: "np.ndarray[tuple[int], np.dtype[np.uint64]]", first: int) -> None:
        new = marks[~self._first.find(marks)[0]]
        self._first.reserve(len(new))
        self._first.put(new, np.full(len(new), first, np.uint32))
