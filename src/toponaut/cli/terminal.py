"""How commands read and print: tables for people, a JSON object a line for programs."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from toponaut.errors import InputError

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")]


def crawl_at(where: str) -> Path:
    """The directory of a crawl that a user has named; of one that is kept elsewhere (s3://...), that of its mirror."""
    if "://" not in where:
        return Path(where)
    from toponaut.store.mirror import local_root

    return local_root(where)


Crawled = Annotated[
    Path,
    typer.Argument(
        help="The directory of a crawl, or its URL (s3://...).",
        parser=crawl_at,
        metavar="directory",
    ),
]


def print_json(value: object) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def print_table(table: Table) -> None:
    """As wide as the terminal; into a pipe as wide as it needs to be."""
    console = Console(soft_wrap=False) if sys.stdout.isatty() else Console(width=200)
    if table.row_count:
        console.print(table)
    else:
        print("nothing found")


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text", "Save it as UTF-8") from error
