"""How often terms are in a page, and the page's weight by a region's interests.

The three weighting schemes are those of Chubak and Shokouhi 2005, section IV. A term is a word or
several words in a row ("middle east"). Words are compared by their hashes (places/names/tokens.py),
without regard to case and accents, but not by their stems: the paper looks for interests as users
write them, so "Iran" is not found in "Iranian". "Middle-East" matches the phrase, too.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import hypot, log
from typing import NamedTuple

import numpy as np

from toponaut.page.judge import MOST_TEXT
from toponaut.places.names.tokens import Hashes, Index, TextTokens, Tokeniser

Term = tuple[int, ...]  # the hashes of its words


class Counts(NamedTuple):
    """The counts of a page that the schemes need; `tf` in the order of the interests."""

    tf: tuple[int, ...]  # how often each interest is in the page
    most: int = 0  # how often its most frequent word is
    words: int = 0
    unique: int = 0  # different words


# --- counting -------------------------------------------------------------------------------------


def term_of(tokeniser: Tokeniser, written: str) -> Term:
    """The hashes of a term's words; () if it has none."""
    return tuple(tokeniser.words(unicodedata.normalize("NFC", written)).hash.tolist())


def word_counts(tokeniser: Tokeniser, text: str) -> Counter[str]:
    """How often each word is in a text, in lower case and with its accents."""
    counts = Counter[str]()
    for composed, tokens in words_of(tokeniser, text):
        spans = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
        counts.update(composed[start:end].lower() for start, end in spans)
    return counts


class TermCounter:
    """Counts some terms in texts of any language."""

    def __init__(self, tokeniser: Tokeniser, terms: Iterable[Term]) -> None:
        self._tokeniser = tokeniser
        self._terms = [np.array(term, np.uint64) for term in terms]
        self._firsts = np.array([term[0] for term in self._terms], np.uint64)

    def count(self, title: str, text: str) -> Counts:
        """The counts of a page, in its first 100,000 characters."""
        chunks = words_of(self._tokeniser, f"{title}\n{text}")
        words = np.concatenate([tokens.hash for _, tokens in chunks])
        if not len(words):
            return Counts((0,) * len(self._terms))
        values, often = np.unique(words, return_counts=True)
        at = values.searchsorted(self._firsts)
        at[at == len(values)] = 0
        tf = np.where(values[at] == self._firsts, often[at], 0)
        for index in tf.nonzero()[0].tolist():
            if len(self._terms[index]) > 1:
                tf[index] = _runs(words, self._terms[index])
        return Counts(tuple(tf.tolist()), int(often.max()), len(words), len(values))


def words_of(tokeniser: Tokeniser, text: str) -> Iterator[tuple[str, TextTokens]]:
    """The words of a text in chunks, each with the text that its offsets refer to."""
    text, chars = tokeniser.read_composed(text[:MOST_TEXT])
    return ((text, tokens) for tokens in tokeniser.chunked(chars))


def _runs(words: Hashes, term: Hashes) -> int:
    """How often several words are in a row. Runs may overlap: "a a" is in "a a a" twice."""
    starts: Index = (words[: len(words) - len(term) + 1] == term[0]).nonzero()[0]
    for further in range(1, len(term)):
        starts = starts[words[starts + further] == term[further]]
    return len(starts)


# --- weighting ------------------------------------------------------------------------------------


def idf(pages: int, having: Sequence[int]) -> list[float]:
    """log(N/n) for each interest: N pages, n of them with the interest (equations 2 and 3).

    An interest that no page has yet counts as if one had it.
    """
    return [log(pages / max(having_it, 1)) for having_it in having]


def nxx(page: Counts, priorities: Sequence[float]) -> float:
    """nxx.nxx (section IV.A): sum of tf * priority, without document frequency or length."""
    return sum(tf * priority for tf, priority in zip(page.tf, priorities, strict=True))


def tfidf(page: Counts, priorities: Sequence[float], rarity: Sequence[float]) -> float:
    """tf.idf (equations 1 to 3): the cosine of the page's and the region's vectors.

    w_page = tf / max tf * log(N/n), and w_region = (0.5 + 0.5 * f / max f) * log(N/n). If one of
    the vectors is 0, so is the weight.
    """
    most, highest = max(page.most, 1), max(priorities)
    of_page = [tf / most * rare for tf, rare in zip(page.tf, rarity, strict=True)]
    of_region = [
        (0.5 + 0.5 * f / highest) * rare for f, rare in zip(priorities, rarity, strict=True)
    ]
    lengths = hypot(*of_page) * hypot(*of_region)
    return _product(of_page, of_region) / lengths if lengths else 0.0


def lnu(
    page: Counts,
    priorities: Sequence[float],
    rarity: Sequence[float],
    pivot: float = 107.89,
    slope: float = 0.2,
) -> float:
    """Lnu.ltu (equations 4 to 6): the product of the page's Lnu and the region's ltu vector.

    L = (1 + ln tf) / (1 + ln average tf), n = 1; l = 1 + ln f, t = log(N/n); and for both
    u = 1 / ((1 - slope) * pivot + slope * unique terms). l expects counts: if a priority is below
    1, all are scaled so that the least is 1.
    """
    if not page.unique:
        return 0.0
    average = 1 + log(page.words / page.unique)
    unit = min(1.0, *priorities)
    of_page = [(1 + log(tf)) / average if tf else 0.0 for tf in page.tf]
    of_region = [(1 + log(f / unit)) * rare for f, rare in zip(priorities, rarity, strict=True)]
    return (
        _product(of_page, of_region)
        * _pivoted(page.unique, pivot, slope)
        * _pivoted(len(priorities), pivot, slope)
    )


def lnu_share(
    page: Counts, priorities: Sequence[float], rarity: Sequence[float], pivot: float, slope: float
) -> float:
    """Lnu.ltu on a scale of about 0 to 1: divided by the weight of a page of nothing but the
    interests, each once. The paper prints weights up to 0.994 (Table III) and gives no scale. The
    order of pages stays the same. Interests above the average of a page can lead beyond 1.
    """
    count = len(priorities)
    ideal = Counts((1,) * count, 1, count, count)
    most = lnu(ideal, priorities, rarity, pivot, slope)
    return lnu(page, priorities, rarity, pivot, slope) / most if most else 0.0


def _pivoted(unique: int, pivot: float, slope: float) -> float:
    """Pivoted unique normalisation (equation 6)."""
    return 1 / ((1 - slope) * pivot + slope * unique)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def revisit_days(weight: float, highest: float, soonest: float, latest: float) -> float:
    """Days from one visit of a page to the next, inversely proportional to its weight, in bounds.

    Section V: "The more important a page is for a region's interest, the more frequently it will be
    looked for". The paper gives no formula.
    """
    if weight <= 0:
        return latest
    return min(latest, soonest * highest / weight)
