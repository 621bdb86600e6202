"""Wikidata: everything in a place that has an official website (P856), by its query service."""

import re
from collections.abc import Iterator

import msgspec

from toponaut.errors import InputError
from toponaut.records import Place
from toponaut.seeds.seed import Seed, make_seed
from toponaut.seeds.service import Services

SERVICE = "https://query.wikidata.org/sparql"
PAGE = 5_000  # rows of one answer; more time out
_ACCEPT = "application/sparql-results+json"
_POINT = re.compile(r"Point\(\s*(\S+)\s+(\S+?)\s*\)")


class _SparqlValue(msgspec.Struct):
    value: str


class _Bindings(msgspec.Struct):
    bindings: list[dict[str, _SparqlValue]]


class _SparqlAnswer(msgspec.Struct):
    results: _Bindings


def sparql_query(place: Place, offset: int = 0) -> str:
    """Items in the place with this GeoNames id (P1566), or in an area of it (P131)."""
    return (
        "SELECT ?item ?itemLabel ?website ?point ?kindLabel WHERE {\n"
        f'  ?place wdt:P1566 "{place.id}".\n'
        "  ?item wdt:P131* ?place; wdt:P856 ?website.\n"
        "  OPTIONAL { ?item wdt:P625 ?point. }\n"
        "  OPTIONAL { ?item wdt:P31 ?kind. }\n"
        '  SERVICE wikibase:label { bd:serviceParam wikibase:language "mul,en". }\n'
        f"}} ORDER BY ?item ?website LIMIT {PAGE} OFFSET {offset}"
    )


def ask_wikidata(services: Services, place: Place, url: str = SERVICE) -> Iterator[Seed]:
    """The seeds of a place from a SPARQL service, page by page."""
    offset = 0
    while True:
        fields = {"query": sparql_query(place, offset), "format": "json"}
        rows = _rows(services.post(url, fields, _ACCEPT), url)
        yield from _seeds(rows)
        if len(rows) < PAGE:
            return
        offset += PAGE


def read_sparql(data: bytes, name: str) -> Iterator[Seed]:
    """The seeds in a saved answer of a SPARQL service."""
    return _seeds(_rows(data, name))


def _rows(data: bytes, name: str) -> list[dict[str, str]]:
    try:
        answer = msgspec.json.decode(data, type=_SparqlAnswer)
    except msgspec.DecodeError:
        raise InputError(f"{name} is not an answer in SPARQL JSON", "Try again later") from None
    return [{key: one.value for key, one in row.items()} for row in answer.results.bindings]


def _seeds(rows: list[dict[str, str]]) -> Iterator[Seed]:
    for row in rows:
        lon, lat = found.groups() if (found := _POINT.search(row.get("point", ""))) else ("", "")
        id = f"wikidata:{row.get('item', '').rpartition('/')[2]}"
        seed = make_seed(
            row.get("website"), "wikidata", row.get("itemLabel"), row.get("kindLabel"), lat, lon, id
        )
        if seed:
            yield seed
