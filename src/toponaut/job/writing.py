"""Job -> TOML, the example file, and the reference of all keys."""

import json
import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from msgspec import Meta
from msgspec.structs import asdict

from toponaut.job.sections import (
    MANY,
    Job,
    RegionSection,
    Section,
    TargetsSection,
    TerritorySection,
    description_of,
)


class JobKey(NamedTuple):
    """A key of the job file as the reference documents it."""

    section: str  # "" for the keys above the first section
    key: str
    type: str  # "whole number, 1 to 10"
    default: str  # as TOML
    description: str


def job_keys() -> Iterator[JobKey]:
    """Every key of every section, in the order of the example file."""
    yield from _section_keys("", Job())
    for name, value in asdict(Job()).items():
        if isinstance(value, Section):
            yield from _section_keys(name, value)
    yield from _section_keys("nodes.territories", TerritorySection())
    yield from _section_keys("regions", RegionSection())


def _section_keys(name: str, section: Section) -> Iterator[JobKey]:
    for key, hint in section.hints().items():
        value = getattr(section, key)
        if not isinstance(value, Section):
            kind = type_in_words(hint).removeprefix("a ")
            yield JobKey(name, key, kind, to_toml(value), description_of(hint))


def example() -> str:
    """A job file that shows every key with its default and its description."""
    targets = TargetsSection(places=("Oldenburg, DE",))
    job = Job(seeds=("https://www.oldenburg.de/",), targets=targets)
    return "# A Toponaut job. Omit the keys that you do not change.\n\n" + render(job, True)


def render(job: Job, explained: bool = False) -> str:
    """TOML that loads to an equal job, optionally with the description above each key."""
    lines = list(_key_lines(job, explained))
    for name in job.__struct_fields__:
        section = getattr(job, name)
        if isinstance(section, Section):
            title = [f"# {section.__doc__}"] if explained else []
            lines += ["", *title, f"[{name}]", *_key_lines(section, explained)]
    return "\n".join(lines) + "\n"


def _key_lines(section: Section, explained: bool) -> Iterator[str]:
    hints = section.hints()
    for name in section.__struct_fields__:
        value = getattr(section, name)
        if not isinstance(value, Section):
            if explained:
                yield f"# {description_of(hints[name])}"
            yield f"{name} = {to_toml(value)}"


def to_toml(value: object) -> str:
    """A value as TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, Section):
        value = asdict(value)
    if isinstance(value, dict):
        pairs = (f"{bare_key(key)} = {to_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return str(value)


def bare_key(name: str) -> str:
    """A key as TOML, in quotes only where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else to_toml(name)


# --- types in words -------------------------------------------------------------------------------

_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
}


def split_hint(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    """A type without its annotations, and the annotations."""
    return (get_args(hint)[0], hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def type_in_words(hint: Any, bounds: bool = True) -> str:
    """A type as messages and the reference name it: "a whole number from 1 to 10"."""
    kind, metas = split_hint(hint)
    if get_origin(kind) is Literal:
        return " or ".join(map(to_toml, get_args(kind)))
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(type_in_words(each, False) for each in get_args(kind))
    if get_origin(kind) in (tuple, dict):
        noun, item = ("list", 0) if get_origin(kind) is tuple else ("table", 1)
        words = type_in_words(get_args(kind)[item], False).split(" or ")
        return f"a {noun} of {' or '.join(word.removeprefix('a ') + 's' for word in words)}"
    return _WORDS.get(kind, "a table") + ("".join(map(_bounds, metas)) if bounds else "")


def _bounds(meta: Meta) -> str:
    top = f" to {_number(meta.le)}" if meta.le is not None and meta.le < MANY else ""
    if meta.ge is not None:
        return f" from {_number(meta.ge)}{top}" if top else f" of at least {_number(meta.ge)}"
    if meta.gt is not None:
        return f" above {_number(meta.gt)} and up{top}"
    return f" of the form {meta.pattern.strip('^')[:-2]}" if meta.pattern is not None else ""


def _number(value: float) -> str:
    return f"{value:,}".removesuffix(".0")
