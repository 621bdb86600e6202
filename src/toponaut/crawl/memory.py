"""Memory settings for crawling: Python's cycle collector and the C library's heap."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects between two collections: the garbage of ten pages. A crawl makes hardly any cycles;
# with Python's default of 700 the collector took 0.1 ms a page instead of 0.03.
_NEW_OBJECTS = 20_000
_M_MMAP_THRESHOLD = -3  # malloc.h
_LARGE = 1 << 20  # bytes; the buffers of pages are smaller


def collect_seldom() -> None:
    """For a process that only crawls: everything that exists now stays until its end."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 20, 20)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """The same, for one crawl."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


@contextmanager
def collecting_afterwards() -> Iterator[None]:
    """Collect at the end of a crawl.

    Its tables are few objects in cycles, with 110 MB. The collector counts objects, so without this
    a process would keep the tables of twenty crawls.
    """
    try:
        yield
    finally:
        gc.collect()


def give_back_large_buffers() -> bool:
    """Pin the size from which buffers are mapped. False if the C library is not glibc.

    Each free raises glibc's mmap threshold, so later buffers land on the heap and fragment it: of a
    million queued URLs 125-137 MB stayed allocated, with a pinned threshold 104 MB.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return bool(mallopt and mallopt(_M_MMAP_THRESHOLD, _LARGE))
