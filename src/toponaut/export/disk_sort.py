"""Sorts more than fits into memory, in a temporary SQLite database that disappears with the
process.

It is in memory up to the size of its cache, then in the folder for temporary files (TMPDIR).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from toponaut.errors import InputError

_CACHE_KB = 32_000
_BATCH = 1000  # items inserted at once


class DiskSort:
    """Takes items with keys; yields them in the order of the keys' bytes. The sort is stable."""

    def __init__(self) -> None:
        with _sqlite_errors():
            self._database = sqlite3.connect("", isolation_level=None)
            self._database.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            self._database.execute("PRAGMA temp_store = FILE")
            self._database.execute("PRAGMA journal_mode = OFF")
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute("CREATE TABLE kept (key BLOB, item BLOB)")
            self._database.execute("BEGIN")
        self._waiting: list[tuple[bytes, bytes]] = []
        self.count = 0

    def add(self, key: bytes, item: bytes) -> None:
        self._waiting.append((key, item))
        self.count += 1
        if len(self._waiting) >= _BATCH:
            self._write()

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        self._write()
        with _sqlite_errors():
            rows = self._database.execute("SELECT key, item FROM kept ORDER BY key, rowid")
            # Not from the cursor itself: closing it for a reader that stops early fails after the
            # database.
            yield from iter(rows.fetchone, None)

    def _write(self) -> None:
        with _sqlite_errors():
            self._database.executemany("INSERT INTO kept VALUES (?, ?)", self._waiting)
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()


@contextmanager
def _sqlite_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        fix = "Make room there, or name another folder in TMPDIR"
        raise InputError(f"the folder for temporary files cannot be used ({error})", fix) from error
