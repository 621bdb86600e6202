"""A wheel, installed in a new environment elsewhere, offers the Python API and the command."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "oldenburg"
NEEDED = ("src", "build_backend", "pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE.md")
PROGRAM = """
import sys, toponaut
from pathlib import Path

example = Path(sys.argv[1])
print(toponaut.__file__)
print(toponaut.extract("221 Lamar Ave, Paris, TX 75460")[0].normal)
print(toponaut.places("Glendale, AZ")[0].admin1)
toponaut.crawl(example / "job.toml", "crawl", replay=example, workers=1)
crawl = toponaut.open("crawl")
print(len(crawl.addresses()))
print(crawl.search("pizzeria in oldenburg")[0].organisation)
"""


def run(*line: str | Path, cwd: Path) -> str:
    """A command that knows nothing of this tree."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["CFLAGS"] = "-O0"  # compiles the core in seconds
    done = subprocess.run(
        list(map(str, line)), cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel; its dependencies are those of this one."""
    tree = tmp_path_factory.mktemp("wheel")
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=leave)
        else:
            shutil.copy(source, tree / name)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "-w", "dist", cwd=tree)
    (wheel,) = (tree / "dist").glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=tree)
    python = tree / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tree)
    (site,) = (tree / "venv").glob("lib/*/site-packages")
    here = sysconfig.get_path("purelib")
    (site / "dependencies.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    shutil.rmtree(tree / "src")
    return python


def test_the_api_of_an_installed_wheel(python: Path, tmp_path: Path) -> None:
    where, *shown = run(python, "-c", PROGRAM, EXAMPLE, cwd=tmp_path).splitlines()
    assert Path(where).is_relative_to(python.parents[1])
    assert shown == ["221 lamar avenue, 75460, us", "AZ", "4", "Pizzeria Vesuvio"]


def test_the_command_of_an_installed_wheel(python: Path, tmp_path: Path) -> None:
    command = python.parent / "toponaut"
    assert run(command, "--version", cwd=tmp_path).startswith("toponaut ")
    shown = run(command, "places", "Oldenburg, DE", "--json", cwd=tmp_path)
    assert '"name":"Oldenburg"' in shown


def test_the_wheel_is_typed_and_has_its_data(python: Path, tmp_path: Path) -> None:
    code = "import toponaut; print(toponaut.__path__[0])"
    package = Path(run(python, "-c", code, cwd=tmp_path).strip())
    assert (package / "py.typed").is_file()
    assert (package / "app" / "static" / "index.html").is_file()
    assert list((package / "places" / "gazetteer" / "tables").glob("*.tsv.gz"))
