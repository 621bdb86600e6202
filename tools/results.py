"""Fill tables of docs/explanation/results.md with the papers' figures and ours (`make results`).

    python -m tools.results RESULTS docs/explanation/results.md

The tables are between <!-- NAME --> and <!-- end -->; the rest is written by hand. RESULTS is the
folder with the output of `toponaut compare --json`, a file for each of PARTS, and in its folder
causes the experiments of bench/causes.py. A figure is the mean
of the runs ± their standard deviation; a difference is paired by web, with an interval of 95 %.
paper_figures.py has the papers' figures.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from tools.markdown_blocks import Row, fill, markdown_table
from tools.paper_figures import (
    COLLABORATIONS,
    LOCALITY,
    MERITS,
    NODE_COVERAGE,
    NODE_FOCUS,
    NODE_UNIQUENESS,
    ORDERINGS,
    RANKED,
    SCHEMES,
)
from tools.result_figures import Entries, Get, difference, figure, mean
from tools.result_tables import NOT_RUN, causes, classifiers, real_collaborations, real_orderings

from toponaut.compare.comparison import ComparisonReport
from toponaut.measures import Measures
from toponaut.measures.coverage import NodeMeasures
from toponaut.measures.link_measures import Locality
from toponaut.measures.tables import (
    NOTHING,
    Form,
    MeasuredRuns,
    Number,
    count,
    mean_and_spread,
    number,
    percent,
)

DEFAULT = "combined + combined"
PARTS = (
    "collaborations", "policies", "pairs", "orderings", "interests", "anywhere",
    "real-collaborations", "real-orderings",
)  # fmt: skip


def main(results: Path, *documents: Path) -> None:
    files = {part: results / f"{part}.json" for part in PARTS}
    blocks = _blocks({part: _read(file) for part, file in files.items() if file.is_file()})
    blocks["causes"] = causes(results / "causes")
    blocks["classifiers"] = classifiers(results / "classifiers.json")
    fill(blocks, documents)


def _read(path: Path) -> ComparisonReport:
    return msgspec.json.decode(path.read_bytes(), type=ComparisonReport)


def _entries(report: ComparisonReport) -> dict[str, MeasuredRuns]:
    return {entry.name: entry for entry in report.groups[0].entries}


def _blocks(reports: Mapping[str, ComparisonReport]) -> dict[str, str]:
    """Every block of the document; a part without results says so."""
    entries = {part: _entries(report) for part, report in reports.items()}
    runs = [f"{part}: {one.compared}" for part, one in reports.items() if "real" not in part]
    blocks = {"runs": "; ".join(runs) + "."}
    for part, tables in _TABLES.items():
        for block, table in tables.items():
            blocks[block] = table(entries[part]) if part in entries else NOT_RUN
    who = entries.get("collaborations", {})
    blind = {f"{name} + breadth-first": who[name] for name in COLLABORATIONS if name in who}
    blocks["strategies"] = _pairs(blind | entries.get("pairs", {}))
    return blocks


def _quality(who: Entries) -> str:
    return _collaborations(who, [
        ("geo-focus", 2, lambda run: run.averages.geo_focus, percent),
        ("entity uniqueness", 3, lambda run: run.whole.entity_uniqueness, number),
        ("geo-centrality", 4, lambda run: run.whole.geo_centrality, number),
    ])  # fmt: skip


def _performance(who: Entries) -> str:
    return _collaborations(who, [
        ("overlap", 5, lambda run: run.whole.overlap, number),
        ("diversity", 6, lambda run: run.whole.diversity, number),
        ("communication", 7, lambda run: run.whole.forwarded, number),
    ])  # fmt: skip


def _in_short(when: Entries) -> str:
    return markdown_table(("ordering", "pages with an address in Oldenburg"), [
        (name, figure(when, name, lambda run: run.whole.harvest, percent))
        for name in ORDERINGS if ":" not in name
    ])  # fmt: skip


def by_nodes(who: Mapping[str, MeasuredRuns]) -> str:
    """Tables 3, 4, 5 and 8 by node: the paper's figure and ours."""
    blocks = []
    tables: tuple[tuple[str, Callable[[NodeMeasures], Number], Form, Mapping[str, Row]], ...] = (
        ("Geo-coverage (Table 3)", lambda node: node.geo_coverage, percent, NODE_COVERAGE),
        ("Geo-focus (Table 4)", lambda node: node.geo_focus, percent, NODE_FOCUS),
        ("Uniqueness (Table 5)", lambda node: node.entity_uniqueness, number, NODE_UNIQUENESS),
        ("Diversity (Table 8)", lambda node: node.diversity, number, {}),
    )
    for title, get, form, printed in tables:
        names = list(dict.fromkeys(
            node.node for entry in who.values() for run in entry.runs for node in run.nodes
        ))  # fmt: skip
        rows: list[Row] = []
        for name, entry in who.items():
            if name in printed:
                rows.append((f"{name}, paper", *printed[name]))
            rows.append((name, *(_by_node(entry, node, get, form) for node in names)))
        blocks.append(f"{title}\n\n{markdown_table(('collaboration', *names), rows)}")
    return "\n\n".join(blocks)


