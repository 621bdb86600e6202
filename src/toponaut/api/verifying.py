"""Check somebody's list of places against a crawl, and fetch what is needed for that."""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toponaut.api.crawls import Crawl
    from toponaut.job import Job
    from toponaut.verify.run import VerifyReport


def verify(
    crawl: "Crawl",
    file: str | PathLike[str],
    columns: Mapping[str, str],
    pages: int,
    replay: Path | None,
    synthetic: int | None,
    progress: Callable[[int, int], None],
) -> "VerifyReport":
    """The verdicts on the places of a file. With `pages`, their websites are fetched first."""
    from toponaut.records import PAGES
    from toponaut.verify.run import read_list, unvisited_websites, verify_places

    job = crawl.job
    listed = read_list(Path(file), columns, job)
    if pages:
        websites = unvisited_websites(crawl.directory, listed)
        outcomes = crawl.status().log.outcomes
        done = sum(many for outcome, many in outcomes.items() if outcome in PAGES)
        _fetch(crawl, _job_with(job, websites, done + pages), replay, synthetic)
    return verify_places(crawl.directory, listed, progress)


def _job_with(job: "Job", websites: list[str], pages: int) -> "Job":
    """The job with more seeds and another page limit: both may change when a crawl is resumed."""
    from msgspec.structs import replace

    seeds = tuple(dict.fromkeys((*job.seeds, *websites)))
    return replace(job, seeds=seeds, limits=replace(job.limits, pages=pages, seconds=0))


def _fetch(crawl: "Crawl", job: "Job", replay: Path | None, synthetic: int | None) -> None:
    from toponaut.api.crawls import crawl as run_crawl

    run_crawl(job, crawl.directory, replay=replay, synthetic=synthetic)
