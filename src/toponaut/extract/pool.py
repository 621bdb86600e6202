"""Documents to rows on all cores: order kept, a bounded number on the way, a clean stop.

Documents travel in batches, because handing a single page to another process costs as much as a tenth of its
work. A worker opens the gazetteer once; it is mapped from disk, so all workers share its memory.
"""

import signal
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import chain, islice
from multiprocessing import get_context

from msgspec import Struct

from toponaut.archive.documents import Document, page_of
from toponaut.errors import InputError
from toponaut.extract.rows import FORMATS, row
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names

_BATCH_DOCUMENTS = 32
_BATCH_BYTES = 1_000_000  # about 0.1 s of work
_WAITING_PER_JOB = 3  # batches: enough that no worker waits while the next document is read

Batch = list[Document]


class Outcome(Struct, frozen=True):
    """What a document gave: its rows as they are written, or why it could not be read."""

    source: str
    rows: list[str]
    passed: int
    readable: bool


def outcomes(documents: Iterator[Document], form: str, jobs: int) -> Generator[Outcome, None, None]:
    """The outcome of each document, in order. A single batch is not worth a pool."""
    batches = _batches(documents)
    first = list(islice(batches, 2))
    if jobs < 2 or len(first) < 2:
        for batch in chain(first, batches):
            yield from work(batch, form)
    else:
        yield from _pooled(chain(first, batches), form, jobs)


def work(batch: Batch, form: str) -> list[Outcome]:
    """The part that runs in a worker: bytes to written rows, without any state but the finder."""
    return [_outcome(document, form) for document in batch]


def _pooled(batches: Iterator[Batch], form: str, jobs: int) -> Iterator[Outcome]:
    # "spawn", because a forked process would inherit the threads' locks of the progress bar.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts_to_the_parent)
    waiting: deque[Future[list[Outcome]]] = deque()
    try:
        for batch in batches:
            waiting.append(pool.submit(work, batch, form))
            if len(waiting) > _WAITING_PER_JOB * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise InputError(
            "a worker process was ended from outside", "Free some memory or use --jobs 1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; only one is to act on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _outcome(document: Document, form: str) -> Outcome:
    page = page_of(document)
    found = _finder().find(page) if page else []
    rows = [FORMATS[form].write(row(document.source, address)) for address in found]
    return Outcome(document.source, rows, document.passed, page is not None)


@cache
def _finder() -> AddressFinder:
    names = open_names()
    return AddressFinder(names.gazetteer, names)


def _batches(documents: Iterator[Document]) -> Iterator[Batch]:
    batch: Batch = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.body)
        if len(batch) == _BATCH_DOCUMENTS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
