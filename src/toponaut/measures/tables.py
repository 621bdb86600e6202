"""Measures as tables like the papers': a row for each crawl, or for each strategy with the mean and spread of its runs.

`toponaut measure` shows one crawl, a comparison many; both hand in entries. A table is plain text, cell by cell, so that
the terminal and the page show the same.
"""

from collections.abc import Callable, Sequence
from math import log10, sqrt
from typing import NamedTuple

from msgspec import Struct

from toponaut.measures.bridges import Bars
from toponaut.measures.completeness import ENOUGH, Estimate
from toponaut.measures.coverage import NodeMeasures
from toponaut.measures.harvest import WeightsAt
from toponaut.measures.measure import Measures
from toponaut.measures.truth import AgainstTruth

NOTHING = "–"
MOST_NODES = 12  # as columns; of more nodes only what they have in common is shown
_SHOWN_K = (200, 500)  # pages over which weights are shown, besides all: as in the paper

Number = float | int | None


class MeasuredRuns(Struct, frozen=True):
    """One row: a crawl, or several runs that differ by chance alone."""

    name: str
    runs: tuple[Measures, ...]


class MeasureTable(Struct, frozen=True):
    """A table, what it is called, and whose table it is like."""

    title: str
    like: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


# --- numbers as people read them ------------------------------------------------------------------


class Scale(NamedTuple):
    """How numbers of some size are written: times a factor, with so many decimals, before a unit."""

    factor: float
    decimals: int
    unit: str = ""

    def of(self, value: float) -> str:
        return f"{value * self.factor:,.{self.decimals}f}"


Form = Callable[[float], Scale]


def percent(_: float) -> Scale:
    return Scale(100, 2, " %")


def count(_: float) -> Scale:
    return Scale(1, 0)


def number(value: float) -> Scale:
    return Scale(1, 2 if abs(value) >= 1 else 4)


