"""A wheel, installed in a new environment elsewhere, offers the Python API and the command."""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "oldenburg"
# With the core as it was translated to C before, which takes longer than compiling it.
NEEDED = (
    "src", "build/cython", "build_backend", "pyproject.toml", "setup.py", "README.md", "LICENSE",
    "NOTICE.md",
)  # fmt: skip
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
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


def run(*line: str | Path, cwd: Path, **more: str) -> str:
    """A command that knows nothing of this tree."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "CC")
    }
    environment |= {"CFLAGS": "-O0", **more}  # -O0 compiles the core in seconds
    done = subprocess.run(
        list(map(str, line)), cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_sources(tree: Path) -> None:
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=leave)
        else:
            shutil.copy(source, tree / name)


def build_wheel(tree: Path, **more: str) -> None:
    """Builds into `dist`, with the packages of this environment."""
    run(*PIP, "wheel", ".", "--no-deps", "--no-build-isolation", "-w", "dist", cwd=tree, **more)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel; its dependencies are those of this one."""
    tree = tmp_path_factory.mktemp("wheel")
    copy_sources(tree)
    build_wheel(tree)
    (wheel,) = (tree / "dist").glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=tree)
    python = tree / "venv" / "bin" / "python"
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tree)
    (site,) = (tree / "venv").glob("lib/*/site-packages")
    here = sysconfig.get_path("purelib")
    (site / "dependencies.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    shutil.rmtree(tree / "src")
    return python


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs ziglang")
def test_a_machine_without_a_compiler_builds_with_zig(tmp_path: Path) -> None:
    """Build requirements are checked apart, so that nothing is downloaded."""
    copy_sources(tmp_path)
    code = "import toponaut_build as build; print(build.get_requires_for_build_wheel())"
    bare = {"PATH": "", "PYTHONPATH": "build_backend"}
    assert "ziglang" in run(sys.executable, "-c", code, cwd=tmp_path, **bare).splitlines()[-1]
    build_wheel(tmp_path, PATH="")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with ZipFile(wheel) as files:
        libraries = [name for name in files.namelist() if name.endswith(".so")]
        files.extractall(tmp_path / "installed")
    assert libraries
    names = [name.partition(".")[0].replace("/", ".") for name in libraries]
    code = f"import {', '.join(names)}; print({names[0]}.__file__)"
    shown = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    assert Path(shown.strip()).is_relative_to(tmp_path / "installed")


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
