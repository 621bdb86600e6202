"""MkDocs hook: writes the reference pages from the code, so that they cannot be out of date.

Commands come from typer, job keys from their one definition, the HTTP API from its OpenAPI
description, the Python API from docstrings (mkdocstrings reads them).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.main import get_command

import toponaut
from toponaut.cli import app
from toponaut.job.writing import job_keys


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages to those in docs/."""
    pages = {"commands": commands, "job": job_file, "http": http_api, "python": python_api}
    for name, lines in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(lines())))
    return files


def commands() -> Iterator[str]:
    """Every command with its help text and options."""
    yield "# Commands\n"
    root: Any = get_command(app)
    yield from _group(root, root.context_class(root, info_name="toponaut"))


def _group(group: Any, context: Any) -> Iterator[str]:
    for name, command in sorted(group.commands.items()):
        inner = command.context_class(command, parent=context, info_name=name)
        if hasattr(command, "commands"):
            yield from _group(command, inner)
        else:
            yield f"## {inner.command_path}\n"
            yield "```text\n" + command.get_help(inner).replace("\b\n", "") + "\n```\n"


def job_file() -> Iterator[str]:
    """Every key of a job file with its type, default and meaning."""
    yield "# Job file\n"
    yield "A job is one TOML file. `toponaut job --example` prints one with every key.\n"
    section = None
    for key in job_keys():
        if key.section != section:
            section = key.section
            yield f"\n## {f'[{section}]' if section else 'Top level'}\n"
            yield "| key | type | default | meaning |\n|---|---|---|---|"
        cells = (f"`{key.key}`", key.type, f"`{key.default}`", key.description)
        yield f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(cell: str) -> str:
    """Text for a table of Markdown: neither a border nor a link."""
    return cell.replace("|", "\\|").replace("[", "\\[")


def http_api() -> Iterator[str]:
    """Every path of the HTTP API with its parameters."""
    yield "# HTTP API\n"
    yield "`toponaut serve` answers these; `/openapi.json` is the same for programs.\n"
    for path, methods in _openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n\n{operation.get('summary', '')}\n"
            yield from _parameters(operation.get("parameters", ()))


def _openapi() -> dict[str, Any]:
    """What a server of the example crawl says about itself."""
    example = Path(__file__).parents[1] / "examples" / "oldenburg"
    with tempfile.TemporaryDirectory() as folder:
        toponaut.crawl(example / "job.toml", folder + "/crawl", replay=example)
        command = [sys.executable, "-m", "toponaut", "serve", f"{folder}/crawl", "--port", "0"]
        with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            with urlopen(f"{url.partition('?')[0].rstrip('/')}/openapi.json") as answer:
                described: dict[str, Any] = json.load(answer)
            server.terminate()
    return described


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
