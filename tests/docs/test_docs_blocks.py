"""README and the tutorials show what their commands and programs print."""

from pathlib import Path

import pytest
from tools.docs_blocks import ROOT, blocks, comparable, run_page

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_shows_what_its_blocks_print(path: Path, tmp_path: Path) -> None:
    """Write the output anew with: python -m tools.docs_blocks PAGE."""
    for run in run_page(path.read_text(encoding="utf-8"), tmp_path):
        assert comparable(run.text) == comparable(run.block.text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_block_has_a_language_that_is_run_or_shown(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert {block.language for block in blocks(page)} <= {"console", "python", "text", "toml"}
    assert page.count("```") == 2 * len(blocks(page))


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = "```console\n$ echo 1\n2\n```\n\n```python\nprint(3)\n```\n\n```text\n4\n```\n"
    runs = list(run_page(page, tmp_path))
    assert [comparable(run.text) for run in runs] == [["$ echo 1", "1"], ["3"]]
    assert all(comparable(run.text) != comparable(run.block.text) for run in runs)
