"""Servers that make up hosts, sitemaps and dead names: they get their share, and no more."""

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.hostile import crawls, interrupted, pace
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, urls, visits
from tests.support.hostile_web import HostileWeb, MadeUpHosts, NestedSitemaps
from tests.support.web_answers import Answer, Page, Robots
from tests.support.webserver import Sites, TestWeb

from toponaut.crawl.run import CrawlEnd, CrawlRun
from toponaut.gate.domains import DomainBudgets, stays
from toponaut.job import Job, LimitsSection, render
from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.urls import host_of
from toponaut.web.http.client import HttpFetcher
from toponaut.web.http.dns import Resolve

PRIVATE = LimitsSection(private_networks=True)


def page(*links: str) -> str:
    return "<p>text" + "".join(f'<a href="{link}">link</a>' for link in links)


async def everywhere_here(host: str) -> Sequence[str]:
    """A resolver: all names have one address, except those that do not exist."""
    if host.startswith("unknown"):
        raise socket.gaierror(socket.EAI_NONAME, "unknown name")
    return ["127.0.0.1"]


async def beside_good(host: str) -> Sequence[str]:
    """A resolver: hostile names name the address of a good host beside their own."""
    return ["127.3.0.1"] if host.startswith("good") else ["127.4.0.1", "127.3.0.1"]


def crawl_directly(folder: Path, wanted: Job, resolver: Resolve = everywhere_here) -> CrawlEnd:
    """Crawls without a proxy."""

    async def run() -> CrawlEnd:
        web = HttpFetcher(wanted.politeness, wanted.limits, resolver=resolver)
        text = render(wanted)
        return await CrawlRun(
            folder, text, wanted, 0, web, watch=lambda _: None, say=lambda _: None
        ).run()

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("http_proxy", raising=False)
        return asyncio.run(run())


def test_a_domain_gives_no_more_pages_than_it_may_however_many_hosts_it_has(tmp_path: Path) -> None:
    good = [f"http://good.test/{number}" for number in range(30)]
    sites: Sites = {
        "start.test": {"/": page("http://a.wild.test/", *good)},
        "good.test": {f"/{number}": f"<p>good {number} " * 9 for number in range(30)},
        "*.wild.test": {"/robots.txt": Robots(""), "/*": MadeUpHosts("wild.test", 80, 20)},
    }
    limits = replace(PRIVATE, pages_per_domain=40)
    with TestWeb(sites) as web:
        end = crawl(tmp_path, job(["http://start.test/"], limits=limits), proxy=web.proxy)
    assert end.why == "nothing is left to fetch"
    fetched = urls(tmp_path, Outcome.FETCHED, Outcome.NEAR_COPY)
    assert set(good) <= set(fetched)
    wild = [url for url in fetched if "wild" in url]
    assert 40 <= len(wild) <= 40 + FAST.per_domain  # those in flight


@pytest.mark.parametrize("bound", ["per_domain", "per_ip"])
def test_hosts_that_belong_together_are_not_asked_together(tmp_path: Path, bound: str) -> None:
    """From the first request on: their address is known before."""
    domain = "wild{}.test" if bound == "per_ip" else "x{}.wild.test"
    hosts = [domain.format(number) for number in range(30)]
    sites: Sites = {host: {"/": f"<p>{host}", "/robots.txt": Robots("")} for host in hosts}
    bounds = {"per_domain": 0, "per_ip": 0, bound: 2}
    with TestWeb(sites, delay=0.05) as web:
        seeds = [f"http://{host}:{web.port}/" for host in hosts]
        wanted = job(seeds, politeness=replace(FAST, **bounds), limits=PRIVATE)
        crawl_directly(tmp_path, wanted)
        spans = sorted(access.time for access in web.accesses)
    assert len(spans) == 2 * len(hosts)
    at_once = max(sum(start <= other < start + 0.05 for other in spans) for start in spans)
    assert at_once <= 2
    assert set(urls(tmp_path, Outcome.FETCHED)) == set(seeds)


@pytest.mark.parametrize("silent", ["127.3.0.1", "127.4.0.1"])
def test_names_at_the_address_of_a_good_host_do_not_hold_it_up(tmp_path: Path, silent: str) -> None:
    """Twenty domains lead to a silent port at its address; or to one of theirs, and name it too."""
    good = {f"/{number}": f"<p>good {number} " * 9 for number in range(20)}
    sites: dict[str, dict[str, bytes | str | Answer]] = {
        "127.3.0.1": {},
        "good.test": {"/robots.txt": Robots(""), **good},
    }
    with socket.create_server((silent, 0), backlog=100) as nobody, TestWeb(sites) as web:
        traps = [f"http://trap{n}.test:{nobody.getsockname()[1]}/" for n in range(20)]
        sites["good.test"]["/"] = page(*traps, *good)
        limits = replace(PRIVATE, seconds=5)
        wanted = job([f"http://good.test:{web.port}/"], limits=limits)
        crawl_directly(tmp_path, wanted, beside_good)
    assert len(urls(tmp_path, Outcome.FETCHED)) == 1 + len(good)


