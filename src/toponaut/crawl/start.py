"""Starts a crawl from a job file: on one machine or on a cluster, with a view of its progress."""

import resource
from pathlib import Path
from typing import Literal

import uvloop
from msgspec.structs import replace
from rich.console import Console

from toponaut.crawl.pools import check_workers, reading_workers, with_ray
from toponaut.crawl.process import Interrupts, collecting_afterwards, give_back_large_buffers
from toponaut.crawl.run import CrawlEnd, CrawlRun
from toponaut.crawl.view import JsonView, LiveView, NoView
from toponaut.crawl.webs import fetcher_of, open_web, seeds_of
from toponaut.errors import InputError
from toponaut.job import load, render
from toponaut.job.targets import check_targets
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.seeds.for_job import with_seeds
from toponaut.store import folder_at

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
    """Start the crawl of a job in a directory, or resume it there.

    `text`, `name`: the content of the job file, and its name for messages. `directory`: on a
    cluster also a URL (s3://...). `workers`: None for one per core, except the crawler's own.
    `cluster`: the address of a Ray cluster, "auto" for the one that this machine belongs to.
    """
    if replay is not None and synthetic is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    console = Console(stderr=True, highlight=False)
    text, _ = with_seeds(text, name, lambda source: _print(console, f"seeds: {source}"))
    job = load(text, name, seedless=synthetic is not None)
    check_targets(open_gazetteer(), job, text, name)
    check_workers(workers, "Give 0 to read in the crawling process")
    _allow_many_connections()
    give_back_large_buffers()
    made = None if synthetic is None else open_web(synthetic)
    if made and not job.seeds:
        job = replace(job, seeds=seeds_of(made, job))
        text = render(job)

    if cluster:
        from toponaut.cluster.setup import cluster_setup

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
                lambda line: _print(console, line),
                interrupts,
            )
            return ended

    if (folder := folder_at(directory)) is None:
        raise InputError(
            f"{directory} is not a directory on this machine",
            "Crawl there on a cluster: --cluster auto",
        )

    async def run() -> CrawlEnd:
        # Here, because it belongs to the loop.
        web = fetcher_of(job, made or replay, since, lambda line: _print(console, line))
        with _view(view, console) as shown:
            many = reading_workers(workers)
            crawl = CrawlRun(
                folder,
                text,
                job,
                many,
                web,
                watch=shown.watch,
                say=lambda line: _print(console, line),
                interrupts=interrupts,
            )
            return await crawl.run()

    with collecting_afterwards():
        return uvloop.run(run())


def _allow_many_connections() -> None:
    """Idle connections stay open for 15 s: more than the usual limit of 1,024 files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, _FILES)), hard))


def _view(view: View, console: Console) -> NoView:
    if view == "json":
        return JsonView()
    return LiveView(console) if view == "live" and console.is_terminal else NoView()


def _print(console: Console, line: str) -> None:
    console.print(f"toponaut: {line}", soft_wrap=True)
