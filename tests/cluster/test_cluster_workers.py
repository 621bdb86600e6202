"""Workers of a cluster in one process, without Ray: the pages they fetch, also when some die."""

import asyncio
import gc
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job
from tests.support.little_web import LittleWeb
from tests.support.local_cluster import DirectCalls, LocalCluster

from toponaut.errors import InputError
from toponaut.job import CollaborationSection, Job, LimitsSection, NodesSection
from toponaut.log import Logs
from toponaut.records import Outcome, Visit
from toponaut.timing import RunningSimulatedTime
from toponaut.urls import host_of


def wanted(little: LittleWeb, shards: int = 1, pages: int = 0) -> Job:
    return replace(
        job(
            [little.seed],
            ordering="breadth-first",
            limits=LimitsSection(private_networks=True, depth=0, pages=pages),
        ),
        nodes=NodesSection(geographic=2, general=1, shards=shards),
        collaboration=CollaborationSection(strategy="hash"),
    )


def visits(root: Path) -> list[Visit]:
    return list(Logs(root / "log").read())


def fetched(root: Path) -> Counter[tuple[str, str]]:
    return Counter(
        (visit.node, visit.url) for visit in visits(root) if visit.outcome is Outcome.FETCHED
    )


@pytest.mark.parametrize(("shards", "losses"), [(2, 0.0), (1, 0.2)])
def test_workers_fetch_the_pages_of_one_process(
    tmp_path: Path, little: LittleWeb, folder: Path, shards: int, losses: float
) -> None:
    asked = wanted(little, shards)
    asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disks", asked, folder).run(losses))
    crawl(tmp_path / "one", asked, replay=folder)
    assert fetched(tmp_path / "many") == fetched(tmp_path / "one")
    seen = {visit.sequence: k for k, visit in enumerate(visits(tmp_path / "many"))}
    assert len(seen) == len(visits(tmp_path / "many"))
    for visit in visits(tmp_path / "many"):
        assert visit.found_by < 0 or seen[visit.found_by] < seen[visit.sequence]


def test_nothing_is_lost_when_workers_die(tmp_path: Path, little: LittleWeb, folder: Path) -> None:
    asked = wanted(little)
    asyncio.run(
        LocalCluster(tmp_path / "many", tmp_path / "disks", asked, folder).run(0.1, kill=True)
    )
    crawl(tmp_path / "one", asked, replay=folder)
    assert fetched(tmp_path / "many") == fetched(tmp_path / "one")
    assert len(Logs(tmp_path / "many" / "log").parts()) > 4 + 1


def test_the_page_limit_holds_and_a_crawl_resumes_from_its_logs(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    asyncio.run(
        LocalCluster(tmp_path / "many", tmp_path / "disks", wanted(little, pages=40), folder).run()
    )
    assert sum(fetched(tmp_path / "many").values()) == 40
    with pytest.raises(InputError, match="on a cluster"):
        crawl(tmp_path / "many", wanted(little), replay=folder)
    asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disks2", wanted(little), folder).run())
    assert set(fetched(tmp_path / "many").values()) == {1}
    assert {url for _, url in fetched(tmp_path / "many")} == little.pages


def test_a_worker_that_ends_before_its_loops_run_leaves_no_coroutine(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    """On a busy machine a new task may not have run yet: no coroutine may be left unawaited."""

    async def begin() -> None:
        crawl = LocalCluster(tmp_path / "many", tmp_path / "disks", wanted(little), folder)
        worker = await crawl.begin(crawl.layout.actors[0])
        worker.start(DirectCalls(crawl.workers))
        await worker.abandon()

    asyncio.run(begin())
    gc.collect()


def test_running_simulated_time_advances_by_itself_and_jumps() -> None:
    """The drive looks again a moment later, and in stopped time that moment never comes."""

    async def look() -> tuple[float, float, float, float]:
        simulated = RunningSimulatedTime()
        simulated.advance_to(1000.0)
        began = simulated.now()
        await asyncio.sleep(0.02)
        later = simulated.now()
        await simulated.sleep_until(5000.0)
        jumped = simulated.now()
        await simulated.sleep_until(4000.0)
        return began, later, jumped, simulated.now()

    began, later, jumped, last = asyncio.run(look())
    assert 1000.0 <= began < later < 2000.0
    assert 5000.0 <= jumped <= last < 6000.0


def test_a_disk_failure_is_reported_with_cause_and_fix(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    for disk in ("1", "2", "3"):
        (tmp_path / "disks" / disk).mkdir(parents=True)
        (tmp_path / "disks" / disk / "archive").write_text("")  # where a folder is to be

    async def begin() -> str:
        crawl = LocalCluster(tmp_path / "many", tmp_path / "disks", wanted(little), folder)
        calls = DirectCalls(crawl.workers)
        workers = [await crawl.begin(actor) for actor in crawl.layout.actors]
        for worker in workers:
            worker.start(calls)
            worker.report(-1)
        async with asyncio.timeout(300):
            while not any(worker.trouble for worker in workers):
                await asyncio.sleep(0.05)
        await asyncio.gather(*(worker.abandon() for worker in workers))
        return next(worker.trouble for worker in workers if worker.trouble)

    reported = asyncio.run(begin())
    assert "archive cannot be written (File exists)" in reported
    assert "Everything written is safe: fix the cause and repeat the command" in reported


def test_pages_of_a_host_are_counted_for_all_nodes_together(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    asked = wanted(little)
    asked = replace(asked, limits=replace(asked.limits, pages_per_host=6))
    asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disks", asked, folder).run())
    pages = Counter(host_of(url) for _, url in fetched(tmp_path / "many").elements())
    assert len(pages) == 6
    assert max(pages.values()) >= 6
    # While one node reads its last page, the clock goes on to another: one more for each of the
    # other two.
    assert max(pages.values()) <= 6 + 2
