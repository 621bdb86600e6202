"""`make results` in small: every table of results.md is filled from comparisons."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.support.crawling import run
from tools import results
from tools.paper_figures import COLLABORATIONS, MERITS, ORDERINGS, RANKED, SCHEMES
from tools.results import PARTS, merit

from toponaut.compare.comparison import ComparisonReport, GroupResult
from toponaut.measures.tables import MeasuredRuns

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "explanation" / "results.md"
NAMES = {
    "collaborations": COLLABORATIONS,
    "policies": ("content", "content:policy=B"),
    "pairs": ("hash + combined", "combined + combined"),
    "orderings": ORDERINGS,
    "interests": SCHEMES,
    "anywhere": RANKED,
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ComparisonReport:
    """Two real runs of one strategy on small synthetic webs."""
    out = tmp_path_factory.mktemp("compared")
    job = ROOT / "examples" / "us-top-100" / "interests.toml"
    done = run(
        "compare", job, out, "--ordering", "breadth-first", "--pages", "25", "--seeds", "2",
        "--synthetic", "3", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=ComparisonReport)


def test_every_table_is_filled(tmp_path: Path, report: ComparisonReport) -> None:
    """All strategies get the same runs: this tests the tables, not the strategies."""
    runs = report.groups[0].entries[0].runs
    for part in PARTS:
        entries = tuple(MeasuredRuns(name, runs) for name in NAMES[part])
        made = msgspec.structs.replace(report, groups=(GroupResult("", entries, ()),))
        (tmp_path / f"{part}.json").write_bytes(msgspec.json.encode(made))
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes" / "ip.json").write_text('[["ip is twice hash", "as it is", "-", "0.1"]]')
    document = Path(shutil.copy(DOCUMENT, tmp_path))
    blocks = re.findall(r"<!-- (\w+) -->\n", document.read_text(encoding="utf-8"))
    emptied = re.sub(
        r"(<!-- \w+ -->\n).*?(<!-- end -->)", r"\1\2", document.read_text(encoding="utf-8"),
        flags=re.S,
    )  # fmt: skip
    document.write_text(emptied, encoding="utf-8")
    results.main(tmp_path, document)
    filled = document.read_text(encoding="utf-8")
    for block in blocks:
        if block != "end":
            inside = filled.partition(f"<!-- {block} -->\n")[2].partition("<!-- end -->")[0]
            assert inside.strip(), block
    assert "| url | 7.25 % |" in filled
    assert "| ip is twice hash | as it is |" in filled
    assert "| Cn5 |" in filled or "Cn" in filled


def test_the_makefile_makes_every_part() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    rule = text.partition("\nresults:")[2].partition("\n\n")[0]
    assert [part for part in PARTS if f"$(RESULTS)/{part}.json" not in rule] == []
    assert "bench.causes $(RESULTS)/causes" in rule
    for example in re.findall(r"examples/\S+\.toml", rule):
        assert (ROOT / example).is_file()


@pytest.mark.parametrize(
    ("column", "figures"),
    [
        (0, {"hash": 0.86, "url": 7.25, "anchor": 7.88, "content": 4.89, "classifier": 1.09,
             "ip": 1.71}),
        (1, {"hash": 22.1, "url": 91.1, "anchor": 84.2, "content": 75.2, "classifier": 22.1,
             "ip": 51.8}),
        (2, {"hash": 0.0222, "url": 0.1754, "anchor": 0.1519, "content": 0.0994,
             "classifier": 0.0273, "ip": 0.0380}),
    ],
)  # fmt: skip
def test_the_papers_own_verdicts(column: int, figures: dict[str, float]) -> None:
    """Tables 3, 4 and 6 of Gao, Lee and Miao 2006 give the verdicts of Table 10; hash has no focus
    there, so it gets the least."""
    every = list(figures.values())
    verdicts = {name: merit(value, every) for name, value in figures.items()}
    assert verdicts == {name: MERITS[name][column] for name in figures}
