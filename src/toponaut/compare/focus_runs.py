"""The crawls of one target on a folder of real sites, one after the other in one process.

First a complete crawl reads every page that can be reached: the truth for the oracle. Its pages are
kept, so that the other crawls spend their time on ordering alone. Each result is a file, and a
crawl with a result is not repeated; the crawls themselves are deleted.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from urllib.parse import quote

import msgspec
import uvloop
from msgspec import Struct
from msgspec.structs import replace

from toponaut.compare.remembering import RememberingReaders
from toponaut.crawl.directory import Directory
from toponaut.crawl.process import collecting_afterwards
from toponaut.crawl.run import CrawlRun
from toponaut.job import Job, render
from toponaut.measures.focus import FocusCurve, FocusTarget, may_be_action
from toponaut.measures.truth import WebTruth, oracle_harvest
from toponaut.page.reading.reader import PageReader
from toponaut.records import PAGES, Outcome, Visit
from toponaut.store.disk import make_directory, write_whole
from toponaut.strategy.plugin_files import with_version
from toponaut.timing import crawl_moment
from toponaut.urls import fingerprint, normalise
from toponaut.web.replay import ReplayFetcher

ENOUGH = 20  # relevant pages; a target with fewer shows nothing but chance
_NOT_FETCHES = frozenset({Outcome.SEEDED, Outcome.CONTROL, Outcome.ROBOTS_FILE})
_FIELDS = ("url", "outcome", "relevant", "time", "stamp", "links.url", "known")


class TargetTask(Struct, frozen=True):
    """The crawls of one target. `jobs`: by setting and ordering."""

    name: str
    jobs: dict[str, dict[str, Job]]
    complete: Job  # reads everything
    replay: Path
    out: Path
    fetches: int  # the oracle's


class _FocusResult(Struct, frozen=True):
    """A result, with the job and the web that it is of."""

    job: str
    web: str
    relevant: int
    curve: FocusCurve


def crawl_target(task: TargetTask) -> FocusTarget:
    """Crawl for a target in every setting with every ordering, if it has enough pages."""
    crawler = _TargetCrawler(task)
    best = crawler.result("oracle", task.complete, crawler.oracle)
    if best.relevant < ENOUGH:
        return FocusTarget(task.name, best.relevant, best.curve, {})
    crawls = {
        setting: {
            name: crawler.result(
                f"{quote(setting, safe='=,.')}/{quote(name, safe=':=')}", job, crawler.crawl
            ).curve
            for name, job in jobs.items()
        }
        for setting, jobs in task.jobs.items()
    }
    return FocusTarget(task.name, best.relevant, best.curve, crawls)


class _TargetCrawler:
    """Crawls one target's web."""

    def __init__(self, task: TargetTask) -> None:
        self._task = task
        self._web = ReplayFetcher(task.replay, task.complete.limits)
        self._readers = RememberingReaders(PageReader(task.complete))

    def result(
        self, name: str, job: Job, make: Callable[[Job], tuple[int, FocusCurve]]
    ) -> _FocusResult:
        """The result of an earlier comparison, if it was of the same job and web, or a new one."""
        path = self._task.out / f"{name}.json"
        text = with_version(render(job), job.ordering.strategy)
        web = str(self._task.replay)
        try:
            before = msgspec.json.decode(path.read_bytes(), type=_FocusResult)
            if (before.job, before.web) == (text, web):
                return before
        except (OSError, msgspec.DecodeError):
            pass
        result = _FocusResult(text, web, *make(job))
        make_directory(path.parent)
        write_whole(path, msgspec.json.encode(result))
        return result

    def crawl(self, job: Job) -> tuple[int, FocusCurve]:
        """A crawl's relevant pages, and when it found them."""
        hits: list[int] = []
        documents: set[str] = set()
        fetches = pages = actions = 0
        first = last = None
        for visit in self._visits(job):
            last = crawl_moment(visit.time, visit.stamp)
            first = last if first is None else first
            if visit.outcome not in _NOT_FETCHES:
                fetches += 1
                actions += may_be_action(visit.url)
            pages += visit.outcome in PAGES
            if visit.relevant and (document := self._document(visit.url)) not in documents:
                documents.add(document)
                hits.append(fetches)
        seconds = last - first if first is not None and last is not None else 0.0
        return len(hits), FocusCurve(tuple(hits), fetches, pages, seconds, actions)

    def oracle(self, complete: Job) -> tuple[int, FocusCurve]:
        """All relevant pages of a complete crawl, and when an oracle has them."""
        graph = _DocumentGraph()
        for visit in self._visits(complete):
            graph.add(self._document(visit.url), visit)
        seeds = [self._document(normalise(seed) or seed) for seed in complete.seeds]
        got = oracle_harvest(graph.truth(), seeds, self._task.fetches)
        hits = tuple(n for n in range(1, len(got)) if got[n] > got[n - 1])
        return len(graph.relevant), FocusCurve(hits, len(got) - 1)

    def _document(self, url: str) -> str:
        """A name for the content of a URL: equal for twins; the URL itself if it has no page."""
        digest = self._readers.documents.get(url)
        return digest.hex() if digest else url

    def _visits(self, job: Job) -> Iterator[Visit]:
        """Crawl, and read the log."""
        make_directory(self._task.out)
        root = Path(mkdtemp(prefix="crawl-", dir=self._task.out))
        run = CrawlRun(
            root, render(job), job, 0, self._web,
            watch=lambda _: None, say=lambda _: None, readers=self._readers,
        )  # fmt: skip
        try:
            with collecting_afterwards():
                end = uvloop.run(run.run())
            if end.interrupted:  # a part of a crawl is no result
                raise KeyboardInterrupt
            yield from Directory(root).logs.read(_FIELDS)
        finally:
            rmtree(root, ignore_errors=True)


class _DocumentGraph:
    """The documents of a complete crawl and their links."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}  # fingerprint of a URL -> document
        self._links: dict[str, list[int]] = {}
        self.relevant: set[str] = set()

    def add(self, document: str, visit: Visit) -> None:
        if not visit.url:
            return
        self._names[fingerprint(visit.url)] = document
        links = [*(fingerprint(link.url) for link in visit.links), *visit.known]
        self._links.setdefault(document, []).extend(links)
        if visit.relevant:
            self.relevant.add(document)

    def truth(self) -> WebTruth:
        """For the oracle. Links that were never fetched lead nowhere and are left out."""
        names = self._names
        links: Mapping[str, list[str]] = {
            document: list(dict.fromkeys(names[mark] for mark in marks if mark in names))
            for document, marks in self._links.items()
        }
        return WebTruth(self.relevant.__contains__, lambda document: links.get(document, []))


def complete_job(job: Job) -> Job:
    """A crawl that fetches every page the job's limits allow, in the order of their distance."""
    return replace(
        job,
        ordering=replace(job.ordering, strategy="breadth-first"),
        limits=replace(job.limits, pages=0, seconds=0, total_bytes=0),
    )
