"""Hosts that never give a page: a few requests, then no more."""

from pathlib import Path

import pytest
from tests.support.crawling import crawl, job, visits
from tests.support.webserver import Sites, TestWeb

from toponaut.crawl.explain import explain
from toponaut.gate.failures import HOPELESS, FailureCounter
from toponaut.job.sections import LimitsSection
from toponaut.records import Outcome, Refusal, Visit

HOST = "a.test"


def visit(outcome: Outcome, simhash: int = 0) -> Visit:
    return Visit(0, "Cn1", f"http://{HOST}/", 0, outcome, simhash=simhash)


def counted(*many: Visit) -> FailureCounter:
    counter = FailureCounter()
    for one in many:
        counter.add(HOST, one)
    return counter


@pytest.mark.parametrize(
    "outcome", [Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.TIMEOUT, Outcome.FETCHED]
)
def test_a_host_is_hopeless_after_failures_alone(outcome: Outcome) -> None:
    """FETCHED without a simhash is a page without words."""
    assert not counted(*[visit(outcome)] * (HOPELESS - 1)).is_hopeless(HOST)
    assert counted(*[visit(outcome)] * HOPELESS).is_hopeless(HOST)
    assert not counted(*[visit(outcome)] * HOPELESS).is_hopeless("b.test")


@pytest.mark.parametrize("good", [visit(Outcome.FETCHED, 1), visit(Outcome.NO_INDEX)])
def test_one_page_is_enough_for_ever(good: Visit) -> None:
    failed = [visit(Outcome.GONE)] * HOPELESS
    assert not counted(good, *failed).is_hopeless(HOST)
    assert not counted(*failed[1:], good, *failed).is_hopeless(HOST)


@pytest.mark.parametrize("other", [Outcome.REDIRECT, Outcome.ROBOTS_FILE, Outcome.FORBIDDEN])
def test_what_is_no_request_for_a_page_does_not_count(other: Outcome) -> None:
    assert not counted(*[visit(other)] * 100).is_hopeless(HOST)


def failing_web() -> Sites:
    """A home page that links to 100 missing pages of one host, and to 20 pages of another."""
    missing = "".join(f'<a href="http://bad.test/{k}">Springfield</a>' for k in range(100))
    good = "".join(f'<a href="/{k}">page {k}</a>' for k in range(20))
    late = "".join(f'<a href="http://bad.test/late-{k}">Springfield</a>' for k in range(9))
    pages = {f"/{k}": f"<p>page {k} of many</p>{late}" for k in range(20)}
    return {"a.test": {"/": missing + good, **pages}, "bad.test": {}}


@pytest.mark.parametrize("ordering", ["combined", "breadth-first"])
def test_a_failing_host_gets_a_handful_of_requests(tmp_path: Path, ordering: str) -> None:
    with TestWeb(failing_web()) as web:
        crawl(tmp_path, job(["http://a.test/"], ordering=ordering), proxy=web.proxy)
        asked = [access for access in web.accesses if access.path != "/robots.txt"]
    assert sum(access.host == "bad.test" for access in asked) == HOPELESS
    assert {access.path for access in asked if access.host == "a.test"} == {
        "/",
        *(f"/{k}" for k in range(20)),
    }
    tried = {one.url for one in visits(tmp_path)}
    dropped = min({f"http://bad.test/{k}" for k in range(100)} - tried)
    said = str(explain(tmp_path, dropped))
    assert f"given up, because its host failed {HOPELESS} times and gave no page" in said


def test_a_resumed_crawl_remembers_the_failures(tmp_path: Path) -> None:
    with TestWeb(failing_web()) as web:
        for pages in (3, 9, 0):
            limits = LimitsSection(private_networks=True, pages=pages)
            wanted = job(["http://a.test/"], ordering="breadth-first", limits=limits)
            crawl(tmp_path, wanted, proxy=web.proxy)
        asked = [access for access in web.accesses if access.path != "/robots.txt"]
    assert sum(access.host == "bad.test" for access in asked) == HOPELESS
    refused = {one.why for visit in visits(tmp_path) for one in visit.refused}
    assert refused <= {Refusal.HOST_FAILS}
