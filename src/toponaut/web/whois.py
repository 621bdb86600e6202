"""Asks WHOIS servers about domains (RFC 3912): a name in, a text out, on port 43.

IANA's server names the server of a top-level domain's registry, and that may name the server of the
domain's registrar, which knows the owner. Names of servers come from strangers, so the guard
against private networks applies to them, and answers are bounded.
"""

import asyncio
from contextlib import suppress

from toponaut.errors import InputError
from toponaut.places.whois import referral
from toponaut.web.http.dns import Dns
from toponaut.web.http.guard import GuardedResolver, NetworkGuard

PORT = 43
_MAX_BYTES = 128 * 1024  # an answer has 1 to 10 KB
_MAX_REGISTRIES = 2_000  # remembered: more than there are top-level domains


class WhoisServers:
    """The servers, found from `root`, the one that knows the registries."""

    def __init__(self, root: str, guard: NetworkGuard) -> None:
        self._root = _checked(root)
        self._resolver = GuardedResolver(guard, Dns())
        self._registries: dict[str, str] = {}  # by top-level domain; "": it has none

    async def ask(self, domain: str) -> str:
        """What the last server that answers says about a domain; "" if none does.

        Raises OSError if a registry cannot be asked.
        """
        top = domain.rpartition(".")[2]
        if top not in self._registries:
            server = referral(await self._send(self._root, top))
            if len(self._registries) >= _MAX_REGISTRIES:
                self._registries.clear()
            self._registries[top] = server
        server = self._registries[top]
        if not server:
            return ""
        answer = await self._send(server, domain)
        registrar = referral(answer)
        if registrar and registrar != server:
            with suppress(OSError):  # the registry's answer has to do
                answer = await self._send(registrar, domain) or answer
        return answer

    async def close(self) -> None:
        await self._resolver.close()

    async def _send(self, server: str, query: str) -> str:
        host, _, port = server.partition(":")
        found = await self._resolver.resolve(host, int(port or PORT))
        reader, writer = await asyncio.open_connection(found[0]["host"], found[0]["port"])
        try:
            writer.write(f"{query}\r\n".encode("ascii", "ignore"))
            await writer.drain()
            answer = bytearray()
            while len(answer) < _MAX_BYTES and (part := await reader.read(8192)):
                answer += part
        finally:
            writer.close()
        return answer[:_MAX_BYTES].decode("utf-8", "replace")


def _checked(server: str) -> str:
    """A server's name, with a port if it is not 43."""
    host, _, port = server.partition(":")
    if not host or "/" in server or (port and not port.isdigit()):
        raise InputError(
            f'ordering.whois is not the name of a server: "{server}"',
            'Write one like "whois.iana.org", or leave it empty to ask RDAP alone',
        )
    return server
