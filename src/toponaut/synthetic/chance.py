"""Chance without state: every draw is a hash of what it is drawn for, so that any page can be made alone."""

from collections.abc import Sequence
from struct import Struct
from typing import TypeVar

from xxhash import xxh3_64_intdigest

_pack = Struct("<QQ").pack
_MASK = (1 << 64) - 1
_UNIT = 1.0 / (1 << 53)

T = TypeVar("T")


def mix(key: int, salt: int) -> int:
    """64 bits that depend on both and look drawn at random."""
    return xxh3_64_intdigest(_pack(key & _MASK, salt & _MASK))


def unit(key: int, salt: int) -> float:
    """A number in [0, 1)."""
    return (xxh3_64_intdigest(_pack(key & _MASK, salt & _MASK)) >> 11) * _UNIT


def pick(options: Sequence[T], key: int, salt: int) -> T:
    """One of several, all alike."""
    return options[mix(key, salt) % len(options)]


def name_key(name: str) -> int:
    """A key for a text: of a URL, of a host."""
    return xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"))
