"""The price of a request: worked out by hand, kept in a crawl, explained from its log."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, visits
from tests.support.local_cluster import LocalCluster

from toponaut.cluster.reports import ActorReport, Market
from toponaut.crawl.explain import explain
from toponaut.crawl.price import NO_PRICE, Left, Price, patience_of, price_of
from toponaut.crawl.progress import Totals
from toponaut.crawl.status import status_of
from toponaut.errors import InputError
from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, FLOORS, class_of
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    TargetsSection,
    load,
)
from toponaut.records import Outcome, QueuedLink
from toponaut.strategy.ordering.breadth_first import BreadthFirst
from toponaut.strategy.ordering.combined import CombinedOrdering
from toponaut.timing import crawl_moment
from toponaut.urls import host_of

POLITE = replace(FAST, delay=1.0, concurrent=4)


def supply(**counts: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    found = np.zeros(CLASSES)
    for promise, count in counts.items():
        found[class_of(float(promise.replace("p", "0.")))] += count
    return found


@pytest.mark.parametrize(
    ("requests", "promise"),
    [(1, 0.5), (3, 0.5), (3.5, 0.1), (13, 0.1), (13.1, 0.01), (113, 0.01), (114, None)],
)
def test_the_price_is_the_promise_at_which_the_budget_is_used_up(
    requests: float, promise: float | None
) -> None:
    """3 links at 0.5, 10 at 0.1, 100 at 0.01."""
    found = price_of(supply(p5=3, p1=10, p01=100), requests)
    assert found == (NO_PRICE if promise is None else FLOORS[class_of(promise)])


def filled(folder: Path, *links: tuple[str, float]) -> Frontier:
    frontier = Frontier(folder, 1)
    frontier.put([QueuedLink(f"https://{url}", promise) for url, promise in links])
    return frontier


def test_a_price_counts_what_each_host_can_give_in_time(tmp_path: Path) -> None:
    """In 9 seconds at one a second, the best host gives 10 of its 50 links: 10 more must come
    from the other one to use up 20 requests."""
    best = [(f"a.example/{number}", 0.5) for number in range(50)]
    other = [(f"b.example/{number}", 0.1) for number in range(50)]
    frontier = filled(tmp_path, *best, *other)
    price = Price([frontier], 9.0, 1.0, 0)
    price.find(Left(20, np.inf), Totals(), 0.0)
    assert price.level == FLOORS[class_of(0.1)]
    price.find(Left(10, np.inf), Totals(), 0.0)
    assert price.level == FLOORS[class_of(0.5)]
    price.find(Left(21, np.inf), Totals(), 0.0)
    assert price.level == NO_PRICE, "both hosts together give 20"
    price.find(Left(20, 100.0), Totals(), 0.0)
    assert price.level == FLOORS[class_of(0.5)], "a time limit replaces the patience"


def test_requests_that_bring_no_page_lower_the_price(tmp_path: Path) -> None:
    """Half of 100 requests brought a page, with a prior of 20 out of 20: 70 of 120. So 7 pages
    take 12 requests."""
    frontier = filled(tmp_path, *((f"{number}.example/", 0.5) for number in range(11)))
    frontier.put([QueuedLink("https://low.example/", 0.1)])
    totals = Totals(visits=101, pages=50)
    totals.outcomes.update({Outcome.FETCHED: 50, Outcome.GONE: 50, Outcome.SEEDED: 1})
    price = Price([frontier], 60.0, 1.0, 0, spreads=False)
    price.find(Left(7, 60.0), totals, 0.0)
    assert price.level == FLOORS[class_of(0.1)]
    price.find(Left(6.4, 60.0), totals, 0.0)
    assert price.level == FLOORS[class_of(0.5)]


def test_links_to_come_raise_the_price_unless_time_is_short(tmp_path: Path) -> None:
    """10 requests are made and 30 are left, so the 10 links at 0.5 will be 40: enough for 30."""
    best = [(f"{number}.example/", 0.5) for number in range(10)]
    others = [(f"other-{number}.example/", 0.1) for number in range(100)]
    price = Price([filled(tmp_path, *best, *others)], 3600.0, 1.0, 0, spreads=False)
    totals = Totals(visits=10, pages=10)
    price.find(Left(30, np.inf), totals, 0.0)
    assert price.level == FLOORS[class_of(0.5)]
    price.find(Left(30, 3600.0), totals, 0.0)
    assert price.level == FLOORS[class_of(0.1)]


def test_requests_are_spread_over_half_of_the_time(tmp_path: Path) -> None:
    """100 requests in half of 200 seconds are one a second. At first 10 are due within ten seconds,
    and the best host gives 11 in these: so the other one waits. After 20 seconds and 10 requests
    20 are due: that takes both hosts. The third host's links are worth one of the 100 requests,
    too, but none is due for them yet."""
    hosts = [("a", 0.5), ("b", 0.2), ("c", 0.1)]
    links = [(f"{host}.example/{k}", promise) for host, promise in hosts for k in range(40)]
    frontier = filled(tmp_path, *links)
    price = Price([frontier], 200.0, 1.0, 0)
    price.find(Left(100, 200.0), Totals(), 0.0)
    assert price.level == FLOORS[class_of(0.5)]
    assert not price.is_old(9.9)
    assert price.is_old(10.0), "time has passed"
    price.find(Left(90, 180.0), Totals(visits=10, pages=10), 20.0)
    assert price.level == FLOORS[class_of(0.2)]
    price.find(Left(70, 180.0), Totals(visits=30, pages=30), 20.0)
    assert price.level == FLOORS[class_of(0.5)], "it is early: one request"
    price.find(Left(130, 150.0), Totals(), 0.0)
    assert price.level == NO_PRICE, "not all can be used up in time"
    at_once = Price([frontier], 200.0, 0.0, 0)
    at_once.find(Left(100, 150.0), Totals(), 0.0)
    assert at_once.level == FLOORS[class_of(0.1)], "without a delay no host rests"


def test_one_request_in_fifty_explores_and_the_seed_decides_which() -> None:
    def explored(seed: int, patience: float = 60.0) -> list[int]:
        price, found = Price([], patience, 1.0, seed), []
        for number in range(5000):
            if price.explores():
                found.append(number)
            price.took()
        return found

    assert 60 < len(explored(1)) < 140
    assert explored(1) == explored(1) != explored(2)
    assert explored(1, patience=0.0) == []


# --- a crawl --------------------------------------------------------------------------------------


def two_hosts(
    folder: Path, good: int, junk: int, names: tuple[str, str] = ("good.test", "junk.test")
) -> Path:
    """All pages of good.test have an address in Seattle; those of junk.test have nothing.

    good.test links to all its pages; junk.test to a list, which links to the others.
    """
    best, other = names
    draw = Random(1)

    def text() -> str:
        return "".join(f"{draw.randrange(10**9):x} " for _ in range(50))

    def links(count: int) -> str:
        return "".join(f'<a href="/{number}">more</a> ' for number in range(1, count + 1))

    pages = {
        f"http://{best}/": links(good),
        f"http://{other}/": '<a href="/list">list</a>',
        f"http://{other}/list": links(junk),
    }
    pages |= {f"http://{best}/{number}": "" for number in range(1, good + 1)}
    pages |= {f"http://{other}/{number}": "" for number in range(1, junk + 1)}
    manifest = []
    for number, (url, body) in enumerate(pages.items()):
        address = f"<p>{number} Pine Street, Seattle, WA 98101</p>" if best in url else ""
        (folder / f"{number}.html").write_text(f"<p>{text()}</p>{address}{body}", "utf-8")
        manifest.append(f"{url}\t{number}.html\n")
    (folder / "manifest.tsv").write_text("".join(manifest), "utf-8")
    return folder


Crawled = Callable[..., dict[float, str]]


@pytest.fixture
def crawled(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Fetches pages with some patience; returns the hosts of the pages of each second."""

    web = two_hosts(tmp_path_factory.mktemp("web"), good=5, junk=10)

    def run(patience: int, pages: int = 9) -> dict[float, str]:
        limits = LimitsSection(pages=pages, patience=patience)
        wanted = job(["http://good.test/", "http://junk.test/"], politeness=POLITE, limits=limits)
        crawl(tmp_path / "crawl", wanted, replay=web)
        fetched: dict[float, list[str]] = defaultdict(list)
        for visit in visits(tmp_path / "crawl"):
            if visit.outcome is Outcome.FETCHED:
                second = round(crawl_moment(visit.time, visit.stamp), 2)
                fetched[second].append(visit.url.split("/")[2].removesuffix(".test"))
        return {time: " ".join(sorted(hosts)) for time, hosts in fetched.items()}

    return run


