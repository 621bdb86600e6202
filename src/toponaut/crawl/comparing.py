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

from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.measures import Measures
from toponaut.measures.tables import Entry, Table, tables
from toponaut.strategies import COLLABORATIONS, ORDERINGS, names

ALL = "all"
# Nobody is kept waiting on a web of files: with rests between requests it would be the hosts' clocks that are compared.
DELAY = 0.0
SEAL_SECONDS = 60  # a sealed log takes a fifth of the disk (3 against 14 KB a page)


class Pair(Struct, frozen=True):
    """A collaboration and an ordering, as a user named them, with the job they make."""

    collaboration: str
    ordering: str
    job: Job

    @property
    def name(self) -> str:
        """Also that of its folder."""
        return quote(f"{self.collaboration}+{self.ordering}", safe="+:=,")


class Group(Struct, frozen=True):
    """Pairs that are compared with each other, each under its name there."""

    title: str
    pairs: dict[str, Pair]


class Plan(Struct, frozen=True):
    """What is to be tried."""

    groups: tuple[Group, ...]
    left_out: dict[str, str]  # strategies that cannot be tried, and why

    @property
    def pairs(self) -> dict[str, Pair]:
        """Every pair once, by its name."""
        return {pair.name: pair for group in self.groups for pair in group.pairs.values()}


class Compared(Struct, frozen=True):
    """A group with what came out: an entry for each of its pairs, and the tables."""

    title: str
    entries: tuple[Entry, ...]
    tables: tuple[Table, ...]


# --- what is tried ---------------------------------------------------------------------------------------------------

def plan(
    job: Job,
    collaborations: Sequence[str],
    orderings: Sequence[str],
    *,
    product: bool = False,
    given: Mapping[str, Mapping[str, str]] | None = None,
) -> Plan:
    """Which pairs are tried. `given`: keys for strategies by name, {"ip": {"mmdb": "servers.mmdb"}}.

    A strategy that lacks something (a model, interests) is an InputError if it was named, and left out under "all".
    """
    left_out: dict[str, str] = {}
    ours = _Choices(job, given or {}, left_out)
    who = ours.of("collaboration", collaborations)
    when = ours.of("ordering", orderings)
    own = job.collaboration.strategy, job.ordering.strategy
    if product:
        pairs = {
            f"{c} + {o}": Pair(c, o, replace(job, collaboration=one, ordering=other))
            for c, one in (who or {own[0]: job.collaboration}).items()
            for o, other in (when or {own[1]: job.ordering}).items()
        }
        return Plan((Group("Collaborations and orderings", pairs),), left_out)
    groups = []
    if who:
        pairs = {c: Pair(c, own[1], replace(job, collaboration=one)) for c, one in who.items()}
        groups.append(Group(f"Collaborations, with the ordering {own[1]}", pairs))
    if when:
        pairs = {o: Pair(own[0], o, replace(job, ordering=one)) for o, one in when.items()}
        groups.append(Group(f"Orderings, with the collaboration {own[0]}", pairs))
    return Plan(tuple(groups), left_out)


class _Choices:
    """Sections of the job for strategies that a user named."""

    def __init__(self, job: Job, given: Mapping[str, Mapping[str, str]], left_out: dict[str, str]) -> None:
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
        section = with_keys(getattr(self._job, kind), kind, strategy, keys, self._given.get(strategy, {}))
        Strategies(replace(self._job, **{kind: section}))  # says what it lacks
        return section


def _installed(kind: str) -> list[str]:
    return names(COLLABORATIONS if kind == "collaboration" else ORDERINGS)


def with_keys(section: Any, kind: str, strategy: str, keys: Sequence[str], given: Mapping[str, str]) -> Any:
    """A section with another strategy and some of its keys changed: ("depth=1",)."""
    values: dict[str, Any] = {**asdict(section), "strategy": strategy}
    values.update((key, value) for key, value in given.items() if not values[key])
    for pair in keys:
        key, sign, value = pair.partition("=")
        if not sign or key not in values or key == "strategy":
            known = ", ".join(name for name in values if name != "strategy")
            raise InputError(f"{strategy}:{pair} names no key of [{kind}]", f"Write {strategy}:KEY=VALUE; keys: {known}")
        values[key] = value
    try:
        return msgspec.convert(values, type(section), strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{':'.join((strategy, *keys))} is no good: {error}", f"See [{kind}] in `toponaut job --example`") from error


def job_of(job: Job, pages: int, random_seed: int) -> Job:
    """The job of one run: as given, but without rests, archive and index."""
    return replace(
        job,
        random_seed=random_seed,
        politeness=replace(job.politeness, delay=DELAY),
        limits=replace(job.limits, pages=pages),
        storage=replace(job.storage, warc=False, index=False, seal_seconds=SEAL_SECONDS),
    )


# --- what came out ---------------------------------------------------------------------------------------------------


def compared(planned: Plan, measured: Mapping[str, Sequence[Measures]]) -> list[Compared]:
    """The report, from the measures of each pair by its name. Pairs without any are not in it, nor groups without pairs."""
    found = []
    for group in planned.groups:
        entries = tuple(
            Entry(name, tuple(measured[pair.name])) for name, pair in group.pairs.items() if measured.get(pair.name)
        )
        if entries:
            found.append(Compared(group.title, entries, tuple(tables(entries))))
    return found


def folder_of(out: Path, pair: Pair, seed: int) -> Path:
    return out / pair.name / str(seed)
