"""Repeated cards: what the lines above a page's addresses have in common.

A directory repeats one card: a badge, a name, a category with the town, an address. Lines are
compared by their position above the address, without town, state and numbers. The name differs from
card to card; "Pawn Shop · Troy, NY" and "4.5 (12 reviews)" come again. Where many lines in one
position are places ("Chelsea", "Tribeca"), the others are, too, whether known or not.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import cython

from toponaut.records import Address

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

FEWEST = 4  # cards of which a page is a list
_SLOTS = 4  # lines above an address that are compared
_LONGEST_LINE = 160
_DISTINCT = 0.5  # of the lines in one position; fewer differ: it is no position of names
_FREQUENT = 0.34  # of all cards; a line of so many is a label or a badge
_PLACES = 0.4  # of the lines in one position; more are places: it is the position of places
_DIGITS = re.compile(r"\d+")


IsPlace = Callable[[str, Address], bool]


class RepeatedCards:
    """The lines above the addresses of one page that recur from card to card."""

    def __init__(self, text: str, addresses: Sequence[Address], is_place: IsPlace) -> None:
        """`is_place`: whether a line only names a place, for an address."""
        self._slots: tuple[bool, ...] = (False,) * _SLOTS
        self._frequent: frozenset[str] = frozenset()
        if len(addresses) >= FEWEST:
            self._compare(text, addresses, is_place)

    def _compare(self, text: str, addresses: Sequence[Address], is_place: IsPlace) -> None:
        by_slot: list[list[str]] = [[] for _ in range(_SLOTS)]
        whole: list[list[tuple[str, Address]]] = [[] for _ in range(_SLOTS)]
        floor = 0
        for one in addresses:
            for k, line in enumerate(_lines_above(text, one.start, floor)):
                by_slot[k].append(without_place(line, one))
                whole[k].append((line, one))
            floor = one.end
        self._slots = tuple(
            len(lines) >= FEWEST
            and (
                len(set(lines)) <= _DISTINCT * len(lines)
                or sum([is_place(*pair) for pair in whole[k]]) >= _PLACES * len(lines)
            )
            for k, lines in enumerate(by_slot)
        )
        counts = Counter(line for lines in by_slot for line in lines)
        least = max(FEWEST - 1, _FREQUENT * len(addresses))
        self._frequent = frozenset(line for line, count in counts.items() if count >= least)

    def recurs(self, slot: int, line: str, address: Address) -> bool:
        """Whether the line in a position above an address (0: right above) is no name."""
        if not self._frequent and not any(self._slots):
            return False
        if slot < _SLOTS and self._slots[slot]:
            return True
        return without_place(line, address) in self._frequent


def _lines_above(text: str, start: int, floor: int) -> list[str]:
    """The nearest lines with text above the line of an address, nearest first."""
    end = text.rfind("\n", floor, start)
    lines: list[str] = []
    while end > floor and len(lines) < _SLOTS:
        first = text.rfind("\n", floor, end) + 1 or floor
        line = text[max(first, end - _LONGEST_LINE) : end].strip()
        if line:
            lines.append(line)
        end = first - 1
    return lines


def without_place(line: str, address: Address) -> str:
    """A line without the address's town and state, and with all numbers alike."""
    if address.city and address.city in line:
        line = line.replace(address.city, "")
        if address.state:
            line = line.replace(f", {address.state}", "")
    return _DIGITS.sub("0", line).strip(" ·•|,–—-")
