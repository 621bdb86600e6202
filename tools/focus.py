"""Fill the tables of docs/explanation/focus.md with a comparison on real sites (`make focus`).

    python -m tools.focus FOCUS.json docs/explanation/focus.md

FOCUS.json is the output of `toponaut compare --targets ... --json`. Names of sites and targets stay
out of the document.
"""

import sys
from pathlib import Path

import msgspec
from tools.results import fill, markdown_table

from toponaut.compare.focus import FocusReport
from toponaut.measures.tables import MeasureTable


def main(results: Path, document: Path) -> None:
    report = msgspec.json.decode(results.read_bytes(), type=FocusReport)
    tables = [table for table in report.tables if not table.title.startswith("By target")]
    text = "\n\n".join(map(_section, tables))
    fill({"focus": f"{len(report.targets)} targets.\n\n{text}"}, [document])


def _section(table: MeasureTable) -> str:
    return f"**{table.title}** ({table.like})\n\n{markdown_table(table.head, table.rows)}"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
