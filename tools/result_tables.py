"""Tables of results.md beside those of the papers: causes, classifiers of links, recorded sites."""

from pathlib import Path

import msgspec
from tools.markdown_blocks import Row, markdown_table
from tools.result_figures import Entries, Get, difference, figure

from toponaut.measures.tables import Form, number, percent

NOT_RUN = "Not measured on these webs yet."


def causes(folder: Path) -> str:
    """The rows of all experiments with a cause removed (bench/causes.py)."""
    files = sorted(folder.glob("*.json"))
    rows = [
        tuple(row)
        for file in files
        for row in msgspec.json.decode(file.read_bytes(), type=list[list[str]])
    ]
    head = ("finding", "webs", "means", "last less first, or than as it is")
    return markdown_table(head, rows) if rows else NOT_RUN


def classifiers(file: Path) -> str:
    """Classifiers of links (bench/link_classifiers.py), which need scikit-learn."""
    if not file.is_file():
        return NOT_RUN
    head, rows = msgspec.json.decode(file.read_bytes(), type=tuple[Row, list[Row]])
    return markdown_table(head, rows)


def real_collaborations(who: Entries) -> str:
    """The measures of Tables 3, 4, 7, 8 and 9 on recorded sites."""
    columns: tuple[tuple[str, Get, Form], ...] = (
        ("geo-coverage", lambda run: run.whole.geo_coverage, percent),
        ("geo-focus", lambda run: run.averages.geo_focus, percent),
        ("uniqueness", lambda run: run.whole.entity_uniqueness, number),
        ("overlap", lambda run: run.whole.overlap, number),
        ("diversity", lambda run: run.whole.diversity, number),
        ("communication", lambda run: run.whole.forwarded, number),
    )
    rows = [
        (
            name,
            *(figure(who, name, get, form) for _, get, form in columns),
            difference(entry, who["hash"], columns[0][1]),
        )
        for name, entry in who.items()
    ]
    head = ("collaboration", *(title for title, _, _ in columns), "coverage less hash, points")
    return markdown_table(head, rows)


def real_orderings(when: Entries) -> str:
    return markdown_table(
        ("ordering", "harvest", "less breadth-first, points", "relevant over a bridge"),
        [
            (
                name,
                figure(when, name, lambda run: run.whole.harvest, percent),
                difference(entry, when["breadth-first"], lambda run: run.whole.harvest),
                figure(when, name, lambda run: run.bridges.bridged_share, percent),
            )
            for name, entry in when.items()
        ],
    )
