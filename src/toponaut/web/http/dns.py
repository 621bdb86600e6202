"""Names to addresses: looked up by the system, once for all who ask, and remembered.

The system's lookup blocks for as long as a dead name server stays silent (10 to 30 s), and asyncio's loops give
it a handful of threads (uvloop 4), so that a few dead names would hold up all others. Here every lookup has a
thread of its own. The threads are daemons: one that hangs does not keep the program from ending.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

# Finds the addresses of a host, best first; raises OSError if there are none.
Resolve = Callable[[str], Awaitable[Sequence[str]]]

_KEPT_SECONDS = 300.0  # the system does not tell a record's own time; five minutes are a usual one
_FAILURE_SECONDS = 30.0  # long enough that the links of one page to a dead host cost one lookup
_MOST_HOSTS = 20_000  # about 1 KB each, measured
_MOST_THREADS = 256


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
        # shielded: who waits may be cancelled, the others who wait for the same name go on
        return await asyncio.shield(known.task)

    def close(self) -> None:
        """Give up the lookups under way."""
        for lookup in self._known.values():
            lookup.task.cancel()
        self._known.clear()

    def _begin(self, host: str) -> "_Lookup":
        self._known.pop(host, None)  # so that it goes to the end
        if len(self._known) >= _MOST_HOSTS:
            del self._known[next(iter(self._known))]
        lookup = self._known[host] = _Lookup(self._resolve, host)
        return lookup


class _Lookup:
    """One lookup, under way or done."""

    def __init__(self, resolve: Resolve, host: str) -> None:
        self.until = float("inf")  # it counts until then
        self.task = asyncio.ensure_future(resolve(host))
        self.task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Future[Sequence[str]]") -> None:
        failed = task.cancelled() or task.exception() is not None
        self.until = task.get_loop().time() + (_FAILURE_SECONDS if failed else _KEPT_SECONDS)


class SystemLookup:
    """Resolves by the system's rules (hosts file, name servers), in a thread for each lookup."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_MOST_THREADS)

    async def __call__(self, host: str) -> Sequence[str]:
        """The addresses of a host."""
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
    """Runs in its thread. Only OSErrors leave it: a name that cannot even be written down is an unknown one."""
    addresses: Sequence[str] = ()
    error: Exception | None = None
    try:
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        addresses = tuple(dict.fromkeys(str(info[4][0]) for info in infos))
    except OSError as fault:
        error = fault
    except UnicodeError:  # a label of more than 63 letters, or an empty one
        error = socket.gaierror(socket.EAI_NONAME, "not a valid host name")

    def settle() -> None:
        if found.done():
            return
        if error is not None:
            found.set_exception(error)
        else:
            found.set_result(addresses)

    with suppress(RuntimeError):  # the loop has ended meanwhile: nobody waits any more
        loop.call_soon_threadsafe(settle)
