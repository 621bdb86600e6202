"""Crawls that are killed at random moments, and lose what a power cut would take: in the end
nothing is missing.

Each test is a crawl that is killed several times, and started again with the same command each
time, until nothing is left to fetch. Then its pages and links are those of a crawl that nobody
disturbed, nothing that was in the log at a kill has been asked for again, and the archive is whole.
TOPONAUT_KILLS says how many kills there are, TOPONAUT_CUTS how many power cuts. The moments are
drawn from the number of the crawl, which is the test's parameter.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, edges, job, urls, visits
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.victims import Victim, logged
from tests.support.webserver import Access, TestWeb, WebProcess

from toponaut.archive import read_answer
from toponaut.crawl.directory import LOG
from toponaut.frontier import Frontier
from toponaut.job import Job, LimitsSection, StorageSection
from toponaut.log import LogWriter
from toponaut.records import Outcome, Visit

KILLS = int(os.environ.get("TOPONAUT_KILLS", "2"))
CUTS = int(os.environ.get("TOPONAUT_CUTS", str(KILLS)))
SOAK = KILLS + CUTS > 4
# Hosts are slow, so that CPU goes into kills rather than pages: a crawl of the soak gets at most 50
# pages a second, and a kill costs it a second. In `make test`, which kills twice, a crawl takes two
# seconds and fills one archive.
HOSTS, ANSWER_S = 10, 0.2 if SOAK else 0.1
PAGES, KILLS_EACH, ARCHIVES = (700, 20, 2) if SOAK else (170, 2, 1)
ROUNDS = [
    pytest.param(
        lose_power, number, min(KILLS_EACH, many - number * KILLS_EACH), id=f"{kind}-{number}"
    )
    for kind, lose_power, many in (("kill", False, KILLS), ("power", True, CUTS))
    for number in range(-(-many // KILLS_EACH))
]


class Undisturbed(NamedTuple):
    """The expected result of a crawl."""

    pages: set[str]
    edges: set[tuple[str, int]]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with WebProcess(
        tmp_path_factory.mktemp("web"), seed=5, hosts=HOSTS, pages=PAGES, delay=ANSWER_S
    ) as served:
        yield served


ORDERINGS = ("combined", "breadth-first")


def wanted(little: LittleWeb, seal_seconds: int = 1, ordering: str = "combined") -> Job:
    """Small archives, a segment of the log each second: kills are to meet all that a long
    crawl does.
    """
    # A page's depth depends on which link to it came first, so no page is refused for it. With so
    # narrow a budget there is a price as soon as most links are found.
    limits = LimitsSection(
        private_networks=True, depth=0, pages=len(little.pages) + 1, patience=3600
    )
    usual = job([little.seed], limits=limits, ordering=ordering)
    return replace(usual, storage=StorageSection(seal_seconds=seal_seconds, warc_bytes=1_000_000))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    directory = tmp_path_factory.mktemp("undisturbed") / "c"
    little = little_web(seed=5, hosts=HOSTS, pages=PAGES)
    with TestWeb(little.sites) as fast:
        crawl(directory, wanted(little), proxy=fast.proxy)
    found = Undisturbed(set(urls(directory, Outcome.FETCHED)), edges(directory))
    assert found.pages == little.pages
    assert any(visit.price for visit in visits(directory))
    return found


def check(victim: Victim, undisturbed: Undisturbed) -> None:
    directory, log = victim.directory, visits(victim.directory)
    fetched = urls(directory, Outcome.FETCHED)
    assert len(fetched) == len(set(fetched))
    assert set(fetched) == undisturbed.pages, victim.story(set(fetched) ^ undisturbed.pages)
    assert edges(directory) == undisturbed.edges
    assert [visit.sequence for visit in log] == list(range(len(log)))
    end = logged(log)
    for run in victim.kills:
        assert len(run.log) >= run.said.visits, run
        assert end[: len(run.log)] == run.log, run
    again = check_requests(victim)
    check_archive(directory / "archive", log)
    kinds = Counter(run.moment.partition(" ")[0] for run in victim.kills)
    moments = ", ".join(f"{many} {kind}" for kind, many in sorted(kinds.items()))
    print(
        f"{len(victim.kills)} deaths ({moments}), {len(fetched)} pages, {again} asked for again, "
        f"at most {max((run.repeatable_s for run in victim.kills), default=0):.1f} s of them"
    )


def check_requests(victim: Victim) -> int:
    """What is asked for again was asked for since the last commit, or was under way: never what the
    log knows of. Returns how many requests were repeated.
    """
    again, later = 0, set[str]()
    for run in reversed(victim.runs):
        asked = {access.url: access.time for access in pages(run.asked)}
        assert len(asked) == len(pages(run.asked)), run  # none twice by one run
        if run.moment:
            lost = asked.keys() & later
            assert not lost & {visit.url for visit in run.log}, victim.story(lost)
            early = {url for url in lost if asked[url] < run.said.time}
            assert len(early) <= run.said.busy, victim.story(early)
            again += len(lost)
        later |= asked.keys()
    return again


def pages(accesses: Sequence[Access]) -> list[Access]:
    """Without the rules of hosts: they are not remembered, so each run asks for them."""
    return [access for access in accesses if access.path != "/robots.txt"]


def check_archive(archive: Path, log: Sequence[Visit]) -> None:
    """Valid, and the log and the index lead to the same answers."""
    warcs = sorted(archive.glob("*.warc.gz"))
    assert len(warcs) >= ARCHIVES
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", *map(str, warcs)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    stored = [visit for visit in log if visit.archive]
    assert {visit.url for visit in log if visit.outcome is Outcome.FETCHED} <= {
        visit.url for visit in stored
    }
    for visit in stored:
        assert read_answer(archive / visit.archive, visit.offset, visit.length).url == visit.url
    lines = [
        line
        for warc in warcs
        for line in warc.with_name(warc.name[:12] + "cdxj").read_text().splitlines()
    ]
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    assert sorted(
        (entry["filename"], int(entry["offset"]), entry["url"]) for entry in entries
    ) == sorted((visit.archive, visit.offset, visit.url) for visit in stored)


@pytest.mark.parametrize(("lose_power", "number", "left"), ROUNDS)
def test_a_killed_crawl_resumes(
    tmp_path: Path,
    web: WebProcess,
    undisturbed: Undisturbed,
    lose_power: bool,
    number: int,
    left: int,
) -> None:
    rng = random.Random(f"{number} {lose_power}")
    while left:  # a crawl that came to its end before its last kill is followed by another
        # If each commit is sealed at once, none is seen to rely on the tail alone.
        wants = wanted(web.web, rng.choice((1, 2)), ORDERINGS[number % len(ORDERINGS)])
        victim = Victim(tmp_path / str(left), web, wants, lose_power, rng)
        try:
            while left and victim.run(kill=True):
                left -= 1
            if not left:
                victim.run(kill=False)
            check(victim, undisturbed)
        except AssertionError as error:
            error.add_note(victim.story())
            raise
        shutil.rmtree(tmp_path / str(left), ignore_errors=True)


# --- clean stops ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> tuple[LittleWeb, Path]:
    """A web on which time is simulated: two crawls are equal, order included."""
    little = little_web(seed=6, hosts=5, pages=60)
    return little, export(little, tmp_path_factory.mktemp("replayed"))


def limited(little: LittleWeb, pages: int, concurrent: int, ordering: str = "link-distance") -> Job:
    limits = LimitsSection(private_networks=True, depth=0, pages=pages)
    polite = replace(FAST, concurrent=concurrent)
    return job([little.seed], politeness=polite, limits=limits, ordering=ordering)


def order(directory: Path) -> list[str]:
    """Requests in their order. Rules are asked for again by each run, so they are left out."""
    return [
        visit.url
        for visit in visits(directory)
        if visit.url and not visit.url.endswith("/robots.txt")
    ]


@pytest.mark.parametrize(
    ("state", "ordering"),
    [
        ("kept", "link-distance"),
        ("deleted", "link-distance"),
        ("older", "link-distance"),
        ("kept", "combined"),
        ("deleted", "combined"),
        ("older", "combined"),
    ],
)
def test_a_resumed_crawl_continues_in_the_same_order(
    tmp_path: Path, replayed: tuple[LittleWeb, Path], state: str, ordering: str
) -> None:
    """Also if frontier and models are older than the log, as after a kill."""
    little, folder = replayed
    kept, older = tmp_path / "parts" / "state", tmp_path / "older"
    crawl(tmp_path / "whole", limited(little, 0, concurrent=1, ordering=ordering), replay=folder)
    for pages in (1, 30, 31):
        ended = crawl(
            tmp_path / "parts",
            limited(little, pages, concurrent=1, ordering=ordering),
            replay=folder,
        )
        assert ended.progress.pages == pages
        assert (
            order(tmp_path / "parts") == order(tmp_path / "whole")[: len(order(tmp_path / "parts"))]
        )
        if state == "older" and not older.exists():
            shutil.copytree(kept, older)
        elif state != "kept":
            shutil.rmtree(kept)
            if state == "older":
                shutil.copytree(older, kept)
    crawl(tmp_path / "parts", limited(little, 0, concurrent=1, ordering=ordering), replay=folder)
    assert order(tmp_path / "parts") == order(tmp_path / "whole")
    assert edges(tmp_path / "parts") == edges(tmp_path / "whole")


@pytest.mark.parametrize("delete_state", [False, True], ids=["kept", "deleted"])
def test_with_many_requests_at_once_a_stop_changes_the_order_and_nothing_else(
    tmp_path: Path, replayed: tuple[LittleWeb, Path], delete_state: bool
) -> None:
    """Before a stop what is under way comes to its end, and its links compete for the next turn:
    without the stop that turn would have been taken before.
    """
    little, folder = replayed
    crawl(tmp_path / "whole", limited(little, 0, concurrent=64), replay=folder)
    for pages in (7, 40, 0):
        crawl(tmp_path / "parts", limited(little, pages, concurrent=64), replay=folder)
        if delete_state:
            shutil.rmtree(tmp_path / "parts" / "state")
    assert sorted(order(tmp_path / "parts")) == sorted(order(tmp_path / "whole"))
    assert edges(tmp_path / "parts") == edges(tmp_path / "whole")


def test_after_a_clean_stop_the_frontier_is_at_the_end_of_the_log(
    tmp_path: Path, replayed: tuple[LittleWeb, Path]
) -> None:
    little, folder = replayed
    ended = crawl(tmp_path / "c", limited(little, 20, concurrent=8), replay=folder)
    (state,) = (tmp_path / "c" / "state").glob("frontier-*")
    wanted = limited(little, 0, concurrent=8)
    frontier = Frontier(state, wanted.random_seed, wanted.politeness.per_domain)
    with LogWriter(tmp_path / "c" / "log", LOG) as log:
        assert frontier.position == log.position
    assert len(frontier) == ended.progress.queued > 0
