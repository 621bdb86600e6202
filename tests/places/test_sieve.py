"""The sieve passes exactly the runs of words that are names of a kind."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.name_table import LONGEST
from toponaut.places.names.sieve import Sieve
from toponaut.places.names.tokens import Hashes, Tokeniser, chain

TOWNS = ("york", "new york", "new york mills", "bath", "st paul on the green hill by a sea")
WORDS = sorted({word for town in TOWNS for word in town.split()} | {"west", "pizza"})


def run_hash(tokeniser: Tokeniser, words: str) -> int:
    hashes = tokeniser.words(words).hash
    run = hashes[:1]
    for k in range(1, len(hashes)):
        run = chain(run, hashes[k : k + 1])
    return int(run[0])


def hashes_of(tokeniser: Tokeniser, texts: set[str]) -> Hashes:
    return np.array(sorted(run_hash(tokeniser, text) for text in texts), np.uint64)


@given(st.lists(st.sampled_from(WORDS), max_size=20), st.sampled_from((1, 2)))
def test_runs_that_are_names_pass(gazetteer: Gazetteer, text: list[str], mark: int) -> None:
    tokeniser = gazetteer.names.tokeniser
    kinds = {1: set(TOWNS), 2: {"york", "bath"}}
    begins = {" ".join(town.split()[:k]) for town in TOWNS for k in range(1, len(town.split()))}
    names = {kind: hashes_of(tokeniser, towns) for kind, towns in kinds.items()}
    sieve = Sieve(names, hashes_of(tokeniser, begins))
    first, last = sieve.passing(tokeniser.words(" ".join(text)).hash, np.arange(len(text)), mark)
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [
        (start, end)
        for start in range(len(text))
        for end in range(start, min(start + LONGEST, len(text)))
        if " ".join(text[start : end + 1]) in kinds[mark]
    ]
