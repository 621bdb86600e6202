"""A classifier of texts that fits any partition, and its training: multinomial naive Bayes with Laplace smoothing.

    log P(class | text) = log P(class) + sum over the text's words w of log P(w | class)  + a constant
    P(w | class) = (times that w stands in the class's texts + 1) / (all words of the class's texts + vocabulary)
    P(class) = the class's share of the texts

as Gao, Lee and Miao 2006 use it (section 3.4.4; their reference is Mitchell, Machine Learning, 1997, chapter 6).

**Counts, not probabilities, are kept**, and by place: counts add up. Whoever opens a model says which class each of its
places belongs to, and the counts of a class are the sum of theirs. So one model serves five nodes, or a hundred.

**The vocabulary is bounded**: of all words of the training texts those are kept that tell most about the place of a
text, by the information gain of their presence (Yang and Pedersen 1997). Others are passed over, in training as in use.

**Words are what places/tokens.py takes for tokens**: case and accents do not count, numbers are words ("98101"). A
word is looked up by its hash, in one vector operation for a whole page, and the model keeps words as text: a table of
hashes is made when it is opened. A page of 2,200 words takes 0.18 ms for 6 classes and 0.32 ms for 101, of which
splitting it into words is 0.1 ms; the strongest words take 0.05 ms more.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.tokens import Hashes, Index, Ints, TextTokens, Tokeniser

Floats = NDArray[np.float64]
Counts = NDArray[np.uint32]

MOST_TEXT = 100_000  # characters of a page that are read, as for place names (judge.py)
# A word has one of 2**SLOT_BITS slots, by its hash. With 2**15 words 1.5 % fall on a slot that is taken by a word that
# tells more, and are not found: cheaper than to look twice.
SLOT_BITS = 20
_TO_SLOT = np.uint64(64 - SLOT_BITS)

MAGIC = b"toponaut words\n"
VERSION = 1


def words_of(tokeniser: Tokeniser, text: str) -> Iterator[tuple[str, TextTokens]]:
    """The words of a text, chunk by chunk, each with the text that their offsets index."""
    text, chars = tokeniser.read_composed(text[:MOST_TEXT])
    return ((text, tokens) for tokens in tokeniser.chunked(chars))


# --- what a model is ------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordCounts:
    """How often words stand in texts about places: all that training gives."""

    places: tuple[int, ...]  # ids; 0 for texts about none
    texts: tuple[int, ...]  # of each place
    words: tuple[str, ...]  # the vocabulary, those that tell most first
    counts: Counts  # a row for each place, a column for each word


class _TextBayesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    places: tuple[int, ...]
    texts: tuple[int, ...]
    words: str  # one a line
    counts: bytes  # 32 bits each, little-endian, place by place


def dump(model: WordCounts) -> bytes:
    """A model as a file: a magic line, the version, and the rest packed by zlib, whose checksum tells of damage."""
    file = _TextBayesFile(
        model.places, model.texts, "\n".join(model.words), model.counts.astype("<u4").tobytes()
    )
    return MAGIC + bytes([VERSION]) + zlib.compress(msgspec.msgpack.encode(file), 6)


def load(data: bytes) -> WordCounts:
    """The model in a file. A ValueError says why there is none."""
    if not data.startswith(MAGIC):
        raise ValueError("it is no trained model" if data else "it is empty")
    version, packed = data[len(MAGIC) : len(MAGIC) + 1], data[len(MAGIC) + 1 :]
    if version not in (b"", bytes([VERSION])):
        raise ValueError(
            f"it is of version {version[0]}, and this Toponaut reads version {VERSION}"
        )
    try:
        file = msgspec.msgpack.decode(zlib.decompress(packed), type=_TextBayesFile)
        words = tuple(file.words.split("\n"))
        counts = np.frombuffer(file.counts, "<u4").reshape(len(file.places), len(words))
    except (zlib.error, msgspec.MsgspecError, ValueError) as error:
        raise ValueError("it is damaged") from error
    if len(file.texts) != len(file.places) or not all(words):
        raise ValueError("it is damaged")
    return WordCounts(file.places, file.texts, words, counts.astype(np.uint32))


# --- what it says of a text -----------------------------------------------------------------------


class Opinion(NamedTuple):
    """What a text's words say: the probability of each class, and from which words."""

    chances: Floats
    words: Ints  # of the vocabulary, each once
    times: Index  # that each stands in the text


