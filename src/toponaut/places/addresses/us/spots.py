"""Where in a text the rare beginnings of an address may stand: numbers in words, corners, post boxes.

Each kind is known by three letters in a row, or nearly so; one look at all characters finds all of them, and the text itself
is asked afterwards. 40 us for a page's text, where plain searches for each kind took 180.
"""

from typing import NamedTuple

import numpy as np

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.addresses.us.words import NUMBER_WORDS

_CAPITALS, _DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_OTHERS = "".join(map(chr, range(128, 256))) + "?"  # "?" stands for all that Latin-1 has not


def _both_cases(letters: set[str]) -> str:
    return "".join(letters) + "".join(letters).upper()


# Of each kind what may stand first, second and third.
_KINDS = (
    (
        "".join({word[0].upper() for word in NUMBER_WORDS}),
        _both_cases({word[1] for word in NUMBER_WORDS}),
        _both_cases({word[2] for word in NUMBER_WORDS}),
    ),
    ("dDtT&@", " ", _CAPITALS + _DIGITS + _OTHERS),  # "and", "at", "&", "@" and a name
    ("bB", "oO", "xX"),
    ("rR", "aA", "wW"),  # "drawer"
)


def _table(letters: list[str]) -> bytes:
    """For every byte the kinds, as bits, whose letters have it."""
    return bytes(sum(1 << k for k, some in enumerate(letters) if chr(byte) in some) for byte in range(256))


_FIRST, _SECOND, _THIRD = (_table([kind[place] for kind in _KINDS]) for place in range(3))
# For the kernel: all three in one number, and "?" once more at the end for what Latin-1 has not.
_ALL = (table + table[ord("?") : ord("?") + 1] for table in (_FIRST, _SECOND, _THIRD))
_TABLE = np.array([int.from_bytes(three, "little") for three in zip(*_ALL, strict=True)], np.uint32)


class Spots(NamedTuple):
    """Positions of the first of three letters, in order. Each is a mere possibility."""

    numbers: list[int]
    corners: list[int]
    boxes: list[int]
    drawers: list[int]


def spots_of(text: str, kernels: Kernels | None = COMPILED) -> Spots:
    if kernels:
        return Spots(*kernels.spots(text, _TABLE))
    raw = text.encode("latin-1", "replace")  # a byte a character, so that positions stay
    first, second, third = (np.frombuffer(raw.translate(table), np.uint8) for table in (_FIRST, _SECOND, _THIRD))
    kinds = first[:-2] & second[1:-1] & third[2:]
    at = (kinds != 0).nonzero()[0]
    kinds = kinds[at]
    return Spots(*(at[(kinds & (1 << k)) != 0].tolist() for k in range(len(_KINDS))))
