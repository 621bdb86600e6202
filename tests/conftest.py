"""What many tests share: the compiled world, opened once, and a web to crawl; and how the tests are
run.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from tests.support.little_web import LittleWeb, export, little_web

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_gazetteer, open_names, open_wordnet
from toponaut.places.names.finder import NameFinder

# Machines are busy: no test may fail by the clock. What `make test` says depends on the change
# alone, so it draws the same examples every
# time; `make soak` looks for new ones.
settings.register_profile("short", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=500)
settings.load_profile("short")


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`. Half of the time of a test is spent waiting: for servers, processes, the "
    "disk."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.fixture(scope="session")
def gazetteer() -> Gazetteer:
    return open_gazetteer()


@pytest.fixture(scope="session")
def finder() -> NameFinder:
    return open_names()


@pytest.fixture(scope="session")
def wordnet() -> Gazetteer:
    return open_wordnet()


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    """A web to crawl; a module may have another."""
    return little_web(seed=5, hosts=6, pages=120)


@pytest.fixture(scope="module")
def folder(little: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That web, to replay."""
    return export(little, tmp_path_factory.mktemp("web"))
