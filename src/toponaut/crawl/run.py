"""A crawl from its start to its end: open or resume, drive the nodes, commit every second, stop for a reason."""

import asyncio
import threading
import time as system_time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.assemble import Assembled
from toponaut.crawl.directory import Directory, cannot_write
from toponaut.crawl.drive import Drive, LiveDrive, OrderedDrive, Turns
from toponaut.crawl.garbage import collecting_seldom
from toponaut.crawl.interrupts import STOPPING, Interrupts
from toponaut.crawl.limits import Limiter
from toponaut.crawl.progress import Progress
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.log import seal
from toponaut.node import Node
from toponaut.page.reading.readers import readers_of
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Visit
from toponaut.timing import LiveTime, SimulatedTime
from toponaut.web.fetch import Fetcher
from toponaut.web.registrant import Registrants

COMMIT_S = 1.0  # a crash repeats at most the visits of this long


class Ended(Struct, frozen=True):
    """Why a crawl stopped, and what it had done by then."""

    why: str
    interrupted: bool
    progress: Progress

    def line(self, directory: Path | str) -> str:
        """The crawl in one line."""
        done = self.progress
        figures = f"{done.pages:,} pages, {done.relevant:,} relevant ({done.harvest:.1%}), {done.addresses:,} addresses"
        waiting = f"{done.queued:,} link{'' if done.queued == 1 else 's'} waiting"
        return f"{directory}: stopped because {self.why}. {figures}, {waiting}."


Watch = Callable[[Callable[[], Progress]], None]  # is given, once, where to ask for the progress


class Crawl:
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
    ) -> None:
        self._directory = Directory(root)
        self._text = text
        self._job = job
        self._workers = workers
        self._web = web
        self._watch = watch
        self._say = say
        self._interrupts = interrupts or Interrupts()
        self._interrupted = False

    async def run(self) -> Ended:
        """Starts or resumes, and returns when there is nothing more to do or a limit is reached."""
        async with AsyncExitStack() as stack:
            stack.callback(self._interrupts.detach)
            stack.push_async_callback(self._web.close)
            strategies = Strategies(self._job, self._directory.given)
            stack.enter_context(self._directory.open(self._text, self._job))
            strategies.keep_files()
            time = LiveTime() if self._web.live else SimulatedTime()
            readers = await readers_of(self._job, self._workers)
            stack.push_async_callback(readers.close)
            registrants = self._registrants()
            if registrants:
                stack.push_async_callback(registrants.close)
            try:
                parts = Assembled(
                    self._directory, strategies, self._web, readers, time, self._say, registrants
                )
                with collecting_seldom():
                    return await self._drive(parts)
            except OSError as error:
                raise cannot_write(error, self._directory.root) from error

    def _registrants(self) -> Registrants | None:
        """Who tells where the owners of domains are; on a replayed web nobody is asked anything."""
        job = self._job
        if not (job.ordering.registrant and self._web.live):
            return None
        file = self._directory.state / "registrants.jsonl"
        return Registrants(job.ordering.rdap, file, open_gazetteer(), job.politeness, job.limits)

    async def _drive(self, parts: Assembled) -> Ended:
        limiter = Limiter(self._job.limits, parts.totals, parts.time)
        kind = LiveDrive if self._web.live else OrderedDrive
        committer = _Committer(parts, self._directory, self._job.storage.seal_seconds, self._say)

        def settled(node: Node, visits: list[Visit]) -> None:
            for visit in visits:
                parts.count(node, visit)
            committer.tick()

        turns = Turns(parts.nodes, limiter, self._job.politeness.concurrent)
        drive = kind(turns, limiter, parts.time, settled)
        self._watch(parts.progress)
        keeper = asyncio.create_task(_keep(committer, limiter, drive))
        run = asyncio.create_task(drive.run())
        self._on_signals(drive, run)
        settled_all = False
        try:
            why = await _end_of(run, keeper)
            settled_all = True
        except asyncio.CancelledError:
            why = "it was interrupted twice; what was under way is fetched again on resuming"
        except BaseException as error:
            with suppress(OSError, InputError):  # it is the first error that counts
                committer.close(f"of an error: {getattr(error, 'cause', error)}")
                parts.close(settled_all)
            raise
        finally:
            keeper.cancel()
        committer.close(why)
        parts.close(settled_all)
        return Ended(why, self._interrupted, parts.progress())

    def _on_signals(self, drive: Drive, run: asyncio.Task[str]) -> None:
        """The first Ctrl-C lets what is under way come to its end, the second does not."""

        def interrupt() -> None:
            if self._interrupted:
                run.cancel()
            else:
                self._say(STOPPING)
            self._interrupted = True
            drive.stop("it was interrupted")

        self._interrupts.attach(interrupt)


