"""Measures for a web whose truth is known: correct judgements, and an oracle's harvest.

The truth of the synthetic web is passed in as a `WebTruth`; nothing here knows which web it is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import Bools, Ints, first_of_each, share
from toponaut.measures.harvest import moments


class WebTruth(Struct, frozen=True):
    """The truth about a web."""

    relevant: Callable[[str], bool]  # whether the page at a URL is relevant
    links: Callable[[str], Sequence[str]] = lambda _: ()  # the URLs that it links to


class TruthPoint(Struct, frozen=True):
    """The harvest after `pages` pages."""

    pages: int
    relevant: int  # distinct relevant pages fetched, by the truth
    oracle: int  # relevant pages that the oracle has after as many pages
    of_oracle: float | None  # relevant / oracle


class AgainstTruth(Struct, frozen=True):
    """The crawl compared with the truth."""

    judged_right: float | None  # share of pages judged correctly
    false_relevant: int
    false_other: int
    curve: tuple[TruthPoint, ...]


def against_truth(
    relevant: Bools, vertex: Ints, true: Bools, oracle: Sequence[int]
) -> AgainstTruth:
    """The share of correct judgements, and of the oracle's harvest over time.

    `relevant`: the crawl's judgements; `true`: the truth; `vertex`: the URLs, because a page
    fetched twice counts once; `oracle[n]`: the oracle's harvest after n pages; its last value
    continues.
    """
    new = _first_visits(vertex)
    got = np.concatenate([[0], np.cumsum(true & new)])
    curve = []
    for at in moments(len(true)).tolist():
        have = int(got[at])
        best = oracle[min(at, len(oracle) - 1)] if oracle else 0
        curve.append(TruthPoint(at, have, best, share(have, best)))
    falsely, missed = int((relevant & ~true).sum()), int((~relevant & true).sum())
    right = share((relevant == true).sum(), len(true))
    return AgainstTruth(right, falsely, missed, tuple(curve))


def _first_visits(vertex: Ints) -> Bools:
    order = np.argsort(vertex, kind="stable")
    first = np.zeros(len(vertex), np.bool_)
    first[order[first_of_each(vertex[order])]] = True
    return first


def oracle_harvest(truth: WebTruth, seeds: Iterable[str], pages: int, ahead: int = 1) -> list[int]:
    """Relevant pages after 0, 1, 2, ... pages of a crawler that knows the truth.

    It fetches the link that is fewest links away from an unfetched relevant page, looking `ahead`
    links further; of equal ones the one found first. Like every crawler it starts from the seeds.
    The best possible order is as hard as a Steiner tree, so a lucky crawler may beat it.
    """
    oracle = _Oracle(truth, ahead)
    oracle.add(seeds)
    got = [0]
    while len(got) <= pages and (url := oracle.next()) is not None:
        got.append(got[-1] + truth.relevant(url))
        oracle.add(truth.links(url))
    return got


class _Oracle:
    """The links that an oracle has found and not fetched.

    Links in queue n lead to no unfetched relevant page within n - 1 links. That stays true, so
    every link is examined once in each queue, and only when all nearer ones have been taken.
    """

    def __init__(self, truth: WebTruth, ahead: int) -> None:
        self._truth = truth
        self._queues: list[deque[str]] = [deque() for _ in range(ahead + 2)]
        self._found: set[str] = set()
        self._done: set[str] = set()
        self._relevant: dict[str, bool] = {}

    def add(self, urls: Iterable[str]) -> None:
        for url in urls:
            if url not in self._found:
                self._found.add(url)
                self._queues[0].append(url)

    def next(self) -> str | None:
        """The link nearest to a relevant page, marked as fetched; None if no link is left."""
        for distance, queue in enumerate(self._queues):
            while queue:
                url = queue.popleft()
                if distance == len(self._queues) - 1 or self._leads(url, distance):
                    self._done.add(url)
                    return url
                self._queues[distance + 1].append(url)
        return None

    def _leads(self, url: str, distance: int) -> bool:
        """Whether an unfetched relevant page is `distance` links from a URL."""
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
