"""The page limit of a job, granted to actors in parts: the sum of all grants never exceeds it.

Pages count in all lives of an actor, as its logs tell: what was lost with a machine may be fetched again.
"""

from collections.abc import Mapping

_SHARE = 4  # of what is left every actor gets a quarter of its even share at a time: all come to their end together


class Budget:
    """`limit`: pages in all, 0 for no limit; `pages`: those that each actor has fetched already."""

    def __init__(self, limit: int, pages: Mapping[str, int]) -> None:
        self._limited = limit > 0
        self._granted = dict(pages)
        self._pool = max(limit - sum(pages.values()), 0)

    def grant(self, actor: str, kept: int, pages: int, idle: bool) -> int:
        """How many pages an actor may have fetched, in all its lives; -1 for as many as it likes. Of its last grant it has kept
        so much (it gives back what it has no use for), and has fetched so many pages."""
        if not self._limited:
            return -1
        self._pool += self._granted[actor] - kept
        more = min(max(self._pool // (_SHARE * len(self._granted)), 1), self._pool)
        if idle or kept - pages >= more:
            more = 0
        self._pool -= more
        self._granted[actor] = kept + more
        return self._granted[actor]

    def spent(self, pages: Mapping[str, int]) -> bool:
        """Whether all that may be fetched has been."""
        return (
            self._limited
            and self._pool == 0
            and all(pages[actor] >= many for actor, many in self._granted.items())
        )
