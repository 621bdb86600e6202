"""Kernels compiled from older sources are not used."""

import os
from pathlib import Path

import pytest

from toponaut.kernels import is_stale


@pytest.mark.parametrize("newer", ["flow.c", "kernels.h"])
def test_a_newer_source_makes_the_library_stale(tmp_path: Path, newer: str) -> None:
    library = tmp_path / "_compiled.so"
    for file in (tmp_path / "flow.c", tmp_path / "kernels.h", tmp_path / "__init__.py", library):
        file.touch()
        os.utime(file, (1000, 1000))
    os.utime(tmp_path / "__init__.py", (2000, 2000))
    assert not is_stale(library)
    os.utime(tmp_path / newer, (2000, 2000))
    assert is_stale(library)


def test_a_library_without_sources_is_never_stale(tmp_path: Path) -> None:
    (tmp_path / "_compiled.so").touch()
    assert not is_stale(tmp_path / "_compiled.so")
