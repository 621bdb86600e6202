"""TOML -> Job. All faults of a file are reported at once, each with its line, cause and fix."""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from msgspec import ValidationError, convert
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.job.faults import JobFault, Path, lines_of
from toponaut.job.link_limits import bad_link_limits
from toponaut.job.regions import bad_regions
from toponaut.job.sections import Job, Section, description_of
from toponaut.job.writing import bare_key, split_hint, to_toml, type_in_words
from toponaut.urls import host, normalise


def load(text: str, name: str = "job.toml", *, seedless: bool = False) -> Job:
    """Read a job from TOML, with normalised seeds. Raises an InputError that lists all faults.

    `seedless`: the job needs no seeds, because the web that is crawled has its own.
    """
    text = text.removeprefix("\ufeff")
    try:
        data = _parse(text, name)
        faults = list(_bad_values(data, Job, (), ""))
        job = convert(_without(data, faults), Job)
        # A fault in a value may cause further ones: a misspelled "seeds" is not also "no seeds".
        wrong = [
            fault for fault in _bad_jobs(job, seedless) if not any(map(fault.concerns, faults))
        ]
        if faults := faults + wrong:
            raise faults_error(faults, text, name)
    except RecursionError:
        fix = "remove the nested brackets."
        raise InputError(f"{name}: the lists are nested too deeply: {fix}") from None
    return replace(job, seeds=tuple(normalise(seed) or seed for seed in job.seeds))


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        cause, _, position = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+)", position)
        line = found[1] if found else text.rstrip().count("\n") + 1  # "at end of document"
        fix = "Strings need quotes, lists need [ ]. `toponaut job --example` prints a valid file"
        raise InputError(f"{name}:{line}: not valid TOML: {cause}", fix) from None
    except ValueError:  # int() refuses more than 4,300 digits
        raise InputError(f"{name}: a number has thousands of digits: shorten it.") from None


def faults_error(faults: list[JobFault], text: str, name: str) -> InputError:
    """One error for all faults, in the order of their lines; faults without a line come last."""
    lines = lines_of(text)
    messages = []
    for fault in faults:
        path = fault.path
        while path and path not in lines:
            path = path[:-1]
        line = lines.get(path, 0)
        message = f"{' '.join(fault.cause.splitlines())}: {fault.fix}"
        place = f"{name}:{line}" if line else name
        messages.append(
            (line or len(text), f"{place}: {message}{'' if message[-1] == '?' else '.'}")
        )
    messages.sort(key=lambda pair: pair[0])
    shown = [message for _, message in messages]
    if len(shown) == 1:
        return InputError(shown[0])
    return InputError("\n  ".join([f"{name} has {len(shown)} errors:", *shown]))


def _without(data: dict[str, Any], faults: list[JobFault]) -> dict[str, Any]:
    """The data without the keys at fault. Whole keys: the items of a list keep their numbers."""
    bad = set()
    for fault in faults:
        first_index = next((k for k, p in enumerate(fault.path) if isinstance(p, int)), None)
        bad.add(fault.path[:first_index])

    def kept(table: dict[str, Any], path: Path) -> dict[str, Any]:
        return {
            key: kept(value, (*path, key)) if isinstance(value, dict) else value
            for key, value in table.items()
            if (*path, key) not in bad
        }

    return kept(data, ())


# --- single values --------------------------------------------------------------------------------


def _bad_values(value: object, hint: Any, path: Path, example: str) -> Iterator[JobFault]:
    """Unknown keys, wrong types and values out of bounds. `example`: a fix that always helps."""
    kind, _ = split_hint(hint)
    if isinstance(kind, type) and issubclass(kind, Section) and isinstance(value, dict):
        hints, default = kind.hints(), kind()
        for key, item in value.items():
            if key in hints:
                example = _example(hints[key], getattr(default, key))
                yield from _bad_values(item, hints[key], (*path, key), example)
            else:
                yield _unknown(key, item, hints, path)
    elif get_origin(kind) is tuple and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _bad_values(item, get_args(kind)[0], (*path, index), example)
    elif get_origin(kind) is dict and isinstance(value, dict):
        for key, item in value.items():
            yield from _bad_values(item, get_args(kind)[1], (*path, key), example)
    elif not _fits(value, hint):
        in_type = _fits(value, kind)
        cause = f"{_dotted(path)} must be {type_in_words(hint, in_type)}, but is {_shown(value)}"
        yield JobFault(path, cause, _fix(value, hint, in_type, example))


