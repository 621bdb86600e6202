"""Names that survive a power cut: a file's name is on disk only when its directory is."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory safe. Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(directory: Path) -> None:
    """A directory whose own name, and its parents', are safe."""
    if not directory.is_dir():
        make_directory(directory.parent)
        directory.mkdir(exist_ok=True)
        sync_directory(directory.parent)
