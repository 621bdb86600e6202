"""What becomes of large buffers that were freed, in a process of its own: the setting is for good."""

import subprocess
import sys

import pytest

from toponaut.crawl.memory import give_back_large_buffers

_PROGRAM = """
import sys
from toponaut.heap import give_back_large_buffers

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

if sys.argv[1] == "told":
    assert give_back_large_buffers()
before, pins = resident(), []
for size in range(12, 2, -1):  # megabytes; each is freed, and something small stays behind it
    buffer = bytearray(b"x") * (size << 20)
    pins.append(bytearray(100_000))
    del buffer
print(resident() - before)
"""


def left(told: str) -> int:
    return int(
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, told], capture_output=True, check=True, text=True
        ).stdout
    )


@pytest.mark.skipif(sys.platform != "linux", reason="of glibc")
def test_large_buffers_go_back_to_the_system() -> None:
    if not give_back_large_buffers():
        pytest.skip("another C library")
    assert left("told") < 3_000_000 < left("not told")
