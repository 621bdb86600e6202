"""Interest: the more a page says about a region's interests, the sooner its links are fetched.

Chubak and Shokouhi 2005. The crawl is best-first: a link's promise is the weight of the page that
holds it (term_weights.py has the three schemes). A job may have several regions with interests of
their own: the page counts as much as for the region that it interests most.

**Drift.** Two schemes use how rare an interest is among the pages so far, so every page changes all
weights a little. The paper's crawler had to "update the whole URL database weights". Here a link's
memo keeps the counts of its page, about ten bytes. When its turn comes, `again` weighs them with
the current N and n; if the weight has fallen, the link waits at its new place.

A link whose weight has *risen* is seen late. This has a bound: while an interest goes from n of N
pages to n' of N', log(N/n) rises by at most log(N'/N), because n never falls. So among links found
since the crawl had half of its pages, no interest is off by more than log 2 = 0.69. The first pages
would be an exception; see FEW.

**Learning.** The state is N and, for each interest, n. The memos of a page's links contain its
counts; only the text of a page without new links is read again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import msgspec

from toponaut.errors import InputError
from toponaut.job.sections import Job, OrderingSection, RegionSection
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.ordering.term_weights import (
    Counts,
    TermCounter,
    idf,
    lnu_share,
    nxx,
    term_of,
    tfidf,
)
from toponaut.strategy.setting import Setting

# A smaller crawl counts as one of this many pages, the rest without interests: otherwise all links
# of the first seeds would wait at log(1/1) = 0 to the end. The paper has 1. Swept 1-300 on
# simulated webs: 100 found 2 to 3 points more among the first 200 pages; 300 more, but deviates for
# longer.
FEW = 100
SEED = 1e15  # seeds go before everything else
MOST_SHOWN = 5  # terms that a reason names

_encode = msgspec.msgpack.encode
_counts = msgspec.msgpack.Decoder(tuple[int, ...]).decode
_learned = msgspec.msgpack.Decoder(tuple[tuple[str, ...], int, list[int]]).decode


class _RegionTerms(NamedTuple):
    """The interests of one region: their numbers among all terms, and their priorities."""

    name: str  # "" for those of [ordering]
    terms: tuple[int, ...]
    priorities: tuple[float, ...]


class Interests:
    """The interests of all regions with their priorities, and the weights of pages by them."""

    def __init__(
        self,
        section: OrderingSection,
        tokeniser: Tokeniser,
        regions: Iterable[RegionSection] = (),
    ) -> None:
        tables = {"": section.interests} if section.interests else {}
        tables |= {region.name: region.interests for region in regions}
        _refuse_mistakes(section, tables, tokeniser)
        number: dict[tuple[int, ...], int] = {}
        written_as: list[str] = []
        self._regions: list[_RegionTerms] = []
        for name, table in tables.items():
            merged: dict[int, float] = {}
            # Sorted: the order in the file must not change a memo.
            for written, priority in sorted(table.items()):
                if priority > 0:
                    term = term_of(tokeniser, written)
                    if number.setdefault(term, len(number)) == len(written_as):
                        written_as.append(written)
                    merged[number[term]] = merged.get(number[term], 0.0) + priority
            self._regions.append(_RegionTerms(name, tuple(merged), tuple(merged.values())))
        self.terms = tuple(written_as)
        self._section = section
        self.count = TermCounter(tokeniser, number).count

    def weigh(self, page: Counts, pages: int, having: Sequence[int]) -> float:
        """The weight of a page, if `having` of `pages` pages have each interest."""
        return self.weigh_region(page, pages, having)[0]

    def weigh_region(self, page: Counts, pages: int, having: Sequence[int]) -> tuple[float, str]:
        """The weight of a page for the region that it interests most, and the region's name."""
        rarity = idf(max(pages, FEW), having)
        weights = []
        for one in self._regions:
            some = page._replace(tf=tuple(page.tf[term] for term in one.terms))
            weights.append(self._weigh(some, one.priorities, [rarity[k] for k in one.terms]))
        best = max(range(len(weights)), key=weights.__getitem__)
        return weights[best], self._regions[best].name

    def _weigh(self, page: Counts, priorities: Sequence[float], rarity: Sequence[float]) -> float:
        section = self._section
        if section.scheme == "nxx":
            return nxx(page, priorities)
        if section.scheme == "tfidf":
            return tfidf(page, priorities, rarity)
        return lnu_share(page, priorities, rarity, section.pivot, section.slope)

    def found(self, page: Counts) -> dict[str, int]:
        """The interests in a page with their counts, the strongest first."""
        highest = [0.0] * len(self.terms)
        for region in self._regions:
            for term, priority in zip(region.terms, region.priorities, strict=True):
                highest[term] = max(highest[term], priority)
        counted = zip(self.terms, page.tf, highest, strict=True)
        strongest = sorted((one for one in counted if one[1]), key=lambda one: -one[1] * one[2])
        return {term: tf for term, tf, _ in strongest}

    def in_words(self, page: Counts, weight: float, region: str = "") -> str:
        """The weight of a page and the interests in it, for a reason."""
        found = [f"'{term}' {tf}x" for term, tf in self.found(page).items()]
        named = ", ".join(found[:MOST_SHOWN]) or "none of the interests"
        more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
        whose = f", region {region}" if region else ""
        return f"weight {weight:.3g} ({self._section.scheme}{whose}) of its page: {named}{more}"