def _example(hint: Any, default: object) -> str:
    if isinstance(default, Section):
        return "write it as a [section]"
    if isinstance(default, bool):
        return "write true or false"
    if isinstance(default, int | float | str) and default != "":
        return f"write {to_toml(default)}, for example"
    return f"see its description, '{description_of(hint)}'"


def _fits(value: object, hint: Any) -> bool:
    try:
        convert(value, hint)
    except ValidationError:
        return False
    return True


def _fix(value: object, hint: Any, in_type: bool, example: str) -> str:
    kind, metas = split_hint(hint)
    if get_origin(kind) is Literal:
        near = get_close_matches(str(value), get_args(kind), 1)
        return f'did you mean "{near[0]}"?' if near else "write one of these"
    if get_origin(kind) is tuple and _fits([value], hint):
        return "put it in brackets, [ ]"
    if isinstance(value, str) and kind in (int, float, bool) and _fits(_unquoted(value), hint):
        return "remove the quotes"
    if kind is str and isinstance(value, int | float) and _fits(to_toml(value), hint):
        return "put it in quotes"
    if not isinstance(value, int | float) or not in_type:
        return example
    for meta in metas:
        if meta.ge is not None and value < meta.ge:
            return f"write {meta.ge} or more"
        if meta.gt is not None and value <= meta.gt:
            return f"write more than {meta.gt}"
        if meta.le is not None and value > meta.le:
            return f"write at most {meta.le}"
    return example


def _unquoted(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text.strip()}")["x"]
    except ValueError:
        return text


def _unknown(key: str, value: object, hints: dict[str, Any], path: Path) -> JobFault:
    noun = "section" if isinstance(value, dict) and not path else "key"
    cause = f"unknown {noun} {to_toml(key[:60])}" + (f" in [{_dotted(path)}]" if path else "")
    sections = Job.hints().items()
    homes = [name for name, hint in sections if key in getattr(hint, "__struct_fields__", ())]
    if homes:
        fix = f"it belongs in {' or '.join(f'[{home}]' for home in homes)}"
        keys: list[Path] = [(home, key) for home in homes]
    elif near := get_close_matches(key[:60], hints, 1):
        fix = f'did you mean "{near[0]}"?'
        keys = [(*path, near[0])]
    else:
        fix = f"use one of {', '.join(hints)}"
        keys = []
    return JobFault((*path, key), cause, fix, ((*path, key), *keys))