class _Committer:
    """Group commit: the archive first, then the log that points into it, at most once a second.

    What waits for the disk has a thread of its own: the crawl goes on meanwhile, until the next commit is due. So has sealing,
    some 0.2 ms a visit.
    """

    def __init__(
        self, parts: Assembled, directory: Directory, seal_seconds: int, say: Callable[[str], None]
    ) -> None:
        self._parts = parts
        self._say = say
        self._directory = directory
        self._seal_seconds = seal_seconds
        self._committed = self._sealed = system_time.monotonic()
        self._sealing: threading.Thread | None = None
        self._thread = ThreadPoolExecutor(1, "commit")
        self._under_way: Future[None] | None = None

    def tick(self) -> None:
        now = system_time.monotonic()
        if now - self._committed < COMMIT_S:
            return
        if now - self._sealed >= self._seal_seconds and not (
            self._sealing and self._sealing.is_alive()
        ):
            self.commit()
            self._parts.log.roll()
            self._sealing = threading.Thread(
                target=_seal, args=(self._parts.log.directory, self._say)
            )
            self._sealing.start()
            self._sealed = now
        else:
            self._wait()
            self._under_way = self._thread.submit(self._gathered())
            self._committed = now

    def commit(self, stopped: str = "") -> None:
        """Commits all, and returns when that is done."""
        self._wait()
        self._gathered(stopped)()
        self._committed = system_time.monotonic()

    def close(self, stopped: str) -> None:
        if self._sealing:
            self._sealing.join()
        try:
            self.commit(stopped)
        finally:
            self._thread.shutdown()

    def _wait(self) -> None:
        """For the commit under way. What went wrong with it is raised here."""
        under_way, self._under_way = self._under_way, None
        if under_way:
            under_way.result()

    def _gathered(self, stopped: str = "") -> Callable[[], None]:
        """All that is to be committed now, as what commits it. The log is gathered first: what it points to is in the archive."""
        log = self._parts.log.sync_later()
        archive = self._parts.archive.sync_later() if self._parts.archive else None
        snapshot = Snapshot(self._parts.progress(), stopped)

        def bring() -> None:
            if archive:
                archive()
            log()
            write_snapshot(self._directory, snapshot)

        return bring


def _seal(log: Path, say: Callable[[str], None]) -> None:
    """A tail that cannot be sealed now stays a tail: nothing is lost, and the next time may be better."""
    try:
        seal(log)
    except (OSError, InputError) as error:
        say(f"the log could not be sealed and stays as it is: {getattr(error, 'cause', error)}")


async def _end_of(run: asyncio.Task[str], keeper: asyncio.Task[None]) -> str:
    """Why a run stopped. A commit that fails while nothing comes back stops it, too."""
    await asyncio.wait({run, keeper}, return_when=asyncio.FIRST_COMPLETED)
    if keeper.done():
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        keeper.result()
    return run.result()


async def _keep(committer: _Committer, limiter: Limiter, drive: Drive) -> None:
    """Commits and looks at the limits also while nothing comes back."""
    while True:
        await asyncio.sleep(
            COMMIT_S / 4
        )  # once in COMMIT_S could come just too early, and let a visit wait for two
        committer.tick()
        if why := limiter.reached():
            drive.stop(why)