def test_a_crawl_waits_for_the_better_host(crawled: Crawled) -> None:
    """By link-distance, links of good.test promise 0.5, the list 0.5 and its links 0.25.

    Second 1 (after robots.txt): both seeds. Second 2: the list and five links of good.test, all at
    0.5: each host is asked. Second 3: 4 requests are made and 5 are left, so the four links at 0.5
    count as 4 * 9 / 4 = 9. That is enough: the price is 0.5, and junk.test is ready, but waits. The
    sixth request explores (the seed decides), so junk.test has its turn in second 4.
    """
    assert crawled(60) == {
        1.0: "good junk", 2.0: "good junk", 3.0: "good", 4.0: "good junk", 5.0: "good", 6.0: "good",
    }  # fmt: skip


def test_a_crawl_with_time_asks_its_best_links_first(crawled: Crawled) -> None:
    """13 pages: until second 3 as above. In second 4 five or six requests are made and 7 are left:
    the links at 0.5 are no longer enough for these, and those at 0.25 are. But in 600 seconds there
    is time: one request is due within ten, and good.test has a better link for it until second 6.
    The sixth request explores. Then junk.test's are the best."""
    assert crawled(600, pages=13) == {
        1.0: "good junk", 2.0: "good junk", 3.0: "good", 4.0: "good junk", 5.0: "good",
        6.0: "good junk", 7.0: "junk", 8.0: "junk", 9.0: "junk",
    }  # fmt: skip


