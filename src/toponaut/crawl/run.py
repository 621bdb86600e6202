"""A crawl on one machine: start or resume, drive the nodes, commit every second, stop."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from toponaut.crawl.commit import TICK_S, Committer
from toponaut.crawl.control import ControlFolder
from toponaut.crawl.directory import LOG, Directory, cannot_write
from toponaut.crawl.drive import Drive, LiveDrive, OrderedDrive
from toponaut.crawl.limits import JobLimits
from toponaut.crawl.local_crawl import LocalCrawl
from toponaut.crawl.operator import CrawlOperator
from toponaut.crawl.process import STOPPING, Interrupts, collecting_seldom
from toponaut.crawl.progress import Progress
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.log import DamagedLogError, directory_of, salvage
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.records import Record
from toponaut.timing import LiveTime, SimulatedTime
from toponaut.watch.plan import WatchPlan
from toponaut.web.fetch import Fetcher

INTERRUPTED = "it was interrupted"
INTERRUPTED_TWICE = "it was interrupted twice; the requests in flight are repeated on resuming"


class CrawlEnd(Record, frozen=True):
    """Why a crawl stopped, and its progress."""

    why: str
    interrupted: bool
    progress: Progress

    def line(self, directory: Path | str) -> str:
        """The end in one line."""
        done = self.progress
        figures = (
            f"{done.pages:,} pages, {done.relevant:,} relevant ({done.harvest:.1%}), "
            f"{done.addresses:,} addresses found"
        )
        waiting = f"{done.queued:,} link{'' if done.queued == 1 else 's'} waiting"
        return f"{directory}: stopped because {self.why}. {figures}, {waiting}."


Watch = Callable[[Callable[[], Progress]], None]  # called once, with a function for the progress


class CrawlRun:
    """One run of a crawl in a directory."""

    def __init__(
        self,
        root: Path,
        text: str,
        job: Job,
        workers: int,
        web: Fetcher,
        *,
        watch: Watch,
        say: Callable[[str], None],
        interrupts: Interrupts | None = None,
        readers: Readers | None = None,
        plan: WatchPlan | None = None,
    ) -> None:
        self._directory, self._text, self._job = Directory(root), text, job
        self._workers, self._web = workers, web
        self._watch, self._say, self._interrupts = watch, say, interrupts or Interrupts()
        self._interrupted = False
        self._readers = readers  # instead of `workers` processes
        self._plan = plan  # of a watch

    async def run(self) -> CrawlEnd:
        """Start or resume; return when nothing is left to fetch or a limit is reached."""
        async with AsyncExitStack() as stack:
            stack.callback(self._interrupts.detach)
            stack.push_async_callback(self._web.close)
            strategies = Strategies(self._job, self._directory.given)
            stack.enter_context(self._directory.open(self._text, self._job))
            strategies.keep_files()
            readers = self._readers or await open_readers(self._job, self._workers)
            stack.push_async_callback(readers.close)
            try:
                crawl = self._open(strategies, readers)
                if crawl.parts.registrants:
                    stack.push_async_callback(crawl.parts.registrants.close)
                if crawl.parts.renderer:
                    stack.push_async_callback(crawl.parts.renderer.close)
                with collecting_seldom():
                    return await self._drive(crawl)
            except OSError as error:
                raise cannot_write(error, self._directory.root) from error

    def _open(self, strategies: Strategies, readers: Readers) -> LocalCrawl:
        """Open the crawl; if the log is damaged, with what is readable of it."""
        time = LiveTime() if self._web.live else SimulatedTime()
        try:
            return LocalCrawl(
                self._directory, strategies, self._web, readers, time, self._say, self._plan
            )
        except DamagedLogError:
            lost = salvage(directory_of(self._directory.log, LOG))
            if not lost:
                raise
        for one in lost:
            self._say(f"{one.path.name} {one.reason}; the file is set aside")
        return self._open(Strategies(self._job, self._directory.given), readers)

    async def _drive(self, crawl: LocalCrawl) -> CrawlEnd:
        parts = crawl.parts
        limits = JobLimits(self._job.limits, parts.totals, parts.time)
        if parts.agenda:
            limits = parts.agenda.budget
        committer = Committer(crawl, self._job.storage.seal_seconds)
        drive_type = LiveDrive if self._web.live else OrderedDrive
        drive: Drive = drive_type(crawl.nodes, limits, committer.tick)
        operator = CrawlOperator(
            crawl.nodes[0], drive, limits, crawl.controls, committer.commit, self._say
        )
        self._watch(crawl.progress)
        ticking = asyncio.create_task(self._tick(committer, limits, drive, operator))
        run = asyncio.create_task(drive.run())
        self._handle_signals(drive, run)
        settled_all = False
        try:
            why = await _end_of(run, ticking)
            settled_all = True
        except asyncio.CancelledError:
            why = INTERRUPTED_TWICE
        except BaseException as error:
            with suppress(OSError, InputError):  # the first error counts
                committer.close(f"of an error: {getattr(error, 'cause', error)}")
                crawl.close(settled_all)
            raise
        finally:
            ticking.cancel()
        committer.close(why)
        crawl.close(settled_all)
        return CrawlEnd(why, self._interrupted, crawl.progress())

    async def _tick(
        self, committer: Committer, limits: JobLimits, drive: Drive, operator: CrawlOperator
    ) -> None:
        """Commit, check the limits, and take commands, also while no visit ends."""
        folder = ControlFolder(self._directory.root)
        while True:
            await asyncio.sleep(TICK_S)
            committer.tick()
            operator.poll(folder)
            if why := limits.reached():
                drive.stop(why)
            drive.wake()  # a visit may have become slow

    def _handle_signals(self, drive: Drive, run: asyncio.Task[str]) -> None:
        """The first Ctrl-C finishes the requests in flight, the second does not."""

        def interrupt() -> None:
            if self._interrupted:
                run.cancel()
            else:
                self._say(STOPPING)
            self._interrupted = True
            drive.stop(INTERRUPTED)

        self._interrupts.attach(interrupt)


async def _end_of(run: asyncio.Task[str], ticking: asyncio.Task[None]) -> str:
    """Why a run stopped. A commit that fails between visits stops it, too."""
    await asyncio.wait({run, ticking}, return_when=asyncio.FIRST_COMPLETED)
    if ticking.done():
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        ticking.result()
    return run.result()
