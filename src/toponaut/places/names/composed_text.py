"""A link text in composed form (NFC), as names are stored, with the way back to its offsets."""

import unicodedata
from bisect import bisect_left
from typing import NamedTuple

from toponaut.places.names.finder import compose


class ComposedText(NamedTuple):
    """A text in NFC."""

    text: str
    core: tuple[int, int]
    source: str  # the original text
    origin: list[int] | None  # position of each character there; None if the texts are equal


def composed_text(text: str, core: tuple[int, int]) -> ComposedText:
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return ComposedText(text, core, text, None)
    composed, origin = compose(text)
    start, end = core
    return ComposedText(
        composed, (bisect_left(origin, start), bisect_left(origin, end)), text, origin
    )
