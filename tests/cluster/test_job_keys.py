"""Every key of a job works on one machine and on a cluster, or is refused on a cluster.

Each case sets some keys, and runs the same small job both ways: the fetched pages, the refused
links, the archive and the decisions about the links of the first page must be the same.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job, visits
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.local_cluster import LocalCluster
from tests.support.web_answers import Page, Slow
from tests.support.webserver import Sites, TestWeb

from toponaut.cluster.setup import cluster_setup
from toponaut.errors import InputError
from toponaut.job import FetchSection, Job, RegionSection, Section, TerritorySection, WatchSection
from toponaut.records import Outcome, Visit

REFUSED = ("collaboration.exclusive",)
TESTED_APART = (
    "collaboration.blocks",  # needs a model: tests/strategy/test_classifier.py
    "limits.patience",  # tests/crawl/test_price.py
    *(f"fetch.{key}" for key in FetchSection.__struct_fields__),  # tests/render
    # A watch runs on one machine: tests/watch.
    *(f"watch.{key}" for key in WatchSection.__struct_fields__),
)
LIMITS = {
    "limits.seconds": 1,
    "limits.total_bytes": 20_000,
}  # the driver applies them to all actors

Keys = dict[str, Any]
OWN_ROBOTS = Outcome.ROBOTS_FILE  # each actor reads those that it needs
TEXAS = (
    {"name": "texas", "targets": ("Austin, TX",)},
    {"name": "rest", "targets": ("Boston, MA",)},
)

REPLAYED: dict[str, Keys] = {
    "nodes": {
        "partition": "population",
        "random_seed": 7,
        "nodes.geographic": 2,
        "nodes.general": 1,
        "collaboration.strategy": "url",
        "collaboration.policy": "B",
    },
    "written": {
        "partition": "written",
        "nodes.territories": TEXAS,
        "targets.places": ("Austin, TX", "Boston, MA"),
        "collaboration.strategy": "content",
        "collaboration.content_a": 0.9,
        "collaboration.content_b": 0.1,
    },
    "presets": {"targets.presets": ("us-top-100",), "targets.relevant": "scope"},
    "anchor": {"nodes.geographic": 2, "collaboration.strategy": "anchor",
               "collaboration.anchor_window": 2},
    "filters": {
        "seeds": ("http://www.diner-0.test/", "http://www.museum-1.test/"),
        "limits.depth": 2,
        "limits.url_length": 60,
        "limits.exclude": ("/p1",),
        "limits.tlds": ("test",),
        "limits.without_tlds": ("invalid",),
        "limits.languages": ("en", "de"),
        "limits.content_types": ("text/html",),
        "politeness.sitemaps": False,
        "politeness.concurrent": 2,
        "politeness.delay": 0.25,
    },
    "bounds": {
        "seeds": ("http://www.diner-0.test/", "http://www.museum-1.test/"),
        "limits.scope": "domain",
        "limits.hosts": ("diner-0.test", "www.museum-1.test"),
        "limits.include": ("/$", "[02468]"),
        "limits.actions": True,
    },
    "no robots": {"politeness.robots": False, "limits.body_bytes": 20_000},
    "one page a host": {"limits.pages_per_host": 1, "politeness.concurrent": 1},
    "one page a domain": {"limits.pages_per_domain": 1, "politeness.concurrent": 1},
    "a page limit": {"limits.pages": 1},
    "no archive": {"storage.warc": False, "storage.seal_seconds": 2},
    "small archives": {"storage.warc_bytes": 1_000_000},
    "requisites": {"storage.requisites": True, "storage.requisites_per_page": 2},
    "shards": {"nodes.geographic": 2, "nodes.shards": 2, "collaboration.strategy": "url"},
    "link-distance": {"ordering.strategy": "link-distance", "ordering.decay": 0.9,
                      "ordering.cutoff": 2},
    "lookahead": {
        "ordering.strategy": "lookahead",
        "ordering.depth": 2,
        "targets.least_share": 0.5,
    },
    "interest": {
        "ordering.strategy": "interest",
        "ordering.interests": {"museum": 2.0, "harbour": 4.0},
        "regions": ({"name": "texas", "targets": ("Austin, TX",), "interests": {"austin": 1.0}},),
        "ordering.scheme": "lnu",
        "ordering.pivot": 50.0,
        "ordering.slope": 0.5,
    },
    "geo-rank": {"ordering.strategy": "geo-rank", "ordering.window": 5},
}  # fmt: skip
FILES = {  # with a strategy that reads the file
    "ordering.model": "lookahead",
    "collaboration.model": "classifier",
    "collaboration.mmdb": "ip",
}
LIVE = {
    "politeness.user_agent": "Keybot",
    "politeness.contact": "https://keys.example/",
    "politeness.connect_timeout": 30.0,
    "politeness.read_timeout": 1.0,
    "politeness.total_timeout": 2.0,
    "politeness.retries": 0,
    "politeness.verify_tls": False,
    "politeness.per_domain": 1,
    "politeness.per_ip": 1,
    "limits.bandwidth": 10**9,
    "limits.private_networks": True,
    "ordering.strategy": "geo-rank",
    "ordering.registrant": True,
    "ordering.rdap": "http://rdap.test/",
    "ordering.whois": "whois.test",
}


def all_keys() -> set[str]:
    """Every key of a job file: "seeds", "limits.pages"."""
    found = set()
    for name, value in ((name, getattr(Job(), name)) for name in Job.__struct_fields__):
        fields = value.__struct_fields__ if isinstance(value, Section) else ()
        found |= {f"{name}.{key}" for key in fields} or {name}
    return found


def with_keys(base: Job, keys: Keys) -> Job:
    for name, value in keys.items():
        section, _, key = name.rpartition(".")
        if section:
            changed = replace(getattr(base, section), **{key: _typed(key, value)})
            base = replace(base, **{section: changed})
        else:
            base = replace(base, **{key: _typed(key, value)})
    return base


def _typed(key: str, value: Any) -> Any:
    kind = {"territories": TerritorySection, "regions": RegionSection}.get(key)
    return tuple(kind(**one) for one in value) if kind else value


def test_every_key_is_listed() -> None:
    """A new key needs a case here, or `cluster_setup` must refuse it and REFUSED must list it."""
    cases = {key for keys in (*REPLAYED.values(), LIVE) for key in keys}
    listed = {*cases, *REFUSED, *TESTED_APART, *LIMITS, *FILES, "storage.disk"}
    assert all_keys() == listed


@pytest.mark.parametrize("key", REFUSED)
def test_keys_that_a_cluster_lacks_are_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=key):
        cluster_setup(tmp_path, with_keys(job(["http://h0.test/"]), {key: True}), workers=0)


@pytest.fixture(scope="module")
def small() -> LittleWeb:
    return little_web(seed=3, hosts=3, pages=24)


@pytest.fixture(scope="module")
def small_folder(small: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(small, tmp_path_factory.mktemp("small"))


Decisions = tuple[object, ...]


def decisions(root: Path) -> Decisions:
    """The results of a crawl that do not depend on the order of visits."""
    done = visits(root)
    pages = {(visit.url, _kind(visit)) for visit in done if visit.outcome is not OWN_ROBOTS}
    visited = {visit.url for visit in done}  # found on one page, perhaps refused on another before
    refused = {(link.url, link.why) for visit in done for link in visit.refused}
    refused = {one for one in refused if one[0] not in visited}
    archived = {visit.url for visit in done if visit.archive}
    return pages, refused, archived, _first_links(done), (root / "archive").is_dir()


def _kind(visit: Visit) -> Outcome:
    """Which of two equal pages counts as the copy depends on the order of visits."""
    return Outcome.FETCHED if visit.outcome is Outcome.NEAR_COPY else visit.outcome


def _first_links(done: list[Visit]) -> object:
    """The promises, owners and reasons of the seeds and of the first page's links."""
    seeded = next(visit for visit in done if visit.outcome is Outcome.SEEDED)
    first = next(visit for visit in done if visit.outcome is Outcome.FETCHED)
    return sorted((link.url, link.promise, link.owners, link.ordering_reason, link.owner_reason)
                  for visit in (seeded, first) for link in visit.links)  # fmt: skip


