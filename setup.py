"""Compiles the core: every module of the package that imports cython, with Cython.

All else is in pyproject.toml. A module is one source, typed Python that Cython turns into C. Indices
are checked: a hostile page raises IndexError, it never reads foreign memory.
"""

import re
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCE = Path("src")
DIRECTIVES = {"language_level": 3, "boundscheck": True, "wraparound": False, "cdivision": True}
KERNELS = SOURCE / "toponaut" / "kernels"


def core() -> list[Extension]:
    """The modules to compile."""
    paths = [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if re.search(r"^import cython$", path.read_text(encoding="utf-8"), re.M)
    ]
    return [
        Extension(".".join(path.relative_to(SOURCE).with_suffix("").parts), [str(path)],
                  extra_compile_args=["-O3"])
        for path in paths
    ]  # fmt: skip


setup(
    ext_modules=[
        Extension(
            "toponaut.kernels._compiled",
            sources=[str(path) for path in sorted(KERNELS.glob("*.c"))],
            depends=[str(path) for path in sorted(KERNELS.glob("*.h"))],
            extra_compile_args=["-std=c11", "-O3"],
            libraries=["m"],
        ),
        *cythonize(core(), build_dir="build/cython", compiler_directives=DIRECTIVES),
    ]
)
