"""How well `toponaut verify` recognises the places of somebody's list in a crawl.

    python -m bench.verify CRAWL [--seed 1]

Half of the organisations that the crawl has found become a list, in the columns of OpenStreetMap,
Overture, AllThePlaces, Foursquare and of a German CSV, each with the errors of such lists: other
spellings, a missing phone or website, a point that is some metres off. Some places get another
address (moved), or the name of somebody else's shop (never there). Printed for each list: verdicts
that are right, and places that were taken for another one.
"""

import argparse
import csv
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

import toponaut
from toponaut.export.rows import AddressRow
from toponaut.verify.listed_place import parse_columns
from toponaut.verify.verdict import VerifiedPlace

_SHORTER = {"Street": "St", "Avenue": "Ave", "Road": "Rd", "Boulevard": "Blvd", "straße": "str."}
_SUFFIX = re.compile(r",? (?:Inc\.?|LLC|Ltd\.?|GmbH|e\. ?V\.)$")
GERMAN = "name=Titel,street=Straße,city=Ort,postcode=PLZ,phone=Telefon,website=Netz,number=Nr"


class ListedRow(NamedTuple):
    """A row of a made-up list, and the truth about it."""

    row: AddressRow  # with the errors of a list
    status: str  # "alive", "moved" or "unknown"
    id: str  # of the organisation of the crawl; "" if it is none


def made_list(rows: Sequence[AddressRow], chance: Random) -> Iterator[ListedRow]:
    """Half of the rows, as somebody else would list them."""
    named = [row for row in rows if row.organisation and row.street and row.confidence >= 0.7]
    for row in named:
        draw = chance.random()
        if draw >= 0.5:
            continue
        varied = _varied(row, chance)
        other = named[chance.randrange(len(named))]
        if draw < 0.04 and (row.phone or row.website):
            moved = f"{1 + chance.randrange(90)}"
            varied = replace(varied, phone=row.phone, website=row.website, number=moved,
                           street="Nowhere Lane", lat=None, lon=None)  # fmt: skip
            yield ListedRow(varied, "moved", row.id)
        elif draw < 0.08 and other.organisation != row.organisation:
            stranger = f"{_swapped(other.organisation)} {chance.choice(('Bakery', 'Motors'))}"
            yield ListedRow(
                replace(varied, organisation=stranger, phone="", website=""), "unknown", ""
            )
        else:
            yield ListedRow(varied, "alive", row.id)


def _varied(row: AddressRow, chance: Random) -> AddressRow:
    name, street = row.organisation, row.street
    if chance.random() < 0.3:
        name = _SUFFIX.sub("", name)
    if chance.random() < 0.2:
        name = name.upper()
    if chance.random() < 0.5:
        for long, short in _SHORTER.items():
            street = street.replace(long, short)
    keeps = {part: chance.random() < 0.6 for part in ("phone", "website")}
    lat, lon = row.lat, row.lon
    if lat is not None and lon is not None:
        lat, lon = lat + chance.uniform(-3e-4, 3e-4), lon + chance.uniform(-3e-4, 3e-4)
    return replace(
        row, organisation=name, street=street, lat=lat, lon=lon,
        phone=row.phone if keeps["phone"] else "", website=row.website if keeps["website"] else "",
    )  # fmt: skip


def _swapped(name: str) -> str:
    """Another name of the same letters."""
    return " ".join(word[::-1].capitalize() for word in name.split()[:2])


# --- files of publishers -------------------------------------------------------------------------


def _street_line(row: AddressRow) -> str:
    return f"{row.number} {row.street}".strip()


def _osm(row: AddressRow) -> dict[str, Any]:
    return {
        "@id": f"node/{row.id}", "name": row.organisation, "addr:housenumber": row.number,
        "addr:street": row.street, "addr:city": row.city, "addr:postcode": row.postcode,
        "addr:country": row.country.upper(), "contact:phone": row.phone, "website": row.website,
    }  # fmt: skip


