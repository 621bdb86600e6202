"""A comparison: which strategies are tried on which webs, and the report on them.

Collaborations are compared under the job's ordering and orderings under the job's collaboration, so that one thing differs at
a time; `product` tries every pair. A strategy may be named with keys of its section, "lookahead:depth=1", to compare it with
itself. Everything else (targets, nodes, limits, start URLs) is the job's, alike for all. Who runs them is in runs.py.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from toponaut.compare.runs import ComparisonRun
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.measures import Measures
from toponaut.measures.tables import MeasuredRuns, MeasureTable, tables
from toponaut.strategy.registry import COLLABORATIONS, ORDERINGS, names

ALL = "all"
# Nobody is kept waiting on a web of files: with rests between requests it would be the hosts' clocks that are compared.
DELAY = 0.0
SEAL_SECONDS = 60  # a sealed log takes a fifth of the disk (3 against 14 KB a page)


class StrategyPair(Struct, frozen=True):
    """A collaboration and an ordering, as a user named them, with the job they make."""

    collaboration: str
    ordering: str
    job: Job

    @property
    def name(self) -> str:
        """Also that of its folder."""
        return quote(f"{self.collaboration}+{self.ordering}", safe="+:=,")


class ComparisonGroup(Struct, frozen=True):
    """Pairs that are compared with each other, each under its name there."""

    title: str
    pairs: dict[str, StrategyPair]


class ComparisonPlan(Struct, frozen=True):
    """What is to be tried."""

    groups: tuple[ComparisonGroup, ...]
    left_out: dict[str, str]  # strategies that cannot be tried, and why

    @property
    def pairs(self) -> dict[str, StrategyPair]:
        """Every pair once, by its name."""
        return {pair.name: pair for group in self.groups for pair in group.pairs.values()}


class GroupResult(Struct, frozen=True):
    """A group with what came out: an entry for each of its pairs, and the tables."""

    title: str
    entries: tuple[MeasuredRuns, ...]
    tables: tuple[MeasureTable, ...]


class ComparisonReport(Struct, frozen=True):
    """A whole comparison, as it is written to JSON."""

    compared: str  # what: pages, runs, web
    left_out: dict[str, str]
    failed: dict[str, str]  # runs, and why
    groups: tuple[GroupResult, ...]


class ComparisonRequest(Struct, frozen=True, kw_only=True):
    """What a user wants compared."""

    job: Job
    out: Path
    collaborations: tuple[str, ...] = ()  # names, or "all"; none: they are not compared
    orderings: tuple[str, ...] = ()
    product: bool = False
    pages: int
    seeds: int = 1  # runs of each
    first: int = 1  # number of the first synthetic web
    replay: Path | None = None  # a recorded web instead

    @property
    def web(self) -> str:
        if self.replay is not None:
            return str(self.replay)
        last = self.first + self.seeds - 1
        return (
            f"synthetic web {self.first}"
            if last == self.first
            else f"synthetic webs {self.first} to {last}"
        )

    @property
    def lead(self) -> str:
        """The comparison in one line."""
        return f"{self.pages:,} pages a run, {self.seeds} run{'s' * (self.seeds > 1)} of each, {self.web}"


# --- what is tried --------------------------------------------------------------------------------

Given = Mapping[
    str, Mapping[str, str]
]  # keys for strategies by name: {"ip": {"mmdb": "servers.mmdb"}}


def plan(wanted: ComparisonRequest, given: Given) -> ComparisonPlan:
    """Which pairs are tried. A strategy that lacks something is an InputError if it was named, and left out under "all"."""
    job, left_out = wanted.job, dict[str, str]()
    choices = _Choices(job, given, left_out)
    who, when = (
        choices.of("collaboration", wanted.collaborations),
        choices.of("ordering", wanted.orderings),
    )
    ours, sooner = job.collaboration.strategy, job.ordering.strategy
    if wanted.product:
        pairs = {
            f"{c} + {o}": StrategyPair(c, o, replace(job, collaboration=one, ordering=other))
            for c, one in (who or {ours: job.collaboration}).items()
            for o, other in (when or {sooner: job.ordering}).items()
        }
        return ComparisonPlan((ComparisonGroup("Collaborations and orderings", pairs),), left_out)
    by_who = {c: StrategyPair(c, sooner, replace(job, collaboration=one)) for c, one in who.items()}
    by_when = {o: StrategyPair(ours, o, replace(job, ordering=one)) for o, one in when.items()}
    groups = (
        ComparisonGroup(f"Collaborations, ordering {sooner}", by_who),
        ComparisonGroup(f"Orderings, collaboration {ours}", by_when),
    )
    return ComparisonPlan(tuple(group for group in groups if group.pairs), left_out)


def runs_of(wanted: ComparisonRequest, planned: ComparisonPlan) -> list[ComparisonRun]:
    """The runs, one web after the other, so that what is there early on covers all strategies."""
    return [
        ComparisonRun(
            pair.name,
            wanted.first + k,
            wanted.out / pair.name / str(wanted.first + k),
            job_of(pair.job, wanted.pages, wanted.job.random_seed + (k if wanted.replay else 0)),
            ("--replay", str(wanted.replay))
            if wanted.replay
            else ("--synthetic", str(wanted.first + k)),
        )
        for k in range(wanted.seeds)
        for pair in planned.pairs.values()
    ]


class _Choices:
    """Sections of the job for strategies that a user named."""

    def __init__(self, job: Job, given: Given, left_out: dict[str, str]) -> None:
        self._job = job
        self._given = given
        self._left_out = left_out

    def of(self, kind: str, chosen: Sequence[str]) -> dict[str, Any]:
        """The section for each strategy of a kind, by the name that it was given."""
        found: dict[str, Any] = {}
        for name in chosen:
            for one in _installed(kind) if name == ALL else [name]:
                try:
                    found.setdefault(one, self._section(kind, one))
                except InputError as error:
                    if name != ALL:
                        raise
                    self._left_out[one] = error.cause
        return found

    def _section(self, kind: str, name: str) -> Any:
        strategy, *keys = name.split(":")
        section = with_keys(
            getattr(self._job, kind), kind, strategy, keys, self._given.get(strategy, {})
        )
        Strategies(replace(self._job, **{kind: section}))  # says what it lacks
        return section


def _installed(kind: str) -> list[str]:
    return names(COLLABORATIONS if kind == "collaboration" else ORDERINGS)


def with_keys(
    section: Any, kind: str, strategy: str, keys: Sequence[str], given: Mapping[str, str]
) -> Any:
    """A section with another strategy and some of its keys changed: ("depth=1",)."""
    values: dict[str, Any] = {**asdict(section), "strategy": strategy}
    values.update((key, value) for key, value in given.items() if not values[key])
    for pair in keys:
        key, sign, value = pair.partition("=")
        if not sign or key not in values or key == "strategy":
            known = ", ".join(name for name in values if name != "strategy")
            raise InputError(
                f"{strategy}:{pair} names no key of [{kind}]",
                f"Write {strategy}:KEY=VALUE; keys: {known}",
            )
        values[key] = value
    try:
        return msgspec.convert(values, type(section), strict=False)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{':'.join((strategy, *keys))} is no good: {error}",
            f"See [{kind}] in `toponaut job --example`",
        ) from error


def job_of(job: Job, pages: int, random_seed: int) -> Job:
    """The job of one run: as given, but without rests and archive."""
    return replace(
        job,
        random_seed=random_seed,
        politeness=replace(job.politeness, delay=DELAY),
        limits=replace(job.limits, pages=pages),
        storage=replace(job.storage, warc=False, seal_seconds=SEAL_SECONDS),
    )


# --- what came out --------------------------------------------------------------------------------


def compared(
    planned: ComparisonPlan,
    runs: Sequence[ComparisonRun],
    measured: Mapping[ComparisonRun, Measures],
) -> tuple[GroupResult, ...]:
    """The groups. Pairs without a run that came to its end are not in it, nor groups without such pairs."""
    found = []
    for group in planned.groups:
        by_name = {
            name: [run for run in runs if run.name == pair.name]
            for name, pair in group.pairs.items()
        }
        entries = tuple(
            MeasuredRuns(name, tuple(measured[run] for run in ours if run in measured))
            for name, ours in by_name.items()
            if any(run in measured for run in ours)
        )
        if entries:
            found.append(GroupResult(group.title, entries, tuple(tables(entries))))
    return tuple(found)
