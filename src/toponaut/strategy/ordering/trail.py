"""Which links led to a page: the visits of the crawl, as far back as they are remembered.

    seed --a--> page --b--> page --c--> this one        its trail: c, b, a

The memo of the link that led to a page is in its visit; the memos of earlier links are those of the last visits, which are
kept here: a page that is fetched later than that has a shorter trail. A redirect is no hop. Pages that say noindex are one.
"""

from collections.abc import Iterator
from struct import Struct

from toponaut.records import PAGES, Outcome, Visit

LENGTH = 100_000  # visits; each takes 150 bytes, its memo of 93 included: 15 MB in all (bench/lookahead.py)
_LEADS_ON = PAGES | {Outcome.NO_INDEX, Outcome.REDIRECT}  # visits that find links
_NUMBERS = Struct("<qq")


class Trail:
    """A fold over visits: by which link each of the last ones came, and which visit found that link."""

    def __init__(self, length: int = LENGTH) -> None:
        self.length = length
        self._hops = [b""] * length  # at sequence modulo length: sequence, found, memo

    def add(self, visit: Visit) -> None:
        """Remembers a visit; the one before it by the trail's length is forgotten."""
        if visit.ordering_memo and visit.outcome in _LEADS_ON:
            kept = _NUMBERS.pack(visit.sequence, self._origin(visit)) + visit.ordering_memo
            self._hops[visit.sequence % self.length] = kept

    def back_from(self, visit: Visit, most: int) -> Iterator[bytes]:
        """The memos of the links that led to a page, the last first, at most so many. It ends where a link had no memo
        (a seed or a sitemap), or was followed too long ago.
        """
        memo, found = visit.ordering_memo, self._origin(visit)
        for _ in range(most):
            if not memo:
                return
            yield memo
            found, memo = self._hop(found)

    def _origin(self, visit: Visit) -> int:
        """The visit that found the link. Behind a redirect it is the one that found the link that was redirected."""
        return self._hop(visit.found_by)[0] if visit.redirects else visit.found_by

    def _hop(self, sequence: int) -> tuple[int, bytes]:
        """Which visit found the link to a visit, and the link's memo; (-1, b"") for what is not remembered."""
        hop = self._hops[sequence % self.length]
        if not hop:
            return -1, b""
        kept, found = _NUMBERS.unpack_from(hop)
        return (found, hop[_NUMBERS.size :]) if kept == sequence else (-1, b"")

    def saved(self) -> list[bytes]:
        return [hop for hop in self._hops if hop]

    def restore(self, saved: list[bytes]) -> None:
        """Takes over what `saved` gave. A ValueError says that it is none of ours."""
        if not all(len(hop) > _NUMBERS.size for hop in saved):
            raise ValueError("it remembers what are no links")
        for hop in saved:
            self._hops[_NUMBERS.unpack_from(hop)[0] % self.length] = hop


def memos_in(saved: list[bytes]) -> list[bytes]:
    """The memos in what a trail has saved."""
    return [hop[_NUMBERS.size :] for hop in saved]
