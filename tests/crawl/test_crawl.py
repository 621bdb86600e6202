"""Whole crawls of the test web over real HTTP: everything is found, nothing forbidden is asked,
faults are survived.
"""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from shutil import rmtree

import pytest
from msgspec import structs
from tests.support.crawling import crawl, edges, job, urls, visits
from tests.support.little_web import export, little_web
from tests.support.web_answers import (
    Answer,
    Bomb,
    Drop,
    EndlessBody,
    EndlessPath,
    Flaky,
    Garbage,
    HugeHead,
    LyingLength,
    Page,
    Redirect,
    RedirectLoop,
    Robots,
    Sitemap,
    Slow,
    SlowLoris,
    Status,
    TooMany,
    WrongEncoding,
)
from tests.support.webserver import TestWeb

from toponaut.job import CollaborationSection, LimitsSection, NodesSection, PolitenessSection
from toponaut.records import Outcome, Refusal

PRIVATE = LimitsSection(private_networks=True)


def links(*targets: str) -> str:
    return "<title>Links</title>" + "".join(
        f'<p>see <a href="{target}">{target}</a>' for target in targets
    )


@pytest.mark.parametrize("ordering", ["breadth-first", "link-distance"])
def test_a_crawl_finds_all_pages_and_asks_for_nothing_forbidden(
    tmp_path: Path, ordering: str
) -> None:
    little = little_web(seed=1, hosts=6, pages=120)
    with TestWeb(little.sites) as web:
        ended = crawl(tmp_path / "c", job([little.seed], ordering=ordering), proxy=web.proxy)
    assert ended.why == "nothing is left to fetch"
    fetched = urls(tmp_path / "c", Outcome.FETCHED)
    assert set(fetched) == little.pages
    assert len(fetched) == len(set(fetched))
    assert set(urls(tmp_path / "c", Outcome.REDIRECT)) == little.redirects
    assert set(urls(tmp_path / "c", Outcome.GONE)) == little.missing
    assert set(urls(tmp_path / "c", Outcome.FORBIDDEN)) == little.forbidden
    assert not little.forbidden & set(web.asked())
    assert {visit.url for visit in visits(tmp_path / "c") if visit.relevant} == little.relevant
    assert (ended.progress.pages, ended.progress.relevant) == (
        len(little.pages),
        len(little.relevant),
    )
    assert max(Counter(web.asked()).values()) == 1  # robots.txt and sitemaps too


def test_a_replayed_web_gives_the_same_pages_and_links_and_twice_the_same_log(
    tmp_path: Path,
) -> None:
    little = little_web(seed=2, hosts=5, pages=80)
    wanted = job([little.seed])
    folder = tmp_path / "web"
    folder.mkdir()
    export(little, folder)
    with TestWeb(little.sites) as web:
        crawl(tmp_path / "http", wanted, proxy=web.proxy)
    for name, workers in (("once", 0), ("twice", 0), ("pooled", 2)):
        crawl(tmp_path / name, wanted, replay=folder, workers=workers)
    crawl(tmp_path / "again", wanted, replay=tmp_path / "http" / "archive")
    for name in ("once", "again"):
        assert edges(tmp_path / name) == edges(tmp_path / "http")
        assert sorted(urls(tmp_path / name, Outcome.FETCHED)) == sorted(
            urls(tmp_path / "http", Outcome.FETCHED)
        )
    assert visits(tmp_path / "twice") == visits(tmp_path / "once")
    assert visits(tmp_path / "pooled") == visits(tmp_path / "once")
    archives = [
        (tmp_path / name / "archive" / "main-000000.warc.gz").read_bytes()
        for name in ("once", "twice", "pooled")
    ]
    assert archives[0] == archives[1] == archives[2]


