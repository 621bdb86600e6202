"""Raw places and their names -> the arrays that a Gazetteer is made of."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.arrays import pack_strings
from toponaut.places.gazetteer.gazetteer import ALIAS, JOINED, KINDS, WEAK, Postcode, unit_vectors
from toponaut.places.gazetteer.hashing import Progress, first_hashes, hash_names
from toponaut.places.gazetteer.names import is_latin, joined
from toponaut.places.gazetteer.sources import Raw
from toponaut.places.gazetteer.words import word_arrays
from toponaut.places.gazetteer.worth import worth_columns
from toponaut.places.names.nametable import BUCKET_BITS, FIRST_BITS, IS_NAME, IS_PREFIX
from toponaut.places.names.tokens import Bytes, Hashes, Ints, Tokeniser, alphabet
from toponaut.records import Kind

# In units of ln(population): bearing the name by an alias costs a place 3/4 of its people, by a weak one 99 %.
QUALITY_WORTH = (-40.0, -30.0, -4.5, -1.3, 0.0)  # code, joined, weak, alias, primary
LEVELS = 4  # continent, country, state, county: the ancestors that a place may have


def compile_arrays(
    places: list[Raw], postcodes: list[Postcode], progress: Progress
) -> dict[str, NDArray[Any]]:
    """`progress` is told the share done, 0..1."""
    places = sorted({place.id: place for place in places}.values(), key=lambda place: place.id)
    fold, kind = alphabet()
    arrays: dict[str, NDArray[Any]] = {
        "fold": fold,
        "kind": kind,
        **_place_columns(places),
        **_postcode_columns(postcodes),
    }
    tokeniser = Tokeniser(fold, kind)
    arrays |= word_arrays(tokeniser)
    names, rows, qualities = _listed_names(places)
    hashes, prefixes = hash_names(names, tokeniser, lambda share: progress(share / 2))
    kept = hashes.nonzero()[0]  # the others have no token
    names, hashes, row, quality = (
        [names[k] for k in kept.tolist()],
        hashes[kept],
        rows[kept],
        qualities[kept],
    )
    arrays |= _name_columns(hashes, prefixes, row, quality, arrays["prior"])
    arrays["name_first"] = _bitmap(first_hashes(names, tokeniser))
    return arrays | worth_columns(names, hashes, tokeniser, arrays)


def _place_columns(places: list[Raw]) -> dict[str, NDArray[Any]]:
    row = {place.id: k for k, place in enumerate(places)}
    parent = np.array([row.get(place.parent, -1) for place in places], np.int32)
    zones = sorted({place.timezone for place in places})
    admin1 = sorted({place.admin1 for place in places})
    latlon = np.array([(place.lat, place.lon) for place in places])
    population = np.array([place.population for place in places], np.int64)
    columns: dict[str, NDArray[Any]] = {
        "id": np.array([place.id for place in places], np.int64),
        "level": np.array([KINDS.index(place.kind) for place in places], np.uint8),
        "parent": parent,
        "lineage": _lineage(places, parent),
        "country": np.array([place.country.ljust(2) for place in places], "S2"),
        "admin1": np.array([admin1.index(place.admin1) for place in places], np.int16),
        "timezone": np.array([zones.index(place.timezone) for place in places], np.int16),
        "latlon": latlon,
        "xyz": unit_vectors(latlon).astype(np.float32),
        "population": population,
        # A place of unknown size counts as a village of 200: half of GeoNames' smallest.
        "prior": np.log(np.maximum(population, 200)).astype(np.float32),
    }
    order = np.argsort(parent, kind="stable").astype(np.int32)
    columns["child"] = order
    columns["child_start"] = np.searchsorted(parent[order], np.arange(len(places) + 1)).astype(
        np.int32
    )
    for name, strings in (
        ("name", [p.name for p in places]),
        ("zones", zones),
        ("admin1s", admin1),
    ):
        columns[f"{name}_text"], columns[f"{name}_at"] = pack_strings(strings)
    return columns


def _lineage(places: list[Raw], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each place the rows of its continent, country, state and county; -1 where it has none."""
    lineage = np.full((len(places), LEVELS), -1, np.int32)
    for k, place in enumerate(places):
        above = k
        while above >= 0:
            level = KINDS.index(places[above].kind)
            if level < LEVELS and (above != k or place.kind is not Kind.CITY):
                lineage[k, level] = above
            above = int(parent[above])
    return lineage


def _postcode_columns(postcodes: list[Postcode]) -> dict[str, NDArray[Any]]:
    best = {(entry.country + entry.code.replace(" ", "")).upper(): entry for entry in postcodes}
    keys = sorted(best)
    entries = [best[key] for key in keys]
    text, at = pack_strings([entry.city for entry in entries])
    return {
        "postcode": np.array(keys, "S12"),
        "postcode_latlon": np.array([(e.lat, e.lon) for e in entries], np.float64).reshape(-1, 2),
        "postcode_place": np.array([e.place for e in entries], np.int64),
        "postcode_text": text,
        "postcode_at": at,
    }


def _name_columns(
    whole: Hashes, prefixes: Hashes, row: Ints, quality: Bytes, prior: NDArray[np.float32]
) -> dict[str, NDArray[Any]]:
    # Of one name and one place keep the best quality; order each name's places by what they are worth as its meaning.
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


def _listed_names(places: Iterable[Raw]) -> tuple[list[str], Ints, Bytes]:
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


def _bitmap(hashes: Hashes) -> NDArray[np.uint8]:
    bits = np.zeros(1 << FIRST_BITS, np.bool_)
    bits[(hashes >> np.uint64(64 - FIRST_BITS)).astype(np.int64)] = True
    return np.packbits(bits, bitorder="little")
