"""Example queries: words from page titles, in the cities with the most addresses."""

import math
from collections import Counter

from tantivy import Query

from toponaut.app.served_crawl import ServedCrawl
from toponaut.index import Question, Search
from toponaut.index.georeference import LEAST_ADDRESSED, STRENGTHS
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind, Place

_EXAMPLES = 4
_COUNTED, _CITIES = 500, 6  # places whose pages are counted; cities that are examined
_HITS = 20  # of a city, whose titles are read
_SHORTEST = 4  # letters of a word
_TRIED = 3  # words per city
_SITE_WORDS = frozenset(  # in titles, about the site rather than its subject
    """about contact directions first home index links list locations more number official online
    open page pages search site sitemap terms this welcome what where website with your aktuell
    aktuelles anfahrt bürger impressum kontakt seite startseite über willkommen contactos início
    página sobre accueil bienvenue""".split()
)


def example_queries(crawl: ServedCrawl) -> tuple[str, ...]:
    """Queries that were tried and have hits, without repeating a word.

    The lock is released between two steps, so that requests are not delayed.
    """
    with crawl.locked_search() as index:
        cities = _cities(index, crawl.gazetteer)
    words = {}
    for city in cities:
        with crawl.locked_search() as index:
            words[city.id] = _title_words(index, crawl.gazetteer, city)
    with crawl.locked_search() as index:
        worth = _worth(index, Counter(word for few in words.values() for word in few))
    examples: dict[str, str] = {}
    for city in cities:
        unused = sorted(words[city.id] - examples.keys(), key=lambda word: (-worth[word], word))
        for word in unused[:_TRIED]:
            query = f"{word} in {city.name}"
            with crawl.locked_search() as index:
                works = _works(index, query, city.id)
            if works:
                examples[word] = query
                break
        if len(examples) == _EXAMPLES:
            break
    return tuple(examples.values())


def _cities(index: Search, gazetteer: Gazetteer) -> list[Place]:
    """The cities with the most addresses. One that is only mentioned may be an error: "Tours"."""
    reader = index.reader
    counted = reader.searcher.aggregate(
        Query.all_query(), {"places": {"terms": {"field": "within", "size": _COUNTED}}}
    )
    ids = [int(bucket["key"]) for bucket in counted["places"]["buckets"]]
    addressed = {
        id: reader.about(id, range(LEAST_ADDRESSED, STRENGTHS))
        for id in ids
        if _is_city(gazetteer, id)
    }
    best = sorted((id for id in addressed if addressed[id]), key=lambda id: (-addressed[id], id))
    return [gazetteer.place(id) for id in best[:_CITIES]]


def _is_city(gazetteer: Gazetteer, id: int) -> bool:
    try:
        return KINDS[gazetteer.levels[gazetteer.row(id)]] is Kind.CITY
    except KeyError:  # the index was built with another gazetteer
        return False


def _title_words(index: Search, gazetteer: Gazetteer, city: Place) -> set[str]:
    """The words of titles in a city that are not place names."""
    hits = index.ask(Question("", place=city.id, limit=_HITS)).hits
    words = {word for hit in hits for word in hit.title.lower().split() if word.isalpha()}
    long = {word for word in words - _SITE_WORDS if len(word) >= _SHORTEST}
    return {word for word in long if gazetteer.names.lookup(word) < 0}


def _worth(index: Search, cities: Counter[str]) -> dict[str, float]:
    """Words of many cities are kinds of things ("hotels"); words of all pages say nothing."""
    frequency = index.reader.searcher.doc_freq
    return {
        word: count * math.log(1 + index.pages / (1 + frequency("title", word)))
        for word, count in cities.items()
    }


def _works(index: Search, query: str, city: int) -> bool:
    answer = index.ask(Question(query, limit=1))
    place = answer.where.place if answer.where else None
    return bool(answer.hits and place and place.id == city)
