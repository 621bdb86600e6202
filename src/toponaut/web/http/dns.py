"""Resolves names with the system's resolver, once for all callers, and caches the results.

Of several addresses a host has one at a time: the one that it is connected to, by which it shares a
bound with others at that address. A name server can therefore neither hide a server among other
addresses, nor make a host wait by naming its address for slow ones. It is the lowest, so the same
for all hosts with the same addresses, until it cannot be reached; then the next one.

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
from ipaddress import IPv6Address
from queue import SimpleQueue

# Gives the addresses of a host; raises OSError if there are none.
Resolve = Callable[[str], Awaitable[Sequence[str]]]
_LookupRequest = tuple[str, asyncio.AbstractEventLoop, "asyncio.Future[Sequence[str]]"]

_CACHED_S = 300.0  # the system does not give a record's TTL; five minutes is a usual one
_FAILURE_CACHED_S = 30.0  # so that the links of a page to a dead host cost one lookup
_MAX_HOSTS = 20_000  # about 1 KB each
_MAX_THREADS = 256
_MAX_AHEAD = 128  # lookups under way for which `address` begins another


class Dns:
    """A cache of lookups. `resolve` replaces the system's lookup, `allows` is the guard's."""

    def __init__(
        self, resolve: Resolve | None = None, allows: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._allows = allows
        self._system = SystemLookup()
        self._resolve = resolve or self._system
        self._known: dict[str, _Lookup] = {}  # oldest first
        self._running = 0

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a host, first the one that it has now. Raises OSError if it has none."""
        known = self._known.get(host)
        if known is None or known.until < asyncio.get_running_loop().time():
            known = self._begin(host)
        # Shielded: a cancelled caller must not cancel the lookup for the others.
        await asyncio.shield(known.task)
        return known.addresses

    def address(self, host: str) -> str | None:
        """The address of a host now, or the network (/64) of an IPv6 address: that is one server's.

        None while it is looked up; "" if it has none, or if too many lookups are under way.
        """
        known = self._known.get(host)
        if known is None or known.until < asyncio.get_running_loop().time():
            if host[-1] == "]" or host.rpartition(".")[2].isdigit():
                return network_of(host.strip("[]"))
            if self._running >= _MAX_AHEAD:
                return ""
            known = self._begin(host)
        return known.network

    def others(self, host: str) -> int:
        """How many addresses a host has besides the one that it has now."""
        known = self._known.get(host)
        return max(known.allowed - 1, 0) if known else 0

    def leave(self, host: str) -> None:
        """The address of a host cannot be reached: it has the next one now."""
        if known := self._known.get(host):
            known.leave()

    def close(self) -> None:
        for lookup in self._known.values():
            lookup.task.cancel()
        self._known.clear()
        self._system.close()

    def _begin(self, host: str) -> "_Lookup":
        before = self._known.pop(host, None)  # so that it moves to the end
        last = before.addresses[0] if before and before.addresses else ""
        if len(self._known) >= _MAX_HOSTS:
            del self._known[next(iter(self._known))]
        lookup = self._known[host] = _Lookup(self._resolve, host, self._allows, last)
        self._running += 1
        lookup.task.add_done_callback(self._ended)
        return lookup

    def _ended(self, _: "asyncio.Future[Sequence[str]]") -> None:
        self._running -= 1


class _Lookup:
    """`last`: the address that the host had before."""

    def __init__(
        self, resolve: Resolve, host: str, allows: Callable[[str], bool], last: str
    ) -> None:
        self.until = float("inf")  # valid until then
        self.addresses: list[str] = []
        self.allowed = 0  # how many of them, from the first on
        self.network: str | None = None  # while the lookup runs
        self._allows, self._last = allows, last
        self.task = asyncio.ensure_future(resolve(host))
        self.task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Future[Sequence[str]]") -> None:
        failed = task.cancelled() or task.exception() is not None
        found = () if failed else task.result()
        # Those that are refused come last. IPv4 is tried first: where IPv6 does not work, each host
        # would lose a try.
        self.addresses = sorted(
            found, key=lambda one: (not self._allows(one), one != self._last, ":" in one, one)
        )
        self.allowed = sum(map(self._allows, self.addresses))
        self.network = network_of(self.addresses[0]) if self.allowed else ""
        self.until = task.get_loop().time() + (_FAILURE_CACHED_S if failed else _CACHED_S)

    def leave(self) -> None:
        if self.allowed > 1:
            self.addresses.insert(self.allowed - 1, self.addresses.pop(0))
            self.network = network_of(self.addresses[0])


def network_of(address: str) -> str:
    """What counts as one server: an IPv4 address, or 64 bits of an IPv6 address."""
    if ":" not in address:
        return address
    number = IPv6Address(address)
    return str(number.ipv4_mapped or f"{IPv6Address(int(number) >> 64 << 64)}/64")


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
