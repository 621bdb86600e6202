"""Interest: the more a page says about a region's interests, the sooner its links (Chubak and Shokouhi 2005).

The crawl is best-first: a link's promise is the weight of the page that holds it (weighting.py has the three schemes).

**Weights drift.** Two of the schemes ask how rare an interest is among the pages downloaded so far, so that with every
page every weight changes a little. The paper's crawler had to "update the whole URL database weights" for each of them. Here nothing touches a link that waits. Its memo holds the few counts that its page was weighed by, some ten bytes. When
its turn has come, `again` weighs these with today's N and n; if the weight has fallen, the link waits on at its new
place, and the next one is asked.
What that leaves is a link whose weight has *risen*: it is seen late, when the promise it was given has its turn. How
late has a bound. While an interest goes from n of N pages to n' of N', its log(N/n) rises by at most log(N'/N), for n
never falls: among the links found since the crawl had half of its pages, none is misjudged by more than log 2 = 0.69
per interest. The first pages would be the exception, for all rarity begins at log(1/1) = 0; see FEW.

**What is learned** is N and, for each interest, n: a fold over the log. Which interests a page has, its links tell by their
memos; only the text of a page without new links is read. So every page is counted once, and after a crash most are not counted
again: to learn from a visit takes 5 us by a memo, and 100 us by a text of 6,000 characters.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from toponaut.errors import InputError
from toponaut.job.sections import OrderingSection
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.ordering.protocol import Ordering, Rating
from toponaut.strategy.ordering.terms import TermCounter, term_of
from toponaut.strategy.ordering.weighting import Counts, idf, lnu, nxx, tfidf
from toponaut.strategy.setting import Setting

# A crawl of fewer pages counts as one of this many, the rest of which has none of the interests; 1 would be the paper to the
# letter. Then all that the first seeds link to would wait at log(1/1) = 0 to the end. Tried 1, 10, 30, 100 and 300 on six
# simulated webs (8,000 pages, 20 topics), then 1, 100 and 300 on fourteen others. There 100 found 2 to 3 points more wanted
# pages among the first 200 than 1 did where the seeds were on the topic (standard error 1.1 to 1.4); elsewhere -1 to +4, with
# errors of 1 to 4: nothing sure. 300 was better still (4 to 8 points), but keeps away from the formula for longer, and no
# real web was tried.
FEW = 100
SEED = 1e15  # a seed goes before whatever a page weighs
MOST_SHOWN = 5  # terms that a reason names

_encode = msgspec.msgpack.encode
_counts = msgspec.msgpack.Decoder(tuple[int, ...]).decode
_learned = msgspec.msgpack.Decoder(tuple[tuple[str, ...], int, list[int]]).decode


class Interests:
    """A region's interests with their priorities, and how pages are weighed against them."""

    def __init__(self, section: OrderingSection, tokeniser: Tokeniser) -> None:
        _refuse_mistakes(section, tokeniser)
        merged: dict[tuple[int, ...], tuple[str, float]] = {}
        for written, priority in sorted(
            section.interests.items()
        ):  # the order in the file must not matter to a memo
            if priority > 0:
                term = term_of(tokeniser, written)
                first, before = merged.get(term, (written, 0.0))
                merged[term] = first, before + priority
        self.terms = tuple(written for written, _ in merged.values())
        self._priorities = [priority for _, priority in merged.values()]
        self._section = section
        self.count = TermCounter(tokeniser, merged).count

    def weigh(self, page: Counts, pages: int, having: Sequence[int]) -> float:
        """The weight of a page when so many pages are downloaded, and so many of them have each interest."""
        section = self._section
        if section.scheme == "nxx":
            return nxx(page, self._priorities)
        rarity = idf(max(pages, FEW), having)
        if section.scheme == "tfidf":
            return tfidf(page, self._priorities, rarity)
        return lnu(page, self._priorities, rarity, section.pivot, section.slope)

    def found(self, page: Counts) -> dict[str, int]:
        """The interests in a page, those first that say most, with how often each stands there."""
        said = zip(self.terms, page.tf, self._priorities, strict=True)
        strongest = sorted((one for one in said if one[1]), key=lambda one: -one[1] * one[2])
        return {term: tf for term, tf, _ in strongest}

    def in_words(self, page: Counts, weight: float) -> str:
        """The weight of a page, with the interests in it."""
        found = [f"'{term}' {tf}x" for term, tf in self.found(page).items()]
        named = ", ".join(found[:MOST_SHOWN]) or "none of the interests"
        more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
        return f"weight {weight:.3g} ({self._section.scheme}) of its page: {named}{more}"


def _refuse_mistakes(section: OrderingSection, tokeniser: Tokeniser) -> None:
    for written in section.interests:
        if not term_of(tokeniser, written):
            raise InputError(
                f'the interest "{written}" has no word in it',
                "Write words: { tehran = 2, iran = 4 }",
            )
    if not any(section.interests.values()):
        cure = "Add interests = { tehran = 2, iran = 4 } to [ordering], or learn some: toponaut interests learn"
        raise InputError('the ordering "interest" has no interests', cure)
    if section.scheme == "lnu" and not section.pivot and not section.slope:
        raise InputError(
            "ordering.pivot and ordering.slope are both 0",
            "Leave them out: 107.89 and 0.2 are usual",
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
        """The page itself, which is not learned from yet, counts as downloaded."""
        if not links:
            return []
        page = self._interests.count(judged.page.title, judged.page.text)
        having = [before + (tf > 0) for before, tf in zip(self._having, page.tf, strict=True)]
        weight = self._interests.weigh(page, self._pages + 1, having)
        return [Rating(weight, weight, self._interests.in_words(page, weight), _memo(page))] * len(
            links
        )

    def again(self, queued: QueuedLink) -> float:
        if not queued.ordering_memo:  # a seed, or a sitemap
            return queued.promise
        return self._interests.weigh(
            self._remembered(queued.ordering_memo), self._pages, self._having
        )

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
            raise ValueError(f"no counts of interests: {error}") from error
        if terms != self._interests.terms or len(having) != len(terms):
            raise ValueError("counts of other interests")
        self._pages, self._having = pages, having

    def _remembered(self, memo: bytes) -> Counts:
        most, words, unique, *found = _counts(memo)
        tf = [0] * len(self._having)
        for index, often in zip(found[::2], found[1::2], strict=True):
            tf[index] = often
        return Counts(tuple(tf), most, words, unique)


def _memo(page: Counts) -> bytes:
    """The counts of a page in a few bytes: of the interests only those that it has."""
    found = [number for index, tf in enumerate(page.tf) if tf for number in (index, tf)]
    return _encode((page.most, page.words, page.unique, *found))


def build(setting: Setting) -> InterestOrdering:
    return InterestOrdering(
        Interests(setting.job.ordering, setting.names.gazetteer.names.tokeniser)
    )
