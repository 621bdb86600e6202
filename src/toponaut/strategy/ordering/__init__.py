"""Orderings: *when* a link is fetched. One module each, with one `rate`; no I/O."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from toponaut.errors import InputError
from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy import Learner
from toponaut.strategy.setting import Setting

__all__ = ["Ordering", "Rating", "begin_with_model"]


class Rating(NamedTuple):
    """An ordering's answer for one link."""

    promise: float  # higher is sooner
    score: float  # passed on to the link's page in its `QueuedLink`
    why: str
    memo: bytes = b""  # returned in the page's `QueuedLink` and `Visit`; at most 900 bytes
    enters: bool = True  # False: the link is not fetched at all


class Ordering(Learner, ABC):
    """Gives every link its promise, without clock, files or random numbers."""

    calibrated: ClassVar[bool] = False
    """Whether promises are probabilities. Then a crawl waits for a host with better links, unless
    its job says otherwise (limits.patience)."""

    rates_again: ClassVar[bool] = False
    """Whether every page rates its links that wait again, not only a relevant page."""

    def seed(self) -> Rating:
        """The rating of a seed, which is on no page."""
        return Rating(1.0, 1.0, "a seed")

    @abstractmethod
    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        """The ratings of links of a page; `came` is the link that led to the page."""

    def rate_better(
        self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link], promises: Sequence[float]
    ) -> list[Rating | None]:
        """The ratings of links whose promise is above the given one; None for the others."""
        rated = zip(self.rate(came, judged, links), promises, strict=True)
        return [rating if rating.promise > promise else None for rating, promise in rated]

    def again(self, queued: QueuedLink) -> float:
        """The current promise of a link when its turn has come: if it has fallen, the link waits.

        For orderings that learn. It saves updating every waiting link after every page.
        """
        return queued.promise


def begin_with_model(ordering: Ordering, setting: Setting) -> None:
    """Start an ordering from the model of another crawl, if the job names one."""
    section = setting.job.ordering
    if not section.model:
        return
    try:
        ordering.adopt(setting.read(section.model))
    except ValueError as error:
        raise InputError(
            f"ordering.model = {section.model} is not a model of {section.strategy} ({error})",
            "Set it to state/ordering.model of an earlier crawl with that ordering, or remove it",
        ) from error