def _dotted(path: Path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{bare_key(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def _shown(value: object) -> str:
    """A value with its type where that helps: the string "3000", the list [1], -1."""
    text = to_toml(value)
    text = text if len(text) <= 60 else f"{text[:56]}...{text[-1]}"
    kinds: dict[type, str] = {str: "the string ", list: "the list ", dict: "the table "}
    return kinds.get(type(value), "") + text


# --- values that do not fit together --------------------------------------------------------------


def _bad_jobs(job: Job, seedless: bool) -> Iterator[JobFault]:
    """Faults in values that have the right type."""
    if not job.seeds and not seedless:
        fix = 'add seeds = ["https://example.org/"], or find some: toponaut seeds "PLACE"'
        yield JobFault(("seeds",), "the job has no seeds", fix)
    for index, seed in enumerate(job.seeds):
        if normalise(seed) is None:
            guess = normalise(f"https://{seed.strip()}") or ""
            fix = f"write {guess if '.' in host(guess) else 'https://example.org/'}"
            cause = f"seeds[{index}] must be a web address, but is {_shown(seed)}"
            yield JobFault(("seeds", index), cause, fix)
    yield from _bad_targets(job)
    yield from _bad_territories(job)
    yield from bad_regions(job)
    yield from _bad_interests(job)
    contact = job.politeness.contact
    if contact and not re.fullmatch(r"https?://[!-~]+|[!-~]+@[!-~]+", contact):
        cause = f"politeness.contact must be a web or mail address, but is {_shown(contact)}"
        yield JobFault(("politeness", "contact"), cause, "write crawler@example.org, for example")
    yield from _bad_patience(job)
    yield from bad_link_limits(job)


def _bad_interests(job: Job) -> Iterator[JobFault]:
    section = job.ordering
    if section.strategy == "interest" and not job.regions and not any(section.interests.values()):
        fix = "add interests = { tehran = 2, iran = 4 }, or run `toponaut interests learn`"
        where = (("ordering", "interests"), ("ordering", "strategy"))
        yield JobFault(where[0], 'the ordering "interest" has no interests', fix, where)


def _bad_patience(job: Job) -> Iterator[JobFault]:
    """Without a budget, every link is worth its request, and there is nothing to wait for."""
    limits = job.limits
    if limits.patience not in ("auto", 0) and not limits.pages and not limits.total_bytes:
        cause = f"limits.patience is {limits.patience}, but the job has no budget of pages or bytes"
        yield JobFault(
            ("limits", "patience"),
            cause,
            "set limits.pages, or patience = 0",
            (("limits", "patience"), ("limits", "pages"), ("limits", "total_bytes")),
        )


def _bad_targets(job: Job) -> Iterator[JobFault]:
    """Whether a place of that name exists is checked in targets.py."""
    lists: list[tuple[Path, tuple[str | int, ...]]] = [(("targets", "places"), job.targets.places)]
    for index, territory in enumerate(job.nodes.territories):
        lists.append((("nodes", "territories", index, "targets"), territory.targets))
    for index, region in enumerate(job.regions):
        lists.append((("regions", index, "targets"), region.targets))
    for path, names in lists:
        for index, name in enumerate(names):
            if isinstance(name, str) and not any(map(str.isalpha, name)):
                cause = f"{_dotted((*path, index))} must be a place name, but is {_shown(name)}"
                fix = 'write "city, state or country" or a GeoNames id'
                yield JobFault((*path, index), cause, fix)
    if not job.targets.presets and not any(names for _, names in lists):
        fix = 'add [targets] with places = ["Oldenburg, DE"]'
        keys: tuple[Path, ...] = (("targets",), ("nodes", "territories"))
        yield JobFault(("targets",), "the job has no targets", fix, keys)


def _bad_territories(job: Job) -> Iterator[JobFault]:
    nodes, path = job.nodes, ("nodes", "territories")
    keys: tuple[Path, ...] = (("partition",), path)
    if nodes.territories and job.partition != "written":
        cause = f'nodes.territories is set, but partition is "{job.partition}"'
        fix = 'set partition = "written", or remove the territories'
        yield JobFault(path, cause, fix, keys)
    if job.partition == "written" and not nodes.territories:
        fix = 'add [[nodes.territories]] with targets = ["Oldenburg, DE"]'
        cause = 'partition is "written", but nodes.territories is empty'
        yield JobFault(("partition",), cause, fix, keys)
    if job.partition in ("even", "population", "nearest") and nodes.geographic + nodes.general == 0:
        fix = "set geographic or general to 1 or more"
        yield JobFault(("nodes",), "the job has no nodes", fix, (("partition",), ("nodes",)))
    owners: dict[str | int, int] = {}
    for index, territory in enumerate(nodes.territories):
        if not territory.targets:
            fix = 'add targets = ["Oldenburg, DE"], or remove the territory'
            yield JobFault((*path, index), f"nodes.territories[{index}] has no targets", fix)
        for place, target in enumerate(territory.targets):
            key = target.casefold().strip() if isinstance(target, str) else target
            if owners.setdefault(key, index) != index:
                cause = f"{to_toml(target)} is in nodes.territories[{owners[key]}] and [{index}]"
                yield JobFault((*path, index, "targets", place), cause, "remove it from one")
