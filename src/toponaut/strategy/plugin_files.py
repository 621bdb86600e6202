"""Orderings under development: Python files that the user names with --plugin.

A file has the same `build(setting)` as an installed plug-in, and its name is the ordering's:
loudest.py is "loudest". The paths are passed on in the environment, so that the runs of a
comparison have them, too. A job holds only the name: code never comes with a crawl.
"""

import os
import re
import traceback
from collections.abc import Callable, Collection, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from toponaut.errors import InputError
from toponaut.strategy.setting import Setting

VARIABLE = "TOPONAUT_PLUGINS"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")  # as in jobs


def use_plugin_files(paths: Sequence[Path], installed: Collection[str]) -> None:
    """Offer the orderings in some files to this process and to those that it starts."""
    for path in paths:
        if not path.is_file() or path.suffix != ".py":
            raise InputError(f"--plugin {path} is not a Python file", "Name an existing .py file")
        if not _NAME.fullmatch(path.stem) or path.stem in installed:
            cause = f'--plugin {path}: "{path.stem}" cannot be the name of a new ordering'
            raise InputError(cause, "Rename it: small letters, digits, - and _, no installed name")
    if paths:
        os.environ[VARIABLE] = os.pathsep.join(str(path.resolve()) for path in paths)


def plugin_files() -> dict[str, Path]:
    """The files in use, by the names of their orderings."""
    given = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    return {path.stem: path for path in map(Path, given)}


def with_version(text: str, ordering: str) -> str:
    """The text of a job, with the version of the file that its ordering is in, if it is in one.

    Results that were kept are only those of the same text.
    """
    path = plugin_files().get(ordering)
    return f"{text}# {path.name}: {xxh3_64_hexdigest(path.read_bytes())}\n" if path else text


def build_of(path: Path) -> Callable[[Setting], object]:
    """The function `build` of a file. Raises whatever the file raises."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    build: Callable[[Setting], object] = module.build
    return build


def broken(path: Path, error: BaseException) -> InputError:
    """Why the ordering of a file cannot be used, with the line of the file if there is one."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == str(path)]  # fmt: skip
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    where = f"{path}, line {line}" if line else str(path)
    words = error.msg if isinstance(error, SyntaxError) else error
    cause = f'cannot load ordering "{path.stem}" from {where} ({type(error).__name__}: {words})'
    return InputError(cause, "Fix the file: it needs a function build(setting) that returns one")
