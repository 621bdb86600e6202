"""Visits for tests of the log: arbitrary ones, and small distinct ones."""

from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from toponaut.log import LogWriter
from toponaut.log.tables import UNSIGNED
from toponaut.records import Outcome, Refusal, RefusedLink, ScoredLink, Visit
from toponaut.urls import fingerprint

NODE = "north"


def visit(sequence: int, text: str = "Grüße aus Oldenburg") -> Visit:
    """A small visit with a value in every kind of field."""
    url = f"https://town{sequence % 3}.example.org/{sequence}"
    return Visit(
        sequence, NODE, url, 200, Outcome.FETCHED, time=1.8e9 + sequence, size=100 + sequence,
        text=text,
        relevant=sequence % 2 == 0, simhash=2**64 - 1 - sequence, scope=((7, 0.5), (9, 0.25)),
        links=(
            ScoredLink(f"{url}/a", 0.5, ("north", "south"), 1, 2, anchor="a"),
            ScoredLink(f"{url}/b", 0.25, ()),
        ),
        known=(fingerprint("https://town.example.org/"), sequence),
        refused=(RefusedLink(f"{url}/no", Refusal.CALENDAR),),
    )  # fmt: skip


def visits(count: int, start: int = 0) -> list[Visit]:
    return [visit(sequence) for sequence in range(start, start + count)]


def write(logs: Path, written: list[Visit], seal_after: tuple[int, ...] = ()) -> Path:
    """A closed log with these visits, sealed after the given sequences."""
    with LogWriter(logs, NODE) as log:
        for one in written:
            log.append(one)
            if one.sequence in seal_after:
                log.seal()
        return log.directory


def _values(hint: Any, name: str) -> st.SearchStrategy[Any]:
    """All values of a field's type."""
    if get_origin(hint) is tuple:
        first, *rest = get_args(hint)
        if rest == [...]:
            return st.lists(_values(first, name), max_size=3).map(tuple)
        return st.tuples(*(_values(part, name) for part in (first, *rest)))
    if type(None) in get_args(hint):
        return st.none() | _values(
            next(part for part in get_args(hint) if part is not type(None)), name
        )
    if issubclass(hint, msgspec.Struct):
        return _records(hint)
    if hint is int:
        return st.integers(0, 2**64 - 1) if name in UNSIGNED else st.integers(-(2**63), 2**63 - 1)
    return st.floats(allow_nan=False) if hint is float else st.from_type(hint)


def _records(cls: type[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        cls, **{name: _values(hint, name) for name, hint in get_type_hints(cls).items()}
    )


def any_visits() -> st.SearchStrategy[list[Visit]]:
    """Lists of visits with arbitrary fields."""
    return st.lists(_records(Visit), max_size=6).map(
        lambda found: [
            msgspec.structs.replace(one, sequence=number) for number, one in enumerate(found)
        ]
    )
