"""Fuzzes the compiled core, and the readers of foreign bytes around it, under sanitizers.

    python -m fuzz [TARGET ...] [--seconds 60] [--seeds FOLDER]   looks for new inputs
    python -m fuzz --runs 500                                     always the same inputs

Coverage guides the choice of inputs (libFuzzer, by atheris). Inputs that reach new code are kept in
build/fuzz/corpus, and the next search goes on from them. An input that fails is written to
build/fuzz/failed; it belongs to tests/fuzz/inputs once the fault is repaired.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.build import BASE, LIBRARY, environment, is_possible

CORPUS = BASE / "corpus"
FAILED = BASE / "failed"
WORDS = Path(__file__).parent / "words.dict"
# The inputs that `--runs` tries per target, times this: some are more worth it, some are fast.
TARGETS = {
    "parse": 4, "names": 3, "addresses": 3, "structured": 2, "urls": 8, "robots": 4, "sitemaps": 4,
    "warc": 4, "answers": 4, "responses": 4,
}  # fmt: skip
FEW_SEEDS = 30  # with --runs: inputs to begin with, so that most runs are new ones
SECONDS_EACH = 30  # an input that takes longer fails
MEGABYTES = 3000


def fuzz(target: str, limit: list[str], corpus: Path) -> str:
    """Fuzzes a target; what it printed if it failed, else nothing."""
    FAILED.mkdir(parents=True, exist_ok=True)
    options = [
        "-max_len=16384", "-print_funcs=0", f"-timeout={SECONDS_EACH}", "-print_final_stats=1",
        f"-rss_limit_mb={MEGABYTES}", f"-dict={WORDS}", f"-artifact_prefix={FAILED}/{target}-",
    ]  # fmt: skip
    line = [sys.executable, "-m", "fuzz.run", target, *options, *limit, str(corpus)]
    done = subprocess.run(line, env=environment(), capture_output=True, check=False)
    report = (done.stderr + done.stdout).decode(errors="replace")  # Python's error is on stdout
    if done.returncode == 0:
        print(f"{target:12}{_summary(report)}", flush=True)
        return ""
    return f"{target} failed:\n{report[-6000:]}"


def fill(corpus: Path, target: str, real: Path | None, most: int | None = None) -> None:
    """Writes the seeds of a target, or `most` of them, spread evenly, as files."""
    from fuzz.seeds import seeds

    found = seeds(target, real)
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in found[:: max(1, len(found) // most)] if most else found:
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def search(target: str, seconds: float, real: Path | None) -> str:
    fill(CORPUS / target, target, real)
    return fuzz(target, [f"-max_total_time={seconds:.0f}"], CORPUS / target)


def repeat(target: str, runs: int) -> str:
    """Runs the same inputs every time."""
    with tempfile.TemporaryDirectory() as corpus:
        fill(Path(corpus), target, None, FEW_SEEDS)
        return fuzz(target, [f"-runs={runs}", "-seed=1"], Path(corpus))


def main() -> int:
    """Exits with 1 if a target failed."""
    options = argparse.ArgumentParser(prog="python -m fuzz")
    options.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    options.add_argument("--seconds", type=float, default=60, help="for all targets together")
    options.add_argument("--runs", type=int, help="a number of inputs, instead of seconds")
    options.add_argument("--seeds", type=Path, help="a folder of real pages to begin with")
    given = options.parse_args()
    if not is_possible() or not LIBRARY.exists():
        sys.exit("Run `make fuzz`. It needs PyPI's ziglang and atheris: Linux on x86-64.")
    chosen, cores = given.targets or list(TARGETS), os.cpu_count() or 1
    each = given.seconds * min(cores, len(chosen)) / len(chosen)
    with ThreadPoolExecutor(cores) as pool:
        if given.runs:
            failed = list(
                pool.map(lambda target: repeat(target, given.runs * TARGETS[target]), chosen)
            )
        else:
            failed = list(pool.map(lambda target: search(target, each, given.seeds), chosen))
    print("\n\n".join(filter(None, failed)), file=sys.stderr)
    return int(any(failed))


def _summary(report: str) -> str:
    """The inputs tried, and the coverage at the end."""
    lines = report.splitlines()
    tried = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
    last = next((line for line in reversed(lines) if " cov: " in line), "")
    return f"{tried:>9} inputs, {last.partition(' cov: ')[2].split(' ')[0]:>6} edges"


if __name__ == "__main__":
    sys.exit(main())
