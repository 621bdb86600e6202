"""When pages are due: the same from the log as in a watch that was not disturbed."""

from pathlib import Path

import pytest

from toponaut.crawl.price import Price
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.job import Job, WatchSection
from toponaut.records import Outcome, Visit
from toponaut.timing import SimulatedTime
from toponaut.urls import fingerprints
from toponaut.watch.agenda import Agenda
from toponaut.watch.budget import RequestBudget
from toponaut.watch.revisit_table import DAY_S, RevisitTable

HOST = "http://a.test/"
PAGES = [f"{HOST}{number}" for number in range(5)]


class Watched:
    """An agenda with its frontier, and the log."""

    def __init__(self, folder: Path, log: list[Visit]) -> None:
        (folder / "pages").mkdir(parents=True)
        self.log: list[Visit] = []
        budget = RequestBudget(Job(), Totals(), SimulatedTime(), 100, 0)
        section = WatchSection(longest_days=10.0)
        self.agenda = Agenda(section, RevisitTable(folder / "pages"), budget)
        self.frontier = Frontier(folder / "frontier", 0)
        price = Price([self.frontier], DAY_S, 1.0, 0)
        self.agenda.attach({"n": self.frontier}, price, calibrated=True, note=self._note)
        self.day = 0.0
        for visit in log:
            self.learn(visit)

    def learn(self, visit: Visit) -> None:
        self.log.append(visit)
        self.agenda.learn(visit)
        self.day = visit.time / DAY_S

    def visit(self, url: str, outcome: Outcome, day: float, dropped: int = 0) -> None:
        if dropped:
            self.frontier.drop("a.test")
        again = outcome is not Outcome.FETCHED
        self.learn(
            Visit(0, "n", url, 200, outcome, time=day * DAY_S, dropped=dropped, revisit=again)
        )

    def _note(self, text: str) -> None:
        self.learn(Visit(0, "n", "", 0, Outcome.CONTROL, text, time=self.day * DAY_S))

    def due(self, day: float) -> set[str]:
        """The pages that wait in the frontier on a day."""
        self.day = day
        for _ in range(3):  # review, fill, put
            self.agenda.put_due(day * DAY_S)
        promises = self.frontier.promises(self.frontier.keyed(PAGES), fingerprints(PAGES))
        return {url for url, promise in zip(PAGES, promises, strict=True) if promise is not None}


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    made = Watched(tmp_path / "one", [])
    for url in PAGES:
        made.visit(url, Outcome.FETCHED, 0.0)
    return made


def again(watched: Watched, folder: Path) -> Watched:
    """The same after a kill."""
    return Watched(folder, watched.log)


def test_pages_of_a_host_that_was_given_up_wait_for_a_day(watched: Watched, tmp_path: Path) -> None:
    assert watched.due(20.0) == set(PAGES)
    watched.frontier.mark_taken([PAGES[0]])
    watched.visit(PAGES[0], Outcome.SERVER_ERROR, 20.1, dropped=5)
    others = set(PAGES[1:])
    for number, one in enumerate((watched, again(watched, tmp_path / "two"))):
        assert (number, one.due(20.2)) == (number, set())
        assert (number, one.due(21.0)) == (number, set())
        assert (number, one.due(21.2)) == (number, {*others, PAGES[0]})


def test_pages_of_a_full_host_are_visited_all_the_same(watched: Watched, tmp_path: Path) -> None:
    assert watched.due(20.0) == set(PAGES)
    watched.frontier.drop("a.test")
    watched.agenda.put_again(lambda host: host == "a.test")
    for one in (watched, again(watched, tmp_path / "two")):
        assert one.due(20.1) == set(PAGES)
