"""Focus on real sites: relevant pages found after so many fetches, beside an oracle's.

A fetch is a request for a link, also one that fails; robots.txt does not count. A page with several
URLs is found once. The oracle knows which pages are relevant (truth.oracle_harvest).
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from toponaut.measures.intervals import Interval, mean_interval, ratio_interval
from toponaut.measures.report import Figure
from toponaut.measures.svg import ChartLine, lines, short
from toponaut.measures.tables import MeasureTable

MARKS = (200, 500, 1_000, 2_000)  # fetches
END = 10**9  # fetches: more than any crawl has, for its end
_POINTS = 100  # of a curve in the figure
# Words of links that do something instead of showing a page. Broad on purpose, and independent of
# the table by which a crawl refuses such links: a page about a map counts, too.
_ACTION = re.compile(
    r"(?<![a-z0-9])(?:maps?|directions?|route|sharer?|intent|whatsapp|ical|ics|webcal|addtocalendar"
    r"|feed|rss|atom|print|replytocom|log-?in|sign-?in|logout|wp-login|wp-admin|register|cart"
    r"|basket|checkout|tel|mailto)(?![a-z0-9])"
)


class FocusCurve(Struct, frozen=True):
    """When a crawl found relevant pages."""

    hits: tuple[int, ...]  # for each new relevant page, the number of fetches so far
    fetches: int  # in all
    pages: int = 0
    seconds: float = 0.0  # simulated
    actions: int = 0  # fetches that may have been action links

    def found(self, fetches: int) -> int:
        """Relevant pages after so many fetches."""
        return bisect_right(self.hits, fetches)


def may_be_action(url: str) -> bool:
    """Whether a word of a URL says that it shares, prints, logs in, plans a route or the like."""
    return _ACTION.search(url.partition("://")[2].lower()) is not None


class FocusTarget(Struct, frozen=True):
    """A target with the crawls for it, by setting and ordering."""

    name: str
    relevant: int  # pages that can be reached from the seeds
    oracle: FocusCurve
    crawls: Mapping[str, Mapping[str, FocusCurve]]


class _FocusCell(NamedTuple):
    """A crawl's figures over all targets at one mark."""

    found: Sequence[int]
    oracle: Sequence[int]


def focus_tables(
    targets: Sequence[FocusTarget], reference: str, marks: Sequence[int] = MARKS
) -> list[MeasureTable]:
    """Tables for each setting: found, share of the oracle's, and compared with one ordering.

    The last column is the end of the crawls, after as many pages as the job allows; the fetches
    until then differ, because some fail.
    """
    found = [
        table
        for setting in targets[0].crawls
        for table in _tables_of(targets, setting, reference, marks)
    ]
    return [*found, _actions(targets), _by_target(targets)]


def _tables_of(
    targets: Sequence[FocusTarget], setting: str, reference: str, marks: Sequence[int]
) -> list[MeasureTable]:
    orderings = list(targets[0].crawls[setting])
    like, head = f"setting: {setting}", (*(f"after {mark:,}" for mark in marks), "at the end")
    marks = (*marks, END)

    def table(title: str, rows: Mapping[str, Sequence[Interval]], places: int, note: str) -> None:
        cells = tuple((name, *(one.format(places) for one in row)) for name, row in rows.items())
        tables.append(MeasureTable(title, like, ("", *head), cells, note))

    tables: list[MeasureTable] = []
    cells = {name: [_cell(targets, setting, name, mark) for mark in marks] for name in orderings}
    oracle = [[target.oracle.found(mark) for target in targets] for mark in marks]
    counts = {name: [mean_interval(cell.found) for cell in row] for name, row in cells.items()}
    table(
        "Relevant pages found", counts | {"oracle": [mean_interval(best) for best in oracle]}, 0,
        f"Mean of {len(targets)} targets, with an interval of 95 %, after so many fetches.",
    )  # fmt: skip
    shares = {name: [ratio_interval(*cell) for cell in row] for name, row in cells.items()}
    table("Share of the oracle's pages", shares, 2, "Pages of all targets / the oracle's.")
    if reference in cells and len(cells) > 1:
        ratios = {
            name: [
                ratio_interval(ours.found, theirs.found)
                for ours, theirs in zip(cells[reference], row, strict=True)
            ]
            for name, row in cells.items()
            if name != reference
        }
        table(f"{reference}, as a multiple of", ratios, 2, "Pages of all targets, paired.")
    return tables


def _cell(targets: Sequence[FocusTarget], setting: str, ordering: str, mark: int) -> _FocusCell:
    return _FocusCell(
        [target.crawls[setting][ordering].found(mark) for target in targets],
        [target.oracle.found(mark) for target in targets],
    )


def _actions(targets: Sequence[FocusTarget]) -> MeasureTable:
    """The share of fetches that may have been action links, by setting."""
    settings = list(targets[0].crawls)
    rows = []
    for name in targets[0].crawls[settings[0]]:
        crawls = [[target.crawls[setting][name] for target in targets] for setting in settings]
        shares = (
            100 * sum(one.actions for one in some) / max(sum(one.fetches for one in some), 1)
            for some in crawls
        )
        rows.append((name, *(f"{share:.2f} %" for share in shares)))
    note = (
        "Fetches whose URL has a word such as map, share, feed or login; some are ordinary pages."
    )
    title = "Requests for action links, at most"
    return MeasureTable(title, "by setting", ("", *settings), tuple(rows), note)


def _by_target(targets: Sequence[FocusTarget]) -> MeasureTable:
    """All crawls of each target at their ends, in the first setting."""
    setting = next(iter(targets[0].crawls))
    names = list(targets[0].crawls[setting])
    rows = tuple(
        (
            target.name,
            f"{target.relevant:,}",
            *(f"{len(target.crawls[setting][name].hits):,}" for name in names),
        )
        for target in targets
    )
    head = ("", "reachable", *names)
    return MeasureTable("By target, at the end", f"setting: {setting}", head, rows)


def focus_figures(targets: Sequence[FocusTarget], marks: Sequence[int] = MARKS) -> list[Figure]:
    """A figure for each setting: relevant pages over the fetches, means of all targets."""
    xs = sorted({round(marks[-1] * k / _POINTS) for k in range(_POINTS + 1)})

    def line(name: str, curves: Sequence[FocusCurve], colour: int, faint: bool) -> ChartLine:
        points = [(x, _mean([curve.found(x) for curve in curves])) for x in xs]
        return ChartLine(name, points, colour=colour, faint=faint)

    figures = []
    for setting, crawls in targets[0].crawls.items():
        names = list(crawls)
        series = [
            line(name, [target.crawls[setting][name] for target in targets], colour, faint=False)
            for colour, name in enumerate(names)
        ]
        series.append(line("oracle", [target.oracle for target in targets], len(names), faint=True))
        title = f"Relevant pages found, {setting}"
        keys = tuple((one.name, one.colour) for one in series)
        figures.append(
            Figure(title, "means of all targets", lines(series, "fetches", short, title), keys)
        )
    return figures


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
