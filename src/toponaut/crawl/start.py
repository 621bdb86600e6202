"""Starts a crawl from a job file: on one machine or on a cluster, with a view of its progress."""

import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import uvloop
from msgspec.structs import replace
from rich.console import Console

from toponaut.crawl.alerts import AlertView
from toponaut.crawl.directory import Directory
from toponaut.crawl.journal import JournalView
from toponaut.crawl.pools import check_workers, reading_workers, with_ray
from toponaut.crawl.process import Interrupts, collecting_afterwards, give_back_large_buffers
from toponaut.crawl.progress import Progress
from toponaut.crawl.run import CrawlEnd, CrawlRun
from toponaut.crawl.view import CrawlBudget, JsonView, LiveView, NoView
from toponaut.crawl.webs import changing_fetcher_of, fetcher_of, open_web, seeds_of
from toponaut.errors import InputError
from toponaut.job import Job, load, render
from toponaut.job.targets import check_targets
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.seeds.for_job import with_seeds
from toponaut.store import folder_at
from toponaut.watch.delivery import DeliveryView
from toponaut.watch.plan import WatchPlan, check_pace, crawled_hosts
from toponaut.web.fetch import Fetcher

if TYPE_CHECKING:
    from toponaut.synthetic import SyntheticWeb

View = Literal["live", "json", "none"]
_FILES = 65_536
_NO_CONTACT = "site owners cannot reach you: set politeness.contact to your web or mail address"


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
    check_workers(workers, "Give 0 to read in the crawling process")
    text, job, made = _ready(text, name, directory, synthetic, console)
    _allow_many_connections()
    give_back_large_buffers()
    live = made is None and replay is None
    if live and not (job.politeness.contact or job.limits.private_networks):
        _print(console, _NO_CONTACT)
    budget = CrawlBudget(job.limits.pages, job.limits.seconds)
    watched = _watched(_view(view, console, budget), console, str(directory), alert, log_json)
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

    def make_web() -> Fetcher:
        return fetcher_of(job, made or replay, since, lambda line: _print(console, line))

    return _run_here(folder, text, job, make_web, workers, watched, interrupts)


def _ready(
    text: str, name: str, directory: Path | str, synthetic: int | None, console: Console
) -> "tuple[str, Job, SyntheticWeb | None]":
    """The job, checked, with its seeds found; and the synthetic web if it crawls one.

    The crawl keeps what the sources of its seeds know.
    """
    text, known = with_seeds(text, name, lambda source: _print(console, f"seeds: {source}"))
    job = load(text, name, seedless=synthetic is not None)
    check_targets(open_gazetteer(), job, text, name)
    made = None if synthetic is None else open_web(synthetic)
    if made and not job.seeds:
        job = replace(job, seeds=seeds_of(made, job))
        text = render(job)
    folder = folder_at(directory)
    if known and folder:
        from toponaut.seeds.known import keep_seeds

        keep_seeds(Directory(folder).given, known)
    return text, job, made


def start_watch(
    directory: Path,
    *,
    requests_per_day: int | None = None,
    days: float = 0.0,
    replay: Sequence[Path] = (),
    synthetic: int | None = None,
    workers: int | None = 0,
    view: View = "none",
    alert: str = "",
    log_json: Path | None = None,
    post: str = "",
    interrupts: Interrupts | None = None,
) -> CrawlEnd:
    """Watch the pages of a crawl: visit them again and again, and new ones, within a budget.

    `requests_per_day`: None for the job's. `days`: stop after so many; 0 for ever. `replay`: dated
    archives of the same sites, the oldest first. `post`: a URL that gets each change.
    """
    if replay and synthetic is not None:
        raise InputError("--replay and --synthetic name two webs", "Give one of them")
    console = Console(stderr=True, highlight=False)
    crawl = Directory(directory)
    job = crawl.read_job()
    per_day = requests_per_day or job.watch.requests_per_day
    check_pace(per_day, crawled_hosts(crawl.logs), job.politeness.delay)
    check_workers(workers, "Give 0 to read in the crawling process")
    _allow_many_connections()
    give_back_large_buffers()
    plan = WatchPlan(per_day, days, _asked_words(directory))
    watched = _watched(
        _view(view, console, CrawlBudget()), console, str(directory), alert, log_json, post
    )

    def make_web() -> Fetcher:
        return changing_fetcher_of(job, replay, synthetic, lambda line: _print(console, line))

    text = crawl.job.read_text(encoding="utf-8")
    with collecting_afterwards():
        return _run_here(directory, text, job, make_web, workers, watched, interrupts, plan)


def _asked_words(directory: Path) -> dict[str, float]:
    """The words of counted queries, with priorities."""
    from toponaut.app.query_counts import FILE, query_interests, read_counts  # crawls need none

    return query_interests(read_counts(directory / FILE), region=None)


def _run_here(
    folder: Path,
    text: str,
    job: Job,
    make_web: Callable[[], Fetcher],
    workers: int | None,
    watched: AbstractContextManager["_CrawlViews"],
    interrupts: Interrupts | None,
    plan: WatchPlan | None = None,
) -> CrawlEnd:
    """A crawl, or with a plan a watch, in this process."""

    async def run() -> CrawlEnd:
        web = make_web()  # here, because it belongs to the loop
        with watched as shown:
            many = reading_workers(workers)
            crawl = CrawlRun(
                folder, text, job, many, web,
                watch=shown.watch, say=shown.say, interrupts=interrupts, plan=plan,
            )  # fmt: skip
            return shown.ended(await crawl.run())

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
    view: NoView, console: Console, crawl: str, alert: str, log_json: Path | None, post: str = ""
) -> Iterator[_CrawlViews]:
    journal = JournalView(log_json) if log_json else None

    def say(line: str) -> None:
        _print(console, line)
        if journal:
            journal.write("message", text=line)

    alerts = AlertView(alert, crawl, say) if alert else None
    delivery = DeliveryView(Path(crawl), post, say) if post else None
    with ExitStack() as stack:
        views = [stack.enter_context(one) for one in (journal, view, alerts, delivery) if one]
        yield _CrawlViews(views, say, journal)


def _view(view: View, console: Console, budget: CrawlBudget) -> NoView:
    if view == "json":
        return JsonView(budget)
    return LiveView(console, budget) if view == "live" and console.is_terminal else NoView()


def _print(console: Console, line: str) -> None:
    console.print(f"toponaut: {line}", soft_wrap=True)
