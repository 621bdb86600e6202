"""How the collector of cycles is told to leave a crawl alone, and what is left of one that has ended."""

import gc
from pathlib import Path

import pytest
from tests.support.crawling import crawl, job
from tests.support.little_web import LittleWeb

from toponaut.crawl.memory import collecting_seldom

MAPS = Path("/proc/self/maps")


def test_the_collector_is_as_it_was_when_a_crawl_has_ended() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with collecting_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


@pytest.mark.skipif(not MAPS.exists(), reason="this system does not tell what a process maps")
def test_crawls_that_have_ended_leave_nothing_behind(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    """Each maps the gazetteer and makes tables from it. With the tables of twenty the tests had come to 10 GB."""
    gc.collect()
    before = gazetteers()
    for number in range(2):
        crawl(tmp_path / str(number), job([little.seed]), replay=folder)
        assert gazetteers() == before


def gazetteers() -> int:
    """So many times it is mapped by this process."""
    return MAPS.read_text().count("/gazetteer-")
