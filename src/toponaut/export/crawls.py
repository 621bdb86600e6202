"""One or several crawls, read together: their jobs, and the visits of their logs in order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.records import Visit

Tell = Callable[[int, int], None]  # visits that were read, of how many
_EVERY = 1000  # visits: how often progress is told


class Crawls:
    """Some crawls as their logs stand now: what is added to a log while it is read is not in it."""

    def __init__(self, roots: Sequence[Path]) -> None:
        if not roots:
            raise InputError("no crawl is named", "Name the directory of one, or of several")
        self._directories = [
            Directory(root) for root in dict.fromkeys(root.absolute() for root in roots)
        ]
        self.jobs: list[Job] = [directory.read_job() for directory in self._directories]
        self._visits = [one.logs.summary().visits for one in self._directories]
        self.total = sum(self._visits)

    @property
    def name(self) -> str:
        """What the first is called; a directory may have a name that is no text."""
        return printable(self._directories[0].root.resolve().name) or "crawl"

    def visits(self, fields: tuple[str, ...], tell: Tell) -> Iterator[tuple[Path, Visit]]:
        """Every visit with the archive of its crawl, those of the first crawl first."""
        done = 0
        for directory, count in zip(self._directories, self._visits, strict=True):
            for visit in islice(directory.logs.read(fields), count):
                yield directory.archive, visit
                done += 1
                if not done % _EVERY:
                    tell(done, self.total)
        tell(done, self.total)


def printable(name: str) -> str:
    """A file's name as text, whatever bytes it is made of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
