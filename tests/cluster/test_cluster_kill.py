"""A crawl on a real Ray cluster whose parts are killed at random moments: in the end nothing is
missing, and nobody was harmed.

The parts are machines (raylets), node actors, the keeper of clocks and the driver.
TOPONAUT_CLUSTER_KILLS says how many kills of each kind there are: one in `make test`, ten in `make
soak`. The moments are drawn from the number of the crawl. The web is a real server, which notes who
asked for what and when; a crawl in one process that nobody disturbs says what is to come out.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from tests.cluster.conftest import KILLS
from tests.support.access_log import impolite
from tests.support.crawling import command, crawl, edges, job, run_here, visits
from tests.support.little_web import LittleWeb
from tests.support.machines import Machines
from tests.support.webserver import Access, TestWeb, WebProcess

from toponaut.archive import read_answer
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    PolitenessSection,
    StorageSection,
    render,
)
from toponaut.log.epochs import Epoch, epoch_of, epochs
from toponaut.records import Outcome, Visit
from toponaut.store import open_store

KINDS = ("node", "keeper", "driver", "machine")
KILLS_EACH = 2  # of each kind in one crawl
ROUNDS = range(-(-KILLS // KILLS_EACH))

DELAY_S = 0.2
BETWEEN_S = (0.1, 1.0) if KILLS == 1 else (1.0, 9.0)  # two kills
SEAL_S = 2
BUSY_S = 10.0  # what a machine with other things to do may need for a page that has come
PATIENCE_S = 240.0


class Undisturbed(NamedTuple):
    """The expected result of a crawl."""

    fetched: Counter[tuple[str, str]]
    edges: set[tuple[str, int]]


def wanted(little: LittleWeb, delay: float = DELAY_S) -> Job:
    """By hash of the URL, so that all nodes want the clock of every host."""
    # A page's depth depends on which link to it came first, so no page is refused for it.
    usual = job(
        [little.seed],
        ordering="breadth-first",
        limits=LimitsSection(private_networks=True, depth=0, pages=0),
    )
    return replace(
        usual,
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
        politeness=PolitenessSection(
            delay=delay, contact="https://bot.example/"
        ),  # no answer is late on a busy machine
        storage=StorageSection(seal_seconds=SEAL_S, warc_bytes=1_000_000),
    )


def fetched(log: Sequence[Visit]) -> Counter[tuple[str, str]]:
    return Counter((visit.node, visit.url) for visit in log if visit.outcome is Outcome.FETCHED)


@pytest.fixture(scope="module")
def undisturbed(web: WebProcess, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    directory = tmp_path_factory.mktemp("undisturbed") / "c"
    with TestWeb(web.web.sites) as fast:
        crawl(directory, wanted(web.web, delay=0.0), proxy=fast.proxy)
    found = Undisturbed(fetched(visits(directory)), edges(directory))
    assert {url for _, url in found.fetched} == web.web.pages
    return found


class Disturbed:
    """A crawl whose parts are killed."""

    def __init__(
        self, folder: Path, web: WebProcess, cluster: Machines, rng: random.Random
    ) -> None:
        folder.mkdir(parents=True)
        self.directory = folder / "crawl"
        self._output = folder / "output"
        self._job = folder / "job.toml"
        self._job.write_text(render(wanted(web.web)), encoding="utf-8")
        self._web, self._cluster, self._rng = web, cluster, rng
        self._before = len(web.accesses())
        self._began = time.monotonic()
        self._driver = self._begin()
        self.kills: list[tuple[str, float]] = []

    def accesses(self) -> list[Access]:
        return self._web.accesses()[self._before :]

    def _begin(self) -> subprocess.Popen[bytes]:
        line, environment = command(
            "crawl",
            self._job,
            self.directory,
            "--cluster",
            self._cluster.address,
            "--workers",
            "0",
            "--quiet",
        )
        with self._output.open("ab") as output:
            return subprocess.Popen(line, env=environment, stdout=output, stderr=output)

    def kill(self, kind: str) -> bool:
        """Kills one part of the crawl at a random moment. False if it is over by then."""
        if (
            KILLS > 1 or not self.kills
        ):  # in the short form all die in a row, and what they cost is waited for once
            self._wait_for_pages()
        try:
            self._driver.wait(self._rng.uniform(*BETWEEN_S))
            return False
        except subprocess.TimeoutExpired:
            pass
        if kind == "driver":
            self._driver.kill()
            self._driver.wait()
            self._driver = self._begin()
        elif kind == "machine":
            self._cluster.kill_machine(self._rng)
        else:
            self._cluster.kill_actor("NodeActor" if kind == "node" else "KeeperActor", self._rng)
        self.kills.append((kind, time.time()))
        return True

    def _wait_for_pages(self) -> None:
        """Until somebody asks the web for something again."""
        before = len(self.accesses())
        patience = time.monotonic() + PATIENCE_S
        while len(self.accesses()) == before and self._driver.poll() is None:
            assert time.monotonic() < patience, f"it does not crawl: {self._output.read_text()}"
            time.sleep(0.05)

    def end(self) -> None:
        """Lets it come to its end, by itself."""
        try:
            assert self._driver.wait(PATIENCE_S) == 0, self._output.read_text()
        finally:
            self._driver.kill()
            self._driver.wait()
        assert "nothing is left to fetch" in self._output.read_text()
        self.seconds = time.monotonic() - self._began


def check(crawled: Disturbed, undisturbed: Undisturbed) -> None:
    log = visits(crawled.directory)
    assert fetched(log) == undisturbed.fetched, Counter(visit.outcome for visit in log)
    assert edges(crawled.directory) == undisturbed.edges
    again = check_requests(crawled, log)
    assert impolite(crawled.accesses(), DELAY_S) == []
    check_archive(crawled.directory / "archive", log)
    kinds = Counter(kind for kind, _ in crawled.kills)
    lives = epochs(open_store(crawled.directory / "log"))
    assert len(lives) >= 4 + kinds["node"] + kinds["keeper"]
    reported = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(
        f"kills: {reported}; {len(lives)} lives, {crawled.seconds:.0f} s, "
        f"{sum(fetched(log).values())} pages, "
        f"{len(crawled.accesses())} requests, {again} of them for what a lost life had asked for"
    )


def check_requests(crawled: Disturbed, log: Sequence[Visit]) -> int:
    """What is asked for again is in no part of a log that counts: its first life was killed before
    it had sealed that.
    """
    asked: dict[str, list[float]] = defaultdict(list)
    for access in crawled.accesses():
        if access.path != "/robots.txt":  # rules are not remembered, so each life asks for them
            asked[access.url].append(access.time)
    sealed: dict[int, float] = {}
    for visit in log:
        epoch = epoch_of(visit.sequence)
        sealed[epoch] = max(sealed.get(epoch, 0.0), visit.stamp)
        if not visit.retry:
            assert not [at for at in asked.get(visit.url, ()) if at > visit.stamp], (
                f"{visit.url} is known"
            )
    lives = epochs(open_store(crawled.directory / "log"))
    node_of = {visit.url: visit.node for visit in log}
    again = [(url, at) for url, times in asked.items() for at in times[:-1]]
    for url, at in again:
        assert any(
            _unsealed(life, at, lives, sealed) for life in lives if life.actor == node_of[url]
        ), (url, at)
    return len(again)


def _unsealed(life: Epoch, at: float, lives: Sequence[Epoch], sealed: dict[int, float]) -> bool:
    """Whether a request belongs to what a life that was followed by another lost: it came after the
    last that it had sealed, or was under way then.
    """
    followed = any(other.before == life.number for other in lives)
    return followed and life.began <= at and sealed.get(life.number, 0.0) - BUSY_S <= at


def check_archive(archive: Path, log: Sequence[Visit]) -> None:
    """Valid, and what the log points to can be read."""
    warcs = sorted(archive.glob("*.warc.gz"))
    line = [sys.executable, "-m", "warcio.cli", "check", *map(str, warcs)]
    checked = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    stored = [visit for visit in log if visit.archive]
    assert {url for _, url in fetched(log)} <= {visit.url for visit in stored}
    for visit in stored:
        assert read_answer(archive / visit.archive, visit.offset, visit.length).url == visit.url
    lines = [line for path in archive.glob("*.cdxj") for line in path.read_text().splitlines()]
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    known = {(entry["filename"], int(entry["offset"])) for entry in entries}
    assert {(visit.archive, visit.offset) for visit in stored} <= known


@pytest.mark.parametrize("number", ROUNDS)
def test_a_crawl_survives_any_kill(
    tmp_path: Path,
    web: WebProcess,
    three_machines: Machines,
    undisturbed: Undisturbed,
    number: int,
) -> None:
    rng = random.Random(number)
    left = list(KINDS) * min(KILLS_EACH, KILLS - number * KILLS_EACH)
    rng.shuffle(left)
    while left:  # a crawl that came to its end before its last kill is followed by another
        crawled = Disturbed(tmp_path / str(len(left)), web, three_machines, rng)
        while left and crawled.kill(left[-1]):
            left.pop()
        crawled.end()
        check(crawled, undisturbed)
    for verb in ("measure", "index"):
        reported = run_here(verb, crawled.directory)
        assert reported.returncode == 0, reported.stderr
