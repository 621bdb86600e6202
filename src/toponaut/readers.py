"""Who reads the pages: this process itself, or a pool of others.

A worker is a process at the other end of a socket pair (reading_process.py): an answer of the web goes over, the judged page
comes back (reading_wire.py), and asyncio's loop does the rest. There are no threads, queues and pickles, and nothing is
imported anew from the program that started the crawl, as multiprocessing would.

A worker that dies (killed for its memory, or by a page that nobody has thought of) or says nothing for STUCK_S seconds
is replaced, and its pages are given to others. The one that it was reading may be to blame: a page that takes two workers
down is reported as unreadable, and the crawl goes on.
"""

import asyncio
import socket
import subprocess
import sys
from collections import deque
from typing import Protocol, cast

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.reader import Reader
from toponaut.reading_wire import Answers, question, the_job
from toponaut.records import Fetched, Judged

STUCK_S = 60.0  # the worst page of 4 MiB takes 1.5 s to parse and 3 s for its addresses
_STILLBORN = 3  # workers in a row that never got ready: it is not the pages
_GATHER_S = 0.002  # 1 and 3 ms gain half as much, 10 ms lose it all: readers run dry
_AHEAD = 4  # pages that keep a worker busy for longer than this


class UnreadableError(Exception):
    """A page that cannot be read, or that took two workers down with it."""


class _BystanderError(ConnectionError):
    """A reading process has gone, and not by the page that this is said of."""


class Readers(Protocol):
    """Reads pages, here or elsewhere."""

    async def read(self, fetched: Fetched) -> Judged: ...

    async def close(self) -> None: ...


class ReadHere:
    """Reads in this process: the cheapest way on one core."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, fetched: Fetched) -> Judged:
        try:
            return self._reader.read(fetched)
        except Exception as error:  # a page that we cannot read must not end a crawl
            raise UnreadableError(f"{type(error).__name__}: {error}") from error

    async def close(self) -> None:
        pass


class _Together:
    """Hands answers on, several at a time: a moment after the first has come, or when a worker may soon run out of pages.

    The crawl then settles them in a row, with what that needs in the processor's caches, and its next requests go out together: the
    crawling process takes 7 % less for a page of bench.crawl, and two cores give 3-4 % more pages (bench.crawl.cores).
    """

    def __init__(self) -> None:
        self._held: list[tuple[asyncio.Future[Judged], Judged | str]] = []

    def add(self, future: asyncio.Future[Judged], answer: Judged | str, ahead: int) -> None:
        """An answer of a worker that has so many pages ahead."""
        self._held.append((future, answer))
        if ahead < _AHEAD:
            self._hand_on()
        elif len(self._held) == 1:
            asyncio.get_running_loop().call_later(_GATHER_S, self._hand_on)

    def _hand_on(self) -> None:
        held, self._held = self._held, []
        for future, answer in held:
            if future.done():  # whoever asked was cancelled
                continue
            if isinstance(answer, Judged):
                future.set_result(answer)
            else:
                future.set_exception(UnreadableError(answer))


class ReadInPool:
    """Reads in several processes."""

    def __init__(self, job: Job, workers: int) -> None:
        self._job = job
        self._count = workers
        self._workers: list[_Worker] = []
        self._watch: asyncio.TimerHandle | None = None
        self._closed = False
        self._starting = asyncio.Lock()
        self._together = _Together()
        self._stillborn = 0

    async def start(self) -> "ReadInPool":
        """Starts the processes; they get ready while the first pages are fetched."""
        self._workers = [await _Worker.start(self._job, self._together) for _ in range(self._count)]
        self._look_after()
        return self

    async def read(self, fetched: Fetched) -> Judged:
        deaths = 0
        while deaths < 2:
            worker = min(self._workers, key=_queue)
            if worker.gone:
                worker = await self._replaced()
            try:
                return await worker.read(fetched)
            except ConnectionError as error:
                if self._closed:
                    raise
                deaths += not isinstance(error, _BystanderError)
        raise UnreadableError("it ended two reading processes")

    async def close(self) -> None:
        self._closed = True
        if self._watch:
            self._watch.cancel()
        for worker in self._workers:
            worker.stop()

    async def _replaced(self) -> "_Worker":
        """The least busy worker that lives, after all that have gone were replaced."""
        async with self._starting:
            for number, worker in enumerate(self._workers):
                if worker.gone:
                    self._stillborn = 0 if worker.ready else self._stillborn + 1
                    if self._stillborn >= _STILLBORN:
                        raise InputError(
                            "reading processes end before they are ready", "Free some memory, or use --workers 0"
                        )
                    self._workers[number] = await _Worker.start(self._job, self._together)
        return min(self._workers, key=_queue)

    def _look_after(self) -> None:
        """Ends what has been silent for too long; whoever waits for it then hears of a lost connection."""
        loop = asyncio.get_running_loop()
        for worker in self._workers:
            if worker.waiting and loop.time() - worker.heard > STUCK_S:
                worker.stop()
        self._watch = loop.call_later(STUCK_S / 4, self._look_after)


class _Worker(asyncio.BufferedProtocol):
    """Our end of the socket to one process. Answers come in the order of the questions."""

    def __init__(self, process: subprocess.Popen[bytes], together: _Together) -> None:
        self.waiting: deque[asyncio.Future[Judged]] = deque()
        self.heard = asyncio.get_running_loop().time()
        self._process, self._together = process, together
        self._answers = Answers(self._answer)
        self._transport: asyncio.Transport | None = None
        self.ready = self.gone = False

    @classmethod
    async def start(cls, job: Job, together: _Together) -> "_Worker":
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "toponaut.reading_process", str(theirs.fileno())]
        # A group of its own, because Ctrl-C reaches all processes of a terminal's group, and only the crawl is to act on it.
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, process_group=0)
        theirs.close()
        ours.setblocking(False)
        transport, worker = await asyncio.get_running_loop().create_connection(
            lambda: cls(process, together), sock=ours
        )
        transport.write(the_job(job))
        return worker

    async def read(self, fetched: Fetched) -> Judged:
        if self.gone or self._transport is None:
            raise _BystanderError
        loop = asyncio.get_running_loop()
        if not self.waiting:
            self.heard = loop.time()
        future: asyncio.Future[Judged] = loop.create_future()
        self.waiting.append(future)
        self._transport.writelines(question(fetched))
        return await future

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are none by their class

    def get_buffer(self, _: int) -> memoryview:
        return self._answers.buffer()

    def buffer_updated(self, size: int) -> None:
        self._answers.came(size)

    def connection_lost(self, _: Exception | None) -> None:
        self.gone = True
        self._process.kill()
        self._process.wait()
        waiting, self.waiting = self.waiting, deque()
        for place, future in enumerate(waiting):
            if not future.done():
                was_read = self.ready and place == 0
                future.set_exception(ConnectionResetError() if was_read else _BystanderError())

    def _answer(self, answer: Judged | str | None) -> None:
        self.heard = asyncio.get_running_loop().time()
        if answer is None:
            self.ready = True
            return
        future = self.waiting.popleft()
        self._together.add(future, answer, len(self.waiting))


def _queue(worker: _Worker) -> int:
    """How many pages wait for a worker; those of one that has gone are none, so that it is found and replaced."""
    return len(worker.waiting)


async def readers_of(job: Job, workers: int) -> Readers:
    """Readers as wanted: 0 workers read here."""
    if workers < 0:
        raise InputError(
            f"--workers is {workers}", "Give 0 to read in the crawling process, or the number of processes"
        )
    return await ReadInPool(job, workers).start() if workers else ReadHere(Reader(job))
