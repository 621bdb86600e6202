"""WordNet's toponyms with their part-of relations and, where GeoNames has the place, its coordinates (SPEC 4).

They become raw places as the gazetteer's own do, so that a Gazetteer serves both. A place's id is its synset offset.
"""

from toponaut.places.gazetteer.gazetteer import ALIAS, PRIMARY
from toponaut.places.gazetteer.sources import Raw, table
from toponaut.records import Kind

_KINDS = {
    "continent": Kind.CONTINENT,
    "country": Kind.COUNTRY,
    "state": Kind.STATE,
    "region": Kind.STATE,
    "county": Kind.COUNTY,
    "city": Kind.CITY,
    "capital": Kind.CITY,
    "neighbourhood": Kind.NEIGHBOURHOOD,
}  # rivers, mountains, islands, seas, parks: landmarks


def toponyms() -> list[Raw]:
    rows = {int(row["synset"]): row for row in table("wordnet")}
    places = []
    for synset, row in rows.items():
        first, *others = row["lemmas"].split("|")
        # Several holonyms (a river through three countries): the first is its parent, as WordNet lists it.
        parents = [int(part) for part in row["part_of"].split() if int(part) in rows]
        located = bool(row["lat"])
        places.append(
            Raw(
                id=synset, name=first, kind=_KINDS.get(row["category"], Kind.LANDMARK), country="", admin1="",
                lat=float(row["lat"]) if located else float("nan"), lon=float(row["lon"]) if located else float("nan"),
                population=0, timezone="", parent=parents[0] if parents else 0,
                names=[(first, PRIMARY), *((name, ALIAS) for name in others)],
            )
        )  # fmt: skip
    return places
