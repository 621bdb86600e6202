"""Orderings compared on real sites: `toponaut compare --targets`.

The folder's sites.tsv names the targets. For each target the whole folder is crawled from all
sites' seeds, by every ordering in every setting (focus_runs.py), with simulated time: a delay costs
none. The sites of other places are the haystack.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from toponaut.compare.comparison import ComparisonRequest, job_of, plan
from toponaut.compare.focus_runs import ENOUGH, TargetTask, complete_job, crawl_target
from toponaut.compare.job_keys import changed_job
from toponaut.compare.real_sites import SiteTarget, choose, read_sites, targets_of
from toponaut.errors import InputError
from toponaut.job import Job, TargetsSection
from toponaut.measures.focus import MARKS, FocusTarget, focus_figures, focus_tables
from toponaut.measures.svg import as_file
from toponaut.measures.tables import MeasureTable
from toponaut.page.processes import process_pool
from toponaut.places.gazetteer.cache import open_gazetteer

SETTINGS = ("concurrent=1,delay=0",)  # the best case: the ordering alone decides


class FocusRequest(Struct, frozen=True, kw_only=True):
    """The comparison that a user asks for."""

    job: Job
    out: Path
    replay: Path
    targets: str = "all"
    orderings: tuple[str, ...] = ("all",)
    settings: tuple[str, ...] = SETTINGS
    pages: int = MARKS[-1]


class FocusReport(Struct, frozen=True):
    """A whole comparison, written as JSON."""

    compared: str
    left_out: dict[str, str]  # orderings, places and targets, and why
    reference: str  # the job's own ordering
    marks: tuple[int, ...]
    targets: tuple[FocusTarget, ...]
    tables: tuple[MeasureTable, ...]


def compare_focus(
    request: FocusRequest, workers: int, done: Callable[[str, int, int], None]
) -> FocusReport:
    """Run the comparison; `done` is called after each target: its name, number and how many."""
    if not request.pages:
        raise InputError("neither the job nor --pages says when a crawl ends", "Give --pages 2000")
    sites = read_sites(request.replay)
    known, left_out = targets_of(open_gazetteer(), sites)
    chosen = choose(known, request.targets)
    if not chosen:
        raise InputError("no site has a place that is known", "Correct the places in sites.tsv")
    seeds = tuple(dict.fromkeys(site.seed for site in sites))
    job = replace(request.job, seeds=seeds)
    jobs, cannot = _jobs(request, job)
    tasks = [_task(request, target, job, jobs) for target in chosen]
    found: dict[str, FocusTarget] = {}
    with process_pool(min(workers, len(tasks))) as pool:
        for index, result in pool.run(crawl_target, tasks):
            found[chosen[index].name] = result
            done(result.name, len(found), len(tasks))
    few = {
        name: f"only {target.relevant} relevant pages can be reached"
        for name, target in found.items()
        if target.relevant < ENOUGH
    }
    kept = [found[target.name] for target in chosen if target.name not in few]
    return _report(request, kept, left_out | cannot | few)


def _jobs(request: FocusRequest, job: Job) -> tuple[dict[str, dict[str, Job]], dict[str, str]]:
    """The jobs by setting and ordering, and the orderings that cannot run."""
    asked = ComparisonRequest(job=job, out=request.out, orderings=request.orderings, pages=1)
    planned = plan(asked, {})
    [group] = planned.groups
    jobs = {
        setting: {
            name: changed_job(job_of(pair.job, request.pages, job.random_seed), setting)
            for name, pair in group.pairs.items()
        }
        for setting in request.settings
    }
    return jobs, planned.left_out


def _task(
    request: FocusRequest,
    target: SiteTarget,
    job: Job,
    jobs: Mapping[str, Mapping[str, Job]],
) -> TargetTask:
    targets = TargetsSection(places=target.places, relevant=job.targets.relevant)
    return TargetTask(
        target.name,
        {
            setting: {name: replace(one, targets=targets) for name, one in by_name.items()}
            for setting, by_name in jobs.items()
        },
        complete_job(replace(job_of(job, 0, job.random_seed), targets=targets)),
        request.replay.resolve(),
        request.out / quote(target.name, safe=" ,."),
        MARKS[-1],
    )


def _report(
    request: FocusRequest, targets: Sequence[FocusTarget], left_out: dict[str, str]
) -> FocusReport:
    reference = request.job.ordering.strategy
    compared = (
        f"{request.pages:,} pages per crawl, {len(targets)} targets, all sites of {request.replay}"
    )
    tables = tuple(focus_tables(targets, reference)) if targets else ()
    return FocusReport(compared, left_out, reference, MARKS, tuple(targets), tables)


def figures_of(report: FocusReport) -> list[tuple[str, str]]:
    """The title and the SVG file of each setting's figure."""
    return [
        (figure.title, as_file(figure.drawing, figure.keys))
        for figure in focus_figures(report.targets, report.marks)
    ]
