"""One or several crawls, read together: their jobs, and the visits of their logs in order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.export.output import printable
from toponaut.job import Job
from toponaut.records import Visit

Progress = Callable[[int, int], None]  # visits read, visits in total
_REPORT_EVERY = 1000  # visits


class CrawlLogs:
    """The logs of some crawls as they are now: visits added later are not read."""

    def __init__(self, roots: Sequence[Path]) -> None:
        if not roots:
            raise InputError("no crawl given", "Name the directories of one or several crawls")
        self._directories = [
            Directory(root) for root in dict.fromkeys(root.absolute() for root in roots)
        ]
        self.jobs: list[Job] = [directory.read_job() for directory in self._directories]
        self._visits = [one.logs.summary().visits for one in self._directories]
        self.total = sum(self._visits)

    @property
    def name(self) -> str:
        """The name of the first directory, made printable."""
        return printable(self._directories[0].root.resolve().name) or "crawl"

    def visits(self, fields: tuple[str, ...], progress: Progress) -> Iterator[tuple[Path, Visit]]:
        """All visits, each with the archive directory of its crawl."""
        done = 0
        for directory, count in zip(self._directories, self._visits, strict=True):
            for visit in islice(directory.logs.read(fields), count):
                yield directory.archive, visit
                done += 1
                if not done % _REPORT_EVERY:
                    progress(done, self.total)
        progress(done, self.total)