def _by_node(
    entry: MeasuredRuns, name: str, get: Callable[[NodeMeasures], Number], form: Form
) -> str:
    values = [get(node) for run in entry.runs for node in run.nodes if node.node == name]
    return mean_and_spread(values, form)


# --- Table 10 -------------------------------------------------------------------------------------

GOOD, NOT_BAD = 0.8, 0.5  # of the way from the worst to the best strategy; see `merit`


def merit(value: float, every: Sequence[float], *, higher: bool = True) -> str:
    """Good, Not Bad or Bad, as in Table 10. The paper gives no rule; with this one its own figures
    of coverage, focus and centrality come out as it prints them."""
    best, worst = (max(every), min(every)) if higher else (min(every), max(every))
    way = (value - worst) / (best - worst) if best != worst else 1.0
    return "Good" if way >= GOOD else "Not Bad" if way >= NOT_BAD else "Bad"


def _merits(who: Mapping[str, MeasuredRuns]) -> str:
    measures: tuple[tuple[str, Get, bool], ...] = (
        ("geo-coverage", lambda run: run.whole.geo_coverage, True),
        ("geo-focus", lambda run: run.averages.geo_focus, True),
        ("geo-centrality", lambda run: run.whole.geo_centrality, True),
        ("overlap", lambda run: run.whole.overlap, False),
        ("diversity", lambda run: run.whole.diversity, True),
        ("communication", lambda run: run.whole.forwarded, False),
    )
    names = [name for name in MERITS if name in who]
    columns = []
    for _, get, higher in measures:
        values = {name: mean(who[name], get) or 0.0 for name in names}
        columns.append(
            {name: merit(values[name], list(values.values()), higher=higher) for name in names}
        )
    rows = []
    for name in names:
        verdicts = zip(MERITS[name], columns, strict=True)
        rows.append((name, *(f"{paper} / {ours[name]}" for paper, ours in verdicts)))
    head = ("collaboration: paper / ours", *(title for title, _, _ in measures))
    return markdown_table(head, rows)


def _policies(policies: Mapping[str, MeasuredRuns]) -> str:
    """Policy A beside B, with Lemma 2's cost."""
    columns: tuple[tuple[str, Get, Form], ...] = (
        ("coverage", lambda run: run.whole.geo_coverage, percent),
        ("focus", lambda run: run.averages.geo_focus, percent),
        ("overlap", lambda run: run.whole.overlap, number),
        ("owners per link", lambda run: run.costs.owners_per_link, number),
        ("cost per relevant page", lambda run: run.costs.per_relevant, number),
        ("a page and its links: A at most", lambda run: run.costs.lemma_a, number),
        ("B at least", lambda run: run.costs.lemma_b, number),
    )
    return markdown_table(("collaboration", *(title for title, _, _ in columns)), [
        (name, *(figure(policies, name, get, form) for _, get, form in columns))
        for name in policies
    ])  # fmt: skip


