"""Compiles the core with AddressSanitizer, UBSan and libFuzzer's counters, into build/fuzz.

    python -m fuzz.build

The compiler is the clang in PyPI's ziglang; the sanitizers' runtime is the library in PyPI's
atheris, which must be preloaded (`environment`). So nothing of the system is needed.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

BASE = Path("build/fuzz").resolve()
LIBRARY = BASE / f"lib-{sys.implementation.cache_tag}"
RUNTIME = "asan_with_fuzzer.so"
SANITIZERS = "-fsanitize=address,undefined,float-cast-overflow,fuzzer-no-link"
FLAGS = (
    SANITIZERS,
    "-fno-sanitize=function",  # Python calls all methods by pointers of one type
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g1",
)


def is_possible() -> bool:
    """Whether both packages are here: they have no wheels for some systems."""
    return find_spec("ziglang") is not None and runtime().exists()


def runtime() -> Path:
    return Path(sysconfig.get_path("platlib")) / RUNTIME


def environment() -> dict[str, str]:
    """For a Python that imports the sanitized core."""
    return {
        **os.environ,
        "PYTHONPATH": f"{LIBRARY}{os.pathsep}{Path.cwd()}",
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide overflows
        "PYTHONHASHSEED": "0",
        "LD_PRELOAD": str(runtime()),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def main() -> None:
    """Compiles, or says why not."""
    if not is_possible():
        print("No fuzzing: PyPI's ziglang and atheris are not installed")
        return
    zig = find_spec("ziglang")
    assert zig is not None
    assert zig.origin is not None
    headers = Path(zig.origin).parent / "lib" / "include"
    command = [sys.executable, "-m", "ziglang"]
    compiler = {
        "CC": shlex.join([*command, "clang", "-isystem", str(headers), *FLAGS]),
        "LDSHARED": shlex.join([*command, "cc", "-shared"]),
        "CFLAGS": "-O1",
    }
    build = ["setup.py", "-q", "build", "--build-base", str(BASE), "--build-lib", str(LIBRARY)]
    subprocess.run([sys.executable, *build], env={**os.environ, **compiler}, check=True)


if __name__ == "__main__":
    main()
