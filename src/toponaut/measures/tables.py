"""Measures as tables like those of the papers: a row for each crawl, or for the runs of a strategy.

Cells are plain text, so that the terminal and the HTML report show the same.
"""

from collections.abc import Callable, Sequence
from math import log10, sqrt
from typing import NamedTuple

from msgspec import Struct

from toponaut.measures.columns import FIRST_NAMES
from toponaut.measures.completeness import ENOUGH, Estimate
from toponaut.measures.coverage import NodeMeasures
from toponaut.measures.harvest import Bars, WeightsAt
from toponaut.measures.measure import Measures
from toponaut.measures.truth import AgainstTruth

NOTHING = "–"
MOST_NODES = 12  # shown as columns; with more nodes only totals and means are shown
_SHOWN_K = (200, 500)  # pages over which weights are shown, besides all: as in the paper

Number = float | int | None


class MeasuredRuns(Struct, frozen=True):
    """One row: a crawl, or several runs of the same job with other random seeds."""

    name: str
    runs: tuple[Measures, ...]


Entries = Sequence[MeasuredRuns]


class MeasureTable(Struct, frozen=True):
    """A table, its title, and the table in the papers that it corresponds to."""

    title: str
    like: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


# --- formatting of numbers ------------------------------------------------------------------------


class Scale(NamedTuple):
    """How a number is written: multiplied by a factor, with this many decimals, before a unit."""

    factor: float
    decimals: int
    unit: str = ""

    def format(self, value: float) -> str:
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
    """Mean and sample standard deviation (0 for one value) of the known values; None if none."""
    known = [float(value) for value in values if value is not None]
    if not known:
        return None
    middle = sum(known) / len(known)
    if len(known) == 1:
        return middle, 0.0
    return middle, sqrt(sum((value - middle) ** 2 for value in known) / (len(known) - 1))


def mean_and_spread(values: Sequence[Number], form: Form = number) -> str:
    """Mean and spread: "7.25 %", "7.25 ± 0.31 %", or a dash if there are no values."""
    found = mean_of(values)
    if found is None:
        return NOTHING
    middle, spread = found
    scale = form(middle)
    around = f" ± {scale.format(spread)}" if scale.format(spread).strip("0.") else ""
    return f"{scale.format(middle)}{around}{scale.unit}"


# --- the tables -----------------------------------------------------------------------------------

Column = tuple[str, Callable[[Measures], Number], Form]


def _table(
    title: str, like: str, entries: Entries, columns: Sequence[Column], note: str = ""
) -> MeasureTable:
    rows = tuple(
        (
            entry.name,
            *(mean_and_spread([get(run) for run in entry.runs], form) for _, get, form in columns),
        )
        for entry in entries
    )
    return MeasureTable(title, like, ("", *(head for head, _, _ in columns)), rows, note)


