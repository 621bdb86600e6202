"""MkDocs hook: writes the reference pages from the code, so that they cannot be out of date.

Commands come from typer, job keys from their one definition, the HTTP API from its OpenAPI
description, the Python API from docstrings (mkdocstrings reads them).
"""

from collections.abc import Iterator
from typing import Any

import click
import typer.main
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import toponaut
from toponaut.app.openapi import description
from toponaut.app.server import ENDPOINTS
from toponaut.cli import app
from toponaut.job.writing import keys


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages to those in docs/."""
    pages = {"commands": commands, "job": job_keys, "http": http_api, "python": python_api}
    for name, lines in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(lines())))
    return files


def commands() -> Iterator[str]:
    """Every command with its help text and options."""
    yield "# Commands\n"
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    yield from _group(root, click.Context(root, info_name="toponaut"))


def _group(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in sorted(group.commands):
        command = group.commands[name]
        inner = click.Context(command, parent=context, info_name=name)
        if isinstance(command, click.Group):
            yield from _group(command, inner)
        else:
            yield from _command(command, inner)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n"
    yield "```text\n" + command.get_help(context).replace("\b\n", "") + "\n```\n"


def job_keys() -> Iterator[str]:
    """Every key of a job file with its type, default and meaning."""
    yield "# Job file\n"
    yield "A job is one TOML file. `toponaut job --example` prints one with every key.\n"
    section = None
    for key in keys():
        if key.section != section:
            section = key.section
            yield f"\n## {f'[{section}]' if section else 'Top level'}\n\n{key.about_section}\n"
            yield "| key | type | default | meaning |\n|---|---|---|---|"
        cells = (f"`{key.name}`", key.type, f"`{key.default}`", key.description)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def http_api() -> Iterator[str]:
    """Every path of the HTTP API with its parameters."""
    yield "# HTTP API\n"
    yield "`toponaut serve` answers these; `/openapi.json` is the same for programs.\n"
    for path, methods in description(ENDPOINTS)["paths"].items():
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n\n{operation.get('summary', '')}\n"
            yield from _parameters(operation.get("parameters", ()))


def _parameters(parameters: list[dict[str, Any]]) -> Iterator[str]:
    if parameters:
        yield "| parameter | type | meaning |\n|---|---|---|"
    for one in parameters:
        kind = one["schema"].get("type", "")
        yield f"| `{one['name']}` | {kind} | {one.get('description', '')} |"
    yield ""


def python_api() -> Iterator[str]:
    """What `import toponaut` offers."""
    yield "# Python\n\n::: toponaut\n    options:\n      members: false\n"
    for name in toponaut.__all__:
        if not name.startswith("__"):
            yield f"::: toponaut.{name}\n"
