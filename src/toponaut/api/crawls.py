"""Crawls: start one, open one, and ask it for its results."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from toponaut.api.collecting import collecting
from toponaut.api.filters import Box, make_wanted
from toponaut.api.jobs import job_text, without_line
from toponaut.api.results import OrganisationResults, Records, SearchResults
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.check import CheckReport
    from toponaut.crawl.explain import Explanation
    from toponaut.crawl.process import Interrupts
    from toponaut.crawl.run import CrawlEnd
    from toponaut.crawl.status import Status
    from toponaut.export.rows import AddressRow, PageRow
    from toponaut.export.run import ExportReport
    from toponaut.export.selection import CrawlLogs, ExportFilter, Selection
    from toponaut.index import Search
    from toponaut.index.write.update import IndexUpdate, OnVisits
    from toponaut.job import Job
    from toponaut.measures import Measures
    from toponaut.verify.run import VerifyReport
    from toponaut.watch.changes import Change


class Crawl:
    """A crawl's directory: its status, results, index and measures, also while it runs."""

    def __init__(self, directory: str | PathLike[str], end: "CrawlEnd | None" = None) -> None:
        self._given = directory
        self.end = end  # why the crawl stopped, if `toponaut.crawl` ran it
        self._search: Search | None = None

    def __repr__(self) -> str:
        log = self.status().log
        return f"<Crawl {self.directory}: {log.visits:,} visits, {log.relevant:,} relevant pages>"

    @cached_property
    def directory(self) -> Path:
        """Where the crawl is; of one in remote storage (s3://...), the local mirror."""
        return local_directory(self._given)

    @property
    def job(self) -> "Job":
        """The job, as it was last given."""
        from toponaut.crawl.directory import Directory

        return Directory(self.directory).read_job()

    def status(self) -> "Status":
        """Progress and statistics: pages, harvest, queue, outcomes, why it stopped."""
        from toponaut.crawl.status import status_of

        return status_of(self.directory)

    def explain(self, url: str) -> "Explanation":
        """What the crawl decided about a URL: where found, why then, why fetched or not."""
        from toponaut.crawl.explain import explain

        return explain(self.directory, url)

    def changes(
        self,
        *,
        since: str = "",
        kinds: Sequence[str] = (),
        place: str = "",
        category: str = "",
    ) -> "list[Change]":
        """What a watch has found: places that appeared, moved, closed; phones, hours, pages.

        `since`: a date ("2026-11-02") or days ago ("7d").
        """
        from toponaut.api.watching import changes_of

        return changes_of(self.directory, since, kinds, place, category)

    def check(
        self, *, repair: bool = False, progress: Callable[[int, int], None] = lambda *_: None
    ) -> "CheckReport":
        """Read every file and report what is wrong with log, archive and index.

        `repair` rebuilds what can be rebuilt. `progress` is called with the bytes read, of all.
        """
        from toponaut.check import check_crawl

        return check_crawl(self.directory, repair=repair, progress=progress)

    def control(self, action: str, *values: str) -> str:
        """Give a command to the crawl while it runs; returns what was done.

        "pause", "resume", "budget" with a number of pages (0: no limit), "exclude" with hosts or
        patterns, "seed" with URLs.
        """
        from toponaut.crawl.control import send_command

        return send_command(self.directory, action, values)

    # --- results -----------------------------------------------------------------------------

    def addresses(
        self,
        *,
        relevant_only: bool = False,
        in_targets: bool = False,
        min_confidence: float = 0.0,
        bbox: Box | None = None,
        place: str | int = "",
    ) -> "Records[AddressRow]":
        """The addresses found: one row for each organisation at each address, over all pages."""
        from toponaut.export import addresses
        from toponaut.export.rows import AddressRow

        wanted = make_wanted(relevant_only, in_targets, min_confidence, bbox, place)
        crawls, choice = self._chosen(wanted)
        visits = crawls.visits(addresses.FIELDS, lambda *_: None)
        found = addresses.rows(visits, choice, known=crawls.known_seeds())
        return Records(found, AddressRow)

    def pages(
        self,
        *,
        relevant_only: bool = False,
        in_targets: bool = False,
        min_confidence: float = 0.0,
        bbox: Box | None = None,
        place: str | int = "",
    ) -> "Records[PageRow]":
        """The pages fetched, each as last seen; with filters, those with such an address."""
        from toponaut.export import pages
        from toponaut.export.rows import PageRow

        wanted = make_wanted(relevant_only, in_targets, min_confidence, bbox, place)
        crawls, choice = self._chosen(wanted)
        visits = crawls.visits(pages.FIELDS, lambda *_: None)
        return Records(pages.rows(visits, choice), PageRow)

    def export(
        self,
        output: str | PathLike[str],
        *,
        format: str = "",
        what: Literal["", "addresses", "pages"] = "",
        relevant_only: bool | None = None,
        in_targets: bool = False,
        min_confidence: float = 0.0,
        bbox: Box | None = None,
        place: str | int = "",
        points: str | PathLike[str] = "",
        force: bool = False,
    ) -> "ExportReport":
        """Write addresses or pages to a file: a table, a database, a WARC or a WACZ.

        The file's ending gives the format. WARC and WACZ hold relevant pages only, unless
        `relevant_only` is False. `points` is a file of addresses with coordinates, or the URL of a
        geocoder of your own: addresses found there get the point of their house.
        """
        from toponaut.export.run import ExportRequest, export
        from toponaut.export.selection import RowKind

        wanted = make_wanted(relevant_only, in_targets, min_confidence, bbox, place)
        kind = RowKind(what) if what else None
        request = ExportRequest(format, Path(output), kind, wanted, force, points=fspath(points))
        return export([self.directory], request)

    def verify(
        self,
        places: str | PathLike[str],
        *,
        columns: Mapping[str, str] = MappingProxyType({}),
        pages: int = 0,
        replay: str | PathLike[str] | None = None,
        synthetic: int | None = None,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> "VerifyReport":
        """Check somebody's list of places: which are alive, moved or closed, which are missing?

        `places` is a CSV, GeoJSON or GeoParquet file; `columns` maps our names of its columns to
        others ({"name": "Titel"}). With `pages` the crawl is resumed first, from the websites of
        the list on, for up to that many pages.
        """
        from toponaut.api.verifying import verify

        return verify(self, places, columns, pages, _path(replay), synthetic, progress)

    def _chosen(self, wanted: "ExportFilter") -> "tuple[CrawlLogs, Selection]":
        from toponaut.export.selection import CrawlLogs, Selection
        from toponaut.places.gazetteer.cache import open_gazetteer

        crawls = CrawlLogs([self.directory])
        return crawls, Selection(wanted, open_gazetteer(), crawls.jobs)

    # --- search ------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        near: tuple[float, float] | None = None,
        place: int | None = None,
        limit: int = 10,
    ) -> SearchResults:
        """Search the pages by what and where: "pizza in lisbon". New pages are indexed first.

        `near` is where you are (latitude, longitude), for "near me". `place` is the id of a place
        that is meant, from `answer.others`; 0 searches for words only.
        """
        from toponaut.index import Question

        question = Question(query, near, place, limit=limit)
        return SearchResults(self._opened_search().ask(question))

    def organisations(
        self,
        query: str,
        *,
        near: tuple[float, float] | None = None,
        place: int | None = None,
        limit: int = 10,
    ) -> OrganisationResults:
        """As `search`, for organisations: one record at each address, as in `addresses()`."""
        from toponaut.index import Question
        from toponaut.index.query.organisations import OrganisationSearch
        from toponaut.places.gazetteer.cache import open_gazetteer

        crawls, choice = self._chosen(make_wanted(None, False, 0.0, None, ""))
        known = crawls.known_seeds()
        asked = OrganisationSearch(self._opened_search(), open_gazetteer(), choice, known)
        return OrganisationResults(asked.ask(Question(query, near, place, limit=limit)))

    def _opened_search(self) -> "Search":
        from toponaut.index import Search, index_folder
        from toponaut.places.gazetteer.cache import open_names

        self.make_searchable()
        if self._search is None:
            self._search = Search(index_folder(self.directory), open_names())
        self._search.refresh()
        return self._search

    def make_searchable(
        self,
        on_visits: "OnVisits" = lambda _: None,
        complain: Callable[[str], None] = lambda cause: warnings.warn(cause, stacklevel=3),
    ) -> None:
        """Add what is new to the index. If that fails, an existing index is used."""
        from toponaut.index.write.update import is_outdated, prepare_index

        if is_outdated(self.directory):
            prepare_index(self.directory, on_visits, complain)

    def index(
        self,
        *,
        follow: bool = False,
        workers: int | None = 0,
        cluster: str = "",
        on_visits: "OnVisits" = lambda _: None,
    ) -> "IndexUpdate":
        """Build the index, or add what is new. `follow` continues until the crawl ends."""
        from toponaut.crawl.directory import Directory
        from toponaut.crawl.pools import pool_for
        from toponaut.index.write.update import update_index

        with pool_for(Directory(self.directory), workers, cluster) as pool:
            return update_index(self.directory, on_visits, follow, pool)

    # --- measures ----------------------------------------------------------------------------

    def measure(
        self,
        *,
        against: "str | PathLike[str] | Crawl | None" = None,
        synthetic: int | None = None,
        k: int = 2,
        m: float = 10.0,
        download_cost: float = 1.0,
        message_cost: float = 0.01,
    ) -> "Measures":
        """Measure the crawl by its log: coverage, focus, harvest, overlap, completeness and more.

        `against` is another crawl of the same targets: it helps to estimate how much both missed.
        `synthetic` is the seed of the synthetic web that was crawled: it adds the true figures.
        """
        from toponaut.compare.measuring import MeasureOptions, measure_directory

        truth = None
        if synthetic is not None:
            from toponaut.api.truth import truth_of

            truth = truth_of(synthetic, self.job)
        if against is not None:
            against = against.directory if isinstance(against, Crawl) else local_directory(against)
        return measure_directory(
            self.directory, MeasureOptions(k, m, download_cost, message_cost, against, truth)
        )


