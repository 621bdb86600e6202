"""What one actor learns, all know: lessons teach as visits do, on a cluster and after a restart."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.clusters import cluster, in_soak
from tests.support.crawling import FAST, crawl, job, run, visits
from tests.support.little_web import LittleWeb, little_web
from tests.support.local_cluster import LocalCluster
from tests.support.webserver import Sites, TestWeb

from toponaut.cluster.exchange import PUPILS, ActorLayout
from toponaut.cluster.lessons import LessonWriter
from toponaut.crawl.strategies import Strategies
from toponaut.gate.failures import HOPELESS
from toponaut.gate.gate import Gate
from toponaut.job import CollaborationSection, Job, LimitsSection, NodesSection, render
from toponaut.log.epochs import first_sequence
from toponaut.records import Outcome, Refusal, Visit
from toponaut.strategy import Learner
from toponaut.web.politeness.clocks import Clocks


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    """Small: some of these tests crawl it by six actors, twice."""
    return little_web(seed=5, hosts=6, pages=60)


def wanted(seeds: Iterable[str], ordering: str, shards: int = 1) -> Job:
    return replace(
        job(seeds, ordering=ordering, limits=LimitsSection(private_networks=True, depth=0)),
        nodes=NodesSection(geographic=2, general=1, shards=shards),
        collaboration=CollaborationSection(strategy="combined"),
    )


def taught(visit: Visit, *learners: Learner) -> Visit:
    """A visit as another actor gets it."""
    return msgspec.msgpack.decode(LessonWriter(learners).write(visit), type=Visit)


def state(learner: Learner) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.msgpack.decode(learner.dump())
    return found


# --- one lesson -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ordering", ["combined", "lookahead", "tree-frontier", "tag-path-bandit"])
def test_lessons_make_the_model_that_visits_make(
    tmp_path: Path, little: LittleWeb, folder: Path, ordering: str
) -> None:
    asked = wanted([little.seed], ordering)
    crawl(tmp_path / "one", asked, replay=folder)
    by_visits, by_lessons = (Strategies(asked).by_name.values() for _ in range(2))
    sizes = []
    for visit in visits(tmp_path / "one"):
        for learner in by_visits:
            learner.learn(visit)
        lesson = taught(visit, *by_lessons)
        assert not lesson.text
        for learner in by_lessons:
            learner.learn(lesson)
        sizes.append(len(LessonWriter(by_lessons).write(visit)))
    assert [one.dump() for one in by_lessons] == [one.dump() for one in by_visits]
    assert [one.dump() for one in Strategies(asked).by_name.values()] != [
        one.dump() for one in by_visits
    ]
    assert sum(sizes) / len(sizes) < 1000


def test_a_lesson_completes_the_way_to_a_page_that_another_actor_found() -> None:
    """South finds a page by term 5, which is not relevant; its link, with term 9, leads north to a
    page that is. So term 9 leads to a relevant page, and term 5 to another one, and to a relevant
    page two links on. North has fetched one page and knows of both.
    """
    found, page = first_sequence(1), first_sequence(2)
    by_south = Visit(
        found, "South", "http://a.test/", 200, Outcome.FETCHED,
        text="much text", ordering_memo=(5).to_bytes(3, "little"),
    )  # fmt: skip
    by_north = Visit(
        page, "North", "http://b.test/", 200, Outcome.FETCHED,
        found_by=found, relevant=True, ordering_memo=(9).to_bytes(3, "little"),
    )  # fmt: skip
    north = Strategies(job([], ordering="lookahead")).ordering
    north.learn(taught(by_south, north))
    north.learn(by_north)
    counts = state(north)["models"]
    others, relevant = [1, 0, 0], [1, 1, 0]  # one, two and three links on
    assert list(memoryview(counts["links"]).cast("q")) == others + relevant
    assert list(memoryview(counts["rows"]).cast("I")) == [5, 9]
    assert list(memoryview(counts["counts"]).cast("I")) == [1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]


def test_gates_count_the_failures_of_a_host_together_and_its_pages_apart() -> None:
    gates = [Gate(Job(), Clocks(1.0), 2026) for _ in range(2)]
    failed = [Visit(k, "Cn1", f"http://a.test/{k}", 404, Outcome.GONE) for k in range(HOPELESS)]
    for k, visit in enumerate(failed):
        gates[k % 2].learn(visit)
        assert not any(gate.closed("a.test") for gate in gates)
    for k, visit in enumerate(failed):
        gates[1 - k % 2].learn(taught(visit), here=False)
    assert {gate.closed("a.test") for gate in gates} == {Refusal.HOST_FAILS}
    page = Visit(99, "Cn1", "http://b.test/", 200, Outcome.FETCHED, simhash=1)
    gates[0].learn(page)
    gates[1].learn(taught(page), here=False)
    assert [gate.pages("b.test") for gate in gates] == [1, 0]


def test_an_actor_teaches_a_few_others() -> None:
    few, many = ActorLayout(("a", "b"), 2), ActorLayout(("a",), 100)
    assert few.pupils("a.1") == ["b.0", "b.1", "a.0"]
    assert ActorLayout(("a",)).pupils("a") == []
    teachers = [one for one in many.actors if "a.3" in many.pupils(one)]
    assert len(teachers) == len(many.pupils("a.3")) == PUPILS
    assert many.pupils("a.99")[0] == "a.0"


# --- a crawl --------------------------------------------------------------------------------------


def known(learner: Learner) -> tuple[object, ...]:
    """What does not depend on the order of lessons: requests to hosts, and pages of sites."""
    return tuple(state(learner)[name] for name in ("arrivals", "to_site"))


def test_actors_know_what_one_process_knows_also_after_a_restart(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    """Though every fifth letter is lost."""
    asked = wanted([little.seed], "combined", shards=2)
    alike = Strategies(asked).ordering

    async def crawled() -> list[Learner]:
        many = LocalCluster(tmp_path / "many", tmp_path / "disks", asked, folder)
        await many.run(losses=0.2)
        return [worker.parts.ordering for worker in many.workers.values()]

    async def restarted() -> list[Learner]:
        many = LocalCluster(tmp_path / "many", tmp_path / "disks-2", asked, folder)
        found = [await many.begin(actor) for actor in many.layout.actors]
        await asyncio.gather(*(worker.abandon() for worker in found))
        return [worker.parts.ordering for worker in found]

    before = asyncio.run(crawled())
    for visit in visits(tmp_path / "many"):
        alike.learn(visit)
    assert [known(one) == known(alike) for one in before] == [True] * 6
    after = asyncio.run(restarted())
    assert [known(one) == known(alike) for one in after] == [True] * 6
    # In the order of stamps, which is that of all commands that read the log.
    assert [one.dump() == alike.dump() for one in after] == [True] * 6


def failing_web() -> Sites:
    """A page that links to 80 missing pages of another host."""
    missing = "".join(f'<a href="http://bad.test/{k}">page {k}</a>' for k in range(80))
    return {"a.test": {"/": missing}, "bad.test": {}}


@in_soak
def test_two_actors_on_ray_find_out_together_that_a_host_is_hopeless(tmp_path: Path) -> None:
    """Each of them has forty links to it, and would need HOPELESS failures to find out alone."""
    asked = replace(
        job(["http://a.test/"], ordering="breadth-first", politeness=replace(FAST, concurrent=1)),
        nodes=NodesSection(geographic=2),
        collaboration=CollaborationSection(strategy="hash"),
    )
    (tmp_path / "job.toml").write_text(render(asked))
    with (
        TestWeb(failing_web(), delay=0.2) as web,
        cluster(2, proxy=web.proxy) as machines,
    ):
        done = run(
            "crawl", tmp_path / "job.toml", tmp_path / "c", "--workers", "0", "--quiet",
            "--cluster", machines.address, patience=300,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    failed = [one for one in visits(tmp_path / "c") if one.outcome is Outcome.GONE]
    assert HOPELESS <= len(failed) <= HOPELESS + 4
