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
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, command, crawl, edges, job, urls, visits
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.power_cut import cut
from tests.support.webserver import Access, TestWeb, WebProcess

from toponaut.archive import read_answer
from toponaut.crawl.commit import COMMIT_S
from toponaut.crawl.directory import LOG
from toponaut.frontier import Frontier
from toponaut.job import Job, LimitsSection, StorageSection, render
from toponaut.log import LogWriter
from toponaut.records import Outcome, Visit

KILLS = int(os.environ.get("TOPONAUT_KILLS", "2"))
CUTS = int(os.environ.get("TOPONAUT_CUTS", str(KILLS)))
KILLS_EACH = 4  # in one crawl: more than this and it might be over before
ROUNDS = [
    pytest.param(
        lose_power, number, min(KILLS_EACH, many - number * KILLS_EACH), id=f"{kind}-{number}"
    )
    for kind, lose_power, many in (("kill", False, KILLS), ("power", True, CUTS))
    for number in range(-(-many // KILLS_EACH))
]

# Each host takes 0.1 s for an answer: with 430 pages, a crawl takes some six seconds. A kill costs
# it a second. In `make test`, which kills twice, it takes half of that and fills one archive.
HOSTS, ANSWER_S = 10, 0.1
PAGES, ARCHIVES = (400, 2) if KILLS > 2 else (170, 1)
# When a run is killed: within this many seconds after it has begun to open its directory (then it
# repairs and folds), to ask
# for pages, or to seal a part of the log.
MOMENTS = (("opening", 0.6), ("crawling", 3.0), ("crawling", 3.0), ("sealing", 0.1))
# The power also goes right after a sync, the first or another: a start makes about 10 of them, each
# commit 2 to 7.
POWER_MOMENTS = (*MOMENTS, *[("syncing", 30.0)] * 4)
# what a machine may add to the second between two commits; one that also runs other tests may add
# any time
BUSY_S = 1.5
PATIENCE_S = 300.0


class Undisturbed(NamedTuple):
    """The expected result of a crawl."""

    pages: set[str]
    edges: set[tuple[str, int]]


class Said(NamedTuple):
    """The state that a crawl had written after its last commit."""

    time: float = 0.0
    visits: int = 0
    busy: int = 0  # hosts that were being asked


class Kill(NamedTuple):
    """A crawl at the moment of its death, or when the power was gone."""

    at: float
    log: list[Visit]
    said: Said


@pytest.fixture
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with WebProcess(
        tmp_path_factory.mktemp("web"), seed=5, hosts=HOSTS, pages=PAGES, delay=ANSWER_S
    ) as served:
        yield served


def wanted(little: LittleWeb, seal_seconds: int = 1) -> Job:
    """Small archives, a segment of the log each second: kills are to meet all that a long
    crawl does.
    """
    # A page's depth depends on which link to it came first, so no page is refused for it. With so
    # narrow a budget there is a price as soon as most links are found.
    limits = LimitsSection(
        private_networks=True, depth=0, pages=len(little.pages) + 1, patience=3600
    )
    usual = job([little.seed], limits=limits)
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


class Victim:
    """A crawl that is run again and again, and killed."""

    def __init__(self, folder: Path, web: WebProcess, rng: random.Random, lose_power: bool) -> None:
        self._disk, self._shadow = folder / "disk", folder / "shadow"
        self._disk.mkdir(parents=True)
        self._job = folder / "job.toml"
        # If each commit is sealed at once, none is seen to rely on the tail alone.
        self._job.write_text(render(wanted(web.web, rng.choice((1, 2)))), encoding="utf-8")
        self._output = folder / "output"
        self._web = web
        self._rng = rng
        self._lose_power = lose_power
        self._before = len(web.accesses())
        self.directory = self._disk / "crawl"
        self.runs: list[int] = []  # the first request of each
        self.kills: list[Kill] = []  # one of each run but the last

    def accesses(self) -> list[Access]:
        return self._web.accesses()[self._before :]

    def run(self, kill: bool) -> bool:
        """Starts or resumes the crawl. True if it was killed, False if it came to its end."""
        asked = len(self.accesses())
        self.runs.append(asked)
        line, environment = command(
            "crawl", self._job, self.directory, "--quiet",
            "--workers", str(self._rng.choice((0, 1, 2))),
            proxy=self._web.proxy,
        )  # fmt: skip
        kind, longest = self._rng.choice(POWER_MOMENTS if self._lose_power else MOMENTS)
        if self._lose_power:
            syncs = self._rng.randint(1, int(longest)) if kill and kind == "syncing" else 0
            recorder = (
                "-m",
                "tests.support.power_cut",
                str(self._shadow),
                str(self._disk),
                str(syncs),
            )
            line = [sys.executable, *recorder, *line[3:]]
        with self._output.open("wb") as output:
            process = subprocess.Popen(
                line, env=environment, cwd=Path(__file__).parents[2], stdout=output, stderr=output
            )
        try:
            if not kill or self._ends_before(process, asked, kind, longest):
                assert process.wait(PATIENCE_S) == 0, self._output.read_text()
                assert "nothing is left to fetch" in self._output.read_text()
                return False
            workers = _children(process.pid)
        finally:
            process.kill()
            process.wait()
        at = time.time()
        _wait_until_gone(workers)
        self._web.settle()
        said = _said(self.directory)
        self._lose()
        self.kills.append(Kill(at, visits(self.directory), said))
        requests, left = len(self.accesses()) - asked, len(self.kills[-1].log)
        print(
            f"{requests} requests, {len(workers)} workers, {said.visits} visits committed, "
            f"{left} left"
        )
        return True

    def _ends_before(
        self, process: subprocess.Popen[bytes], asked: int, kind: str, longest: float
    ) -> bool:
        """Waits for a random moment. True if the run is over by then."""
        began = time.time()
        signs: dict[str, Callable[[], bool]] = {
            "opening": lambda: _changed(self.directory / "lock") > began,
            "crawling": lambda: len(self.accesses()) > asked,
            "sealing": lambda: any(
                _changed(path) > began for path in self.directory.glob("log/*/*.parquet.part")
            ),
            "syncing": lambda: False,  # it will kill itself
        }
        print(kind, end=": ")
        patience = time.monotonic() + PATIENCE_S
        while process.poll() is None and not signs[kind]():
            assert time.monotonic() < patience, f"the crawl does not come to its {kind}"
            time.sleep(0.002)
        try:
            return process.wait(self._rng.uniform(0, longest)) != -signal.SIGKILL
        except subprocess.TimeoutExpired:
            return False

    def _lose(self) -> None:
        """Other things that may happen while a crawl is down."""
        if self._lose_power:
            cut(self._disk, self._shadow, self._rng)
        if self._rng.random() < 0.25:
            shutil.rmtree(self.directory / "state", ignore_errors=True)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _said(directory: Path) -> Said:
    try:
        progress = json.loads((directory / "state" / "progress.json").read_bytes())["progress"]
    except (
        FileNotFoundError,
        ValueError,
    ):  # before the first commit, or the power went before the second
        return Said()
    return Said(progress["time"], sum(progress["outcomes"].values()), progress["busy"])


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except FileNotFoundError:  # it has just ended, or this is not Linux
        return []


def _wait_until_gone(pids: Sequence[int]) -> None:
    """Parser processes notice that their crawl has ended."""
    patience = time.monotonic() + PATIENCE_S
    for pid in pids:
        while _lives(pid):
            assert time.monotonic() < patience, f"reading process {pid} has survived its crawl"
            time.sleep(0.05)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def check(victim: Victim, undisturbed: Undisturbed) -> None:
    directory, log = victim.directory, visits(victim.directory)
    fetched = urls(directory, Outcome.FETCHED)
    assert len(fetched) == len(set(fetched))
    assert set(fetched) == undisturbed.pages
    assert edges(directory) == undisturbed.edges
    assert [visit.sequence for visit in log] == list(range(len(log)))
    for kill in victim.kills:
        assert len(kill.log) >= kill.said.visits
        assert log[: len(kill.log)] == kill.log
    check_requests(victim)
    check_archive(directory / "archive", log)


def check_requests(victim: Victim) -> None:
    """What is asked for again was asked for since the last commit, or was under way: never what the
    log knows of.
    """
    accesses = victim.accesses()
    again = 0
    for kill, (first, after) in zip(victim.kills, pairwise(victim.runs), strict=True):
        asked = {access.url: access.time for access in pages(accesses[first:after])}
        assert len(asked) == len(pages(accesses[first:after]))  # none twice by one run
        lost = asked.keys() & {access.url for access in pages(accesses[after:])}
        assert not lost & {visit.url for visit in kill.log}
        assert sum(asked[url] < kill.said.time for url in lost) <= kill.said.busy
        if asked and len(ROUNDS) > 2:
            assert kill.at - max(kill.said.time, min(asked.values())) < COMMIT_S + BUSY_S
        again += len(lost)
    print(f"asked for again: {again} of {len({access.url for access in pages(accesses)})}")


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
        victim = Victim(tmp_path / str(left), web, rng, lose_power)
        while left and victim.run(kill=True):
            left -= 1
        if not left:
            victim.run(kill=False)
        check(victim, undisturbed)


# --- clean stops ----------------------------------------------------------------------------------
# --------------------


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
        pytest.param(
            "deleted",
            "combined",
            marks=pytest.mark.xfail(reason="a rebuilt frontier orders some links differently"),
        ),
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
