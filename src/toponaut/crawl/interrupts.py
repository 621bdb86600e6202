"""Ctrl-C and SIGTERM for a running crawl, also for one that runs in a thread (a notebook)."""

import asyncio
import signal
import threading
from collections.abc import Callable

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
