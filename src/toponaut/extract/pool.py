"""Documents to rows on all cores: order kept, a bounded number on the way, a clean stop.

Documents travel in batches, because handing a single page to another process costs as much as a tenth of its
work. A worker opens the gazetteer once; it is mapped from disk, so all workers share its memory.
"""

from collections.abc import Generator, Iterator
from functools import cache, partial
from itertools import chain, islice

from msgspec import Struct

from toponaut.archive.documents import Document, page_of
from toponaut.extract.rows import FORMATS, row
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.processes import process_pool

_BATCH_DOCUMENTS = 32
_BATCH_BYTES = 1_000_000  # about 0.1 s of work

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
        with process_pool(jobs, "--workers") as pool:
            for written in pool.run_in_order(partial(work, form=form), chain(first, batches)):
                yield from written


def work(batch: Batch, form: str) -> list[Outcome]:
    """The part that runs in a worker: bytes to written rows, without any state but the finder."""
    return [_outcome(document, form) for document in batch]


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
