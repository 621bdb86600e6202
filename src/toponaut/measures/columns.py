"""The data of a crawl that measures need: columns of numbers, a row for each page in log order.

1 million pages take 75 MB, besides the link graph (graph.py). Texts and URLs stay in the log; a URL
is represented by the number of its vertex in the graph, so two visits of one URL share it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.job.owners import OwnerTable
from toponaut.job.targets import label
from toponaut.places.gazetteer import Gazetteer

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Marks = NDArray[np.uint64]  # fingerprints
Floats = NDArray[np.float64]


FIRST_NAMES = 1_265  # location entities in Table 2 of Kozanidis and others 2009


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, sorted. 20 times as fast as `np.unique` on 4 million numbers."""
    ordered = np.sort(values)
    return ordered[first_of_each(ordered)]


def first_of_each(ordered: NDArray[Any]) -> Bools:
    """For sorted values, where a new one begins."""
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return fresh


def places_in(ordered: NDArray[Any], values: NDArray[Any]) -> Ints:
    """The index of each value in a sorted array, -1 if it is not there."""
    if not len(ordered):
        return np.full(len(values), -1, np.int64)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.where(ordered[at] == values, at, -1)


def rows_with(values: NDArray[Any], wanted: NDArray[Any]) -> Ints:
    """For each wanted value its row in an array of distinct values, or -1."""
    order = np.argsort(values, kind="stable")  # fast for a single log, which is sorted
    at = places_in(values[order], wanted)
    return np.where(at >= 0, order[at], -1) if len(values) else at


def share(part: float, whole: float) -> float | None:
    """A ratio; None if the whole is 0."""
    return float(part) / float(whole) if whole else None


def mean(values: NDArray[Any]) -> float | None:
    """The mean; None if there are no values."""
    return float(values.mean()) if len(values) else None


class NodeTraffic(Struct, frozen=True):
    """A crawling node and its traffic."""

    name: str
    general: bool = False  # it has no territory
    sent: int = 0  # URLs to other nodes
    messages: int = 0
    message_bytes: int = 0
    received: int = 0  # bytes from the web


class PageColumns(Struct, frozen=True):
    """Downloaded pages (outcomes in records.PAGES)."""

    node: Ints  # the number of the node that fetched it
    vertex: Ints  # its URL, among the distinct ones
    host: Ints  # its host, among the distinct ones
    domain: Ints  # its registered domain, among the distinct ones
    relevant: Bools  # as the crawl judged it
    aware: Bools  # it has an address in any target: the paper's geographically aware page
    own: Bools  # it has an address in the territory of its node
    named: Bools  # it names any place
    target: Ints  # the target that it is most probably about (row of the gazetteer), -1: none
    hops: Ints  # links from a seed
    weight: Floats  # by the interests; without interests, the promise
    parent: Ints  # row of the page whose link led here, -1: none, it came from a seed
    url_target: Ints | None = None  # the most populous target that its URL names, -1: none
    class_target: Ints | None = None  # the target that a classifier gives it, -1: none
    true: Bools | None = None  # whether it is relevant, on a web whose truth is known


class AddressColumns(Struct, frozen=True):
    """Addresses in the targets, one row per page and address: the papers' geographic entities."""

    mark: Marks  # fingerprint of the normalised address
    page: Ints  # row of its page


class PlaceCount(Struct, frozen=True):
    """A place with addresses, and the number of pages that have them."""

    id: int
    name: str
    lat: float
    lon: float
    pages: int
    wanted: bool  # it is in a target


class NameCounts(Struct, frozen=True):
    """Places that pages name, each once per page: location entities (Kozanidis and others 2009)."""

    all: int = 0
    distinct: int = 0
    first_distinct: int = 0  # among the first FIRST_NAMES


class OwnerCounts(Struct, frozen=True):
    """Links and their owners."""

    links: int = 0
    owners: int = 0  # of all links
    first_away: int = 0  # links whose first owner is not the node that found them
    met_again: tuple[int, ...] = ()  # by node: links of other nodes that it met again


class CrawlColumns(Struct, frozen=True):
    """The data of a whole crawl."""

    nodes: tuple[NodeTraffic, ...]
    pages: PageColumns
    entities: AddressColumns
    places: tuple[PlaceCount, ...]
    names: NameCounts
    urls: Marks  # fingerprint of the URL of each vertex
    visits: int = 0  # of all outcomes

    @property
    def geographic(self) -> list[int]:
        """Numbers of the nodes that have a territory."""
        return [number for number, node in enumerate(self.nodes) if not node.general]


class TargetTable:
    """The gazetteer with the territories of a crawl."""

    def __init__(self, gazetteer: Gazetteer, owners: OwnerTable) -> None:
        self.geographic = owners.geographic
        self.general = owners.general
        self.size = len(gazetteer)
        self.wanted = int((owners.target_of == np.arange(len(gazetteer))).sum())  # targets
        self._gazetteer = gazetteer
        # One more entry at the end: unknown places (row -1) are in no target.
        self._target_of = np.append(owners.target_of, -1)
        self._node_of = np.append(owners.node_of, -1)
        self._people = np.append(gazetteer.population, 0)

    def rows(self, places: NDArray[np.int64]) -> Ints:
        """Rows of the gazetteer for ids, -1 for unknown ids."""
        return places_in(self._gazetteer.ids, places)

    def targets(self, rows: Ints) -> Ints:
        """The row of the target that contains each place, -1: none."""
        return self._target_of[rows].astype(np.int64)

    def territories(self, rows: Ints) -> Ints:
        """The number of the geographic node for each place, -1: none."""
        return self._node_of[rows].astype(np.int64)

    def likeliest(self, page: Ints, rows: Ints, weight: NDArray[np.float64], pages: int) -> Ints:
        """For each page the target of the greatest weight, or -1; of equal ones the most populous.

        As policy A decides (owners.py). `page`, `rows` and `weight`: the places of all scopes.
        """
        target = self.targets(rows)
        named = (target >= 0) & (weight > 0)
        page, target, weight = page[named], target[named], weight[named]
        best = np.full(pages, -1, np.int64)
        if not len(page):
            return best
        order = np.lexsort((target, page))
        page, target, weight = page[order], target[order], weight[order]
        fresh = np.flatnonzero(first_of_each(page) | first_of_each(target))
        weight = np.add.reduceat(weight, fresh)
        page, target = page[fresh], target[fresh]
        ranked = np.lexsort((target, -self._people[target], -weight, page))
        first = ranked[first_of_each(page[ranked])]
        best[page[first]] = target[first]
        return best

    def counts(self, rows: Sequence[int], pages: Sequence[int]) -> tuple[PlaceCount, ...]:
        """Records of places with their numbers of pages, most pages first."""
        found = []
        for row, count in zip(rows, pages, strict=True):
            place = self._gazetteer.place_at(row)
            wanted = bool(self._target_of[row] >= 0)
            found.append(PlaceCount(place.id, label(place), place.lat, place.lon, count, wanted))
        return tuple(sorted(found, key=lambda one: (-one.pages, one.id)))
