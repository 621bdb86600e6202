"""Comparing strategies: each crawls the same web from the same seeds, several times."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toponaut.api.jobs import job_text
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.compare.comparison import ComparisonReport, ComparisonRequest
    from toponaut.compare.focus import FocusReport
    from toponaut.compare.runs import ComparisonRun
    from toponaut.job import Job
    from toponaut.measures import Measures

TRAINING_PAGES = 5_000


class ComparisonObserver:
    """Watches a comparison, for a progress bar. This one shows nothing."""

    def leave_out(self, name: str, why: str) -> None:
        """A strategy cannot be compared."""

    def train(self, run: "ComparisonRun", pages: int) -> None:
        """The classifier is being trained: pages fetched so far."""

    def expect(self, runs: "Sequence[ComparisonRun]", pages: int) -> None:
        """All runs, and the pages of each."""

    def update(self, run: "ComparisonRun", pages: int) -> None:
        """Pages of a run so far."""

    def ended(self, run: "ComparisonRun", result: "Measures | str") -> None:
        """A run's measures, or why it failed."""


def make_request(
    job: "str | PathLike[str] | Mapping[str, Any] | Job",
    directory: str | PathLike[str],
    *,
    collaborations: Sequence[str] = (),
    orderings: Sequence[str] = (),
    product: bool = False,
    pages: int = 0,
    seeds: int = 3,
    synthetic: int | None = None,
    replay: Path | None = None,
) -> "ComparisonRequest":
    """What to compare. With neither collaborations nor orderings named, all of both."""
    from toponaut.compare.comparison import ComparisonRequest
    from toponaut.job import load
    from toponaut.job.targets import check_targets
    from toponaut.places.gazetteer.cache import open_gazetteer

    if synthetic is not None and replay is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    if not collaborations and not orderings:
        collaborations = orderings = ("all",)
    text, name = job_text(job)
    loaded = load(text, name, seedless=replay is None)
    check_targets(open_gazetteer(), loaded, text, name)
    pages = pages or loaded.limits.pages
    if not pages:
        raise InputError("neither the job nor --pages says when a run ends", "Give --pages 20000")
    return ComparisonRequest(
        job=loaded,
        out=Path(directory),
        collaborations=tuple(collaborations),
        orderings=tuple(orderings),
        product=product,
        pages=pages,
        seeds=seeds,
        first=1 if synthetic is None else synthetic,
        replay=replay,
    )


def compare(
    request: "ComparisonRequest",
    *,
    workers: int = 1,
    training: int = TRAINING_PAGES,
    observer: ComparisonObserver | None = None,
) -> "ComparisonReport":
    """Run a comparison, or resume it: finished runs are not repeated.

    `workers` runs are made at once, each in its own process. `training` is the number of pages that
    the classifier learns from, if the job names no model.
    """
    from toponaut.compare.comparison import ComparisonReport, compared, plan, runs_of
    from toponaut.compare.prerequisites import provide
    from toponaut.compare.runs import Commands, refuse_others, run_all

    observer = observer or ComparisonObserver()
    measured: dict[ComparisonRun, Measures] = {}
    failed: dict[str, str] = {}

    def ended(run: "ComparisonRun", result: "Measures | str") -> None:
        if isinstance(result, str):
            failed[run.title] = result
        else:
            measured[run] = result
        observer.ended(run, result)

    processes = Commands()
    try:
        planned = plan(request, provide(request, training, processes, observer.train))
        for name, why in planned.left_out.items():
            observer.leave_out(name, why)
        runs = runs_of(request, planned)
        refuse_others(runs)
        observer.expect(runs, request.pages)
        run_all(runs, workers, processes, ended, observer.update)
    except KeyboardInterrupt:
        processes.stop()
        raise
    groups = compared(planned, runs, measured)
    return ComparisonReport(request.lead, planned.left_out, dict(sorted(failed.items())), groups)


def compare_on_sites(
    job: "str | PathLike[str] | Mapping[str, Any] | Job",
    directory: str | PathLike[str],
    replay: Path,
    *,
    targets: str = "all",
    orderings: Sequence[str] = (),
    settings: Sequence[str] = (),
    pages: int = 0,
    workers: int = 1,
    done: Callable[[str, int, int], None] = lambda *_: None,
) -> "FocusReport":
    """Compare orderings on a folder of real sites, whose sites.tsv names targets and seeds.

    `targets`: "all", a number or names, separated by semicolons. `settings`: keys of the job that
    differ, "concurrent=64,delay=1". `done` is called after each target: name, number, how many.
    """
    from toponaut.compare.focus import SETTINGS, FocusRequest, compare_focus
    from toponaut.job import load

    loaded = load(*job_text(job), seedless=True)
    request = FocusRequest(
        job=loaded,
        out=Path(directory),
        replay=replay,
        targets=targets,
        orderings=tuple(orderings) or ("all",),
        settings=tuple(settings) or SETTINGS,
        pages=pages or loaded.limits.pages,
    )
    return compare_focus(request, workers, done)
