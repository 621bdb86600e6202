"""Memory of a crawl: the cycle collector, the C library's heap, and leftovers."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.crawling import crawl, job
from tests.support.little_web import LittleWeb

from toponaut.crawl.process import collecting_seldom, give_back_large_buffers

MAPS = Path("/proc/self/maps")
# In a process of its own, because the setting is permanent.
PROGRAM = """
import sys
from toponaut.crawl.process import give_back_large_buffers

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

if sys.argv[1] == "pinned":
    assert give_back_large_buffers()
before, pins = resident(), []
for size in range(12, 2, -1):  # megabytes; each is freed, and a small object after it stays
    buffer = bytearray(b"x") * (size << 20)
    pins.append(bytearray(100_000))
    del buffer
print(resident() - before)
"""


@pytest.fixture
def usual_collector() -> Iterator[None]:
    """Python's default: commands that other tests ran here have changed it."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("usual_collector")
def test_the_collector_is_restored_after_a_crawl() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with collecting_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


@pytest.mark.skipif(not MAPS.exists(), reason="this system has no /proc/self/maps")
def test_a_finished_crawl_leaves_nothing_in_memory(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    """Each crawl maps the gazetteer and makes tables from it."""
    gc.collect()
    before = mapped_gazetteers()
    for number in range(2):
        crawl(tmp_path / str(number), job([little.seed]), replay=folder)
        assert mapped_gazetteers() == before


def mapped_gazetteers() -> int:
    return MAPS.read_text().count("/gazetteer-")


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has this setting")
def test_large_buffers_go_back_to_the_system() -> None:
    if not give_back_large_buffers():
        pytest.skip("another C library")
    assert bytes_left("pinned") < 3_000_000 < bytes_left("not pinned")


def bytes_left(setting: str) -> int:
    line = [sys.executable, "-c", PROGRAM, setting]
    return int(subprocess.run(line, capture_output=True, check=True, text=True).stdout)
