"""Ray clusters for tests: starting one takes longer than most tests, so a module shares one.

Several modules do not share one: Ray runs with one cluster at a time in mind.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.clusters import cluster
from tests.support.machines import Machines, machines
from tests.support.webserver import WebProcess

KILLS = int(os.environ.get("TOPONAUT_CLUSTER_KILLS", "1"))
# Together with the delay of hosts, these make a crawl of some ten seconds if nobody dies, and of a
# minute in the soak.
HOSTS, PAGES = (10, 100) if KILLS == 1 else (12, 900)
ANSWER_S = 0.02


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    """A web that notes who asked for what and when."""
    with WebProcess(
        tmp_path_factory.mktemp("web"), seed=5, hosts=HOSTS, pages=PAGES, delay=ANSWER_S
    ) as served:
        yield served


@pytest.fixture(scope="module")
def three_machines(web: WebProcess) -> Iterator[Machines]:
    """A cluster that crawls this web, and whose parts may be killed."""
    with machines(http_proxy=web.proxy) as begun:
        yield begun


@pytest.fixture(scope="module")
def one_machine() -> Iterator[Any]:
    """A cluster with 4 CPUs."""
    with cluster(1) as made:
        yield made
