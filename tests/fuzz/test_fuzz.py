"""Hostile bytes: inputs that once failed, and a short search for new ones under sanitizers."""

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.build import LIBRARY, environment, is_possible
from fuzz.seeds import seeds
from fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
INPUTS = Path(__file__).parent / "inputs"  # a file TARGET-NAME each
RUNS = 400  # inputs: about a minute of CPU for all targets


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_inputs_that_once_failed(target: str) -> None:
    found = [path.read_bytes() for path in INPUTS.glob(f"{target}-*")]
    for data in (b"", b"\0", *found, *seeds(target)[:10]):
        TARGETS[target](data)


@pytest.mark.skipif(not is_possible(), reason="needs ziglang and atheris")
@pytest.mark.skipif(not LIBRARY.exists(), reason="needs the core under sanitizers: make test")
@pytest.mark.parametrize("target", TARGETS)
def test_new_inputs_under_sanitizers(target: str) -> None:
    line = [sys.executable, "-m", "fuzz", target, "--runs", str(RUNS)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{target} " in done.stdout


@pytest.mark.skipif(not is_possible(), reason="needs ziglang and atheris")
@pytest.mark.skipif(not LIBRARY.exists(), reason="needs the core under sanitizers: make test")
def test_the_sanitizers_are_in_use() -> None:
    code = (
        "import ctypes, toponaut.gate.simhash as core\n"
        "ctypes.CDLL(None).__asan_init\n"
        "print(core.__file__)"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(LIBRARY)
