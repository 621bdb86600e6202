"""All that is known of a link before it is followed, as one row of numbers (for ordering/combined.py).

Each evidence is 0 where it says nothing, and of the size of 1 where it says something, so that weights can be compared. A
row is kept with the link, a byte for each number, and comes back when the page behind the link was judged.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.anchors import LinkReader
from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.urls import host_of

# What can be told of a link when it is found and does not change until it is followed.
FIXED = (
    "bias",
    "nearness of a relevant page",  # link distance's score: 1/2 behind a relevant page or a seed, 1/4 one link on, ...
    "a relevant page holds it",
    "the URL names a target",
    "the link text names a target",
    "a target is named near it",
    "its page is about targets",
    "stays on its site",
    "depth in its host",
    "many links beside it",
)
# What changes while it waits: looked up again when its turn has come.
MOVING = ("words of links that led on", "record of its site", "record of links from there")
NAMES = FIXED + MOVING
_STEPS = 16.0  # of a number of size 1 in its byte: -8 to 8 in steps of 1/16
_FEW_LINKS = math.log(20)


class LinkEvidence:
    """Reads links. `row`: that of a place in the gazetteer, by its id."""

    def __init__(self, reader: LinkReader, row: Callable[[int], int]) -> None:
        self._reader, self._row = reader, row

    def read(
        self,
        came: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        score: float,
        same_site: Sequence[bool],
    ) -> NDArray[np.float64]:
        """The fixed evidence of links of a page, a row for each."""
        found = np.zeros((len(links), len(FIXED)))
        found[:, 0] = 1.0
        found[:, 1] = 2 * score
        found[:, 2] = judged.relevant
        in_urls, anchored = self._reader.read(judged.page.text, links)
        found[:, 3] = [bool(names) for names in in_urls]
        for k, named in anchored.items():
            found[k, 5 if named.words else 4] = 1 / max(named.words, 1)
        found[:, 6] = self._about_targets(judged)
        found[:, 7] = same_site
        here = host_of(came.url) if came.url else ""
        found[:, 8] = [
            min(came.depth + 1, 5) / 5 if host_of(link.url) == here else 0.0 for link in links
        ]
        found[:, 9] = max(math.log(1 + len(judged.page.links)) - _FEW_LINKS, 0.0)
        return found

    def _about_targets(self, judged: JudgedPage) -> float:
        """The share of a page's scope that lies in targets."""
        return sum(
            weight for place, weight in judged.scope if self._reader.inside[self._row(place)]
        )


def packed(fixed: NDArray[np.float64]) -> list[bytes]:
    """Rows of evidence as they are kept."""
    steps = np.clip(np.rint(fixed * _STEPS), -127, 127).astype(np.int8)
    return [row.tobytes() for row in steps]


def unpacked(rows: bytes) -> NDArray[np.float64]:
    """Rows of evidence, of bytes that were kept."""
    return np.frombuffer(rows, np.int8).reshape(-1, len(FIXED)) / _STEPS
