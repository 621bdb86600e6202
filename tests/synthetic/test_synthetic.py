"""The synthetic web: deterministic, closed under its links, and true to its truth."""

import asyncio
import hashlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Outcome, Request, Response
from toponaut.synthetic import SyntheticFetcher, SyntheticSettings, SyntheticWeb
from toponaut.synthetic.paths import Role
from toponaut.synthetic.truth import page_truth
from toponaut.urls import join, normalise, registered_domain, tokens

HOUSTON, OLDENBURG, LISBON, GLENDALE_AZ, GLENDALE_CA = 4699066, 2857458, 2267057, 5295985, 5352423


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb(open_gazetteer())


def walk(web: SyntheticWeb, count: int, starts: list[str]) -> dict[str, list[str]]:
    """Pages with their links, breadth-first."""
    found: dict[str, list[str]] = {}
    queue = list(starts)
    for url in queue:
        answer = web.page(url)
        if answer.status == 200 and url not in found:
            kind = dict(answer.headers)["content-type"]
            found[url] = [link.url for link in parse(Response(url, 200, answer.body, kind)).links]
            queue += found[url][::7]
        if len(found) == count:
            break
    return found


def digest(web: SyntheticWeb, count: int) -> str:
    """A digest of pages of many kinds of sites."""
    total = hashlib.sha256()
    for number in range(0, web.sites.count, web.sites.count // count):
        site = web.sites.site(number // 300)
        for path in ("/", web.paths.path(site, Role.PAGE, 1), "/robots.txt"):
            answer = web.page(f"http://{site.host}{path}")
            total.update(
                answer.body
                + repr((answer.status, answer.headers, answer.ip, answer.seconds)).encode()
            )
    return total.hexdigest()


def test_the_web_depends_on_the_seed_not_the_process(web: SyntheticWeb) -> None:
    code = (
        "from tests.synthetic.test_synthetic import *; "
        "print(digest(SyntheticWeb(open_gazetteer()), 60))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(web, 60)
    assert digest(SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=1)), 60) != digest(web, 60)


def test_the_order_of_requests_changes_nothing(web: SyntheticWeb) -> None:
    urls = list(walk(web, 40, web.seeds("city", 10, HOUSTON)))
    fresh = SyntheticWeb(open_gazetteer())
    assert [fresh.page(url) for url in reversed(urls)] == [web.page(url) for url in reversed(urls)]


def test_every_link_leads_to_an_answer(web: SyntheticWeb) -> None:
    """Most to pages, some to redirects, some to missing pages. URLs are normalised."""
    pages = walk(web, 60, web.seeds("directory", 5) + web.seeds("city", 8, HOUSTON))
    outcomes: dict[str, int] = {}
    for links in pages.values():
        for link in links:
            assert normalise(link) == link
            answer = web.page(link)
            assert answer.fault in (None, Outcome.NO_HOST, Outcome.NO_CONNECTION, Outcome.TIMEOUT)
            if answer.status == 301:
                moved = join(link, dict(answer.headers)["location"])
                assert moved is not None
                assert web.page(moved).status in (200, 503)
            assert (page_truth(web, link).kind != "") == (
                answer.status in (200, 503) and web.find(link) is not None
            )
            outcomes[str(answer.fault or answer.status)] = (
                outcomes.get(str(answer.fault or answer.status), 0) + 1
            )
    total = sum(outcomes.values())
    assert total > 2000
    assert 0.9 < outcomes["200"] / total < 0.99
    assert {"404", "301"} <= outcomes.keys()


def test_ten_million_pages_exist_in_any_order(web: SyntheticWeb) -> None:
    """Every 50,000th of 10 million pages exists, and only mirrors are copies."""
    step, number, pages, sampled = 1_000_003, 0, 0, set()
    answered = 0
    while pages < 10_000_000:
        site = web.sites.site(number % web.sites.count)
        before, pages = pages, pages + max(web.sites.size(site) - 1, 1)
        if before // 50_000 != pages // 50_000 and web.sites.size(site) > 1:
            answer = web.page(
                f"http://{site.host}{web.paths.path(site, Role.PAGE, web.sites.size(site) - 1)}"
            )
            assert answer.status in (200, 503) or answer.fault
            if answer.status == 200:
                answered += 1
                sampled.add(answer.body)
        number += step
    assert answered > 100
    assert len(sampled) == answered


@settings(max_examples=300)
@given(tail=st.text(max_size=60), which=st.integers(0, 40), raw=st.booleans())
def test_any_string_gets_an_answer(web: SyntheticWeb, tail: str, which: int, raw: bool) -> None:
    site = web.sites.site(which * 99_991)
    url = tail if raw else f"http://{site.host}/{tail}"
    answer = web.page(url)
    assert answer.fault is not None or 200 <= answer.status < 600
    assert page_truth(web, url) == page_truth(web, url)


@settings(max_examples=300)
@given(number=st.integers(0, 10**9), page=st.integers(1, 10**6))
def test_every_path_can_be_parsed(web: SyntheticWeb, number: int, page: int) -> None:
    site = web.sites.site(number)
    path, _, query = web.paths.path(site, Role.PAGE, page).partition("?")
    expected = (Role.PAGE, page) if web.paths.exists(site, Role.PAGE, page) else None
    assert web.paths.spot(site, path, query) == expected
    assert web.sites.find_host(site.host) is site


def test_hosts_look_real_but_cannot_exist(web: SyntheticWeb) -> None:
    """The registered domain is the site, the city a word of the URL, the name impossible."""
    for number in range(0, web.sites.count, web.sites.count // 97):
        site = web.sites.site(number)
        assert registered_domain(site.host) == site.host.removeprefix("www.")
        assert "_" in site.host.split(".")[-2]
    city = web.world.city_at(HOUSTON)
    assert city is not None
    named = [site for k in range(200) if (site := web.sites.site(city.first_site + k)).city_in_host]
    assert named
    assert all("houston" in "".join(tokens(f"http://{site.host}/").host) for site in named)


def test_names_are_ambiguous(web: SyntheticWeb) -> None:
    both = [web.world.city_at(place) for place in (GLENDALE_AZ, GLENDALE_CA)]
    assert [(city.slug, city.state) for city in both if city] == [
        ("glendale", "AZ"),
        ("glendale", "CA"),
    ]


def test_german_and_portuguese_cities_have_their_own_pages(web: SyntheticWeb) -> None:
    for place, language, code in ((OLDENBURG, "de", "DE"), (LISBON, "pt", "PT")):
        city = web.world.city_at(place)
        assert city is not None
        own = [
            page_truth(web, f"http://{web.sites.site(city.first_site + k).host}/")
            for k in range(30)
        ]
        pages = [one for one in own if one.kind]
        assert len(pages) > 20
        assert {one.language for one in pages} == {language}
        assert {one.about for one in pages} == {place}
        seeds = web.seeds("city", 12, place)
        found = [page_truth(web, url) for url in walk(web, 60, seeds)]
        assert {one.country for page in found for one in page.addresses if one.place == place} == {
            code
        }


def test_some_hosts_are_gone_silent_failing_or_slow(web: SyntheticWeb) -> None:
    answers = [web.page(f"http://{web.sites.site(number * 7907).host}/") for number in range(3000)]
    assert {one.fault for one in answers} == {
        None,
        Outcome.NO_HOST,
        Outcome.NO_CONNECTION,
        Outcome.TIMEOUT,
    }
    assert {one.status for one in answers} == {0, 200, 503}
    assert 0.9 < sum(one.status == 200 for one in answers) / len(answers) < 0.98
    assert 0.02 < sum(one.seconds > 2 for one in answers if one.status == 200) / len(answers) < 0.06


def test_there_are_robots_sitemaps_traps_and_mirrors(web: SyntheticWeb) -> None:
    sites = [web.sites.site(number * 7919) for number in range(3000)]
    rules = [web.page(f"http://{site.host}/robots.txt") for site in sites[:200]]
    texts = b"".join(answer.body for answer in rules if answer.status == 200)
    assert b"Disallow: /\n" in texts
    assert b"Crawl-delay" in texts
    assert b"Sitemap: " in texts
    maps = [
        line.removeprefix("Sitemap: ")
        for line in texts.decode().splitlines()
        if line.startswith("Sitemap: ")
    ]
    assert b"<urlset" in web.page(maps[0]).body
    far = [web.page(f"http://{site.host}/calendar/2391/05") for site in sites]
    trap = next(answer for answer in far if answer.status == 200)
    assert b"/calendar/2391/06" in trap.body
    mirror = next(
        site for site in sites if site.twin != site.number and web.find(f"http://{site.host}/")
    )
    original = web.sites.site(mirror.twin)
    assert page_truth(web, f"http://{mirror.host}/").copy_of == original.host
    copy, first = web.page(f"http://{mirror.host}/"), web.page(f"http://{original.host}/")
    assert first.fault or copy.body == first.body


def test_an_answer_becomes_a_response(web: SyntheticWeb) -> None:
    fetcher = SyntheticFetcher(web)
    assert fetcher.live is False

    async def ask(*requests: Request) -> list[Response]:
        return [await fetcher.fetch(one) for one in requests]

    url = web.seeds()[0]
    [page] = asyncio.run(ask(Request(url)))
    assert page.outcome is Outcome.FETCHED
    assert page.status == 200
    assert page.body == page.payload
    assert page.response_head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert page.response_head.endswith(b"\r\n\r\n")
    assert page.seconds > 0
    assert page.ip.startswith("2001:db8:")
    etag = dict(page.headers)["etag"]
    again, image, nobody = asyncio.run(
        ask(
            Request(url, etag=etag),
            Request(url, types=("image/png",)),
            Request("http://no-such_host.com/"),
        )
    )
    assert (again.outcome, again.status, again.payload) == (Outcome.UNCHANGED, 304, b"")
    assert image.outcome is Outcome.WRONG_TYPE
    assert nobody.outcome is Outcome.NO_HOST
    bare = url.replace("www.", "") if "www." in url else url.replace("//", "//www.")
    [moved] = asyncio.run(ask(Request(bare)))
    assert (moved.outcome, moved.location) == (Outcome.REDIRECT, url)


def test_servers_are_in_the_network_of_their_city(web: SyntheticWeb) -> None:
    networks = dict(web.servers.networks())
    assert len(networks) == len(web.world.cities)
    for number in range(0, 3_000_000, 99_991):
        site = web.sites.site(number)
        prefix = web.servers.ip(site).rpartition("::")[0] + "::/64"
        assert networks[prefix] == web.servers.city(site)
    own = [site for k in range(1000) if (site := web.sites.site(k * 1000)).is_local]
    share = sum(web.servers.city(site) is site.home for site in own) / len(own)
    assert 0.2 < share < 0.5  # own_address, and hosting companies in the same city
