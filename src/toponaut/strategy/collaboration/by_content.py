"""By content: the targets that the page with the link names (Gao, Lee and Miao 2006, 3.4.3).

The weights are computed when the page is judged (places/scope.py, ContentFormula).
"""

from collections.abc import Sequence

from toponaut.job.owners import OwnerTable
from toponaut.job.targets import label
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.setting import Setting

_SHOWN_TARGETS = 3  # in a reason
_NAMELESS = "the page names no target"


class ByContent(Collaboration):
    """All links of a page go where the page itself belongs."""

    def __init__(self, gazetteer: Gazetteer, owners: OwnerTable) -> None:
        self._gazetteer, self._owners = gazetteer, owners

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        if not links:
            return []
        owners, target = self._owners.choose(judged.content, "")
        if not target:
            return [Assignment((self._owners.unclaimed(link.url),), _NAMELESS) for link in links]
        return [Assignment(owners, self._why(judged.content))] * len(links)

    def _why(self, content: Sequence[tuple[int, float]]) -> str:
        """ "the page names Kansas City, MO, US (1.42), Kansas City, KS, US (0.31)"."""
        shown = ", ".join(
            f"{label(self._gazetteer.place(place))} ({weight:.2f})"
            for place, weight in content[:_SHOWN_TARGETS]
        )
        hidden = len(content) - _SHOWN_TARGETS
        return f"the page names {shown}" + (f" and {hidden} more" if hidden > 0 else "")


def build(setting: Setting) -> ByContent:
    return ByContent(setting.names.gazetteer, setting.owners)