def size(value: float) -> Scale:
    """Bytes."""
    power = min(3, max(0, int(log10(max(1.0, abs(value))) // 3)))
    return Scale(1000.0**-power, 1 if power else 0, (" bytes", " KB", " MB", " GB")[power])


def mean_of(values: Sequence[Number]) -> tuple[float, float] | None:
    """Mean and standard deviation (of the sample; 0 for one) of those that are known; None if none is."""
    known = [float(value) for value in values if value is not None]
    if not known:
        return None
    middle = sum(known) / len(known)
    if len(known) == 1:
        return middle, 0.0
    return middle, sqrt(sum((value - middle) ** 2 for value in known) / (len(known) - 1))


def told(values: Sequence[Number], form: Form = number) -> str:
    """Mean and spread: "7.25 %", "7.25 ± 0.31 %", or a dash where there is nothing to tell."""
    found = mean_of(values)
    if found is None:
        return NOTHING
    middle, spread = found
    scale = form(middle)
    around = f" ± {scale.of(spread)}" if scale.of(spread).strip("0.") else ""
    return f"{scale.of(middle)}{around}{scale.unit}"


# --- the tables -----------------------------------------------------------------------------------

Column = tuple[str, Callable[[Measures], Number], Form]


def _table(
    title: str,
    like: str,
    entries: Sequence[MeasuredRuns],
    columns: Sequence[Column],
    note: str = "",
) -> MeasureTable:
    rows = tuple(
        (entry.name, *(told([get(run) for run in entry.runs], form) for _, get, form in columns))
        for entry in entries
    )
    return MeasureTable(title, like, ("", *(head for head, _, _ in columns)), rows, note)


def _node_columns(
    entries: Sequence[MeasuredRuns],
    get: Callable[[NodeMeasures], Number],
    form: Form,
    general: bool = True,
) -> list[Column]:
    names = {
        node.node: node.general
        for entry in entries
        for run in entry.runs
        for node in run.nodes
        if general or not node.general
    }
    if len(names) > MOST_NODES:
        return []
    return [(name, lambda run, name=name: _of_node(run, name, get), form) for name in names]  # type: ignore[misc]


def _of_node(run: Measures, name: str, get: Callable[[NodeMeasures], Number]) -> Number:
    return next((get(node) for node in run.nodes if node.node == name), None)


def tables(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """All tables, in the order of the papers."""
    return [
        *_collaboration(entries), *_focus(entries), *_interests(entries), *_geo_rank(entries), _completeness(entries),
        *_truth(entries),
    ]  # fmt: skip


def _collaboration(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """SPEC 1."""
    return [
        _table("Pages", "Gao 2006, Table 2", entries, [
            ("pages", lambda run: run.whole.pages, count),
            ("relevant", lambda run: run.whole.relevant, count),
            ("addresses", lambda run: run.whole.entities, count),
            ("distinct", lambda run: run.whole.distinct_entities, count),
            ("hosts", lambda run: run.whole.hosts, count),
            ("received", lambda run: run.whole.received, size),
        ]),
        _table("Geo-coverage", "Gao 2006, Table 3", entries, [
            *_node_columns(entries, lambda node: node.geo_coverage, percent),
            ("all pages", lambda run: run.whole.geo_coverage, percent),
            ("without general", lambda run: run.averages.pooled_geographic, percent),
            ("mean of nodes", lambda run: run.averages.geo_coverage, percent),
            ("mean without general", lambda run: run.averages.geo_coverage_geographic, percent),
        ], "Pages with an address in any target / pages."),
        _table("Geo-focus", "Gao 2006, Table 4", entries, [
            *_node_columns(entries, lambda node: node.geo_focus, percent, general=False),
            ("mean of nodes", lambda run: run.averages.geo_focus, percent),
            ("all pages", lambda run: run.whole.geo_focus, percent),
        ], "Of a node's pages with an address in any target, those with one in its own territory."),
        _table("Entity uniqueness", "Gao 2006, Table 5", entries, [
            *_node_columns(entries, lambda node: node.entity_uniqueness, number),
            ("all", lambda run: run.whole.entity_uniqueness, number),
        ], "Distinct addresses in the targets / all of them."),
        _table("Nearness, repetition, breadth, exchange", "Gao 2006, Tables 6 to 9", entries, [
            ("geo-centrality", lambda run: run.whole.geo_centrality, number),
            ("overlap", lambda run: run.whole.overlap, number),
            ("diversity", lambda run: run.whole.diversity, number),
            ("communication", lambda run: run.whole.communication, number),
            ("messages", lambda run: run.whole.messages, count),
            ("message bytes", lambda run: run.whole.message_bytes, size),
        ], "Communication: URLs sent to another node / page."),
        _table("Cost", "Gao 2006, Lemma 2", entries, [
            ("of a download", lambda run: run.costs.download, number),
            ("of a URL sent", lambda run: run.costs.message, number),
            ("in all", lambda run: run.costs.total, count),
            ("under policy A", lambda run: run.costs.policy_a, count),
            ("owners of a link", lambda run: run.costs.owners_per_link, number),
            ("per relevant page", lambda run: run.costs.per_relevant, number),
        ], "Of a crawl under policy B: what policy A would have cost at least for the same pages."),
        _locality(entries),
    ]  # fmt: skip


def _locality(entries: Sequence[MeasuredRuns]) -> MeasureTable:
    rows = []
    for entry in entries:
        for by in ("url", "content"):
            found = [one for run in entry.runs for one in run.locality if one.by == by]
            rows.append((
                entry.name,
                by,
                told([one.linked for one in found], count),
                told([one.linked_share for one in found], percent),
                told([one.unlinked for one in found], count),
                told([one.unlinked_share for one in found], percent),
            ))  # fmt: skip
    head = (
        "",
        "by",
        "linked pairs",
        "of these same target",
        "unlinked pairs",
        "of those same target",
    )
    return MeasureTable(
        "Geographic locality",
        "Gao 2006, Table 11",
        head,
        tuple(rows),
        "Of pages that are about a target.",
    )


def _focus(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """SPEC 2."""
    moments: list[Column] = [
        (f"after {part:.0%}", _harvest_at(part), percent) for part in (0.1, 0.25, 0.5, 1.0)
    ]
    return [
        _table("Harvest", "Ahlers 2009, Figures 7 and 8", entries, [
            *moments,
            ("last window", lambda run: run.harvest.curve[-1].window if run.harvest.curve else None, percent),
        ], "Relevant pages / pages so far, after a share of the crawl; and of the last pages alone."),
        _table("Bridges, tails, distances", "Ahlers 2009, Figures 9 and 10", entries, [
            ("over a bridge", lambda run: run.bridges.bridged_share, percent),
            ("mean bridge", lambda run: _mean_length(run.bridges.bridges), number),
            ("longest", lambda run: _longest(run.bridges.bridges), count),
            ("tails", lambda run: run.bridges.tails.total, count),
            ("mean tail", lambda run: _mean_length(run.bridges.tails), number),
            ("links from a seed", lambda run: _mean_length(run.distances.relevant), number),
            ("farthest", lambda run: _longest(run.distances.relevant), count),
        ], "Of relevant pages: reached from another one over at least one page that is not."),
    ]  # fmt: skip


def _harvest_at(share: float) -> Callable[[Measures], Number]:
    def get(run: Measures) -> Number:
        wanted = share * run.whole.pages
        return next((point.harvest for point in run.harvest.curve if point.pages >= wanted), None)

    return get


def _mean_length(bars: Bars) -> Number:
    return (
        sum(length * many for length, many in enumerate(bars.counts)) / bars.total
        if bars.total
        else None
    )


def _longest(bars: Bars) -> Number:
    return len(bars.counts) - 1 if bars.counts else None


def _interests(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """SPEC 3."""
    shown = [
        k for k in _SHOWN_K if any(_weights(run, k) for entry in entries for run in entry.runs)
    ]
    rows = []
    for entry in entries:
        for k in (*shown, 0):
            found = [weights for run in entry.runs if (weights := _weights(run, k))]
            rows.append((
                entry.name,
                told([one.pages for one in found], count),
                told([one.mean_weight for one in found]),
                told([one.max_weight for one in found]),
                told([one.relevant for one in found], count),
                told([one.precision for one in found], percent),
            ))  # fmt: skip
    head = ("", "first pages", "average weight", "greatest weight", "relevant", "precision")
    note = "A page's weight against the job's interests; where it has none, the promise with which the page was taken."
    return [
        MeasureTable("Weights and precision", "Chubak, Tables I to IV", head, tuple(rows), note)
    ]


def _weights(run: Measures, k: int) -> WeightsAt | None:
    """Those over the first k pages; 0: over all."""
    return next((one for one in run.weights if one.pages == k), None) if k else run.weights[-1]


def _geo_rank(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """SPEC 4."""
    return [
        _table("Accuracy", "Kozanidis 2009, Tables 1 and 3", entries, [
            ("seen", lambda run: run.accuracy.seen, count),
            ("retrieved", lambda run: run.accuracy.retrieved, count),
            ("accuracy", lambda run: run.accuracy.accuracy, percent),
        ], "Seen: pages that name a place in a target; retrieved: those of them that are relevant."),
        _table("Coverage of names", "Kozanidis 2009, Table 2", entries, [
            ("places named", lambda run: run.accuracy.names, count),
            ("distinct", lambda run: run.accuracy.distinct_names, count),
            ("coverage", lambda run: run.accuracy.coverage, percent),
        ], "Each place once for a page that names it."),
    ]  # fmt: skip


def _completeness(entries: Sequence[MeasuredRuns]) -> MeasureTable:
    rows = tuple(
        (
            entry.name, one.what, f"{one.first} and {one.second}", f"{one.first_found:,}", f"{one.second_found:,}",
            f"{one.both_found:,}", *_told_estimate(one),
        )
        for entry in entries for one in entry.runs[0].completeness[: None if len(entries) == 1 else 1]
    )  # fmt: skip
    head = (
        "",
        "of",
        "found by",
        "first",
        "second",
        "both",
        "there may be",
        "95 %",
        "found of these",
    )
    note = (
        f"Capture and recapture; with fewer than {ENOUGH} in both it says nothing. Nodes with territories of their own search "
        "different waters: then it is far too high."
    )
    return MeasureTable("Completeness", "Chapman 1951", head, rows, note)


def _told_estimate(one: Estimate) -> tuple[str, str, str]:
    if not one.reliable or one.low is None or one.high is None:
        return NOTHING, NOTHING, NOTHING
    return (
        told([one.total], count),
        f"{one.low:,.0f} to {one.high:,.0f}",
        told([one.found_share], percent),
    )


def _truth(entries: Sequence[MeasuredRuns]) -> list[MeasureTable]:
    """Only where the truth is known."""
    if not all(run.truth and run.truth.curve for entry in entries for run in entry.runs):
        return []

    def of(get: Callable[[AgainstTruth], Number]) -> Callable[[Measures], Number]:
        return lambda run: get(run.truth) if run.truth else None

    return [
        _table("Against the truth", "of the synthetic web", entries, [
            ("judged right", of(lambda truth: truth.judged_right), percent),
            ("falsely relevant", of(lambda truth: truth.false_relevant), count),
            ("overlooked", of(lambda truth: truth.false_other), count),
            ("recall", of(lambda truth: truth.curve[-1].recall), percent),
            ("of the oracle's harvest", of(lambda truth: truth.curve[-1].of_oracle), percent),
        ], "The oracle knows which links lead to relevant pages."),
    ]  # fmt: skip
