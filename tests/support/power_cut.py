"""A power cut, as a crawl meets it: whatever was not synced may be gone.

`record` keeps in a folder `shadow` what a disk would certainly have of the folder `disk`: the
content of each file when it was last synced (fsync, fdatasync, or flush of a map), and the names in
each directory when that was. All of it goes by inode, because a name is safe only by its directory
and a content only by its file. What is there at the beginning counts as safe. When the process has
been killed, by itself after so many syncs (0: never) or by others, `cut` leaves in `disk` what the
power would have left.

The rules are POSIX's, which promise less than any file system keeps; but a rename is done or not
done, as on all of them.
"""

import json
import mmap
import os
import random
import shutil
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

_READY = "ready"


def record(shadow: Path, disk: Path, syncs: int) -> None:
    """Record this process from now on."""
    recorder = _Recorder(shadow)
    recorder.take_all(disk)
    recorder.left = syncs
    os.fsync = recorder.recording(os.fsync)  # type: ignore[assignment]
    os.fdatasync = recorder.recording(os.fdatasync)  # type: ignore[assignment]
    mmap.mmap = recorder.recording_map()  # type: ignore[misc]


class _Recorder:
    """Keeps the data that a power cut cannot destroy."""

    def __init__(self, shadow: Path) -> None:
        shutil.rmtree(shadow, ignore_errors=True)
        shadow.mkdir()
        self._shadow = shadow
        self.left = 0  # syncs, to the last; 0: there is no last one
        self._one = threading.Lock()
        self._pinned: dict[
            int, int
        ] = {}  # open files: as long as they are, their inodes are not given to others

    def take_all(self, disk: Path) -> None:
        for path in (disk, *disk.rglob("*")):
            descriptor = os.open(path, os.O_RDONLY)
            self._keep(descriptor, lambda _: None)
            os.close(descriptor)
        (self._shadow / _READY).touch()

    def recording(self, sync: Callable[[Any], None]) -> Callable[[Any], None]:
        def recorded(file: Any) -> None:
            self._keep(file if isinstance(file, int) else file.fileno(), sync)

        return recorded

    def recording_map(self) -> type[mmap.mmap]:
        keep = self._keep

        class RecordedMap(mmap.mmap):
            _file: int

            def __new__(cls, fileno: int, *arguments: Any, **named: Any) -> Self:
                made = super().__new__(cls, fileno, *arguments, **named)
                made._file = os.dup(fileno) if fileno >= 0 else -1
                return made

            def flush(self, *arguments: int) -> None:
                keep(self._file, lambda _: super(RecordedMap, self).flush(*arguments))

        return RecordedMap

    def _keep(self, descriptor: int, sync: Callable[[int], None]) -> None:
        """Everything present when the sync began is safe when it returns."""
        with self._one:
            about = os.fstat(descriptor)
            inode = about.st_ino
            draft = self._shadow / "draft"
            if stat.S_ISDIR(about.st_mode):
                draft.write_text(
                    json.dumps({entry.name: entry.inode() for entry in os.scandir(descriptor)})
                )
                kind = "names"
            else:
                draft.write_bytes(Path(f"/proc/self/fd/{descriptor}").read_bytes())
                kind = "content"
            sync(descriptor)
            if inode not in self._pinned:
                self._pinned[inode] = os.dup(descriptor)
            draft.replace(self._shadow / f"{inode}.{kind}")
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def cut(disk: Path, shadow: Path, rng: random.Random) -> None:
    """Leave in `disk` what a power cut might: all safe data, and none or some of the rest."""
    if not (shadow / _READY).exists():
        return  # killed before it could change anything
    before = disk.with_name(f"{disk.name}.before")
    shutil.rmtree(before, ignore_errors=True)
    disk.rename(before)
    _Cut(before, shadow, rng, chance=rng.choice((0.0, 0.0, 0.0, 0.5))).directory(
        before.stat().st_ino, disk
    )
    shutil.rmtree(shadow)


class _Cut:
    def __init__(self, before: Path, shadow: Path, rng: random.Random, chance: float) -> None:
        self._shadow = shadow
        self._rng = rng
        self._chance = chance  # that what is not safe is there nevertheless
        self._now = {path.lstat().st_ino: path for path in (before, *before.rglob("*"))}

    def directory(self, inode: int, target: Path) -> None:
        target.mkdir()
        for name, found in sorted(self._names(inode).items()):
            path = self._now.get(found)
            if (self._shadow / f"{found}.names").exists() or (path and path.is_dir()):
                self.directory(found, target / name)
            else:
                (target / name).write_bytes(self._content(found))

    def _names(self, inode: int) -> dict[str, int]:
        """The names of a directory: the safe ones, and each later change made or not."""
        noted = self._shadow / f"{inode}.names"
        safe: dict[str, int] = json.loads(noted.read_text()) if noted.exists() else {}
        path = self._now.get(inode)
        now = {entry.name: entry.inode() for entry in os.scandir(path)} if path else {}
        names = dict(safe)
        made: dict[int, bool] = {}  # by inode, so that both names of a rename have the same fate
        for name in sorted(safe.keys() | now.keys()):
            old, new = safe.get(name), now.get(name)
            if old == new:
                continue
            moved = new if new is not None else old
            assert moved is not None
            if made.setdefault(moved, self._rng.random() < self._chance):
                names.pop(name, None)
                if new is not None:
                    names[name] = new
        return names

    def _content(self, inode: int) -> bytes:
        """The content that is safe, or it with a part of what came since, or with as many zeros."""
        noted = self._shadow / f"{inode}.content"
        safe = noted.read_bytes() if noted.exists() else b""
        path = self._now.get(inode)
        if path is None or self._rng.random() >= self._chance:
            return safe
        now = path.read_bytes()
        if not now.startswith(safe):
            return now
        more = now[len(safe) : self._rng.randint(len(safe), len(now))]
        return safe + (more if self._rng.random() < 0.7 else bytes(len(more)))
