"""Who reads the pages: this process itself, or a pool of others."""

from typing import Protocol

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.page.reading.pool import ReadInPool
from toponaut.page.reading.reader import Reader
from toponaut.records import JudgedPage, Response


class Readers(Protocol):
    """Reads pages, here or elsewhere. A page that cannot be read raises UnreadableError."""

    async def read(self, fetched: Response) -> JudgedPage: ...

    async def close(self) -> None: ...


class ReadHere:
    """Reads in this process: the cheapest way on one core."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, fetched: Response) -> JudgedPage:
        return self._reader.read(fetched)

    async def close(self) -> None:
        pass


async def readers_of(job: Job, workers: int) -> Readers:
    """Readers as wanted: 0 workers read here."""
    if workers < 0:
        raise InputError(
            f"--workers is {workers}",
            "Give 0 to read in the crawling process, or the number of processes",
        )
    return await ReadInPool(job, workers).start() if workers else ReadHere(Reader(job))
