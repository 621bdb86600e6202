"""Words that make a name doubtful in running text, by how common each is: tables/words as arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.hashing import hash_names
from toponaut.places.gazetteer.sources import table
from toponaut.places.names.tokens import Tokeniser


def word_arrays(tokeniser: Tokeniser) -> dict[str, NDArray[Any]]:
    """Sorted hashes of the words, and beside each its classes as a word, a given name and a surname."""
    rows = list(table("words"))
    hashes, prefixes = hash_names([row["word"] for row in rows], tokeniser, lambda _: None)
    classes = np.array([(row["common"], row["given"], row["surname"]) for row in rows]).astype(
        np.int8
    )
    assert not len(prefixes), "every entry of tables/words is one token"
    keys, group = np.unique(hashes, return_inverse=True)
    best = np.zeros((len(keys), 3), np.int8)
    np.maximum.at(best, group, classes)  # accents are folded, so two words may meet
    return {"word_hash": keys, "word_class": best}