def test_hosts_are_interleaved_and_none_is_asked_faster_than_its_delay(tmp_path: Path) -> None:
    little = little_web(seed=3, hosts=4, pages=24)
    wanted = job(
        [little.seed], politeness=PolitenessSection(delay=0.15, contact="https://bot.example/")
    )
    with TestWeb(little.sites) as web:
        crawl(tmp_path / "c", wanted, proxy=web.proxy)
    by_host: dict[str, list[float]] = {}
    for access in web.accesses:
        by_host.setdefault(access.host, []).append(access.time)
    assert len(by_host) == 4
    assert all(
        after - before >= 0.15 for times in by_host.values() for before, after in pairwise(times)
    )
    assert len({access.host for access in web.accesses[-8:]}) > 1
    agents = {access.headers.get("user-agent", "") for access in web.accesses}
    assert len(agents) == 1
    assert "https://bot.example/" in agents.pop()


FAULTS: dict[str, tuple[Answer, Outcome]] = {
    "slow.test": (Slow(delay=30), Outcome.TIMEOUT),
    "loris.test": (SlowLoris(pause=0.2), Outcome.TIMEOUT),
    "drop.test": (Drop("before"), Outcome.NO_CONNECTION),
    "cut.test": (Drop("body"), Outcome.BROKEN),
    "short.test": (LyingLength(-10), Outcome.BROKEN),
    "packed.test": (WrongEncoding(damaged=True), Outcome.BROKEN),
    "bomb.test": (Bomb(10_000_000), Outcome.TOO_LARGE),
    "endless.test": (EndlessBody(), Outcome.TOO_LARGE),
    "head.test": (HugeHead(), Outcome.BROKEN),
    "garbage.test": (Garbage(), Outcome.BROKEN),
    "gone.test": (Status(410), Outcome.GONE),
    "picture.test": (Page(b"\x89PNG", "image/png"), Outcome.WRONG_TYPE),
    "error.test": (Status(503), Outcome.SERVER_ERROR),
}


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failing hosts rest for moments instead of minutes."""
    monkeypatch.setattr("toponaut.web.politeness.clocks.FIRST_REST", 0.01)
    monkeypatch.setattr("toponaut.web.politeness.clocks.LONGEST_REST", 0.1)
    monkeypatch.setattr("toponaut.web.politeness.robots.FIRST_WAIT", 0.01)


@pytest.mark.usefixtures("soon")
def test_every_fault_is_an_outcome_and_delays_no_other_host(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        host: {"/robots.txt": Robots(""), "/": answer} for host, (answer, _) in FAULTS.items()
    }
    sites["start.test"] = {
        "/": links(*(f"http://{host}/" for host in FAULTS), "/fine", "http://none.test/")
    }
    sites["start.test"]["/fine"] = "<p>fine"
    wanted = job(
        ["http://start.test/"],
        politeness=PolitenessSection(
            delay=0.0,
            read_timeout=4.0,
            total_timeout=6.0,
            retries=0,
            contact="https://bot.example/",
            connect_timeout=2.0,
        ),
        limits=LimitsSection(private_networks=True, body_bytes=1_000_000),
    )
    with TestWeb(sites) as web:
        ended = crawl(tmp_path / "c", wanted, proxy=web.proxy)
    outcomes = {visit.url: visit.outcome for visit in visits(tmp_path / "c")}
    assert {host: outcomes[f"http://{host}/"] for host in FAULTS} == {
        host: outcome for host, (_, outcome) in FAULTS.items()
    }
    assert outcomes["http://start.test/fine"] is Outcome.FETCHED
    assert ended.progress.faults >= len(FAULTS) - 1


@pytest.mark.usefixtures("soon")
def test_only_temporary_failures_are_retried(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "start.test": {"/": links("http://flaky.test/", "http://busy.test/", "http://dead.test/")},
        "flaky.test": {"/": Flaky(1, Page("<p>fine"))},
        "busy.test": {"/": TooMany("1", times=1)},
        "dead.test": {"/": Status(404)},
    }
    with TestWeb(sites) as web:
        crawl(tmp_path / "c", job(["http://start.test/"]), proxy=web.proxy)
    tries = [
        (visit.url, visit.outcome, visit.tries, visit.retry) for visit in visits(tmp_path / "c")
    ]
    for host, fault in (("flaky", Outcome.SERVER_ERROR), ("busy", Outcome.SERVER_ERROR)):
        assert (f"http://{host}.test/", fault, 0, True) in tries
        assert (f"http://{host}.test/", Outcome.FETCHED, 1, False) in tries
    assert ("http://dead.test/", Outcome.GONE, 0, False) in tries


@pytest.mark.usefixtures("soon")
def test_a_host_that_never_answers_is_given_up(tmp_path: Path) -> None:
    pages = [f"http://dead.test/{number}" for number in range(20)]
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "start.test": {"/": links(*pages)},
        "dead.test": {"/robots.txt": Drop("before"), "/*": Drop("before")},
    }
    with TestWeb(sites) as web:
        ended = crawl(tmp_path / "c", job(["http://start.test/"]), proxy=web.proxy)
    assert ended.why == "nothing is left to fetch"
    last = visits(tmp_path / "c")[-1]
    assert (last.url, last.dropped) == ("http://dead.test/robots.txt", 20)
    assert set(web.asked("dead.test")) == {"http://dead.test/robots.txt"}
    rmtree(tmp_path / "c" / "state")
    with TestWeb(sites) as web:  # it stays given up when its frontier is rebuilt from the log
        ended = crawl(tmp_path / "c", job(["http://start.test/"]), proxy=web.proxy)
    assert (ended.progress.queued, web.asked("dead.test")) == (0, [])


def test_a_closed_port_does_not_hold_up_its_host(tmp_path: Path) -> None:
    closed = [f"http://127.0.0.2:1/{number}" for number in range(20)]  # nobody listens on port 1
    pages = {f"/{number}": "<p>fine" for number in range(20)}
    with TestWeb({"127.0.0.2": {"/": links(*closed, *pages), **pages}}) as web:
        ended = crawl(tmp_path / "c", job([web.url("127.0.0.2")]))
    assert ended.progress.pages == 21
    outcomes = Counter(visit.outcome for visit in visits(tmp_path / "c"))
    assert outcomes[Outcome.NO_RULES] == 20
    assert (ended.progress.queued, sum(visit.dropped for visit in visits(tmp_path / "c"))) == (0, 0)


@pytest.mark.parametrize("kind", ["calendar", "session", "deeper", "copies"])
def test_traps_end(tmp_path: Path, kind: str) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "start.test": {"/": links("http://trap.test/", "/fine"), "/fine": "<p>fine"},
        "trap.test": {"/*": EndlessPath(kind)},  # type: ignore[arg-type]
    }
    limits = LimitsSection(private_networks=True, pages=2000, depth=0)
    with TestWeb(sites) as web:
        ended = crawl(tmp_path / "c", job(["http://start.test/"], limits=limits), proxy=web.proxy)
    assert ended.why == "nothing is left to fetch"
    assert ended.progress.pages < 200
    assert "http://start.test/fine" in urls(tmp_path / "c", Outcome.FETCHED)


def test_redirects_are_hops_of_their_own_and_loops_end(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {
            "/": links("/old", "/ring/0", "/forever/0", "http://a.test/secret"),
            "/old": Redirect("http://b.test/new"),
            "/ring/*": RedirectLoop(3),
            "/forever/*": RedirectLoop(0),
            "/secret": Redirect("http://b.test/private/x"),
        },
        "b.test": {
            "/robots.txt": Robots("User-agent: *\nDisallow: /private/"),
            "/new": "<p>new",
            "/private/x": "<p>no",
        },
    }
    with TestWeb(sites) as web:
        ended = crawl(tmp_path / "c", job(["http://a.test/"]), proxy=web.proxy)
    assert ended.why == "nothing is left to fetch"
    assert "http://b.test/private/x" not in web.asked()
    outcomes = {visit.url: visit for visit in visits(tmp_path / "c")}
    assert outcomes["http://b.test/private/x"].outcome is Outcome.FORBIDDEN
    assert outcomes["http://b.test/new"].redirects == 1
    assert ended.progress.refused[Refusal.TOO_MANY_REDIRECTS] == 1
    assert len(web.asked("a.test")) < 30


def test_nofollow_noindex_and_sitemaps(tmp_path: Path) -> None:
    meta = '<meta name="robots" content="{}">'
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {
            "/robots.txt": Robots("User-agent: *\nDisallow: /no\nSitemap: http://a.test/map.xml"),
            "/map.xml": Sitemap(["http://a.test/listed", "http://a.test/no/listed"]),
            "/": links("/closed", "/hidden") + '<a rel="nofollow" href="/paid">paid</a>',
            "/closed": meta.format("nofollow") + links("/unfollowed"),
            "/hidden": meta.format("noindex")
            + "<p>123 Main Street, Springfield, IL 62701"
            + links("/behind"),
            "/behind": "<p>behind",
            "/listed": "<p>listed",
            "/paid": "<p>paid",
            "/unfollowed": "<p>unfollowed",
        }
    }
    with TestWeb(sites) as web:
        crawl(tmp_path / "c", job(["http://a.test/"]), proxy=web.proxy)
    found = {visit.url.removeprefix("http://a.test"): visit for visit in visits(tmp_path / "c")}
    fetched = {path for path, visit in found.items() if visit.outcome is Outcome.FETCHED}
    assert fetched == {"/", "/closed", "/behind", "/listed"}
    assert found["/hidden"].outcome is Outcome.NO_INDEX
    assert (found["/hidden"].text, found["/hidden"].addresses, found["/hidden"].archive) == (
        "",
        (),
        "",
    )
    assert found["/map.xml"].outcome is Outcome.SITEMAP
    assert found["/no/listed"].outcome is Outcome.FORBIDDEN
    assert {
        one.url for visit in found.values() for one in visit.refused if one.why is Refusal.NOFOLLOW
    } == {
        "http://a.test/paid",
        "http://a.test/unfollowed",
    }


def test_limits_are_kept(tmp_path: Path) -> None:
    little = little_web(seed=4, hosts=4, pages=60)
    with TestWeb(little.sites) as web:
        few = LimitsSection(private_networks=True, pages=7)
        ended = crawl(tmp_path / "few", job([little.seed], limits=few), proxy=web.proxy)
        assert (ended.progress.pages, ended.why) == (
            7,
            "the page limit is reached (limits.pages = 7)",
        )
        each = LimitsSection(private_networks=True, pages_per_host=3)
        ended = crawl(tmp_path / "each", job([little.seed], limits=each), proxy=web.proxy)
        pages = Counter(url.split("/")[2] for url in urls(tmp_path / "each", Outcome.FETCHED))
        assert max(pages.values()) == 3
        assert ended.progress.queued == 0
        shallow = LimitsSection(private_networks=True, depth=1)
        crawl(tmp_path / "shallow", job([little.seed], limits=shallow), proxy=web.proxy)
        assert max(visit.depth for visit in visits(tmp_path / "shallow")) == 1


def test_private_networks_are_refused_unless_the_job_allows_them(tmp_path: Path) -> None:
    with TestWeb({"127.0.0.1": {"/": "<p>secret"}}) as web:
        seeds = [web.url("127.0.0.1"), f"http://localhost:{web.port}/"]
        crawl(tmp_path / "c", job(seeds, limits=LimitsSection()))
        assert web.asked() == []
        assert {visit.outcome for visit in visits(tmp_path / "c")} == {
            Outcome.SEEDED,
            Outcome.PRIVATE,
        }
        crawl(tmp_path / "allowed", job(seeds[:1]))
        assert urls(tmp_path / "allowed", Outcome.FETCHED) == seeds[:1]


def test_several_nodes_share_the_pages_and_the_clocks(tmp_path: Path) -> None:
    little = little_web(seed=5, hosts=4, pages=40)
    wanted = structs.replace(
        job([little.seed], politeness=PolitenessSection(delay=0.05)),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
    )
    with TestWeb(little.sites) as web:
        ended = crawl(tmp_path / "c", wanted, proxy=web.proxy)
    fetched = urls(tmp_path / "c", Outcome.FETCHED)
    assert sorted(fetched) == sorted(little.pages)
    assert len({visit.node for visit in visits(tmp_path / "c")}) == 3
    assert ended.progress.sent > 0
    for host in little.sites:
        times = [access.time for access in web.accesses if access.host == host]
        assert all(after - before >= 0.05 for before, after in pairwise(times))
