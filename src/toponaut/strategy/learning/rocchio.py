"""Rocchio's relevance feedback: the words that distinguish relevant pages from the others.

    q = alpha * q0 + beta * mean(relevant pages) - gamma * mean(other pages)

Rocchio 1971, as in Manning, Raghavan and Schütze, Introduction to Information Retrieval, 9.1.1,
with their usual values. Pages and initial interests (q0) are vectors as in Chubak and Shokouhi
2005, equations 2 and 3: tf / max tf * log(N/n) and (0.5 + 0.5 * f / max f) * log(N/n), over all N
pages.

log(N/n) is the same for all pages, so sums of tf / max tf are enough, and no page is kept.
"""

from collections.abc import Collection, Mapping
from math import log

from msgspec import Struct

# Words kept, 300 MB. Beyond it, words of only one page are dropped: mostly misspellings and
# numbers.
MOST_WORDS = 1_000_000
HIGHEST = 10.0  # the priority of the strongest term


class Factors(Struct, frozen=True):
    """Rocchio's factors."""

    alpha: float = 1.0  # the initial interests
    beta: float = 0.75  # the relevant pages
    gamma: float = 0.15  # the others


class _WordSums(Struct):
    pages: int = 0  # that have it
    relevant_pages: int = 0
    relevant: float = 0.0  # the sum of tf / max tf over the relevant pages
    others: float = 0.0


class Judgements:
    """Sums over judged pages."""

    def __init__(self, passed_over: Collection[str] = ()) -> None:
        """`passed_over`: words that are never learned, such as stop words."""
        self.relevant = self.others = 0
        self._words: dict[str, _WordSums] = {}
        self._passed_over = passed_over

    def add(self, words: Mapping[str, int], relevant: bool) -> None:
        """Add a page, by its word counts."""
        if relevant:
            self.relevant += 1
        else:
            self.others += 1
        most = max(words.values(), default=1)
        for written, tf in words.items():
            if tf:
                word = self._words.setdefault(written, _WordSums())
                word.pages += 1
                if relevant:
                    word.relevant_pages += 1
                    word.relevant += tf / most
                else:
                    word.others += tf / most
        if len(self._words) > MOST_WORDS:
            self._words = {written: word for written, word in self._words.items() if word.pages > 1}

    def query(
        self, start: Mapping[str, float], factors: Factors, least: int = 1
    ) -> dict[str, float]:
        """q, the heaviest term first, without terms of weight 0 or less.

        `start`: interests with priorities. Other words need at least `least` relevant pages.
        """
        found = {}
        highest = max(start.values(), default=1.0)
        learned = (
            one for one, word in self._words.items() if self._may_be_learned(one, word, least)
        )
        for written in {*start, *learned}:
            word = self._words.get(written) or _WordSums()
            weight = factors.beta * word.relevant / max(self.relevant, 1)
            weight -= factors.gamma * word.others / max(self.others, 1)
            if written in start:
                weight += factors.alpha * (0.5 + 0.5 * start[written] / highest)
            weight *= log((self.relevant + self.others) / max(word.pages, 1))
            if weight > 0:
                found[written] = weight
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def _may_be_learned(self, written: str, word: _WordSums, least: int) -> bool:
        """Not numbers or single letters; in scripts without spaces a word is one character."""
        spelled = any(map(str.isalpha, written)) and (len(written) > 1 or not written.isascii())
        return spelled and word.relevant_pages >= least and written not in self._passed_over


def priorities(query: Mapping[str, float], terms: int) -> dict[str, float]:
    """The heaviest terms of q with readable priorities: 10.0 for the first."""
    heaviest = list(query.items())[:terms]
    scaled = {term: round(HIGHEST * weight / heaviest[0][1], 1) for term, weight in heaviest}
    return {term: priority for term, priority in scaled.items() if priority > 0}
