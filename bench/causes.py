"""Tests causes of findings that do not come out on the synthetic web: crawls with a cause removed.

Each experiment compares strategies on webs as they are and on webs with other settings, over longer
crawls or from other seeds. A finding that comes out once the cause is removed has that cause. Part
of `python -m bench.results`, whose runs are used where nothing is changed.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.experiments import Experiment, Part, Webs, experiment, run_all
from toponaut.measures import Measures
from toponaut.measures.intervals import mean_interval
from toponaut.store.disk import make_directory, write_whole

Get = Callable[[Measures], float | None]
Row = tuple[str, ...]


class Variant(Struct, frozen=True):
    """The crawls of an experiment: settings of the web, a factor of their length, their seeds."""

    name: str
    settings: Mapping[str, Any] = {}
    times: int = 1
    seeds: str = ""  # kind of seeds, if others than the job's


class CauseTest(Struct, frozen=True):
    """An experiment: a measure of some strategies, on webs with and without a cause."""

    finding: str
    part: str  # of `bench.results`, with the same job and strategies
    strategies: tuple[str, ...]
    measure: Get
    scale: int  # 100: the measure is a share, shown in percent
    variants: tuple[Variant, ...]


AS_IS = Variant("as it is")
LONGER = (AS_IS, Variant("three times as long", times=3))
NO_FOOTERS = Variant("no address in footers", {"footer_address": ()})
TESTS = {
    "ip": CauseTest(
        "ip is twice hash", "collaborations", ("hash", "ip"),
        lambda run: run.whole.geo_coverage, 100,
        (AS_IS, Variant("every server in its owner's city", {"own_address": 1.0}),
         Variant("and links of cities within them", {"own_address": 1.0, "to_same_city": 0.6})),
    ),
    "uniqueness": CauseTest(
        "uniqueness 0.16 to 0.35", "collaborations", ("hash", "url"),
        lambda run: run.whole.entity_uniqueness, 1, LONGER,
    ),
    "overlap": CauseTest(
        "overlap 0.08 to 0.35", "collaborations", ("anchor", "content"),
        lambda run: run.whole.overlap, 1, LONGER,
    ),
    "content": CauseTest(
        "content is better than classifier", "collaborations", ("classifier", "content"),
        lambda run: run.whole.geo_coverage, 100,
        (AS_IS, Variant("every local page names its city",
                        {"mention_front": 1.0, "mention_local": 1.0}),
         Variant("no city in passing", {"mention_topics": ()})),
    ),
    "depth": CauseTest(
        "depth 3 is better than 1", "orderings", ("lookahead:depth=1", "lookahead"),
        lambda run: run.whole.harvest, 100,
        (AS_IS, NO_FOOTERS, Variant("three times as long", times=3)),
    ),
    "bridges": CauseTest(
        "over half of relevant pages over bridges", "orderings", ("breadth-first", "lookahead"),
        lambda run: run.bridges.bridged_share, 100,
        (AS_IS, NO_FOOTERS),
    ),
    "seeds": CauseTest(
        "the advantage does not depend on the seeds", "orderings", ("breadth-first", "lookahead"),
        lambda run: run.whole.harvest, 100,
        (AS_IS, Variant("general directories as seeds", seeds="directory")),
    ),
}  # fmt: skip


def run_tests(
    tests: Mapping[str, CauseTest],
    parts: Mapping[str, Part],
    folders: Mapping[str, Path],
    webs: Webs,
    out: Path,
    workers: int,
) -> Iterator[str]:
    """Run the experiments that have no result; a line for each run. Rows go to OUT/NAME.json."""
    made = {
        name: [_experiment(test, one, parts, folders, webs) for one in test.variants]
        for name, test in tests.items()
    }
    yield from run_all([one for some in made.values() for one in some], workers)
    make_directory(out)
    for name, some in made.items():
        rows = [
            _row(tests[name], variant, one)
            for variant, one in zip(tests[name].variants, some, strict=True)
        ]
        write_whole(out / f"{name}.json", msgspec.json.encode(rows))


def _experiment(
    test: CauseTest,
    variant: Variant,
    parts: Mapping[str, Part],
    folders: Mapping[str, Path],
    webs: Webs,
) -> Experiment:
    part = parts[test.part]
    if part.orderings:
        part = replace(part, orderings=test.strategies)
    else:
        part = replace(part, collaborations=test.strategies)
    part = replace(part, pages=part.pages * variant.times)
    folder = folders[test.part]
    if variant != AS_IS:
        folder = folder.with_name(f"{folder.name}-{quote(variant.name)}")
    return experiment(part, folder, webs, variant.settings, variant.seeds)


def _row(test: CauseTest, variant: Variant, one: Experiment) -> Row:
    """Finding, variant, means of the strategies, and the last less the first, paired by web."""
    (group,) = one.report().groups
    values = [[test.measure(run) for run in entry.runs] for entry in group.entries]
    known = [
        [value * test.scale for value in some if value is not None]
        for some in zip(*values, strict=True)
        if None not in some
    ]
    decimals = 2 if test.scale == 100 else 3
    names = [entry.name for entry in group.entries]
    means = [
        f"{name} {sum(of) / len(of):.{decimals}f}"
        for name, of in zip(names, zip(*known, strict=True), strict=False)
    ]
    less = mean_interval([some[-1] - some[0] for some in known])
    return test.finding, variant.name, ", ".join(means) or "–", less.format(decimals)
