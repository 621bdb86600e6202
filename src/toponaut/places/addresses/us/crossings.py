"""Corners of two streets: "5th & Main", "Corner of Elm St and 3rd Ave", "Wilshire Blvd at Fairfax Ave".

A corner is harder to tell from prose than a number, so it must stand by itself: it fills a line or cell, or "corner
of" introduces it, or town and state follow.
"""

from collections.abc import Iterator
from itertools import islice

from toponaut.places.addresses.us.anchors import Anchor
from toponaut.places.addresses.us.scan import Gap, Word, read_words
from toponaut.places.addresses.us.spots import BEFORE_CORNER, JOINT_LENGTH, LONGEST_TYPE, Spots
from toponaut.places.addresses.us.street import StreetKind, directed, is_ordinal, read_streets
from toponaut.places.addresses.us.types import STRONG
from toponaut.places.addresses.us.words import DIRECTIONS, TYPELESS

_MOST_JOINTS = 10_000  # of a hostile page: 20 us each
_LONGEST = 4  # words of a street in a corner


def corners(text: str, spots: Spots) -> Iterator[Anchor]:
    """Each corner's stretch, without "corner of"."""
    for spot in islice(spots.joints, _MOST_JOINTS):
        start, end = spot + 2 - JOINT_LENGTH[text[spot]], spot + 2
        if not (text[end].isdigit() or _ends_street(text, start) or _is_introduced(text, start)):
            continue
        left = read_words(text, max(0, start - BEFORE_CORNER), start)
        if not left or not (_may_end(left[-1]) or text[end].isdigit() or _introduced(left)):
            continue
        first = _left_start(left)
        right = read_words(text, end, end + BEFORE_CORNER)
        stop = _right_stop(right)
        if first < len(left) and stop and (_may_end(left[-1]) or _may_end(right[stop - 1])):
            yield Anchor(left[first].start, right[stop - 1].end)


def _ends_street(text: str, end: int) -> bool:
    """Whether the last word before `end` may end a street's name. Most words may not, and to read one is cheap."""
    words = read_words(text, max(0, end - LONGEST_TYPE), end)
    return bool(words) and _may_end(words[-1])


def _is_introduced(text: str, end: int) -> bool:
    before = text[max(0, end - BEFORE_CORNER) : end].lower()
    return "corner" in before or "intersection" in before


def _may_end(word: Word) -> bool:
    return word.key in STRONG or word.key in TYPELESS or is_ordinal(word)


def _introduced(left: list[Word]) -> bool:
    return any(word.key in ("corner", "intersection") for word in left[-_LONGEST - 2 :])


def _left_start(left: list[Word]) -> int:
    """Back over the names of one line."""
    index = len(left)
    while (
        index > 0
        and len(left) - index < _LONGEST
        and left[index - 1].is_name
        and not left[index - 1].text.isdigit()
        and left[index - 1].text not in "#&"
    ):
        if left[index - 1].key in ("corner", "intersection"):
            break
        index -= 1
        if left[index].gap > Gap.SPACE or is_ordinal(left[index]):  # "Acme Plumbing 5th & Main"
            break
    return index - 1 if 0 < index < len(left) and _directs(left, index) else index


def _directs(left: list[Word], index: int) -> bool:
    """ "N. 5th & Main": a direction before the ordinal belongs to it."""
    return (
        is_ordinal(left[index])
        and left[index].gap == Gap.SPACE
        and left[index - 1].key in DIRECTIONS
    )


def _right_stop(right: list[Word]) -> int:
    """The end of the second street: at its type, its number, or at a gap after one name."""
    if not right or not right[0].is_name:
        return 0
    typed = next(
        (
            street.stop
            for street in read_streets(right, 0)
            if street.kind >= StreetKind.GRID and street.strong
        ),
        0,
    )
    if typed:
        return directed(right, typed)
    if is_ordinal(right[0]) or len(right) == 1 or right[1].gap > Gap.SPACE:
        return directed(right, 1)
    return 0