class TextBayes:
    """A model opened for a partition: `class_of` gives each of the model's places one of so many classes."""

    def __init__(
        self, tokeniser: Tokeniser, model: WordCounts, class_of: Sequence[int], classes: int
    ) -> None:
        self._tokeniser, self._words = tokeniser, model.words
        counts, texts = np.zeros((classes, len(model.words))), np.zeros(classes)
        np.add.at(counts, list(class_of), model.counts)
        np.add.at(texts, list(class_of), model.texts)
        with np.errstate(divide="ignore"):  # a class without texts has the chance 0
            self._prior = np.log(texts / texts.sum())
        self._log = np.ascontiguousarray(
            _smoothed(counts).T
        )  # a row for each word: those of a page are gathered
        self._everywhere = _smoothed(counts.sum(axis=0, keepdims=True))[0]
        self._slots, self._hashes = self._table()

    def judge(self, text: str) -> Opinion:
        """The posterior over classes."""
        known = [self._known(tokens.hash) for _, tokens in words_of(self._tokeniser, text)]
        words, times = np.unique(np.concatenate(known), return_counts=True)
        return Opinion(self.chances(words, times), words, times)

    def chances(self, words: Ints, times: Index) -> Floats:
        """The posterior over classes from words of the vocabulary and how often each stands in a text."""
        scores = self._prior + times @ self._log[words]
        chances = np.exp(scores - scores.max())
        return np.asarray(chances / chances.sum())

    def strongest(self, opinion: Opinion, which: int, count: int) -> list[str]:
        """The words that spoke most for a class: that stand more often in its texts than in all."""
        words = opinion.words
        said = opinion.times * (self._log[words, which] - self._everywhere[words])
        best = np.argsort(-said, kind="stable")[:count]
        return [self._words[words[k]] for k in best.tolist() if said[k] > 0]

    def _known(self, hashes: Hashes) -> Ints:
        """Those of some words that are in the vocabulary, as indices there."""
        index = self._slots[hashes >> _TO_SLOT]
        return np.asarray(index[self._hashes[index] == hashes])

    def _table(self) -> tuple[Ints, Hashes]:
        """For every slot a word, and every word's hash. The first word of a slot is the one that tells most."""
        hashes = np.concatenate(
            [tokens.hash for tokens in self._tokeniser.chunks("\n".join(self._words))]
        )
        if len(hashes) != len(self._words):
            raise ValueError("it is damaged")  # something in it is no word
        slots = np.zeros(1 << SLOT_BITS, np.int32)
        slots[hashes[::-1] >> _TO_SLOT] = np.arange(len(hashes), dtype=np.int32)[::-1]
        return slots, hashes


def _smoothed(counts: Floats) -> Floats:
    """log P(w | class), with Laplace smoothing, from the counts of each class (a row)."""
    return np.asarray(np.log((counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])))


# --- training -------------------------------------------------------------------------------------

# Words that a model keeps: a hundred places and "none" make a file of 2 MB, and a page still takes 0.3 ms.
MOST_WORDS = 1 << 15
_MOST_TIMES = (
    1 << 16
) - 1  # that a word counts in one text; a page of one Han character again and again has more
_AT_ONCE = 2_000  # texts that are counted in one go, for the memory that it takes


class Lesson:
    """Texts with their places, counted word by word: 3.5 KB a text of 550 different words, and 0.2 KB a word."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.places: list[int] = []  # of each text
        self._tokeniser = tokeniser
        self._known: dict[int, int] = {}  # the hash of a word -> its index
        self._words: list[str] = []
        self._texts: list[
            tuple[Ints, NDArray[np.uint16]]
        ] = []  # the words of each text, and how often each

    def add(self, text: str, place: int) -> bool:
        """Learns that a text is about a place (0: about none). False if there is no word in it."""
        chunks = list(words_of(self._tokeniser, text))
        text = chunks[0][0]
        hashes, first, times = np.unique(
            np.concatenate([tokens.hash for _, tokens in chunks]),
            return_index=True,
            return_counts=True,
        )
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
            self._texts.append(
                (np.array(words, np.int32), np.minimum(times, _MOST_TIMES).astype(np.uint16))
            )
        return bool(words)

    def model(self) -> WordCounts:
        """The model of all texts."""
        return self._fit(range(len(self.places)))[0]

    def accuracy(self, folds: Sequence[int]) -> float:
        """The share of texts that are put right by a model of the texts in the other folds."""
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
        words = self._telling([of_place[place] for place in places])
        counts = [self._count(of_place[place], weighted=True)[words] for place in places]
        sizes = tuple(len(of_place[place]) for place in places)
        kept = tuple(self._words[word] for word in words.tolist())
        return WordCounts(tuple(places), sizes, kept, np.array(counts).astype(np.uint32)), words

    def _telling(self, classes: Sequence[Sequence[int]]) -> Index:
        """The words whose presence in a text tells most of its class, the best first: those of most information gain,
        sum over classes c and presence t of P(c,t) log(P(c,t) / (P(c) P(t)))."""
        total = sum(len(texts) for texts in classes)
        present = self._count([k for texts in classes for k in texts], weighted=False)
        gain = np.zeros(len(present))
        for texts in classes:
            there, expected = self._count(texts, weighted=False), len(texts) * present / total
            gain += _surprise(there, expected) + _surprise(
                len(texts) - there, len(texts) - expected
            )
        gain[present == 0] = -1.0
        ranked = np.argsort(-gain, kind="stable")[:MOST_WORDS]
        return ranked[present[ranked] > 0]

    def _count(self, texts: Sequence[int], *, weighted: bool) -> Floats:
        """For every word the number of some texts that have it; weighted, how often it stands there."""
        total = np.zeros(len(self._words))
        for first in range(0, len(texts), _AT_ONCE):
            some = [self._texts[k] for k in texts[first : first + _AT_ONCE]]
            times = np.concatenate([times for _, times in some]) if weighted else None
            total += np.bincount(np.concatenate([words for words, _ in some]), times, len(total))
        return total


def _surprise(seen: Floats, expected: Floats) -> Floats:
    """seen * log(seen / expected), 0 where nothing was seen."""
    return np.asarray(seen * np.log(np.where(seen > 0, seen, 1) / np.where(seen > 0, expected, 1)))
