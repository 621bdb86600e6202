"""Where Toponaut's CPU time goes, by stage: py-spy samples a crawl 200 times a second.

Compiled modules have no frames of their own; their time counts for the Python code that calls them.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench.real.contenders import toponaut

# The innermost frame whose file has one of these in its path names the stage; the first match
# counts.
STAGES = (
    (
        "structured",
        ("page/parse/items", "page/parse/jsonld", "addresses/structured/"),
    ),
    ("owners", ("addresses/owners/",)),
    ("addresses", ("places/addresses",)),
    ("rating", ("strategy/", "gate/", "names/anchors", "names/link_names")),
    ("names", ("toponaut/places/",)),
    ("parse", ("page/parse",)),
    ("judging", ("page/judge", "page/reading")),
    ("frontier", ("frontier/", "exchange.py")),
    ("archive", ("toponaut/archive/",)),
    ("log", ("toponaut/log/", "toponaut/store/", "crawl/commit", "crawl/progress")),
    ("settling", ("toponaut/node.py", "crawl/drive")),
    ("fetch", ("toponaut/web/", "aiohttp", "asyncio", "uvloop")),
)
_SPY = str(Path(sys.executable).with_name("py-spy"))
_IDLE_THREADS = ("_worker ", "_LookupThread.run ")
# The start of a program is measured apart. (It also folds the log: nothing on a new crawl.)
_START = ("importlib", "crawl/strategies", "crawl/local_crawl")


def stages(seeds: list[str], folder: Path, ordering: str = "breadth-first") -> dict[str, float]:
    """The share of each stage in the samples of one crawl, without its start."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        output = Path(own) / "samples.txt"
        spy = [_SPY, "record", "-r", "200", "-f", "raw", "--full-filenames"]
        command = [*spy, "-o", str(output), "--", *toponaut(seeds, Path(own), ordering)]
        subprocess.run(command, check=True, capture_output=True)
        counted: Counter[str] = Counter()
        for line in output.read_text().splitlines():
            stack, _, samples = line.rpartition(" ")
            if stage := _stage(stack):
                counted[stage] += int(samples)
    total = counted.total()
    return {name: count / total for name, count in counted.most_common()}


def _stage(stack: str) -> str:
    """The stage of a stack; "" if it does not count."""
    frames = stack.split(";")
    starts = any(part in frame for part in _START for frame in frames)
    if starts or frames[-1].startswith(_IDLE_THREADS):
        return ""
    for frame in reversed(frames):
        for name, parts in STAGES:
            if any(part in frame for part in parts):
                return name
    return "other"
