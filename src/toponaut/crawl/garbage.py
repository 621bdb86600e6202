"""Python's collector of cycles, told that a crawl makes hardly any and keeps its tables until it ends.

It looks at what is new after every 700 objects, and at all that lives whenever that has grown by a quarter: of 5,000 pages
(`python -m bench.crawl`) it took 0.1 ms each, with what is told here 0.03.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MANY = 20_000  # new objects: what ten pages leave behind, some megabytes at most


def collect_seldom() -> None:
    """For a process that does nothing but crawl: what lives now stays to its end."""
    gc.freeze()
    gc.set_threshold(_MANY, 20, 20)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """The same for as long as a crawl lasts."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


@contextmanager
def collecting_afterwards() -> Iterator[None]:
    """Around all of a crawl. Its tables refer to each other, by few objects and 110 MB: the collector, which counts objects, would let
    those of twenty crawls in one process pile up before it looked."""
    try:
        yield
    finally:
        gc.collect()
