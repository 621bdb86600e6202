"""Compiles the kernels (src/toponaut/kernels); all else is in pyproject.toml.

Where that fails, for want of a compiler or of Python's headers,
the installation goes on without them.
"""

from pathlib import Path

from setuptools import Extension, setup

folder = Path("src/toponaut/kernels")

setup(
    ext_modules=[
        Extension(
            "toponaut.kernels._compiled",
            sources=[str(path) for path in sorted(folder.glob("*.c"))],
            depends=[str(path) for path in sorted(folder.glob("*.h"))],
            extra_compile_args=["-std=c11", "-O3"],  # O3: loops over characters take 16 at once
            libraries=["m"],
            optional=True,
        )
    ]
)
