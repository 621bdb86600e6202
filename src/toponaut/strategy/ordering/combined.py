"""Combined: all evidence on a link on one scale, with weights learned during the crawl.

    log-odds_d(L) = w_d . evidence(L)     d = 1..depth: does L lead to a relevant page d links on?
    promise(L)   = A(host of L) * sum over d of decay^d * P_d(L) / sum of decay^d

A: the chance that a request to the host brings a page (arrivals.py), 1 for a new host.

The evidence (link_evidence.py): how near a relevant page is (link distance), where the link's words
have led so far (lookahead's naive Bayes), whether its URL, its text or the words next to it name a
target, whether its page is about targets, and two records that the papers do not have: the success
of earlier links *to* its site, and of earlier links *from* the site that holds it.

In lookahead a prediction is added to link distance; here distance is one evidence among others.
Naive Bayes multiplies dependent evidence; here the weights are learned together (log_odds.py), so
that the P are calibrated, and the naive Bayes of the words is one more evidence whose weight is
learned. See docs/strategies.md.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.tokens import Index, Tokeniser
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit, brought_page
from toponaut.strategy.learning.log_odds import LogOdds, LogOddsState, chances
from toponaut.strategy.ordering import Ordering, Rating, begin_with_model
from toponaut.strategy.ordering.arrivals import Arrivals
from toponaut.strategy.ordering.link_bayes import (
    LinkModels,
    LinkModelsState,
    depth_weights,
    weighted,
)
from toponaut.strategy.ordering.link_distance import LinkDistance
from toponaut.strategy.ordering.link_evidence import (
    FIXED,
    NAMES,
    LinkEvidence,
    SiteRecords,
    packed,
    site_cell,
    unpacked,
    unpacked_row,
)
from toponaut.strategy.ordering.link_terms import all_rows_of, read_links, rows_of
from toponaut.strategy.ordering.trail import Trail
from toponaut.strategy.setting import Setting

# Prior weights at depth 1, in the order of NAMES. Bias: 1 % of pages are relevant (Gao, Lee and
# Miao 2006, Table 3, hash); a target named in the URL or the link text makes that about 8 times as
# many (log 8 = 2); one in eight pages after a relevant page is relevant (Ahlers and Boll 2009). The
# others are low guesses.
_PRIOR = (-4.6, 2.0, 0.5, 2.0, 2.0, 1.0, 1.0, 0.0, -0.5, 0.0, 0.5, 1.0, 0.7)
_FADES = 0.6  # factor on the priors from one depth to the next
_MOST_WORDS = 6.0  # log-odds of the words: naive Bayes is overconfident
_FAILS = 0.5  # a factor of arrivals below it is named as a reason
_REASONS, _STRONG = 3, 0.3  # evidence that a reason names, and its least part in the log-odds

# A memo: the cells of the holding site and of the link's own site, the fixed evidence, the terms.
_CELL = 3
_TERMS = 2 * _CELL + len(FIXED)
_ONE_LINK = np.array([0, 0])  # where the terms of one link begin; the end is not read


class _CombinedOrderingState(msgspec.Struct, frozen=True, tag="combined 1"):
    odds: list[LogOddsState]
    words: LinkModelsState
    to_site: tuple[bytes, bytes]
    from_site: tuple[bytes, bytes]
    trail: list[bytes]
    arrivals: tuple[bytes, bytes] = (b"", b"")


class CombinedOrdering(Ordering):
    """Evidence in, calibrated probabilities out."""

    calibrated: ClassVar[bool] = True
    # Relevant pages without and with it: six real targets, 2,000 fetches: 656, 676; three generated
    # webs, 1,500 pages: 769, 823. It takes 6 % more CPU.
    rates_again: ClassVar[bool] = True
    learns_from: ClassVar[tuple[str, ...]] = (
        "url", "outcome", "relevant", "found_by", "redirects", "ordering_memo", "simhash",
    )  # fmt: skip

    def __init__(
        self, tokeniser: Tokeniser, evidence: LinkEvidence, decay: float, depth: int
    ) -> None:
        self._tokeniser, self._evidence = tokeniser, evidence
        self._distance = LinkDistance(decay)
        self._weights = depth_weights(decay, depth)
        self._weight_list: list[float] = self._weights.tolist()
        self._words = LinkModels(depth)
        prior = np.array(_PRIOR)
        self._odds = [LogOdds([prior[0], *(prior[1:] * _FADES**d)]) for d in range(depth)]
        self._to_site, self._from_site = SiteRecords(), SiteRecords()
        self._trail = Trail()
        self._arrivals = Arrivals()

    # --- rating -----------------------------------------------------------------------------------

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        if not links:
            return []
        score = self._distance.rate(came, judged, links[:1])[0].score
        here = site_cell(came.url)
        sites = np.array([site_cell(link.url) for link in links])
        read = read_links(self._tokeniser, came.url, judged.page.text, links)
        fixed = self._evidence.read(came, judged, links, score, (sites == here).tolist())
        evidence = self._all_evidence(
            fixed, self._promise(read.rows, read.starts), sites, np.full(len(links), here)
        )
        arrive = self._arrivals.factors([link.url for link in links])
        promises = (self._promises(evidence) * arrive).tolist()
        holder = _cell_bytes(here)
        memos = [
            holder + _cell_bytes(site) + row + terms
            for site, row, terms in zip(sites.tolist(), packed(fixed), read.memos(), strict=True)
        ]
        whys = self._reasons(evidence[0], promises)
        for k in (arrive < _FAILS).nonzero()[0].tolist():
            whys[k] += f"; requests to its host fail (factor {arrive[k]:.2g})"
        return [
            Rating(*one) for one in zip(promises, [score] * len(links), whys, memos, strict=True)
        ]

    def again(self, queued: QueuedLink) -> float:
        """The same for one link, without arrays: half the time, five times per page."""
        memo = queued.ordering_memo
        if not memo:  # a seed, or a sitemap
            return queued.promise
        site, holder = _own_cell(memo), _holder_cell(memo)
        from_there = 0.0 if site == holder else self._from_site.odds_of(holder)
        evidence = [*unpacked_row(memo[2 * _CELL : _TERMS]), 0.0, self._to_site.odds_of(site)]
        evidence.append(from_there)
        words = self._promise(rows_of(memo[_TERMS:]), _ONE_LINK)[:, 0].tolist()
        promise = 0.0
        for odds, word, weight in zip(self._odds, words, self._weight_list, strict=True):
            evidence[-3] = word
            promise += odds.chance(evidence) * weight
        return promise * self._arrivals.factor(queued.url)

    def _all_evidence(
        self, fixed: NDArray[np.float64], words: NDArray[np.float64], sites: Index, holders: Index
    ) -> NDArray[np.float64]:
        """By depth and link: the fixed evidence, that of the words at this depth, both records."""
        found = np.empty((len(self._odds), len(fixed), len(NAMES)))
        found[:, :, : len(FIXED)] = fixed
        found[:, :, -3] = words
        found[:, :, -2] = self._to_site.odds(sites)
        found[:, :, -1] = np.where(sites == holders, 0.0, self._from_site.odds(holders))
        return found

    def _promise(self, rows: Index, starts: Index) -> NDArray[np.float64]:
        """By depth and link: the log-odds of the words, relative to the usual."""
        odds = np.add.reduceat(self._words.terms(rows), starts[:-1], axis=1)
        return np.asarray(np.minimum(np.maximum(odds, -_MOST_WORDS), _MOST_WORDS) / 2, np.float64)

    def _remembered(self, memos: Sequence[bytes]) -> NDArray[np.float64]:
        """The current evidence of links by their memos."""
        words = self._promise(*all_rows_of([memo[_TERMS:] for memo in memos]))
        fixed = unpacked(b"".join([memo[2 * _CELL : _TERMS] for memo in memos]))
        sites = (
            np.array([_own_cell(memo) for memo in memos]),
            np.array([_holder_cell(memo) for memo in memos]),
        )
        return self._all_evidence(fixed, words, *sites)

    def _promises(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = np.array([odds.weights for odds in self._odds])
        return np.asarray(weighted(chances(evidence, weights[:, None]), self._weights), np.float64)

    def _reasons(self, evidence: NDArray[np.float64], promises: Sequence[float]) -> list[str]:
        """The strongest evidence on each link, by its part in the log-odds of the next page."""
        adds = evidence * self._odds[0].weights
        adds[:, 0] = 0.0  # the bias is not a reason
        order = np.argsort(-np.abs(adds), axis=1)[:, :_REASONS].tolist()
        rows = adds.tolist()
        whys = []
        for promise, row, strongest in zip(promises, rows, order, strict=True):
            strong = [f"{NAMES[k]} {row[k]:+.1f}" for k in strongest if abs(row[k]) > _STRONG]
            shown = f"; evidence: {', '.join(strong)}" if strong else ""
            whys.append(f"promises {promise:.3g}{shown}")
        return whys

    # --- learning ---------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        if visit.outcome in PAGES:
            self._teach(visit)
        if visit.url and (came := brought_page(visit)) is not None:
            self._arrivals.add(visit.url, came)
        self._trail.add(visit)

    def _teach(self, visit: Visit) -> None:
        """First the weights, by the evidence so far; then the evidence itself."""
        memos = list(self._trail.back_from(visit, len(self._odds)))
        if memos:
            believed = self._remembered(memos)
            for depth in range(len(memos)):
                self._odds[depth].learn(believed[depth, depth], visit.relevant)
        for depth, memo in enumerate(memos, 1):
            self._words.learn(rows_of(memo[_TERMS:]), depth, visit.relevant)
        site = site_cell(visit.url)
        self._to_site.add(site, visit.relevant)
        if memos and _holder_cell(memos[0]) != site:
            self._from_site.add(_holder_cell(memos[0]), visit.relevant)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(
            _CombinedOrderingState(
                [odds.saved() for odds in self._odds],
                self._words.saved(),
                self._to_site.saved(),
                self._from_site.saved(),
                self._trail.saved(),
                self._arrivals.saved(),
            )
        )

    def load(self, model: bytes) -> None:
        state = msgspec.msgpack.decode(model, type=_CombinedOrderingState)
        if len(state.odds) != len(self._odds):
            raise ValueError(f"it looks {len(state.odds)} links ahead, not {len(self._odds)}")
        self._words.restore(state.words)
        for odds, saved in zip(self._odds, state.odds, strict=True):
            odds.restore(saved)
        self._to_site.restore(state.to_site)
        self._from_site.restore(state.from_site)
        self._trail.restore(state.trail)
        self._arrivals.restore(state.arrivals)

    def adopt(self, model: bytes) -> None:
        """Start from the models of another crawl, without its visits."""
        self.load(model)
        self._trail = Trail()
        self._arrivals = Arrivals()


def _cell_bytes(cell: int) -> bytes:
    return cell.to_bytes(_CELL, "little")


def _holder_cell(memo: bytes) -> int:
    return int.from_bytes(memo[:_CELL], "little")


def _own_cell(memo: bytes) -> int:
    return int.from_bytes(memo[_CELL : 2 * _CELL], "little")


def build(setting: Setting) -> CombinedOrdering:
    section, gazetteer = setting.job.ordering, setting.names.gazetteer
    evidence = LinkEvidence(setting.link_reader(), gazetteer.row)
    ordering = CombinedOrdering(gazetteer.names.tokeniser, evidence, section.decay, section.depth)
    begin_with_model(ordering, setting)
    return ordering
