"""Compiles source places and postcodes into the arrays that a Gazetteer is made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.arrays import pack_strings
from toponaut.places.gazetteer.gazetteer import KINDS, Postcode, unit_vectors
from toponaut.places.gazetteer.name_columns import Columns, Progress, name_columns
from toponaut.places.gazetteer.sources import SourcePlace
from toponaut.places.names.alphabet import alphabet
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Kind

LEVELS = 4  # levels of ancestors: continent, country, state, county


def compile_arrays(
    places: list[SourcePlace], postcodes: list[Postcode], progress: Progress
) -> dict[str, NDArray[Any]]:
    """`progress` is called with the share done, 0 to 1."""
    places = sorted({place.id: place for place in places}.values(), key=lambda place: place.id)
    fold, kind = alphabet()
    arrays: Columns = {"fold": fold, "kind": kind}
    arrays |= _place_columns(places) | _postcode_columns(postcodes)
    tokeniser = Tokeniser(fold, kind)
    return arrays | name_columns(places, tokeniser, arrays, lambda share: progress(share / 2))


def _place_columns(places: list[SourcePlace]) -> Columns:
    row = {place.id: k for k, place in enumerate(places)}
    parent = np.array([row.get(place.parent, -1) for place in places], np.int32)
    zones = sorted({place.timezone for place in places})
    admin1 = sorted({place.admin1 for place in places})
    latlon = np.array([(place.lat, place.lon) for place in places])
    population = np.array([place.population for place in places], np.int64)
    children = np.argsort(parent, kind="stable").astype(np.int32)
    starts = np.searchsorted(parent[children], np.arange(len(places) + 1))
    columns: Columns = {
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
        "child": children,
        "child_start": starts.astype(np.int32),
    }
    texts = {"name": [place.name for place in places], "zones": zones, "admin1s": admin1}
    for name, strings in texts.items():
        columns[f"{name}_text"], columns[f"{name}_at"] = pack_strings(strings)
    return columns


def _lineage(places: list[SourcePlace], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each place the rows of its continent, country, state and county; -1 for no such area."""
    lineage = np.full((len(places), LEVELS), -1, np.int32)
    for k, place in enumerate(places):
        above = k
        while above >= 0:
            level = KINDS.index(places[above].kind)
            if level < LEVELS and (above != k or place.kind is not Kind.CITY):
                lineage[k, level] = above
            above = int(parent[above])
    return lineage


def _postcode_columns(postcodes: list[Postcode]) -> Columns:
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