def _schemes(by_scheme: Mapping[str, MeasuredRuns]) -> str:
    blind = by_scheme["breadth-first"]
    return markdown_table(
        ("scheme", "paper, 200 pages", "ours, 200", "ours, 213", "ours, 500",
         "200 pages, less breadth-first, points", "average / greatest weight, 500"),
        [
            (name, paper,
             *(figure(by_scheme, name, _precision(k), percent) for k in (200, 213, 500)),
             difference(by_scheme[name], blind, _precision(200)),
             figure(by_scheme, name, _relative_weight, number))
            for name, paper in SCHEMES.items() if name in by_scheme
        ],
    )  # fmt: skip


def _ranked(anywhere: Mapping[str, MeasuredRuns]) -> str:
    columns: tuple[tuple[Get, Form], ...] = (
        (lambda run: run.whole.harvest, percent),
        (lambda run: run.accuracy.accuracy, percent),
        (lambda run: run.accuracy.first_coverage, percent),
        (lambda run: run.accuracy.coverage, percent),
    )
    head = ("ordering", "harvest", "accuracy: paper", "ours", "coverage of 1,265 names: paper",
            "ours", "of all names")  # fmt: skip
    rows = []
    for name, (accuracy, coverage) in RANKED.items():
        harvest, ours, first, every = (figure(anywhere, name, *column) for column in columns)
        rows.append((name, harvest, accuracy, ours, coverage, first, every))
    return markdown_table(head, rows)


def _pairs(entries: Mapping[str, MeasuredRuns]) -> str:
    return markdown_table(
        (
            "collaboration + ordering", "pages with an address in a target", "each page once",
            "in the node's own territory", "both, of all pages",
        ),
        [
            (name, *(_spread(entry, get) for get in _PAIR_MEASURES))
            for name, entry in entries.items()
        ],
    )  # fmt: skip


def paired_differences(entries: Mapping[str, MeasuredRuns], best: str = DEFAULT) -> str:
    """Our default less each other pair, on the same webs, in points."""
    rows = [
        (name, *(difference(entries[best], entry, get) for get in _PAIR_MEASURES))
        for name, entry in entries.items()
        if name != best
    ]
    head = (
        f"{best}, less", "points of coverage", "each page once", "points of focus", "of both",
    )  # fmt: skip
    return markdown_table(head, rows)


def _spread(entry: MeasuredRuns, get: Get) -> str:
    return mean_and_spread([get(run) for run in entry.runs], percent)


def _at_home(run: Measures) -> Number:
    """Pages with an address in the territory of the node that fetched them / all pages."""
    nodes = (node for node in run.nodes if not node.general)
    own = sum(node.pages * (node.geo_coverage or 0.0) * (node.geo_focus or 0.0) for node in nodes)
    return own / run.whole.pages if run.whole.pages else None


_PAIR_MEASURES: tuple[Get, ...] = (
    lambda run: run.whole.geo_coverage,
    lambda run: run.whole.distinct_coverage,
    lambda run: run.averages.geo_focus,
    _at_home,
)


