"""Resolves names with the system's resolver, once for all callers, and caches the results.

The system's lookup blocks while a dead name server is silent (10 to 30 s), and asyncio's loops run
it in a few threads (uvloop: 4), so a few dead names would hold up all others. Here a lookup never
waits for another: if no thread is idle, it gets a new one. They are daemon threads: one that hangs
does not keep the program from ending.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue

# Gives the addresses of a host, best first; raises OSError if there are none.
Resolve = Callable[[str], Awaitable[Sequence[str]]]
_LookupRequest = tuple[str, asyncio.AbstractEventLoop, "asyncio.Future[Sequence[str]]"]

_CACHED_S = 300.0  # the system does not give a record's TTL; five minutes is a usual one
_FAILURE_CACHED_S = 30.0  # so that the links of a page to a dead host cost one lookup
_MAX_HOSTS = 20_000  # about 1 KB each
_MAX_THREADS = 256
_MAX_AHEAD = 128  # lookups under way for which `address` begins another


class Dns:
    """A cache of lookups. `resolve` replaces the system's lookup."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        self._system = SystemLookup()
        self._resolve = resolve or self._system
        self._known: dict[str, _Lookup] = {}  # oldest first
        self._running = 0

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a host. Raises OSError if it has none."""
        known = self._known.get(host)
        if known is None or known.until < asyncio.get_running_loop().time():
            known = self._begin(host)
        # Shielded: a cancelled caller must not cancel the lookup for the others.
        return await asyncio.shield(known.task)

    def address(self, host: str) -> str | None:
        """One address of a host, the same for all hosts with the same addresses.

        None while it is looked up; "" if it has none, or if too many lookups are under way.
        """
        known = self._known.get(host)
        if known is None or known.until < asyncio.get_running_loop().time():
            if host[-1] == "]" or host.rpartition(".")[2].isdigit():
                return host
            if self._running >= _MAX_AHEAD:
                return ""
            known = self._begin(host)
        return known.address

    def close(self) -> None:
        for lookup in self._known.values():
            lookup.task.cancel()
        self._known.clear()
        self._system.close()

    def _begin(self, host: str) -> "_Lookup":
        self._known.pop(host, None)  # so that it moves to the end
        if len(self._known) >= _MAX_HOSTS:
            del self._known[next(iter(self._known))]
        lookup = self._known[host] = _Lookup(self._resolve, host)
        self._running += 1
        lookup.task.add_done_callback(self._ended)
        return lookup

    def _ended(self, _: "asyncio.Future[Sequence[str]]") -> None:
        self._running -= 1


class _Lookup:
    def __init__(self, resolve: Resolve, host: str) -> None:
        self.until = float("inf")  # valid until then
        self.address: str | None = None  # while the lookup runs
        self.task = asyncio.ensure_future(resolve(host))
        self.task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Future[Sequence[str]]") -> None:
        failed = task.cancelled() or task.exception() is not None
        self.address = "" if failed else min(task.result(), default="")
        self.until = task.get_loop().time() + (_FAILURE_CACHED_S if failed else _CACHED_S)


class SystemLookup:
    """Resolves by the system's rules (hosts file, name servers), in threads that are reused."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_MAX_THREADS)
        self._idle: list[_LookupThread] = []

    async def __call__(self, host: str) -> Sequence[str]:
        async with self._free:
            loop = asyncio.get_running_loop()
            found: asyncio.Future[Sequence[str]] = loop.create_future()
            thread = self._idle.pop() if self._idle else _LookupThread()
            thread.requests.put((host, loop, found))
            try:
                return await found
            finally:
                if not found.cancelled():  # else it may hang, and ends by itself
                    self._idle.append(thread)

    def close(self) -> None:
        """Ends the idle threads."""
        while self._idle:
            self._idle.pop().requests.put(None)


class _LookupThread(threading.Thread):
    """Looks up one host after another, until a caller gives up or there is no request."""

    def __init__(self) -> None:
        super().__init__(name="dns", daemon=True)
        self.requests: SimpleQueue[_LookupRequest | None] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while request := self.requests.get():
            _look_up(*request)
            if request[2].cancelled():
                return


def _look_up(
    host: str, loop: asyncio.AbstractEventLoop, found: "asyncio.Future[Sequence[str]]"
) -> None:
    """Runs in a thread. Reports OSErrors only: an invalid name is an unknown name."""
    addresses: Sequence[str] = ()
    error: Exception | None = None
    try:
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        addresses = tuple(dict.fromkeys(str(info[4][0]) for info in infos))
    except OSError as fault:
        error = fault
    except UnicodeError:  # a label that is empty or has more than 63 letters
        error = socket.gaierror(socket.EAI_NONAME, "not a valid host name")

    def settle() -> None:
        if found.done():
            return
        if error is not None:
            found.set_exception(error)
        else:
            found.set_result(addresses)

    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(settle)
