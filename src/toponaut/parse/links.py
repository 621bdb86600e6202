"""The links of a page, each with its anchor and the words around it.

Links are a third of the cost of a page (bench/parse.py), so what nearly all of them have in common takes a
short way: double quotes around the address, and an address that is a plain path from the root of the site.
"""

import re

from toponaut.parse.flow import Event, Flow
from toponaut.parse.kinds import IMAGE, LINK_END, PLAIN_PATH, POINT, Target
from toponaut.parse.markup import attributes, tag_name
from toponaut.parse.signs import decoded, one_line
from toponaut.parse.words import Words
from toponaut.records import Link
from toponaut.urls import join

WINDOW_TOKENS = 25
# Text without spaces (Chinese, or a page's trick) is one token; 25 long words have fewer signs than this.
WINDOW_SIGNS = 500
# The largest directories and archives list some thousands; what lists more is a trap, and each costs 5 us.
MAX_LINKS = 20_000

_FRAMES = frozenset({"frame", "iframe"})
_ORIGIN = re.compile(r"https?://[^/]+")
_PLAIN_PATH = re.compile(PLAIN_PATH)
_PLAIN_PATH_LENGTH = 1000  # well below the longest URL allowed


# A link element: the indices of its tag, of its end tag and of the first image in it (-1: none), and its
# stretch of the text. A plain tuple: there are many.
_Anchor = tuple[int, int, int, int, int]
_Kept = tuple[str, str | None, str | None, _Anchor]  # URL, title, rel


def links(page: Flow, words: Words, source: str, base: str) -> tuple[tuple[Link, ...], bool]:
    """All links of a page in their order, and whether there were more than MAX_LINKS."""
    anchors = _anchors(page.links, len(page.tokens), len(page.text))
    if page.unseen:
        anchors = sorted(anchors + _anchors(page.unseen, len(page.tokens), len(page.text)))
    found = _links(page, words, anchors, source, base)
    return tuple(found[:MAX_LINKS]), len(found) > MAX_LINKS


def _anchors(events: list[Event], tokens: int, length: int) -> list[_Anchor]:
    """Link elements from their events. One link ends where the next begins: links cannot be nested."""
    anchors: list[_Anchor] = []
    opened = image = -1
    start = 0
    for kind, index, at in events:
        if kind < IMAGE:
            if opened >= 0:
                anchors.append((opened, index, image, start, at))
            opened = index if kind < LINK_END else -1
            image, start = -1, at
        elif kind >= POINT:
            anchors.append((index, index, -1, at, at))
        elif image < 0:
            image = index
    if opened >= 0:
        anchors.append((opened, tokens, image, start, length))
    return anchors


def _links(page: Flow, words: Words, anchors: list[_Anchor], source: str, base: str) -> list[Link]:
    origin = _origin(base)
    urls: dict[str, str] = {}  # "" for what leads to no page
    kept: list[_Kept] = []
    for anchor in anchors:
        plain = page.targets.get(anchor[0])
        path, href, title, rel = plain.groups() if plain else _target(page, anchor)
        if path and origin and len(path) < _PLAIN_PATH_LENGTH:
            url: str | None = origin + path
        else:
            href = path or href or ""
            url = urls.get(href)
            if url is None:
                url = urls[href] = _joined(base, href)
        if url:
            kept.append((url, title, rel, anchor))
            if len(kept) > MAX_LINKS:
                break
    return _with_words(page, words, kept, source) if kept else []


def _with_words(page: Flow, words: Words, kept: list[_Kept], source: str) -> list[Link]:
    """Links with what they say and the words around them."""
    text = page.text
    starts, ends = words.trimmed([one[3][3] for one in kept], [one[3][4] for one in kept])
    firsts, lasts = words.windows(starts, ends, WINDOW_TOKENS, WINDOW_SIGNS)
    stretches = zip(kept, firsts.tolist(), starts.tolist(), ends.tolist(), lasts.tolist(), strict=True)
    return [
        Link(
            url,
            source,
            text[start:end] or _unseen_text(page, anchor),
            one_line(title) if title else "",
            tuple(rel.lower().split()) if rel else (),
            text[first:start].strip(),
            text[end:last].strip(),
            start,
            end,
        )
        for (url, title, rel, anchor), first, start, end, last in stretches
    ]


def _target(page: Flow, anchor: _Anchor) -> Target:
    """What a link's tag leads to, however it is written."""
    head = page.tokens[anchor[0]][0]
    given = attributes(head)
    is_frame = anchor[0] == anchor[1] and tag_name(head) in _FRAMES
    href = given.get("src" if is_frame else "href", "")
    path = href if _PLAIN_PATH.fullmatch(href) else None
    return path, href, given.get("title"), "frame" if is_frame else given.get("rel")


def _joined(base: str, href: str) -> str:
    """The absolute address, or "" for one of no other page."""
    href = href.strip()
    return "" if not href or href[0] == "#" else join(base, href) or ""


def _origin(base: str) -> str:
    """Scheme, host and port of the base if it is in its normal form."""
    found = _ORIGIN.match(base)
    return found[0] if found and join(base, "/") == found[0] + "/" else ""


def _unseen_text(page: Flow, anchor: _Anchor) -> str:
    """What a link says that shows no text: its text if it is hidden, or else its image's."""
    first, last, image = anchor[:3]
    hidden = one_line(decoded(" ".join(page.tokens[at][2] for at in range(first, last))))
    if hidden:
        return hidden
    head = page.tokens[image if image >= 0 else first][0]
    return one_line(attributes(head).get("alt", "")) if "alt" in head.lower() else ""
