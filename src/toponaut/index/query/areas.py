"""Regions that people name in a query but that are no administrative area, as circles.

Centres and radii are rough estimates by hand: a search "in the Hudson Valley" needs no border. A
code after the name ("hudson valley ny") belongs to it.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from toponaut.index.query.prepositions import fold

# name [= other name ...] ; latitude ; longitude ; radius in km ; codes that may follow
_TABLE = """
Hudson Valley = Mid Hudson ; 41.7 ; -74.0 ; 75 ; ny new york
Finger Lakes ; 42.7 ; -76.9 ; 70 ; ny new york
Adirondacks ; 44.1 ; -74.3 ; 80 ; ny new york
Catskills = Catskill Mountains ; 42.1 ; -74.4 ; 50 ; ny new york
Capital District ; 42.75 ; -73.8 ; 40 ; ny new york
The Hamptons = Hamptons ; 40.9 ; -72.4 ; 35 ; ny new york
Jersey Shore ; 39.9 ; -74.2 ; 90 ; nj new jersey
Lehigh Valley ; 40.65 ; -75.4 ; 35 ; pa pennsylvania
Poconos = Pocono Mountains ; 41.1 ; -75.3 ; 45 ; pa pennsylvania
Cape Cod ; 41.7 ; -70.25 ; 55 ; ma massachusetts
Berkshires ; 42.35 ; -73.2 ; 45 ; ma massachusetts
Pioneer Valley ; 42.3 ; -72.6 ; 40 ; ma massachusetts
Outer Banks ; 35.6 ; -75.6 ; 90 ; nc north carolina
Research Triangle ; 35.9 ; -78.85 ; 45 ; nc north carolina
Lowcountry ; 32.5 ; -80.5 ; 70 ; sc south carolina
Florida Keys ; 24.8 ; -81.0 ; 90 ; fl florida
Space Coast ; 28.3 ; -80.7 ; 60 ; fl florida
Hill Country = Texas Hill Country ; 30.2 ; -98.8 ; 90 ; tx texas
Rio Grande Valley ; 26.2 ; -98.1 ; 75 ; tx texas
Front Range ; 39.9 ; -105.0 ; 100 ; co colorado
Roaring Fork Valley ; 39.4 ; -107.1 ; 40 ; co colorado
Bay Area = San Francisco Bay Area = SF Bay Area ; 37.7 ; -122.2 ; 75 ; ca california
Silicon Valley = South Bay ; 37.35 ; -121.95 ; 25 ; ca california
East Bay ; 37.8 ; -122.1 ; 30 ; ca california
Napa Valley ; 38.45 ; -122.4 ; 35 ; ca california
Wine Country ; 38.45 ; -122.6 ; 50 ; ca california
Central Valley = San Joaquin Valley ; 36.7 ; -119.8 ; 150 ; ca california
Inland Empire ; 33.95 ; -117.2 ; 60 ; ca california
Coachella Valley ; 33.7 ; -116.3 ; 35 ; ca california
Willamette Valley ; 44.9 ; -123.0 ; 80 ; or oregon
Columbia River Gorge = Columbia Gorge ; 45.7 ; -121.6 ; 55 ; or oregon wa washington
Puget Sound ; 47.6 ; -122.4 ; 80 ; wa washington
Olympic Peninsula ; 47.9 ; -123.6 ; 80 ; wa washington
Twin Cities ; 44.96 ; -93.2 ; 40 ; mn minnesota
Chicagoland ; 41.85 ; -87.85 ; 65 ; il illinois
Quad Cities ; 41.5 ; -90.5 ; 30 ; ia iowa il illinois
Lake District ; 54.5 ; -3.1 ; 35 ; uk england
Peak District ; 53.3 ; -1.75 ; 30 ; uk england
Cotswolds ; 51.85 ; -1.85 ; 45 ; uk england
Home Counties ; 51.5 ; -0.3 ; 65 ; uk england
East Anglia ; 52.4 ; 0.9 ; 75 ; uk england
West Country ; 50.9 ; -3.5 ; 110 ; uk england
Black Country ; 52.52 ; -2.05 ; 15 ; uk england
Scottish Highlands ; 57.3 ; -4.7 ; 110 ; uk scotland
Ruhrgebiet = Ruhrpott ; 51.5 ; 7.2 ; 40 ; de deutschland
Schwarzwald = Black Forest ; 48.2 ; 8.2 ; 70 ; de deutschland
Allgäu ; 47.7 ; 10.3 ; 45 ; de deutschland
Ammerland ; 53.2 ; 8.0 ; 22 ; de deutschland
Ostfriesland ; 53.45 ; 7.4 ; 45 ; de deutschland
Emsland ; 52.7 ; 7.4 ; 45 ; de deutschland
Bodensee = Lake Constance ; 47.65 ; 9.3 ; 40 ; de deutschland
Spreewald ; 51.9 ; 13.9 ; 30 ; de deutschland
Sauerland ; 51.25 ; 8.2 ; 50 ; de deutschland
Erzgebirge ; 50.6 ; 13.0 ; 50 ; de deutschland
Eifel ; 50.3 ; 6.7 ; 50 ; de deutschland
Lüneburger Heide ; 53.05 ; 9.95 ; 45 ; de deutschland
Côte d'Azur = French Riviera ; 43.6 ; 7.0 ; 55 ; fr france
Pays basque ; 43.4 ; -1.4 ; 40 ; fr france
Vallée de la Loire = Loire Valley ; 47.4 ; 0.7 ; 90 ; fr france
Lubéron = Luberon ; 43.8 ; 5.4 ; 30 ; fr france
Périgord ; 45.0 ; 0.7 ; 60 ; fr france
Tarentaise ; 45.55 ; 6.7 ; 30 ; fr france
Chablais ; 46.3 ; 6.6 ; 25 ; fr france
Vallée de Chamonix ; 45.95 ; 6.87 ; 18 ; fr france
"""


class NamedArea(Struct, frozen=True):
    """An area as a circle."""

    name: str
    lat: float
    lon: float
    radius_km: float
    codes: frozenset[tuple[str, ...]]  # words that may follow the name


class AreaTable:
    """Finds areas in the words of a query, which have no accents."""

    def __init__(self) -> None:
        self._areas: dict[tuple[str, ...], NamedArea] = {}
        for line in _TABLE.strip().splitlines():
            names, lat, lon, radius, codes = (part.strip() for part in line.split(";"))
            every = [name.strip() for name in names.split("=")]
            words = _codes(codes.split())
            area = NamedArea(every[0], float(lat), float(lon), float(radius), words)
            self._areas |= {_words(name): area for name in every}
        self._longest = max(map(len, self._areas))

    def find(self, plain: Sequence[str], first: int) -> tuple[NamedArea, int] | None:
        """The area whose name starts at a word, and the word after it."""
        for end in range(min(first + self._longest, len(plain)), first, -1):
            area = self._areas.get(tuple(plain[first:end]))
            if area:
                rest = [tuple(plain[end : end + n]) for n in (2, 1)]
                return area, end + next((len(few) for few in rest if few in area.codes), 0)
        return None


def _words(name: str) -> tuple[str, ...]:
    return tuple(fold(name.replace("'", " ")).split())


def _codes(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Single words, and pairs of them: "new york"."""
    return frozenset([*((word,) for word in words), *pairwise(words)])
