"""Which links led to a page: the visits of the crawl, as far back as they are remembered.

    seed --a--> page --b--> page --c--> this one        its trail: c, b, a

The memo of the link that led to a page is in its visit; the memos of earlier links are kept here, the last LENGTH of them,
so that a page that was fetched later than that has a shorter trail. A redirect is no hop.
"""

from collections.abc import Iterator

from toponaut.records import PAGES, Outcome, Visit

LENGTH = 100_000  # visits; each takes 260 bytes with a memo of 75, in all 26 MB
_LEADS_ON = PAGES | {Outcome.NO_INDEX, Outcome.REDIRECT}  # visits that find links
_FOUND = 8  # bytes


class Trail:
    """A fold over visits, oldest first."""

    def __init__(self) -> None:
        self._links: dict[int, bytes] = {}  # by sequence: the sequence of the visit that found its link, then its memo

    def add(self, visit: Visit) -> None:
        if visit.memo_then and visit.outcome in _LEADS_ON:
            if len(self._links) == LENGTH:
                del self._links[next(iter(self._links))]
            self._links[visit.sequence] = self._origin(visit).to_bytes(_FOUND, "little", signed=True) + visit.memo_then

    def back_from(self, visit: Visit, most: int) -> Iterator[bytes]:
        """The memos of the links that led to a page, the last first, at most so many."""
        memo, found = visit.memo_then, self._origin(visit)
        for _ in range(most):
            if not memo:
                return
            yield memo
            found, memo = self._hop(found)

    def _origin(self, visit: Visit) -> int:
        """The visit that found the link. Behind a redirect it is the one that found the link that was redirected."""
        return self._hop(visit.found)[0] if visit.redirects else visit.found

    def _hop(self, sequence: int) -> tuple[int, bytes]:
        """Which visit found the link behind a visit, and the link's memo; (-1, b"") for what is not remembered."""
        entry = self._links.get(sequence)
        if entry is None:
            return -1, b""
        return int.from_bytes(entry[:_FOUND], "little", signed=True), entry[_FOUND:]

    def saved(self) -> dict[int, bytes]:
        return self._links

    def restore(self, saved: dict[int, bytes]) -> None:
        """Takes over what was remembered. A ValueError says that it cannot be."""
        if not all(len(entry) > _FOUND for entry in saved.values()):
            raise ValueError("it remembers what are no links")
        self._links = saved
