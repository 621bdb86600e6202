"""Is this capitalised word a place name here?

A gazetteer of the world holds "Of", "Reading", "Mobile", "Orange" and half of all surnames. Whether a word that
could be a place is one is decided by adding up evidence, each piece with a weight in log-odds: what kind of name it
is, what stands right before and after it ("in Paris", "Paris Hilton", "Mr. Houston", "Houston Street"), and how the
same word is used elsewhere in the document ("mobile" in lower case; "Mark Houston" earlier on). How much each counts is in
evidence.py.
"""

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.context import attached, neighbours
from toponaut.places.names.evidence import (
    AND,
    BELIEVED,
    IN_TITLE_CASE,
    LISTED,
    PERSON_ELSEWHERE,
    PLAIN_SHARE,
    TITLED_SHARE,
    TRAITS,
    Name,
    Site,
    Word,
    is_person,
    is_sure,
    of_name,
    of_place,
    of_word_after,
    of_word_before,
)
from toponaut.places.names.nametable import Matches, NameTable
from toponaut.places.names.tokens import Bools, Index, Tokens
from toponaut.places.names.vocabulary import Vocabulary, is_unspaced

Floats = NDArray[np.float64]

_REMEMBERED = 100_000  # words beside names
_ALL_BUT_LAST = ~np.uint64(1)
_APART = np.uint64(
    0x9E3779B97F4A7C15
)  # parts the words of documents: odd, and all its bytes differ
_LETTERS_OF_A_SIGN = 3
_new = tuple.__new__  # makes a named tuple of a row in two thirds of the time that Word(*row) takes


