"""Host names that a place probably has: its own site, its tourist office, its chamber, its library.

The last resort when nothing else is known. Names are looked up; those that exist are seeds.
"""

import asyncio
import socket
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from toponaut.records import Kind, Place
from toponaut.seeds.seed import Seed, make_seed
from toponaut.seeds.service import SourceError

# {n}: the name without spaces, {d}: with hyphens, {s}: the state's code in the US.
_PATTERNS: dict[str, tuple[str, ...]] = {
    "US": (
        "cityof{n}.com", "cityof{n}.org", "cityof{n}.gov", "{n}{s}.gov", "{n}.gov", "{n}-{s}.gov",
        "ci.{n}.{s}.us", "visit{n}.com", "downtown{n}.com", "downtown{n}.org", "{n}chamber.com",
        "{n}chamber.org", "{n}library.org", "{n}.com", "{n}{s}.com",
    ),
    "GB": ("{n}.gov.uk", "visit{n}.co.uk", "visit{n}.com", "{n}.ac.uk", "{n}.co.uk", "{n}.org.uk"),
    "DE": (
        "{d}.de", "stadt-{d}.de", "{d}-tourismus.de", "tourismus-{d}.de", "{d}-erleben.de",
        "visit-{d}.de", "{d}-online.de", "gemeinde-{d}.de", "uni-{d}.de",
    ),
    "FR": (
        "{d}.fr", "ville-{d}.fr", "mairie-{d}.fr", "{d}-tourisme.com", "{d}-tourisme.fr",
        "tourisme-{d}.com", "visit{n}.com",
    ),
    "": ("{d}.{c}", "visit{n}.{c}", "visit{n}.com", "{d}.com"),
}  # fmt: skip
_PATTERNS["AT"] = _PATTERNS["CH"] = (
    "{d}.{c}", "stadt-{d}.{c}", "gemeinde-{d}.{c}", "{d}-tourismus.{c}", "visit-{d}.{c}",
)  # fmt: skip
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "o"})
_AT_ONCE = 16  # lookups

Lookup = Callable[[Sequence[str]], list[bool]]


def likely_hosts(place: Place) -> list[str]:
    """Host names for a place, likeliest first."""
    country = place.country.lower().replace("gb", "uk")
    words = _words(place.name)
    state = place.admin1.lower() if place.country == "US" and place.kind is not Kind.STATE else ""
    patterns = (*_PATTERNS.get(place.country, ()), *_PATTERNS[""])
    named = (
        one.format(n="".join(words), d="-".join(words), s=state, c=country) for one in patterns
    )
    return list(dict.fromkeys(host for host in named if words and not host.endswith(".")))


def _words(name: str) -> list[str]:
    """The words of a name as hosts write them: "Köln" -> "koeln", "St. Paul" -> "st", "paul"."""
    spelled = unicodedata.normalize("NFKD", name.lower().translate(_SPELLED_OUT))
    letters = "".join(
        char for char in spelled if char.isascii() and (char.isalnum() or char in " -")
    )
    return letters.replace("-", " ").split()


def find_hosts(place: Place, lookup: Lookup | None = None) -> Iterator[Seed]:
    """A seed for each likely host name that exists."""
    hosts = likely_hosts(place)
    found = (lookup or _look_up)([f"www.{host}" for host in hosts])
    if not any(found):
        raise SourceError(
            f"none of {len(hosts)} likely hosts exists, such as {hosts[0]}, or there is no network",
            "Check the connection, or give a file: --from FILE",
        )
    for host, exists in zip(hosts, found, strict=True):
        seed = make_seed(f"https://www.{host}/", "hosts", place.name) if exists else None
        if seed:
            yield seed


def _look_up(hosts: Sequence[str]) -> list[bool]:
    """Whether each host name has an address."""

    async def all_of_them() -> list[bool]:
        loop, places = asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE)

        async def exists(host: str) -> bool:
            async with places:
                try:
                    return bool(await loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
                except OSError:
                    return False

        return list(await asyncio.gather(*map(exists, hosts)))

    return asyncio.run(all_of_them())