@pytest.mark.parametrize("name", REPLAYED)
def test_a_key_does_the_same_both_ways(
    tmp_path: Path, small: LittleWeb, small_folder: Path, name: str
) -> None:
    base = job([small.seed], ordering="breadth-first")
    wanted = with_keys(base, REPLAYED[name])
    crawl(tmp_path / "one", wanted, replay=small_folder)
    asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disk", wanted, small_folder).run())
    one, many = decisions(tmp_path / "one"), decisions(tmp_path / "many")
    assert one == many


def test_the_disk_of_a_machine_changes_no_decision(
    tmp_path: Path, small: LittleWeb, small_folder: Path
) -> None:
    own = tmp_path / "own disk"
    base = job([small.seed], ordering="breadth-first")
    wanted = with_keys(base, {"nodes.geographic": 2, "storage.disk": str(own)})
    crawl(tmp_path / "one", wanted, replay=small_folder)
    assert not own.exists()  # one machine needs no second disk
    asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disk", wanted, small_folder).run())
    assert len(list(own.glob("toponaut-local/*.lock"))) == 2
    assert not (tmp_path / "disk").exists()
    assert decisions(tmp_path / "one") == decisions(tmp_path / "many")


@pytest.mark.parametrize("key", LIMITS)
def test_a_limit_ends_a_crawl_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    links = "".join(f"<a href=/{k}>{k}</a> " for k in range(60))
    sites: Sites = {
        "shop.test": {"/": links} | {f"/{k}": f"<p>{k} {'word ' * 400}" for k in range(60)}
    }
    wanted = with_keys(job(["http://shop.test/"]), {key: LIMITS[key], "politeness.delay": 0.25})
    with TestWeb(sites) as web:
        one = crawl(tmp_path / "one", wanted, proxy=web.proxy)
        monkeypatch.setenv("http_proxy", web.proxy)
        cluster = LocalCluster(tmp_path / "many", tmp_path / "disk", wanted, None)
        many = asyncio.run(cluster.drive())
    assert one.why == many.why
    assert key in one.why
    for end in (one, many):
        assert end.progress.pages < 60


