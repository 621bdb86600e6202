"""The links of a page, each with its anchor and the words around it."""

from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toponaut.parse import kinds as k
from toponaut.parse.flow import Event, Flow
from toponaut.parse.markup import attributes, tag_name
from toponaut.parse.signs import words
from toponaut.records import Link
from toponaut.urls import join

WINDOW_TOKENS = 25
# Text without spaces (Chinese, or a page's trick) is one token; 25 long words have fewer signs than this.
WINDOW_SIGNS = 500
# The largest directories and archives list some thousands; what lists more is a trap, and each costs 10 us.
MAX_LINKS = 20_000
# Links that lead to no other page; urls.join would refuse most of them too, at ten times the cost.
_NO_PAGES = ("#", "javascript:", "mailto:", "tel:", "data:")
_Offsets = npt.NDArray[np.int64]
_FRAMES = frozenset({"frame", "iframe"})


class _Anchor(NamedTuple):
    """Where a link element stands among the tokens and in the text."""

    first: int  # its tag
    last: int  # its end tag
    image: int  # the first image in it, -1 if it has none
    start: int
    end: int
    seen: bool = True


def links(page: Flow, source: str, base: str) -> tuple[tuple[Link, ...], bool]:
    """All links of a page in their order, and whether there were more than MAX_LINKS."""
    anchors = _anchors(page.events, len(page.tokens), len(page.text))
    if page.unseen:
        hidden = _anchors(page.unseen, len(page.tokens), len(page.text))
        anchors = sorted(anchors + [anchor._replace(seen=False) for anchor in hidden], key=attrgetter("first"))
    found = _Links(page, source, base)
    for anchor in anchors[:MAX_LINKS]:
        found.add(anchor)
    return found.with_windows(), len(anchors) > MAX_LINKS


def _anchors(events: list[Event], tokens: int, length: int) -> list[_Anchor]:
    """Link elements from their events. One link ends where the next begins: links cannot be nested."""
    anchors: list[_Anchor] = []
    opened = image = -1
    start = 0
    for kind, index, at in [*events, (k.LINK_END, tokens, length)]:
        if kind > k.POINT:
            continue
        if kind <= k.LINK_END:
            if opened >= 0:
                anchors.append(_Anchor(opened, index, image, start, at))
            opened, image, start = (index, -1, at) if kind == k.LINK else (-1, -1, 0)
        elif kind == k.POINT:
            anchors.append(_Anchor(index, index, -1, at, at))
        elif image < 0:
            image = index
    return anchors


class _Links:
    """Collects links, and gives them their windows all at once."""

    def __init__(self, page: Flow, source: str, base: str) -> None:
        self.page, self.source, self.base = page, source, base
        self.urls: dict[str, str | None] = {}
        self.found: list[tuple[str, str, str, tuple[str, ...], int, int]] = []

    def add(self, anchor: _Anchor) -> None:
        """Takes up a link element if it leads to a page."""
        tokens = self.page.tokens
        head = tokens[anchor.first][0]
        given = attributes(head)
        framed = tag_name(head) in _FRAMES
        href = given.get("src" if framed else "href", "").strip()
        url = self._absolute(href) if href else None
        if url is None:
            return
        start, end = self._trimmed(anchor)
        text = self.page.text[start:end]
        if not anchor.seen:
            text = words(" ".join(token[2] for token in tokens[anchor.first : anchor.last]))
        if not text:
            image = attributes(tokens[anchor.image][0]) if anchor.image >= 0 else given
            text = words(image.get("alt", ""))
        rel = ("frame",) if framed else tuple(given["rel"].lower().split()) if "rel" in given else ()
        title = words(given["title"]) if "title" in given else ""
        self.found.append((url, text, title, rel, start, end))

    def _absolute(self, href: str) -> str | None:
        if href not in self.urls:
            no_page = href.lower().startswith(_NO_PAGES)
            self.urls[href] = None if no_page else join(self.base, href)
        return self.urls[href]

    def _trimmed(self, anchor: _Anchor) -> tuple[int, int]:
        """The stretch of an anchor without the white space around it."""
        start, end = anchor.start, anchor.end
        text = self.page.text[start:end].lstrip()
        return end - len(text), end - len(text) + len(text.rstrip())

    def with_windows(self) -> tuple[Link, ...]:
        """The links with the tokens before and after them."""
        starts = np.array([found[4] for found in self.found], dtype=np.int64)
        ends = np.array([found[5] for found in self.found], dtype=np.int64)
        text = self.page.text
        return tuple(
            Link(
                url=url,
                source=self.source,
                anchor=anchor,
                title=title,
                rel=rel,
                before=text[first:start].strip(),
                after=text[end:last].strip(),
                start=start,
                end=end,
            )
            for (url, anchor, title, rel, start, end), first, last in zip(
                self.found, *_windows(text, starts, ends), strict=True
            )
        )


def _windows(text: str, starts: _Offsets, ends: _Offsets) -> tuple[list[int], list[int]]:
    """Where the windows before `starts` begin, and where those after `ends` stop."""
    blank = np.frombuffer(f" {text} ".encode("utf-32-le", "surrogatepass"), dtype=np.uint32) <= ord(" ")
    begins = np.flatnonzero(blank[:-1] & ~blank[1:])  # of every token
    stops = np.flatnonzero(~blank[:-1] & blank[1:])
    if not begins.size:
        return starts.tolist(), ends.tolist()
    before = np.searchsorted(begins, starts)  # how many tokens begin before each start
    firsts = np.where(before > 0, begins[np.maximum(before - WINDOW_TOKENS, 0)], starts)
    done = np.searchsorted(stops, ends, side="right")  # how many tokens are over at each end
    lasts = np.where(done < stops.size, stops[np.minimum(done + WINDOW_TOKENS, stops.size) - 1], ends)
    firsts = np.maximum(firsts, starts - WINDOW_SIGNS)
    lasts = np.minimum(lasts, ends + WINDOW_SIGNS)
    return firsts.tolist(), lasts.tolist()
