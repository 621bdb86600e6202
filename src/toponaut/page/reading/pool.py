"""Who reads a page: a worker that has room, or this process, while it has nothing else to do.

A worker is given a few pages ahead, the others wait here. Whenever it answers it is given the next, and when the loop has gone round
once without a page or an answer, this process reads one itself: readers are behind then, and it would sleep otherwise. So as many
processes as there are cores keep all of them busy, this one among them, whatever takes longer, reading or all the rest. One more
process, as it was before, costs twice: pages go over and back that need not, and three take turns on two cores. By turns on two
cores (bench.crawl.cores) a worker with this process has 1.8 times the pages of one core, two workers without it 1.65.

A worker that dies (killed for its memory, or by a page that nobody has thought of) or says nothing for STUCK_S seconds
is replaced, and its pages are given to others. The one that it was reading may be to blame: a page that takes two workers
down is reported as unreadable, and the crawl goes on. So this process keeps away from what may do that: from large pages, and
from those that a worker died of.
"""

import asyncio
from collections import deque
from functools import cached_property

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.page.reading.reader import Reader, UnreadableError
from toponaut.page.reading.worker import BystanderError, Reading, Worker
from toponaut.records import JudgedPage, Response

STUCK_S = 60.0  # the worst page of 4 MiB takes 1.5 s to parse and 3 s for its addresses
_STILLBORN = 3  # workers in a row that never got ready: it is not the pages
_GATHER_S = 0.002  # 1 and 3 ms gain half as much, 10 ms lose it all: readers run dry
_LITTLE = 4  # pages that keep a worker busy for longer than this
_AHEAD = 16  # pages that a worker has at most; 8 and 32 are alike
# Bytes. Of thirty kinds of pages made to be slow, the worst keeps the crawl waiting for 0.9 s at this size.
_LARGE = 1 << 17


class ReadInPool:
    """Reads in several processes, this one among them."""

    def __init__(self, job: Job, workers: int) -> None:
        self._job = job
        self._count = workers
        self._workers: list[Worker] = []
        self._watch: asyncio.TimerHandle | None = None
        self._closed = False
        self._starting = asyncio.Lock()
        self._together = _Together()
        self._stillborn = 0
        self._waiting: deque[tuple[Response, Reading]] = deque()
        self._astir = self._helping = False

    async def start(self) -> "ReadInPool":
        """Starts the processes; they get ready while the first pages are fetched."""
        self._workers = [await self._begin() for _ in range(self._count)]
        self._look_after()
        return self

    async def read(self, fetched: Response) -> JudgedPage:
        deaths = 0
        while deaths < 2:
            worker = min(self._workers, key=_queue)
            if worker.gone:
                worker = await self._replaced()
            reading: Reading = asyncio.get_running_loop().create_future()
            if len(worker.waiting) < _AHEAD or deaths or len(fetched.body) > _LARGE:
                worker.take(fetched, reading)
            else:
                self._wait(fetched, reading)
            try:
                return await reading
            except ConnectionError as error:
                if self._closed:
                    raise
                deaths += not isinstance(error, BystanderError)
        raise UnreadableError("it ended two reading processes")

    async def close(self) -> None:
        self._closed = True
        if self._watch:
            self._watch.cancel()
        for worker in self._workers:
            worker.stop()
        while self._waiting:
            _, reading = self._waiting.popleft()
            if not reading.done():
                reading.set_exception(BystanderError())

    # --- pages that no worker has room for -------------------------------------------------------------------------------

    def _wait(self, fetched: Response, reading: Reading) -> None:
        self._waiting.append((fetched, reading))
        self._astir = True
        if not self._helping:
            self._helping = True
            asyncio.get_running_loop().call_soon(self._help)

    def _answered(self, worker: Worker, reading: Reading, answer: JudgedPage | str) -> None:
        self._astir = True
        if self._waiting and len(worker.waiting) < _AHEAD:
            worker.take(*self._waiting.popleft())
        self._together.add(reading, answer, len(worker.waiting))

    def _help(self) -> None:
        """Goes round with the loop while pages wait, and reads one whenever nothing has stirred meanwhile."""
        if not self._waiting:
            self._helping = False
            return
        if not self._astir:
            fetched, reading = self._waiting.popleft()
            if not reading.done():
                self._together.add(reading, self._read_here(fetched), _AHEAD)
        self._astir = False
        asyncio.get_running_loop().call_soon(self._help)

    def _read_here(self, fetched: Response) -> JudgedPage | str:
        try:
            return self._reader.read(fetched)
        except UnreadableError as error:
            return str(error)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._job)

    # --- workers that come and go --------------------------------------------------------------------------------------

    async def _begin(self) -> Worker:
        return await Worker.start(self._job, self._answered)

    async def _replaced(self) -> Worker:
        """The least busy worker that lives, after all that have gone were replaced."""
        async with self._starting:
            for number, worker in enumerate(self._workers):
                if worker.gone:
                    self._stillborn = 0 if worker.ready else self._stillborn + 1
                    if self._stillborn >= _STILLBORN:
                        raise InputError(
                            "reading processes end before they are ready",
                            "Free some memory, or use --workers 0",
                        )
                    self._workers[number] = await self._begin()
        return min(self._workers, key=_queue)

    def _look_after(self) -> None:
        """Ends what has been silent for too long; whoever waits for it then hears of a lost connection."""
        loop = asyncio.get_running_loop()
        for worker in self._workers:
            if worker.waiting and loop.time() - worker.heard > STUCK_S:
                worker.stop()
        self._watch = loop.call_later(STUCK_S / 4, self._look_after)


class _Together:
    """Hands answers on, several at a time: a moment after the first has come, or when a worker may soon run out of pages.

    The crawl then settles them in a row, with what that needs in the processor's caches, and its next requests go out together: the
    crawling process takes 7 % less for a page of bench.crawl, and two cores give 3-4 % more pages (bench.crawl.cores).
    """

    def __init__(self) -> None:
        self._held: list[tuple[Reading, JudgedPage | str]] = []

    def add(self, reading: Reading, answer: JudgedPage | str, ahead: int) -> None:
        """An answer of a worker that has so many pages ahead."""
        self._held.append((reading, answer))
        if ahead < _LITTLE:
            self._hand_on()
        elif len(self._held) == 1:
            asyncio.get_running_loop().call_later(_GATHER_S, self._hand_on)

    def _hand_on(self) -> None:
        held, self._held = self._held, []
        for reading, answer in held:
            if reading.done():  # whoever asked was cancelled
                continue
            if isinstance(answer, JudgedPage):
                reading.set_result(answer)
            else:
                reading.set_exception(UnreadableError(answer))


def _queue(worker: Worker) -> int:
    """How many pages wait for a worker; those of one that has gone are none, so that it is found and replaced."""
    return len(worker.waiting)
