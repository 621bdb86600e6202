"""The crawl's end of the socket to a reader process (reader.py).

Responses go out and judged pages come back (wire.py), driven by asyncio's loop: no threads, queues
or pickles, and the child does not import the program that started the crawl, as multiprocessing
would.
"""

import asyncio
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import cast

from toponaut.job import Job
from toponaut.page.reading.wire import AnswerStream, encode_job, encode_response
from toponaut.records import JudgedPage, Response

Reading = asyncio.Future[JudgedPage]


class WorkerLostError(ConnectionError):
    """A reader process ended, but not because of this page."""


class ReaderWorker(asyncio.BufferedProtocol):
    """A reader process. It answers in order; `answered` is called with each answer."""

    def __init__(self, process: subprocess.Popen[bytes], answered: "Answered") -> None:
        self.waiting: deque[Reading] = deque()
        self.heard = asyncio.get_running_loop().time()
        self.ready = self.gone = False
        self._process, self._answered = process, answered
        self._answers = AnswerStream(self._answer)
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def start(cls, job: Job, answered: "Answered") -> "ReaderWorker":
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "toponaut.page.reading.reader", str(theirs.fileno())]
        # In its own process group: Ctrl-C reaches the whole group, but only the crawl should act.
        process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, process_group=0
        )
        theirs.close()
        ours.setblocking(False)
        transport, worker = await asyncio.get_running_loop().create_connection(
            lambda: cls(process, answered), sock=ours
        )
        transport.write(encode_job(job))
        return worker

    def take(self, fetched: Response, reading: Reading) -> None:
        """Sends a page to be read."""
        if self.gone or self._transport is None:
            reading.set_exception(WorkerLostError())
            return
        if not self.waiting:
            self.heard = asyncio.get_running_loop().time()
        self.waiting.append(reading)
        self._transport.writelines(encode_response(fetched))

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is not a subclass

    def get_buffer(self, _: int) -> memoryview:
        return self._answers.buffer()

    def buffer_updated(self, size: int) -> None:
        self._answers.received(size)

    def connection_lost(self, _: Exception | None) -> None:
        self.gone = True
        self._process.kill()
        self._process.wait()
        waiting, self.waiting = self.waiting, deque()
        for index, reading in enumerate(waiting):
            if not reading.done():
                was_read = self.ready and index == 0
                reading.set_exception(ConnectionResetError() if was_read else WorkerLostError())

    def _answer(self, answer: JudgedPage | str | None) -> None:
        self.heard = asyncio.get_running_loop().time()
        if answer is None:
            self.ready = True
        else:
            self._answered(self, self.waiting.popleft(), answer)


Answered = Callable[[ReaderWorker, Reading, JudgedPage | str], None]
