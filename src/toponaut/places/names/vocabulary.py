"""What is known of words, whatever text they stand in: how common each is, and what it says of a name beside it.

How common a word is as a word, a given name and a surname comes from tables/words, compiled with the gazetteer; the words that
speak for or against a name are those of cues.py.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.cues import BIT, GROUPS
from toponaut.places.names.evidence import FUNCTION_CLASS, Word
from toponaut.places.names.tokens import SOLO, WORD, Bools, Hashes, Index, Tokeniser, Tokens

_new = tuple.__new__  # makes a named tuple of a row in two thirds of the time that Word(*row) takes


class Vocabulary:
    """Built once per gazetteer; it has no state that changes."""

    def __init__(self, tokeniser: Tokeniser, words: dict[str, NDArray[Any]]) -> None:
        self._words: Hashes = words["word_hash"]
        self._classes: NDArray[np.int8] = words["word_class"]  # columns: common, given, surname
        bits: dict[int, int] = {}
        for group, members in GROUPS.items():
            for value in tokeniser.words(members).hash.tolist():
                bits[value] = bits.get(value, 0) | BIT[group]
        self._cues = np.array(sorted(bits), np.uint64)
        self._bits = np.array([bits[value] for value in sorted(bits)], np.int64)

    def classes(self, hashes: Hashes) -> NDArray[np.int8]:
        """How common words are as a word, a given name and a surname: rows of three classes, 0 for never."""
        k = np.minimum(np.searchsorted(self._words, hashes), len(self._words) - 1)
        return np.asarray(self._classes[k] * (self._words[k] == hashes)[:, None])

    def read(self, tokens: Tokens, at: Index) -> list[Word]:
        """What is known of some tokens."""
        hashes = tokens.hash_at(at)
        k = np.minimum(np.searchsorted(self._cues, hashes), len(self._cues) - 1)
        cues = self._bits[k] * (self._cues[k] == hashes)
        length = tokens.end[at] - tokens.start[at]
        upper = tokens.upper[at] & ~is_caseless(tokens, at)
        columns = (upper, cues, *self.classes(hashes).T, length)
        return [
            _new(Word, row) for row in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def stems(self, tokens: Tokens, at: Index) -> NDArray[np.int8]:
        """Of some tokens the class of the word that they are the plural of, less one ("Islands", a district of Hong Kong); 0 for
        others, and where that is a rare word ("Wales") or a closed-class one ("Mons")."""
        shorter = replace(tokens, end=np.maximum(tokens.end - 1, tokens.start))
        stem = self.classes(shorter.hash_at(at))[:, 0]
        plural = tokens.chars.planes[0][shorter.end[at]] == ord("s")
        return np.asarray(
            np.where(plural & (stem > 1) & (stem < FUNCTION_CLASS), stem - 1, 0), np.int8
        )


def is_unspaced(tokens: Tokens, at: Index) -> Bools:
    """Whether some tokens are signs of a script without spaces, of which a word has several."""
    return np.asarray(tokens.chars.kind[tokens.start[at]] & (WORD | SOLO) == WORD | SOLO)


def is_caseless(tokens: Tokens, at: Index) -> Bools:
    """Whether some tokens are of a script without capitals: Hebrew and nearly all that Unicode has behind it."""
    first, *others = tokens.chars.planes
    if not others:
        return np.zeros(len(at), np.bool_)
    start = tokens.start[at]
    return np.asarray(
        (others[0][start] > 5)
        | ((others[0][start] == 5) & (first[start] >= 0x90))
        | (others[1][start] > 0)
    )
