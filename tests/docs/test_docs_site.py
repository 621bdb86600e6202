"""The documents: README is short, links lead somewhere, and the site builds without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.docs_blocks import ROOT

README = ROOT / "README.md"
DOCS = ROOT / "docs"
MOST_LINES = 130
_LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", [README, *sorted(DOCS.rglob("*.md"))], ids=lambda p: p.name)
def test_links_lead_to_files(page: Path) -> None:
    generated = {
        DOCS / "reference" / f"{name}.md" for name in ("commands", "job", "http", "python")
    }
    targets = {(page.parent / link).resolve() for link in _LINK.findall(page.read_text("utf-8"))}
    assert {str(target) for target in targets - generated if not target.exists()} == set()


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    commands = (tmp_path / "reference" / "commands" / "index.html").read_text(encoding="utf-8")
    assert "toponaut crawl" in commands
    keys = (tmp_path / "reference" / "job" / "index.html").read_text(encoding="utf-8")
    assert "random_seed" in keys