@pytest.mark.parametrize("key", FILES)
def test_a_missing_file_is_reported_both_ways(tmp_path: Path, small: LittleWeb, key: str) -> None:
    section = key.partition(".")[0]
    nodes = {"nodes.geographic": 2, f"{section}.strategy": FILES[key], key: "missing file"}
    wanted = with_keys(job([small.seed]), nodes)
    with pytest.raises(InputError, match="missing file"):
        crawl(tmp_path / "one", wanted)
    with pytest.raises(InputError, match="missing file"):
        cluster_setup(tmp_path / "many", wanted, workers=0)


def test_keys_of_the_live_web_do_the_same_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = ["vcard", [["adr", {}, "text", ["", "", "", "Lisbon", "", "", "PT"]]]]
    found = {"entities": [{"roles": ["registrant"], "vcardArray": owner}]}
    sites: Sites = {
        "shop.test": {"/": "<a href=/slow>slow</a>", "/slow": Slow(delay=900)},
        "rdap.test": {"/domain/shop.test": Page(json.dumps(found), "application/rdap+json")},
    }
    wanted = with_keys(job(["http://shop.test/"]), LIVE)
    with TestWeb(sites) as one:
        crawl(tmp_path / "one", wanted, proxy=one.proxy)
    with TestWeb(sites) as many:
        monkeypatch.setenv("http_proxy", many.proxy)
        asyncio.run(LocalCluster(tmp_path / "many", tmp_path / "disk", wanted, None).run())
    assert sorted(one.asked()) == sorted(many.asked())
    for web in (one, many):
        for access in web.accesses:
            assert "Keybot/" in access.headers["user-agent"]
            assert "https://keys.example/" in access.headers["user-agent"]
    for root in (tmp_path / "one", tmp_path / "many"):
        by_url = {visit.url: visit for visit in visits(root)}
        assert by_url["http://shop.test/"].registrant > 0
        assert by_url["http://shop.test/slow"].outcome is Outcome.TIMEOUT