class Doubts:
    """Weighs the matches of a document. Built once per gazetteer; holds tables and a memory of words.

    What is known of the tokens is gathered by vector operations, the evidence is then read match by match: a page has
    a few dozen, and for so few a hundred small vector operations cost more than they save (measured: 0.4 ms for 2
    matches and 0.6 for 110, against 0.1 and 0.6 ms).
    """

    def __init__(self, table: NameTable, vocabulary: Vocabulary) -> None:
        self._table, self._vocabulary = table, vocabulary
        self._met: dict[int, Word] = {
            0: Word()
        }  # by hash, whose lowest bit says whether it begins with a capital

    def weigh(
        self,
        tokens: Tokens,
        found: Matches,
        explicit: Container[int],
        documents: Index | None = None,
    ) -> list[float]:
        """Log-odds that each match is a place name. `explicit`: matches whose state or country stands beside them.
        `documents`: for each token the one it stands in, where the tokens are of several."""
        documents = np.zeros(len(tokens.start), np.int64) if documents is None else documents
        sites = self._sites(tokens, found, explicit, documents)
        odds = [
            of_name(site) + of_word_before(site) + of_word_after(site) + of_place(site)
            for site in sites
        ]
        whose = documents[found.first].tolist()
        persons = {
            (document, site.key)
            for document, site in zip(whose, sites, strict=True)
            if site.name.single and is_person(site.before)
        }
        if persons:
            for k, site in enumerate(sites):
                if (whose[k], site.key) in persons and not is_sure(site):
                    odds[k] += PERSON_ELSEWHERE
        beside = self._listed(tokens, found)
        listed = _with_list(odds, beside, odds)
        return _with_list(odds, beside, listed)  # once more: belief passes on along a list

    # --- gathering ---------------------------------------------------------------------------------------

    def names(self, found: Matches) -> list[Name]:
        """What the name of each match is, whatever stands beside it."""
        odds, traits = (
            self._table.odds[found.name].tolist(),
            self._table.traits[found.name].tolist(),
        )
        return [
            _new(Name, (itself, *TRAITS[packed]))
            for itself, packed in zip(odds, traits, strict=True)
        ]

    def _sites(
        self, tokens: Tokens, found: Matches, explicit: Container[int], documents: Index
    ) -> list[Site]:
        before, after = neighbours(tokens, found)
        opens = ~attached(tokens, before)
        further = np.where(opens, -1, before - 1)
        words = self._words_at(tokens, np.concatenate([before, further, after]))
        count = len(found.first)
        columns = (
            _lengths(tokens, found), tokens.upper[found.last],
            self._case_counts(tokens)[tokens.line[found.first]], self._in_lower_case(tokens, found.first, documents),
        )  # fmt: skip
        beside = (
            opens,
            tokens.start[found.first] - tokens.end[found.first - 1] == 2,
            self._tied(tokens, found, before, after),
        )
        rows = zip(
            found.name.tolist(),
            self.names(found),
            *(column.tolist() for column in columns),
            *(words[part : part + count] for part in range(0, 3 * count, count)),
            *(column.tolist() for column in beside),
            [k in explicit for k in range(count)],
            strict=True,
        )
        return [_new(Site, row) for row in rows]

    def _words_at(self, tokens: Tokens, at: Index) -> list[Word]:
        """What is known of the tokens at some places (-1: none there, an empty word).

        The words beside names are few: to remember them takes a third of the time of looking them up again.
        """
        keys = ((tokens.hash_at(at) & _ALL_BUT_LAST | tokens.upper[at]) * (at >= 0)).tolist()
        met = self._met
        if new := [k for k, key in enumerate(keys) if key not in met]:
            if len(met) > _REMEMBERED:
                met.clear()
                met[0] = Word()
                new = [k for k, key in enumerate(keys) if key]
            for k, word in zip(new, self._vocabulary.read(tokens, at[new]), strict=True):
                met[keys[k]] = word
        return [met[key] for key in keys]

    @staticmethod
    def _tied(tokens: Tokens, found: Matches, before: Index, after: Index) -> Bools:
        """Whether a hyphen ties each name to a capitalised word that is no name itself."""
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
    def _case_counts(tokens: Tokens) -> Floats:
        """For each line how much a capital says in it: all in running text, little where most words have one.

        The English news of bench/toponyms, dense with names, capitalises 29 % of its words, the German 46 %.
        """
        if not len(tokens.line):
            return np.ones(1)
        share = np.bincount(tokens.line, weights=tokens.upper) / np.maximum(
            np.bincount(tokens.line), 3
        )
        return np.interp(share, (PLAIN_SHARE, TITLED_SHARE), (1.0, IN_TITLE_CASE))

    @staticmethod
    def _in_lower_case(tokens: Tokens, at: Index, documents: Index) -> Bools:
        """Whether some tokens stand in their document in lower case too. A bitmap first: most do not."""
        words = tokens.hash + documents.view(np.uint64) * _APART
        lower, hashes = words[~tokens.upper], words[at]
        bitmap = np.zeros(1 << 16, np.bool_)
        bitmap[lower >> np.uint64(48)] = True
        maybe = bitmap[hashes >> np.uint64(48)]
        maybe[maybe] = (hashes[maybe][:, None] == lower).any(axis=1)
        return np.asarray(maybe)

    def _listed(self, tokens: Tokens, found: Matches) -> list[bool]:
        """Whether each match and the next stand in a list: parted by a comma, a bar, a line end, "and"."""
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


def _lengths(tokens: Tokens, found: Matches) -> Index:
    """Of names, in letters; a sign of a script without spaces stands for a syllable, or for more."""
    length = tokens.end[found.last] - tokens.start[found.first]
    return np.asarray(length * np.where(is_unspaced(tokens, found.first), _LETTERS_OF_A_SIGN, 1))


def _with_list(odds: list[float], beside: list[bool], believed: list[float]) -> list[float]:
    """The odds, raised for every name beside it in a list that is believed."""
    raised = list(odds)
    for k, listed in enumerate(beside):
        if listed:
            raised[k] += LISTED * (believed[k + 1] > BELIEVED)
            raised[k + 1] += LISTED * (believed[k] > BELIEVED)
    return raised


# --- kinds of evidence ---------------------------------------------------------------------------------------------
