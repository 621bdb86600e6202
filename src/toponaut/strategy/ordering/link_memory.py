"""What was read of links, kept for other pages that hold them (for combined.py).

The pages of a site share their menus, footers and cards: most links of a page have been seen with
the same text and the same words around them. These name the same places and have the same terms, so
they are read once.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toponaut.page.parse.links import words_after, words_before
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Link
from toponaut.strategy.ordering.link_evidence import LinkEvidence, NameEvidence
from toponaut.strategy.ordering.link_terms import around_link, read_links
from toponaut.urls import host_of, registered_domain

KEPT = 16_384  # links, about 400 bytes each


class ReadLink(NamedTuple):
    """What a link says."""

    names: NameEvidence
    terms: bytes  # its part of a memo


class LinkMemory:
    """Reads links, and keeps what the last ones said."""

    def __init__(self, evidence: LinkEvidence, tokeniser: Tokeniser, kept: int = KEPT) -> None:
        self._evidence, self._tokeniser, self._most = evidence, tokeniser, kept
        self._kept: dict[int, ReadLink] = {}  # by the hash of all that counts; the oldest first

    def read(self, page: str, text: str, links: Sequence[Link]) -> list[ReadLink]:
        """What links of the page with this URL and text say."""
        keys = list(self._keys(page, text, links))
        known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: link for key, link in zip(keys, links, strict=True) if key not in known}
        if new:
            known |= zip(new, self._read(page, text, list(new.values())), strict=True)
            self._keep(known)
        return [known[key] for key in keys]

    def _read(self, page: str, text: str, links: list[Link]) -> Iterator[ReadLink]:
        names = self._evidence.names(text, links)
        terms = read_links(self._tokeniser, page, text, links).memos()
        return map(ReadLink, names, terms)

    def _keep(self, read: dict[int, ReadLink]) -> None:
        self._kept |= read
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def _keys(self, page: str, text: str, links: Sequence[Link]) -> Iterator[int]:
        """A number for all that `_read` looks at. A line end next to a link counts, too."""
        own = registered_domain(host_of(page))
        for link in links:
            start, end = link.start, link.end
            lines = text[start - 1 : start] == "\n", text[end : end + 1] == "\n"
            words = words_before(text, link), words_after(text, link)
            yield hash(
                (own, link.url, link.anchor, link.title, lines, words, around_link(text, link))
            )