def test_without_patience_it_takes_what_is_ready(crawled: Crawled) -> None:
    assert crawled(0) == {**dict.fromkeys((1.0, 2.0, 3.0, 4.0), "good junk"), 5.0: "good"}


def test_what_waits_for_a_better_link_is_explained(tmp_path: Path, crawled: Crawled) -> None:
    crawled(60)
    fetched = {visit.url for visit in visits(tmp_path / "crawl")}
    junk = [f"http://junk.test/{number}" for number in range(1, 11)]
    waiting = next(url for url in junk if url not in fetched)
    expected = "waiting: its promise 0.25 is below the price 0.5"
    assert explain(tmp_path / "crawl", waiting).state == expected
    last = visits(tmp_path / "crawl")[-1].url
    assert "promise  0.5; the price was 0.5" in str(explain(tmp_path / "crawl", last))
    status = status_of(tmp_path / "crawl")
    assert status.progress
    assert (status.progress.price, status.progress.explored) == (0.5, 1)
    assert "price 0.5, 1 explored below it" in str(status)


@pytest.mark.parametrize("nodes", [1, 2])
def test_actors_of_a_cluster_wait_for_the_better_host_too(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, nodes: int
) -> None:
    """40 pages, half of them relevant without a price. They hear of each other now and then."""
    web = two_hosts(tmp_path_factory.mktemp("web"), good=29, junk=60)
    wanted = replace(
        job(
            ["http://good.test/", "http://junk.test/"],
            politeness=POLITE,
            limits=LimitsSection(pages=40, patience=600),
        ),
        nodes=NodesSection(geographic=nodes),
        collaboration=CollaborationSection(strategy="hash"),
    )
    asyncio.run(LocalCluster(tmp_path / "crawl", tmp_path / "disk", wanted, web).run())
    fetched = [visit for visit in visits(tmp_path / "crawl") if visit.outcome is Outcome.FETCHED]
    assert len(fetched) == 40
    assert sum(visit.relevant for visit in fetched) >= 26


