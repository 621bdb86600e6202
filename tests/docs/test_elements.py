"""docs/explanation/papers.md lists every element of the papers: its files and tests exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "explanation" / "papers.md"
_FIGURE = re.compile(r"\d+\.\d{2,}")


def rows() -> list[tuple[str, str, str]]:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Every element")[2]
    found = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|[^|]*\|$", text, re.M)
    return [row for row in found if row[0] != "element"]


def test_about_a_hundred_elements() -> None:
    assert len(rows()) >= 100


def test_the_code_of_every_element_exists() -> None:
    missing = []
    for element, code, _ in rows():
        path = code.strip("`")
        known = path == "–" or any((ROOT / base / path).is_file() for base in ("src/toponaut", "."))
        missing += [] if known else [(element, path)]
    assert missing == []


def test_the_test_of_every_element_exists() -> None:
    missing = []
    for element, _, test in rows():
        path, _, name = test.strip("`").partition("::")
        if path == "–":
            continue
        file = ROOT / "tests" / path
        tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        missing += [] if name in names else [(element, test)]
    assert missing == []


def test_our_figures_are_those_of_the_results() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Every element")[2]
    results = DOCUMENT.with_name("results.md").read_text(encoding="utf-8")
    ours = re.findall(r"^(\|[^|]+\|[^|]+\|[^|]+\|)[^|/]+/([^|]+)\|$", text, re.M)
    measured = [figure for row, figure in ours if "example" not in row + figure]
    figures = [one for figure in measured for one in _FIGURE.findall(figure)]
    assert len(figures) > 20
    assert [one for one in figures if one not in results] == []


def test_what_is_not_built_says_so() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Every element")[2]
    for line in re.findall(r"^\|[^|]+\| – \|.*$", text, re.M):
        assert "not built" in line