def _node_columns(
    entries: Entries, get: Callable[[NodeMeasures], Number], form: Form, general: bool = True
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
    return [(name, _node_getter(name, get), form) for name in names]


def _node_getter(name: str, get: Callable[[NodeMeasures], Number]) -> Callable[[Measures], Number]:
    return lambda run: next((get(node) for node in run.nodes if node.node == name), None)


def tables(entries: Entries) -> list[MeasureTable]:
    """All tables, in the order of the papers."""
    return [
        *_collaboration(entries), *_focus(entries), *_interests(entries), *_geo_rank(entries),
        _completeness(entries), *_truth(entries),
    ]  # fmt: skip


def _collaboration(entries: Entries) -> list[MeasureTable]:
    """Gao, Lee and Miao 2006."""
    return [
        _table("Pages", "Gao 2006, Table 2", entries, [
            ("pages", lambda run: run.whole.pages, count),
            ("relevant", lambda run: run.whole.relevant, count),
            ("found in targets", lambda run: run.whole.entities, count),
            ("distinct in targets", lambda run: run.whole.distinct_entities, count),
            ("hosts", lambda run: run.whole.hosts, count),
            ("received", lambda run: run.whole.received, size),
        ]),
        _table("Geo-coverage", "Gao 2006, Table 3", entries, [
            *_node_columns(entries, lambda node: node.geo_coverage, percent),
            ("all pages", lambda run: run.whole.geo_coverage, percent),
            ("each page once", lambda run: run.whole.distinct_coverage, percent),
            ("without general", lambda run: run.averages.pooled_geographic, percent),
            ("mean of nodes", lambda run: run.averages.geo_coverage, percent),
            ("mean without general", lambda run: run.averages.geo_coverage_geographic, percent),
        ], "Pages with an address in any target / pages."),
        _table("Geo-focus", "Gao 2006, Table 4", entries, [
            *_node_columns(entries, lambda node: node.geo_focus, percent, general=False),
            ("mean of nodes", lambda run: run.averages.geo_focus, percent),
            ("all pages", lambda run: run.whole.geo_focus, percent),
        ], "Share of a node's pages with an address in a target that have one in its territory."),
        _table("Entity uniqueness", "Gao 2006, Table 5", entries, [
            *_node_columns(entries, lambda node: node.entity_uniqueness, number),
            ("all", lambda run: run.whole.entity_uniqueness, number),
        ], "Distinct addresses in the targets / all of them."),
        _table("Centrality, overlap, diversity, exchange", "Gao 2006, Tables 6 to 9", entries, [
            ("geo-centrality", lambda run: run.whole.geo_centrality, number),
            ("overlap", lambda run: run.whole.overlap, number),
            ("diversity", lambda run: run.whole.diversity, number),
            ("by hosts", lambda run: run.whole.host_diversity, number),
            ("communication", lambda run: run.whole.communication, number),
            ("each time met", lambda run: run.whole.forwarded, number),
            ("messages", lambda run: run.whole.messages, count),
            ("message bytes", lambda run: run.whole.message_bytes, size),
        ], "Diversity: registered domains / page. Communication: URLs sent to other nodes / page."),
        _table("Diversity by node", "Gao 2006, Table 8", entries, [
            *_node_columns(entries, lambda node: node.diversity, number),
            ("all", lambda run: run.whole.diversity, number),
        ], "Registered domains / page."),
        _table("Cost", "Gao 2006, Lemma 2", entries, [
            ("per download", lambda run: run.costs.download, number),
            ("per URL sent", lambda run: run.costs.message, number),
            ("total", lambda run: run.costs.total, count),
            ("under policy A", lambda run: run.costs.policy_a, count),
            ("owners per link", lambda run: run.costs.owners_per_link, number),
            ("per relevant page", lambda run: run.costs.per_relevant, number),
            ("page and links, A at most", lambda run: run.costs.lemma_a, number),
            ("B at least", lambda run: run.costs.lemma_b, number),
        ], "For a crawl under policy B: the least that policy A would have cost for these pages."),
        _locality(entries),
    ]  # fmt: skip


def _locality(entries: Entries) -> MeasureTable:
    rows = []
    for entry in entries:
        for by in ("url", "content", "classifier"):
            found = [one for run in entry.runs for one in run.locality if one.by == by]
            if not found:
                continue
            rows.append((
                entry.name,
                by,
                mean_and_spread([one.linked for one in found], count),
                mean_and_spread([one.linked_share for one in found], percent),
                mean_and_spread([one.unlinked for one in found], count),
                mean_and_spread([one.unlinked_share for one in found], percent),
            ))  # fmt: skip
    head = ("", "by", "linked pairs", "same target", "unlinked pairs", "same target")
    note = "Pairs of pages that are about a target."
    return MeasureTable("Geographic locality", "Gao 2006, Table 11", head, tuple(rows), note)


def _focus(entries: Entries) -> list[MeasureTable]:
    """Ahlers and Boll 2009."""
    moments: list[Column] = [
        (f"after {part:.0%}", _harvest_at(part), percent) for part in (0.1, 0.25, 0.5, 1.0)
    ]
    return [
        _table("Harvest", "Ahlers 2009, Figures 7 and 8", entries, [
            *moments,
            ("last window", _last_window, percent),
        ], "Relevant pages / pages, after a share of the crawl; last window: of the last pages."),
        _table("Bridges, tails, distances", "Ahlers 2009, Figures 9 and 10", entries, [
            ("over a bridge", lambda run: run.bridges.bridged_share, percent),
            ("mean bridge", lambda run: _mean_length(run.bridges.bridges), number),
            ("longest", lambda run: _longest(run.bridges.bridges), count),
            ("tails", lambda run: run.bridges.tails.total, count),
            ("mean tail", lambda run: _mean_length(run.bridges.tails), number),
            ("links from a seed", lambda run: _mean_length(run.distances.relevant), number),
            ("farthest", lambda run: _longest(run.distances.relevant), count),
        ], "Relevant pages reached from another one over at least one page that is not relevant."),
    ]  # fmt: skip


def _harvest_at(share: float) -> Callable[[Measures], Number]:
    def get(run: Measures) -> Number:
        wanted = share * run.whole.pages
        return next((point.harvest for point in run.harvest.curve if point.pages >= wanted), None)

    return get


def _last_window(run: Measures) -> Number:
    return run.harvest.curve[-1].window if run.harvest.curve else None


def _mean_length(bars: Bars) -> Number:
    lengths = sum(length * many for length, many in enumerate(bars.counts))
    return lengths / bars.total if bars.total else None


def _longest(bars: Bars) -> Number:
    return len(bars.counts) - 1 if bars.counts else None


def _interests(entries: Entries) -> list[MeasureTable]:
    """Chubak and Shokouhi 2005."""
    shown = [
        k for k in _SHOWN_K if any(_weights(run, k) for entry in entries for run in entry.runs)
    ]
    rows = []
    for entry in entries:
        for k in (*shown, 0):
            found = [weights for run in entry.runs if (weights := _weights(run, k))]
            rows.append((
                entry.name,
                mean_and_spread([one.pages for one in found], count),
                mean_and_spread([one.mean_weight for one in found]),
                mean_and_spread([one.max_weight for one in found]),
                mean_and_spread([one.relevant for one in found], count),
                mean_and_spread([one.precision for one in found], percent),
            ))  # fmt: skip
    head = ("", "first pages", "average weight", "greatest weight", "relevant", "precision")
    note = "Weight of a page by the job's interests; without interests, its promise when fetched."
    title = "Weights and precision"
    return [MeasureTable(title, "Chubak, Tables I to IV", head, tuple(rows), note)]


def _weights(run: Measures, k: int) -> WeightsAt | None:
    """The weights of the first k pages; 0: of all."""
    return next((one for one in run.weights if one.pages == k), None) if k else run.weights[-1]


def _geo_rank(entries: Entries) -> list[MeasureTable]:
    """Kozanidis, Stamou and Spyros 2009."""
    return [
        _table("Accuracy", "Kozanidis 2009, Tables 1 and 3", entries, [
            ("seen", lambda run: run.accuracy.seen, count),
            ("retrieved", lambda run: run.accuracy.retrieved, count),
            ("accuracy", lambda run: run.accuracy.accuracy, percent),
            ("name a target", lambda run: run.accuracy.aimed, count),
            ("accuracy of these", lambda run: run.accuracy.aimed_accuracy, percent),
        ], "Seen: pages that name any place; retrieved: those that are relevant."),
        _table("Coverage of names", "Kozanidis 2009, Table 2", entries, [
            ("places named", lambda run: run.accuracy.names, count),
            ("distinct", lambda run: run.accuracy.distinct_names, count),
            ("coverage", lambda run: run.accuracy.coverage, percent),
            (f"of the first {FIRST_NAMES:,}", lambda run: run.accuracy.first_coverage, percent),
        ], "A place counts once for each page that names it."),
    ]  # fmt: skip


def _completeness(entries: Entries) -> MeasureTable:
    shown = None if len(entries) == 1 else 1
    rows = tuple(
        (
            entry.name, one.what, f"{one.first} and {one.second}", f"{one.first_found:,}",
            f"{one.second_found:,}", f"{one.both_found:,}", *_estimate_cells(one),
        )
        for entry in entries for one in entry.runs[0].completeness[:shown]
    )  # fmt: skip
    head = (
        "", "of", "found by", "first", "second", "both", "estimated total", "95 %", "found share",
    )  # fmt: skip
    note = (
        f"Capture and recapture. Needs at least {ENOUGH} found by both. Overestimates when nodes "
        "have separate territories."
    )
    return MeasureTable("Completeness", "Chapman 1951", head, rows, note)


def _estimate_cells(one: Estimate) -> tuple[str, str, str]:
    if not one.reliable or one.low is None or one.high is None:
        return NOTHING, NOTHING, NOTHING
    total, share = mean_and_spread([one.total], count), mean_and_spread([one.found_share], percent)
    return total, f"{one.low:,.0f} to {one.high:,.0f}", share


def _truth(entries: Entries) -> list[MeasureTable]:
    """Only if the truth is known."""
    if not all(run.truth and run.truth.curve for entry in entries for run in entry.runs):
        return []

    def getter(get: Callable[[AgainstTruth], Number]) -> Callable[[Measures], Number]:
        return lambda run: get(run.truth) if run.truth else None

    return [
        _table("Compared with the truth", "of the synthetic web", entries, [
            ("judged correctly", getter(lambda truth: truth.judged_right), percent),
            ("falsely relevant", getter(lambda truth: truth.false_relevant), count),
            ("missed", getter(lambda truth: truth.false_other), count),
            ("of the oracle's harvest", getter(lambda truth: truth.curve[-1].of_oracle), percent),
        ], "The oracle knows which links lead to relevant pages."),
    ]  # fmt: skip
