"""The seeds of a place: from the sources that the user names, inside the place, best first.

Kozanidis, Stamou and Spyros 2009 rank and filter seeds like links, by geo-rank: how near the
places of a seed are to each other, and how much of its words are place names.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toponaut.errors import InputError
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer.gazetteer import unit_vectors
from toponaut.places.names.finder import NameFinder
from toponaut.records import Place
from toponaut.seeds import common_crawl, directory, likely_hosts, osm, place_files, wikidata
from toponaut.seeds.area import SeedArea
from toponaut.seeds.seed import Seed, merge
from toponaut.seeds.service import Services
from toponaut.strategy.ordering.geo_rank import location_focus, rank, spatial_correlation
from toponaut.strategy.ordering.geo_windows import Terms

SERVICES = {
    "osm": osm.SERVICE,
    "wikidata": wikidata.SERVICE,
    "common-crawl": common_crawl.SERVICE,
    "hosts": "",
}
DEFAULT = ("osm", "wikidata", "hosts")
_ASK = {"osm": osm.ask_overpass, "wikidata": wikidata.ask_wikidata}
_COLUMNS_OF_INDEX = frozenset({"url_host_name", "url_surtkey", "fetch_status"})


class SeedsFound(NamedTuple):
    """The seeds of a place, and the sources that could not be used."""

    seeds: list[Seed]
    faults: list[str]


def find_seeds(
    names: NameFinder,
    place: Place,
    sources: Sequence[str] = DEFAULT,
    *,
    services: Services | None = None,
    standard_input: Callable[[], bytes] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> SeedsFound:
    """The seeds of a place. A source is osm, wikidata, common-crawl or hosts, NAME=URL for
    another service of that kind, a file, or - for standard input.

    If no source can be used, that is an InputError.
    """
    finder = _Finder(names, place, services or Services(), standard_input)
    found: list[Seed] = []
    faults: list[InputError] = []
    for source in sources:
        say(source)
        try:
            some = finder.located(finder.read(source))
            if not some:
                cause = f"it has no website of a place in {place.name}"
                raise InputError(cause, "Check the place, or name another source")
        except InputError as error:
            cause = error.cause if source in error.cause else f"{source}: {error.cause}"
            faults.append(InputError(cause, error.fix))
            continue
        found += some
    if faults and len(faults) == len(sources):
        fixes = dict.fromkeys(fault.fix for fault in faults if fault.fix)
        raise InputError("; ".join(fault.cause for fault in faults), ". ".join(fixes))
    return SeedsFound(finder.ranked(merge(found)), [str(fault) for fault in faults])


class _Finder:
    def __init__(
        self,
        names: NameFinder,
        place: Place,
        services: Services,
        standard_input: Callable[[], bytes] | None,
    ) -> None:
        self._names, self._place, self._services = names, place, services
        self._standard_input = standard_input
        self._area = SeedArea(names.gazetteer, place)
        self._inside = rows_inside(names.gazetteer, [names.gazetteer.row(place.id)])

    # --- reading ----------------------------------------------------------------------------------

    def read(self, source: str) -> Iterator[Seed]:
        name, _, url = source.partition("=")
        if name in _ASK:
            return _ASK[name](self._services, self._place, url or SERVICES[name])
        if name == "common-crawl":
            return common_crawl.ask_common_crawl(self._services, self._place, url or SERVICES[name])
        if source == "hosts":
            return likely_hosts.find_hosts(self._place)
        if source == "-" and self._standard_input:
            return directory.read_list(_text(self._standard_input(), "-"), "-")
        return self._read_file(Path(source))

    def _read_file(self, path: Path) -> Iterator[Seed]:
        if not path.is_file():
            cause = f"{path} is a folder" if path.is_dir() else f"there is no file {path}"
            raise InputError(cause, f"Sources are {', '.join(SERVICES)}, or a file")
        name = path.name.lower()
        if name.endswith((".osm.pbf", ".pbf", ".osm")):
            return osm.read_extract(path)
        if name.endswith((".parquet", ".geoparquet")):
            return self._read_parquet(path)
        if name.endswith((".rdf", ".rdf.gz", ".u8", ".u8.gz", ".rdf.u8")):
            return directory.read_rdf(path)
        if name.endswith((".geojson", ".geojsonl", ".geojsons", ".ndgeojson")):
            return place_files.read_geojson(path)
        data = path.read_bytes()
        return (
            self._read_json(data, path)
            if data.lstrip()[:1] == b"{"
            else self._read_text(data, path)
        )

    def _read_parquet(self, path: Path) -> Iterator[Seed]:
        file = place_files.open_parquet(path)
        columns = set(file.schema_arrow.names)
        if "url" in columns and columns & _COLUMNS_OF_INDEX:
            return common_crawl.read_columns(file, self._names_place)
        return place_files.read_parquet(file, str(path))

    def _read_json(self, data: bytes, path: Path) -> Iterator[Seed]:
        head = data[:4096]
        if b'"elements"' in head or b'"osm3s"' in head:
            return osm.read_overpass(data, str(path))
        if b'"bindings"' in head or b'"vars"' in head:
            return wikidata.read_sparql(data, str(path))
        if b'"urlkey"' in head:
            return common_crawl.read_captures(data, str(path), self._names_place)
        return place_files.read_geojson(path)

    def _read_text(self, data: bytes, path: Path) -> Iterator[Seed]:
        return directory.read_list(_text(data, str(path)), str(path))

    # --- choosing ---------------------------------------------------------------------------------

    def located(self, seeds: Iterable[Seed]) -> list[Seed]:
        """The seeds without those whose coordinates are elsewhere."""
        kept = list(seeds)
        points = [(one.lat, one.lon) for one in kept if one.lat is not None and one.lon is not None]
        inside = iter(self._area.contains(points))
        return [one for one in kept if one.lat is None or next(inside)]

    def ranked(self, seeds: list[Seed]) -> list[Seed]:
        """The seeds by geo-rank, best first."""
        scores = dict(zip((seed.url for seed in seeds), self._scores(seeds), strict=True))
        return sorted(seeds, key=lambda seed: -scores[seed.url])

    def _scores(self, seeds: list[Seed]) -> Iterator[float]:
        """Kozanidis et al. 2009, Figure 2. The target is one of the entities of each seed."""
        gazetteer = self._names.gazetteer
        home = tuple(gazetteer.xyz[gazetteer.row(self._place.id)].tolist())
        mentions = self._names.urls.find([seed.url for seed in seeds])
        for seed, named in zip(seeds, mentions, strict=True):
            places = {mention.place for mention in named}
            points = [tuple(gazetteer.xyz[gazetteer.row(place)].tolist()) for place in places]
            if seed.lat is not None and seed.lon is not None:
                points.append(tuple(unit_vectors(np.array([(seed.lat, seed.lon)]))[0].tolist()))
            correlation = spatial_correlation([*points, home]) if points else 0.0
            yield rank(correlation, location_focus(self._terms(seed)))

    def _terms(self, seed: Seed) -> Terms:
        """The words of a seed's name, and how many of them name a place."""
        found = self._names.find(seed.name) if seed.name else []
        named = sum(len(seed.name[one.start : one.end].split()) for one in found)
        return Terms(named, len(seed.name.split()))

    def _names_place(self, urls: Sequence[str]) -> list[bool]:
        row = self._names.gazetteer.row
        found = self._names.urls.find(list(urls))
        return [any(self._inside[row(one.place)] for one in named) for named in found]


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text", "Save it as UTF-8") from None
