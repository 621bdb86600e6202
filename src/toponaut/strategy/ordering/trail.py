"""The links that led to a page, as far back as visits are kept.

    seed --a--> page --b--> page --c--> this one        its trail: c, b, a

The memo of the last link is in the page's visit. Memos of earlier links are kept here for the last
visits, so a page fetched later has a shorter trail. A redirect does not count as a hop; a page that
says noindex does.
"""

from collections.abc import Iterator
from struct import Struct

from toponaut.records import PAGES, Outcome, Visit

LENGTH = 100_000  # visits of 150 bytes: 15 MB (bench/lookahead.py)
_LEADS_ON = PAGES | {Outcome.NO_INDEX, Outcome.REDIRECT}  # visits that find links
_NUMBERS = Struct("<qq")


class Trail:
    """A fold over visits: how each of the last ones was reached, and from which visit."""

    def __init__(self, length: int = LENGTH) -> None:
        self.length = length
        self._hops = [b""] * length  # at sequence modulo length: sequence, found, memo

    def add(self, visit: Visit) -> None:
        """Keep a visit, in place of the one `length` visits earlier."""
        if visit.ordering_memo and visit.outcome in _LEADS_ON:
            kept = _NUMBERS.pack(visit.sequence, self._origin(visit)) + visit.ordering_memo
            self._hops[visit.sequence % self.length] = kept

    def back_from(self, visit: Visit, most: int) -> Iterator[bytes]:
        """The memos of the links that led to a page, the last first, at most `most`.

        It ends at a link without a memo (a seed or a sitemap) or one followed too long ago.
        """
        memo, found = visit.ordering_memo, self._origin(visit)
        for _ in range(most):
            if not memo:
                return
            yield memo
            found, memo = self._hop(found)

    def _origin(self, visit: Visit) -> int:
        """The visit that found the link; after a redirect, the one that found the first link."""
        return self._hop(visit.found_by)[0] if visit.redirects else visit.found_by

    def _hop(self, sequence: int) -> tuple[int, bytes]:
        """The visit that found the link to a visit, and the link's memo; (-1, b"") if not kept."""
        hop = self._hops[sequence % self.length]
        if not hop:
            return -1, b""
        kept, found = _NUMBERS.unpack_from(hop)
        return (found, hop[_NUMBERS.size :]) if kept == sequence else (-1, b"")

    def saved(self) -> list[bytes]:
        return [hop for hop in self._hops if hop]

    def restore(self, saved: list[bytes]) -> None:
        """Take over a saved trail. Raises ValueError if it is not one."""
        if not all(len(hop) > _NUMBERS.size for hop in saved):
            raise ValueError("its trail is damaged")
        for hop in saved:
            self._hops[_NUMBERS.unpack_from(hop)[0] % self.length] = hop


def memos_in(saved: list[bytes]) -> list[bytes]:
    """The memos in a saved trail."""
    return [hop[_NUMBERS.size :] for hop in saved]
