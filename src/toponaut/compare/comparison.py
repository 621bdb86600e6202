"""A comparison: which strategies run on which webs, and the report. runs.py runs them.

Collaborations are compared under the job's ordering, and orderings under the job's collaboration;
`product` compares all pairs. A strategy may be named with keys of its section, "lookahead:depth=1".
Everything else (targets, nodes, limits, seeds) is the job's.
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
# No politeness delays on a simulated web: they would dominate the comparison.
DELAY = 0.0
SEAL_SECONDS = 60  # a sealed log takes a fifth of the disk space


class StrategyPair(Struct, frozen=True):
    """A collaboration and an ordering as the user named them, and the job with both."""

    collaboration: str
    ordering: str
    job: Job

    @property
    def name(self) -> str:
        """The name of the pair and of its folder."""
        return quote(f"{self.collaboration}+{self.ordering}", safe="+:=,")


class ComparisonGroup(Struct, frozen=True):
    """Pairs that are compared with each other, by their names in the report."""

    title: str
    pairs: dict[str, StrategyPair]


class ComparisonPlan(Struct, frozen=True):
    """The groups to run."""

    groups: tuple[ComparisonGroup, ...]
    left_out: dict[str, str]  # strategies that cannot run, and why

    @property
    def pairs(self) -> dict[str, StrategyPair]:
        """Every pair once, by its name."""
        return {pair.name: pair for group in self.groups for pair in group.pairs.values()}


class GroupResult(Struct, frozen=True):
    """The result of a group: the measured runs of its pairs, and the tables."""

    title: str
    entries: tuple[MeasuredRuns, ...]
    tables: tuple[MeasureTable, ...]


class ComparisonReport(Struct, frozen=True):
    """A whole comparison, written as JSON."""

    compared: str  # the comparison in one line: pages, runs, web
    left_out: dict[str, str]
    failed: dict[str, str]  # runs that failed, and why
    groups: tuple[GroupResult, ...]


class ComparisonRequest(Struct, frozen=True, kw_only=True):
    """The comparison that a user asks for."""

    job: Job
    out: Path
    collaborations: tuple[str, ...] = ()  # names, or "all"; empty: not compared
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
        runs = f"{self.seeds} run{'s' * (self.seeds > 1)}"
        return f"{self.pages:,} pages per run, {runs} of each, {self.web}"


# --- plan -----------------------------------------------------------------------------------------

StrategyKeys = Mapping[str, Mapping[str, str]]  # {"ip": {"mmdb": "servers.mmdb"}}


def plan(wanted: ComparisonRequest, keys: StrategyKeys) -> ComparisonPlan:
    """The pairs to run. A strategy that cannot run is an InputError, or left out under "all"."""
    job, left_out = wanted.job, dict[str, str]()
    choices = _Choices(job, keys, left_out)
    who = choices.sections("collaboration", wanted.collaborations)
    when = choices.sections("ordering", wanted.orderings)
    own_who, own_when = job.collaboration.strategy, job.ordering.strategy
    if wanted.product:
        pairs = {
            f"{c} + {o}": StrategyPair(c, o, replace(job, collaboration=one, ordering=other))
            for c, one in (who or {own_who: job.collaboration}).items()
            for o, other in (when or {own_when: job.ordering}).items()
        }
        return ComparisonPlan((ComparisonGroup("Collaborations and orderings", pairs),), left_out)
    by_who = {
        c: StrategyPair(c, own_when, replace(job, collaboration=one)) for c, one in who.items()
    }
    by_when = {o: StrategyPair(own_who, o, replace(job, ordering=one)) for o, one in when.items()}
    groups = (
        ComparisonGroup(f"Collaborations, ordering {own_when}", by_who),
        ComparisonGroup(f"Orderings, collaboration {own_who}", by_when),
    )
    return ComparisonPlan(tuple(group for group in groups if group.pairs), left_out)


def runs_of(wanted: ComparisonRequest, planned: ComparisonPlan) -> list[ComparisonRun]:
    """The runs, one web after the other, so that early results cover all strategies."""
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
    """The sections of the job for the strategies that a user named."""

    def __init__(self, job: Job, keys: StrategyKeys, left_out: dict[str, str]) -> None:
        self._job = job
        self._keys = keys
        self._left_out = left_out

    def sections(self, kind: str, chosen: Sequence[str]) -> dict[str, Any]:
        """The section for each strategy of a kind, by the name that the user gave."""
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
            getattr(self._job, kind), kind, strategy, keys, self._keys.get(strategy, {})
        )
        # raises an InputError if something is missing
        Strategies(replace(self._job, **{kind: section}))
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
                f"{strategy}:{pair} is not a key of [{kind}]",
                f"Write {strategy}:KEY=VALUE; keys: {known}",
            )
        values[key] = value
    try:
        return msgspec.convert(values, type(section), strict=False)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{':'.join((strategy, *keys))} is not valid: {error}",
            f"See [{kind}] in `toponaut job --example`",
        ) from error


def job_of(job: Job, pages: int, random_seed: int) -> Job:
    """The job of one run, without delays and archive."""
    return replace(
        job,
        random_seed=random_seed,
        politeness=replace(job.politeness, delay=DELAY),
        limits=replace(job.limits, pages=pages),
        storage=replace(job.storage, warc=False, seal_seconds=SEAL_SECONDS),
    )


# --- results --------------------------------------------------------------------------------------


def compared(
    planned: ComparisonPlan,
    runs: Sequence[ComparisonRun],
    measured: Mapping[ComparisonRun, Measures],
) -> tuple[GroupResult, ...]:
    """The results of the groups. Pairs without a finished run are left out, and empty groups."""
    found = []
    for group in planned.groups:
        by_name = {
            name: [run for run in runs if run.name == pair.name]
            for name, pair in group.pairs.items()
        }
        entries = tuple(
            MeasuredRuns(name, tuple(measured[run] for run in found_runs if run in measured))
            for name, found_runs in by_name.items()
            if any(run in measured for run in found_runs)
        )
        if entries:
            found.append(GroupResult(group.title, entries, tuple(tables(entries))))
    return tuple(found)
