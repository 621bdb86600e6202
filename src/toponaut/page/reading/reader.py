"""Bytes to judged page: all CPU work on a page, stateless, so it can run in any process.

`python -m toponaut.page.reading.reader FD` reads pages for a crawl at the other end of a socket.
The crawl sends its job; the process replies when it is ready. It then answers every response with a
judged page or an error, in order, until the crawl hangs up.
"""

import os
import socket
import sys
import time
from contextlib import suppress

from msgspec.structs import replace

from toponaut.crawl.process import collect_seldom
from toponaut.gate.simhash import simhash
from toponaut.job import Job
from toponaut.page.judge import judge_of
from toponaut.page.reading.pdf import read_page
from toponaut.page.reading.wire import CrawlStream, write_answer
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import JudgedPage, Response
from toponaut.urls import fingerprints

# Reader processes yield to the crawling process, which feeds them all; otherwise it waits while a
# core is idle. Niceness 10 and 19 were no better.
_NICENESS = 5
_LONG_S = 0.1  # most pages take 2 ms; clocks.py counts longer ones


class UnreadablePageError(Exception):
    """A page that cannot be read, or that killed two reader processes."""


class PageReader:
    """Reads and judges pages. The gazetteer is mapped, so all processes share its memory."""

    def __init__(self, job: Job) -> None:
        self._judge = judge_of(job, open_names())

    def read(self, fetched: Response) -> JudgedPage:
        """The page in a response, with its places, addresses and relevance."""
        began = time.thread_time()
        try:
            page = read_page(fetched)
            prints = tuple(fingerprints([link.url for link in page.links]))
            judged = replace(
                self._judge.judge(page),
                simhash=simhash(page.text),
                ip=fetched.ip,
                link_fingerprints=prints,
            )
            took = time.thread_time() - began
            return replace(judged, seconds=took) if took > _LONG_S else judged
        except Exception as error:  # one bad page must not end a crawl
            raise UnreadablePageError(f"{type(error).__name__}: {error}") from error


def serve(wire: socket.socket) -> None:
    """Reads pages until the crawl hangs up or dies."""
    with suppress(ConnectionError, EOFError), wire:
        stream, answer = CrawlStream(wire), bytearray()
        reader = PageReader(stream.job())
        collect_seldom()
        write_answer(None, answer)
        while True:
            wire.sendall(answer)
            _answer(reader, stream.next(), answer)


def _answer(reader: PageReader, fetched: Response, into: bytearray) -> None:
    try:
        write_answer(reader.read(fetched), into)
    except UnreadablePageError as error:
        write_answer(str(error), into)
    except Exception as error:  # the page was read but cannot be encoded
        write_answer(f"{type(error).__name__}: {error}", into)


if __name__ == "__main__":
    os.nice(_NICENESS)
    serve(socket.socket(fileno=int(sys.argv[1])))
