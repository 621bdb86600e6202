"""Writes what benches print into the documents, so that no figure is copied by hand.

    python -m bench.figures addresses "crawl --rounds 1"   run these benches, write their output
    python -m bench.figures                                write README's table from that output

The output of a bench goes between <!-- bench NAME --> and <!-- end --> of
docs/explanation/figures.md. README's table is read from there.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_EXPLANATION = ROOT / "docs" / "explanation"
_PAGE = _EXPLANATION / "figures.md"
_PAGES = {  # others: _PAGE
    "hostile": _EXPLANATION / "security.md",
    "watch": _EXPLANATION / "watching.md",
    "sitemap_dates": _EXPLANATION / "watching.md",
}
_README = ROOT / "README.md"


class Row(NamedTuple):
    """A row of README's table: how its figures are found in the output of a bench."""

    what: str
    bench: str
    ours: str  # a template for what the first pattern finds
    pattern: str
    compared: str  # and for the second
    rivals: str


_US = r"{} +│ \d+ +│ \d+ +│ \d+ +│ ([\d.]+) +│ ([\d.]+) "
_CPU = r"│ {} +│ [\d,]+ +│ [\d,]+ +│ ([\d.]+) "
ROWS = (
    Row("CPU time per generated page, everything on", "crawl", "{} ms", _CPU.format("toponaut"),
        "Scrapy {} ms, Crawlee {} ms, a bare loop {} ms",
        ".*".join(_CPU.format(name) for name in ("scrapy", "crawlee", "bare-loop"))),
    Row("CPU time per page of 33 real sites, everything on", "real", "{} ms",
        _CPU.format("toponaut,[^│]*"),
        "Scrapy {} ms, Crawlee {} ms, a bare loop {} ms",
        ".*".join(_CPU.format(name) for name in ("scrapy", "crawlee", "bare-loop"))),
    Row("US addresses in 263 labelled fragments", "addresses", "precision {}, recall {}",
        _US.format("│ us +│ toponaut"), "pyap {}, {}; usaddress {}, {}",
        "│ us .*?" + _US.format("pyap") + ".*?" + _US.format("usaddress")),
    Row("Place names, 1,345 labelled mentions", "toponyms", "precision {}, recall {}",
        r"│ all +│ \d+ +│ \d+ +│ ([\d.]+) +│ ([\d.]+) ", "", ""),
    Row("WARC and CDXJ, per page", "archive", "{} ms", r"toponaut.archive +([\d.]+) ms",
        "warcio {} ms", r"warcio +([\d.]+) ms"),
    Row("Search, 99th percentile", "index", "{} ms",
        r"toponaut +median +[\d.]+ ms +99th percentile +([\d.]+) ms",
        "SQLite FTS5 {} ms", r"SQLite FTS5 \+ box +median.*?percentile +([\d.]+) ms"),
)  # fmt: skip


def fill(page: Path, name: str, text: str) -> None:
    """Replaces what is between <!-- name --> and <!-- end -->."""
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    filled, places = pattern.subn(
        lambda found: f"{found[1]}{text}\n{found[2]}", page.read_text(encoding="utf-8")
    )
    if not places:
        sys.exit(f"{page.name} has no place for {name}: add <!-- {name} --> and <!-- end -->")
    page.write_text(filled, encoding="utf-8")


def write_output(bench: str) -> None:
    """Runs a bench, given by its name and options, and writes what it prints."""
    name, *options = bench.split()
    command = [sys.executable, "-m", f"bench.{name}", *options]
    wide = {**os.environ, "COLUMNS": "160"}  # a row of a table is one line
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=wide)
    shown = f"`python -m bench.{bench}`\n\n```text\n{done.stdout.strip()}\n```"
    fill(_PAGES.get(name, _PAGE), f"bench {name}", shown)


def write_table() -> None:
    """Writes README's table from the output in the page of figures."""
    page = _PAGE.read_text(encoding="utf-8")
    lines = ["| what | Toponaut | compared with |", "|---|---|---|"]
    for row in ROWS:
        output = re.search(rf"<!-- bench {row.bench} -->(.*?)<!-- end -->", page, re.S)
        ours = re.search(row.pattern, output[1], re.S) if output else None
        if output and ours:
            rivals = re.search(row.rivals, output[1], re.S) if row.rivals else None
            compared = row.compared.format(*rivals.groups()) if rivals else ""
            lines.append(f"| {row.what} | {row.ours.format(*ours.groups())} | {compared} |")
    fill(_README, "figures", "\n".join(lines))


if __name__ == "__main__":
    for bench in sys.argv[1:]:
        write_output(bench)
    write_table()
