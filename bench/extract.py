"""Much WARC through `toponaut extract`: MB a second, and whether memory stays where it is.

    python -m bench.extract --gigabytes 20 --workers 2

One WARC of made-up pages is linked as often as it takes. The input grows tenfold between two runs;
memory must not. Sizes are those of the files, as `gzip` left them. Memory is that of all processes
together, pages that they share counted once for each.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGES = 400
WORDS = 2_000  # a page of 30 KB
_EVERY_S = 0.5


class ExtractFigures(NamedTuple):
    """What came of one run."""

    megabytes: float  # of WARC
    pages: int
    rows: int
    seconds: float
    peak_megabytes: float


def write_warc(path: Path) -> None:
    """Pages of random words with an address each, and a picture for every page."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(5_000)]
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number in range(PAGES):
            text = " ".join(
                f"<a href=/{word}>{word}</a>" if k % 9 == 0 else word
                for k, word in enumerate(rng.choices(words, k=WORDS))
            )
            place = f"<p>Shop {number}, {number + 1} Main Street, Springfield, IL 62701</p>"
            _add(writer, f"http://a.test/{number}", "text/html", f"{text}{place}".encode())
            _add(writer, f"http://a.test/{number}.png", "image/png", rng.randbytes(20_000))


def _add(writer: WARCWriter, url: str, kind: str, body: bytes) -> None:
    head = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
    writer.write_record(
        writer.create_warc_record(url, "response", payload=BytesIO(body), http_headers=head)
    )


def run(folder: Path, copies: int, workers: int) -> ExtractFigures:
    """Extract from so many copies of a WARC, in a process of its own."""
    warc, sources, out = folder / "one.warc.gz", folder / f"x{copies}", folder / f"x{copies}.jsonl"
    sources.mkdir()
    for number in range(copies):
        (sources / f"{number:08}.warc.gz").hardlink_to(warc)
    line = [sys.executable, "-m", "toponaut", "extract", str(sources), "-o", str(out), "--quiet"]
    began, most = time.monotonic(), 0.0
    process = subprocess.Popen([*line, "--workers", str(workers)])
    while process.poll() is None:
        most = max(most, _memory(process.pid))
        time.sleep(_EVERY_S)
    seconds = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"extract ended with {process.returncode}")
    with out.open("rb") as rows:
        found = sum(1 for _ in rows)
    return ExtractFigures(warc.stat().st_size * copies / 1e6, PAGES * copies, found, seconds, most)


def _memory(pid: int) -> float:
    """Megabytes of a process and its children."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    own = int(status.partition("VmRSS:")[2].split()[0]) / 1024 if "VmRSS:" in status else 0.0
    return own + sum(_memory(int(child)) for child in children)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    table = Table("WARC, MB", "pages", "rows", "MB a s", "pages a s", "peak MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_warc(folder / "one.warc.gz")
        most = max(10, round(chosen.gigabytes * 1e9 / (folder / "one.warc.gz").stat().st_size))
        for copies in (most // 10, most):
            one = run(folder, copies, chosen.workers)
            paces = (f"{one.megabytes / one.seconds:.1f}", f"{one.pages / one.seconds:.0f}")
            sizes = (f"{one.megabytes:,.0f}", f"{one.pages:,}", f"{one.rows:,}")
            table.add_row(*sizes, *paces, f"{one.peak_megabytes:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
