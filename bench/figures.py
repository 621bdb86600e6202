"""Writes what benches print into the documents, so that no figure is copied by hand.

    python -m bench.figures addresses crawl index     run these benches and write their output
    python -m bench.figures                           write README's table from what is known

A bench prints its figures, and names those for README with `record`. The output goes between
<!-- bench NAME --> and <!-- end --> of docs/explanation/figures.md.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_KNOWN = ROOT / "build" / "figures.json"
_PAGE = ROOT / "docs" / "explanation" / "figures.md"
_README = ROOT / "README.md"
# README's rows: what is measured, and the names of its figures.
ROWS = (
    ("CPU time per page of a crawl, everything on", "crawl"),
    ("US addresses in 263 labelled fragments", "addresses"),
    ("Place names, 1,345 labelled mentions", "toponyms"),
    ("Frontier with 10 million URLs", "frontier"),
    ("Search over 100,000 pages", "index"),
    ("50 `kill -9` and 50 power cuts", "soak"),
)


def record(name: str, figure: str, compared: str = "") -> None:
    """Keeps a figure for README's table."""
    known = _read()
    known[name] = [figure, compared]
    _KNOWN.parent.mkdir(exist_ok=True)
    _KNOWN.write_text(json.dumps(known, indent=1), encoding="utf-8")


def _read() -> dict[str, list[str]]:
    if not _KNOWN.exists():
        return {}
    known: dict[str, list[str]] = json.loads(_KNOWN.read_text(encoding="utf-8"))
    return known


def fill(page: Path, name: str, text: str) -> None:
    """Replaces what is between <!-- name --> and <!-- end -->."""
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    filled, places = pattern.subn(
        lambda found: f"{found[1]}{text}\n{found[2]}", page.read_text(encoding="utf-8")
    )
    if not places:
        sys.exit(f"{page.name} has no place for {name}: add <!-- {name} --> and <!-- end -->")
    page.write_text(filled, encoding="utf-8")


def write_output(name: str) -> None:
    """Runs a bench and writes what it prints."""
    command = [sys.executable, "-m", f"bench.{name}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    shown = f"`python -m bench.{name}`\n\n```text\n{done.stdout.strip()}\n```"
    fill(_PAGE, f"bench {name}", shown)


def write_table() -> None:
    """Writes README's table from the figures that were recorded."""
    known = _read()
    rows = [(what, *known[name]) for what, name in ROWS if name in known]
    lines = ["| what | Toponaut | compared with |", "|---|---|---|"]
    fill(_README, "figures", "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]))


if __name__ == "__main__":
    for bench in sys.argv[1:]:
        write_output(bench)
    write_table()
