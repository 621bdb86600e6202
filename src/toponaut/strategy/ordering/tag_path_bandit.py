"""Tag-path bandit: links in groups by their tag path, a group's success decides, with exploration.

After SB-CLASSIFIER (Gauquier, Manolescu and Senellart 2026, arXiv 2602.11874). A group is an arm of
a bandit that sleeps while no link of it waits. The arm that is awake and has the highest

    success + ALPHA * sqrt(log(fetches) / fetches of the arm)

is pulled: upper confidence bounds for sleeping bandits (Kleinberg et al. 2010).

A small form of it. The paper crawls one site, so a group here is a path on a site. It merges
similar paths by clustering; here a path is coarse from the start (page/parse/tag_path.py). Its
reward is the number of targets that a page links to, by a classifier of URLs; here whether the page
is relevant. A failed fetch is a pull without reward. A link's bound is brought up to date when its
turn comes, or when a page shows it again.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from toponaut.records import PAGES, JudgedPage, Link, Outcome, QueuedLink, Visit
from toponaut.strategy.ordering import Ordering, Rating, begin_with_model
from toponaut.strategy.ordering.link_evidence import CELLS, SiteRecords, path_cell, site_cell
from toponaut.strategy.setting import Setting

# Rewards are 0 or 1 and mostly 0. With the paper's 2.8, for rewards of several targets, exploration
# never ends within some thousand fetches.
ALPHA = 0.3
NO_PULLS = frozenset({
    Outcome.SEEDED, Outcome.CONTROL, Outcome.ROBOTS_FILE, Outcome.SITEMAP, Outcome.REDIRECT,
})  # fmt: skip
_CELL = 3  # bytes of a memo


class _TagPathBanditState(msgspec.Struct, frozen=True, tag="tag-path-bandit 1"):
    arms: tuple[bytes, bytes]


class TagPathBandit(Ordering):
    """Upper confidence bounds of groups of links."""

    rates_again: ClassVar[bool] = True
    learns_from: ClassVar[tuple[str, ...]] = ("outcome", "relevant", "ordering_memo")

    def __init__(self) -> None:
        self._arms = SiteRecords()

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        here = site_cell(came.url)
        ratings: dict[int, Rating] = {}
        for path in {link.path for link in links}:
            cell = path_cell(here, path)
            ratings[path] = self._rating(cell)
        return [ratings[link.path] for link in links]

    def _rating(self, cell: int) -> Rating:
        pulls, successes = self._arms.counts(cell)
        bound = self._bound(cell)
        why = f"{bound:.3g}: {successes} of {pulls} links with its tag path led to relevant pages"
        return Rating(bound, 0.0, why, cell.to_bytes(_CELL, "little"))

    def _bound(self, cell: int) -> float:
        """The upper confidence bound of a group; one that was never tried counts as tried once."""
        pulls, successes = self._arms.counts(cell)
        tried = max(pulls, 1)
        return successes / tried + ALPHA * math.sqrt(math.log(2 + self._arms.followed) / tried)

    def again(self, queued: QueuedLink) -> float:
        memo = queued.ordering_memo
        return self._bound(int.from_bytes(memo, "little")) if memo else queued.promise

    def learn(self, visit: Visit) -> None:
        if visit.ordering_memo and visit.outcome not in NO_PULLS:
            relevant = visit.outcome in PAGES and visit.relevant
            self._arms.add(int.from_bytes(visit.ordering_memo, "little") % CELLS, relevant)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_TagPathBanditState(self._arms.saved()))

    def load(self, model: bytes) -> None:
        self._arms.restore(msgspec.msgpack.decode(model, type=_TagPathBanditState).arms)


def build(setting: Setting) -> TagPathBandit:
    ordering = TagPathBandit()
    begin_with_model(ordering, setting)
    return ordering
