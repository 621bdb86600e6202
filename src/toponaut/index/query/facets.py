"""Drilling down: which places below the one asked for have how many of the matching pages."""

import tantivy

from toponaut.index.query.answers import Facet
from toponaut.index.query.opened import Opened
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind

_MOST = 50
_BUCKETS = 20_000  # places that are counted; far more than a crawl's pages are mostly about


def facets_of(
    opened: Opened, gazetteer: Gazetteer, words: tantivy.Query | None, place: int
) -> tuple[Facet, ...]:
    """By pages, most first. `place` 0: countries."""
    tied = tantivy.Query.term_query(opened.schema, "within", place) if place else None
    counted = opened.searcher.aggregate(
        opened.both(words, tied), {"places": {"terms": {"field": "within", "size": _BUCKETS}}}
    )
    facets = []
    for bucket in counted["places"]["buckets"]:
        try:
            row = gazetteer.row(int(bucket["key"]))
        except KeyError:  # the index was made with another gazetteer
            continue
        if _is_below(gazetteer, row, place):
            lat, lon = gazetteer.latlon[row].tolist()
            kind = KINDS[gazetteer.levels[row]]
            facets.append(
                Facet(int(bucket["key"]), gazetteer.name(row), kind, lat, lon, bucket["doc_count"])
            )
            if len(facets) == _MOST:
                break
    return tuple(facets)


def _is_below(gazetteer: Gazetteer, row: int, place: int) -> bool:
    if not place:
        return KINDS[gazetteer.levels[row]] is Kind.COUNTRY
    parent = int(gazetteer.parents[row])
    return parent >= 0 and int(gazetteer.ids[parent]) == place
