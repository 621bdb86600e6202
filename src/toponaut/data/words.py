"""Words that make a name doubtful in running text, by how common each is: tables/words as arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.data.sources import table
from toponaut.places.tokens import Tokeniser


def word_arrays(tokeniser: Tokeniser) -> dict[str, NDArray[Any]]:
    """Sorted hashes of the words, and beside each its classes as a word, a given name and a surname."""
    classes: dict[int, tuple[int, int, int]] = {}
    for row in table("words"):
        hashes = tokeniser.words(row["word"]).hash
        if len(hashes) == 1:
            new = (int(row["common"]), int(row["given"]), int(row["surname"]))
            old = classes.get(int(hashes[0]), (0, 0, 0))  # accents are folded, so two words may meet
            classes[int(hashes[0])] = (max(new[0], old[0]), max(new[1], old[1]), max(new[2], old[2]))
    keys = sorted(classes)
    return {
        "word_hash": np.array(keys, np.uint64),
        "word_class": np.array([classes[key] for key in keys], np.int8).reshape(-1, 3),
    }
