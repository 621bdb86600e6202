"""Where Toponaut's CPU time goes, by stage: py-spy samples a crawl 200 times a second."""

import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from bench.real.contenders import toponaut

# The innermost frame whose file has one of these names the stage; the first match counts.
STAGES = (
    ("structured", ("parse/items", "parse/jsonld", "addresses/structured", "addresses/properties")),
    (
        "owners",
        ("addresses/organisation", "addresses/beside", "addresses/site", "addresses/name_form"),
    ),
    ("addresses", ("places/addresses",)),
    ("names", ("places/",)),
    ("parse", ("page/parse",)),
    ("rating", ("strategy/", "gate/")),
    ("frontier", ("frontier/", "exchange.py")),
    ("archive", ("archive/",)),
    ("log", ("log/", "store/")),
    ("fetch", ("web/", "aiohttp", "asyncio", "uvloop")),
)


def stages(
    seeds: tuple[str, ...], folder: Path, ordering: str = "breadth-first"
) -> dict[str, float]:
    """The share of each stage in the samples of one crawl."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        output = Path(own) / "samples.txt"
        command = [
            "py-spy",
            "record",
            "-r",
            "200",
            "-f",
            "raw",
            "--full-filenames",
            "-o",
            str(output),
            "--",
        ]
        subprocess.run(
            [*command, *toponaut(list(seeds), Path(own), ordering)], check=True, capture_output=True
        )
        counted: Counter[str] = Counter()
        for line in output.read_text().splitlines():
            stack, _, samples = line.rpartition(" ")
            counted[_stage(stack)] += int(samples)
    total = counted.total()
    return {name: count / total for name, count in counted.most_common()}


def _stage(stack: str) -> str:
    for frame in reversed(stack.split(";")):
        for name, parts in STAGES:
            if any(part in frame for part in parts):
                return name
    return "other"
