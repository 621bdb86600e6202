"""Resolves names with the system's resolver, once for all callers, and caches the results.

The system's lookup blocks while a dead name server is silent (10 to 30 s), and asyncio's loops run
it in a few threads (uvloop: 4), so a few dead names would hold up all others. Here every lookup has
its own thread. They are daemon threads: one that hangs does not keep the program from ending.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

# Gives the addresses of a host, best first; raises OSError if there are none.
Resolve = Callable[[str], Awaitable[Sequence[str]]]

_CACHED_S = 300.0  # the system does not give a record's TTL; five minutes is a usual one
_FAILURE_CACHED_S = 30.0  # so that the links of a page to a dead host cost one lookup
_MAX_HOSTS = 20_000  # about 1 KB each
_MAX_THREADS = 256


class Dns:
    """A cache of lookups. `resolve` replaces the system's lookup."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        self._resolve = resolve or SystemLookup()
        self._known: dict[str, _Lookup] = {}  # oldest first

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a host. Raises OSError if it has none."""
        known = self._known.get(host)
        if known is None or known.until < asyncio.get_running_loop().time():
            known = self._begin(host)
        # Shielded: a cancelled caller must not cancel the lookup for the others.
        return await asyncio.shield(known.task)

    def close(self) -> None:
        for lookup in self._known.values():
            lookup.task.cancel()
        self._known.clear()

    def _begin(self, host: str) -> "_Lookup":
        self._known.pop(host, None)  # so that it moves to the end
        if len(self._known) >= _MAX_HOSTS:
            del self._known[next(iter(self._known))]
        lookup = self._known[host] = _Lookup(self._resolve, host)
        return lookup


class _Lookup:
    def __init__(self, resolve: Resolve, host: str) -> None:
        self.until = float("inf")  # valid until then
        self.task = asyncio.ensure_future(resolve(host))
        self.task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Future[Sequence[str]]") -> None:
        failed = task.cancelled() or task.exception() is not None
        self.until = task.get_loop().time() + (_FAILURE_CACHED_S if failed else _CACHED_S)


class SystemLookup:
    """Resolves by the system's rules (hosts file, name servers), in a thread for each lookup."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_MAX_THREADS)

    async def __call__(self, host: str) -> Sequence[str]:
        async with self._free:
            loop = asyncio.get_running_loop()
            found: asyncio.Future[Sequence[str]] = loop.create_future()
            threading.Thread(
                target=_look_up, args=(host, loop, found), name=f"dns {host}", daemon=True
            ).start()
            return await found


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
