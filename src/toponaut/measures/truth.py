"""Measures for a web whose truth is known: recall over time, and the harvest beside the best that could have been.

The synthetic web knows which of its pages are relevant and where its links lead. It is handed in as a `Truth`; nothing here
knows which web it is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct

from toponaut.measures.arrays import Bools, Ints, first_of_each
from toponaut.measures.harvest import POINTS, moments


class WebTruth(Struct, frozen=True):
    """What is known of a web."""

    relevant: Callable[[str], bool]  # whether the page at a URL is
    links: Callable[[str], Sequence[str]] = lambda _: ()  # the URLs that it links to
    total: int = 0  # relevant pages within reach of the seeds; 0: not known, or without end


class TruthPoint(Struct, frozen=True):
    """A moment of the crawl."""

    pages: int
    relevant: int  # distinct relevant pages fetched, by the truth
    recall: float | None  # of all within reach; None where their number is not known
    oracle: int  # relevant pages that the oracle has after as many pages
    of_oracle: float | None  # relevant / oracle


class AgainstTruth(Struct, frozen=True):
    """The crawl beside the truth."""

    total: int
    judged_right: float | None  # share of pages whose judgement agrees with the truth
    false_relevant: int
    false_other: int
    curve: tuple[TruthPoint, ...]


def against_truth(
    relevant: Bools,
    vertex: Ints,
    true: Bools,
    oracle: Sequence[int],
    total: int = 0,
    points: int = POINTS,
) -> AgainstTruth:
    """Recall over time, and the share of the oracle's harvest.

    `relevant`: as the crawl judged its pages; `true`: as they are; `vertex`: their URLs, for a page fetched twice counts once;
    `oracle[n]`: what the oracle has after n pages (see `oracle_harvest`), its last value holds on.
    """
    new = _first_visits(vertex)
    got = np.concatenate([[0], np.cumsum(true & new)])
    curve = []
    for at in moments(len(true), points).tolist():
        have = int(got[at])
        best = oracle[min(at, len(oracle) - 1)] if oracle else 0
        curve.append(
            TruthPoint(
                at, have, have / total if total else None, best, have / best if best else None
            )
        )
    right = float((relevant == true).mean()) if len(true) else None
    return AgainstTruth(
        total, right, int((relevant & ~true).sum()), int((~relevant & true).sum()), tuple(curve)
    )


def _first_visits(vertex: Ints) -> Bools:
    order = np.argsort(vertex, kind="stable")
    first = np.zeros(len(vertex), np.bool_)
    first[order[first_of_each(vertex[order])]] = True
    return first


def oracle_harvest(truth: WebTruth, seeds: Iterable[str], pages: int, ahead: int = 1) -> list[int]:
    """Relevant pages that a crawler has after 0, 1, 2, ... pages if it knows the truth: it fetches the link that is fewest
    links away from a relevant page not fetched yet, looking `ahead` links further; of equal ones the one found first.

    It starts from the seeds and follows links as every crawler must, so it is fair; to find the very best order of all is as
    hard as a Steiner tree, so a lucky crawler may beat it where relevant pages hide further than it looks.
    """
    oracle = _Oracle(truth, ahead)
    oracle.meet(seeds)
    got = [0]
    while len(got) <= pages and (url := oracle.next()) is not None:
        got.append(got[-1] + truth.relevant(url))
        oracle.meet(truth.links(url))
    return got


class _Oracle:
    """The links that an oracle has met and not fetched.

    They wait in queues: those in queue n lead to no relevant page within n - 1 links, as far as pages are not fetched yet. That
    stays true, for pages are only ever fetched; so every link is looked at once in each queue, and only when all that is nearer
    has been taken.
    """

    def __init__(self, truth: WebTruth, ahead: int) -> None:
        self._truth = truth
        self._queues: list[deque[str]] = [deque() for _ in range(ahead + 2)]
        self._met: set[str] = set()
        self._done: set[str] = set()
        self._relevant: dict[str, bool] = {}

    def meet(self, urls: Iterable[str]) -> None:
        for url in urls:
            if url not in self._met:
                self._met.add(url)
                self._queues[0].append(url)

    def next(self) -> str | None:
        """The link that is nearest to a relevant page, now fetched; None if there is none at all."""
        for distance, queue in enumerate(self._queues):
            while queue:
                url = queue.popleft()
                if distance == len(self._queues) - 1 or self._leads(url, distance):
                    self._done.add(url)
                    return url
                self._queues[distance + 1].append(url)
        return None

    def _leads(self, url: str, distance: int) -> bool:
        """Whether a relevant page that is not fetched yet lies so many links from a URL."""
        level, seen = [url], {url}
        for _ in range(distance):
            level = list(
                dict.fromkeys(
                    to for one in level for to in self._truth.links(one) if to not in seen
                )
            )
            seen.update(level)
        return any(one not in self._done and self._is_relevant(one) for one in level)

    def _is_relevant(self, url: str) -> bool:
        if url not in self._relevant:
            self._relevant[url] = self._truth.relevant(url)
        return self._relevant[url]
