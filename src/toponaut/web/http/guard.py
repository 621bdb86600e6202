"""The guard: a crawler goes where strangers' links lead, and must not be led into the network it runs in.

Three doors, each shut by itself:
1. The URL: a host that is an address, or a name that never leaves a site (localhost, *.internal), is judged as it
   stands. This is all that can be judged when a proxy makes the connection.
2. Resolution: names are looked up here and nowhere else. Only addresses that passed go to the connector; where a
   name has public and private ones, only the public ones.
3. The connection: the address that a socket is about to connect to is judged once more. As there is no second
   lookup between judgement and connection, a name that changes its address (DNS rebinding) gains nothing.

Addresses that stand for others (IPv4 inside IPv6) are judged by what they stand for.
"""

import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from aiohttp import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult

from toponaut.urls import host_of
from toponaut.web.http.dns import Dns

# Not public, whatever Python's tables (which differ from version to version) say of them.
_NOT_PUBLIC_4 = (
    IPv4Network(
        "192.0.0.0/24"
    ),  # protocol assignments; 192.0.0.192 is the metadata service of Oracle's cloud
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, given up (RFC 7526)
    IPv4Network(
        "168.63.129.16/32"
    ),  # the host service of Azure: a public address, met by its guests only
)
# All that is handed out to the public (RFC 4291, 2.4, and IANA's registry). Unique local fd00::/8 with the metadata
# service fd00:ec2::254, link-local, multicast, loopback and the local NAT64 prefix 64:ff9b:1::/48 lie outside.
_GLOBAL_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo tunnels among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("3fff::/20"),  # documentation (RFC 9637)
)
# Networks whose addresses hold an IPv4 address, and how many bits follow it.
_EMBEDDED = (
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("2002::/16"), 80),  # 6to4
)
# Names that mean a machine of the site: RFC 6761, RFC 6762, RFC 8375, and "internal", reserved by ICANN in 2024
# (metadata.google.internal).
_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa")
_LOCAL_ENDINGS = tuple(f".{name}" for name in _LOCAL_NAMES)


class PrivateAddressError(OSError):
    """A host is, or leads to, an address that is not public."""


@lru_cache(maxsize=65_536)
def is_public(address: str) -> bool:
    """Whether an IP address is one that anybody on the internet may ask. 4 us (IPv6: 9), 0.07 from the cache."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(ip) if isinstance(ip, IPv4Address) else _is_public_6(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    return (
        ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC_4)
    )


def _is_public_6(ip: IPv6Address) -> bool:
    for network, behind in _EMBEDDED:
        if ip in network:
            return _is_public_4(IPv4Address(int(ip) >> behind & 0xFFFFFFFF))
    return ip in _GLOBAL_6 and ip.is_global and not any(ip in network for network in _NOT_PUBLIC_6)


class NetworkGuard:
    """Says which URLs and addresses are refused; none, if the job allows private networks."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private

    def refusal(self, url: str) -> str:
        """Why a URL is refused as it stands, "" if it is not."""
        if not url.startswith(("http://", "https://")):
            return "neither http nor https"
        if self._allow_private:
            return ""
        host = host_of(url).rstrip(".")
        if host.endswith("]") or host.rpartition(".")[2].isdigit():
            return "" if is_public(host.strip("[]")) else f"{host} is not a public address"
        if host in _LOCAL_NAMES or host.endswith(_LOCAL_ENDINGS):
            return f"{host} is a local name"
        return ""

    def allows(self, address: str) -> bool:
        """Whether a connection to an IP address may be made."""
        return self._allow_private or is_public(address)

    def open_socket(self, info: AddrInfoType) -> socket.socket:
        """A socket for one address, asked for by the connector right before it connects."""
        family, kind, protocol, _, address = info
        if not self.allows(str(address[0])):
            raise PrivateAddressError(f"{address[0]} is not a public address")
        return socket.socket(family, kind, protocol)


class GuardedResolver(AbstractResolver):
    """Gives the connector the addresses of a host that the guard allows."""

    def __init__(self, guard: NetworkGuard, dns: Dns) -> None:
        self._guard = guard
        self._dns = dns

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - aiohttp's signature; it sorts by family itself
    ) -> list[ResolveResult]:
        """What aiohttp asks for. Raises OSError, a PrivateAddressError if all addresses are refused."""
        addresses = await self._dns.addresses(host)
        allowed = [address for address in addresses if self._guard.allows(address)]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        if not allowed:
            raise PrivateAddressError(f"{host} is {addresses[0]}, not a public address")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in allowed
        ]

    async def close(self) -> None:
        """Give up the lookups under way."""
        self._dns.close()
