"""The links of a page with their anchors, and the words around a link.

Plain links take a short way: a double-quoted URL that is a plain path, perhaps with an origin, and
a visible text. These are 42 % of links on the real web, and nearly all on generated sites. Kernels
build them in 0.3 us each. All others take 2 to 5 us in `_LinkMaker.link`, which is also the twin
for the plain ones.
"""

import re
from functools import lru_cache
from itertools import islice

from toponaut.kernels import COMPILED, Kernels
from toponaut.page.parse.flow import Event, Flow
from toponaut.page.parse.kinds import IMAGE, LINK_END, PLAIN_ORIGIN, PLAIN_PATH, POINT, LinkTarget
from toponaut.page.parse.markup import REPAIRED_CHUNK, attributes, tag_name
from toponaut.page.parse.text import clean, decode_references, one_line, trim
from toponaut.records import Link
from toponaut.urls import join, normalise

# Large directories list some thousands; pages with more links are traps.
MAX_LINKS = 20_000

WINDOW_TOKENS = 25
# Bounds the window in text without spaces (such as Chinese); 25 long words are shorter.
WINDOW_CHARACTERS = 500

_FRAMES = frozenset({"frame", "iframe"})
_ORIGIN = re.compile(rf"({PLAIN_ORIGIN})/")
_PLAIN_URL = re.compile(rf"({PLAIN_ORIGIN})({PLAIN_PATH})")
_PLAIN_PATH = re.compile(PLAIN_PATH)
_PLAIN_PATH_LENGTH = 1000  # well below the URL limit


# A link element: the indices of its tag, its end tag and its first image (-1: none), and its span.
_Anchor = tuple[int, int, int, int, int]


def links(
    page: Flow, source: str, base: str, kernels: Kernels | None = COMPILED
) -> tuple[tuple[Link, ...], bool]:
    """All links of a page in order, and whether there were more than MAX_LINKS."""
    find = kernels.anchors if kernels else anchors_of
    anchors: list[_Anchor] = find(page.links, len(page.tokens), len(page.text))
    if page.unseen:
        anchors = sorted(anchors + find(page.unseen, len(page.tokens), len(page.text)))
    found = _LinkMaker(page, source, base).links(anchors, kernels)
    return tuple(found[:MAX_LINKS]), len(found) > MAX_LINKS


def anchors_of(events: list[Event], tokens: int, length: int) -> list[_Anchor]:
    """Link elements from events. A link ends where the next begins: they cannot be nested."""
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


class _LinkMaker:
    """Makes the links of one page."""

    def __init__(self, page: Flow, source: str, base: str) -> None:
        self._page, self._source, self._base = page, source, base
        found = _ORIGIN.match(base)
        self._home = _normal_origin(found[1]) if found else ""
        self._urls: dict[str, str] = {}  # "" for links to no page

    def links(self, anchors: list[_Anchor], kernels: Kernels | None) -> list[Link]:
        """The links of a page, at most MAX_LINKS + 1."""
        if kernels:
            way = (Link, self._source, self._home, _normal_origin, _PLAIN_PATH_LENGTH)
            return kernels.links(
                self._page.text, anchors, self._page.targets, way, self.link, MAX_LINKS + 1
            )
        return [*islice(filter(None, map(self.link, anchors)), MAX_LINKS + 1)]

    def link(self, anchor: _Anchor) -> Link | None:
        """Any link; None if it leads to no page."""
        plain = self._page.targets.get(anchor[0])
        origin, path, href, title, rel = plain or _target(self._page, anchor)
        site = self._home if origin is None else _normal_origin(origin)
        if href is None and path and site and len(path) < _PLAIN_PATH_LENGTH:
            url = site + path
        else:
            url = self._joined((origin or "") + (path or "") if href is None else href, anchor[0])
            if not url:
                return None
        start, end = trim(self._page.text, *anchor[3:])
        return Link(
            url,
            self._source,
            self._page.text[start:end] or _unseen_text(self._page, anchor),
            one_line(title) if title else "",
            tuple(rel.lower().split()) if rel else (),
            start,
            end,
        )

    def _joined(self, href: str, index: int) -> str:
        """The absolute URL of a link, or ""."""
        if " " in href or not href.isascii():
            href = _as_written(self._page, index, href.strip())
        url = self._urls.get(href)
        if url is None:
            bare = href.strip()
            url = "" if not bare or bare[0] == "#" else join(self._base, bare) or ""
            self._urls[href] = url
        return url


def _target(page: Flow, anchor: _Anchor) -> LinkTarget:
    """The target of any link tag."""
    head = page.tokens[anchor[0]][0]
    given = attributes(head)
    is_frame = anchor[0] == anchor[1] and tag_name(head) in _FRAMES
    href = given.get("src" if is_frame else "href", "")
    rel = "frame" if is_frame else given.get("rel")
    return (
        (None, href, None, given.get("title"), rel)
        if _PLAIN_PATH.fullmatch(href)
        else (None, None, href, given.get("title"), rel)
    )


def _as_written(page: Flow, index: int, href: str) -> str:
    """A non-ASCII URL as written in the page: invisible characters and spaces count in URLs."""
    if (href.isascii() and " " not in href) or page.tokens.chunks[index] == REPAIRED_CHUNK:
        return href
    given = attributes(page.originals[index].partition(">")[0])
    written = given.get("href") or given.get("src", "")
    return written if clean(written)[1].split() == href.split() else href


def absolute(base: str, href: str) -> str:
    """The normal form of a URL in a page; "" if it leads to no page."""
    plain = _PLAIN_URL.fullmatch(href) if len(href) < _PLAIN_PATH_LENGTH else None
    site = _normal_origin(plain[1]) if plain else ""
    return site + plain[2] if plain and site else join(base, href) or ""


@lru_cache(maxsize=4096)
def _normal_origin(origin: str) -> str:
    """The normal form of a plain origin, or "". Cached: 0.2 us for a link instead of 0.6."""
    return (normalise(origin + "/") or "").removesuffix("/")


def _unseen_text(page: Flow, anchor: _Anchor) -> str:
    """The anchor of a link without visible text: its hidden text, or its image's alt text."""
    first, last, image = anchor[:3]
    hidden = " ".join([page.tokens[at][2] for at in range(first, last)])
    said = one_line(decode_references(hidden)) if hidden else ""
    if said:
        return said
    head = page.tokens[image if image >= 0 else first][0]
    return one_line(attributes(head).get("alt", "")) if "alt" in head.lower() else ""


def words_before(text: str, link: Link, words: int = WINDOW_TOKENS) -> str:
    """Up to `words` tokens before a link in its page's text; none for a link without a span."""
    stretch = text[max(link.start - WINDOW_CHARACTERS, 0) : max(link.start, 0)]
    parts = stretch.rsplit(maxsplit=words)
    return (stretch if len(parts) <= words else stretch[len(parts[0]) :]).strip()


def words_after(text: str, link: Link, words: int = WINDOW_TOKENS) -> str:
    """Up to `words` tokens after a link."""
    stretch = text[link.end : link.end + WINDOW_CHARACTERS] if link.end >= 0 else ""
    parts = stretch.split(maxsplit=words)
    return (stretch if len(parts) <= words else stretch[: len(stretch) - len(parts[-1])]).strip()
