"""Points of a geocoder of the user's own: Photon, Nominatim or Pelias, by their HTTP APIs.

The URL is the endpoint, and its path tells the protocol. A result counts only if it is a house with
the address's number: a geocoder also answers with the street or the town. An answer is kept for the
addresses that come again. A server that fails is an error, not an address without a point.
"""

import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from functools import lru_cache
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.export.house_points import HouseAddress, Point
from toponaut.places.addresses.normal import house_number

_TIMEOUT_S = 20
_TRIES = 2  # a busy server may fail once
_KEPT = 65_536  # answers
_BAD_QUERY = 400  # the server cannot read this address: it has no point


class Geocoder(ABC):
    """A geocoder at a URL."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._answer = lru_cache(maxsize=_KEPT)(self._ask)

    def find(self, address: HouseAddress) -> Point | None:
        for result in self._results(self._answer(urlencode(self._query(address)))):
            number, lat, lon = result
            if house_number(number) == house_number(address.number):
                return round(lat, 7), round(lon, 7)
        return None

    def close(self) -> None:
        self._answer.cache_clear()

    @abstractmethod
    def _query(self, address: HouseAddress) -> dict[str, str]:
        """The parameters of a request."""

    @abstractmethod
    def _results(self, answer: Any) -> list[tuple[str, float, float]]:
        """House number, latitude and longitude of the houses in an answer."""

    def _ask(self, query: str) -> Any:
        agent = {"User-Agent": f"Toponaut/{__version__}"}
        request = urllib.request.Request(f"{self._url}?{query}", headers=agent)
        for last in range(1, _TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
                    return msgspec.json.decode(response.read())
            except urllib.error.HTTPError as error:
                if error.code == _BAD_QUERY:
                    return None
                if error.code < 500 or last == _TRIES:
                    raise self._failed(f"status {error.code}") from error
            except (OSError, HTTPException) as error:
                if last == _TRIES:
                    raise self._failed(str(getattr(error, "reason", error))) from error
            except msgspec.DecodeError as error:
                raise self._failed("it does not answer with JSON") from error
        return None

    def _failed(self, why: str) -> InputError:
        return InputError(
            f"the geocoder {self._url} failed ({why})",
            "Check that it runs and that the URL is its search endpoint",
        )


class Photon(Geocoder):
    def _query(self, address: HouseAddress) -> dict[str, str]:
        place = f"{address.postcode} {address.city}".strip()
        parts = (f"{address.number} {address.street}", place, address.state, address.country)
        query = {"q": ", ".join(filter(None, parts)), "limit": "3"}
        if address.lat is not None and address.lon is not None:
            query |= {"lat": f"{address.lat:.4f}", "lon": f"{address.lon:.4f}"}
        return query

    def _results(self, answer: Any) -> list[tuple[str, float, float]]:
        return _of_features(answer)


class Pelias(Geocoder):
    def _query(self, address: HouseAddress) -> dict[str, str]:
        place = f"{address.postcode} {address.city}".strip()
        parts = (f"{address.number} {address.street}", place, address.state, address.country)
        return {"text": ", ".join(filter(None, parts)), "layers": "address", "size": "3"}

    def _results(self, answer: Any) -> list[tuple[str, float, float]]:
        return _of_features(answer)


class Nominatim(Geocoder):
    def _query(self, address: HouseAddress) -> dict[str, str]:
        query = {
            "format": "jsonv2",
            "addressdetails": "1",
            "limit": "3",
            "street": f"{address.number} {address.street}",
            "city": address.city,
            "postalcode": address.postcode,
            "countrycodes": address.country.lower(),
        }
        return {name: value for name, value in query.items() if value}

    def _results(self, answer: Any) -> list[tuple[str, float, float]]:
        found = []
        for one in answer if isinstance(answer, list) else ():
            number = (one.get("address") or {}).get("house_number")
            if number:
                found.append((str(number), float(one["lat"]), float(one["lon"])))
        return found


def _of_features(answer: Any) -> list[tuple[str, float, float]]:
    """Of GeoJSON, as Photon and Pelias answer."""
    found = []
    for feature in (answer.get("features") or ()) if isinstance(answer, dict) else ():
        properties = feature.get("properties") or {}
        if number := properties.get("housenumber"):
            lon, lat = feature["geometry"]["coordinates"][:2]
            found.append((str(number), float(lat), float(lon)))
    return found


_BY_PATH: dict[str, type[Geocoder]] = {
    "/v1/search": Pelias,
    "/api": Photon,
    "/search": Nominatim,
}


def open_geocoder(url: str) -> Geocoder:
    path = urlsplit(url).path.rstrip("/")
    kind = next((kind for end, kind in _BY_PATH.items() if path.endswith(end)), None)
    if kind is None:
        raise InputError(
            f"--points {url}: the kind of geocoder is unknown",
            "End the URL with /api (Photon), /search (Nominatim) or /v1/search (Pelias)",
        )
    return kind(url)
