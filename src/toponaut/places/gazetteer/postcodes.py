"""Postcodes: US ZIP codes with the city names that USPS accepts, and those of tables/postcodes."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from toponaut.places.gazetteer.aliases import plain, spellings
from toponaut.places.gazetteer.gazetteer import ALIAS, WEAK, Postcode
from toponaut.places.gazetteer.sources import SourcePlace, table, zipcode_rows
from toponaut.records import Kind

# A USPS city name that the gazetteer lacks becomes an alias of the place nearest to its ZIP, up to
# this distance.
NEAR_KM = 15.0


class _PostcodePlaces:
    """Finds the place of a postcode: by its city name near its point, else the nearest place."""

    def __init__(self, places: Iterable[SourcePlace]) -> None:
        self.named: dict[tuple[str, str], list[SourcePlace]] = defaultdict(list)
        near: dict[str, list[SourcePlace]] = defaultdict(list)
        for place in places:
            if place.kind is Kind.CITY:
                near[place.country].append(place)
                for key in {plain(name) for name, quality in place.names if quality >= ALIAS}:
                    self.named[place.country, key].append(place)
        self.near = {
            country: (np.array([(p.lat, p.lon) for p in row]), row) for country, row in near.items()
        }

    def by_name(self, country: str, city: str, lat: float, lon: float) -> SourcePlace | None:
        """The nearest place of that name, within 60 km: large cities have distant ZIPs."""
        found = {
            place.id: place
            for form in spellings(city)
            for place in self.named.get((country, plain(form)), ())
        }
        nearest = min(found.values(), key=lambda p: _km(p.lat, p.lon, lat, lon), default=None)
        return nearest if nearest and _km(nearest.lat, nearest.lon, lat, lon) < 60 else None

    def by_point(self, country: str, lat: float, lon: float) -> SourcePlace | None:
        if country not in self.near:
            return None
        points, places = self.near[country]
        east = (points[:, 1] - lon) * np.cos(np.radians(lat))
        km = 111.2 * np.hypot(points[:, 0] - lat, east)
        best = int(km.argmin())
        return places[best] if km[best] < NEAR_KM else None


def _km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Distance on a flat map: good enough over short distances."""
    return float(111.2 * np.hypot(lat1 - lat2, (lon1 - lon2) * np.cos(np.radians(lat1))))


def all_postcodes(places: list[SourcePlace]) -> list[Postcode]:
    """Every postcode with its place. Also adds the names that USPS accepts to the places."""
    finder = _PostcodePlaces(places)
    codes = list(_us_postcodes(finder))
    for row in table("postcodes"):
        country, city = row["country"], row["city"]
        lat, lon = float(row["lat"]), float(row["lon"])
        place = finder.by_name(country, city, lat, lon) or finder.by_point(country, lat, lon)
        number = place.id if place else 0
        codes.append(Postcode(country, row["postcode"], lat, lon, city, number))
    return codes


def _us_postcodes(finder: _PostcodePlaces) -> Iterable[Postcode]:
    for row in zipcode_rows():
        if row["country"] != "US" or not row["lat"]:
            continue
        lat, lon = float(row["lat"]), float(row["long"])
        place = finder.by_name("US", row["city"], lat, lon)
        main = place or finder.by_point("US", lat, lon)
        names = row["acceptable_cities"] if place else [row["city"], *row["acceptable_cities"]]
        for name in names:
            if main and not finder.by_name("US", name, lat, lon):
                main.names += [
                    (form, WEAK) for form in spellings(name) if (form, WEAK) not in main.names
                ]
        yield Postcode("US", row["zip_code"], lat, lon, row["city"], main.id if main else 0)
