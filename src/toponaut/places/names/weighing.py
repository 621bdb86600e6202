"""Is this capitalised word a place name here?

A gazetteer of the world contains "Of", "Reading", "Mobile", "Orange" and half of all surnames. Adds
up evidence in log-odds: the name itself, the words next to it ("in Paris", "Paris Hilton", "Mr.
Houston", "Houston Street"), and other uses of the word in the document ("mobile" in lower case;
"Mark Houston"). The weights are in evidence.py.
"""

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.evidence import (
    AND,
    BELIEVED,
    IN_TITLE_CASE,
    LISTED,
    PERSON_ELSEWHERE,
    PLAIN_SHARE,
    TITLED_SHARE,
    TRAITS,
    MatchEvidence,
    NameFacts,
    is_person,
    is_sure,
    name_odds,
    position_odds,
    word_after_odds,
    word_before_odds,
)
from toponaut.places.names.name_table import Matches, NameTable
from toponaut.places.names.tokens import Bools, Index, TextTokens
from toponaut.places.names.vocabulary import Vocabulary, WordFacts, is_unspaced

Floats = NDArray[np.float64]

_REMEMBERED = 100_000  # words next to names
_ALL_BUT_LAST = ~np.uint64(1)
# Keeps the words of different documents apart: odd, with eight different bytes.
_APART = np.uint64(0x9E3779B97F4A7C15)
_LETTERS_PER_SIGN = 3
_new = tuple.__new__  # takes two thirds of the time of WordFacts(*row)


class MatchWeigher:
    """Weighs the matches of a document. Built once for a gazetteer; holds tables and a word cache.

    Facts about tokens are gathered by vector operations. The evidence is then read match by match:
    a page has a few dozen, and for these vector operations would cost more.
    """

    def __init__(self, table: NameTable, vocabulary: Vocabulary) -> None:
        self._table, self._vocabulary = table, vocabulary
        # By hash, whose lowest bit is set if the word begins with a capital.
        self._known: dict[int, WordFacts] = {0: WordFacts()}

    def weigh(
        self,
        tokens: TextTokens,
        found: Matches,
        explicit: Container[int],
        documents: Index | None = None,
    ) -> list[float]:
        """Log-odds that each match is a place name.

        `explicit`: matches whose state or country is next to them. `documents`: the document of
        each token, if there are several.
        """
        documents = np.zeros(len(tokens.start), np.int64) if documents is None else documents
        evidence = self._evidence(tokens, found, explicit, documents)
        odds = [
            name_odds(one) + word_before_odds(one) + word_after_odds(one) + position_odds(one)
            for one in evidence
        ]
        whose = documents[found.first].tolist()
        persons = {
            (document, one.key)
            for document, one in zip(whose, evidence, strict=True)
            if one.name.single and is_person(one.before)
        }
        if persons:
            for k, one in enumerate(evidence):
                if (whose[k], one.key) in persons and not is_sure(one):
                    odds[k] += PERSON_ELSEWHERE
        paired = self._paired(tokens, found)
        listed = _with_list(odds, paired, odds)
        return _with_list(odds, paired, listed)  # again: belief spreads along a list

    # --- gathering ----------------------------------------------------------------------------

    def names(self, found: Matches) -> list[NameFacts]:
        """The facts about the name of each match."""
        odds = self._table.odds[found.name].tolist()
        traits = self._table.traits[found.name].tolist()
        return [
            _new(NameFacts, (itself, *TRAITS[packed]))
            for itself, packed in zip(odds, traits, strict=True)
        ]

    def _evidence(
        self, tokens: TextTokens, found: Matches, explicit: Container[int], documents: Index
    ) -> list[MatchEvidence]:
        before, after = _neighbours(tokens, found)
        opens = ~_attached(tokens, before)
        further = np.where(opens, -1, before - 1)
        words = self._words_at(tokens, np.concatenate([before, further, after]))
        count = len(found.first)
        columns = (
            _lengths(tokens, found),
            tokens.upper[found.last],
            self._capital_weights(tokens)[tokens.line[found.first]],
            self._in_lower_case(tokens, found.first, documents),
        )
        around = (
            opens,
            tokens.start[found.first] - tokens.end[found.first - 1] == 2,
            self._tied(tokens, found, before, after),
        )
        rows = zip(
            found.name.tolist(),
            self.names(found),
            *(column.tolist() for column in columns),
            *(words[part : part + count] for part in range(0, 3 * count, count)),
            *(column.tolist() for column in around),
            [k in explicit for k in range(count)],
            strict=True,
        )
        return [_new(MatchEvidence, row) for row in rows]

    def _words_at(self, tokens: TextTokens, at: Index) -> list[WordFacts]:
        """Facts about some tokens; an empty word for -1. Cached: few words are next to names."""
        keys = ((tokens.hash_at(at) & _ALL_BUT_LAST | tokens.upper[at]) * (at >= 0)).tolist()
        known = self._known
        if new := [k for k, key in enumerate(keys) if key not in known]:
            if len(known) > _REMEMBERED:
                known.clear()
                known[0] = WordFacts()
                new = [k for k, key in enumerate(keys) if key]
            for k, word in zip(new, self._vocabulary.read(tokens, at[new]), strict=True):
                known[keys[k]] = word
        return [known[key] for key in keys]

    @staticmethod
    def _tied(tokens: TextTokens, found: Matches, before: Index, after: Index) -> Bools:
        """Whether a hyphen ties each name to a capitalised word that is not a name itself."""
        left, right = tokens.hyphened[before], tokens.hyphened[found.last]
        tied = left | right
        if tied.any():  # hyphens are rare
            left = left & (before >= 0) & tokens.upper[before]
            right = right & (after >= 0) & tokens.upper[after]
            tied = (
                (left | right)
                & ~(left & np.isin(before, found.last))
                & ~(right & np.isin(after, found.first))
            )
        return np.asarray(tied)

    @staticmethod
    def _capital_weights(tokens: TextTokens) -> Floats:
        """For each line how much a capital means: 1 in running text, less if most words have one.

        In bench/toponyms, English news capitalises 29 % of its words, German news 46 %.
        """
        if not len(tokens.line):
            return np.ones(1)
        words = np.maximum(np.bincount(tokens.line), 3)
        share = np.bincount(tokens.line, weights=tokens.upper) / words
        return np.interp(share, (PLAIN_SHARE, TITLED_SHARE), (1.0, IN_TITLE_CASE))

    @staticmethod
    def _in_lower_case(tokens: TextTokens, at: Index, documents: Index) -> Bools:
        """Whether the document has some tokens in lower case, too. A bitmap rules out most."""
        words = tokens.hash + documents.view(np.uint64) * _APART
        lower, hashes = words[~tokens.upper], words[at]
        bitmap = np.zeros(1 << 16, np.bool_)
        bitmap[lower >> np.uint64(48)] = True
        maybe = bitmap[hashes >> np.uint64(48)]
        maybe[maybe] = (hashes[maybe][:, None] == lower).any(axis=1)
        return np.asarray(maybe)

    def _paired(self, tokens: TextTokens, found: Matches) -> list[bool]:
        """Whether each match and the next are in a list: with a comma, bar, line end or "and"."""
        last, first = found.last[:-1], found.first[1:]
        between = first - last - 1  # tokens between one match and the next
        gap = tokens.start[first] - tokens.end[last]
        comma = (between == 0) & tokens.comma[last] & (gap <= 3)
        lines = (between == 0) & (gap == 1) & (tokens.line[first] > tokens.line[last])
        listed: list[bool] = (comma | lines).tolist()
        parted = np.flatnonzero(between == 1)
        for k, word in zip(parted.tolist(), self._words_at(tokens, last[parted] + 1), strict=True):
            listed[k] = bool(word.cues & AND)
        return listed


