"""The door for programs and the command line: a job file and a directory in, a crawl run to its end."""

import resource
from pathlib import Path
from typing import Literal

import uvloop
from msgspec.structs import replace
from rich.console import Console

from toponaut.cluster.setup import cluster_setup
from toponaut.crawl.interrupts import Interrupts
from toponaut.crawl.memory import collecting_afterwards, give_back_large_buffers
from toponaut.crawl.pools import check_workers, reading_workers, with_ray
from toponaut.crawl.run import CrawlEnd, CrawlRun
from toponaut.crawl.synthetic import open_web, seeds_of
from toponaut.crawl.view import JsonView, LiveView, NoView
from toponaut.errors import InputError
from toponaut.job import Job, load, render
from toponaut.store import folder_at
from toponaut.synthetic import SyntheticFetcher, SyntheticWeb
from toponaut.web.fetch import Fetcher
from toponaut.web.http.client import HttpFetcher
from toponaut.web.replay import ReplayFetcher, SinceFetcher

View = Literal["live", "json", "none"]
_FILES = 65_536


def start(
    text: str,
    name: str,
    directory: Path | str,
    *,
    replay: Path | None = None,
    synthetic: int | None = None,
    since: Path | None = None,
    workers: int | None = 0,
    view: View = "none",
    cluster: str = "",
    interrupts: Interrupts | None = None,
) -> CrawlEnd:
    """Starts the crawl of a job (its text, and its file's name for messages) in a directory, or resumes it there. `directory` may be
    a URL (s3://...) on a cluster. `workers`: None for one for each core but one, on which the crawl is. `cluster`: on the Ray cluster at this address, "auto" for the one that this machine belongs to."""
    if replay is not None and synthetic is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    job = load(text, name, seedless=synthetic is not None)
    check_workers(workers, "Give 0 to read in the crawling process")
    console = Console(stderr=True, highlight=False)
    _allow_many_connections()
    give_back_large_buffers()
    made = None if synthetic is None else open_web(synthetic)
    if made and not job.seeds:
        job = replace(job, seeds=seeds_of(made, job))
        text = render(job)

    if cluster:
        driving = with_ray("driver")
        setup = cluster_setup(
            directory, job, workers=workers, synthetic=synthetic, replay=replay, since=since
        )
        with _view(view, console) as shown:
            ended: CrawlEnd = driving.crawl_on(
                cluster,
                setup,
                text,
                shown.watch,
                lambda line: _tell(console, line),
                interrupts,
            )
            return ended

    if (folder := folder_at(directory)) is None:
        raise InputError(
            f"{directory} is no directory of this machine",
            "Crawl there on a cluster: --cluster auto",
        )

    async def run() -> CrawlEnd:
        web = fetcher_of(job, made or replay, since)  # here, because it belongs to the loop
        with _view(view, console) as shown:
            many = reading_workers(workers)
            crawl = CrawlRun(
                folder,
                text,
                job,
                many,
                web,
                watch=shown.watch,
                say=lambda line: _tell(console, line),
                interrupts=interrupts,
            )
            return await crawl.run()

    with collecting_afterwards():
        return uvloop.run(run())


def fetcher_of(job: Job, other: Path | SyntheticWeb | None, since: Path | None) -> Fetcher:
    """The live web, or another: the one in a WARC, a WACZ or a folder, or the synthetic one; of either, what has changed
    since an earlier crawl."""
    web: Fetcher
    if isinstance(other, SyntheticWeb):
        web = SyntheticFetcher(other, job.limits.body_bytes)
    elif other is not None:
        web = ReplayFetcher(other, job.limits)
    else:
        web = HttpFetcher(job.politeness, job.limits)
    if since is None:
        return web
    archive = since / "archive"
    return SinceFetcher(web, ReplayFetcher(archive if archive.is_dir() else since, job.limits))


def _allow_many_connections() -> None:
    """Idle connections are kept for 15 s, so a crawl of many hosts has more than the usual 1,024 files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, _FILES)), hard))


def _view(view: View, console: Console) -> LiveView | JsonView | NoView:
    if view == "json":
        return JsonView()
    return LiveView(console) if view == "live" and console.is_terminal else NoView()


def _tell(console: Console, line: str) -> None:
    console.print(f"toponaut: {line}", soft_wrap=True)
