"""The columns of the name table: hashes of names, postings, classes of words, prior odds of names.

Strings are hashed in batches that fill one chunk of text: one string at a time would take minutes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.aliases import is_latin, joined
from toponaut.places.gazetteer.gazetteer import ALIAS, JOINED, WEAK
from toponaut.places.gazetteer.sources import SourcePlace, table
from toponaut.places.names.evidence import LEVEL_BIT, SMALL, WITHOUT_CAPITALS, prior_odds
from toponaut.places.names.name_table import BUCKET_BITS, FIRST_BITS, IS_NAME, IS_PREFIX, LONGEST
from toponaut.places.names.tokens import CHUNK, Bools, Bytes, Hashes, Index, Ints, Tokeniser, chain
from toponaut.places.names.vocabulary import Vocabulary, WordFacts, is_caseless, is_unspaced

Progress = Callable[[float], None]
Columns = dict[str, NDArray[Any]]

# Worth of a posting in units of ln(population): a place known by an alias counts as if it had a
# quarter of its people, by a weak alias 1 %.
QUALITY_WORTH = (-40.0, -30.0, -4.5, -1.3, 0.0)  # code, joined, weak, alias, primary


def name_columns(
    places: Iterable[SourcePlace], tokeniser: Tokeniser, columns: Columns, progress: Progress
) -> Columns:
    """All columns about names and words. `columns`: those of the places."""
    names, rows, qualities = _listed_names(places)
    hashes, prefixes = hash_names(names, tokeniser, progress)
    kept = hashes.nonzero()[0]  # the others have no token
    names, hashes = [names[k] for k in kept.tolist()], hashes[kept]
    made = word_columns(tokeniser)
    made |= _postings(hashes, prefixes, rows[kept], qualities[kept], columns["prior"])
    made["name_first"] = _bitmap(_first_hashes(names, tokeniser))
    return made | odds_columns(names, hashes, tokeniser, columns | made)


def _listed_names(places: Iterable[SourcePlace]) -> tuple[list[str], Ints, Bytes]:
    """Names with the row and the quality of each, run-together names included."""
    names, rows, qualities = [], [], []
    for k, place in enumerate(places):
        for name, quality in dict.fromkeys(place.names):
            names.append(name)
            rows.append(k)
            qualities.append(quality)
            if quality >= ALIAS and is_latin(name) and (together := joined(name)):
                names.append(together)
                rows.append(k)
                qualities.append(JOINED)
    return names, np.array(rows, np.int32), np.array(qualities, np.uint8)


def _postings(
    whole: Hashes, prefixes: Hashes, row: Ints, quality: Bytes, prior: NDArray[np.float32]
) -> Columns:
    # Keep the best quality of each name and place; sort the places of a name by their worth.
    worse = 255 - quality.astype(np.int16)
    order = np.lexsort((worse, row, whole))
    again = np.zeros(len(order), np.bool_)
    again[1:] = (np.diff(whole[order]) == 0) & (np.diff(row[order]) == 0)
    order = order[~again]
    worth = prior[row] + np.array(QUALITY_WORTH)[quality]
    order = order[np.lexsort((-worth[order], whole[order]))]
    whole, row, quality = whole[order], row[order], quality[order]

    keys = np.unique(np.concatenate([whole, prefixes]))
    flags = np.zeros(len(keys), np.uint8)
    flags[np.searchsorted(keys, whole[quality >= WEAK])] |= IS_NAME
    flags[np.searchsorted(keys, np.unique(prefixes))] |= IS_PREFIX
    start = np.searchsorted(whole, keys, "left")
    tops = (keys >> np.uint64(64 - BUCKET_BITS)).astype(np.int64)
    return {
        "name_hash": keys,
        "name_flags": flags,
        "name_bucket": np.searchsorted(tops, np.arange((1 << BUCKET_BITS) + 1)).astype(np.int32),
        "posting_start": np.append(start, len(whole)).astype(np.int32),
        "posting_row": row,
        "posting_quality": quality,
    }


def _bitmap(hashes: Hashes) -> Bytes:
    bits = np.zeros(1 << FIRST_BITS, np.bool_)
    bits[(hashes >> np.uint64(64 - FIRST_BITS)).astype(np.int64)] = True
    return np.packbits(bits, bitorder="little")


# --- hashes -----------------------------------------------------------------------------------


def hash_names(
    names: Sequence[str], tokeniser: Tokeniser, progress: Progress
) -> tuple[Hashes, Hashes]:
    """For each name the hash of its first LONGEST tokens (0: no token), and all prefix hashes."""
    whole = np.zeros(len(names), np.uint64)
    prefixes: list[Hashes] = []
    for first, last in batches(names):
        progress(last / len(names))
        name, tokens = _token_hashes(names[first:last], tokeniser)
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


def _first_hashes(names: Sequence[str], tokeniser: Tokeniser) -> Hashes:
    found = []
    for first, last in batches(names):
        name, tokens = _token_hashes(names[first:last], tokeniser)
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


def _token_hashes(names: Sequence[str], tokeniser: Tokeniser) -> tuple[Index, Hashes]:
    """The hashes of all tokens, and for each token the index of its name."""
    starts = np.cumsum([0] + [len(name) + 1 for name in names[:-1]])
    tokens = tokeniser.words("\n".join(names))
    return np.searchsorted(starts, tokens.start, "right") - 1, tokens.hash


# --- words and prior odds ---------------------------------------------------------------------


def word_columns(tokeniser: Tokeniser) -> Columns:
    """Words that make a name doubtful: sorted hashes, and classes as word, given name, surname."""
    rows = list(table("words"))
    hashes, prefixes = hash_names([row["word"] for row in rows], tokeniser, lambda _: None)
    classes = np.array([(row["common"], row["given"], row["surname"]) for row in rows])
    assert not len(prefixes), "every entry of tables/words is one token"
    keys, group = np.unique(hashes, return_inverse=True)
    best = np.zeros((len(keys), 3), np.int8)
    # Accents are folded, so two words may have the same hash.
    np.maximum.at(best, group, classes.astype(np.int8))
    return {"word_hash": keys, "word_class": best}


def odds_columns(
    names: Sequence[str], hashes: Hashes, tokeniser: Tokeniser, columns: Columns
) -> Columns:
    """NameFacts of every name in the table, as two columns. `hashes`: those of the names.

    They depend on the table, the places and the words alone. To compute them here takes seconds;
    to compute them while crawling would take 20 us for each new name.
    """
    # One spelling of each: the others have the same tokens.
    hashes, listed = np.unique(hashes, return_index=True)
    index = np.searchsorted(columns["name_hash"], hashes)
    posting = columns["posting_start"][index]  # the first posting is the likeliest place
    best = columns["posting_row"][posting]
    places: tuple[NDArray[Any], ...] = (
        columns["prior"][best].astype(np.float64),
        columns["posting_quality"][posting],
        columns["level"][best],
    )
    spelled = [names[k] for k in listed.tolist()]
    vocabulary, count = Vocabulary(tokeniser, columns), len(columns["name_hash"])
    odds, traits = np.zeros(count), np.zeros(count, np.uint8)
    for begin, stop in batches(spelled):
        some = _first_words(spelled[begin:stop], vocabulary, tokeniser)
        odds[index[begin:stop]], traits[index[begin:stop]] = _name_facts(
            some, *(part[begin:stop] for part in places)
        )
    return {"name_odds": odds, "name_traits": traits}


class _FirstWords(NamedTuple):
    """The first words of some names."""

    words: list[WordFacts]
    single: Bools  # the name is this one word
    caseless: Bools  # its script has no capitals


def _first_words(names: Sequence[str], vocabulary: Vocabulary, tokeniser: Tokeniser) -> _FirstWords:
    starts = np.cumsum([0] + [len(name) + 1 for name in names[:-1]])
    tokens = tokeniser.words("\n".join(names))
    first = np.searchsorted(tokens.start, starts)
    single = (np.diff(first, append=len(tokens.start)) == 1) | is_unspaced(tokens, first)
    words = [vocabulary.word(value, False, 0) for value in tokens.hash[first].tolist()]
    stems = vocabulary.stems(tokens, first).tolist()
    words = [
        WordFacts(False, word.cues, max(word.common, stem), word.given, word.surname, 0)
        for word, stem in zip(words, stems, strict=True)
    ]
    return _FirstWords(words, single, is_caseless(tokens, first))


def _name_facts(
    own: _FirstWords, size: NDArray[np.float64], quality: Bytes, level: Bytes
) -> tuple[list[float], Bytes]:
    """Odds and traits of names, by their first words and their likeliest places."""
    columns = (size, quality, level, own.single, own.caseless)
    odds = [
        prior_odds(people, named_by, kind, word if single else None) + WITHOUT_CAPITALS * caseless
        for people, named_by, kind, single, caseless, word in zip(
            *(column.tolist() for column in columns), own.words, strict=True
        )
    ]
    known = np.array([(word.common > 0, word.given > 0, word.surname > 0) for word in own.words]).T
    flags = np.packbits([own.single, size < SMALL, *known], axis=0, bitorder="little")[0]
    return odds, flags | level << LEVEL_BIT
