"""Tests causes of findings that do not come out on the synthetic web: crawls with a cause removed.

Each experiment changes one thing: a setting of the web, a key of the job, the length of the crawls,
their seeds, or the pages that the classifier learns from. A finding that comes out once a cause is
removed has that cause. Part of `python -m bench.results`, whose runs are used where nothing is
changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.experiments import AS_IS, Experiment, Part, Variant, Webs, experiment, run_all
from toponaut.measures import Measures
from toponaut.measures.intervals import mean_interval
from toponaut.store.disk import make_directory, write_whole

Get = Callable[[Measures], float | None]
Row = tuple[str, ...]


class CauseTest(Struct, frozen=True):
    """An experiment: a measure of some strategies, with and without a cause."""

    finding: str
    part: str  # of `bench.results`, with the same job and strategies
    strategies: tuple[str, ...]
    measure: Get
    scale: int  # 100: the measure is a share, shown in percent
    variants: tuple[Variant, ...]


def _precision(run: Measures) -> float | None:
    """Over the first 200 pages, or all of a shorter crawl (Table IV)."""
    known = [one.precision for one in run.weights if one.pages <= 200]
    return known[-1] if known else None


def _unlinked(by: str) -> Get:
    return lambda run: next((one.unlinked_share for one in run.locality if one.by == by), None)


FEW_SEEDS = Variant("two seeds instead of 50", first_seeds=2)
LONGER = Variant("three times as long", times=3)
ONE_AT_ONCE = Variant("one request at a time", job="concurrent=1")
NO_FOOTERS = Variant("no address in footers", {"footer_address": ()})
NO_PASSING = Variant("no city in passing", {"mention_topics": ()})
PER_NODE = Variant("a request at a time for each node", job="concurrent=6")
FROM_A_CRAWL = Variant("the classifier learns from the addresses of a crawl", training="crawl")
# A quarter of the links, as Gao's blind crawl has by Table 9: 13.89 * 6/5 links a page.
FEW_LINKS = (
    ("directory", 2.0), ("chain", 1.5), ("guide", 1.6), ("chamber", 1.6), ("news", 1.8),
    ("university", 1.5), ("national", 0.3), ("general", 0.22), ("shop", 0.2), ("blog", 0.2),
)  # fmt: skip
TESTS = {
    "anchor": CauseTest(
        "anchor finds as much as url", "collaborations", ("url", "anchor"),
        lambda run: run.whole.geo_coverage, 100,
        (AS_IS, Variant("three in four links to local sites name the city", {"anchor_city": 0.75}),
         Variant("no city in host names", {"host_city": ()})),
    ),
    "classifier": CauseTest(
        "locality by classifier: unlinked pages share a city in 0.9 %", "collaborations",
        ("classifier",), _unlinked("classifier"), 100,
        (AS_IS, FROM_A_CRAWL, NO_PASSING,
         Variant("no names that only sound like cities", {"misleading": 0.0})),
    ),
    "communication": CauseTest(
        "hash sends fewer URLs than anchor", "collaborations", ("anchor", "hash"),
        lambda run: run.whole.forwarded, 1,
        (AS_IS, Variant("a quarter of the links on general pages", {"links_kinds": FEW_LINKS}),
         PER_NODE,
         Variant("both", {"links_kinds": FEW_LINKS}, job="concurrent=6")),
    ),
    "blocks": CauseTest(
        "future work: features of the DOM help the classifier", "collaborations",
        ("classifier", "classifier:blocks=true"), lambda run: run.averages.geo_focus, 100, (AS_IS,),
    ),
    "content": CauseTest(
        "content is better than classifier", "collaborations", ("classifier", "content"),
        lambda run: run.whole.geo_coverage, 100,
        (AS_IS, FROM_A_CRAWL, NO_PASSING),
    ),
    "ip": CauseTest(
        "ip is twice hash", "collaborations", ("hash", "ip"),
        lambda run: run.whole.geo_coverage, 100,
        (AS_IS, PER_NODE,
         Variant("every server in its owner's city", {"own_address": 1.0}),
         Variant("and links of cities within them", {"own_address": 1.0, "to_same_city": 0.6})),
    ),
    "uniqueness": CauseTest(
        "uniqueness 0.16 to 0.35", "collaborations", ("hash", "url"),
        lambda run: run.whole.entity_uniqueness, 1, (AS_IS, LONGER),
    ),
    "overlap": CauseTest(
        "overlap 0.08 to 0.35", "collaborations", ("anchor", "content"),
        lambda run: run.whole.overlap, 1, (AS_IS, LONGER),
    ),
    "depth": CauseTest(
        "depth 3 is better than 1", "orderings", ("lookahead:depth=1", "lookahead"),
        lambda run: run.whole.harvest, 100, (AS_IS, NO_FOOTERS, LONGER),
    ),
    "bridges": CauseTest(
        "over half of relevant pages over bridges", "orderings", ("breadth-first", "lookahead"),
        lambda run: run.bridges.bridged_share, 100, (AS_IS, NO_FOOTERS, FEW_SEEDS),
    ),
    "distance": CauseTest(
        "link-distance is better than breadth-first", "orderings",
        ("breadth-first", "link-distance"), lambda run: run.whole.harvest, 100,
        (AS_IS, FEW_SEEDS, ONE_AT_ONCE, LONGER,
         Variant("three times the links to the own city",
                 {"to_same_city": 0.6, "outside_local": 0.13})),
    ),
    "seeds": CauseTest(
        "the advantage does not depend on the seeds", "orderings", ("breadth-first", "lookahead"),
        lambda run: run.whole.harvest, 100,
        (AS_IS, Variant("pages for the states as seeds", seeds="regional"),
         Variant("general directories as seeds", seeds="directory")),
    ),
    "tfidf": CauseTest(
        "tf-idf is better than nxx", "interests",
        ("interest:scheme=nxx", "interest:scheme=tfidf"), _precision, 100,
        (AS_IS, NO_PASSING, Variant("three times as many webs", webs=3)),
    ),
    "lnu": CauseTest(
        "lnu is better than nxx", "interests", ("interest:scheme=nxx", "interest:scheme=lnu"),
        _precision, 100, (AS_IS, NO_PASSING, Variant("three times as many webs", webs=3)),
    ),
    "accuracy": CauseTest(
        "geo-rank is more accurate than the Bayes crawler", "anywhere",
        ("category-bayes", "geo-rank"), lambda run: run.accuracy.accuracy, 100,
        (AS_IS, LONGER, Variant("general directories as seeds", seeds="directory")),
    ),
    "names": CauseTest(
        "geo-rank covers 81 % of 1,265 names", "anywhere", ("breadth-first", "geo-rank"),
        lambda run: run.accuracy.first_coverage, 100,
        (AS_IS, Variant("no lists of the largest cities", {"popular_cities": 0}),
         Variant("general directories as seeds", seeds="directory")),
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
        write_whole(out / f"{name}.json", msgspec.json.encode(_rows(tests[name], some)))


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
    folder = folders[test.part]
    if variant not in (AS_IS, Variant(variant.name, webs=variant.webs)):
        folder = folder.with_name(f"{folder.name}-{quote(variant.name)}")
    return experiment(part, folder, webs, variant)


def _rows(test: CauseTest, some: Sequence[Experiment]) -> list[Row]:
    """Finding, variant, means of the strategies, and a difference, paired by web: of the last
    strategy from the first, or of the only one from the first variant."""
    decimals = 2 if test.scale == 100 else 3
    rows: list[Row] = []
    plain: dict[int, float] = {}  # the only strategy's figures in the first variant, by web
    for one in some:
        known = _figures(test, one)
        columns = zip(test.strategies, zip(*known.values(), strict=True), strict=False)
        means = [f"{name} {sum(of) / len(of):.{decimals}f}" for name, of in columns]
        plain = plain or {web: values[0] for web, values in known.items()}
        less = [values[-1] - values[0] for values in known.values()]
        if len(test.strategies) == 1:
            both = known.keys() & plain.keys() if one is not some[0] else ()
            less = [known[web][0] - plain[web] for web in both]
        shown = mean_interval(less).format(decimals) if less else "–"
        rows.append((test.finding, one.variant.name, ", ".join(means) or "–", shown))
    return rows


def _figures(test: CauseTest, one: Experiment) -> dict[int, list[float]]:
    """The figures of the strategies by web, where all have one."""
    found: dict[int, dict[str, float]] = {}
    names = {pair.name: name for name, pair in one.planned.groups[0].pairs.items()}
    for run, measures in one.measured().items():
        value = test.measure(measures)
        if value is not None:
            found.setdefault(run.seed, {})[names[run.name]] = value * test.scale
    return {
        web: [values[name] for name in test.strategies]
        for web, values in sorted(found.items())
        if len(values) == len(test.strategies)
    }
