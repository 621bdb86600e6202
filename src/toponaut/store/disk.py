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


def write_whole(path: Path, content: bytes) -> None:
    """A file that is there with all its content, or as it was before."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_directory(path.parent)
