"""Tests causes of findings that do not come out on the synthetic web: crawls with a cause removed.

    python -m bench.causes FOLDER [--pages 1000] [--webs 4] [--only ip,depth]

Each experiment compares strategies on webs as they are and on webs with other settings, over longer
crawls or from other seeds. A finding that comes out once the cause is removed has that cause. The
rows of an experiment are kept in FOLDER/NAME.json and not computed again; tools/results.py puts
them into docs/explanation/results.md.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from toponaut.compare.comparison import job_of, with_keys
from toponaut.compare.measuring import measure_directory
from toponaut.compare.prerequisites import ip_database
from toponaut.crawl.run import CrawlRun
from toponaut.crawl.webs import seeds_of
from toponaut.job import Job, load, render
from toponaut.measures import Measures
from toponaut.measures.intervals import mean_interval
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.store.disk import write_whole
from toponaut.synthetic import SyntheticFetcher, SyntheticSettings, SyntheticWeb

EXAMPLES = Path(__file__).parents[1] / "examples"
FIRST_WEB = 71  # used for nothing else
_SEEDS = 50
Get = Callable[[Measures], float | None]


class Variant(Struct, frozen=True):
    """The crawls of an experiment: settings of the web, a factor of their length, their seeds."""

    name: str
    settings: Mapping[str, Any] = {}
    times: int = 1
    seeds: str = ""  # kind of seeds, if others than the job's


class CauseTest(Struct, frozen=True):
    """An experiment: a measure of some strategies, on webs with and without a cause."""

    finding: str
    job: str  # file below examples
    kind: str  # "collaboration" or "ordering"
    strategies: tuple[str, ...]
    measure: Get
    variants: tuple[Variant, ...]


AS_IS = Variant("as it is")
LENGTHS = (AS_IS, Variant("twice as long", times=2), Variant("four times as long", times=4))
TESTS = {
    "ip": CauseTest(
        "ip is twice hash", "us-top-100/job.toml", "collaboration", ("hash", "ip"),
        lambda run: run.whole.geo_coverage,
        (AS_IS, Variant("every server in its owner's city", {"own_address": 1.0})),
    ),
    "uniqueness": CauseTest(
        "uniqueness 0.16 to 0.35", "us-top-100/job.toml", "collaboration", ("hash", "url"),
        lambda run: run.whole.entity_uniqueness, LENGTHS,
    ),
    "overlap": CauseTest(
        "overlap 0.08 to 0.35", "us-top-100/job.toml", "collaboration", ("anchor", "content"),
        lambda run: run.whole.overlap, LENGTHS,
    ),
    "depth": CauseTest(
        "depth 3 is better than 1", "oldenburg/orderings.toml", "ordering",
        ("lookahead:depth=1", "lookahead"), lambda run: run.whole.harvest,
        (AS_IS, Variant("no address in footers", {"footer_address": ()}),
         Variant("twice as long", times=2)),
    ),
    "bridges": CauseTest(
        "over half of relevant pages over bridges", "oldenburg/orderings.toml", "ordering",
        ("breadth-first", "lookahead"), lambda run: run.bridges.bridged_share,
        (AS_IS, Variant("no address in footers", {"footer_address": ()}),
         Variant("footers on every page", {"footer_pages": 1.0})),
    ),
    "seeds": CauseTest(
        "the advantage does not depend on the seeds", "oldenburg/orderings.toml", "ordering",
        ("breadth-first", "lookahead"), lambda run: run.whole.harvest,
        (AS_IS, Variant("general directories as seeds", seeds="directory")),
    ),
    "content": CauseTest(
        "content is better than classifier", "us-top-100/job.toml", "collaboration",
        ("hash", "content"), lambda run: run.whole.geo_coverage,
        (AS_IS, Variant("every page names its city", {"mention_local": 1.0}),
         Variant("no city in passing", {"mention_topics": ()})),
    ),
}  # fmt: skip


def run_test(test: CauseTest, pages: int, webs: int, out: Path) -> Iterator[tuple[str, ...]]:
    """A row for each variant: finding, variant, means of the strategies, paired difference."""
    for variant in test.variants:
        values = [
            [
                _measured(test, variant, strategy, FIRST_WEB + k, pages, out)
                for strategy in test.strategies
            ]
            for k in range(webs)
        ]
        known = [(one[0], one[-1]) for one in values if None not in (one[0], one[-1])]
        less = mean_interval([100 * ((b or 0.0) - (a or 0.0)) for a, b in known])
        means = [_mean([one[k] for one in values]) for k in range(len(test.strategies))]
        named = ", ".join(map("{} {}".format, test.strategies, means))
        yield test.finding, variant.name, named, less.format(1)


def _mean(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.4f}" if known else "-"


def _measured(
    test: CauseTest, variant: Variant, strategy: str, number: int, pages: int, out: Path
) -> float | None:
    web = _web(number, tuple(variant.settings.items()))
    name, *keys = strategy.split(":")
    job = load((EXAMPLES / test.job).read_text("utf-8"), test.job, seedless=True)
    given = {"mmdb": str(ip_database(out))} if name == "ip" else {}
    section = with_keys(getattr(job, test.kind), test.kind, name, keys, given)
    job = job_of(replace(job, **{test.kind: section}), pages * variant.times, number)
    seeds = tuple(web.seeds(variant.seeds, _SEEDS)) if variant.seeds else seeds_of(web, job)
    return test.measure(_crawled(replace(job, seeds=seeds), web, out))


@cache
def _web(number: int, settings: tuple[tuple[str, Any], ...]) -> SyntheticWeb:
    return SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number, **dict(settings)))


def _crawled(job: Job, web: SyntheticWeb, out: Path) -> Measures:
    with tempfile.TemporaryDirectory(dir=out) as folder:
        run = CrawlRun(
            Path(folder) / "crawl", render(job), job, 0, SyntheticFetcher(web),
            watch=lambda *_: None, say=lambda _: None,
        )  # fmt: skip
        asyncio.run(run.run())
        return measure_directory(Path(folder) / "crawl")


def main(folder: Path, pages: int = 1000, webs: int = 4, only: str = "") -> None:
    """Run the experiments that have no result yet, and print all rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, test in TESTS.items():
        if only and name not in only.split(","):
            continue
        file = folder / f"{name}.json"
        if not file.is_file():
            rows = list(run_test(test, pages, webs, folder))
            write_whole(file, msgspec.json.encode(rows))
        for row in msgspec.json.decode(file.read_bytes(), type=list[list[str]]):
            print("; ".join(row), flush=True)


if __name__ == "__main__":
    typer.run(main)
