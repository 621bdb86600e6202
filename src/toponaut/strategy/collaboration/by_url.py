"""By URL: the targets that a link's own URL names (Gao, Lee and Miao 2006, section 3.4.1).

"http://www.houston-guide.com" leads to pages about Houston. If a URL names several targets, all are
equally probable, so that policy A takes the most populous.
"""

from collections.abc import Sequence

from toponaut.places.names.link_names import LinkNames, NamedTarget
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.collaboration.reasons import PlaceWords, unclaimed
from toponaut.strategy.setting import Setting


class ByUrl(Collaboration):
    by_url_alone = True

    def __init__(self, setting: Setting) -> None:
        self._owners = setting.owners
        self._place_words = PlaceWords(setting.names.gazetteer, setting.owners)
        self._names = LinkNames(setting.names, setting.owners.target_of)
        why = unclaimed(self._owners, "no target is named in the URL")
        self._nameless = {node: Assignment((node,), why) for node in self._owners.nodes}

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:  # noqa: ARG002
        found = self._names.in_urls([link.url for link in links])
        unclaimed = self._owners.unclaimed
        return [
            self._claimed(link.url, names) if names else self._nameless[unclaimed(link.url)]
            for link, names in zip(links, found, strict=True)
        ]

    def _claimed(self, url: str, names: Sequence[NamedTarget]) -> Assignment:
        # Reversed: the first name of each target wins.
        targets = {self._owners.target(name.place): name for name in reversed(names)}
        owners, chosen = self._owners.choose([(target, 1.0) for target in targets], url)
        first = targets.pop(chosen)
        named = self._place_words.named
        shown = [named(name.place, name.text) for name in (first, *targets.values())]
        return Assignment(owners, f"the URL names {', '.join(shown)}")


def build(setting: Setting) -> ByUrl:
    return ByUrl(setting)
