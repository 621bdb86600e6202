"""Fill the tables of docs/explanation/focus.md with a comparison on real sites (`make focus`).

    python -m tools.focus FOCUS docs/explanation/focus.md

FOCUS is the folder with the output of `toponaut compare --targets ... --json`: focus, and timed
with settings in pairs, with a price and without. Names of sites and targets stay out of the
document.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from tools.markdown_blocks import fill, markdown_table

from toponaut.compare.focus import FocusReport
from toponaut.measures.focus import FocusCurve
from toponaut.measures.intervals import mean_interval, ratio_interval
from toponaut.measures.tables import MeasureTable


def main(results: Path, document: Path) -> None:
    report, timed = (_read(results / f"{part}.json") for part in ("focus", "timed"))
    tables = [table for table in report.tables if not table.title.startswith("By target")]
    text = "\n\n".join(map(_section, tables))
    blocks = {"focus": f"{len(report.targets)} targets.\n\n{text}", "timed": timed_table(timed)}
    fill(blocks, [document])


def timed_table(report: FocusReport) -> str:
    """Relevant pages with a price and without, for each time limit."""
    [*settings] = report.targets[0].crawls
    rows = []
    for priced, plain in zip(settings[::2], settings[1::2], strict=True):
        with_price, without = (_curves(report, setting) for setting in (priced, plain))
        ours, theirs = ([len(one.hits) for one in some] for some in (with_price, without))
        ended = [_mean([one.seconds for one in some]) for some in (with_price, without)]
        seconds = priced.partition("limits.seconds=")[2].partition(",")[0]
        rows.append((
            f"{int(seconds):,} s", mean_interval(ours).format(), mean_interval(theirs).format(),
            ratio_interval(ours, theirs).format(2), f"{sum(map(int.__ge__, ours, theirs))}",
            f"{ended[0]:,.0f} s, {ended[1]:,.0f} s",
        ))  # fmt: skip
    head = (
        "limits.seconds", "with a price", "patience 0", "ratio, paired",
        f"at least as many, of {len(report.targets)}", "ended after",
    )  # fmt: skip
    return markdown_table(head, rows)


def _read(path: Path) -> FocusReport:
    return msgspec.json.decode(path.read_bytes(), type=FocusReport)


def _curves(report: FocusReport, setting: str) -> list[FocusCurve]:
    """The crawls of all targets in a setting, by the only ordering."""
    return [next(iter(target.crawls[setting].values())) for target in report.targets]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _section(table: MeasureTable) -> str:
    return f"**{table.title}** ({table.like})\n\n{markdown_table(table.head, table.rows)}"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
