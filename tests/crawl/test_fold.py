"""A crawl that is killed forgets nothing that it learned: what the next run folds from the log is
what the killed one knew.

Checked at several moments of a crawl that waits for its best hosts, with a learning ordering: the
log is copied as a kill would leave it, and opened next to the running crawl.
"""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, job
from tests.support.little_web import export, little_web

from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.drive import OrderedDrive
from toponaut.crawl.fold import LogFold
from toponaut.crawl.limits import JobLimits
from toponaut.crawl.local_crawl import LocalCrawl
from toponaut.crawl.strategies import Strategies
from toponaut.crawl.webs import fetcher_of
from toponaut.job import Job, LimitsSection, NodesSection, render
from toponaut.log import LogWriter
from toponaut.node import Node
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.records import Outcome, ScoredLink, Visit
from toponaut.timing import SimulatedTime
from toponaut.urls import fingerprints

LITTLE = little_web(seed=7, hosts=12, pages=300)
MOMENTS = (30, 90, 150, 200)  # visits
# Of the gate: the job decides about these, or the clocks of hosts, which a new run starts anew; and
# each run has a secret key, which decides about the places in arrays.
_NOT_LEARNED = ("_filter", "_clocks", "_enough", "_key", "_names")


def wanted(nodes: int) -> Job:
    limits = LimitsSection(private_networks=True, pages=180, patience=600)
    politeness = replace(FAST, delay=1.0, concurrent=8)
    usual = job([LITTLE.seed], ordering="combined", limits=limits, politeness=politeness)
    return replace(usual, nodes=NodesSection(geographic=nodes))


def open_crawl(folder: Path, web: Path, wanted: Job, readers: Readers) -> LocalCrawl:
    directory = Directory(folder)
    fetcher = fetcher_of(wanted, web, None)
    strategies = Strategies(wanted, directory.given)
    return LocalCrawl(directory, strategies, fetcher, readers, SimulatedTime(), pytest.fail)


def learned(one: Any) -> Any:
    """Everything that an object holds, in comparable form."""
    if isinstance(one, np.ndarray):
        return np.sort(one).tobytes()
    if isinstance(one, dict):
        return {key: learned(value) for key, value in one.items() if value != 0}
    if hasattr(one, "__dict__"):
        fields = vars(one).items()
        return {key: learned(value) for key, value in fields if key not in _NOT_LEARNED}
    return one


def promises(node: Node, urls: list[str]) -> dict[str, float]:
    found = node.frontier.promises(node.frontier.keyed(urls), fingerprints(urls))
    return {url: one for url, one in zip(urls, found, strict=True) if one is not None}


def compare(live: LocalCrawl, again: LocalCrawl) -> int:
    """Compares two crawls at the end of the same log; returns the number of waiting links."""
    for name, parts in (("totals", 0), ("gate", 0), ("ordering", 1), ("collaboration", 1)):
        ours, theirs = getattr(live.parts, name), getattr(again.parts, name)
        if parts:
            assert ours.dump() == theirs.dump(), name
        else:
            assert learned(ours) == learned(theirs), name
    log = read_log(live)
    links = {link.url for visit in log for link in visit.links}
    waiting = 0
    for ours, theirs in zip(live.nodes, again.nodes, strict=True):
        before, after = promises(ours, sorted(links)), promises(theirs, sorted(links))
        assert before.keys() <= after.keys()
        assert len(after.keys() - before.keys()) <= ours.frontier.busy  # in flight: fetched again
        assert not after.keys() & {visit.url for visit in log if visit.node == ours.name}
        # A promise that has fallen is found out again when its turn comes.
        assert all(before[url] <= after[url] for url in before)
        waiting += len(after)
    return waiting


def read_log(crawl: LocalCrawl) -> list[Visit]:
    return list(Directory(crawl.log.directory.parents[1]).logs.read())


@pytest.mark.parametrize("nodes", [1, 3])
def test_a_fold_of_the_log_knows_what_the_killed_crawl_knew(tmp_path: Path, nodes: int) -> None:
    web = export(LITTLE, tmp_path / "web")
    waiting: list[int] = []

    async def run() -> None:
        text, readers = render(wanted(nodes)), await open_readers(wanted(nodes), 0)
        live_folder, copy = tmp_path / "live", tmp_path / "copy"
        with Directory(live_folder).open(text, wanted(nodes)):
            live = open_crawl(live_folder, web, wanted(nodes), readers)

            def settled() -> None:
                if live.parts.totals.visits in MOMENTS:
                    assert live.archive
                    live.archive.sync()
                    live.log.sync()
                    shutil.rmtree(copy, ignore_errors=True)
                    shutil.copytree(live_folder, copy, ignore=shutil.ignore_patterns("state"))
                    with LogWriter(copy / "log", LOG) as log:
                        log.seal()  # then only some columns are read
                    with Directory(copy).open(text, wanted(nodes)):
                        again = open_crawl(copy, web, wanted(nodes), readers)
                        waiting.append(compare(live, again))
                        again.close(settled_all=False)

            limits = JobLimits(wanted(nodes).limits, live.parts.totals, live.parts.time)
            await OrderedDrive(live.nodes, limits, settled).run()
            live.close(settled_all=True)
        await readers.close()

    asyncio.run(run())
    assert len(waiting) == len(MOMENTS)
    assert min(waiting) > 10


EARLY, LATE, OTHER = "http://slow.test/early", "http://slow.test/late", "http://rules.test/1"


def found(sequence: int, *links: str) -> Visit:
    scored = tuple(ScoredLink(link, 0.5, ("Cn1",)) for link in links)
    url = f"http://a.test/{sequence}"
    return Visit(sequence, "Cn1", url, 200, Outcome.FETCHED, links=scored)


def waiting_after(folder: Path, log: Sequence[Visit]) -> set[str]:
    """Which of three links wait in a frontier that is rebuilt from these visits."""

    async def run() -> set[str]:
        readers = await open_readers(wanted(1), 0)
        with Directory(folder / "c").open(render(wanted(1)), wanted(1)):
            crawl = open_crawl(folder / "c", export(LITTLE, folder / "web"), wanted(1), readers)
            LogFold(crawl.parts, crawl.nodes, [], rebuild=True).add(log)
            waiting = set(promises(crawl.nodes[0], [EARLY, LATE, OTHER]))
            crawl.close(settled_all=False)
        await readers.close()
        return waiting

    return asyncio.run(run())


def test_links_found_after_their_host_was_given_up_wait(tmp_path: Path) -> None:
    """An earlier run gave a host up; a later one found a link to it. Both are in one batch."""
    dead = Visit(2, "Cn1", "http://slow.test/", 0, Outcome.TIMEOUT, dropped=1)
    log = [found(1, EARLY, OTHER), dead, found(3, LATE)]
    assert waiting_after(tmp_path, log) == {LATE, OTHER}


def test_a_host_whose_rules_are_elsewhere_is_given_up_and_not_the_other(tmp_path: Path) -> None:
    url, why = "http://rules.test/mine", Outcome.TIMEOUT
    dead = Visit(2, "Cn1", url, 0, why, dropped=1, rules_of="http://slow.test")
    assert waiting_after(tmp_path, [found(1, EARLY, OTHER), dead]) == {OTHER}
