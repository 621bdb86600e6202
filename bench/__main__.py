"""`make bench`: the figures of README and docs. Each part in a process of its own, for a large heap
slows the next.
"""

import subprocess
import sys

for part in (
    "opening",
    "names",
    "toponyms",
    "parse",
    "judging",
    "filters",
    "log",
    "archive",
    "linking",
    "index",
    "app",
    "export",
):
    subprocess.run([sys.executable, "-m", f"bench.{part}"], check=True)
