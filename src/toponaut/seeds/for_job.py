"""Jobs that do not list their seeds, but name a file of seeds or sources to find them in.

    seeds = "seeds.tsv"
    seeds.from = ["osm", "overture.parquet"]

Before a crawl starts the seeds are found and listed in its job: it must not depend on other files.
"""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import ValidationError, convert

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.job.writing import bare_key, to_toml

if TYPE_CHECKING:  # most jobs list their seeds, and need none of this
    from toponaut.seeds.seed import Seed

_VALUE = re.compile(
    r"""^seeds(?:[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*')|\.from[ \t]*=[ \t]*\[[^]]*\])""", re.MULTILINE
)


def with_seeds(
    text: str, name: str, say: Callable[[str], None] = lambda _: None
) -> "tuple[str, list[Seed]]":
    """The text of a job with its seeds listed, and what is known about those that were found.

    `name`: the path of the job; files that it names are found from its folder.
    """
    try:
        data = tomllib.loads(text)
    except ValueError:
        return text, []  # reported when the job is loaded
    wanted = data.get("seeds")
    if isinstance(wanted, str):
        seeds = _of_file(wanted, name)
    elif isinstance(wanted, dict):
        seeds = _from_sources(wanted, data, name, say)
    else:
        return text, []
    if not seeds:
        raise InputError(f"{name}: no seeds were found", "Name another source in seeds.from")
    return _listed(text, data, [seed.url for seed in seeds]), seeds


def _of_file(file: str, name: str) -> "list[Seed]":
    from toponaut.seeds.directory import read_list
    from toponaut.seeds.seed import merge

    path = Path(name).parent / file
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "it is not UTF-8 text"
        fix = f'Make it with: toponaut seeds "PLACE" -o {file}'
        raise InputError(f"{name}: cannot read the seeds in {path}: {cause}", fix) from None
    return merge(read_list(text, str(path)))


def _from_sources(
    wanted: dict[str, Any], data: dict[str, Any], name: str, say: Callable[[str], None]
) -> "list[Seed]":
    from toponaut.job.targets import job_targets
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.seeds.find import find_seeds
    from toponaut.seeds.seed import merge
    from toponaut.seeds.service import Services

    sources: Any = wanted.get("from")
    if set(wanted) != {"from"} or not _is_list_of_texts(sources):
        cause = f"{name}: seeds must be a list of URLs, a file, or sources"
        raise InputError(cause, 'Write seeds.from = ["osm", "places.parquet"]')
    politeness = data.get("politeness")
    contact = politeness.get("contact", "") if isinstance(politeness, dict) else ""
    try:
        job = convert({"targets": data.get("targets", {})}, Job)
    except ValidationError:
        job = Job()  # reported when the job is loaded
    names, services = open_names(), Services(str(contact))
    found: list[Seed] = []
    for place in job_targets(names.gazetteer, job):
        kept = [_from_folder(one, name) for one in sources]
        result = find_seeds(names, place, kept, services=services, say=say)
        found += result.seeds
        for fault in result.faults:
            say(fault)
    return merge(found)


def _from_folder(source: str, name: str) -> str:
    """A source, with the path of a file from the job's folder."""
    path = Path(name).parent / source
    return str(path) if path.is_file() else source


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _listed(text: str, data: dict[str, Any], urls: list[str]) -> str:
    """The text with a list of seeds. Comments and lines stay, if the value is easy to replace."""
    line = f"seeds = {to_toml(tuple(urls))}"
    replaced = _VALUE.sub(lambda _: line, text, count=1)
    try:
        if tomllib.loads(replaced) == data | {"seeds": urls}:
            return replaced
    except ValueError:
        pass
    listed = data | {"seeds": tuple(urls)}
    return "".join(f"{bare_key(key)} = {to_toml(value)}\n" for key, value in listed.items())