def test_sitemaps_without_end_are_read_as_far_as_their_pages_are_worth(tmp_path: Path) -> None:
    good = [f"http://good.test/{number}" for number in range(30)]
    sites: Sites = {
        "good.test": {f"/{number}": f"<p>good {number} " * 9 for number in range(30)},
        "start.test": {"/": page("http://maps.test/", *good)},
        "maps.test": {
            "/robots.txt": Robots("Sitemap: http://maps.test/index.xml"),
            "/": "<p>maps",
            "/p/*": Page("gone", status=404),
            "/*": NestedSitemaps(pages=1000),
        },
    }
    limits = replace(PRIVATE, pages_per_host=50, seconds=60)
    with TestWeb(sites) as web:
        end = crawl(tmp_path, job(["http://start.test/"], limits=limits), proxy=web.proxy)
    assert end.why == "nothing is left to fetch"
    assert set(good) <= set(urls(tmp_path, Outcome.FETCHED))
    found = [visit for visit in visits(tmp_path) if visit.outcome is Outcome.SITEMAP]
    assert 1 < len(found) <= 20
    assert sum(len(visit.links) for visit in found) < 20 * 20 + 2 * 50 + 100


def test_dead_hosts_are_remembered_and_hold_no_slot(tmp_path: Path) -> None:
    """27 of them, with nine links each and two slots: all good pages come meanwhile."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        dead = [f"http://unknown{n}.test/{k}" for n in range(9) for k in range(9)]
        dead += [f"http://refused{n}.test:{port}/{k}" for n in range(9) for k in range(9)]
        sites: dict[str, dict[str, str]] = {"good.test": {"/robots.txt": ""}}
        with TestWeb(sites) as web:
            dead += [f"https://notls{n}.test:{web.port}/{k}" for n in range(9) for k in range(9)]
            sites["good.test"]["/"] = page(*dead, *(f"/{k}" for k in range(20)))
            sites["good.test"] |= {f"/{k}": f"<p>good {k} " * 9 for k in range(20)}
            few = replace(FAST, concurrent=2, connect_timeout=2.0)
            limits = replace(PRIVATE, seconds=9)
            wanted = job([f"http://good.test:{web.port}/"], politeness=few, limits=limits)
            crawl_directly(tmp_path, wanted)
    assert len(urls(tmp_path, Outcome.FETCHED)) == 21
    done = visits(tmp_path)
    tries = Counter(host_of(visit.url) for visit in done if visit.url)
    assert {host for host in tries if "unknown" in host} == {f"unknown{n}.test" for n in range(9)}
    assert max(count for host, count in tries.items() if host != "good.test") == 1
    given_up = {host_of(visit.url) for visit in done if visit.dropped == 9}
    assert given_up == {f"unknown{n}.test" for n in range(9)}


def test_all_tricks_together(tmp_path: Path) -> None:
    """Every page of the good hosts comes, memory stays small, and one interrupt ends it."""
    with HostileWeb(pages=15) as web:
        figures = web.crawl(tmp_path / "c", seconds=600, delay=0.1, interrupt_at_good=8 * 16)
    assert figures.good >= 8 * 16
    assert figures.megabytes < 400
    assert "interrupted" in figures.why
    assert figures.requests["wild"] < 30 * figures.requests["good"]


@pytest.mark.slow
def test_all_tricks_for_long() -> None:
    """The floors of docs/explanation/security.md, by turns with the good hosts alone."""
    alone, among = crawls(60, rounds=2)
    assert pace(among) >= 0.9 * pace(alone)
    assert max(one.megabytes for one in among) < 400
    assert max(one.stopped_in for one in (*among, interrupted())) < 5


# --- the rules alone ------------------------------------------------------------------------------


def test_depth_goes_on_between_hosts_of_a_domain_except_from_its_home() -> None:
    assert stays("a.org", "a.org")
    assert stays("x.a.org", "y.a.org")
    assert stays("x.a.org", "www.a.org")
    assert not stays("www.a.org", "x.a.org")
    assert not stays("a.org", "x.a.org")
    assert not stays("x.github.io", "y.github.io")


def test_a_domain_earns_links_of_sitemaps_by_its_pages() -> None:
    budgets = DomainBudgets(LimitsSection(pages_per_host=100))
    url = "http://www.a.org/sitemap.xml"
    assert budgets.sitemap_links(url) == 200
    budgets.learn("shop.a.org", Visit(0, "", "", 0, Outcome.FETCHED))
    budgets.learn("shop.a.org", Visit(0, "", "", 0, Outcome.FETCHED, relevant=True))
    assert budgets.sitemap_links(url) == 200 + 2 * 10 + 100
    assert budgets.nested_sitemaps(QueuedLink(url, 1.0, depth=2, sitemap=True)) == 20
    assert budgets.nested_sitemaps(QueuedLink(url, 1.0, depth=3, sitemap=True)) == 0


def test_pages_per_domain_follow_the_pages_per_host() -> None:
    assert DomainBudgets(LimitsSection()).pages_limit == 5000
    assert DomainBudgets(LimitsSection(pages_per_host=0)).pages_limit == 0
    assert DomainBudgets(LimitsSection(pages_per_domain=7)).pages_limit == 7
