"""Help, options and shell completion of all commands."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from toponaut.cli import app

# What each option is called everywhere, and the short name that goes with it.
SHORT = {"--output": "-o", "--quiet": "-q", "--format": "-f", "--limit": "-n"}
FORBIDDEN = {"--out", "--jobs", "--threads", "--silent", "--processes"}
NOT_JSON = {"demo", "mcp", "web serve"}  # they write a report, and serve


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(get_command(app)))


def toponaut(*arguments: str, **environment: str) -> str:
    line = [sys.executable, "-m", "toponaut", *arguments]
    done = subprocess.run(
        line, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout


def joined(text: str) -> str:
    return " ".join(text.split())


def test_the_overview_shows_every_summary_in_full_at_80_columns() -> None:
    shown = toponaut("--help", COLUMNS="80")
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("...") == 1  # [ARGS]...
    for command in get_command(app).commands.values():  # type: ignore[attr-defined]
        assert joined(command.short_help) in joined(shown)


@pytest.mark.parametrize("name", ["crawl", "export", "interests", "web"])
def test_help_is_not_cut_at_80_columns(name: str) -> None:
    shown = toponaut(name, "--help", COLUMNS="80")
    assert max(map(len, shown.splitlines())) <= 80
    assert not re.search(r"\w\.\.\.(\s|$)", shown.partition("\n")[2].replace("s3://...", ""))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(name: str) -> None:
    command = COMMANDS[name]
    summary = command.help.split("\n\n")[0]
    assert summary.endswith(".")
    assert summary[0].isupper()
    for parameter in command.params:
        if parameter.name not in ("help", "ctx"):
            assert getattr(parameter, "help", "x"), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_options_have_the_same_names_everywhere(name: str) -> None:
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert not options & FORBIDDEN
    for long, short in SHORT.items():
        assert (long in options) == (short in options), long
    assert "--json" in options or name in NOT_JSON


def test_bash_gets_a_completion_script() -> None:
    assert "_TOPONAUT_COMPLETE=complete_bash" in toponaut("--show-completion", "bash")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("toponaut cr", ["crawl"]),
        ("toponaut m", ["measure", "mentions", "mcp"]),
        ("toponaut web s", ["serve", "seeds"]),
    ],
)
def test_words_are_completed(words: str, completed: list[str]) -> None:
    asked = {"_TOPONAUT_COMPLETE": "complete_bash", "COMP_WORDS": words}
    shown = toponaut(**asked, COMP_CWORD=str(len(words.split()) - 1))
    assert shown.split() == completed


def test_the_version_needs_no_heavy_package() -> None:
    code = "import sys; from toponaut.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    heavy = ("pyarrow", "tantivy", "rich.console", "pandas", "toponaut.records")
    code += f"print([name for name in {heavy} if name in sys.modules])"
    line = [sys.executable, "-c", code, "--version"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["[]"]
