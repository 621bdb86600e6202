"""Runs the code blocks of Markdown pages, and writes what they print back into the pages.

    python -m tools.docs_blocks README.md docs/tutorials/*.md

A ```console block holds commands after "$ " and what they print; a ```python block followed by a
```text block prints that text. The blocks of a page share one empty directory, in which
`examples` leads to the examples of the repository. A block with "norun" after its language is
shown, not run.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
# The size of a packed record and wall-clock time differ from run to run.
_VARYING = (
    (re.compile(r"[\d,]+ bytes at [\d,]+"), "N bytes at N"),
    (re.compile(r"\([\d,]+ bytes\)"), "(N bytes)"),
    (re.compile(r"\b\d+:\d\d:\d\d\b"), "H:MM:SS"),
)


class Block(NamedTuple):
    """A fenced block: its language, the rest of that line, its text and where the text begins."""

    language: str
    info: str
    text: str
    start: int


class Run(NamedTuple):
    """A block that was run, its text as the page has it, and as it should be."""

    block: Block
    text: str


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(m[1], m[2].strip(), m[3], m.start(3)) for m in _FENCE.finditer(page)]


def run_page(page: str, directory: Path) -> Iterator[Run]:
    """Runs the blocks of a page in a directory; gives those whose text is output."""
    (directory / "examples").symlink_to(ROOT / "examples")
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = None
    for block in blocks(page):
        if block.language == "text" and printed is not None:
            yield Run(block, printed)
        printed = None
        if "norun" in block.info:
            continue
        if block.language == "console":
            yield Run(block, "".join(_console(block.text, directory)))
        elif block.language == "python":
            printed = _python(block.text, directory, names)


def _console(text: str, directory: Path) -> Iterator[str]:
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command = part.partition("\n")[0]
        environment = os.environ | {
            "COLUMNS": "100",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        done = subprocess.run(
            command, shell=True, cwd=directory, capture_output=True, text=True, env=environment
        )
        if done.returncode:
            raise RuntimeError(f"{command}: exit {done.returncode}\n{done.stderr}")
        output = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n")
        yield f"$ {command}\n" + (f"{output}\n\n" if output else "\n")


def _python(text: str, directory: Path, names: dict[str, Any]) -> str:
    before = Path.cwd()
    output = io.StringIO()
    os.chdir(directory)
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, "<docs>", "exec"), names)
    finally:
        os.chdir(before)
    return output.getvalue()


def comparable(text: str) -> list[str]:
    """The lines of a text, without what differs from run to run."""
    for pattern, name in _VARYING:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.strip().splitlines() if line.strip()]


def main(pages: list[str]) -> None:
    """Writes what the blocks print into the pages."""
    for name in pages:
        path = Path(name)
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as directory:
            runs = list(run_page(page, Path(directory)))
        for run in reversed(runs):
            if comparable(run.text) != comparable(run.block.text):
                start, end = run.block.start, run.block.start + len(run.block.text)
                page = page[:start] + run.text.rstrip("\n") + "\n" + page[end:]
                print(f"{name}: wrote {run.text.splitlines()[0]}")
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
