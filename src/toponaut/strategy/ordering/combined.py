"""Combined: all evidence on a link on one scale, with weights learned during the crawl.

    log-odds_d(L) = w_d . evidence(L)     d = 1..depth: does L lead to a relevant page d links on?
    promise(L)   = A(host of L) * sum over d of decay^d * P_d(L) / sum of decay^d

A: the chance that a request to the host brings a page (arrivals.py), by its earlier requests, and
for a new host by those to other new hosts.

The evidence (link_evidence.py): how near a relevant page is (link distance), where the link's words
have led so far (lookahead's naive Bayes), whether its URL, its text or the words next to it name a
target, whether its page is about targets. Four are not in the papers: whether its name says
contact, and the success of earlier links *to* its site, of those among them that are like it (in
the same folder, also with or without a target's name), and *from* the site that holds it.

The weights are learned with the mean success of a site; links are rated with the success that the
site may well have (SiteRecords.hope): so new sites are tried before more of mediocre ones.

In lookahead a prediction is added to link distance; here distance is one evidence among others.
Naive Bayes multiplies dependent evidence; here the weights are learned together (log_odds.py), so
that the P are calibrated, and the naive Bayes of the words is one more evidence whose weight is
learned. See docs/explanation/strategies.md.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import cython
import msgspec
import numpy as np

from toponaut.gate.failures import brought_page
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.learning.log_odds import (
    LogOdds,
    LogOddsState,
    highest_chance,
    weighted_chance,
)
from toponaut.strategy.ordering import Ordering, Rating, begin_with_model
from toponaut.strategy.ordering.arrivals import Arrivals, ArrivalsState
from toponaut.strategy.ordering.link_bayes import LinkModels, LinkModelsState, depth_weights
from toponaut.strategy.ordering.link_distance import LinkDistance
from toponaut.strategy.ordering.link_evidence import (
    FIXED,
    IN_TEXT,
    IN_URL,
    NAMES,
    NEAR,
    LinkEvidence,
    SiteRecords,
    group_cell,
    host_cell,
    log_odds_ratio,
    packed,
    site_cell,
    unpacked,
)
from toponaut.strategy.ordering.link_memory import LinkMemory
from toponaut.strategy.ordering.link_terms import rows_of
from toponaut.strategy.ordering.trail import Trail
from toponaut.strategy.setting import Setting
from toponaut.urls import host_of

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Prior weights at depth 1, in the order of NAMES. Bias: 1 % of pages are relevant (Gao, Lee and
# Miao 2006, Table 3, hash); a target named in the URL or the link text makes that about 8 times as
# many (log 8 = 2); one in eight pages after a relevant page is relevant (Ahlers and Boll 2009). The
# others are low guesses.
_PRIOR = (-4.6, 2.0, 0.5, 2.0, 2.0, 1.0, 1.0, 0.0, -0.5, 0.0, 2.0, 0.5, 1.0, 1.0, 0.7)
_FADES = 0.6  # factor on the priors from one depth to the next
_MOST_WORDS = 6.0  # log-odds of the words: naive Bayes is overconfident
_FAILS = 0.5  # a factor of arrivals below it is named as a reason
_REASONS, _STRONG = 3, 0.3  # evidence that a reason names, and its least part in the log-odds

# A memo: the cells of the holding site, of the link's own site and of its group there, the fixed
# evidence, the terms.
_CELL = 3
_ROW = 3 * _CELL
_TERMS = _ROW + len(FIXED)
_ROUNDING = 1 + 1e-9  # of a bound
_WORDS = len(FIXED)  # the place of the words in the evidence; the records follow


class _CombinedOrderingState(msgspec.Struct, frozen=True, tag="combined 4"):
    odds: list[LogOddsState]
    words: LinkModelsState
    to_site: tuple[bytes, bytes]
    to_group: tuple[bytes, bytes]
    from_site: tuple[bytes, bytes]
    trail: list[bytes]
    arrivals: ArrivalsState


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
        self._evidence, self._memory = evidence, LinkMemory(evidence, tokeniser)
        self._distance = LinkDistance(decay)
        self._weights: list[float] = depth_weights(decay, depth).tolist()
        self._words = LinkModels(depth)
        prior = np.array(_PRIOR)
        self._odds = [LogOdds([prior[0], *(prior[1:] * _FADES**d)]) for d in range(depth)]
        self._to_site, self._to_group, self._from_site = (SiteRecords() for _ in range(3))
        self._trail = Trail()
        self._arrivals = Arrivals()

    # --- rating -----------------------------------------------------------------------------------

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        rated = self.rate_better(came, judged, links, [-math.inf] * len(links))
        return [rating for rating in rated if rating is not None]

    def rate_better(
        self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link], promises: Sequence[float]
    ) -> list[Rating | None]:
        if not links:
            return []
        score = self._distance.rate(came, judged, links[:1])[0].score
        page = _RatedPage(self, came, judged, links, score)
        # Names are read last: they cost most, and few links that wait can rise.
        may = [k for k, before in enumerate(promises) if page.highest(k, before) > before]
        page.read_names(may)
        ratings: list[Rating | None] = [None] * len(links)
        for k in may:
            ratings[k] = page.rating(k, promises[k])
        return ratings

    def again(self, queued: QueuedLink) -> float:
        memo = queued.ordering_memo
        if not memo:  # a seed, or a sitemap
            return queued.promise
        promise = self._promise(self._remembered(memo), self._of_words([memo[_TERMS:]])[0])
        return promise * self._arrivals.factor(host_of(queued.url))

    def _promise(self, evidence: list[float], words: Sequence[float]) -> float:
        """The promise of a link that arrives. `words`: the evidence of its words by depth.

        The evidence of the words is filled in, in the end that for depth 1.
        """
        return weighted_chance(self._odds, self._weights, evidence, _WORDS, words)

    def _records(self, site: int, group: int, holder: int, hopeful: bool = True) -> list[float]:
        """The records of links to a site, to a group in it compared with the site, and of links
        from the site that holds them. `hopeful`: as good as that of the site may be.
        """
        usual = self._to_site.usual
        of_site = self._to_site.share(site, usual)
        of_group = self._to_group.share(group, of_site)
        from_there = 0.0 if site == holder else self._from_site.odds(holder)
        rated = self._to_site.hope(site, usual) if hopeful else of_site
        return [log_odds_ratio(rated, usual), log_odds_ratio(of_group, of_site), from_there]

    def _remembered(self, memo: bytes, hopeful: bool = True) -> list[float]:
        """The current evidence of a link by its memo, without the words."""
        holder, site, group = _cells(memo)
        return [*unpacked(memo[_ROW:_TERMS]), 0.0, *self._records(site, group, holder, hopeful)]

    def _of_words(self, terms: Sequence[bytes]) -> list[list[float]]:
        """The evidence of the words of links by depth: half their log-odds."""
        return [[odds / 2 for odds in depths] for depths in self._words.odds(terms, _MOST_WORDS)]

    def _reason(self, evidence: Sequence[float], promise: float, arrives: float) -> str:
        """The strongest evidence on a link, by its part in the log-odds of the next page."""
        parts = self._odds[0].parts(evidence)
        parts[0] = 0.0  # the bias is not a reason
        strong = [k for k, part in enumerate(parts) if abs(part) > _STRONG]
        strong.sort(key=lambda k: -abs(parts[k]))
        named = ", ".join([f"{NAMES[k]} {parts[k]:+.1f}" for k in strong[:_REASONS]])
        shown = f"; evidence: {named}" if named else ""
        may_fail = f"; requests to its host may fail (factor {arrives:.2g})"
        fails = may_fail if arrives < _FAILS else ""
        return f"promises {promise:.3g}{shown}{fails}"

    # --- learning ---------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        if visit.outcome in PAGES:
            self._teach(visit)
        if visit.url and (came := brought_page(visit)) is not None:
            self._arrivals.add(host_of(visit.url), came, by_link=bool(visit.ordering_memo))
        self._trail.add(visit)

    def _teach(self, visit: Visit) -> None:
        """First the weights, by the evidence so far; then the evidence itself."""
        memos = list(self._trail.back_from(visit, len(self._odds)))
        for depth, memo in enumerate(memos):
            evidence = self._remembered(memo, hopeful=False)
            evidence[_WORDS] = self._of_words([memo[_TERMS:]])[0][depth]
            self._odds[depth].learn(evidence, visit.relevant)
        for depth, memo in enumerate(memos, 1):
            self._words.learn(rows_of(memo[_TERMS:]), depth, visit.relevant)
        site = site_cell(visit.url)
        self._to_site.add(site, visit.relevant)
        if memos:
            holder, _, group = _cells(memos[0])
            self._to_group.add(group, visit.relevant)
            if holder != site:
                self._from_site.add(holder, visit.relevant)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(
            _CombinedOrderingState(
                [odds.saved() for odds in self._odds],
                self._words.saved(),
                self._to_site.saved(),
                self._to_group.saved(),
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
        self._to_group.restore(state.to_group)
        self._from_site.restore(state.from_site)
        self._trail.restore(state.trail)
        self._arrivals.restore(state.arrivals)

    def adopt(self, model: bytes) -> None:
        """Start from the models of another crawl, without its visits."""
        self.load(model)
        self._trail = Trail()
        self._arrivals = Arrivals()


class _RatedPage:
    """The links of a page while they are rated."""

    def __init__(
        self,
        ordering: CombinedOrdering,
        came: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        score: float,
    ) -> None:
        self._ordering, self._links, self._score = ordering, links, score
        self._here, self._text = site_cell(came.url), judged.page.text
        hosts = [host_of(link.url) for link in links]
        cells = {host: (host_cell(host), ordering._arrivals.factor(host)) for host in set(hosts)}
        self._sites = [cells[host][0] for host in hosts]
        self._arrive = [cells[host][1] for host in hosts]
        self._terms = ordering._memory.terms(came.url, self._text, links)
        self._words = ordering._of_words(self._terms)
        same_site = [site == self._here for site in self._sites]
        in_urls = ordering._evidence.names_in_urls(links)
        self._rows = ordering._evidence.read(came, judged, links, score, same_site, in_urls)
        self._records: dict[int, list[float]] = {}  # by group

    def highest(self, k: int, before: float) -> float:
        """A promise that the k-th link cannot exceed, as long as its names are not read.

        Infinite for a new link.
        """
        if before == -math.inf:
            return math.inf
        ordering, words = self._ordering, self._words[k]
        row = self._rows[k].copy()
        _, evidence = self._evidence(k, row)
        beside = highest_chance(
            ordering._odds, ordering._weights, evidence, _WORDS, words, unknown=NEAR
        )
        row[IN_TEXT] = 1.0
        _, evidence = self._evidence(k, row)
        within = ordering._promise(evidence, words)
        return max(beside, within) * self._arrive[k] * _ROUNDING

    def read_names(self, which: Sequence[int]) -> None:
        """Read how the texts of links name targets."""
        links = [self._links[k] for k in which]
        names = self._ordering._memory.names(self._text, links)
        for k, found in zip(which, names, strict=True):
            self._rows[k][IN_URL : NEAR + 1] = found

    def rating(self, k: int, before: float) -> Rating | None:
        """The rating of the k-th link; None if it is not better."""
        ordering, row, arrives = self._ordering, self._rows[k], self._arrive[k]
        group, evidence = self._evidence(k, row)
        promise = ordering._promise(evidence, self._words[k]) * arrives
        if promise <= before:
            return None
        cells = map(_cell_bytes, (self._here, self._sites[k], group))
        memo = b"".join([*cells, packed(row), self._terms[k]])
        return Rating(promise, self._score, ordering._reason(evidence, promise, arrives), memo)

    def _evidence(self, k: int, row: list[float]) -> tuple[int, list[float]]:
        """The group of the k-th link, and its evidence, with these fixed parts."""
        site = self._sites[k]
        group = group_cell(site, self._links[k].url, row)
        records = self._records.get(group)
        if records is None:
            records = self._records[group] = self._ordering._records(site, group, self._here)
        return group, [*row, 0.0, *records]


def _cell_bytes(cell: int) -> bytes:
    return cell.to_bytes(_CELL, "little")


def _cells(memo: bytes) -> tuple[int, int, int]:
    """The cells of the site that holds a link, of its own site, and of its group there."""
    number = int.from_bytes(memo[:_ROW], "little")
    most = (1 << 8 * _CELL) - 1
    return number & most, number >> 8 * _CELL & most, number >> 16 * _CELL


def build(setting: Setting) -> CombinedOrdering:
    section, gazetteer = setting.job.ordering, setting.names.gazetteer
    evidence = LinkEvidence(setting.link_reader(), gazetteer.row)
    ordering = CombinedOrdering(gazetteer.names.tokeniser, evidence, section.decay, section.depth)
    begin_with_model(ordering, setting)
    return ordering
