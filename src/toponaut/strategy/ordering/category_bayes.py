"""Category Bayes: links whose words are those of geographic links on the seeds come first.

The "classification-aware crawler" with which Kozanidis, Stamou and Spyros 2009 compare geo-rank
(section 4, Table 3). Its naive Bayes classifier is trained once, on the links of a directory's
pages, the seeds: a link is geographic if its anchor text names a place, as the categories of the
directory do. Afterwards every link is judged by its anchor text, and enters the frontier if it is
more likely geographic than not.

The paper relates anchors and category names by WordNet; here the gazetteer says what is a place.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from toponaut.places.names.finder import NameFinder
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.ordering.link_bayes import LinkModels, LinkModelsState
from toponaut.strategy.ordering.link_terms import LinkTerms, read_links, rows_of
from toponaut.strategy.setting import Setting

GEOGRAPHIC, OTHER = b"g", b"o"  # first byte of a training link's memo
_EVEN = 0.5


class _CategoryBayesState(msgspec.Struct, frozen=True, tag="category-bayes 1"):
    model: LinkModelsState


class CategoryBayes(Ordering):
    learns_from: ClassVar[tuple[str, ...]] = ("hops", "outcome", "links.ordering_memo")

    def __init__(self, names: NameFinder) -> None:
        self._names = names
        self._model = LinkModels(1)

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        if not links:
            return []
        # With the same URL for all and no text around, only the words of the anchors differ.
        bare = [replace(link, url=came.url) for link in links]
        read = read_links(self._names.gazetteer.names.tokeniser, came.url, "", bare)
        if came.hops == 0:
            return self._examples(links, read)
        return [
            Rating(chance, chance, f"its words are geographic: {chance:.3g}", enters=chance > _EVEN)
            for chance in self._model.judge(read.rows, read.starts).chances[0].tolist()
        ]

    def _examples(self, links: Sequence[Link], read: LinkTerms) -> list[Rating]:
        """Links of a seed: labelled, and kept in the log to learn from."""
        named = [self._names_a_place(f"{link.anchor} {link.title}") for link in links]
        return [
            Rating(1.0, 1.0, "a seed's link that names a place", GEOGRAPHIC + memo)
            if geographic
            else Rating(0.0, 0.0, "a seed's link that names no place", OTHER + memo)
            for geographic, memo in zip(named, read.memos(), strict=True)
        ]

    def _names_a_place(self, text: str) -> bool:
        return bool(self._names.resolve(self._names.scan(text)))

    def learn(self, visit: Visit) -> None:
        if visit.hops == 0 and visit.outcome in PAGES:
            for link in visit.links:
                if memo := link.ordering_memo:
                    self._model.learn(rows_of(memo[1:]), 1, memo[:1] == GEOGRAPHIC)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_CategoryBayesState(self._model.saved()))

    def load(self, model: bytes) -> None:
        state = msgspec.msgpack.decode(model, type=_CategoryBayesState)
        found = LinkModels(1)
        found.restore(state.model)
        self._model = found


def build(setting: Setting) -> CategoryBayes:
    return CategoryBayes(setting.names)
