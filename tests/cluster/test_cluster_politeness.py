"""A crawl on a real Ray cluster, of a real web server: no host is asked too early nor by two at
once, whichever process dies or hangs.
"""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.access_log import impolite
from tests.support.clusters import QUICK, begun, cluster, fetched, in_soak, joined, wait_for_pages
from tests.support.crawling import FAST, job
from tests.support.web_answers import Answer, Page, Robots
from tests.support.webserver import TestWeb

from toponaut.cluster.setup import cluster_setup
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    StorageSection,
    render,
)
from toponaut.web.politeness.lease_messages import LEASE_S

DELAY = 0.3
SLOW, CRAWL_DELAY = "slow.test", 1.0
HOSTS = ("a.test", "b.test", "c.test")
PAGES, FEW = 60, 8  # of each host, and of the slow one
ANSWER_S = 0.1


def site(host: str, pages: int) -> dict[str, bytes | str | Answer]:
    """Each page links to the next three, and the first one to the other hosts."""
    words = "".join(f'<a href="http://{other}/">to {other}</a>' for other in (*HOSTS, SLOW))
    found: dict[str, bytes | str | Answer] = {
        "/": Page(f'<title>{host}</title>{words}<a href="/1">one</a>')
    }
    for number in range(1, pages):
        links = "".join(
            f'<a href="/{n}">{n}</a>' for n in range(number + 1, min(number + 4, pages))
        )
        found[f"/{number}"] = Page(
            f"<title>{host} {number}</title><p>Page {number} of {host} says {number**5}.</p>{links}"
        )
    found["/robots.txt"] = Robots(
        f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\n" if host == SLOW else ""
    )
    return found


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    sites = {host: site(host, PAGES) for host in HOSTS} | {SLOW: site(SLOW, FEW)}
    with TestWeb(sites, delay=ANSWER_S) as served:
        yield served


@pytest.fixture(scope="module")
def machines(web: TestWeb) -> Iterator[Any]:
    with cluster(3, proxy=web.proxy, environment=QUICK) as made:
        yield made


def wanted() -> Job:
    """Owners by hash of the URL: every node has pages of every host."""
    return replace(
        job(
            [f"http://{HOSTS[0]}/"],
            ordering="breadth-first",
            limits=LimitsSection(private_networks=True, depth=0, pages=0),
        ),
        politeness=replace(FAST, delay=DELAY),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=2),
    )


@in_soak
def test_no_host_is_asked_too_early_nor_twice_at_once_if_actors_die_or_hang(
    tmp_path: Path, machines: Any, web: TestWeb
) -> None:
    import ray

    (tmp_path / "job.toml").write_text(render(wanted()))
    root = tmp_path / "many"
    setup = cluster_setup(root, wanted(), workers=0)
    with begun(
        "crawl",
        tmp_path / "job.toml",
        root,
        "--cluster",
        machines.address,
        "--workers",
        "0",
        "--quiet",
    ) as crawl:
        wait_for_pages(root, PAGES // 3, crawl)
        with joined(machines.address, setup.namespace):
            os.kill(_process("Cn2"), signal.SIGKILL)
            wait_for_pages(root, PAGES, crawl)
            suspended = _process("Cn1")
            os.kill(suspended, signal.SIGSTOP)  # it keeps its clocks, and what it has asked for
            ray.kill(ray.get_actor("keeper 0"), no_restart=False)
            time.sleep(LEASE_S + 1.0)  # to others its leases are over
            os.kill(suspended, signal.SIGCONT)
        out, errors = crawl.communicate(timeout=150)
    assert crawl.returncode == 0, errors
    assert "nothing is left to fetch" in out
    assert set(fetched(root).values()) == {1}
    assert len(fetched(root)) == len(HOSTS) * PAGES + FEW
    assert impolite(web.accesses, DELAY, {SLOW: CRAWL_DELAY}) == []


def _process(actor: str) -> int:
    """The process in which an actor lives."""
    from ray._private.state import actors  # ray.util.state needs the dashboard for this

    (found,) = [
        one for one in actors().values() if one["Name"] == actor and one["State"] == "ALIVE"
    ]
    return int(found["Pid"])
