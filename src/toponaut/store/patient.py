"""A store that retries: a network failure of some minutes must not end a crawl of weeks."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.store import Store

Result = TypeVar("Result")

PATIENCE_S = 300.0  # the node continues meanwhile, on its own disk
_PAUSES_S = (0.2, 1.0, 5.0, 15.0)  # after each failure; the last one repeats


class PatientStore:
    """Retries all operations of a store; raises InputError if they still fail after `seconds`."""

    def __init__(self, store: "Store", seconds: float = PATIENCE_S) -> None:
        self._store, self._seconds = store, seconds

    @property
    def where(self) -> str:
        return self._store.where

    def subfolder(self, folder: str) -> "PatientStore":
        return PatientStore(self._store.subfolder(folder), self._seconds)

    def create(self, name: str, content: bytes) -> bool:
        return self._retry(lambda: self._store.create(name, content))

    def write(self, name: str, content: bytes) -> None:
        self._retry(lambda: self._store.write(name, content))

    def put(self, name: str, file: Path) -> None:
        self._retry(lambda: self._store.put(name, file))

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        return self._retry(lambda: self._store.read(name, start, end))

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        with ExitStack() as stack:
            yield self._retry(lambda: stack.enter_context(self._store.opened(name)))

    def exists(self, name: str) -> bool:
        return self._retry(lambda: self._store.exists(name))

    def names(self, folder: str = "") -> Mapping[str, int]:
        return self._retry(lambda: self._store.names(folder))

    def remove(self, name: str) -> None:
        self._retry(lambda: self._store.remove(name))

    def _retry(self, act: Callable[[], Result]) -> Result:
        until, turn = time.monotonic() + self._seconds, 0
        while True:
            try:
                return act()
            except FileNotFoundError:
                raise  # a valid result
            except OSError as error:
                pause = _PAUSES_S[min(turn, len(_PAUSES_S) - 1)]
                if time.monotonic() + pause > until:
                    raise InputError(
                        f"the storage at {self.where} has failed for {self._seconds:.0f} s: "
                        f"{error.strerror or error}",
                        "Nothing already written there is lost. Fix it and repeat the command",
                    ) from error
                time.sleep(pause)
                turn += 1
