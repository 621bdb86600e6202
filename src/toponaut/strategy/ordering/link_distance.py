"""Link distance: the nearer a relevant page, the sooner (Ahlers and Boll 2009, section 4).

With a cut-off it is their earlier crawler, "a strict geospatial focus with a fixed cut-off
distance", which "will exhaust the crawl rather quickly" (section 6.1).
"""

from collections.abc import Sequence
from typing import ClassVar

from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.setting import Setting


class LinkDistance(Ordering):
    """score(child) = decay * score(parent); the score of a seed and of a relevant page is 1."""

    rates_again: ClassVar[bool] = True

    def __init__(self, decay: float, cutoff: int = 0) -> None:
        self._decay = decay
        # The least score that is followed; a little less, because powers are rounded.
        self._least = 0.999 * decay**cutoff if cutoff else 0.0

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        own = 1.0 if judged.relevant else came.score
        score = self._decay * own
        relevant = ", a relevant page" if judged.relevant else ""
        why = f"{self._decay:g} of its page's {own:.3g}{relevant}"
        return [Rating(score, score, why, enters=score >= self._least)] * len(links)


def build(setting: Setting) -> LinkDistance:
    return LinkDistance(setting.job.ordering.decay, setting.job.ordering.cutoff)
