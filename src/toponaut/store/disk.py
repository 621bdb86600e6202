"""Durable file names: a file's name survives a power cut only once its directory is synced."""

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Syncs the names in a directory. Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(directory: Path) -> None:
    """Creates a directory and its parents, durably."""
    if not directory.is_dir():
        make_directory(directory.parent)
        directory.mkdir(exist_ok=True)
        sync_directory(directory.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file atomically and durably."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_directory(path.parent)
