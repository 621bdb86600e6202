"""Many short strings -> hashes of their tokens, by the batch: what one string at a time would take minutes for."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from toponaut.places.names.nametable import LONGEST
from toponaut.places.names.tokens import CHUNK, Hashes, Index, Tokeniser, chain

Progress = Callable[[float], None]


def hash_names(
    names: Sequence[str], tokeniser: Tokeniser, progress: Progress
) -> tuple[Hashes, Hashes]:
    """For each name the hash of its first LONGEST tokens (0: it has no token), and all hashes of beginnings."""
    whole = np.zeros(len(names), np.uint64)
    prefixes: list[Hashes] = []
    for first, last in batches(names):
        progress(last / len(names))
        name, tokens = _tokens_of(names[first:last], tokeniser)
        at = np.searchsorted(name, np.arange(last - first))
        count = np.minimum(np.bincount(name, minlength=last - first), LONGEST)
        alive = np.flatnonzero(count)
        run = tokens[at[alive]]
        for length in range(1, LONGEST + 1):
            done = count[alive] == length
            whole[first + alive[done]] = run[done]
            prefixes.append(np.unique(run[~done]))
            alive, run = alive[~done], run[~done]
            if not len(alive):
                break
            run = chain(run, tokens[at[alive] + length])
    return whole, np.unique(np.concatenate(prefixes)) if prefixes else np.zeros(0, np.uint64)


def first_hashes(names: Sequence[str], tokeniser: Tokeniser) -> Hashes:
    found = []
    for first, last in batches(names):
        name, tokens = _tokens_of(names[first:last], tokeniser)
        found.append(np.unique(tokens[np.unique(name, return_index=True)[1]]))
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def batches(names: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Ranges of names that together fit into one chunk of text."""
    first, length = 0, 0
    for k, name in enumerate(names):
        if length + len(name) + 1 > CHUNK:
            yield first, k
            first, length = k, 0
        length += len(name) + 1
    if first < len(names):
        yield first, len(names)


def _tokens_of(names: Sequence[str], tokeniser: Tokeniser) -> tuple[Index, Hashes]:
    """All tokens of some names, with the index of the name that each belongs to."""
    starts = np.cumsum([0] + [len(name) + 1 for name in names[:-1]])
    tokens = tokeniser.words("\n".join(names))
    return np.searchsorted(starts, tokens.start, "right") - 1, tokens.hash
