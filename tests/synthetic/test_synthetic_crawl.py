"""The synthetic web in use: address finder, crawl, HTTP, and the published figures."""

import asyncio
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from bench.synthetic import blind_crawl, bridges, locality
from tests.support.crawling import job, visits
from typer.testing import CliRunner

from toponaut.cli import app
from toponaut.crawl.run import CrawlEnd, CrawlRun
from toponaut.job import LimitsSection, render
from toponaut.job.targets import us_top_100
from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_gazetteer, open_names
from toponaut.records import Outcome, Response
from toponaut.synthetic import SyntheticFetcher, SyntheticWeb
from toponaut.synthetic.paths import Role
from toponaut.synthetic.truth import page_truth

SEATTLE = 5809844


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb(open_gazetteer())


def test_a_blind_crawl_agrees_with_published_figures(web: SyntheticWeb) -> None:
    """Within wide limits for 3,000 pages; bench/synthetic.py prints 20,000."""
    met, outcomes = blind_crawl(web, 3000)
    targets = {place.id for place in us_top_100(open_gazetteer())}
    relevant = [any(one.place in targets for one in page.truth.addresses) for page in met]
    by_url = [page.truth.in_url if page.truth.in_url in targets else 0 for page in met]
    by_content = [
        next((place for place in page.truth.places if place in targets), 0) for page in met
    ]
    assert 0.004 < sum(relevant) / len(met) < 0.015  # Gao et al.: 0.0086; it grows with the crawl
    naming = sum(bool(page.truth.places) for page in met)
    assert 0.1 < naming / len(met) < 0.22  # Ahlers, Boll: 10 to 20 %
    linked, unlinked, pairs = locality(met, by_url)
    assert pairs > 10
    assert linked > 0.3  # 0.416
    assert 0.01 < unlinked < 0.05  # 0.026
    linked, unlinked, pairs = locality(met, by_content)
    assert pairs > 200
    assert 0.15 < linked < 0.5  # 0.263
    assert 0.008 < unlinked < 0.018  # 0.012
    between = bridges(met, relevant)
    assert (
        between[0] < between.total() / 2
    )  # most are far from the seeds; see docs/synthetic-web.md
    assert 40 < sum(len(page.links) for page in met) / len(met) < 80
    assert 8_000 < sum(page.size for page in met) / len(met) < 40_000
    assert 0.005 < 1 - outcomes["200"] / outcomes.total() < 0.1


def test_the_finder_finds_the_true_addresses(web: SyntheticWeb) -> None:
    names = open_names()
    finder = AddressFinder(names.gazetteer, names)
    there = found = right = 0
    for number in range(0, 2_500_000, 19_973):
        site = web.sites.site(number)
        for role, k in ((Role.CONTACT, 0), (Role.IMPRINT, 0), (Role.LIST, 1)):
            url = f"http://{site.host}{web.paths.path(site, role, k)}"
            expected, answer = page_truth(web, url).addresses, web.page(url)
            if not expected or answer.status != 200:
                continue
            page = parse(Response(url, 200, answer.body, dict(answer.headers)["content-type"]))
            by_normal = {one.normal: one for one in finder.find(page)}
            there += len(expected)
            found += sum(one.normal in by_normal for one in expected)
            right += sum(
                one.normal in by_normal and by_normal[one.normal].place == one.place
                for one in expected
            )
    assert there > 40
    assert found / there > 0.9
    assert right / there > 0.9


def crawl(web: SyntheticWeb, directory: Path, seeds: list[str]) -> CrawlEnd:
    wanted = job(seeds, limits=LimitsSection(pages=120))
    fetcher = SyntheticFetcher(web)
    made = CrawlRun(
        directory, render(wanted), wanted, 0, fetcher, watch=lambda *_: None, say=lambda _: None
    )
    return asyncio.run(made.run())


def test_two_crawls_give_the_same_result(web: SyntheticWeb, tmp_path: Path) -> None:
    seeds = web.seeds("city", 8, SEATTLE)
    crawl(web, tmp_path / "one", seeds)
    crawl(web, tmp_path / "two", seeds)
    one, two = visits(tmp_path / "one"), visits(tmp_path / "two")
    pages = [visit for visit in one if visit.outcome is Outcome.FETCHED]
    assert len(pages) >= 100
    assert [(visit.url, visit.outcome, visit.promise, visit.digest) for visit in one] == [
        (visit.url, visit.outcome, visit.promise, visit.digest) for visit in two
    ]
    relevant = [visit for visit in pages if visit.relevant]
    assert relevant
    for visit in relevant:
        true = {address.normal for address in page_truth(web, visit.url).addresses}
        assert any(address.normal in true for address in visit.addresses)
    assert all(visit.ip.startswith("2001:db8:") for visit in pages)


def test_it_is_served_as_proxy_and_by_host(web: SyntheticWeb) -> None:
    command = [sys.executable, "-m", "toponaut", "web", "serve", "--port", "0", "--patience", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.match(
                r"(http://127.0.0.1:\d+) serves the synthetic web; start at (\S+)",
                process.stdout.readline(),
            )
            assert found is not None
            server, start = found.groups()
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": server}))
            with opener.open(start, timeout=60) as answer:
                assert answer.read() == web.page(start).body
            host = start.split("/")[2]
            plain = urllib.request.Request(f"{server}/robots.txt", headers={"Host": host})
            direct = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPErrorProcessor()
            )
            expected = web.page(f"{start}robots.txt")
            if expected.status == 200:
                with direct.open(plain, timeout=60) as answer:
                    assert answer.read() == expected.body
            with pytest.raises(urllib.error.HTTPError, match="502"):
                opener.open("http://no-such_host.com/", timeout=60)
        finally:
            process.terminate()


def test_the_commands_show_seeds_and_pages() -> None:
    run = CliRunner().invoke
    seeds = run(
        app,
        ["web", "seeds", "--kind", "city", "--place", "Oldenburg, Lower Saxony", "--count", "4"],
    )
    assert seeds.exit_code == 0
    assert len(seeds.stdout.split()) == 4
    shown = run(app, ["web", "page", seeds.stdout.split()[0]])
    assert shown.exit_code == 0
    assert "list of a directory site" in shown.stdout
