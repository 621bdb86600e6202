"""What every ordering is: links of a judged page in, a promise for each out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from toponaut.errors import InputError
from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy.learning.learner import Learner
from toponaut.strategy.setting import Setting


class Rating(NamedTuple):
    """An ordering's answer for one link."""

    promise: float  # higher is sooner
    score: float  # handed on: the page behind the link finds it in its `QueuedLink`
    why: str
    memo: bytes = b""  # comes back in the `QueuedLink` of the page behind the link and in its `Visit`; at most 900 bytes
    enters: bool = True  # False: it is not to be fetched at all


class Ordering(Learner, ABC):
    """Gives every link its promise. Never reads a clock, a file or chance: ties are the frontier's business."""

    def seed(self) -> Rating:
        """The answer for a seed, which no page holds."""
        return Rating(1.0, 1.0, "a seed")

    @abstractmethod
    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        """The answers for links of a page; `came` is how the page itself was reached."""

    def again(self, queued: QueuedLink) -> float:
        """The promise of a link as it is now, asked when its turn has come: if it has fallen, the link waits on.

        For orderings whose weights drift: none has to touch every waiting link for every page.
        """
        return queued.promise


def begin_with_model(ordering: Ordering, setting: Setting) -> None:
    """Gives an ordering the model of another crawl, if the job names one."""
    section = setting.job.ordering
    if not section.model:
        return
    try:
        ordering.adopt(setting.read(section.model))
    except ValueError as error:
        raise InputError(
            f"ordering.model = {section.model} is no model of {section.strategy} ({error})",
            "Give the file state/ordering.model of an earlier crawl with that ordering, or leave it out",
        ) from error
