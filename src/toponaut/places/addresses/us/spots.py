"""Where in a text the rare beginnings of an address may stand: numbers in words, corners, post boxes.

One look at all characters serves the three of them: each is put into classes, and where the classes of neighbours fit, the
text itself is asked. 40 us for a page's text, where three passes of plain searches took 150.
"""

from typing import NamedTuple

import numpy as np

from toponaut.places.addresses.us.words import NUMBER_WORDS

# Classes of a character, as bits: first to third letter of a number in words; end of a joint ("and", "at", "&"), space,
# what may begin a street's name; the letters of "ox".
_FIRST, _SECOND, _THIRD, _JOINT, _SPACE, _NAME, _O, _X = range(8)
_LETTERS = [{word[k] for word in NUMBER_WORDS} for k in range(3)]


def _classes(byte: int) -> int:
    letter = chr(byte)
    small = letter.lower()
    bits = {
        _FIRST: letter.isupper() and small in _LETTERS[0],
        _SECOND: small in _LETTERS[1],
        _THIRD: small in _LETTERS[2],
        _JOINT: letter in "dDtT&@",
        _SPACE: letter == " ",
        # "?" stands for all that Latin-1 has not; the text itself is asked afterwards
        _NAME: byte >= 128 or letter == "?" or letter.isupper() or letter.isdigit(),
        _O: small == "o",
        _X: small == "x",
    }
    return sum(1 << bit for bit, holds in bits.items() if holds)


_CLASSES = bytes(map(_classes, range(256)))


class Spots(NamedTuple):
    """Positions, in order. Each is a mere possibility."""

    numbers: list[int]  # where the first three letters of a number in words may begin
    corners: list[int]  # what stands after a joint: its second street may begin there
    boxes: list[int]  # the end of "box"


def spots_of(text: str) -> Spots:
    # A byte a character, so that positions stay.
    kind = np.frombuffer(text.encode("latin-1", "replace").translate(_CLASSES), np.uint8)
    first, second, third = kind[:-2], kind[1:-1], kind[2:]
    number = first & (second >> _SECOND) & (third >> _THIRD) & 1
    corner = (first >> _JOINT) & (second >> _SPACE) & (third >> _NAME) & 1
    box = (first >> _O) & (second >> _X) & 1
    found = (spots.view(np.bool_).nonzero()[0] for spots in (number, corner, box))
    numbers, corners, boxes = found
    ends = (boxes + 2).tolist()
    if text[-2:].lower() == "ox":
        ends.append(len(text))
    return Spots(numbers.tolist(), (corners + 2).tolist(), ends)
