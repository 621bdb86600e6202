"""The location hierarchy of a page (Kozanidis, Stamou and Spyros 2009, section 3.2).

"We model the geographic orientation of a page as a small location hierarchy, the root of which
denotes the broad geographic area to which the page refers and the intermediate and leaf nodes
represent specific locations in that area." Each node has coordinates. A page about places that
share no country has several hierarchies.

    Germany 1.0
        Lower Saxony 1.0
            Oldenburg 0.8, an address

Landmarks (rivers, parks, mountains, stations) that the page names are leaves below the smallest of
its areas that WordNet says they are part of; one in none of its areas is left out.

A node's share is that of the page's scope in it and below it. An area with a single area below it
and nothing of its own is left out, except the root.
"""

from collections.abc import Mapping, Sequence
from math import asin, atan2, degrees

from msgspec import Struct
from msgspec.structs import replace

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.toponyms import Toponym
from toponaut.records import Kind, Visit

_LEAST_SHARE = 0.02  # of the scope; places with an address are shown in any case


class LocationNode(Struct, frozen=True):
    """A place of a page's hierarchy, with those inside it."""

    place: int  # 0: a landmark that only WordNet has
    name: str
    kind: Kind
    lat: float
    lon: float
    share: float  # of the page's scope
    addresses: int  # in the place and below
    inside: "tuple[LocationNode, ...]" = ()


def hierarchy(
    visit: Visit, gazetteer: Gazetteer, landmarks: Sequence[Toponym] = ()
) -> tuple[LocationNode, ...]:
    """The location hierarchies of a page, the heaviest first. `landmarks`: those it names."""
    shares: dict[int, float] = {}
    addresses: dict[int, int] = {}
    own: set[int] = set()  # places that the page names itself
    below: dict[int, set[int]] = {0: set()}
    total = sum(weight for _, weight in visit.scope) or 1.0
    found = [(place, weight / total, 0) for place, weight in visit.scope]
    found += [(one.place, 0.0, 1) for one in visit.addresses if one.place]
    for place, share, count in found:
        path = _path(place, gazetteer)
        own.update(path[-1:])
        for above, here in zip((0, *path), path, strict=False):
            below.setdefault(above, set()).add(here)
            shares[here] = shares.get(here, 0.0) + share
            addresses[here] = addresses.get(here, 0) + count

    def nodes(above: int) -> tuple[LocationNode, ...]:
        some = sorted(below.get(above, ()), key=lambda one: (-shares[one], -addresses[one], one))
        shown = (one for one in some if shares[one] >= _LEAST_SHARE or addresses[one])
        return tuple(_node(one, gazetteer, shares, addresses, nodes(one)) for one in shown)

    roots = tuple(_without_steps(root, own, is_root=True) for root in nodes(0))
    for landmark in landmarks:
        roots = _with_landmark(roots, landmark)
    return roots


def _with_landmark(nodes: tuple[LocationNode, ...], landmark: Toponym) -> tuple[LocationNode, ...]:
    """The nodes with a landmark below the smallest one that it is part of; else the same nodes."""
    for k, node in enumerate(nodes):
        inside = _with_landmark(node.inside, landmark)
        if inside is node.inside and node.name in landmark.areas and landmark.point:
            x, y, z = landmark.point
            lat, lon = degrees(asin(z)), degrees(atan2(y, x))
            inside += (LocationNode(0, landmark.name, Kind.LANDMARK, lat, lon, 0.0, 0),)
        if inside is not node.inside:
            return (*nodes[:k], replace(node, inside=inside), *nodes[k + 1 :])
    return nodes


def _path(place: int, gazetteer: Gazetteer) -> tuple[int, ...]:
    """A place below its areas, the largest first, without continents; () if it is unknown."""
    try:
        areas = [one.id for one in gazetteer.ancestors(place) if one.kind is not Kind.CONTINENT]
    except KeyError:  # the crawl used another gazetteer
        return ()
    return (*reversed(areas), place)


def _node(
    place: int,
    gazetteer: Gazetteer,
    shares: Mapping[int, float],
    addresses: Mapping[int, int],
    inside: tuple[LocationNode, ...],
) -> LocationNode:
    one = gazetteer.place(place)
    return LocationNode(
        place,
        one.name,
        one.kind,
        one.lat,
        one.lon,
        round(shares[place], 3),
        addresses[place],
        inside,
    )


def _without_steps(node: LocationNode, own: set[int], is_root: bool = False) -> LocationNode:
    """The hierarchy without areas that only lead to one other."""
    inside = tuple(_without_steps(one, own) for one in node.inside)
    if len(inside) == 1 and node.place not in own and not is_root:
        return inside[0]
    return LocationNode(
        node.place, node.name, node.kind, node.lat, node.lon, node.share, node.addresses, inside
    )
