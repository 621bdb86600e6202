"""Builds Toponaut: setuptools, Zig's C compiler where there is no other, and the map library.

The core needs a C compiler. Zig's is a wheel on PyPI (ziglang), which is a build requirement on
machines without a compiler, and only there. PEP 517 hooks that are not defined here are those of
setuptools. setup.py calls `use_compiler`. The map library comes from npm (npm_files.py); npm itself
is a wheel on PyPI too, for machines without it.
"""

import os
import platform
import shlex
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from typing import Any

from npm_files import MAPLIBRE, NODE, fetch
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

_USUAL = ("cc", "gcc", "clang")
_ZIG = "ziglang>=0.13"
_GLIBC = "2.28"  # what numpy's wheels need


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_tools_if_needed()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *_tools_if_needed()]


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    fetch(MAPLIBRE)
    return str(build_meta.build_wheel(folder, settings, metadata))


def build_editable(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    fetch(MAPLIBRE)
    return str(build_meta.build_editable(folder, settings, metadata))


def use_compiler() -> None:
    """Sets CC, which setuptools obeys. Exits with one line if there is no compiler."""
    if os.name == "nt":
        return  # setuptools finds Visual C++
    if found := _compiler():
        os.environ["CC"] = found
    elif find_spec("ziglang"):
        os.environ["CC"] = zig_cc()
    else:
        sys.exit("No C compiler found. Install gcc or clang, or run: pip install ziglang")


def zig_cc() -> str:
    """The command line of Zig's compiler, for any CPU and C library, not just this machine."""
    line = [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined"]
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        line += ["-target", f"{platform.machine()}-linux-gnu.{_GLIBC}"]
    else:
        line += ["-mcpu=baseline"]
    return shlex.join(line)


def _compiler() -> str | None:
    """$CC, the compiler of this Python, or a usual one; None if none is there."""
    if chosen := os.environ.get("CC"):
        return chosen
    own = str(sysconfig.get_config_var("CC") or "")
    if own and shutil.which(shlex.split(own)[0]):
        return own
    return next((name for name in _USUAL if shutil.which(name)), None)


def _tools_if_needed() -> list[str]:
    """A compiler and npm as wheels, where the machine has none."""
    compiler = [] if os.name == "nt" or _compiler() else [_ZIG]
    return [*compiler, *([] if shutil.which("npm") else [NODE])]
