"""A text classifier for any partition of places: multinomial naive Bayes with Laplace smoothing.

    log P(class | text) = log P(class) + sum over the text's words w of log P(w | class)  + constant
    P(w | class) = (occurrences of w in the class's texts + 1) / (all words of them + vocabulary)
    P(class) = the class's share of the texts

As in Gao, Lee and Miao 2006, section 3.4.4 (their reference is Mitchell, Machine Learning, 1997,
chapter 6).

**The model keeps counts by place**, not probabilities: counts add up. When it is opened, each place
is assigned to a class, and the counts of a class are the sum over its places. So one model serves
any partition.

**The vocabulary is bounded** to the words with the highest information gain of their presence (Yang
and Pedersen 1997). Other words are ignored.

**Words are the tokens of places/names/tokens.py**: case and accents do not count, numbers are words
("98101"). They are looked up by their hashes, in one vector operation for a page: 0.18 ms for 2,200
words and 6 classes.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.tokens import Hashes, Index, Ints, Tokeniser
from toponaut.strategy.ordering.term_weights import words_of

Floats = NDArray[np.float64]
Counts = NDArray[np.uint32]

# A word has one of 2**SLOT_BITS slots, by its hash. With 2**15 words, 1.5 % fall on a slot that a
# stronger word has taken, and are not found. That is cheaper than probing twice.
SLOT_BITS = 20
_TO_SLOT = np.uint64(64 - SLOT_BITS)

MAGIC = b"toponaut words\n"
VERSION = 1


# --- the model ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordCounts:
    """How often words are in texts about places: the result of training."""

    places: tuple[int, ...]  # ids; 0 for texts about none
    texts: tuple[int, ...]  # texts of each place
    words: tuple[str, ...]  # the vocabulary, strongest words first
    counts: Counts  # a row for each place, a column for each word


class _TextBayesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    places: tuple[int, ...]
    texts: tuple[int, ...]
    words: str  # one a line
    counts: bytes  # 32 bits each, little-endian, place by place


def dump(model: WordCounts) -> bytes:
    """A model as a file: a magic line, the version, and zlib-packed data with a checksum."""
    file = _TextBayesFile(
        model.places, model.texts, "\n".join(model.words), model.counts.astype("<u4").tobytes()
    )
    return MAGIC + bytes([VERSION]) + zlib.compress(msgspec.msgpack.encode(file), 6)


def load(data: bytes) -> WordCounts:
    """The model in a file. Raises ValueError if there is none."""
    if not data.startswith(MAGIC):
        raise ValueError("it is not a trained model" if data else "it is empty")
    version, packed = data[len(MAGIC) : len(MAGIC) + 1], data[len(MAGIC) + 1 :]
    if version not in (b"", bytes([VERSION])):
        raise ValueError(f"it has version {version[0]}, and this Toponaut reads version {VERSION}")
    try:
        file = msgspec.msgpack.decode(zlib.decompress(packed), type=_TextBayesFile)
        words = tuple(file.words.split("\n"))
        counts = np.frombuffer(file.counts, "<u4").reshape(len(file.places), len(words))
    except (zlib.error, msgspec.MsgspecError, ValueError) as error:
        raise ValueError("it is damaged") from error
    if len(file.texts) != len(file.places) or not all(words):
        raise ValueError("it is damaged")
    return WordCounts(file.places, file.texts, words, counts.astype(np.uint32))


# --- classification -------------------------------------------------------------------------------


class Opinion(NamedTuple):
    """The classification of a text: the probability of each class, and the words used."""

    chances: Floats
    words: Ints  # of the vocabulary, each once
    times: Index  # how often each is in the text


class TextBayes:
    """A model opened for a partition: `class_of` is the class of each of the model's places."""

    def __init__(
        self, tokeniser: Tokeniser, model: WordCounts, class_of: Sequence[int], classes: int
    ) -> None:
        self._tokeniser, self._words = tokeniser, model.words
        counts, texts = np.zeros((classes, len(model.words))), np.zeros(classes)
        np.add.at(counts, list(class_of), model.counts)
        np.add.at(texts, list(class_of), model.texts)
        with np.errstate(divide="ignore"):  # a class without texts has the chance 0
            self._prior = np.log(texts / texts.sum())
        self._log = np.ascontiguousarray(_smoothed(counts).T)  # a row for each word
        self._everywhere = _smoothed(counts.sum(axis=0, keepdims=True))[0]
        self._slots, self._hashes = self._table()

    def judge(self, text: str) -> Opinion:
        """The posterior over classes."""
        known = [self._known(tokens.hash) for _, tokens in words_of(self._tokeniser, text)]
        words, times = np.unique(np.concatenate(known), return_counts=True)
        return Opinion(self.chances(words, times), words, times)

    def join(self, whole: Opinion, part: Opinion, times: int) -> Opinion:
        """The opinion on a text with a part of it counted `times` more often."""
        known = np.concatenate([whole.words, part.words])
        words, at = np.unique(known, return_inverse=True)
        counts = np.zeros(len(words), np.int64)
        np.add.at(counts, at, np.concatenate([whole.times, part.times * times]))
        return Opinion(self.chances(words, counts), words, counts)

    def chances(self, words: Ints, times: Index) -> Floats:
        """The posterior over classes from words of the vocabulary and their counts in a text."""
        scores = self._prior + times @ self._log[words]
        chances = np.exp(scores - scores.max())
        return np.asarray(chances / chances.sum())

    def strongest(self, opinion: Opinion, which: int, count: int) -> list[str]:
        """The words that contributed most to a class, compared with all texts."""
        words = opinion.words
        gain = opinion.times * (self._log[words, which] - self._everywhere[words])
        best = np.argsort(-gain, kind="stable")[:count]
        return [self._words[words[k]] for k in best.tolist() if gain[k] > 0]

    def _known(self, hashes: Hashes) -> Ints:
        """The indices of those words that are in the vocabulary."""
        index = self._slots[hashes >> _TO_SLOT]
        return np.asarray(index[self._hashes[index] == hashes])

    def _table(self) -> tuple[Ints, Hashes]:
        """For every slot its strongest word, and every word's hash."""
        chunks = self._tokeniser.chunks("\n".join(self._words))
        hashes = np.concatenate([tokens.hash for tokens in chunks])
        if len(hashes) != len(self._words):
            raise ValueError("it is damaged")  # it contains something other than words
        slots = np.zeros(1 << SLOT_BITS, np.int32)
        slots[hashes[::-1] >> _TO_SLOT] = np.arange(len(hashes), dtype=np.int32)[::-1]
        return slots, hashes


