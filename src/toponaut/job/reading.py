"""TOML -> Job. What does not fit is refused in one line: where, what, and what to write instead."""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, Union, get_args, get_origin

from msgspec import Meta, ValidationError, convert
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.job.lines import Path, lines_of
from toponaut.job.sections import Job, Section, help_in
from toponaut.job.writing import bare_key, to_toml
from toponaut.urls import host, normalise


class JobFault(NamedTuple):
    """Something wrong in a job file: where, what, and what to write instead."""

    path: Path
    cause: str
    cure: str


def load(text: str, name: str = "job.toml", *, seedless: bool = False) -> Job:
    """The job in a TOML text, seeds in normal form; or an InputError with file, line, cause and cure.

    `seedless`: it need not name seeds, because the web that is crawled has some of its own.
    """
    text = text.removeprefix("\ufeff")
    try:
        data = _parse(text, name)
        for fault in _misfits(data, Job, (), ""):
            _refuse(fault, text, name)
        job = convert(data, Job)
        for fault in _mistakes(job, seedless):
            _refuse(fault, text, name)
    except RecursionError:
        raise InputError(
            f"{name}: lists in lists without end", "Take the nested brackets out"
        ) from None
    return replace(job, seeds=tuple(normalise(seed) or seed for seed in job.seeds))


def _parse(text: str, name: str) -> dict[str, Any]:
    cure = "Text stands in quotes, lists in [ ]; `toponaut job --example` prints a whole file"
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        cause, _, position = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+)", position)
        line = found[1] if found else text.rstrip().count("\n") + 1  # "at end of document"
        raise InputError(f"{name}:{line}: no valid TOML: {cause}", cure) from None
    except ValueError:  # int() refuses more than 4,300 digits
        raise InputError(
            f"{name}: a number of thousands of digits", "Write a shorter one"
        ) from None


def _refuse(fault: JobFault, text: str, name: str) -> NoReturn:
    lines = lines_of(text)
    path = fault.path
    while path and path not in lines:
        path = path[:-1]
    place = f"{name}:{lines[path]}" if path else name
    raise InputError(f"{place}: {' '.join(fault.cause.splitlines())}", fault.cure)


def _misfits(value: object, hint: Any, path: Path, help_line: str) -> Iterator[JobFault]:
    """Unknown keys, wrong types and values out of bounds, in the order of the file."""
    kind, _ = _bare(hint)
    help_line = help_in(hint) or help_line
    if isinstance(kind, type) and issubclass(kind, Section) and isinstance(value, dict):
        hints = kind.hints()
        for key, item in value.items():
            if key in hints:
                yield from _misfits(item, hints[key], (*path, key), help_line)
            else:
                yield _unknown(key, item, hints, path)
    elif get_origin(kind) is tuple and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _misfits(item, get_args(kind)[0], (*path, index), help_line)
    elif get_origin(kind) is dict and isinstance(value, dict):
        for key, item in value.items():
            yield from _misfits(item, get_args(kind)[1], (*path, key), help_line)
    else:
        try:
            convert(value, hint)
        except ValidationError:
            cure = f"Write {_expected(hint)}" + (f". {help_line}" if help_line else "")
            yield JobFault(path, f"{_dotted(path)} is {_shown(value)}", cure)


def _unknown(key: str, value: object, hints: dict[str, Any], path: Path) -> JobFault:
    noun = "section" if isinstance(value, dict) and not path else "key"
    cause = f"unknown {noun} {key[:60]!r}" + (f" in [{_dotted(path)}]" if path else "")
    sections = Job.hints().items()
    homes = [
        f"[{name}]" for name, hint in sections if key in getattr(hint, "__struct_fields__", ())
    ]
    if homes:
        cure = f"It belongs in {' or '.join(homes)}"
    elif near := get_close_matches(key[:60], hints, 1):
        cure = f"Did you mean '{near[0]}'?"
    else:
        cure = f"Known here: {', '.join(hints)}"
    return JobFault((*path, key), cause, cure)


