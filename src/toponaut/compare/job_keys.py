"""A job with some keys changed, as a user writes it: "concurrent=64,delay=1,limits.pages=500"."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.job.sections import Section


def changed_job(job: Job, setting: str) -> Job:
    """The job with the keys of a setting; a key may be written without its section if only one
    section has it. An InputError names a key or value that is not valid.
    """
    for pair in filter(None, (part.strip() for part in setting.split(","))):
        key, sign, value = pair.partition("=")
        section, name = _key(job, key.strip()) if sign else ("", "")
        if not name:
            raise InputError(
                f'"{pair}" sets no key of a job',
                "Write KEY=VALUE,...; keys: see `toponaut job --example`",
            )
        job = _with(job, section, name, value.strip(), pair)
    return job


def _key(job: Job, written: str) -> tuple[str, str]:
    """The section and the name of a key; two empty strings if it is unknown or ambiguous."""
    within, _, name = written.rpartition(".")
    sections = [
        section
        for section in _sections(job)
        if name in asdict(getattr(job, section)) and within in ("", section)
    ]
    return (sections[0], name) if len(sections) == 1 else ("", "")


def _sections(job: Job) -> Sequence[str]:
    return [name for name, value in asdict(job).items() if isinstance(value, Section)]


def _with(job: Job, section: str, name: str, value: str, pair: str) -> Job:
    before = getattr(job, section)
    values: dict[str, Any] = {**asdict(before), name: value}
    try:
        after = msgspec.convert(values, type(before), strict=False)
    except msgspec.ValidationError as error:
        raise InputError(
            f'"{pair}" is not valid: {error}', f"See [{section}] in `toponaut job --example`"
        ) from error
    return replace(job, **{section: after})
