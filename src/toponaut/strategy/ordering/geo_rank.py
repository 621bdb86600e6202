"""Geo-rank: links about places that are close together, and with place names around them, first.

Kozanidis, Stamou and Spyros 2009 (section 3.1, Figure 2). A link has two kinds of location
entities: those of its URL (names in host and path, and the place of the domain's owner if known)
and those in the words around it. The first give its spatial correlation, the second its location
focus; the rank is their mean. All places count, not only targets: the collaboration decides who
fetches which.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.toponyms import Point, Toponyms
from toponaut.records import JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.strategy.ordering.geo_urls import UrlPlaces
from toponaut.strategy.ordering.geo_windows import Terms, count_terms
from toponaut.strategy.setting import Setting
from toponaut.urls import host_of, registered_domain
from toponaut.urls import tokens as url_tokens

CORRELATED = 0.5  # Figure 2: "If avg. spatial correlation (u, T) > 0.5 add u to crawler's frontier"
_REMEMBERED = 100_000  # domains with their owners' places, and as many places
_SHOWN = 4  # places that a reason names


# --- the formulas ---------------------------------------------------------------------------------


def spatial_correlation(points: Sequence[Point]) -> float:
    """1 - the mean great-circle distance of all pairs, as a share of half a great circle.

    Kozanidis, Stamou and Spyros 2009, Figure 2: "1 - avg. distance", normalised to 0..1. It is 1
    for one entity and 0 for none. Points are unit vectors: their angle over pi is that share.
    An unknown point, (), is left out.
    """
    if not points:
        return 0.0
    pairs = [(one, other) for one, other in combinations(points, 2) if one and other]
    if not pairs:
        return 1.0
    angles = [2 * math.asin(min(math.dist(one, other) / 2, 1.0)) for one, other in pairs]
    return 1.0 - sum(angles) / len(angles) / math.pi


def location_focus(terms: Terms) -> float:
    """The share of the words around a link that name places; 0 if there are no words.

    Figure 2: "# location entities in anchor / # terms in anchor".
    """
    return terms.named / terms.all if terms.all else 0.0


def rank(correlation: float, focus: float) -> float:
    """Rank(u) = (avg. spatial correlation(u) + location focus(u, l)) / 2.

    Figure 2 prints it without the brackets; the text says "the average values".
    """
    return (correlation + focus) / 2


# --- the ordering ---------------------------------------------------------------------------------


class _Entity(NamedTuple):
    name: str
    point: Point


class _GeoRankState(msgspec.Struct, tag="geo-rank"):
    owners: dict[str, int]


class GeoRank(Ordering):
    """`wordnet`: WordNet's toponyms, used in addition; `window`: words around a link that count."""

    learns_from = ("url", "registrant")

    def __init__(self, names: NameFinder, wordnet: Gazetteer | None, window: int) -> None:
        self._names, self._window = names, window
        self._urls = UrlPlaces(names)
        self._toponyms = Toponyms(wordnet, names.gazetteer) if wordnet is not None else None
        self._owners: dict[str, int] = {}  # domain -> place of its owner; oldest first
        self._entities: dict[int, _Entity] = {}

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:  # noqa: ARG002
        if not links:
            return []
        in_urls = self._url_entities(judged, [link.url for link in links])
        around = count_terms(self._names, self._toponyms, judged.page.text, links, self._window)
        return [_rated(*one) for one in zip(in_urls, around, strict=True)]

    def learn(self, visit: Visit) -> None:
        if visit.registrant:
            domain = registered_domain(host_of(visit.url))
            self._owners.pop(domain, None)
            if len(self._owners) >= _REMEMBERED:
                del self._owners[next(iter(self._owners))]
            self._owners[domain] = visit.registrant

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_GeoRankState(self._owners))

    def load(self, model: bytes) -> None:
        try:
            self._owners = msgspec.msgpack.decode(model, type=_GeoRankState).owners
        except msgspec.MsgspecError as error:
            raise ValueError("it is not a model of geo-rank") from error

    # --- entities of URLs -------------------------------------------------------------------------

    def _url_entities(self, judged: JudgedPage, urls: Sequence[str]) -> list[dict[str, _Entity]]:
        """The location entities of each URL by the names that reasons show; each place once."""
        words = [url_tokens(url) for url in urls]
        found = self._urls.find(urls, words)
        entities = [
            {entity.name: entity for entity in map(self._entity, places)} for places in found
        ]
        if self._toponyms is not None:
            lines = [f"{' '.join(host)} | {' '.join(path)}" for host, path in words]
            for named, toponyms in zip(entities, self._toponyms.in_lines(lines), strict=True):
                named.update((one.name, _Entity(one.name, one.point)) for one in toponyms)
        owners = self._owners_of(judged, urls) if self._owners or judged.registrant else []
        for named, places, owner in zip(entities, found, owners, strict=False):
            if owner and owner not in places:
                entity = self._entity(owner)
                named[f"owner in {entity.name}"] = entity
        return entities

    def _owners_of(self, judged: JudgedPage, urls: Sequence[str]) -> list[int]:
        """The place of the owner of each URL's domain, 0 if not known."""
        own = registered_domain(host_of(judged.page.url)) if judged.registrant else ""
        domains = [registered_domain(host_of(url)) for url in urls]
        return [
            judged.registrant if domain == own else self._owners.get(domain, 0)
            for domain in domains
        ]

    def _entity(self, place: int) -> _Entity:
        known = self._entities.get(place)
        if known is None:
            if len(self._entities) >= _REMEMBERED:
                self._entities.clear()
            gazetteer = self._names.gazetteer
            row = gazetteer.row(place)
            point = tuple(gazetteer.xyz[row].tolist())
            known = self._entities[place] = _Entity(gazetteer.name(row), point)
        return known


def _rated(entities: dict[str, _Entity], around: Terms) -> Rating:
    correlation = spatial_correlation([entity.point for entity in entities.values()])
    focus = location_focus(around)
    promise = rank(correlation, focus)
    shown = [*list(entities)[:_SHOWN], *(["..."] if len(entities) > _SHOWN else [])]
    names = ", ".join(shown) or "no place"
    why = (
        f"rank {promise:.2f} = mean of correlation {correlation:.2f} ({names}) "
        f"and focus {focus:.2f} ({around.named} of {around.all} words)"
    )
    return Rating(promise, promise, why, enters=correlation > CORRELATED or focus > 0)


def build(setting: Setting) -> GeoRank:
    return GeoRank(setting.names, setting.wordnet(), setting.job.ordering.window)
