"""Comparisons of strategies on synthetic webs in this process, for experiments of hundreds of runs.

`toponaut compare` starts two processes for each run, and they take longer than a crawl of some
hundred pages. Here the runs of one web share the web, the gazetteer and the pages that were read.
Results are kept as `toponaut compare` keeps them, and a run with a result is not repeated.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.directory_training import train_from_directory
from toponaut.compare.comparison import (
    ComparisonPlan,
    ComparisonReport,
    ComparisonRequest,
    compared,
    plan,
    runs_of,
)
from toponaut.compare.job_keys import changed_job
from toponaut.compare.measuring import measure_directory
from toponaut.compare.prerequisites import TRAINED, provide
from toponaut.compare.remembering import RememberingReaders
from toponaut.compare.runs import Commands, ComparisonRun, keep_result, result_of
from toponaut.crawl.process import collecting_afterwards
from toponaut.crawl.run import CrawlRun
from toponaut.crawl.webs import SEEDS, seeds_of
from toponaut.job import Job, load, render
from toponaut.job.targets import job_targets
from toponaut.measures import Measures
from toponaut.page.reading.reader import PageReader
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.store.disk import make_directory, write_whole
from toponaut.synthetic import SyntheticFetcher, SyntheticSettings, SyntheticWeb
from toponaut.web.fetch import Fetcher
from toponaut.web.replay import ReplayFetcher

EXAMPLES = Path(__file__).parents[1] / "examples"
# For the classifier, of a web that no run sees: pages of each city (the paper has 500 to 2,000), or
# pages of a crawl.
DIRECTORY_PAGES, CRAWL_PAGES = 500, 3000


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


class Variant(Struct, frozen=True):
    """What differs from the part as it is."""

    name: str = "as it is"
    settings: Mapping[str, Any] = {}  # of the synthetic web
    job: str = ""  # keys of the job: "concurrent=64,limits.depth=3"
    seeds: str = ""  # kind of seeds, if others than the job's
    first_seeds: int = 0  # only so many of them; 0: all
    training: Literal["directory", "crawl"] = "directory"  # of the classifier
    times: int = 1  # as many pages
    webs: int = 1  # times as many webs


AS_IS = Variant()


class Experiment(Struct, frozen=True):
    """The runs of a part in one variant."""

    request: ComparisonRequest
    planned: ComparisonPlan
    runs: tuple[ComparisonRun, ...]
    variant: Variant

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


def experiment(part: Part, folder: Path, webs: Webs, variant: Variant = AS_IS) -> Experiment:
    """The runs of a part. The classifier's model and the IP database are made if they are used."""
    request = part.request(folder, replace(webs, count=webs.count * variant.webs))
    keys = _provide(replace(request, out=folder.parent / "prepared"), part.pages, variant)
    request = replace(
        request, job=changed_job(request.job, variant.job), pages=part.pages * variant.times
    )
    planned = plan(request, keys)
    given = (
        *(f"{name}={value}" for name, value in variant.settings.items()),
        *filter(None, [variant.seeds]),
        *([f"seeds={variant.first_seeds}"] if variant.first_seeds else []),
    )
    runs = [replace(run, web=(*run.web, *given)) for run in runs_of(request, planned)]
    return Experiment(request, planned, tuple(runs), variant)


def _provide(request: ComparisonRequest, pages: int, variant: Variant) -> dict[str, dict[str, str]]:
    """The files that the classifier and "ip" need, the same for all variants."""
    from_crawl = min(CRAWL_PAGES, 4 * pages) if variant.training == "crawl" else 0
    keys = provide(request, from_crawl, Commands(), lambda *_: None)
    if TRAINED in request.collaborations and variant.training == "directory":
        model = train_from_directory(request.job, request.out, min(DIRECTORY_PAGES, pages))
        keys[TRAINED] = {"model": str(model.absolute())}
    return keys


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
    opened: dict[str, _OpenWeb] = {}
    for one in experiments:
        for run in one.runs:
            if result_of(run) is not None:  # of another experiment with the same run
                continue
            made = str((one.request.replay, one.variant.settings))
            web = opened[made] if made in opened else _open(one, run.seed)
            opened = {made: web}  # one at a time: its read pages take memory
            keep_result(run, web.crawl(run.job, one.variant))
            yield f"{run.directory.parent.parent.name}: {run.title}"


def _open(one: Experiment, number: int) -> "_OpenWeb":
    """The web of an experiment: a recorded one, or the synthetic one of this number."""
    if replay := one.request.replay:
        return _OpenWeb(
            lambda job: ReplayFetcher(replay, job.limits, lambda _: None),
            lambda job, _: job.seeds,
        )
    web = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number, **one.variant.settings))

    def seeds(job: Job, kind: str) -> tuple[str, ...]:
        if not kind:
            return seeds_of(web, job)
        return tuple(web.seeds(kind, SEEDS, job_targets(open_gazetteer(), job)[0].id))

    return _OpenWeb(lambda _: SyntheticFetcher(web), seeds)


class _OpenWeb:
    """A web, with the pages that were read of it. `seeds`: those of a job, or of another kind."""

    def __init__(
        self, fetcher: Callable[[Job], Fetcher], seeds: Callable[[Job, str], tuple[str, ...]]
    ) -> None:
        self._fetcher, self._seeds = fetcher, seeds
        self._readers: dict[bytes, RememberingReaders] = {}

    def crawl(self, job: Job, variant: Variant) -> Measures:
        found = self._seeds(job, variant.seeds)
        job = replace(job, seeds=found[: variant.first_seeds or len(found)])
        by_content = job.collaboration.strategy == "content"  # its pages are read with its formula
        reading = msgspec.json.encode((job.targets, by_content))
        if reading not in self._readers:
            self._readers[reading] = RememberingReaders(PageReader(job))
        with tempfile.TemporaryDirectory() as folder, collecting_afterwards():
            run = CrawlRun(
                Path(folder) / "crawl", render(job), job, 0, self._fetcher(job),
                watch=lambda *_: None, say=lambda _: None, readers=self._readers[reading],
            )  # fmt: skip
            asyncio.run(run.run())
            return measure_directory(Path(folder) / "crawl")


def write_report(file: Path, report: ComparisonReport) -> None:
    make_directory(file.parent)
    write_whole(file, msgspec.json.encode(report))
