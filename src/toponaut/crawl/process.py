"""The process of a crawl: Ctrl-C and SIGTERM, Python's cycle collector, the C library's heap."""

import asyncio
import ctypes
import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# New objects between two collections: the garbage of ten pages. A crawl makes hardly any cycles;
# with Python's default of 700 the collector took 0.1 ms a page instead of 0.03.
_NEW_OBJECTS = 20_000
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_LARGE = 1 << 20  # bytes; the buffers of pages are smaller
_SPARE = 32 << 20  # bytes at the end of the heap that stay allocated


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
    million queued URLs 125-137 MB stayed allocated, with a pinned threshold 104 MB. Pinning it also
    pins the free bytes that the heap keeps, at 128 KB: too little, each page would fetch its memory
    from the system anew.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return bool(
        mallopt and mallopt(_M_MMAP_THRESHOLD, _LARGE) and mallopt(_M_TRIM_THRESHOLD, _SPARE)
    )


STOPPING = "Stopping after the requests in flight. Press Ctrl-C again to stop now."
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Calls a crawl's handler on a signal, or when another thread calls `send`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handler: Callable[[], None] | None = None
        self._early = False  # interrupted before the crawl had begun

    def attach(self, handler: Callable[[], None]) -> None:
        """Python delivers signals to the main thread only; in another one `send` has to do."""
        self._loop, self._handler = asyncio.get_running_loop(), handler
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._loop.add_signal_handler(number, handler)
        if self._early:
            self._loop.call_soon(handler)

    def detach(self) -> None:
        """A loop keeps its handlers, and all they refer to, even after it is closed."""
        loop, self._loop, self._handler = self._loop, None, None
        if loop and threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    def send(self) -> None:
        """Interrupts the crawl, from another thread than its own."""
        loop, handler = self._loop, self._handler
        if loop and handler:
            loop.call_soon_threadsafe(handler)
        else:
            self._early = True
