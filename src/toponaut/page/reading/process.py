"""A process that reads pages for a crawl, at the other end of a socket: `python -m toponaut.page.reading.process FD`.

The crawl sends its job, and is told when the process is ready. Then every fetched answer is answered with a judged page, in
order, until the crawl hangs up; with what went wrong where reading failed.

It gives way to the crawling process, which has work for all others. Where they shared two cores as equals, that one waited behind
them while a core stood idle: 0.14-0.16 ms a page of bench.crawl, 0.03 so.
"""

import os
import socket
import sys
from contextlib import suppress

from toponaut.crawl.memory import collect_seldom
from toponaut.page.reading.reader import Reader, UnreadableError
from toponaut.page.reading.wire import Questions, write_answer
from toponaut.records import Response

_GIVES_WAY = 5  # steps of niceness; 10 and 19 did no better, and leave less to it where others want the cores, too


def serve(wire: socket.socket) -> None:
    """Reads until the crawl hangs up, or is no more."""
    with suppress(ConnectionError, EOFError), wire:
        questions, answer = Questions(wire), bytearray()
        reader = Reader(questions.job())
        collect_seldom()
        write_answer(None, answer)
        while True:
            wire.sendall(answer)
            _answer(reader, questions.next(), answer)


def _answer(reader: Reader, fetched: Response, into: bytearray) -> None:
    """The judged page, or what went wrong: a page that we cannot read must not end a crawl."""
    try:
        write_answer(reader.read(fetched), into)
    except UnreadableError as error:
        write_answer(str(error), into)
    except Exception as error:  # it was read, and cannot be packed
        write_answer(f"{type(error).__name__}: {error}", into)


if __name__ == "__main__":
    os.nice(_GIVES_WAY)
    serve(socket.socket(fileno=int(sys.argv[1])))
