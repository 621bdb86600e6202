"""README's crawl of the example web is what the commands print."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACE = re.compile(r"[\d,]+ bytes at [\d,]+")


def shown() -> list[tuple[str, str]]:
    """The commands of README's crawl, and what it says that they print."""
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").split("## A crawl")[1].split("\n## ")[0]
    )
    lines = [
        line.removeprefix("    ")
        for line in section.splitlines()
        if line.startswith("    ") or not line
    ]
    commands: list[tuple[str, str]] = []
    for part in "\n".join(lines).split("$ ")[1:]:
        command, _, printed = part.partition("\n")
        commands.append((command, printed.strip()))
    return commands


def lines_of(text: str) -> list[str]:
    """What is printed, but for places in the archive: they depend on how the processor packs (archive/records.py)."""
    return [PLACE.sub("N bytes at N", line.rstrip()) for line in text.strip().splitlines()]


def test_the_example_prints_what_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "118")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = shown()
    assert [command.split()[:2] for command, _ in commands][1:5] == [
        ["toponaut", "crawl"],
        ["toponaut", "crawl"],
        ["toponaut", "status"],
        ["toponaut", "explain"],
    ]
    for command, printed in commands:
        if command.startswith("cat "):
            told = (tmp_path / command.split()[1]).read_text(encoding="utf-8")
            assert printed in told
            continue
        line = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert lines_of(done.stdout) == lines_of(printed)
