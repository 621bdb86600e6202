"""Servers that try to stall a crawl. Good hosts must keep their pages, and the crawl must end."""

from itertools import pairwise
from pathlib import Path
from shutil import rmtree

from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, urls, visits
from tests.support.web_answers import Answer, Page, Redirect, Slow
from tests.support.webserver import TestWeb

from toponaut.job import LimitsSection
from toponaut.records import Outcome

Sites = dict[str, dict[str, str | bytes | Answer]]
DAY = (("Retry-After", "86400"),)


def page(*links: str) -> str:
    return "<p>text" + "".join(f'<a href="{link}">link</a>' for link in links)


def test_a_robots_txt_that_redirects_to_a_resting_host_holds_no_slot(tmp_path: Path) -> None:
    """More hosts than slots redirect their robots.txt to a host that wants to be asked tomorrow."""
    traps = [f"trap{number}.test" for number in range(80)]
    good = [f"http://good.test/{number}" for number in range(50)]
    sites: Sites = {
        "start.test": {"/": page(*(f"http://{host}/" for host in traps), *good)},
        "good.test": {f"/{number}": f"<p>good {number} " * 9 for number in range(50)},
        "tomorrow.test": {"/*": Page("later", status=503, headers=DAY)},
    }
    for host in traps:
        sites[host] = {"/robots.txt": Redirect("http://tomorrow.test/robots.txt"), "/": "<p>trap"}
    limits = LimitsSection(private_networks=True, seconds=20)
    with TestWeb(sites) as web:
        crawl(tmp_path / "c", job(["http://start.test/"], limits=limits), proxy=web.proxy)
        assert len(web.asked("tomorrow.test")) <= 2
    assert set(good) <= set(urls(tmp_path / "c", Outcome.FETCHED))
    assert not any("trap" in url for url in urls(tmp_path / "c", Outcome.FETCHED))


def test_a_resumed_crawl_keeps_to_retry_after(tmp_path: Path) -> None:
    """Whether it was asked for by a page, by a robots.txt, or by what that redirected to."""
    later = Page("later", status=503, headers=DAY)
    sites: Sites = {
        "page.test": {"/robots.txt": "", "/": later},
        "rules.test": {"/robots.txt": later},
        "moved.test": {"/robots.txt": Redirect("http://tomorrow.test/robots.txt")},
        "tomorrow.test": {"/robots.txt": later},
    }
    seeds = [f"http://{host}.test/" for host in ("page", "rules", "moved")]
    limits = LimitsSection(private_networks=True, seconds=1)
    with TestWeb(sites) as web:
        crawl(tmp_path / "c", job(seeds, limits=limits), proxy=web.proxy)
        asked = web.asked()
        assert len(asked) == 5
        crawl(tmp_path / "c", job(seeds, limits=limits), proxy=web.proxy)
        rmtree(tmp_path / "c" / "state")
        end = crawl(tmp_path / "c", job(seeds, limits=limits), proxy=web.proxy)
        assert web.asked() == asked
    assert end.progress.queued == len(seeds)


def test_each_redirect_of_a_robots_txt_waits_for_the_clock_of_its_host(tmp_path: Path) -> None:
    """http to https, say: two requests to one host, with its delay between them."""
    sites: Sites = {
        "a.test": {
            "/robots.txt": Redirect("http://a.test/rules"),
            "/rules": Redirect("http://b.test/rules"),
            "/": "<p>a",
        },
        "b.test": {"/rules": "User-agent: *\nDisallow: /secret", "/": "<p>b"},
    }
    slow = replace(FAST, delay=0.5)
    with TestWeb(sites) as web:
        seeds = ["http://a.test/", "http://a.test/secret", "http://b.test/"]
        crawl(tmp_path / "c", job(seeds, politeness=slow), proxy=web.proxy)
        times = {
            host: [access.time for access in web.accesses if access.host == host]
            for host in ("a.test", "b.test")
        }
    for host in times.values():
        assert all(later - earlier > 0.45 for earlier, later in pairwise(host))
    outcomes = {visit.url: visit.outcome for visit in visits(tmp_path / "c")}
    assert outcomes["http://a.test/"] is Outcome.FETCHED
    assert outcomes["http://a.test/secret"] is Outcome.FORBIDDEN


def test_a_robots_txt_that_redirects_to_a_private_host_is_unreachable(tmp_path: Path) -> None:
    """The page itself is public: it waits for its rules, and is not taken for a private one."""
    inside = "http://127.0.0.1/robots.txt"
    sites: Sites = {"a.test": {"/robots.txt": Redirect(inside), "/": "<p>a"}}
    with TestWeb(sites) as web:
        limits = LimitsSection(seconds=3)
        crawl(tmp_path / "c", job(["http://a.test/"], limits=limits), proxy=web.proxy)
    outcomes = {visit.url: visit.outcome for visit in visits(tmp_path / "c")}
    assert outcomes[inside] is Outcome.PRIVATE
    assert "http://a.test/" not in outcomes


def test_slow_servers_hold_no_slot_and_no_stop(tmp_path: Path) -> None:
    """As many servers as slots answer after a quarter of an hour. Their links wait for later."""
    slow = [f"slow{number}.test" for number in range(4)]
    good = [f"http://good.test/{number}" for number in range(20)]
    sites: Sites = {host: {"/robots.txt": "", "/": Slow(delay=900)} for host in slow}
    sites["start.test"] = {"/": page(*(f"http://{host}/" for host in slow), *good)}
    sites["good.test"] = {f"/{number}": f"<p>good {number} " * 9 for number in range(20)}
    patient = replace(FAST, concurrent=4, read_timeout=1000, total_timeout=1000)
    limits = LimitsSection(private_networks=True, seconds=10)
    wanted = job(["http://start.test/"], politeness=patient, limits=limits)
    with TestWeb(sites) as web:
        end = crawl(tmp_path / "c", wanted, proxy=web.proxy)
        assert {f"http://{host}/" for host in slow} <= set(web.asked())
    assert "limits.seconds" in end.why
    assert set(good) <= set(urls(tmp_path / "c", Outcome.FETCHED))
    assert end.progress.queued == len(slow)
    assert (tmp_path / "c" / "state" / "frontier-Cn1" / "closed").exists()
