"""Random draws without state: each is a hash of a key, so any page can be made on its own."""

from collections.abc import Sequence
from struct import Struct
from typing import TypeVar

from xxhash import xxh3_64_intdigest

_pack = Struct("<QQ").pack
_MASK = (1 << 64) - 1
_UNIT = 1.0 / (1 << 53)

T = TypeVar("T")


def mix(key: int, salt: int) -> int:
    """64 pseudo-random bits that depend on both."""
    return xxh3_64_intdigest(_pack(key & _MASK, salt & _MASK))


def unit(key: int, salt: int) -> float:
    """A number in [0, 1)."""
    return (xxh3_64_intdigest(_pack(key & _MASK, salt & _MASK)) >> 11) * _UNIT


def pick(options: Sequence[T], key: int, salt: int) -> T:
    """One of several options, all equally likely."""
    return options[mix(key, salt) % len(options)]


def name_key(name: str) -> int:
    """The key of a text, such as a URL or a host."""
    return xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"))
