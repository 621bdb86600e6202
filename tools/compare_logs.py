"""Compares two crawls visit by visit: the same pages, texts, addresses, links and decisions?

    python -m tools.compare_logs BEFORE AFTER [--ignore FIELD]...

Replay the same web with the same job and `politeness.concurrent = 1`, so that the order of visits
is fixed. Times and places in the archive are ignored. Exits with 1 if the crawls differ.
"""

import argparse
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

from toponaut.log import Logs
from toponaut.records import Visit

_CHANCE = frozenset({"time", "stamp", "seconds", "archive", "offset", "length"})
_SHOWN = 10
_WIDTH = 160  # characters of a value


def differences(before: Visit | None, after: Visit | None, ignored: frozenset[str]) -> list[str]:
    """The names of the fields in which two visits differ; "visit" if one is missing."""
    if before is None or after is None:
        return ["visit"]
    return [
        name
        for name in Visit.__struct_fields__
        if name not in ignored and getattr(before, name) != getattr(after, name)
    ]


def first_difference(before: Any, after: Any) -> tuple[Any, Any]:
    """The first elements that differ, if both are tuples."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        return next((pair for pair in zip_longest(before, after) if pair[0] != pair[1]), ((), ()))
    return before, after


def _show(before: Visit | None, after: Visit | None, fields: list[str]) -> None:
    one = before or after
    assert one is not None
    print(f"{one.sequence} {one.url}")
    for name in fields:
        for sign, value in zip(
            "-+",
            first_difference(getattr(before, name, None), getattr(after, name, None)),
            strict=True,
        ):
            print(f"  {sign} {name}: {str(value)[:_WIDTH]}")


def main() -> None:
    """Prints the first differences and their number by field."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.compare_logs", description="Compare two crawls visit by visit."
    )
    parser.add_argument("before", type=Path, help="directory of a crawl")
    parser.add_argument("after", type=Path, help="directory of another")
    parser.add_argument("--ignore", action="append", default=[], help="a field; repeat for several")
    chosen = parser.parse_args()
    ignored = _CHANCE | set(chosen.ignore)
    counted: Counter[str] = Counter()
    visits = shown = 0
    logs = (Logs(path / "log").read() for path in (chosen.before, chosen.after))
    for before, after in zip_longest(*logs):
        visits += 1
        if fields := differences(before, after, ignored):
            counted.update(fields)
            shown += 1
            if shown <= _SHOWN:
                _show(before, after, fields)
    print(f"{visits:,} visits, {shown:,} differ: {dict(counted.most_common()) or 'none'}")
    sys.exit(1 if shown else 0)


if __name__ == "__main__":
    main()