def interests_of(job: Job, tokeniser: Tokeniser) -> Interests | None:
    """The interests of a job and its regions; None if it has none."""
    if not job.ordering.interests and not job.regions:
        return None
    return Interests(job.ordering, tokeniser, job.regions)


def _refuse_mistakes(
    section: OrderingSection, tables: Mapping[str, Mapping[str, float]], tokeniser: Tokeniser
) -> None:
    for written in (term for table in tables.values() for term in table):
        if not term_of(tokeniser, written):
            raise InputError(
                f'the interest "{written}" has no word in it',
                "Write words: { tehran = 2, iran = 4 }",
            )
    if not any(any(table.values()) for table in tables.values()):
        fix = "Add interests = { tehran = 2, iran = 4 }, or run `toponaut interests learn`"
        raise InputError('the ordering "interest" has no interests', fix)
    if section.scheme == "lnu" and not section.pivot and not section.slope:
        raise InputError(
            "ordering.pivot and ordering.slope are both 0", "Remove them to use 107.89 and 0.2"
        )


class InterestOrdering(Ordering):
    """Best-first by the weight of the page that holds a link."""

    learns_from: ClassVar[tuple[str, ...]] = ("outcome", "title", "text", "links.ordering_memo")

    def __init__(self, interests: Interests) -> None:
        self._interests = interests
        self._pages = 0
        self._having = [0] * len(interests.terms)

    def seed(self) -> Rating:
        return Rating(SEED, 0.0, "a seed")

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        """The page itself counts as downloaded, although it is not learned yet."""
        if not links:
            return []
        page = self._interests.count(judged.page.title, judged.page.text)
        having = [before + (tf > 0) for before, tf in zip(self._having, page.tf, strict=True)]
        weight, region = self._interests.weigh_region(page, self._pages + 1, having)
        why = self._interests.in_words(page, weight, region)
        return [Rating(weight, weight, why, _memo(page))] * len(links)

    def again(self, queued: QueuedLink) -> float:
        if not queued.ordering_memo:  # a seed, or a sitemap
            return queued.promise
        page = self._remembered(queued.ordering_memo)
        return self._interests.weigh(page, self._pages, self._having)

    def learn(self, visit: Visit) -> None:
        if visit.outcome not in PAGES:
            return
        memo = visit.links[0].ordering_memo if visit.links else b""
        page = self._remembered(memo) if memo else self._interests.count(visit.title, visit.text)
        self._pages += 1
        for index, tf in enumerate(page.tf):
            self._having[index] += tf > 0

    def dump(self) -> bytes:
        return _encode((self._interests.terms, self._pages, self._having))

    def load(self, model: bytes) -> None:
        try:
            terms, pages, having = _learned(model)
        except msgspec.DecodeError as error:
            raise ValueError(f"it has no counts of interests: {error}") from error
        if terms != self._interests.terms or len(having) != len(terms):
            raise ValueError("it has counts of other interests")
        self._pages, self._having = pages, having

    def _remembered(self, memo: bytes) -> Counts:
        most, words, unique, *found = _counts(memo)
        tf = [0] * len(self._having)
        for index, often in zip(found[::2], found[1::2], strict=True):
            tf[index] = often
        return Counts(tuple(tf), most, words, unique)


def _memo(page: Counts) -> bytes:
    """The counts of a page in a few bytes; only of interests that it has."""
    found = [number for index, tf in enumerate(page.tf) if tf for number in (index, tf)]
    return _encode((page.most, page.words, page.unique, *found))


def build(setting: Setting) -> InterestOrdering:
    tokeniser = setting.names.gazetteer.names.tokeniser
    job = setting.job
    return InterestOrdering(Interests(job.ordering, tokeniser, job.regions))
