"""Comparisons of strategies on synthetic webs in this process, for experiments of hundreds of runs.

`toponaut compare` starts two processes for each run, and they take longer than a crawl of some
hundred pages. Here the runs of one web share the web, the gazetteer and the pages that were read.
Results are kept as `toponaut compare` keeps them, and a run with a result is not repeated.
"""

import asyncio
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toponaut.compare.comparison import (
    ComparisonPlan,
    ComparisonReport,
    ComparisonRequest,
    compared,
    plan,
    runs_of,
)
from toponaut.compare.measuring import measure_directory
from toponaut.compare.prerequisites import provide
from toponaut.compare.remembering import RememberingReaders
from toponaut.compare.runs import Commands, ComparisonRun, keep_result, result_of
from toponaut.crawl.process import collecting_afterwards
from toponaut.crawl.run import CrawlRun
from toponaut.crawl.webs import SEEDS, seeds_of
from toponaut.job import Job, load, render
from toponaut.measures import Measures
from toponaut.page.reading.reader import PageReader
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.store.disk import make_directory, write_whole
from toponaut.synthetic import SyntheticFetcher, SyntheticSettings, SyntheticWeb

EXAMPLES = Path(__file__).parents[1] / "examples"
TRAINING = 3000  # pages for the classifier, of a web that no run sees


class Webs(Struct, frozen=True):
    """The webs of an experiment, by their numbers."""

    first: int
    count: int


class Part(Struct, frozen=True):
    """Strategies that are compared, and how far."""

    job: str  # file below examples
    pages: int
    collaborations: tuple[str, ...] = ()
    orderings: tuple[str, ...] = ()
    product: bool = False

    def request(self, folder: Path, webs: Webs) -> ComparisonRequest:
        return ComparisonRequest(
            job=load((EXAMPLES / self.job).read_text("utf-8"), self.job, seedless=True),
            out=folder,
            collaborations=self.collaborations,
            orderings=self.orderings,
            product=self.product,
            pages=self.pages,
            seeds=webs.count,
            first=webs.first,
        )


class Experiment(Struct, frozen=True):
    """Runs on webs with the same settings, and with seeds of the same kind."""

    request: ComparisonRequest
    planned: ComparisonPlan
    runs: tuple[ComparisonRun, ...]
    settings: Mapping[str, Any] = {}
    seeds: str = ""  # kind of seeds, if others than the job's

    def measured(self) -> dict[ComparisonRun, Measures]:
        """The finished runs."""
        found = {run: result_of(run) for run in self.runs}
        return {run: measures for run, measures in found.items() if measures is not None}

    def report(self) -> ComparisonReport:
        groups = compared(self.planned, self.runs, self.measured())
        return ComparisonReport(self.request.lead, self.planned.left_out, {}, groups)

    def on_web(self, number: int) -> "Experiment":
        """The runs on one web that have no result."""
        missing = [run for run in self.runs if run.seed == number and result_of(run) is None]
        return replace(self, runs=tuple(missing))


def experiment(
    part: Part, folder: Path, webs: Webs, settings: Mapping[str, Any] | None = None, seeds: str = ""
) -> Experiment:
    """The runs of a part. The classifier's model and the IP database are made if they are used."""
    request = part.request(folder, webs)
    keys = provide(request, min(TRAINING, 4 * part.pages), Commands(), lambda *_: None)
    planned = plan(request, keys)
    given = (
        *(f"{name}={value}" for name, value in (settings or {}).items()),
        *filter(None, [seeds]),
    )
    runs = [replace(run, web=(*run.web, *given)) for run in runs_of(request, planned)]
    return Experiment(request, planned, tuple(runs), settings or {}, seeds)


def run_all(experiments: Sequence[Experiment], workers: int) -> Iterator[str]:
    """Run what has no result, web by web; a line for each run."""
    numbers = sorted({run.seed for one in experiments for run in one.runs})
    each = [tuple(one.on_web(number) for one in experiments) for number in numbers]
    if workers == 1:
        for some in each:
            yield from _run_on_web(some)
        return
    with ProcessPoolExecutor(workers) as pool:
        for lines in pool.map(_lines_of, each):
            yield from lines


def _lines_of(experiments: Sequence[Experiment]) -> list[str]:
    return list(_run_on_web(experiments))


def _run_on_web(experiments: Iterable[Experiment]) -> Iterator[str]:
    webs: dict[str, _OpenWeb] = {}
    for one in experiments:
        for run in one.runs:
            if result_of(run) is not None:  # of another experiment with the same run
                continue
            made = str(one.settings)
            web = webs[made] if made in webs else _OpenWeb(run.seed, one.settings)
            webs = {made: web}  # one at a time: its read pages take memory
            keep_result(run, web.crawl(run.job, one.seeds))
            yield f"{run.directory.parent.parent.name}: {run.title}"


class _OpenWeb:
    """A web, with the pages that were read of it."""

    def __init__(self, number: int, settings: Mapping[str, Any]) -> None:
        self._web = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number, **settings))
        self._readers: dict[bytes, RememberingReaders] = {}

    def crawl(self, job: Job, seeds: str) -> Measures:
        found = tuple(self._web.seeds(seeds, SEEDS)) if seeds else seeds_of(self._web, job)
        job = replace(job, seeds=found)
        by_content = job.collaboration.strategy == "content"  # its pages are read with its formula
        reading = msgspec.json.encode((job.targets, by_content))
        if reading not in self._readers:
            self._readers[reading] = RememberingReaders(PageReader(job))
        with tempfile.TemporaryDirectory() as folder, collecting_afterwards():
            run = CrawlRun(
                Path(folder) / "crawl", render(job), job, 0, SyntheticFetcher(self._web),
                watch=lambda *_: None, say=lambda _: None, readers=self._readers[reading],
            )  # fmt: skip
            asyncio.run(run.run())
            return measure_directory(Path(folder) / "crawl")


def write_report(file: Path, report: ComparisonReport) -> None:
    make_directory(file.parent)
    write_whole(file, msgspec.json.encode(report))
