"""A job as users give it: the path of a TOML file, a dict with the same keys, or a Job."""

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.job import Job


class JobCheck(NamedTuple):
    """What a job comes to."""

    seeds: int
    targets: int
    territories: dict[str, list[str]]  # the names of each geographic node's targets
    general: list[str]  # the general nodes


def check_job(job: "str | PathLike[str] | Mapping[str, Any] | Job") -> JobCheck:
    """Load a job and resolve its places, strategies and nodes. Any mistake is an InputError."""
    from toponaut.crawl.strategies import Strategies
    from toponaut.job import load
    from toponaut.job.targets import check_targets, job_targets, territories
    from toponaut.places.gazetteer.cache import open_gazetteer
    from toponaut.seeds.for_job import with_seeds

    text, name = job_text(job)
    text, _ = with_seeds(text, name)
    loaded, gazetteer = load(text, name), open_gazetteer()
    check_targets(gazetteer, loaded, text, name)
    nodes = Strategies(loaded).nodes
    return JobCheck(
        len(loaded.seeds),
        len(job_targets(gazetteer, loaded)),
        {
            territory.node: [place.name for place in territory.targets]
            for territory in territories(gazetteer, loaded)
        },
        list(nodes[len(nodes) - loaded.nodes.general :]),
    )


def job_text(job: "str | PathLike[str] | Mapping[str, Any] | Job") -> tuple[str, str]:
    """The TOML of a job, and its name for messages."""
    if isinstance(job, str | PathLike):
        return read_text(Path(job)), str(job)
    from toponaut.job import render
    from toponaut.job.writing import bare_key, to_toml

    if not isinstance(job, Mapping):
        return render(job), "job"
    lines = (f"{bare_key(str(key))} = {to_toml(_plain(value))}" for key, value in job.items())
    return "\n".join(lines) + "\n", "job"


def without_line(error: InputError) -> InputError:
    """An error in a job that has no file: a line number would mean nothing to the user."""
    return InputError(re.sub(r"\bjob:\d+: ", "job: ", error.cause), error.fix)


def read_text(path: Path) -> str:
    """A UTF-8 file that the user named."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text", "Save it as UTF-8") from error


def _plain(value: Any) -> Any:
    """Values that TOML can hold; anything else is an InputError."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, bool | int | float | str):
        return value
    raise InputError(
        f"job: a {type(value).__name__} cannot be part of a job",
        "Use text, numbers, true or false, lists and dicts",
    )
