"""Frees the tables of a crawl when it has ended."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def collecting(crawl: Callable[_P, _R]) -> Callable[_P, _R]:
    """Collects garbage after a function. Commands call the function within: their process ends."""

    @wraps(crawl)
    def collected(*args: _P.args, **options: _P.kwargs) -> _R:
        from toponaut.crawl.process import collecting_afterwards

        with collecting_afterwards():
            return crawl(*args, **options)

    return collected