def _overture(row: AddressRow) -> dict[str, Any]:
    return {
        "id": row.id, "names": {"primary": row.organisation},
        "phones": [row.phone] if row.phone else None,
        "websites": [row.website] if row.website else None,
        "addresses": [{
            "freeform": _street_line(row), "locality": row.city,
            "postcode": row.postcode, "country": row.country.upper(),
        }],
    }  # fmt: skip


def _all_the_places(row: AddressRow) -> dict[str, Any]:
    return {
        "ref": row.id, "name": row.organisation, "phone": row.phone, "website": row.website,
        "addr:street_address": _street_line(row), "addr:city": row.city,
        "addr:postcode": row.postcode, "addr:country": row.country.upper(),
    }  # fmt: skip


def _foursquare(row: AddressRow) -> dict[str, Any]:
    return {
        "fsq_place_id": row.id, "name": row.organisation, "tel": row.phone, "website": row.website,
        "address": _street_line(row), "locality": row.city,
        "postcode": row.postcode, "country": row.country.upper(),
        "latitude": row.lat, "longitude": row.lon,
    }  # fmt: skip


def _german(row: AddressRow) -> dict[str, Any]:
    return {
        "id": row.id, "Titel": row.organisation, "Straße": row.street, "Nr": row.number,
        "Ort": row.city, "PLZ": row.postcode, "Telefon": row.phone, "Netz": row.website,
        "lat": row.lat, "lon": row.lon,
    }  # fmt: skip


PUBLISHERS: dict[str, tuple[Callable[[AddressRow], dict[str, Any]], str, str]] = {
    "OpenStreetMap": (_osm, "geojson", ""),
    "Overture": (_overture, "geojson", ""),
    "AllThePlaces": (_all_the_places, "geojson", ""),
    "Foursquare": (_foursquare, "csv", ""),
    "a CSV": (_german, "csv", GERMAN),
}


def write_list(file: Path, listed: Sequence[ListedRow], publisher: str) -> None:
    """Write a list as a publisher would."""
    columns, kind, _ = PUBLISHERS[publisher]
    records = [columns(one.row) for one in listed]
    if kind == "csv":
        with file.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
        return
    points = [
        None
        if one.row.lat is None
        else {"type": "Point", "coordinates": [one.row.lon, one.row.lat]}
        for one in listed
    ]
    features = [
        {"type": "Feature", "geometry": point, "properties": record}
        for point, record in zip(points, records, strict=True)
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


# --- scores --------------------------------------------------------------------------------------


class ListScore(NamedTuple):
    """How a list was judged."""

    places: int
    right: int  # verdicts as the truth has them
    wrong_place: int  # taken for another organisation
    mistakes: Counter[tuple[str, str]]  # (truth, verdict)


def score(listed: Sequence[ListedRow], verdicts: Sequence[VerifiedPlace]) -> ListScore:
    by_row = {one.row: one for one in verdicts}
    right = wrong = 0
    mistakes: Counter[tuple[str, str]] = Counter()
    for number, truth in enumerate(listed, 1):
        said = by_row.get(number)
        status, found = (said.status, said.found) if said else ("left out", "")
        right += status == truth.status
        wrong += bool(found) and status in ("alive", "moved") and found != truth.id
        mistakes[truth.status, status] += status != truth.status
    return ListScore(len(listed), right, wrong, +mistakes)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("crawl", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    crawl = toponaut.open(options.crawl)
    listed = list(made_list(list(crawl.addresses()), Random(options.seed)))
    with tempfile.TemporaryDirectory() as folder:
        for publisher, (_, kind, columns) in PUBLISHERS.items():
            file = Path(folder) / f"places.{kind}"
            write_list(file, listed, publisher)
            report = crawl.verify(file, columns=parse_columns(columns))
            found = score(listed, report.places)
            wrong = ", ".join(f"{a} -> {b} {n}" for (a, b), n in found.mistakes.most_common())
            print(
                f"{publisher:14} {found.places:5,} places: {found.right / found.places:.1%} right, "
                f"{found.wrong_place:,} taken for another; {wrong}"
            )


if __name__ == "__main__":
    main()
