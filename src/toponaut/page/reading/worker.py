"""Our end of the socket to a process that reads pages (process.py).

An answer of the web goes over, the judged page comes back (wire.py), and asyncio's loop does the rest. There are no threads, queues
and pickles, and nothing is imported anew from the program that started the crawl, as multiprocessing would.
"""

import asyncio
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import cast

from toponaut.job import Job
from toponaut.page.reading.wire import Answers, question, the_job
from toponaut.records import JudgedPage, Response

Reading = asyncio.Future[JudgedPage]


class BystanderError(ConnectionError):
    """A reading process has gone, and not by the page that this is said of."""


class Worker(asyncio.BufferedProtocol):
    """A reading process. Answers come in the order of the questions; `answered` is told of each, with who waits for it."""

    def __init__(self, process: subprocess.Popen[bytes], answered: "Answered") -> None:
        self.waiting: deque[Reading] = deque()
        self.heard = asyncio.get_running_loop().time()
        self.ready = self.gone = False
        self._process, self._answered = process, answered
        self._answers = Answers(self._answer)
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def start(cls, job: Job, answered: "Answered") -> "Worker":
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "toponaut.page.reading.process", str(theirs.fileno())]
        # A group of its own, because Ctrl-C reaches all processes of a terminal's group, and only the crawl is to act on it.
        process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, process_group=0
        )
        theirs.close()
        ours.setblocking(False)
        transport, worker = await asyncio.get_running_loop().create_connection(
            lambda: cls(process, answered), sock=ours
        )
        transport.write(the_job(job))
        return worker

    def take(self, fetched: Response, reading: Reading) -> None:
        """Has a page read."""
        if self.gone or self._transport is None:
            reading.set_exception(BystanderError())
            return
        if not self.waiting:
            self.heard = asyncio.get_running_loop().time()
        self.waiting.append(reading)
        self._transport.writelines(question(fetched))

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
        for place, reading in enumerate(waiting):
            if not reading.done():
                was_read = self.ready and place == 0
                reading.set_exception(ConnectionResetError() if was_read else BystanderError())

    def _answer(self, answer: JudgedPage | str | None) -> None:
        self.heard = asyncio.get_running_loop().time()
        if answer is None:
            self.ready = True
        else:
            self._answered(self, self.waiting.popleft(), answer)


Answered = Callable[[Worker, Reading, JudgedPage | str], None]