def open(directory: str | PathLike[str]) -> Crawl:
    """Open a crawl by its directory, or by its URL (s3://...). It may be running."""
    (crawl := Crawl(directory)).job  # noqa: B018 - an InputError if there is none
    return crawl


@collecting
def crawl(
    job: "str | PathLike[str] | Mapping[str, Any] | Job",
    directory: str | PathLike[str],
    *,
    replay: str | PathLike[str] | None = None,
    synthetic: int | None = None,
    since: str | PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str = "",
    progress: bool | Literal["json"] = False,
    alert: str = "",
    log_json: str | PathLike[str] | None = None,
) -> Crawl:
    """Start a crawl, or resume an interrupted one. Returns when it has stopped.

    `job` is the path of a job file, a dict with the same keys, or a Job. `replay` crawls a WARC, a
    WACZ or a folder of pages instead of the live web, `synthetic` the synthetic web of that seed.
    `since` is an earlier crawl or a WARC: pages that have not changed are not sent again.
    `workers` is the number of extra parser processes (None: one per other core), `cluster` the
    address of a Ray cluster ("auto"). `progress` shows a live table; "json" prints a line a
    second. `alert` is a command or URL that gets alerts (a stall, a full disk, many errors),
    `log_json` a file for messages and progress as JSON lines.

    Ctrl-C stops after the requests in flight. The crawl is returned; `end.interrupted` is true.
    """
    from toponaut.crawl.start import View, start

    text, name = job_text(job)
    view: View = "json" if progress == "json" else "live" if progress else "none"

    def run(interrupts: "Interrupts") -> "CrawlEnd":
        return start(
            text,
            name,
            directory if isinstance(directory, str) else Path(directory),
            replay=_path(replay),
            synthetic=synthetic,
            since=_path(since),
            workers=workers,
            view=view,
            cluster=cluster,
            alert=alert,
            log_json=_path(log_json),
            interrupts=interrupts,
        )

    try:
        end = outside_loops(run)
    except InputError as error:
        raise error if isinstance(job, str | PathLike) else without_line(error) from error
    return Crawl(directory, end)


def local_directory(directory: str | PathLike[str]) -> Path:
    """The directory of a crawl; for one in remote storage (s3://...), that of its mirror."""
    if "://" not in str(directory):
        return Path(directory)
    from toponaut.store.mirror import local_root

    return local_root(str(directory))


def _path(path: str | PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)


def outside_loops(run: "Callable[[Interrupts], CrawlEnd]") -> "CrawlEnd":
    """Runs a crawl with its own event loop: in a thread where a loop is running (a notebook)."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from toponaut.crawl.process import Interrupts

    interrupts = Interrupts()
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run(interrupts)
    with ThreadPoolExecutor(1, "crawl") as thread:
        future = thread.submit(run, interrupts)
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                if future.done():
                    raise
                interrupts.send()
