"""Page score: a link inherits the score of the page that holds it, the plainest focused crawler.

"Best-first" in Menczer, Pant and Srinivasan 2004, there by the similarity of page and topic. The
score of a page is 1 if it is relevant, else the share of its scope that is in targets.
"""

from collections.abc import Sequence
from typing import ClassVar

from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.ordering.link_evidence import LinkEvidence
from toponaut.strategy.setting import Setting


class PageScore(Ordering):
    """Every link of a page is as promising as the page."""

    rates_again: ClassVar[bool] = True

    def __init__(self, evidence: LinkEvidence) -> None:
        self._evidence = evidence

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        score = 1.0 if judged.relevant else self._evidence.about_targets(judged)
        why = "its page is relevant" if judged.relevant else f"{score:.3g} of its page's scope"
        return [Rating(score, score, why)] * len(links)


def build(setting: Setting) -> PageScore:
    return PageScore(LinkEvidence(setting.link_reader(), setting.names.gazetteer.row))