def _smoothed(counts: Floats) -> Floats:
    """log P(w | class), with Laplace smoothing, from the counts of each class (a row)."""
    return np.asarray(np.log((counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])))


# --- training -------------------------------------------------------------------------------------

# Words that a model keeps. For a hundred places and "none" the file has 2 MB, a page takes 0.3 ms.
MOST_WORDS = 1 << 15
_MOST_TIMES = (1 << 16) - 1  # counted for a word in one text
_AT_ONCE = 2_000  # texts counted at once, to bound memory


class Lesson:
    """Training texts with their places: 3.5 KB for a text of 550 different words."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.places: list[int] = []  # of each text
        self._tokeniser = tokeniser
        self._known: dict[int, int] = {}  # the hash of a word -> its index
        self._words: list[str] = []
        self._texts: list[tuple[Ints, NDArray[np.uint16]]] = []  # words of each text, with counts

    def add(self, text: str, place: int) -> bool:
        """Learn that a text is about a place (0: none). False if it has no words."""
        chunks = list(words_of(self._tokeniser, text))
        text = chunks[0][0]
        every = np.concatenate([tokens.hash for _, tokens in chunks])
        hashes, first, times = np.unique(every, return_index=True, return_counts=True)
        starts = np.concatenate([tokens.start for _, tokens in chunks])[first].tolist()
        ends = np.concatenate([tokens.end for _, tokens in chunks])[first].tolist()
        words = []
        for mark, start, end in zip(hashes.tolist(), starts, ends, strict=True):
            if (word := self._known.get(mark)) is None:
                word = self._known[mark] = len(self._words)
                self._words.append(text[start:end].lower())
            words.append(word)
        if words:
            self.places.append(place)
            counts = np.minimum(times, _MOST_TIMES).astype(np.uint16)
            self._texts.append((np.array(words, np.int32), counts))
        return bool(words)

    def model(self) -> WordCounts:
        """The model of all texts."""
        return self._fit(range(len(self.places)))[0]

    def accuracy(self, folds: Sequence[int]) -> float:
        """The share of texts that a model of the other folds classifies correctly."""
        right = 0
        for fold in sorted(set(folds)):
            model, words = self._fit([k for k, other in enumerate(folds) if other != fold])
            opened = TextBayes(self._tokeniser, model, range(len(model.places)), len(model.places))
            index = np.full(len(self._words), -1, np.int32)
            index[words] = np.arange(len(words))
            for k in (k for k, other in enumerate(folds) if other == fold):
                found, times = index[self._texts[k][0]], self._texts[k][1]
                chances = opened.chances(found[found >= 0], times[found >= 0].astype(np.int64))
                right += model.places[int(chances.argmax())] == self.places[k]
        return right / len(folds)

    def _fit(self, texts: Sequence[int]) -> tuple[WordCounts, Index]:
        """The model of some texts, and the words that it keeps."""
        of_place: dict[int, list[int]] = {}
        for k in texts:
            of_place.setdefault(self.places[k], []).append(k)
        places = sorted(of_place)
        words = self._most_informative([of_place[place] for place in places])
        counts = [self._count(of_place[place], weighted=True)[words] for place in places]
        sizes = tuple(len(of_place[place]) for place in places)
        kept = tuple(self._words[word] for word in words.tolist())
        return WordCounts(tuple(places), sizes, kept, np.array(counts).astype(np.uint32)), words

    def _most_informative(self, classes: Sequence[Sequence[int]]) -> Index:
        """The words with the highest information gain, the best first: the sum over classes c and
        presence t of P(c,t) log(P(c,t) / (P(c) P(t)))."""
        total = sum(len(texts) for texts in classes)
        present = self._count([k for texts in classes for k in texts], weighted=False)
        gain = np.zeros(len(present))
        for texts in classes:
            there, expected = self._count(texts, weighted=False), len(texts) * present / total
            absent = _surprise(len(texts) - there, len(texts) - expected)
            gain += _surprise(there, expected) + absent
        gain[present == 0] = -1.0
        ranked = np.argsort(-gain, kind="stable")[:MOST_WORDS]
        return ranked[present[ranked] > 0]

    def _count(self, texts: Sequence[int], *, weighted: bool) -> Floats:
        """For every word the number of texts that have it; weighted, its occurrences in them."""
        total = np.zeros(len(self._words))
        for first in range(0, len(texts), _AT_ONCE):
            some = [self._texts[k] for k in texts[first : first + _AT_ONCE]]
            times = np.concatenate([times for _, times in some]) if weighted else None
            total += np.bincount(np.concatenate([words for words, _ in some]), times, len(total))
        return total


def _surprise(seen: Floats, expected: Floats) -> Floats:
    """seen * log(seen / expected), 0 if nothing was seen."""
    return np.asarray(seen * np.log(np.where(seen > 0, seen, 1) / np.where(seen > 0, expected, 1)))
