"""The cost of opening the gazetteer in a new process: time and memory."""

import subprocess
import sys

from rich.console import Console
from rich.table import Table

from toponaut.places.gazetteer.cache import open_gazetteer

_CODE = """
import time
begin = time.perf_counter()
from toponaut.places.gazetteer.cache import open_gazetteer
imported = time.perf_counter()
gazetteer = open_gazetteer()
gazetteer.lookup("Oldenburg, Niedersachsen")
opened = time.perf_counter()
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(imported - begin, opened - imported, peak / 1024)
"""


def main() -> None:
    open_gazetteer()  # compiles it if needed
    runs = [
        [
            float(figure)
            for figure in subprocess.check_output([sys.executable, "-c", _CODE], text=True).split()
        ]
        for _ in range(5)
    ]
    imported, opened, peak = (min(column) for column in zip(*runs, strict=True))
    table = Table("a new process", "best of 5", title="Opening the gazetteer")
    table.add_row("import", f"{imported * 1000:.0f} ms")
    table.add_row("open and look up one place", f"{opened * 1000:.0f} ms")
    table.add_row("peak memory", f"{peak:.0f} MB")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
