"""Strategies by name. Built-in ones and plug-ins are both registered as Python entry points.

A package that declares

    [project.entry-points."toponaut.orderings"]
    loudest = "my_package:build"

adds the ordering "loudest"; `build` takes a Setting and returns an Ordering.
docs/how-to/write-a-strategy.md has a complete example. Orderings may also come from files that the
user names (plugin_files.py).
"""

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeVar

from toponaut.errors import InputError
from toponaut.strategy.collaboration import Collaboration
from toponaut.strategy.ordering import Ordering
from toponaut.strategy.plugin_files import broken, build_of, plugin_files
from toponaut.strategy.setting import Setting

_S = TypeVar("_S")
ORDERINGS, COLLABORATIONS = "toponaut.orderings", "toponaut.collaborations"


def ordering_of(setting: Setting) -> Ordering:
    """The ordering that the job names."""
    name = setting.job.ordering.strategy
    if path := plugin_files().get(name):
        return _built_by_file(path, setting)
    return _built("ordering", ORDERINGS, name, setting, Ordering)  # type: ignore[type-abstract]


def collaboration_of(setting: Setting) -> Collaboration:
    """The collaboration that the job names."""
    name = setting.job.collaboration.strategy
    return _built("collaboration", COLLABORATIONS, name, setting, Collaboration)  # type: ignore[type-abstract]


def installed(group: str) -> frozenset[str]:
    """The installed strategies of a group."""
    return frozenset(entry_points(group=group).names)


def names(group: str) -> list[str]:
    """The same, and those in files that the user named."""
    return sorted(installed(group).union(plugin_files() if group == ORDERINGS else ()))


def _built_by_file(path: Path, setting: Setting) -> Ordering:
    try:
        ordering = build_of(path)(setting)
        if not isinstance(ordering, Ordering):
            raise TypeError(f"build returned a {type(ordering).__name__}, not an Ordering")
    except InputError:
        raise
    except Exception as error:  # the user's code
        raise broken(path, error) from error
    return ordering


def _built(kind: str, group: str, name: str, setting: Setting, wanted: type[_S]) -> _S:
    found = entry_points(group=group, name=name)
    if not found:
        raise InputError(
            f'there is no {kind} "{name}"',
            f"Set {kind}.strategy to one of: {', '.join(names(group))}"
            + (", or name the file of another with --plugin" if group == ORDERINGS else ""),
        )
    entry = next(iter(found))
    try:
        strategy = entry.load()(setting)
    except InputError:
        raise
    except Exception as error:  # third-party code
        raise _broken(kind, entry, f"{type(error).__name__}: {error}") from error
    if not isinstance(strategy, wanted):
        raise _broken(kind, entry, f"it returned a {type(strategy).__name__}")
    return strategy


def _broken(kind: str, entry: EntryPoint, why: str) -> InputError:
    package = entry.dist.name if entry.dist else entry.module
    return InputError(
        f'cannot load {kind} "{entry.name}" from package "{package}" ({why})',
        "Fix or uninstall the package",
    )
