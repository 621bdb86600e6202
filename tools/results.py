"""Fill tables of docs/explanation/results.md with the papers' figures and ours (`make results`).

    python -m tools.results RESULTS docs/explanation/results.md

The tables are between <!-- NAME --> and <!-- end -->; the rest is written by hand. RESULTS is the
folder with the output of `toponaut compare --json`: collaborations, pairs, orderings, interests. A
figure is the mean of the runs ± their standard deviation.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from toponaut.compare.comparison import ComparisonReport
from toponaut.measures import Measures
from toponaut.measures.intervals import mean_interval
from toponaut.measures.link_measures import Locality
from toponaut.measures.tables import (
    NOTHING,
    Form,
    MeasuredRuns,
    Number,
    mean_and_spread,
    number,
    percent,
)

# The papers' figures as printed. Gao, Lee and Miao 2006: Tables 3 to 9.
COLLABORATIONS = {
    #             coverage           focus     unique  central   overlap    diversity  communication
    "hash": ("0.86 %", "0.86 %", NOTHING, "0.35", "0.0222", "none", "0.0814", "13.89"),
    "url": ("7.25 %", "8.63 %", "91.1 %", "0.18", "0.1754", "none", "0.0405", "25.72"),
    "anchor": ("7.88 %", "8.58 %", "84.2 %", "0.16", "0.1519", "0.0846", "0.0674", "61.87"),
    "content": ("4.89 %", "5.71 %", "75.2 %", "0.19", "0.0994", "0.1732", "0.0688", "46.69"),
    "classifier": ("1.09 %", "1.21 %", "22.1 %", "0.26", "0.0273", "0.3460", "0.0564", "58.38"),
    "ip": ("1.71 %", "2.20 %", "51.8 %", "0.27", "0.0380", "none", "0.3887", "0.15"),
    "combined": (NOTHING,) * 8,
}
LOCALITY = {"url": ("41.56 %", "2.58 %"), "content": ("26.33 %", "1.16 %")}  # Table 11
ORDERINGS = {  # Ahlers and Boll 2009, section 6.2, at the end of a million pages
    "breadth-first": "4 %", "link-distance": "5.5 %", "lookahead:depth=1": NOTHING,
    "lookahead:depth=2": NOTHING, "lookahead": "12 %", "geo-rank": NOTHING, "combined": NOTHING,
}  # fmt: skip
SCHEMES = {  # Chubak and Shokouhi, Table IV: 200 pages
    "breadth-first": "0 %", "interest:scheme=nxx": "3 %", "interest:scheme=tfidf": "16 %",
    "interest:scheme=lnu": "20 %",
}  # fmt: skip
RANKED = {
    "geo-rank": ("89.28 %", "81.34 %"),
    "breadth-first": (NOTHING, NOTHING),
}  # Kozanidis 2009, Tables 1 and 2

DEFAULT = "combined + combined"
PARTS = ("collaborations", "pairs", "orderings", "interests")
Get = Callable[[Measures], Number]
Row = Sequence[str]


def main(results: Path, *documents: Path) -> None:
    fill(_blocks(*(_read(results / f"{part}.json") for part in PARTS)), documents)


def fill(blocks: Mapping[str, str], documents: Sequence[Path]) -> None:
    """Write blocks between <!-- NAME --> and <!-- end --> of documents, and print them."""
    homeless = set(blocks)
    for document in documents:
        filled = document.read_text(encoding="utf-8")
        for name, block in blocks.items():
            filled, places = re.subn(
                rf"(<!-- {name} -->\n).*?(<!-- end -->)",
                rf"\g<1>\n{block}\n\g<2>",
                filled,
                flags=re.S,
            )
            homeless -= {name} if places else set()
        document.write_text(filled, encoding="utf-8")
    if homeless:
        missing = ", ".join(sorted(homeless))
        sys.exit(f"no document has a place for {missing}: add <!-- NAME --> and <!-- end -->")
    print("\n\n".join(blocks.values()))


def _read(path: Path) -> ComparisonReport:
    return msgspec.json.decode(path.read_bytes(), type=ComparisonReport)


def _entries(report: ComparisonReport) -> dict[str, MeasuredRuns]:
    return {entry.name: entry for entry in report.groups[0].entries}


def _blocks(
    collaborations: ComparisonReport,
    pairs: ComparisonReport,
    orderings: ComparisonReport,
    interests: ComparisonReport,
) -> dict[str, str]:
    who, both, when, by_scheme = map(_entries, (collaborations, pairs, orderings, interests))
    return {
        "runs": f"{collaborations.compared}; the pairs with the ordering combined: "
                f"{pairs.compared}; the interests: {interests.compared}.",
        "coverage": _coverage(who),
        "quality": _collaborations(who, [
            ("geo-focus", 2, lambda run: run.averages.geo_focus, percent),
            ("entity uniqueness", 3, lambda run: run.whole.entity_uniqueness, number),
            ("geo-centrality", 4, lambda run: run.whole.geo_centrality, number),
        ]),
        "performance": _collaborations(who, [
            ("overlap", 5, lambda run: run.whole.overlap, number),
            ("diversity", 6, lambda run: run.whole.diversity, number),
            ("communication", 7, lambda run: run.whole.communication, number),
        ]),
        "locality": _locality(who["hash"]),
        "pairs": f"{pairs.compared}.\n\n{_pairs(both)}\n\n{paired_differences(both)}",
        "strategies": _pairs({
            f"{name} + breadth-first": who[name] for name in COLLABORATIONS if name in who
        } | both),
        "orderings": markdown_table(("ordering", "pages with an address in Oldenburg"), [
            (name, _figure(when, name, lambda run: run.whole.harvest, percent))
            for name in ORDERINGS if ":" not in name
        ]),
        "harvest": _harvest(when),
        "schemes": markdown_table(("scheme", "paper", "ours"), [
            (name, paper, _figure(by_scheme, name, _precision, percent))
            for name, paper in SCHEMES.items()
        ]),
        "ranked": markdown_table((
            "ordering", "accuracy: paper", "ours", "coverage of names: paper", "ours",
        ), [
            (name, accuracy, _figure(when, name, lambda run: run.accuracy.accuracy, percent),
             coverage, _figure(when, name, lambda run: run.accuracy.coverage, percent))
            for name, (accuracy, coverage) in RANKED.items()
        ]),
    }  # fmt: skip


def _pairs(entries: Mapping[str, MeasuredRuns]) -> str:
    return markdown_table(
        (
            "collaboration + ordering", "pages with an address in a target",
            "of these, in the node's own territory",
        ),
        [
            (name, mean_and_spread([run.whole.geo_coverage for run in entry.runs], percent),
             mean_and_spread([run.averages.geo_focus for run in entry.runs], percent))
            for name, entry in entries.items()
        ],
    )  # fmt: skip


def paired_differences(entries: Mapping[str, MeasuredRuns], best: str = DEFAULT) -> str:
    """Our default less each other pair, on the same webs, in points."""
    measures: tuple[Get, ...] = (
        lambda run: run.whole.geo_coverage, lambda run: run.averages.geo_focus,
    )  # fmt: skip

    def difference(other: MeasuredRuns, get: Get) -> str:
        both = zip(map(get, entries[best].runs), map(get, other.runs), strict=True)
        points = [100 * (a - b) for a, b in both if a is not None and b is not None]
        return mean_interval(points).format(1)

    rows = [
        (name, *(difference(entry, get) for get in measures))
        for name, entry in entries.items()
        if name != best
    ]
    return markdown_table((f"{best}, less", "points of coverage", "points of focus"), rows)


def _coverage(who: Mapping[str, MeasuredRuns]) -> str:
    """Also the coverage as a multiple of a blind crawl's."""
    blind = _mean(who["hash"], lambda run: run.whole.geo_coverage)
    rows = []
    for name, paper in COLLABORATIONS.items():
        ours = _mean(who[name], lambda run: run.whole.geo_coverage) if name in who else None
        times = f"{ours / blind:.1f}" if ours is not None and blind else NOTHING
        paper_times = (
            NOTHING if paper[0] == NOTHING else f"{float(paper[0].rstrip(' %')) / 0.86:.1f}"
        )
        rows.append((
            name, paper[0], _figure(who, name, lambda run: run.whole.geo_coverage, percent),
            paper_times, times, paper[1],
            _figure(who, name, lambda run: run.averages.pooled_geographic, percent),
        ))  # fmt: skip
    return markdown_table(
        (
            "collaboration",
            "paper",
            "ours",
            "paper, times hash",
            "ours, times hash",
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
            row += [paper[at], _figure(who, name, get, form)]
        rows.append(row)
    return markdown_table(head, rows)


def _locality(entry: MeasuredRuns) -> str:
    def share(by: str, get: Callable[[Locality], Number]) -> str:
        return mean_and_spread(
            [next((get(one) for one in run.locality if one.by == by), None) for run in entry.runs],
            percent,
        )

    return markdown_table(
        ("same city by", "linked: paper", "ours", "unlinked: paper", "ours"),
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
        ("ordering", "harvest: paper", "ours", "in the last window", "relevant over a bridge"),
        [
            (
                name, ORDERINGS.get(name, NOTHING),
                _figure(when, name, lambda run: run.whole.harvest, percent),
                _figure(when, name, lambda run: run.harvest.curve[-1].window, percent),
                _figure(when, name, lambda run: run.bridges.bridged_share, percent),
            )
            for name in names
        ],
    )  # fmt: skip


def _precision(run: Measures) -> Number:
    return next((one.precision for one in run.weights if one.pages == 200), None)


def _figure(entries: Mapping[str, MeasuredRuns], name: str, get: Get, form: Form) -> str:
    return (
        mean_and_spread([get(run) for run in entries[name].runs], form)
        if name in entries
        else NOTHING
    )


def _mean(entry: MeasuredRuns, get: Get) -> float | None:
    known = [value for run in entry.runs if (value := get(run)) is not None]
    return sum(known) / len(known) if known else None


def markdown_table(head: Row, rows: Sequence[Row]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