@pytest.mark.parametrize(("better", "waits"), [(0, False), (40, True)])
def test_an_actor_waits_for_others_only_while_they_have_better_links(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, better: int, waits: bool
) -> None:
    """Its price is of a time when others had good links, and it has no pages left to fetch. If the
    good links are gone and it did not find the price again, all actors would wait for ever.
    """
    wanted = replace(
        job(["http://good.test/"], limits=LimitsSection(pages=40, patience=600)),
        nodes=NodesSection(geographic=2),
        collaboration=CollaborationSection(strategy="hash"),
    )

    web = two_hosts(tmp_path_factory.mktemp("web"), good=1, junk=1)

    async def report() -> ActorReport:
        cluster = LocalCluster(tmp_path / "crawl", tmp_path / "disk", wanted, web)
        worker = await cluster.begin(cluster.layout.actors[1])
        worker.frontier.put([QueuedLink(f"http://junk{k}.test/", 0.1) for k in range(60)])
        worker.parts.price.level = 0.5
        market = Market(Totals(), 1.0, tuple(supply(p5=better).tolist()))
        found = worker.report(0, market=market)
        await worker.abandon()
        return found

    found = asyncio.run(report())
    assert (found.offer.waits, found.needs_none) == (waits, waits)
    assert found.offer.price == pytest.approx(FLOORS[class_of(0.5 if waits else 0.1)])


def test_nodes_trade_so_that_the_best_link_of_all_is_next(tmp_path: Path) -> None:
    """One request at a time, by link-distance, each host with a node of its own.

    The seeds promise 1, so each node has its turn. All pages of seattle.test are relevant, and its
    links promise 0.5. Of denver.test none is: its list promises 0.5, the links there 0.25. At 0.5
    the nodes take turns (the list, then 1); after that, Seattle's node has the better links until
    it has none.
    """
    web = tmp_path / "web"
    web.mkdir()
    two_hosts(web, good=4, junk=9, names=("seattle.test", "denver.test"))

    def order(patience: int) -> str:
        wanted = replace(
            job(
                ["http://seattle.test/", "http://denver.test/"],
                politeness=replace(FAST, concurrent=1),
                limits=LimitsSection(pages=9, patience=patience),
            ),
            targets=TargetsSection(places=("Seattle, WA", "Denver, CO")),
            nodes=NodesSection(geographic=2),
            collaboration=CollaborationSection(strategy="url"),
        )
        directory = tmp_path / str(patience)
        crawl(directory, wanted, replay=web)
        fetched = [visit for visit in visits(directory) if visit.outcome is Outcome.FETCHED]
        assert len({(visit.node, host_of(visit.url)) for visit in fetched}) == 2
        return " ".join(host_of(visit.url)[0] for visit in fetched)

    assert order(60) == "s d s d s s s d d"
    assert order(0) == "s d s d s d s d s"


# --- the job --------------------------------------------------------------------------------------


def test_only_calibrated_orderings_wait_unless_the_job_says_so() -> None:
    bounded = Job(limits=LimitsSection(pages=100))
    combined, breadth_first = CombinedOrdering.__new__(CombinedOrdering), BreadthFirst()
    assert patience_of(bounded, combined) == 3600
    assert patience_of(bounded, breadth_first) == 0
    assert patience_of(Job(limits=LimitsSection(pages=0)), combined) == 0
    asked = Job(limits=LimitsSection(pages=100, patience=60))
    assert patience_of(asked, breadth_first) == 60


def test_a_patience_without_a_budget_is_refused() -> None:
    text = (
        'seeds = ["https://a.example/"]\n[targets]\nplaces = ["Seattle, WA"]\n'
        "[limits]\npages = 0\npatience = 60\n"
    )
    with pytest.raises(InputError) as error:
        load(text)
    assert str(error.value) == (
        "job.toml:6: limits.patience is 60, but the job has no budget of pages or bytes: "
        "set limits.pages, or patience = 0."
    )
    assert load(text.replace("60", "0")).limits.patience == 0
    assert load(text.replace("60", '"auto"')).limits.patience == "auto"
