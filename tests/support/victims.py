"""A crawl of the test web that is run again and again, and killed at random moments."""

import json
import random
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import msgpack
from tests.support.crawling import command, visits
from tests.support.forked import KILLED, Forked
from tests.support.power_cut import cut
from tests.support.webserver import Access, WebProcess
from xxhash import xxh3_64_intdigest

from toponaut.job import Job, render
from toponaut.records import Visit
from toponaut.urls import fingerprint

PATIENCE_S = 300.0
# When a run is killed: within this many seconds after it has begun to open its directory (then it
# repairs and folds), to ask for pages, or to seal a part of the log.
_MOMENTS = (("opening", 0.3), ("crawling", 3.0), ("crawling", 3.0), ("sealing", 0.1))
# The power also goes right after a sync, the first or another: a start makes about 10 of them, each
# commit 2 to 7.
_POWER_MOMENTS = (*_MOMENTS, *[("syncing", 30.0)] * 4)
_OPENING, _SEALING = "/lock", ".parquet.part"  # files that are opened at these moments
_LOOK_S = 0.01  # between two looks whether it has asked for pages
# Extra parser processes: each takes a second of CPU to begin.
_WORKERS = (*[0] * 14, 1, 2)


class Said(NamedTuple):
    """The state that a crawl had written after its last commit."""

    time: float = 0.0
    visits: int = 0
    busy: int = 0  # hosts that were being asked


class Logged(NamedTuple):
    """A visit in the log, short enough to keep the log of each run."""

    url: str
    digest: int


class Run(NamedTuple):
    """One run of the crawl, until its death (or until the power was gone) or its end."""

    moment: str  # at which it was killed; "" if it was not
    workers: int
    asked: list[Access]
    said: Said
    log: list[Logged]
    kept_state: bool = True
    output: str = ""

    @property
    def repeatable_s(self) -> float:
        """How long it had asked for pages since its last commit."""
        pages = [access.time for access in self.asked if access.path != "/robots.txt"]
        return max(pages) - max(self.said.time, min(pages)) if pages else 0.0

    def __str__(self) -> str:
        state = "" if self.kept_state else ", state deleted"
        return (
            f"{self.moment or 'to its end'}: {len(self.asked)} requests, {self.workers} workers, "
            f"{self.said.visits} visits committed, {len(self.log)} in the log{state} {self.output}"
        ).strip()


class Victim:
    """A crawl in a folder of its own. `name` seeds all that is random about it."""

    def __init__(
        self, folder: Path, web: WebProcess, job: Job, lose_power: bool, rng: random.Random
    ) -> None:
        self._disk, self._shadow = folder / "disk", folder / "shadow"
        self._disk.mkdir(parents=True)
        self._job, self._output = folder / "job.toml", folder / "output"
        self._job.write_text(render(job), encoding="utf-8")
        self._web, self._lose_power, self._rng = web, lose_power, rng
        self.directory = self._disk / "crawl"
        self.runs: list[Run] = []

    @property
    def kills(self) -> list[Run]:
        return [run for run in self.runs if run.moment]

    def run(self, kill: bool) -> bool:
        """Start or resume the crawl. True if it was killed, False if it came to its end."""
        before, workers = self._web.mark(), self._rng.choice(_WORKERS)
        kind, longest = self._rng.choice(_POWER_MOMENTS if self._lose_power else _MOMENTS)
        seconds = self._rng.uniform(0, longest)
        crawl = self._begin(workers, int(seconds) + 1 if kill and kind == "syncing" else 0)
        try:
            ended = not kill or self._ends_before(crawl, before, kind, seconds)
            if ended:
                crawl.process.join(PATIENCE_S)
            pids = _children(crawl.process.pid)
        finally:
            crawl.kill()
        _wait_until_gone(pids)
        self._web.settle()
        said, output = _said(self.directory), self._output.read_text()
        kept = True if ended else self._lose()
        moment = "" if ended else f"{kind} + {seconds:.2f} s"
        asked = [one for one in self._web.accesses(before) if one.host != "nobody.test"]
        log = logged(visits(self.directory))
        self.runs.append(Run(moment, workers, asked, said, log, kept, output))
        assert not ended or crawl.process.exitcode == 0, f"it ended with {crawl.process.exitcode}"
        assert not ended or "nothing is left to fetch" in output
        return not ended

    def _begin(self, workers: int, syncs: int) -> Forked:
        options = ("--quiet", "--workers", workers)
        _, environment = command(proxy=self._web.proxy)
        recorded = (self._shadow, self._disk, syncs) if self._lose_power else None
        arguments = ("crawl", self._job, self.directory, *options)
        return Forked(arguments, environment, self._output, (_OPENING, _SEALING), recorded)

    def _ends_before(self, crawl: Forked, before: int, kind: str, seconds: float) -> bool:
        """Wait for the moment of the kill. True if the run is over by then."""
        signs: dict[str, Callable[[], bool]] = {
            "opening": lambda: crawl.has_opened(_OPENING),
            "crawling": lambda: self._web.mark() > before,
            "sealing": lambda: crawl.has_opened(_SEALING),
            "syncing": lambda: False,  # it will kill itself
        }
        patience = time.monotonic() + PATIENCE_S
        while not signs[kind]():
            if crawl.ended_within(_LOOK_S):
                break
            assert time.monotonic() < patience, f"the crawl does not come to its {kind}"
        crawl.process.join(seconds)
        return crawl.process.exitcode not in (None, KILLED)

    def _lose(self) -> bool:
        """Other things that may happen while a crawl is down. False if its state is gone."""
        if self._lose_power:
            cut(self._disk, self._shadow, self._rng)
        keep = self._rng.random() >= 0.25
        if not keep:
            shutil.rmtree(self.directory / "state", ignore_errors=True)
        return keep

    def story(self, concerned: Iterable[str] = ()) -> str:
        """All that is needed to understand a failure."""
        lines = [f"{self.directory}", *(f"run {n}: {run}" for n, run in enumerate(self.runs))]
        for url in sorted(concerned)[:5]:
            lines += self._story_of(url)
        return "\n".join(lines)

    def _story_of(self, url: str) -> list[str]:
        mark, log = fingerprint(url), visits(self.directory)
        asked = [n for n, run in enumerate(self.runs) if url in {one.url for one in run.asked}]
        linked = [
            f"{visit.sequence} {visit.outcome} {visit.url}"
            for visit in log
            if mark in visit.known or url in {link.url for link in visit.links}
        ]
        own = [f"{one.sequence} {one.outcome} {one.detail}" for one in log if one.url == url]
        return [f"{url}: asked for in runs {asked}; visits {own}; linked by", *linked[:5]]


def logged(log: Sequence[Visit]) -> list[Logged]:
    return [Logged(visit.url, xxh3_64_intdigest(msgpack.encode(visit))) for visit in log]


def _said(directory: Path) -> Said:
    try:
        progress = json.loads((directory / "state" / "progress.json").read_bytes())["progress"]
    except (FileNotFoundError, ValueError):
        return Said()  # before the first commit, or the power went before the second
    return Said(progress["time"], sum(progress["outcomes"].values()), progress["busy"])


def _children(pid: int | None) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except FileNotFoundError:  # it has just ended, or this is not Linux
        return []


def _wait_until_gone(pids: Sequence[int]) -> None:
    """Parser processes notice that their crawl has ended."""
    patience = time.monotonic() + PATIENCE_S
    for pid in pids:
        while _lives(pid):
            assert time.monotonic() < patience, f"reading process {pid} has survived its crawl"
            time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
