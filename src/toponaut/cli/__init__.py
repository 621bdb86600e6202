"""The verbs. Each command reads its input, calls one thing and prints the result; `--json` prints one object a line."""

import inspect
import re
import sys
from collections.abc import Callable
from textwrap import dedent, indent
from typing import Annotated

import typer

from toponaut import __version__
from toponaut.cli import (
    adopting,
    comparing,
    crawling,
    data,
    exporting,
    interests,
    measuring,
    reading,
    searching,
    serving,
    training,
    web,
)
from toponaut.errors import InputError
from toponaut.kernels import COMPILED

app = typer.Typer(
    help="A geographically focused, collaborative web crawler with a geo-referenced search index.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _help(command: Callable[..., None]) -> str:
    """A command's docstring. Its examples keep their lines: "\\b" tells click not to fill them like a paragraph."""
    told, *examples = re.split(
        r"\n\n(?=\s*(?:toponaut|echo) )", inspect.cleandoc(command.__doc__ or "")
    )
    return "\n\n".join([told, *("\b\n" + indent(dedent(example), "  ") for example in examples)])


for command in (
    *crawling.COMMANDS, *adopting.COMMANDS, *measuring.COMMANDS, *comparing.COMMANDS, *reading.COMMANDS, *searching.COMMANDS, *exporting.COMMANDS, *serving.COMMANDS, *training.COMMANDS,
):  # fmt: skip
    app.command(help=_help(command))(command)

for group in (data, interests, web):
    verbs = typer.Typer(help=group.ABOUT, no_args_is_help=True, rich_markup_mode=None)
    for command in group.COMMANDS:
        verbs.command(help=_help(command))(command)
    app.add_typer(verbs, name=group.__name__.rpartition(".")[2])


def main() -> None:
    """The entry point: bad input ends with one line and exit code 2, a closed pipe or Ctrl-C quietly."""
    try:
        app()
    except InputError as error:
        print(f"toponaut: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone (`| head`): nothing left to say
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"toponaut {__version__} (kernels: {'compiled' if COMPILED else 'numpy'})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Geographically focused crawling: places, addresses, maps."""