def _lengths(tokens: TextTokens, found: Matches) -> Index:
    """Lengths of names in letters. A sign of a script without spaces counts as a syllable."""
    length = tokens.end[found.last] - tokens.start[found.first]
    return np.asarray(length * np.where(is_unspaced(tokens, found.first), _LETTERS_PER_SIGN, 1))


def _with_list(odds: list[float], paired: list[bool], believed: list[float]) -> list[float]:
    """The odds, raised for each neighbour in a list that is believed."""
    raised = list(odds)
    for k, listed in enumerate(paired):
        if listed:
            raised[k] += LISTED * (believed[k + 1] > BELIEVED)
            raised[k + 1] += LISTED * (believed[k] > BELIEVED)
    return raised


def _attached(tokens: TextTokens, at: Index) -> Bools:
    """Whether a token continues the words before it: it does not open a line or a sentence."""
    before = np.maximum(at - 1, 0)
    return np.asarray((at > 0) & tokens.joined[before] & (tokens.line[before] == tokens.line[at]))


def _neighbours(tokens: TextTokens, found: Matches) -> tuple[Index, Index]:
    """The tokens right before and after each match on its line; -1 if there is no such token."""
    before = np.where(_attached(tokens, found.first), found.first - 1, -1)
    after = np.minimum(found.last + 1, len(tokens.start) - 1)
    same_line = tokens.line[after] == tokens.line[found.last]
    follows = tokens.joined[found.last] & same_line & (after > found.last)
    return before, np.where(follows, after, -1)
