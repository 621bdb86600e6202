"""The links of a page with their anchors, and the words around a link.

Most URLs of links are plain: a path, perhaps after an origin, that joining and normalising leave
unchanged. They take a tenth of the time of the others.
"""

import re
from functools import lru_cache

import cython

from toponaut.page.parse.kinds import IMAGE, LINK_END, POINT
from toponaut.page.parse.markup import attributes, tag_name
from toponaut.page.parse.stream import Event, Flow
from toponaut.page.parse.tag_path import TagPaths, class_code
from toponaut.page.parse.text import decode_references, from_utf8, one_line, spaced, to_utf8
from toponaut.page.parse.tokens import MarkupTokens
from toponaut.records import Link
from toponaut.urls import join, normalise

# Large directories list some thousands; pages with more links are traps.
MAX_LINKS = 20_000

WINDOW_TOKENS = 25
# Bounds the window in text without spaces (such as Chinese); 25 long words are shorter.
WINDOW_CHARACTERS = 500

_INITIALS = "cChHrRsStT"  # of class, href, rel, src and title
_SCHEME = re.compile(r"(?!https?$)[a-z][a-z0-9+.-]*", re.IGNORECASE | re.ASCII)
_FRAMES = frozenset({"frame", "iframe"})
_PLAIN_LENGTH = cython.declare(cython.Py_ssize_t, 1000)  # well below the URL limit
_HOST_LENGTH = cython.declare(cython.Py_ssize_t, 255)
_LINK_END = cython.declare(cython.int, LINK_END)
_IMAGE = cython.declare(cython.int, IMAGE)
_POINT = cython.declare(cython.int, POINT)

# A link element: the indices of its tag, its end tag and its first image (-1: none), and its span.
_Anchor = tuple[int, int, int, int, int]


def links(page: Flow, source: str, base: str) -> tuple[tuple[Link, ...], bool]:
    """All links of a page in order, and whether there were more than MAX_LINKS."""
    anchors = _anchors(page.links, len(page.tokens), len(page.text))
    if page.unseen:
        anchors = sorted(anchors + _anchors(page.unseen, len(page.tokens), len(page.text)))
    maker = _LinkMaker(page, source, base)
    found: list[Link] = []
    for anchor in anchors:
        link = maker.link(anchor)
        if link is None:
            continue
        if len(found) == MAX_LINKS:
            return tuple(found), True
        found.append(link)
    return tuple(found), False


@cython.cfunc
def _anchors(events: list[Event], tokens: int, length: int) -> list[_Anchor]:
    """Link elements from events. A link ends where the next begins: they cannot be nested."""
    anchors: list[_Anchor] = []
    opened: int | None = None
    image: int = -1
    start: int = 0
    number: cython.int
    for kind, index, at in events:
        number = kind
        if number < _IMAGE:
            if opened is not None:
                anchors.append((opened, index, image, start, at))
            opened = index if number < _LINK_END else None
            image, start = -1, at
        elif number >= _POINT:
            anchors.append((index, index, -1, at, at))
        elif image < 0:
            image = index
    if opened is not None:
        anchors.append((opened, tokens, image, start, length))
    return anchors


# The tag of a link, as far as it does not depend on its page: its href; its URL, if it is absolute
# or a plain path; whether it is a path; title, rel, and the code of its class.
_LinkTag = tuple[str, str, bool, str, tuple[str, ...], int]


# Pages of a site share most of their links: two of three tags are known.
@lru_cache(maxsize=8192)
def _link_tag(head: str) -> _LinkTag:
    given = attributes(head, _INITIALS)
    is_frame = tag_name(head) in _FRAMES
    href: str = given.get("src" if is_frame else "href", "")
    rel: str = "frame" if is_frame else given.get("rel", "")
    is_short = len(href) < _PLAIN_LENGTH and " " not in href and href.isascii()
    url: str = href.partition("#")[0] if is_short else ""
    is_path: bool = is_plain_path(url)
    if not is_path:
        url = _plain(url) or normalise(url) or "" if _origin_end(url) else ""
    title = one_line(given.get("title", ""))
    return href, url, is_path, title, tuple(rel.lower().split()), class_code(given.get("class", ""))


