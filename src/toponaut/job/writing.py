"""Job -> TOML, and the example file."""

import json
import re
from collections.abc import Iterator

from msgspec.structs import asdict

from toponaut.job.sections import Job, Section, TargetsSection


def example() -> str:
    """A job file that shows every key with its default and what it does."""
    job = Job(
        seeds=("https://www.oldenburg.de/",), targets=TargetsSection(places=("Oldenburg, DE",))
    )
    return "# A Toponaut job. Leave out what you do not change.\n\n" + render(job, explained=True)


def render(job: Job, explained: bool = False) -> str:
    """TOML that loads to an equal job, with a line of help above each key if wanted."""
    lines = list(_keys(job, explained))
    for name in job.__struct_fields__:
        section = getattr(job, name)
        if isinstance(section, Section):
            title = [f"# {section.__doc__}"] if explained else []
            lines += ["", *title, f"[{name}]", *_keys(section, explained)]
    return "\n".join(lines) + "\n"


def _keys(section: Section, explained: bool) -> Iterator[str]:
    help_lines = section.help()
    for name in section.__struct_fields__:
        value = getattr(section, name)
        if not isinstance(value, Section):
            if explained:
                yield f"# {help_lines[name]}"
            yield f"{name} = {to_toml(value)}"


def to_toml(value: object) -> str:
    """A value as TOML writes it, on one line."""
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
    """A key as TOML writes it: in quotes only where they are needed."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else to_toml(name)
