"""Running text: phrases of each subject, drawn once by Zipf's law, combined on every page.

A sentence is three phrases out of 2,048 each, so sentences differ, and a page of 6 KB takes 0.1 ms.
A fifth of the words are from the subject, two in five are function words, the rest general English.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from random import Random

import numpy as np

from toponaut.synthetic import words
from toponaut.synthetic.chance import mix, pick
from toponaut.synthetic.world import SyntheticCity

_PHRASES = 2048
_WORDS = 4  # of a phrase, at most
_SENTENCE = 72  # characters, about
_SUBJECT, _FUNCTION = 0.20, 0.42
_LANDMARKS = 14  # names of parts and landmarks of a city

Phrases = tuple[list[str], list[str], list[str]]  # start, middle and end of a sentence


class Prose:
    """`common`: English words with their frequency; `surnames`: for names of landmarks."""

    def __init__(
        self, common: Sequence[tuple[str, float]], surnames: Sequence[str], seed: int
    ) -> None:
        self._common = common
        self._surnames = surnames
        self._seed = seed
        self._subjects = words.vocabularies()
        self.phrases = cache(self._make)

    def sentences(
        self, chance: Random, phrases: Phrases, size: int, inserts: Sequence[str]
    ) -> list[str]:
        """Sentences of about `size` characters in all, with the inserts in random places."""
        count = max(size // _SENTENCE, len(inserts), 2)
        drawn = (np.frombuffer(chance.randbytes(6 * count), "<u2") & (_PHRASES - 1)).tolist()
        starts, middles, ends = phrases
        made = [
            f"{starts[one]} {middles[two]} {ends[three]}"
            for one, two, three in zip(drawn[::3], drawn[1::3], drawn[2::3], strict=True)
        ]
        for insert in inserts:
            place = int(chance.random() * count)
            made[place] = f"{starts[drawn[3 * place]]} {insert} {ends[drawn[3 * place + 2]]}"
        return made

    def landmarks(self, city: SyntheticCity) -> list[str]:
        """Names that occur only on pages about this city."""
        features, names = {
            "US": (words.FEATURES, self._surnames),
            "DE": (words.FEATURES_DE, words.FAMILIES["de"]),
            "PT": (words.FEATURES_PT, words.FAMILIES["pt"]),
        }[city.country]
        keys = [mix(mix(self._seed, city.place), k) for k in range(_LANDMARKS)]
        return [f"{pick(names, key, 1)} {pick(features, key, 2)}" for key in keys]

    def _make(self, language: str, subject: str) -> Phrases:
        """The phrases of a subject."""
        vocabulary, weights = self._weighted(language, subject)
        chance = Random(mix(self._seed, sum(map(ord, language + subject))))
        drawn = chance.choices(
            vocabulary, cum_weights=list(accumulate(weights)), k=3 * _PHRASES * _WORDS
        )
        lists: Phrases = ([], [], [])
        for k in range(3 * _PHRASES):
            piece = drawn[k * _WORDS : (k + 1) * _WORDS - k % 2]
            which = k % 3
            if which == 0:
                piece[0] = piece[0].capitalize()
            elif which == 2:
                piece[-1] += "?" if k % 97 == 0 else "."
            elif k % 5 == 0:
                piece[-1] += ","
            lists[which].append(" ".join(piece))
        return lists

    def _weighted(self, language: str, subject: str) -> tuple[list[str], list[float]]:
        own = self._subjects[language, subject]
        if language == "en":
            pairs = words.ENGLISH.split()
            function = list(zip(pairs[::2], map(float, pairs[1::2]), strict=True))
            rest = self._common
        else:
            text = words.GERMAN if language == "de" else words.PORTUGUESE
            function = [(word, 1 / (k + 3)) for k, word in enumerate(text.split())]
            others = [
                name
                for key, names in self._subjects.items()
                if key[0] == language
                for name in names
            ]
            rest = [(word, 1.0) for word in dict.fromkeys(others)]
        zipf = [(word, 1 / (k + 3)) for k, word in enumerate(own)]
        parts = ((zipf, _SUBJECT), (function, _FUNCTION), (rest, 1 - _SUBJECT - _FUNCTION))
        vocabulary, weights = [], []
        for part, share in parts:
            scale = share / sum(weight for _, weight in part)
            vocabulary += [word for word, _ in part]
            weights += [weight * scale for _, weight in part]
        return vocabulary, weights


def city_phrase(city: SyntheticCity, draw: int) -> str:
    """A phrase that names a city."""
    form = draw % 8
    if form == 0:
        return f"{city.name}, {city.state}"
    if form == 1:
        return f"in {city.name}, {city.state_name},"
    if form < 5:
        return f"in {city.name}"
    return city.name if form < 7 else f"the {city.name} area"
