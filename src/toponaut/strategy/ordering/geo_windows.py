"""How many of the words around a link name places.

Kozanidis, Stamou and Spyros 2009, section 3: "a sliding window of 50 tokens surrounding the link".
The windows of a page's links overlap, so the stretches of text that they cover are read once, as
one text. Links without text (images) are read separately.
"""

import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from toponaut.page.parse.links import WINDOW_TOKENS, words_after, words_before
from toponaut.places.names.finder import EVEN, NameFinder
from toponaut.places.names.tokens import TextTokens
from toponaut.places.names.toponyms import Toponyms
from toponaut.records import Link

# Separates stretches: wider than any gap that context.py looks across, with a word that precedes no
# name.
_APART = "\n\n\n\n\nx\n\n\n\n\n"
_WIDEST = 50  # characters of white space between a link and the next word


class Terms(NamedTuple):
    """The words in a window that are part of a place name, and all its words."""

    named: int
    all: int


class _Windows(NamedTuple):
    """The windows of links in one text, and the edges of the stretches they are in."""

    text: str
    spans: list[tuple[int, int]]
    edges: list[int]


def count_terms(
    names: NameFinder, toponyms: Toponyms | None, page: str, links: Sequence[Link], window: int
) -> list[Terms]:
    """The words in the window of each link. A word counts as named if it belongs to a name that
    probably means a place, and that is entirely in the window."""
    windows = _windows(page, links, window // 2)
    chunks = list(names.gazetteer.names.tokeniser.chunks(windows.text))
    starts = np.concatenate([tokens.start for tokens in chunks])
    found = names.match(names.scan(windows.text), np.array(windows.edges))
    likely = [(match.start, match.end) for match in found if match.odds > EVEN]
    spans = np.array(likely, np.int64).reshape(-1, 2)
    named = [(first, stop) for first, stop in np.searchsorted(starts, spans).tolist()]
    if toponyms is not None:
        named += _wordnet_names(toponyms, chunks)
    firsts, behinds = np.array(_merged(sorted(named)), np.int64).reshape(-1, 2).T
    count = np.concatenate([[0], (behinds - firsts).cumsum()])
    low, high = np.searchsorted(starts, np.array(windows.spans)).T
    # Words of names that end in or before the window, without those that begin before it.
    inside = count[np.searchsorted(behinds, high, "right")] - count[np.searchsorted(firsts, low)]
    pairs = zip(np.maximum(inside, 0).tolist(), (high - low).tolist(), strict=True)
    return [Terms(*pair) for pair in pairs]


def _wordnet_names(toponyms: Toponyms, chunks: Sequence[TextTokens]) -> Iterator[tuple[int, int]]:
    """First token of WordNet's names and the token after the last, counted over all chunks."""
    done = 0
    for tokens in chunks:
        firsts, lasts, _ = toponyms.in_text(tokens)
        yield from zip((firsts + done).tolist(), (lasts + done + 1).tolist(), strict=True)
        done += len(tokens.start)


def _merged(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted stretches, with overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for low, high in stretches:
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


# --- windows --------------------------------------------------------------------------------------


def _windows(page: str, links: Sequence[Link], half: int) -> _Windows:
    composed = page.isascii() or unicodedata.is_normalized("NFC", page)  # names are in NFC
    stretches = [_stretch(page, link, half) if composed else None for link in links]
    merged = _merged(sorted(stretch for stretch in stretches if stretch))
    lows = [low for low, _ in merged]
    texts = [page[low:high] for low, high in merged]
    texts += [
        _separate_text(page, link, half)
        for link, stretch in zip(links, stretches, strict=True)
        if not stretch
    ]
    begins = [0, *accumulate(len(text) + len(_APART) for text in texts)][:-1]
    unseen = iter(range(len(merged), len(texts)))
    spans = []
    for stretch in stretches:
        if stretch:
            part = bisect(lows, stretch[0]) - 1
            shift = begins[part] - lows[part]
            spans.append((stretch[0] + shift, stretch[1] + shift))
        else:
            part = next(unseen)
            spans.append((begins[part], begins[part] + len(texts[part])))
    edges = [
        edge
        for begin, text in zip(begins, texts, strict=True)
        for edge in (begin, begin + len(text))
    ]
    return _Windows(_APART.join(texts), spans, edges)


def _stretch(page: str, link: Link, half: int) -> tuple[int, int] | None:
    """Where the window of a link begins and ends in its page's text; None if it is not there."""
    start, end = link.start, link.end
    before, after = _neighbours(page, link, half)
    low = page.rfind(before, max(start - len(before) - _WIDEST, 0), start) if before else start
    high = page.find(after, end, end + len(after) + _WIDEST) if after else end
    seen = low >= 0 and high >= 0 and start < end and page[start:end] == link.anchor
    return (low, high + len(after)) if seen else None


def _separate_text(page: str, link: Link, half: int) -> str:
    before, after = _neighbours(page, link, half)
    text = f"{before}\n{link.anchor}\n{after}"
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _neighbours(page: str, link: Link, half: int) -> tuple[str, str]:
    """The words before and after a link, `half` each at most."""
    half = min(half, WINDOW_TOKENS)
    return words_before(page, link, half), words_after(page, link, half)