def _mistakes(job: Job, seedless: bool) -> Iterator[JobFault]:
    """What is wrong although every value by itself is of the right type."""
    if not job.seeds and not seedless:
        yield JobFault(("seeds",), "the job names no seeds", 'Add seeds = ["https://example.org/"]')
    for index, seed in enumerate(job.seeds):
        if normalise(seed) is None:
            guess = normalise(f"https://{seed.strip()}") or ""
            cure = f"Write it as {guess if '.' in host(guess) else 'https://example.org/'}"
            yield JobFault(
                ("seeds", index), f"seeds[{index}] {_shown(seed)} is no web address", cure
            )
    yield from _mistakes_in_targets(job)
    yield from _mistakes_in_territories(job)
    contact = job.politeness.contact
    if contact and not re.fullmatch(r"https?://[!-~]+|[!-~]+@[!-~]+", contact):
        cause = f"politeness.contact is {_shown(contact)}"
        yield JobFault(("politeness", "contact"), cause, "Write a web or mail address")
    for index, pattern in enumerate(job.limits.exclude):
        try:
            re.compile(pattern)
        except (re.error, OverflowError) as error:
            cause = f"limits.exclude[{index}] {_shown(pattern)} is no regular expression: {error}"
            yield JobFault(
                ("limits", "exclude", index), cause, "Put \\ before signs that stand for themselves"
            )


def _mistakes_in_targets(job: Job) -> Iterator[JobFault]:
    """Whether the names are places that exist is for targets.py to say."""
    lists: list[tuple[Path, tuple[str | int, ...]]] = [(("targets", "places"), job.targets.places)]
    for index, territory in enumerate(job.nodes.territories):
        lists.append((("nodes", "territories", index, "targets"), territory.targets))
    for path, names in lists:
        for index, name in enumerate(names):
            if isinstance(name, str) and not any(map(str.isalpha, name)):
                cause = f"{_dotted((*path, index))} {_shown(name)} names no place"
                yield JobFault(
                    (*path, index), cause, 'Write "city, state or country" or a GeoNames id'
                )
    if not job.targets.presets and not any(names for _, names in lists):
        cure = 'Add [targets] with places = ["Oldenburg, DE"]'
        yield JobFault(("targets",), "the job names no targets", cure)


def _mistakes_in_territories(job: Job) -> Iterator[JobFault]:
    nodes = job.nodes
    if nodes.territories and job.partition != "written":
        cure = 'Set partition = "written", or take them out'
        yield JobFault(
            ("nodes", "territories"), f"territories, but partition is {job.partition}", cure
        )
    if job.partition == "written" and not nodes.territories:
        cure = 'Add [[nodes.territories]] with targets = ["Oldenburg, DE"]'
        yield JobFault(("partition",), "partition is written, but no territories are", cure)
    if job.partition in ("even", "population", "nearest") and nodes.geographic + nodes.general == 0:
        yield JobFault(("nodes",), "the job has no nodes", "Set geographic or general to 1 or more")
    owners: dict[str | int, int] = {}
    for index, territory in enumerate(nodes.territories):
        path = ("nodes", "territories", index)
        if not territory.targets:
            cure = 'Add targets = ["Oldenburg, DE"], or take it out'
            yield JobFault(path, f"territory {index} has no targets", cure)
        for place, target in enumerate(territory.targets):
            key = target.casefold().strip() if isinstance(target, str) else target
            if owners.setdefault(key, index) != index:
                cause = f"{_shown(target)} stands in territories {owners[key]} and {index}"
                yield JobFault((*path, "targets", place), cause, "Take it out of one of them")


# --- words for messages -----------------------------------------------------------------------------------


_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
}


def _bare(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    return (get_args(hint)[0], hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def _expected(hint: Any) -> str:
    kind, metas = _bare(hint)
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(to_toml, get_args(kind)))
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_expected(each) for each in get_args(kind))
    text = "a list" if get_origin(kind) is tuple else _WORDS.get(kind, "a table")
    for meta in metas:
        text += f" from {meta.ge:,} to {meta.le:,}" if meta.ge is not None else ""
        text += f" above {meta.gt:,} and up to {meta.le:,}" if meta.gt is not None else ""
        text += f" of the form {meta.pattern.strip('^')[:-2]}" if meta.pattern is not None else ""
    return text


def _dotted(path: Path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{bare_key(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def _shown(value: object) -> str:
    text = to_toml(value)
    return text if len(text) <= 60 else f"{text[:56]}...{text[-1]}"
