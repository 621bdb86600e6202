"""`import toponaut`: what it offers, and that it is cheap."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import toponaut

ROOMS = ("toponaut.crawl.", "toponaut.extract.", "toponaut.places.")
HEAVY = ("asyncio", "msgspec", "numpy", "pandas", "pyarrow", "rich", "tantivy", "typer")


def test_all_lists_everything_that_is_public() -> None:
    private = {"TYPE_CHECKING", "import_module"}
    rooms = {name for name in dir(toponaut) if inspect.ismodule(getattr(toponaut, name))}
    visible = {name for name in dir(toponaut) if not name.startswith("_")} - rooms - private
    lazy = {"Address", "Job", "Mention", "Place", "Seed", "city"}
    assert set(toponaut.__all__) == visible | lazy | {"__version__"}
    assert toponaut.__all__ == sorted(toponaut.__all__)


@pytest.mark.parametrize("name", toponaut.__all__)
def test_everything_is_there_and_documented(name: str) -> None:
    offered = getattr(toponaut, name)
    assert isinstance(offered, str) or inspect.getdoc(offered)
    if inspect.isfunction(offered):
        assert "return" in inspect.get_annotations(offered)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        toponaut.nothing  # noqa: B018


def test_public_methods_are_documented() -> None:
    for kind in (toponaut.Crawl, toponaut.Records):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name in vars(kind):
                assert method.__doc__, name


def test_the_import_is_cheap() -> None:
    code = f"import sys, toponaut; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_rooms_named_like_functions_are_not_imported_by_dotted_name() -> None:
    """`import toponaut.crawl.run as run` fails, because toponaut.crawl is a function."""
    root = Path(toponaut.__file__).parents[2]
    for folder in ("src", "tests", "bench", "tools"):
        for path in (root / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                assert not any(name.startswith(ROOMS) for name in names), path


@pytest.mark.parametrize("room", ["crawl.start", "places.scope"])
def test_rooms_do_not_replace_the_functions_of_their_name(room: str) -> None:
    name = room.split(".")[0]
    code = f"import toponaut\nimport toponaut.{room}\nprint(callable(toponaut.{name}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
