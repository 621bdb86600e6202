"""Starts a crawl from a job file: on one machine or on a cluster, with a view of its progress."""

import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import uvloop
from msgspec.structs import replace
from rich.console import Console

from toponaut.crawl.alerts import AlertView
from toponaut.crawl.journal import JournalView
from toponaut.crawl.pools import check_workers, reading_workers, with_ray
from toponaut.crawl.process import Interrupts, collecting_afterwards, give_back_large_buffers
from toponaut.crawl.progress import Progress
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
    alert: str = "",
    log_json: Path | None = None,
    interrupts: Interrupts | None = None,
) -> CrawlEnd:
    """Start the crawl of a job in a directory, or resume it there.

    `text`, `name`: the content of the job file, and its name for messages. `directory`: on a
    cluster also a URL (s3://...). `workers`: None for one per core, except the crawler's own.
    `cluster`: the address of a Ray cluster, "auto" for the one that this machine belongs to.
    `alert`: a command or URL for alerts; `log_json`: a file for messages and progress.
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

    watched = _watched(_view(view, console), console, str(directory), alert, log_json)
    if cluster:
        from toponaut.cluster.setup import cluster_setup

        driving = with_ray("driver")
        setup = cluster_setup(
            directory, job, workers=workers, synthetic=synthetic, replay=replay, since=since
        )
        with watched as shown:
            return shown.ended(
                driving.crawl_on(cluster, setup, text, shown.watch, shown.say, interrupts)
            )

    if (folder := folder_at(directory)) is None:
        raise InputError(
            f"{directory} is not a directory on this machine",
            "Crawl there on a cluster: --cluster auto",
        )

    async def run() -> CrawlEnd:
        # Here, because it belongs to the loop.
        web = fetcher_of(job, made or replay, since, lambda line: _print(console, line))
        with watched as shown:
            many = reading_workers(workers)
            crawl = CrawlRun(
                folder, text, job, many, web,
                watch=shown.watch, say=shown.say, interrupts=interrupts,
            )  # fmt: skip
            return shown.ended(await crawl.run())

    with collecting_afterwards():
        return uvloop.run(run())


def _allow_many_connections() -> None:
    """Idle connections stay open for 15 s: more than the usual limit of 1,024 files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, _FILES)), hard))


class _CrawlViews(NamedTuple):
    """Everything that watches a crawl: the terminal, a JSON log, alerts."""

    views: list[NoView]
    say: Callable[[str], None]
    journal: JournalView | None

    def watch(self, ask: Callable[[], Progress]) -> None:
        for view in self.views:
            view.watch(ask)

    def ended(self, end: CrawlEnd) -> CrawlEnd:
        if self.journal:
            self.journal.end(end.why, end.progress)
        return end


@contextmanager
def _watched(
    view: NoView, console: Console, crawl: str, alert: str, log_json: Path | None
) -> Iterator[_CrawlViews]:
    journal = JournalView(log_json) if log_json else None

    def say(line: str) -> None:
        _print(console, line)
        if journal:
            journal.write("message", text=line)

    alerts = AlertView(alert, crawl, say) if alert else None
    with ExitStack() as stack:
        views = [stack.enter_context(one) for one in (journal, view, alerts) if one]
        yield _CrawlViews(views, say, journal)


def _view(view: View, console: Console) -> NoView:
    if view == "json":
        return JsonView()
    return LiveView(console) if view == "live" and console.is_terminal else NoView()


def _print(console: Console, line: str) -> None:
    console.print(f"toponaut: {line}", soft_wrap=True)
