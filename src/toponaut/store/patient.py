"""Storage that is asked again when it fails: what a network does for some minutes is not to end a crawl of weeks."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.store import Store

Result = TypeVar("Result")

PATIENCE_S = 300.0  # a node crawls on meanwhile, on its own disk
_PAUSES_S = (0.2, 1.0, 5.0, 15.0)  # after the first failure, the second, ...; then always the last


class Patient:
    """The same storage. What still fails after so long is an InputError, with cause and cure."""

    def __init__(self, store: "Store", seconds: float = PATIENCE_S) -> None:
        self._store, self._seconds = store, seconds

    @property
    def where(self) -> str:
        return self._store.where

    def at(self, folder: str) -> "Patient":
        return Patient(self._store.at(folder), self._seconds)

    def create(self, name: str, content: bytes) -> bool:
        return self._again(lambda: self._store.create(name, content))

    def write(self, name: str, content: bytes) -> None:
        self._again(lambda: self._store.write(name, content))

    def put(self, name: str, file: Path) -> None:
        self._again(lambda: self._store.put(name, file))

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        return self._again(lambda: self._store.read(name, start, end))

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        with ExitStack() as stack:
            yield self._again(lambda: stack.enter_context(self._store.opened(name)))

    def exists(self, name: str) -> bool:
        return self._again(lambda: self._store.exists(name))

    def names(self, folder: str = "") -> Mapping[str, int]:
        return self._again(lambda: self._store.names(folder))

    def remove(self, name: str) -> None:
        self._again(lambda: self._store.remove(name))

    def _again(self, act: Callable[[], Result]) -> Result:
        until, turn = time.monotonic() + self._seconds, 0
        while True:
            try:
                return act()
            except FileNotFoundError:
                raise  # an answer
            except OSError as error:
                pause = _PAUSES_S[min(turn, len(_PAUSES_S) - 1)]
                if time.monotonic() + pause > until:
                    cause = f"the storage at {self.where} has failed for {self._seconds:.0f} s: {error.strerror or error}"
                    cure = "Nothing that was written there is lost. Mend it and give the same command again"
                    raise InputError(cause, cure) from error
                time.sleep(pause)
                turn += 1
