"""Compiles the core: every module of the package that imports cython, with Cython.

All else is in pyproject.toml. A module is one source, typed Python that Cython turns into C.
Indices are checked: a hostile page raises IndexError, it never reads foreign memory.
"""

import os
import re
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, "build_backend")
from toponaut_build import use_compiler

SOURCE = Path("src")
DIRECTIVES = {"language_level": 3, "boundscheck": True, "wraparound": False, "cdivision": True}
# Python's own flags ask for debug data, which would make the libraries eight times larger.
OPTIMISE = [] if "-O" in os.environ.get("CFLAGS", "") else ["-O3", "-g0"]
# A product and a sum are rounded one by one on every processor, so that scores are equal.
ARGUMENTS = [*OPTIMISE, "-ffp-contract=off"]


class BuildCore(build_ext):
    """Compiles with Cython, on all cores."""

    def run(self) -> None:
        use_compiler()
        compiled = cythonize(
            self.extensions, build_dir="build/cython", compiler_directives=DIRECTIVES
        )
        for module, translated in zip(self.extensions, compiled, strict=True):
            module.sources = translated.sources  # now in C
        self.parallel = self.parallel or os.cpu_count()
        super().run()
        if self.inplace:
            self._remove_others()

    def _remove_others(self) -> None:
        """Removes libraries of modules that are gone, or are not compiled any more.

        Python would import such a library instead of the source.
        """
        made = {Path(self.get_ext_fullpath(one.name)).resolve() for one in self.extensions}
        found = set(SOURCE.resolve().rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"))
        for library in found - made:
            library.unlink()


def core() -> list[Extension]:
    """The modules to compile."""
    paths = [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if re.search(r"^import cython$", path.read_text(encoding="utf-8"), re.M)
    ]
    return [
        Extension(".".join(path.relative_to(SOURCE).with_suffix("").parts), [str(path)],
                  extra_compile_args=ARGUMENTS, libraries=["m"])
        for path in paths
    ]  # fmt: skip


setup(cmdclass={"build_ext": BuildCore}, ext_modules=core())
