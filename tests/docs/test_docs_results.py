"""`make results` in small: every table of results.md is filled from comparisons."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from bench.causes import TESTS, run_tests
from bench.directory_training import train_from_directory
from bench.experiments import AS_IS, Variant, Webs, run_all, write_report
from bench.real_sites import real_experiments
from bench.results import PARTS as EXPERIMENTS
from bench.results import folder_of, main
from msgspec.structs import replace
from tests.support.recorded_sites import recorded_sites
from tools import results
from tools.paper_figures import COLLABORATIONS, MERITS, ORDERINGS, RANKED, SCHEMES
from tools.result_tables import NOT_RUN
from tools.results import PARTS, merit

from toponaut.compare.comparison import ComparisonReport, GroupResult
from toponaut.job import TargetsSection
from toponaut.measures.tables import MeasuredRuns
from toponaut.strategy.learning.text_bayes import load

SEATTLE, BOSTON = 5809844, 4930956
ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "explanation" / "results.md"
NAMES = {
    "collaborations": COLLABORATIONS,
    "policies": ("content", "content:policy=B"),
    "pairs": ("hash + combined", "combined + combined"),
    "orderings": ORDERINGS,
    "interests": SCHEMES,
    "anywhere": RANKED,
    "real-collaborations": ("hash", "url"),
    "real-orderings": ("breadth-first", "combined"),
}
REAL = {name for name in NAMES if name.startswith("real")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two parts of `make results`, over 20 pages of two webs, and an experiment of bench/causes."""
    out = tmp_path_factory.mktemp("results")
    main(out, webs=2, shorter=25, workers=1, only="interests,anywhere")
    parts = {name: replace(part, pages=20) for name, part in EXPERIMENTS.items()}
    folders = {name: folder_of(out, name) for name in parts}
    for _ in run_tests({"seeds": TESTS["seeds"]}, parts, folders, Webs(1, 2), out / "causes", 1):
        pass
    return out


def test_a_run_with_a_result_is_not_repeated(folder: Path) -> None:
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/*.json")}
    assert len(kept) == 2 * (4 + 3) + 3 * 2 * 2
    main(folder, webs=2, shorter=25, workers=1, only="interests,anywhere")
    assert kept == {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/*.json")}


def test_an_experiment_compares_with_and_without_its_cause(folder: Path) -> None:
    rows = msgspec.json.decode((folder / "causes" / "seeds.json").read_bytes())
    assert [row[1] for row in rows] == [one.name for one in TESTS["seeds"].variants]
    assert all(row[2].startswith("breadth-first ") and "lookahead " in row[2] for row in rows)


def test_the_only_strategy_is_compared_with_itself(tmp_path: Path) -> None:
    """With one strategy the difference is from the web as it is, paired by web."""
    part = replace(EXPERIMENTS["orderings"], pages=10)
    wanted = replace(
        TESTS["seeds"],
        strategies=("breadth-first",),
        measure=lambda run: run.whole.pages / 10,
        variants=(AS_IS, Variant("twice as long", times=2)),
    )
    folders = {"orderings": tmp_path / "runs" / "orderings"}
    parts = {"orderings": part}
    for _ in run_tests({"one": wanted}, parts, folders, Webs(1, 2), tmp_path / "causes", 1):
        pass
    rows = msgspec.json.decode((tmp_path / "causes" / "one.json").read_bytes())
    assert [row[2:] for row in rows] == [
        ["breadth-first 100.00", "–"],
        ["breadth-first 200.00", "100.00 (100.00 to 100.00)"],
    ]


def test_strategies_on_recorded_sites(tmp_path: Path) -> None:
    made = real_experiments(recorded_sites(tmp_path / "sites"), tmp_path / "runs", 2, 30)
    for _ in run_all(list(made.values()), 1):
        pass
    for name, one in made.items():
        write_report(tmp_path / f"{name}.json", one.report())
    document = Path(shutil.copy(DOCUMENT, tmp_path))
    results.main(tmp_path, document)
    filled = document.read_text(encoding="utf-8")
    table = filled.partition("<!-- real_orderings -->")[2].partition("<!-- end -->")[0]
    assert "| breadth-first |" in table
    assert "| combined |" in table
    assert str(tmp_path) not in filled


def test_the_classifiers_pages_are_those_of_a_directory(tmp_path: Path) -> None:
    """Front pages of sites in each target, four times as many of none (Gao, Lee and Miao 2006)."""
    request = EXPERIMENTS["collaborations"].request(tmp_path, Webs(1, 1))
    wanted = replace(request.job, targets=TargetsSection(places=("Seattle, WA", "Boston, MA")))
    model = load(train_from_directory(wanted, tmp_path, 5).read_bytes())
    texts = dict(zip(model.places, model.texts, strict=True))
    assert set(texts) == {0, SEATTLE, BOSTON}
    assert 0 < texts[SEATTLE] <= 5
    assert texts[0] > 10


@pytest.fixture(scope="module")
def report(folder: Path) -> ComparisonReport:
    return msgspec.json.decode((folder / "interests.json").read_bytes(), type=ComparisonReport)


def test_every_table_is_filled(tmp_path: Path, folder: Path, report: ComparisonReport) -> None:
    """All strategies get the same runs: this tests the tables, not the strategies."""
    runs = report.groups[0].entries[0].runs
    for part in PARTS:
        entries = tuple(MeasuredRuns(name, runs) for name in NAMES[part])
        made = msgspec.structs.replace(report, groups=(GroupResult("", entries, ()),))
        (tmp_path / f"{part}.json").write_bytes(msgspec.json.encode(made))
    shutil.copytree(folder / "causes", tmp_path / "causes")
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
    assert "| the advantage does not depend on the seeds | as it is |" in filled
    assert "| Cn5 |" in filled or "Cn" in filled


def test_parts_that_have_not_run_say_so(folder: Path, tmp_path: Path) -> None:
    document = Path(shutil.copy(DOCUMENT, tmp_path))
    results.main(folder, document)
    filled = document.read_text(encoding="utf-8")
    inside = {name: filled.partition(f"<!-- {name} -->")[2] for name in ("coverage", "schemes")}
    assert inside["coverage"].startswith(f"\n\n{NOT_RUN}")
    assert "| interest:scheme=lnu | 20 % |" in inside["schemes"]


def test_every_part_has_its_runs() -> None:
    assert set(PARTS) == {*EXPERIMENTS, *REAL}
    assert {test.part for test in TESTS.values()} <= set(EXPERIMENTS)
    for name, test in TESTS.items():
        part = EXPERIMENTS[test.part]
        strategies = {strategy.removesuffix(":blocks=true") for strategy in test.strategies}
        assert strategies <= {*part.collaborations, *part.orderings}, name


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
