"""By anchor: the targets named in a link's extended anchor text (Gao, Lee and Miao 2006, 3.4.2).

The extended anchor text is the link's text and title, and a window of tokens on both sides.
Policy A takes the target closest to the link text (the first one within the text itself).
Policy B takes all of them, the closest as the most probable.
"""

from collections.abc import Sequence

from toponaut.places.names.anchors import AnchorReader, AnchorTargets
from toponaut.places.names.link_names import LinkNames, NearbyTarget
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.collaboration.reasons import PlaceWords, unclaimed
from toponaut.strategy.setting import Setting

_REMEMBERED = 50_000


class ByAnchor(Collaboration):
    def __init__(self, setting: Setting) -> None:
        self._owners = setting.owners
        self._place_words = PlaceWords(setting.names.gazetteer, setting.owners)
        window = setting.job.collaboration.anchor_window
        self._anchors = AnchorReader(LinkNames(setting.names, setting.owners.target_of), window)
        self._takes_all = setting.job.collaboration.policy == "B"
        near = f" or within {_words(window)} of it" if window else ""
        why = unclaimed(self._owners, f"no target is named in the link text{near}")
        # By place, text and position. With one name, the URL does not matter.
        self._claims: dict[tuple[int, str, str], Assignment] = {}
        self._nameless = {node: Assignment((node,), why) for node in self._owners.nodes}

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        if not links:
            return []
        unclaimed = self._owners.unclaimed
        answers = [self._nameless[unclaimed(link.url)] for link in links]
        for k, named in self._anchors.read(judged.page.text, links).items():
            answers[k] = self._claimed(links[k].url, named)
        return answers

    def _claimed(self, url: str, named: AnchorTargets) -> Assignment:
        found = [(near, "in the link text") for near in named.text if not near.words]
        found += [(near, "in the link's title") for near in named.title]
        found += [(near, _where(near.words)) for near in named.text if near.words]
        counting = found if self._takes_all else found[:1]
        if len(counting) > 1:
            return self._assignment(counting, url)
        (place, text, _, _), where = counting[0][0].target, counting[0][1]
        known = self._claims.get((place, text, where))
        if known is None:
            if len(self._claims) > _REMEMBERED:
                self._claims.clear()
            known = self._claims[place, text, where] = self._assignment(counting, url)
        return known

    def _assignment(self, counting: Sequence[tuple[NearbyTarget, str]], url: str) -> Assignment:
        weights = [(near.target.place, 1 / rank) for rank, (near, _) in enumerate(counting, 1)]
        named = self._place_words.named
        reasons = [
            f"{named(near.target.place, near.target.text)} is named {where}"
            for near, where in counting
        ]
        owners = self._owners.choose(weights, url).owners
        return Assignment(owners, ", ".join(dict.fromkeys(reasons)))


def _where(words: int) -> str:
    return f"{_words(abs(words))} {'before' if words < 0 else 'after'} the link text"


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def build(setting: Setting) -> ByAnchor:
    return ByAnchor(setting)
