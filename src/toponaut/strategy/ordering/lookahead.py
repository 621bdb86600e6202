"""Lookahead: link distance, raised by the words of a link (Ahlers and Boll 2009, section 4).

    prediction(L) = sum over d of decay^d * P_d(L) / sum of decay^d        d = 1..depth
    promise(L)   = score(L) + prediction(L) * (1 - score(L))

score is that of link distance. P_d is the probability that a link leads to a relevant page d links
on (link_bayes.py), by its URL, its text and the words around it (link_terms.py). A prediction only
raises the promise: missing words do not mean that nothing is there.

**Learning.** No labels are needed. When a page is judged, the link that led to it learns the
outcome at depth 1, the link that led to the page with that link at depth 2, and so on:

    seed --a--> page --b--> page --c--> relevant     c learns "yes" at depth 1, b at 2, a at 3

A link learns once for each visited link of its page, so P_2 is the *share* of relevant pages two
links on. Noindex pages and errors teach nothing: the log does not say whether they are relevant.

**Memory.** The terms of a link are its memo, which travels through frontier and log and comes back
with the visit. For larger depths trail.py keeps the memos of the last visits.

**Drift.** A waiting link was rated by older models. When its turn comes, `again` rates it by its
memo; if its promise has fallen, it keeps waiting.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import ClassVar

import msgspec
import numpy as np

from toponaut.places.names.tokens import Bools, Tokeniser
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.ordering import Ordering, Rating, begin_with_model
from toponaut.strategy.ordering.link_bayes import (
    Floats,
    LinkModels,
    LinkModelsState,
    depth_weights,
    weighted,
)
from toponaut.strategy.ordering.link_distance import LinkDistance
from toponaut.strategy.ordering.link_terms import LinkTerms, are_memos, read_links, rows_of
from toponaut.strategy.ordering.trail import LENGTH, Trail, memos_in
from toponaut.strategy.setting import Setting

STRONG = float(np.log(1.4))  # a reason names a term that raises the odds by this, over all depths
NAMED = 3


class _LookaheadState(msgspec.Struct, frozen=True, tag="lookahead 1"):
    models: LinkModelsState
    trail: list[bytes]


class Lookahead(Ordering):
    """Link distance and the models."""

    rates_again: ClassVar[bool] = True
    learns_from: ClassVar[tuple[str, ...]] = (
        "sequence", "outcome", "relevant", "found_by", "redirects", "ordering_memo",
    )  # fmt: skip

    def __init__(self, tokeniser: Tokeniser, decay: float, depth: int, trail: int = LENGTH) -> None:
        self._tokeniser = tokeniser
        self._distance = LinkDistance(decay)
        self._weights = depth_weights(decay, depth)
        self._models = LinkModels(depth)
        self._trail = Trail(trail)

    # --- rating -----------------------------------------------------------------------------------

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        if not links:
            return []
        score = self._distance.rate(came, judged, links[:1])[0].score
        read = read_links(self._tokeniser, came.url, judged.page.text, links)
        evidence = self._models.judge(read.rows, read.starts)
        predictions = weighted(evidence.chances, self._weights)
        promises = (score + predictions * (1 - score)).tolist()
        lifted = predictions > weighted(evidence.usual[:, None], self._weights)
        reasons = _strongest(read, weighted(evidence.terms, self._weights), lifted)
        why = f"%.3g = distance {score:.3g} + prediction %.3g * (1 - {score:.3g})%s"
        numbers = zip(promises, predictions.tolist(), reasons, strict=True)
        whys = [why % one for one in numbers]
        return list(map(Rating, promises, repeat(score), whys, read.memos()))

    def again(self, queued: QueuedLink) -> float:
        if not queued.ordering_memo:  # a seed, or a sitemap
            return queued.promise
        rows = rows_of(queued.ordering_memo)
        chances = self._models.judge(rows, np.array([0, len(rows)])).chances
        [prediction] = weighted(chances, self._weights)
        return queued.score + float(prediction) * (1 - queued.score)

    # --- learning ---------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """The links of the last hops learn the outcome, from the page back to the seed."""
        if visit.outcome in PAGES:
            for depth, memo in enumerate(self._trail.back_from(visit, self._models.depth), 1):
                self._models.learn(rows_of(memo), depth, visit.relevant)
        self._trail.add(visit)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_LookaheadState(self._models.saved(), self._trail.saved()))

    def load(self, model: bytes) -> None:
        self._restore(model, keep_trail=True)

    def adopt(self, model: bytes) -> None:
        """Start from the models of another crawl, without its visits."""
        self._restore(model, keep_trail=False)

    def _restore(self, model: bytes, keep_trail: bool) -> None:
        state = msgspec.msgpack.decode(model, type=_LookaheadState)
        models, trail = LinkModels(self._models.depth), Trail(self._trail.length)
        models.restore(state.models)
        if keep_trail:
            if not are_memos(memos_in(state.trail)):
                raise ValueError("its trail is damaged")
            trail.restore(state.trail)
        self._models, self._trail = models, trail


def _strongest(read: LinkTerms, weights: Floats, lifted: Bools) -> list[str]:
    """For links raised above the usual, the words that contributed most, as the end of a reason."""
    reasons = [""] * len(lifted)
    strong = np.flatnonzero((weights > STRONG) & lifted.repeat(np.diff(read.starts)))
    if not len(strong):
        return reasons
    strong = strong[weights[strong].argsort(kind="stable")[::-1]]
    named: dict[int, list[str]] = {}
    links = (read.starts.searchsorted(strong, "right") - 1).tolist()
    for link, word in zip(links, read.as_text(strong), strict=True):
        words = named.setdefault(link, [])
        if len(words) < NAMED and word not in words:
            words.append(word)
    for link, words in named.items():
        reasons[link] = "; strongest terms: '" + "', '".join(words) + "'"
    return reasons


def build(setting: Setting) -> Lookahead:
    section = setting.job.ordering
    ordering = Lookahead(setting.names.gazetteer.names.tokeniser, section.decay, section.depth)
    begin_with_model(ordering, setting)
    return ordering
