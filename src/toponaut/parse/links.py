"""The links of a page, each with its anchor and the words around it.

Links are most of the cost of a page (bench/parse.py), so what nearly all of them have in common takes a
short way: double quotes around the address, and an address that is a plain path from the root of the site.
"""

import re

import numpy as np
import numpy.typing as npt

from toponaut.parse.flow import Event, Flow
from toponaut.parse.kinds import LINK, LINK_END, POINT
from toponaut.parse.markup import attributes, tag_name
from toponaut.parse.signs import decoded, one_line, trimmed
from toponaut.records import Link
from toponaut.urls import join

WINDOW_TOKENS = 25
# Text without spaces (Chinese, or a page's trick) is one token; 25 long words have fewer signs than this.
WINDOW_SIGNS = 500
# The largest directories and archives list some thousands; what lists more is a trap, and each costs 5 us.
MAX_LINKS = 20_000

_Offsets = npt.NDArray[np.int64]
_FRAMES = frozenset({"frame", "iframe"})
_ORIGIN = re.compile(r"https?://[^/]+")
# A path that joining and normalising leave as it is: no dot segment, no empty one, nothing to encode.
_PLAIN_PATH = re.compile(r"(?:/(?!\.\.?(?:/|$))[\w.~-]++)++/?", re.ASCII)
_PLAIN_PATH_LENGTH = 1000  # well below the longest URL allowed


# A link element: the indices of its tag, of its end tag and of the first image in it (-1: none), and its
# stretch of the text. A plain tuple: there are many.
_Anchor = tuple[int, int, int, int, int]


def links(page: Flow, source: str, base: str) -> tuple[tuple[Link, ...], bool]:
    """All links of a page in their order, and whether there were more than MAX_LINKS."""
    anchors = _anchors(page.events, len(page.tokens), len(page.text))
    if page.unseen:
        anchors = sorted(anchors + _anchors(page.unseen, len(page.tokens), len(page.text)))
    found = _links(page, anchors, source, base)
    return tuple(found[:MAX_LINKS]), len(found) > MAX_LINKS


def _anchors(events: list[Event], tokens: int, length: int) -> list[_Anchor]:
    """Link elements from their events. One link ends where the next begins: links cannot be nested."""
    anchors: list[_Anchor] = []
    opened = image = -1
    start = 0
    for kind, index, at in events:
        if kind <= LINK_END:
            if opened >= 0:
                anchors.append((opened, index, image, start, at))
            opened = index if kind == LINK else -1
            image, start = -1, at
        elif kind == POINT:
            anchors.append((index, index, -1, at, at))
        elif kind < POINT and image < 0:
            image = index
    if opened >= 0:
        anchors.append((opened, tokens, image, start, length))
    return anchors


def _links(page: Flow, anchors: list[_Anchor], source: str, base: str) -> list[Link]:
    text, tokens, targets = page.text, page.tokens, page.kinds.targets
    origin = _origin(base)
    urls: dict[str, str] = {}  # "" for what leads to no page
    kept: list[tuple[str, str, str, tuple[str, ...]]] = []
    starts: list[int] = []
    ends: list[int] = []
    for first, last, image, start, end in anchors:
        head = tokens[first][0]
        href, title, rel = targets.get(head) or _target(head, framed=first == last)
        if not href:
            continue
        url = urls.get(href)
        if url is None:
            plain = origin and len(href) < _PLAIN_PATH_LENGTH and _PLAIN_PATH.fullmatch(href)
            url = urls[href] = origin + href if plain else _joined(base, href)
        if url:
            if len(kept) > MAX_LINKS:
                break
            start, end = trimmed(text, start, end)
            said = text[start:end] or _unseen_text(page, first, last, image)
            kept.append((url, said, one_line(title) if title else "", tuple(rel.lower().split()) if rel else ()))
            starts.append(start)
            ends.append(end)
    firsts, lasts = _windows(text, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64))
    return [
        Link(url, source, said, title, rel, text[first:start].strip(), text[end:last].strip(), start, end)
        for (url, said, title, rel), first, start, end, last in zip(kept, firsts, starts, ends, lasts, strict=True)
    ]


def _target(head: str, framed: bool) -> tuple[str, str, str]:
    """Address, title and rel of a link's tag, however it is written."""
    given = attributes(head)
    if framed and tag_name(head) in _FRAMES:
        return given.get("src", ""), given.get("title", ""), "frame"
    return given.get("href", ""), given.get("title", ""), given.get("rel", "")


def _joined(base: str, href: str) -> str:
    """The absolute address, or "" for one of no other page."""
    href = href.strip()
    return "" if not href or href[0] == "#" else join(base, href) or ""


def _origin(base: str) -> str:
    """Scheme, host and port of the base if it is in its normal form."""
    found = _ORIGIN.match(base)
    return found[0] if found and join(base, "/") == found[0] + "/" else ""


def _unseen_text(page: Flow, first: int, last: int, image: int) -> str:
    """What a link says that shows no text: its text if it is hidden, or else its image's."""
    hidden = one_line(decoded(" ".join(token[2] for token in page.tokens[first:last])))
    if hidden:
        return hidden
    head = page.tokens[image if image >= 0 else first][0]
    return one_line(attributes(head).get("alt", "")) if "alt" in head.lower() else ""


def _windows(text: str, starts: _Offsets, ends: _Offsets) -> tuple[list[int], list[int]]:
    """Where the windows before `starts` begin, and where those after `ends` stop."""
    padded = f" {text} "
    if padded.isascii():
        blank = np.frombuffer(padded.encode(), dtype=np.uint8) <= ord(" ")
    else:
        blank = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32) <= ord(" ")
    edges = np.flatnonzero(blank[1:] != blank[:-1])  # tokens begin and stop by turns
    begins, stops = edges[::2], edges[1::2]
    if not begins.size:
        return starts.tolist(), ends.tolist()
    before = np.searchsorted(begins, starts)  # how many tokens begin before each start
    firsts = np.where(before > 0, begins[np.maximum(before - WINDOW_TOKENS, 0)], starts)
    done = np.searchsorted(stops, ends, side="right")  # how many tokens are over at each end
    lasts = np.where(done < stops.size, stops[np.minimum(done + WINDOW_TOKENS, stops.size) - 1], ends)
    firsts = np.maximum(firsts, starts - WINDOW_SIGNS)
    lasts = np.minimum(lasts, ends + WINDOW_SIGNS)
    return firsts.tolist(), lasts.tolist()
