"""A few queries that an index can answer: what pages of several cities say of themselves, in the cities that it knows most of."""

import math
from collections import Counter

from tantivy import Query

from toponaut.app.site import Site
from toponaut.index import Question, Search
from toponaut.index.georeference import LEAST_ADDRESSED, STRENGTHS
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind, Place

_MOST = 4
_COUNTED, _CITIES = 500, 6  # places whose pages are counted; cities of those that are looked at
_HITS = 20  # of a city, whose titles are read
_SHORTEST = 4  # letters of a word that says something
_TRIED = 3  # words for a city
_OF_SITES = frozenset(  # what titles say of the site, and not of what it is about
    """about contact directions first home index links list locations more number official online open page pages search site sitemap
    terms this welcome what where website with your aktuell aktuelles anfahrt bürger impressum kontakt seite startseite über
    willkommen contactos início página sobre accueil bienvenue""".split()
)


def examples(site: Site) -> tuple[str, ...]:
    """Each was tried: it is understood as it is meant, and has hits. No word comes twice. Between two steps others may ask."""
    with site.asking() as index:
        cities = _cities(index, site.gazetteer)
    said = {}
    for city in cities:
        with site.asking() as index:
            said[city.id] = _said(index, site.gazetteer, city)
    with site.asking() as index:
        worth = _worth(index, Counter(word for words in said.values() for word in words))
    found: dict[str, str] = {}
    for city in cities:
        for word in sorted(said[city.id] - found.keys(), key=lambda word: (-worth[word], word))[
            :_TRIED
        ]:
            with site.asking() as index:
                works = _works(index, f"{word} in {city.name}", city.id)
            if works:
                found[word] = f"{word} in {city.name}"
                break
        if len(found) == _MOST:
            break
    return tuple(found.values())


def _cities(index: Search, gazetteer: Gazetteer) -> list[Place]:
    """Those with the most addresses. A city that is only spoken of may be a mistake: "Tours" is one in France."""
    reader = index.reader
    counted = reader.searcher.aggregate(
        Query.all_query(), {"places": {"terms": {"field": "within", "size": _COUNTED}}}
    )
    known = [int(bucket["key"]) for bucket in counted["places"]["buckets"]]
    addressed = {
        id: reader.about(id, range(LEAST_ADDRESSED, STRENGTHS))
        for id in known
        if _is_city(gazetteer, id)
    }
    best = sorted(
        (id for id, many in addressed.items() if many), key=lambda id: (-addressed[id], id)
    )
    return [gazetteer.place(id) for id in best[:_CITIES]]


def _is_city(gazetteer: Gazetteer, id: int) -> bool:
    try:
        return KINDS[gazetteer.levels[gazetteer.row(id)]] is Kind.CITY
    except KeyError:  # the index was made with another gazetteer
        return False


def _said(index: Search, gazetteer: Gazetteer, city: Place) -> set[str]:
    """The words of titles there that are no names of places."""
    hits = index.ask(Question("", place=city.id, limit=_HITS)).hits
    words = {
        word
        for hit in hits
        for word in hit.title.lower().split()
        if word.isalpha() and len(word) >= _SHORTEST
    }
    return {word for word in words - _OF_SITES if gazetteer.names.lookup(word) < 0}


def _worth(index: Search, cities: Counter[str]) -> dict[str, float]:
    """What is said in many cities is a kind of thing ("hotels") rather than a name; what every page says is "contact"."""
    known = index.reader.searcher.doc_freq
    return {
        word: many * math.log(1 + index.pages / (1 + known("title", word)))
        for word, many in cities.items()
    }


def _works(index: Search, query: str, city: int) -> bool:
    answer = index.ask(Question(query, limit=1))
    return bool(
        answer.hits and answer.where and answer.where.place and answer.where.place.id == city
    )