def _coverage(who: Mapping[str, MeasuredRuns]) -> str:
    """Also the coverage as a multiple of a blind crawl's."""
    blind = mean(who["hash"], lambda run: run.whole.geo_coverage)
    rows = []
    for name, paper in COLLABORATIONS.items():
        ours = mean(who[name], lambda run: run.whole.geo_coverage) if name in who else None
        times = f"{ours / blind:.1f}" if ours is not None and blind else NOTHING
        paper_times = (
            NOTHING if paper[0] == NOTHING else f"{float(paper[0].rstrip(' %')) / 0.86:.1f}"
        )
        less = (
            difference(who[name], who["hash"], lambda run: run.whole.geo_coverage)
            if name in who
            else NOTHING
        )
        rows.append((
            name, paper[0], figure(who, name, lambda run: run.whole.geo_coverage, percent),
            paper_times, times, less, paper[1],
            figure(who, name, lambda run: run.averages.pooled_geographic, percent),
        ))  # fmt: skip
    return markdown_table(
        (
            "collaboration",
            "paper",
            "ours",
            "paper, times hash",
            "ours, times hash",
            "less hash, points",
            "without general: paper",
            "ours",
        ),
        rows,
    )


def _collaborations(
    who: Mapping[str, MeasuredRuns], columns: Sequence[tuple[str, int, Get, Form]]
) -> str:
    head = ["collaboration"]
    for title, *_ in columns:
        head += [f"{title}: paper", "ours"]
    rows = []
    for name, paper in COLLABORATIONS.items():
        row = [name]
        for _, at, get, form in columns:
            row += [paper[at], figure(who, name, get, form)]
        rows.append(row)
    return markdown_table(head, rows)


def _locality(who: Mapping[str, MeasuredRuns]) -> str:
    """Table 11: each strategy's pages, by its own evidence."""

    def share(by: str, get: Callable[[Locality], Number]) -> str:
        runs = who[by].runs if by in who else ()
        found = [next((get(one) for one in run.locality if one.by == by), None) for run in runs]
        return mean_and_spread(found, percent)

    return markdown_table(
        ("strategy and evidence", "linked: paper", "ours", "unlinked: paper", "ours"),
        [
            (
                by,
                linked,
                share(by, lambda one: one.linked_share),
                unlinked,
                share(by, lambda one: one.unlinked_share),
            )
            for by, (linked, unlinked) in LOCALITY.items()
        ],
    )


def _harvest(when: Mapping[str, MeasuredRuns]) -> str:
    names = [*ORDERINGS, *(name for name in when if name not in ORDERINGS)]
    return markdown_table(
        ("ordering", "harvest: paper", "ours", "less breadth-first, points", "in the last window",
         "relevant over a bridge", "pages"),
        [
            (
                name, ORDERINGS.get(name, NOTHING),
                figure(when, name, lambda run: run.whole.harvest, percent),
                difference(when[name], when["breadth-first"], lambda run: run.whole.harvest),
                figure(when, name, lambda run: run.harvest.curve[-1].window, percent),
                figure(when, name, lambda run: run.bridges.bridged_share, percent),
                figure(when, name, lambda run: run.whole.pages, count),
            )
            for name in names if name in when
        ],
    )  # fmt: skip


def _precision(pages: int) -> Get:
    def get(run: Measures) -> Number:
        return next((one.precision for one in run.weights if one.pages == pages), None)

    return get


def _relative_weight(run: Measures) -> Number:
    """The average weight on the scale of the greatest: the paper has 0.445 / 0.994 (Table III)."""
    last = run.weights[-1]
    return last.mean_weight / last.max_weight if last.mean_weight and last.max_weight else None


_TABLES: dict[str, dict[str, Callable[[Entries], str]]] = {
    "collaborations": {
        "coverage": _coverage, "quality": _quality, "performance": _performance,
        "nodes": by_nodes, "merits": _merits, "locality": _locality,
    },
    "policies": {"policies": _policies},
    "pairs": {"pairs": lambda both: f"{_pairs(both)}\n\n{paired_differences(both)}"},
    "orderings": {"orderings": _in_short, "harvest": _harvest},
    "interests": {"schemes": _schemes},
    "anywhere": {"ranked": _ranked},
    "real-collaborations": {"real_collaborations": real_collaborations},
    "real-orderings": {"real_orderings": real_orderings},
}  # fmt: skip


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
