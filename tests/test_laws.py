"""The laws of the architecture that imports can break."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import toponaut

SOURCE = Path(toponaut.__file__).parent
# Pure: no I/O, no clock, no chance, no threads of their own. What needs them is handed in.
PURE = (
    "page/parse", "page/judge.py", "places", "gate", "strategy/ordering",
    "strategy/collaboration", "strategy/setting.py", "strategy/__init__.py",
    "strategy/learning/log_odds.py", "strategy/learning/rocchio.py", "measures", "job",
    "watch/schedule.py", "watch/change_rate.py", "watch/importance.py", "watch/facts.py",
    "watch/signs.py", "watch/history.py", "watch/changes.py", "urls.py", "records.py",
)  # fmt: skip
# Reads data packages and files to compile the gazetteer; asks the clocks whether a host is dead.
NOT_PURE = ("places/gazetteer", "gate/gate.py")
FORBIDDEN = {
    "aiohttp", "asyncio", "concurrent", "datetime", "http", "io", "logging", "mmap",
    "multiprocessing", "os", "pathlib", "platformdirs", "random", "requests", "rich", "secrets",
    "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile",
    "threading", "time", "typer", "urllib.request", "urllib3", "uuid", "toponaut.cli",
    "toponaut.places.gazetteer.cache", "toponaut.places.gazetteer.sources", "toponaut.web",
}  # fmt: skip
# The synthetic web knows the truth. The crawl may use it like any other web, through its public
# names only; its modules are for the web itself, and for commands that show it or pass its truth to
# the measures.
DOOR = "toponaut.synthetic"
INSIDE = {f"{DOOR}.{path.stem}" for path in (SOURCE / "synthetic").glob("*.py")} - {
    f"{DOOR}.__init__"
}
MAY_SEE_TRUTH = ("synthetic", "cli", "api")
MAY_CRAWL_IT = ("synthetic", "cli", "api", "crawl")


def modules() -> Iterator[Path]:
    return (path for path in sorted(SOURCE.rglob("*.py")))


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def is_pure(path: Path) -> bool:
    inside = path.relative_to(SOURCE)
    return any(inside.is_relative_to(one) for one in PURE) and not any(
        inside.is_relative_to(one) for one in NOT_PURE
    )


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute, so that this test can read them"
            module = node.module or ""
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def breaches(path: Path, forbidden: set[str]) -> set[str]:
    return {
        name
        for name in imports(path)
        for bad in forbidden
        if name == bad or name.startswith(f"{bad}.")
    }


@pytest.mark.parametrize(
    "path", [path for path in modules() if is_pure(path)], ids=lambda p: p.name
)
def test_the_middle_is_pure(path: Path) -> None:
    assert breaches(path, FORBIDDEN) == set()
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "print", "input"}


@pytest.mark.parametrize(
    "path", [path for path in modules() if room(path) not in MAY_SEE_TRUTH], ids=lambda p: p.name
)
def test_the_crawler_cannot_see_the_truth(path: Path) -> None:
    assert breaches(path, INSIDE) == set()


@pytest.mark.parametrize(
    "path", [path for path in modules() if room(path) not in MAY_CRAWL_IT], ids=lambda p: p.name
)
def test_a_node_does_not_know_which_web_it_crawls(path: Path) -> None:
    assert breaches(path, {DOOR}) == set()


@pytest.mark.parametrize("path", list(modules()), ids=lambda p: p.name)
def test_nothing_is_global(path: Path) -> None:
    """No `global` statement, and ray in one folder only."""
    assert not any(
        isinstance(node, ast.Global)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    assert path.parent.name == "cluster" or breaches(path, {"ray"}) == set()


def test_the_law_bites() -> None:
    """The check itself finds a breach, so that it cannot rot into one that never fails."""
    assert breaches(SOURCE / "places" / "gazetteer" / "cache.py", FORBIDDEN) >= {
        "os",
        "platformdirs",
    }
    assert breaches(SOURCE / "api" / "truth.py", INSIDE) >= {f"{DOOR}.truth"}
    assert breaches(SOURCE / "crawl" / "webs.py", {DOOR}) >= {f"{DOOR}.SyntheticWeb"}
