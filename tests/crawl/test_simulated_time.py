"""Simulated time: several nodes that share hosts, without rests and with them, and the same crawl
no matter which process reads the pages.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, visits

from toponaut.crawl.start import start
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    StorageSection,
    render,
)
from toponaut.records import Outcome, Visit

NODES = NodesSection(geographic=2, general=1)
GOOD, OTHER = "http://good.test/", "http://other-{}.test/"
PAGES, OTHERS = 90, 12


def _export(folder: Path, pages: dict[str, str]) -> Path:
    lines = []
    for number, (url, body) in enumerate(pages.items()):
        (folder / f"{number}.html").write_text(
            f"<html><body>{body}</body></html>", encoding="utf-8"
        )
        lines.append(f"{url}\t{number}.html")
    (folder / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _text(draw: Random) -> str:
    """No two are near copies of each other."""
    return "".join(f"{draw.randrange(10**9):x} " for _ in range(50))


def _links(urls: Iterable[str]) -> str:
    return " ".join(f'<a href="{url}">more</a>' for url in urls)


@pytest.fixture(scope="module")
def one_good_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host of which every page has an address in Seattle, and many hosts that have nothing."""
    draw = Random(1)
    address = "Visit us: {} Pine Street, Seattle, WA 98101. "
    good = {f"{GOOD}{page}": address.format(100 + page) + _text(draw) for page in range(PAGES)}
    good[GOOD] = address.format(1) + _links(list(good))
    other = {}
    for host in range(OTHERS):
        other[OTHER.format(host)] = _text(draw) + _links(["/list"])
        other[f"{OTHER.format(host)}list"] = _text(draw) + _links(f"/{page}" for page in range(20))
        other |= {f"{OTHER.format(host)}{page}": _text(draw) for page in range(20)}
    return _export(tmp_path_factory.mktemp("good"), good | other)


def _many(wanted: Job, concurrent: int = 6, delay: float = 0.0) -> Job:
    """By hash of the URL: every node has links of every host."""
    politeness = replace(FAST, delay=delay, concurrent=concurrent)
    return replace(
        wanted,
        nodes=NODES,
        collaboration=CollaborationSection(strategy="hash"),
        politeness=politeness,
    )


def test_a_host_that_one_node_asks_is_not_lost_to_the_others(
    tmp_path: Path, one_good_host: Path
) -> None:
    """Its links come first in every node's frontier, so half of what is fetched at first is from
    there: each of three nodes has one of six visits under way.
    """
    seeds = [GOOD, *(OTHER.format(host) for host in range(OTHERS))]
    crawl(
        tmp_path / "c",
        _many(job(seeds, limits=LimitsSection(pages=2 * PAGES))),
        replay=one_good_host,
    )
    good = [
        visit for visit in visits(tmp_path / "c") if visit.url.startswith(GOOD) and visit.relevant
    ]
    by_node = Counter(visit.node for visit in good)
    assert len(good) > 0.8 * PAGES
    assert len(by_node) == 3
    assert min(by_node.values()) > PAGES / 5


def _synthetic(directory: Path, delay: float, workers: int = 0) -> list[Visit]:
    wanted = replace(
        _many(job((), limits=LimitsSection(pages=400)), 12, delay),
        storage=StorageSection(warc=False),
    )
    start(render(wanted), "job.toml", directory, synthetic=3, workers=workers)
    return visits(directory)


@pytest.fixture(scope="module", params=[0.0, 2.0], ids=["no rests", "rests"])
def rests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[float, list[Visit]]:
    return request.param, _synthetic(tmp_path_factory.mktemp("c") / "c", request.param)


def test_a_host_is_asked_by_one_node_at_a_time_and_rests_between(
    rests: tuple[float, list[Visit]],
) -> None:
    delay, log = rests
    by_host = defaultdict(list)
    for visit in log:
        if visit.outcome in (Outcome.FETCHED, Outcome.ROBOTS_FILE, Outcome.GONE):
            by_host[visit.url.split("/")[2]].append(visit)
    shared = [asked for asked in by_host.values() if len({visit.node for visit in asked}) > 1]
    assert len(shared) > 5
    for asked in by_host.values():
        for before, after in pairwise(asked):
            assert after.time - after.seconds - before.time >= delay - 1e-6


def test_time_advances_by_the_length_of_visits_and_many_run_at_once(
    rests: tuple[float, list[Visit]],
) -> None:
    delay, log = rests
    times = [visit.time for visit in log]
    assert times == sorted(times)
    took = sum(visit.seconds for visit in log)
    if not delay:
        assert took / 12 <= times[-1] < took


def test_the_reading_process_makes_no_difference(
    rests: tuple[float, list[Visit]], tmp_path: Path
) -> None:
    delay, log = rests
    reported = [(visit.url, visit.node, visit.outcome, visit.time, visit.promise) for visit in log]
    pooled = _synthetic(tmp_path / "pool", delay, workers=2)
    assert [
        (visit.url, visit.node, visit.outcome, visit.time, visit.promise) for visit in pooled
    ] == reported
