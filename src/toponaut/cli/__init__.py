"""The commands: thin layers over the Python API (`toponaut.api`), with tables or JSON as output."""

import gc
import inspect
import re
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from textwrap import dedent, indent
from typing import Annotated

import typer
from typer import Option

from toponaut import __version__
from toponaut.cli import (
    comparing,
    crawling,
    data,
    exporting,
    integrating,
    learning,
    measuring,
    operating,
    reading,
    searching,
    seeding,
    serving,
    verifying,
    watching,
    web,
)  # fmt: skip
from toponaut.errors import InputError

app = typer.Typer(
    help="A geographically focused, collaborative web crawler with a geo-referenced search index.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# New objects between two searches for garbage. What a command imports is none: with Python's
# default of 700 the searches take a tenth of the imports' time.
_NEW_OBJECTS = 50_000
_NOT_COMPILED = (
    "The core is not compiled for this Python. Reinstall toponaut; in a checkout, run `make setup`."
)
_EXAMPLE = re.compile(r"\s*(?:toponaut|echo) ")
_GROUPS = {
    "interests": (learning.INTERESTS, learning.INTERESTS_COMMANDS),
    "data": (data.ABOUT, data.COMMANDS),
    "web": (web.ABOUT, web.COMMANDS),
}


def _add(commands: typer.Typer, command: Callable[..., None]) -> None:
    """Adds a command. Its docstring is the help; the first paragraph is its line in the list.

    Examples keep their lines: "\\b" keeps click from filling them like a paragraph. The list would
    cut a line that click derives from the help, so it is given.
    """
    first, *others = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    shown = ["\b\n" + indent(dedent(one), "  ") if _EXAMPLE.match(one) else one for one in others]
    summary = " ".join(first.split()).removesuffix(".")
    commands.command(help="\n\n".join([first, *shown]), short_help=summary)(command)


_MODULES = (
    seeding, crawling, watching, operating, searching, exporting, serving, verifying, measuring,
    comparing, reading, learning, integrating,
)  # fmt: skip
for _module in _MODULES:
    for _command in _module.COMMANDS:
        _add(app, _command)

for _name, (_about, _commands) in _GROUPS.items():
    _group = typer.Typer(help=_about, no_args_is_help=True, rich_markup_mode=None)
    for _command in _commands:
        _add(_group, _command)
    app.add_typer(_group, name=_name, short_help=_about.removesuffix("."))


def main() -> None:
    """Runs a command. Bad input exits with one line and code 2, a missing core with code 1."""
    gc.set_threshold(_NEW_OBJECTS)
    try:
        app(prog_name="toponaut")  # also for `python -m toponaut`: completion depends on the name
    except InputError as error:
        print(f"toponaut: {error}", file=sys.stderr)
        sys.exit(2)
    except ImportError:
        if _is_compiled():
            raise
        print(f"toponaut: {_NOT_COMPILED}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone (`| head`): nothing left to say
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if "duckdb" not in sys.modules:  # it prints what was not freed
            gc.freeze()  # the process ends: looking for garbage would take 0.1 s


def _is_compiled() -> bool:
    """Whether this Python finds libraries for the modules of the core. Imports none."""
    module = find_spec("toponaut.gate.simhash")
    return module is not None and str(module.origin).endswith(tuple(EXTENSION_SUFFIXES))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"toponaut {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        Option("--version", help="Print the version and exit.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Geographically focused crawling: places, addresses, maps."""
