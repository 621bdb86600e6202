"""Crawls for docs/explanation/results.md: all strategies of the four papers on the same webs.

    python -m bench.results FOLDER [--webs 8] [--shorter 1] [--workers 2] [--only pairs,causes]
        [--sites FOLDER]

Writes the report of each part to FOLDER/PART.json and the experiments with a cause removed
(bench/causes.py) to FOLDER/causes; `--sites` adds recorded sites (bench/real_sites.py). An
interrupted command resumes: a run with a result is not repeated. tools/results.py fills the tables.
About half an hour of CPU time.
"""

import os
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace
from typer import Option

from bench.causes import TESTS, run_tests
from bench.experiments import Part, Webs, experiment, run_all, write_report
from bench.real_sites import PAGES, real_experiments

FIRST_WEB = 501  # and the following ones, which tune nothing
PARTS = {
    "collaborations": Part(
        "us-top-100/job.toml", 500,
        ("hash", "url", "anchor", "content", "classifier", "ip", "combined"),
    ),
    "policies": Part(
        "us-top-100/job.toml", 500, ("url", "url:policy=B", "content", "content:policy=B")
    ),
    "pairs": Part(
        "us-top-100/job.toml", 500, ("hash", "url", "anchor", "combined"), ("combined",), True
    ),
    "orderings": Part(
        "oldenburg/orderings.toml", 400,
        orderings=(
            "breadth-first", "link-distance", "link-distance:cutoff=2", "lookahead:depth=1",
            "lookahead:depth=2", "lookahead", "lookahead:depth=5", "geo-rank", "combined",
        ),
    ),
    "interests": Part(
        "us-top-100/interests.toml", 500,
        orderings=(
            "breadth-first", "interest:scheme=nxx", "interest:scheme=tfidf", "interest:scheme=lnu",
        ),
    ),
    "anywhere": Part(
        "us-top-100/anywhere.toml", 300,
        orderings=("breadth-first", "category-bayes", "geo-rank"),
    ),
}  # fmt: skip
# Parts with the same job and length share their runs.
_FOLDERS = {"policies": "collaborations"}


def folder_of(results: Path, part: str) -> Path:
    return results / "runs" / _FOLDERS.get(part, part)


def main(
    folder: Path,
    webs: int = 8,
    shorter: Annotated[int, Option(help="Divide the number of pages by this.")] = 1,
    workers: int = os.cpu_count() or 1,
    only: Annotated[str, Option(help="Parts, causes, or names of single experiments.")] = "",
    sites: Annotated[Path | None, Option(help="Also on recorded sites (sites.tsv).")] = None,
) -> None:
    """Run what has no result yet."""
    chosen = set(only.split(",")) if only else {*PARTS, "causes", "real"}
    parts = {name: replace(one, pages=one.pages // shorter) for name, one in PARTS.items()}
    some = Webs(FIRST_WEB, webs)
    made = {
        name: experiment(part, folder_of(folder, name), some)
        for name, part in parts.items()
        if name in chosen
    }
    if sites and "real" in chosen:
        made |= real_experiments(sites, folder / "runs", webs, PAGES // shorter)
    for line in run_all(list(made.values()), workers):
        print(line, flush=True)
    for name, one in made.items():
        write_report(folder / f"{name}.json", one.report())
    tests = {name: test for name, test in TESTS.items() if chosen & {name, "causes"}}
    folders = {name: folder_of(folder, name) for name in parts}
    for line in run_tests(tests, parts, folders, some, folder / "causes", workers):
        print(line, flush=True)


if __name__ == "__main__":
    typer.run(main)
