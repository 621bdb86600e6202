"""What each name of the table is by itself, whatever text it stands in: evidence.Name, as two columns.

It follows from the table, the places and the words alone, but takes 20 us to find out for a name, and every page names a few
dozen that nobody has asked for yet. All names at once take some seconds, when the gazetteer is compiled.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.hashing import batches
from toponaut.places.names.evidence import LEVEL_BIT, SMALL, WITHOUT_CAPITALS, Word, worth
from toponaut.places.names.tokens import Bools, Bytes, Hashes, Tokeniser
from toponaut.places.names.vocabulary import Vocabulary, is_caseless, is_unspaced


def worth_columns(
    names: Sequence[str], hashes: Hashes, tokeniser: Tokeniser, arrays: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """By index in the table, whose columns `arrays` has, with those of places and words. `hashes`: of the names."""
    hashes, listed = np.unique(
        hashes, return_index=True
    )  # one spelling of each: the others have the same tokens
    index = np.searchsorted(arrays["name_hash"], hashes)
    posting = arrays["posting_start"][
        index
    ]  # the first of a name's postings is what it most likely means
    best = arrays["posting_row"][posting]
    places = (
        arrays["prior"][best].astype(np.float64),
        arrays["posting_quality"][posting],
        arrays["level"][best],
    )
    spelled = [names[k] for k in listed.tolist()]
    vocabulary = Vocabulary(tokeniser, arrays)
    odds, traits = np.zeros(len(arrays["name_hash"])), np.zeros(len(arrays["name_hash"]), np.uint8)
    for begin, stop in batches(spelled):
        some = _first_words(spelled[begin:stop], vocabulary, tokeniser)
        odds[index[begin:stop]], traits[index[begin:stop]] = _worth(
            some, *(part[begin:stop] for part in places)
        )
    return {"name_odds": odds, "name_traits": traits}


class _Words(NamedTuple):
    """The first words of some names."""

    words: list[Word]
    single: Bools  # that is all of the name
    caseless: Bools  # its script has no capitals


def _first_words(names: Sequence[str], vocabulary: Vocabulary, tokeniser: Tokeniser) -> _Words:
    starts = np.cumsum([0] + [len(name) + 1 for name in names[:-1]])
    tokens = tokeniser.words("\n".join(names))
    first = np.searchsorted(tokens.start, starts)
    single = (np.diff(first, append=len(tokens.start)) == 1) | is_unspaced(tokens, first)
    words, stems = vocabulary.read(tokens, first), vocabulary.stems(tokens, first).tolist()
    words = [
        word._replace(common=stem) if stem > word.common else word
        for word, stem in zip(words, stems, strict=True)
    ]
    return _Words(words, single, is_caseless(tokens, first))


def _worth(
    own: _Words, size: NDArray[np.float64], quality: Bytes, level: Bytes
) -> tuple[list[float], Bytes]:
    """Odds and traits of names, by their first words and by the places that they most likely mean."""
    columns = (size, quality, level, own.single, own.caseless)
    odds = [
        worth(people, borne, kind, word if single else None) + WITHOUT_CAPITALS * caseless
        for people, borne, kind, single, caseless, word in zip(
            *(c.tolist() for c in columns), own.words, strict=True
        )
    ]
    known = np.array([(word.common > 0, word.given > 0, word.surname > 0) for word in own.words]).T
    flags = np.packbits([own.single, size < SMALL, *known], axis=0, bitorder="little")[0]
    return odds, flags | level << LEVEL_BIT
