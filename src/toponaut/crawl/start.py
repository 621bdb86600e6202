"""The door for programs and the command line: a job file and a directory in, a crawl run to its end."""

import resource
from pathlib import Path
from typing import Literal

import uvloop
from rich.console import Console

from toponaut.crawl.run import Crawl, Ended
from toponaut.crawl.view import JsonView, LiveView, NoView
from toponaut.errors import InputError
from toponaut.job import Job, load
from toponaut.web.fetch import Fetcher
from toponaut.web.http import HttpFetcher
from toponaut.web.replay import ReplayFetcher
from toponaut.web.since import SinceFetcher

View = Literal["live", "json", "none"]
_FILES = 65_536
MOST_WORKERS = 256  # a slip of the finger is not to fill the machine with processes


def start(
    text: str,
    name: str,
    directory: Path,
    *,
    replay: Path | None = None,
    since: Path | None = None,
    workers: int = 0,
    view: View = "none",
) -> Ended:
    """Starts the crawl of a job (its text, and its file's name for messages) in a directory, or resumes it there."""
    job = load(text, name)
    if not 0 <= workers <= MOST_WORKERS:
        cure = f"Give 0 to read in the crawling process, or up to {MOST_WORKERS} processes"
        raise InputError(f"--workers is {workers}", cure)
    console = Console(stderr=True, highlight=False)
    _allow_many_connections()

    async def run() -> Ended:
        web = fetcher_of(job, replay, since)  # here, because it belongs to the loop
        with _view(view, console) as shown:
            crawl = Crawl(directory, text, job, workers, web, watch=shown.watch, say=lambda line: _tell(console, line))
            return await crawl.run()

    return uvloop.run(run())


def fetcher_of(job: Job, replay: Path | None, since: Path | None) -> Fetcher:
    """The live web, or the one in a WARC, a WACZ or a folder; of either, what has changed since an earlier crawl."""
    web: Fetcher = ReplayFetcher(replay, job.limits) if replay else HttpFetcher(job.politeness, job.limits)
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
