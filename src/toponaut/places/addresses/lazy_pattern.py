"""Patterns that are compiled when they are first used.

The rules of all countries have 200 patterns, and most crawls need few of them. Compiling them took
an eighth of the CPU time that a crawl needs to start.
"""

import re
from typing import Any, cast


class _LazyPattern:
    """Behaves as a compiled pattern. After the first use a method costs no more than there."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pickle and copy ask for their methods before there is a pattern
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
