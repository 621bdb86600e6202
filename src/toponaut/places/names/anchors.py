"""Targets named in the extended anchor texts of links (Gao, Lee and Miao 2006, section 3.4.2).

The extended anchor text is a link's text and title, and a window of tokens before and after the
text. Capitals distinguish names from words. Some pages write all links in lower case ("pizza in
lisbon"): these are read as titles.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toponaut.page.parse.links import words_after, words_before
from toponaut.places.names.link_names import LinkNames, NamedTarget, NearbyTarget
from toponaut.places.names.tokens import CHUNK
from toponaut.records import Link

# Between a link's text and text on other lines: too wide for "Portland, Oregon", so that in a list
# of links "Boston" is not in New York State because "New York" follows.
_NEW_LINE = "\n" * 5
# With fewer characters per link than this, reading the whole page is faster than each window.
_CLOSE = 400

_Span = tuple[int, int]


class AnchorTargets(NamedTuple):
    """The targets that the extended anchor text of a link names."""

    text: Sequence[NearbyTarget]  # in and around the link text, closest first
    title: Sequence[NearbyTarget]

    @property
    def words(self) -> int:
        """Words between the link text and the closest name; 0 inside it or in the title."""
        return 0 if self.title else abs(self.text[0].words)


class AnchorReader:
    """Reads the links of pages. `window`: tokens on each side of a link text."""

    def __init__(self, names: LinkNames, window: int) -> None:
        self._names, self._window = names, window

    def read(self, page: str, links: Sequence[Link]) -> dict[int, AnchorTargets]:
        """The links of a page that name a target, by number. `page`: the text of the page."""
        suspects = self._suspects(page, links) if links else []
        texts, cores = _extended(page, [links[k] for k in suspects])
        titles = [_titled(links[k].title) for k in suspects]
        texts += titles
        cores += [(0, len(title)) for title in titles]
        found = self._names.near(
            texts, cores, self._window, [k for k, text in enumerate(texts) if text]
        )
        both = (
            (link, found.get(k, []), found.get(k + len(suspects), []))
            for k, link in enumerate(suspects)
        )
        return {link: AnchorTargets(text, title) for link, text, title in both if text or title}

    def _suspects(self, page: str, links: Sequence[Link]) -> list[int]:
        """The links that may name a target. A link's answer does not depend on the other links."""
        whole = 0 < len(page) < min(_CLOSE * len(links), CHUNK)
        apart = [k for k, link in enumerate(links) if not whole or _reads_otherwise(page, link)]
        titled = [k for k, link in enumerate(links) if link.title]
        texts, cores = _extended(page, [links[k] for k in apart])
        titles = [_titled(links[k].title) for k in titled]
        texts += titles
        cores += [(0, len(title)) for title in titles]
        whose = apart + titled
        found = {whose[k] for k in self._names.suspects(texts, cores, self._window)}
        if whole:
            spans = [(link.start, link.end) for link in links]
            found.update(self._names.around(page, spans, self._window))
        return sorted(found)


class LinkReader:
    """Reads URLs and anchors. Caches the last answer: ordering and collaboration need the same."""

    def __init__(self, names: LinkNames, window: int) -> None:
        self._names, self._anchors = names, AnchorReader(names, window)
        self.inside = names.inside
        self._last: Sequence[Link] = ()
        self._answer: tuple[list[tuple[NamedTarget, ...]], dict[int, AnchorTargets]] = [], {}

    def read(
        self, page: str, links: Sequence[Link]
    ) -> tuple[list[tuple[NamedTarget, ...]], dict[int, AnchorTargets]]:
        """The targets in each link's URL, and those in anchor texts by the link's number."""
        if links is not self._last:
            self._answer = self.in_urls(links), self._anchors.read(page, links)
            self._last = links
        return self._answer

    def in_urls(self, links: Sequence[Link]) -> list[tuple[NamedTarget, ...]]:
        """The targets in each link's URL."""
        return self._names.in_urls([link.url for link in links])


def _extended(page: str, links: Sequence[Link]) -> tuple[list[str], list[_Span]]:
    """The links' texts with the words around them, and the span of each link text itself."""
    texts, cores = [], []
    for link in links:
        left = _NEW_LINE if page[link.start - 1 : link.start] == "\n" else " "
        right = _NEW_LINE if page[link.end : link.end + 1] == "\n" else " "
        text = f"{words_before(page, link)}{left}{_titled(link.anchor)}"
        cores.append((len(text) - len(link.anchor), len(text)))
        texts.append(f"{text}{right}{words_after(page, link)}")
    return texts, cores


def _reads_otherwise(page: str, link: Link) -> bool:
    """Whether a link's extended text has words that the text of its page does not have there."""
    start, end, anchor = link.start, link.end, link.anchor
    if anchor.islower() or not page.startswith(anchor, start):
        return True
    # "<a>Austin</a><a>Dallas</a>" is one word of the page.
    return (start > 0 and page[start - 1 : start + 1].isalnum()) or (
        page[end - 1 : end + 1].isalnum() and end < len(page)
    )


def _titled(text: str) -> str:
    """A text in lower case as a title. Unchanged if that would shift offsets ("ŉ")."""
    if not text.islower():
        return text
    titled = text.title()
    return titled if len(titled) == len(text) else text
