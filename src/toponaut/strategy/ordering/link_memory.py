"""What was read of links, kept for other pages that hold them (for combined.py).

The pages of a site share their menus, footers and cards: most links of a page have been seen with
the same text and the same words around them. These name the same places and have the same terms, so
they are read once. Terms are read from fewer words around a link than names.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from toponaut.page.parse.links import words_after, words_before
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Link
from toponaut.strategy.ordering.link_evidence import LinkEvidence, NameEvidence
from toponaut.strategy.ordering.link_terms import around_link, read_links
from toponaut.urls import host_of, registered_domain

KEPT = 16_384  # links, about 200 bytes each

T = TypeVar("T")


class LinkMemory:
    """Reads links, and keeps what the last ones said."""

    def __init__(self, evidence: LinkEvidence, tokeniser: Tokeniser, kept: int = KEPT) -> None:
        self._evidence, self._tokeniser = evidence, tokeniser
        self._terms: _Answers[bytes] = _Answers(kept)
        self._names: _Answers[NameEvidence] = _Answers(kept)

    def terms(self, page: str, text: str, links: Sequence[Link]) -> list[bytes]:
        """The terms of links of the page with this URL and text, as the memo has them."""
        own = registered_domain(host_of(page))
        keys = [
            hash((own, link.url, link.anchor, link.title, around_link(text, link)))
            for link in links
        ]
        return self._terms.find(
            keys, links, lambda new: read_links(self._tokeniser, page, text, new).memos()
        )

    def names(self, text: str, links: Sequence[Link]) -> list[NameEvidence]:
        """How links of the page with this text name targets."""
        keys = [_key_of_names(text, link) for link in links]
        return self._names.find(keys, links, lambda new: self._evidence.names(text, new))


class _Answers(Generic[T]):
    """The last answers, by the hash of all that counts; the oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[int, T] = {}

    def find(
        self, keys: list[int], links: Sequence[Link], read: Callable[[list[Link]], Iterable[T]]
    ) -> list[T]:
        """The answers for links with these keys. `read` reads those that are new."""
        kept = self._kept
        new = {key: link for key, link in zip(keys, links, strict=True) if key not in kept}
        if not new:
            return [kept[key] for key in keys]
        known = {key: kept[key] for key in keys if key in kept}
        read_now = dict(zip(new, read(list(new.values())), strict=True))
        kept |= read_now
        while len(kept) > self._most:
            del kept[next(iter(kept))]
        known |= read_now
        return [known[key] for key in keys]


def _key_of_names(text: str, link: Link) -> int:
    """A number for all that names are read from. A line end next to a link counts, too."""
    start, end = link.start, link.end
    lines = text[start - 1 : start] == "\n", text[end : end + 1] == "\n"
    words = words_before(text, link), words_after(text, link)
    return hash((link.url, link.anchor, link.title, lines, words))