@cython.cclass
class _LinkMaker:
    """Makes the links of one page."""

    _page: Flow
    _tokens: MarkupTokens
    _text: str
    _source: str
    _base: str
    _home: str
    _folder: str  # the path of the base up to its last "/"; "" if it is not plain
    _urls: dict[str, str]  # "" for links to no page
    _paths: TagPaths

    def __init__(self, page: Flow, source: str, base: str) -> None:
        self._page, self._tokens, self._text = page, page.tokens, page.text
        self._source, self._base = source, base
        end: cython.Py_ssize_t = _origin_end(base)
        self._home = _normal_origin(base[:end]) if end and base[end : end + 1] == "/" else ""
        folder = base[end : base.rfind("/") + 1] if self._home else ""
        self._folder = folder if is_plain_path(folder) and len(folder) < _PLAIN_LENGTH else ""
        self._urls = {}
        self._paths = TagPaths(page.tokens, page.jumps)

    def link(self, anchor: _Anchor) -> Link | None:
        """The link of an element; None if it leads to no page."""
        first, _, _, begin, stop = anchor
        href, url, is_path, title, rel, code = _link_tag(self._tokens.head(first))
        if is_path:
            url = self._home + url if self._home else ""
        if not url:
            url = self._url(href, first)
            if not url:
                return None
        start: cython.Py_ssize_t = begin
        end: cython.Py_ssize_t = stop
        while start < end and self._text[start].isspace():
            start += 1
        if start == end:
            start = end = begin
        while start < end and self._text[end - 1].isspace():
            end -= 1
        return Link(
            url,
            self._source,
            self._text[start:end] if start < end else _unseen_text(self._page, anchor),
            title,
            rel,
            start,
            end,
            self._paths.path(first, code),
        )

    @cython.cfunc
    def _url(self, href: str, index: int) -> str:
        """The absolute URL of a link, or ""."""
        if " " in href or not href.isascii():
            href = _as_written(self._page, index, href.strip())
        url = self._urls.get(href)
        if url is None:
            bare = href.strip()
            if not bare or bare[0] == "#" or _has_other_scheme(bare):
                url = ""
            else:
                url = self._relative(bare) or _joined(self._base_of(bare), bare)
            self._urls[href] = url
        return url

    @cython.cfunc
    def _base_of(self, href: str) -> str:
        """The part of the base that counts: pages of a site then share the joins of its menus."""
        if not self._home or ":" in href:
            return self._base
        if href[:1] == "/":
            return self._home + "/"
        is_in_folder: cython.bint = self._folder != "" and (href[:1].isalnum() or href[:1] == ".")
        return self._home + self._folder if is_in_folder else self._base

    @cython.cfunc
    def _relative(self, href: str) -> str:
        """The absolute form of a plain path such as "../a/b.html"; "" if it is not plain."""
        folder: str = self._folder
        start: cython.Py_ssize_t = 0
        while href.startswith("../", start):
            start += 3
            folder = folder[: folder.rfind("/", 0, max(len(folder) - 1, 1)) + 1]
        path: str = folder + href[start:]
        if not folder or len(path) >= _PLAIN_LENGTH or not is_plain_path(path):
            return ""
        return self._home + path


def _as_written(page: Flow, index: int, href: str) -> str:
    """A non-ASCII URL as written in the page: invisible characters and spaces count in URLs."""
    if (href.isascii() and " " not in href) or index in page.tokens.repaired:
        return href
    given = attributes(page.originals[index].partition(">")[0])
    written = given.get("href") or given.get("src", "")
    seen = from_utf8(spaced(to_utf8(written)))
    return written if seen.split() == href.split() else href


def absolute(base: str, href: str) -> str:
    """The normal form of a URL in a page; "" if it leads to no page."""
    return _plain(href) or join(base, href) or ""


@cython.cfunc
def _plain(href: str) -> str:
    """The normal form of a plain absolute URL; "" if it is another."""
    start: cython.Py_ssize_t = _origin_end(href)
    if not start or len(href) - start >= _PLAIN_LENGTH or not is_plain_path(href[start:]):
        return ""
    origin: str = _normal_origin(href[:start])
    return origin + href[start:] if origin else ""


@cython.cfunc
def _has_other_scheme(href: str) -> cython.bint:
    """Whether a URL has a scheme that we do not follow, such as "mailto:"."""
    colon: cython.Py_ssize_t = href.find(":")
    return colon > 0 and _SCHEME.fullmatch(href, 0, colon) is not None


@cython.cfunc
def _origin_end(url: str) -> cython.Py_ssize_t:
    """The end of a plain scheme, host and port; 0 if the URL does not start with them.

    Their normal form is the same in all URLs that start with them.
    """
    host: cython.Py_ssize_t = (
        8 if url.startswith("https://") else 7 if url.startswith("http://") else 0
    )
    at: cython.Py_ssize_t = host
    while host and at < len(url) and at - host < _HOST_LENGTH:
        sign: cython.Py_UCS4 = url[at]
        if not (_in_plain_name(sign) or sign == "." or sign == ":") or sign == "~":
            break
        at += 1
    return at if at > host else 0


@cython.ccall
def is_plain_path(path: str) -> cython.bint:
    """Whether joining and normalising leave a path unchanged, as no part is empty or a dot."""
    sign: cython.Py_UCS4
    is_start: cython.bint = False  # of a part
    if path[:1] != "/":
        return False
    for sign in path:
        if sign == "/":
            if is_start:
                return False
            is_start = True
        elif _in_plain_name(sign) or (sign == "." and not is_start):
            is_start = False
        else:
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _in_plain_name(sign: cython.Py_UCS4) -> cython.bint:
    return (
        "a" <= sign <= "z"
        or "A" <= sign <= "Z"
        or "0" <= sign <= "9"
        or sign == "-"
        or sign == "_"
        or sign == "~"
    )


@lru_cache(maxsize=8192)
def _joined(base: str, href: str) -> str:
    return join(base, href) or ""


@lru_cache(maxsize=4096)
def _normal_origin(origin: str) -> str:
    """The normal form of a plain origin, or "". Cached: 0.2 us for a link instead of 0.6."""
    return (normalise(origin + "/") or "").removesuffix("/")


def _unseen_text(page: Flow, anchor: _Anchor) -> str:
    """The anchor of a link without visible text: its hidden text, or its image's alt text."""
    first, last, image = anchor[:3]
    hidden = " ".join([page.tokens.text(at) for at in range(first, last)])
    said = one_line(decode_references(hidden)) if hidden else ""
    if said:
        return said
    head = page.tokens.head(image if image >= 0 else first)
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
    return (
        stretch if len(parts) <= words else stretch[: len(stretch) - len(parts[len(parts) - 1])]
    ).strip()
