"""What places a page is about: weights from its addresses and mentions, the papers' content formula, the hierarchy.

A *scope* is a mapping from place ids to weights. `page_scope` is Toponaut's own (weights sum to 1); `content_scope` is
formula 3 of Gao, Lee and Miao 2006, which counts names and needs no resolution; `hierarchy` is the location hierarchy of
Kozanidis, Stamou and Spyros 2009: broad areas at the root, cities below, the weights of all below added up.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Kind, Mention, Place

Scope = Mapping[int, float]
_NONE: Scope = {}

# An address says where somebody is, a mention only that the place came up.
ADDRESS_WEIGHT, MENTION_WEIGHT = 3.0, 1.0
# Weights of the content formula, as in the paper: pairs against lone cities, population against states on the page.
PAIR_SHARE, POPULATION_SHARE = 0.7, 0.5

_BESIDE = re.compile(r"\s{0,2},?\s{0,2}\(?")


def page_scope(addresses: Iterable[Address], mentions: Iterable[Mention], glanced: Scope = _NONE) -> dict[int, float]:
    """Weights over places, likeliest first, that sum to 1; empty for a page that names none.

    `glanced`: instead of mentions, what a glance has seen (places/glance.py).
    """
    weights: dict[int, float] = defaultdict(float)
    for address in addresses:
        if address.place:
            weights[address.place] += ADDRESS_WEIGHT * address.confidence
    for mention in mentions:
        weights[mention.place] += MENTION_WEIGHT * mention.confidence
    for place, weight in glanced.items():
        weights[place] += MENTION_WEIGHT * weight
    total = sum(weights.values())
    return {place: weights[place] / total for place in sorted(weights, key=weights.__getitem__, reverse=True) if total}


# --- the content formula (SPEC 1) ----------------------------------------------------------------------------------


class NameCounts(Struct, frozen=True):
    """How often a page names cities with their state, cities alone, and states alone."""

    pairs: Mapping[int, int]  # by id of the city
    cities: Mapping[str, int]  # by the name as written
    states: Mapping[int, int]  # by id of the state


def count_names(gazetteer: Gazetteer, text: str, mentions: Sequence[Mention]) -> NameCounts:
    """Counts for the content formula. A city and the state right after it are a pair, and neither counts alone."""
    pairs: Counter[int] = Counter()
    cities: Counter[str] = Counter()
    states: Counter[int] = Counter()
    paired = -1
    for k, mention in enumerate(mentions):
        if k == paired:
            continue
        place = gazetteer.place(mention.place)
        following = mentions[k + 1] if k + 1 < len(mentions) else None
        if place.kind is Kind.STATE:
            states[place.id] += 1
        elif place.kind in (Kind.CITY, Kind.NEIGHBOURHOOD):
            if following and _is_state_of(gazetteer, text, mention, following):
                pairs[place.id] += 1
                paired = k + 1
            else:
                cities[mention.text] += 1
    return NameCounts(pairs, cities, states)


def _is_state_of(gazetteer: Gazetteer, text: str, city: Mention, state: Mention) -> bool:
    beside = _BESIDE.fullmatch(text, city.end, state.start) is not None
    return beside and gazetteer.place(state.place).kind is Kind.STATE and gazetteer.contains(state.place, city.place)


def content_scope(gazetteer: Gazetteer, counts: NameCounts, targets: Iterable[Place]) -> dict[int, float]:
    """pr(c,s | p) of each target, by formula 3 of Gao, Lee and Miao 2006 (section 3.4.3); targets at 0 are left out.

    pr(c,s | p) = a #((c,s),p) + (1-a) pr(s|c) #(c,p), with pr(s|c) = b S(s,c) + (1-b) S~(s,p): a city with its state, and
    a city alone shared among the states by population and by how often the page names each state.
    """
    namesakes = {name: gazetteer.rows_named(name) for name in counts.cities}
    named = sum(counts.states.values())
    scope = {}
    for target in targets:
        row = gazetteer.row(target.id)
        state = next((place.id for place in gazetteer.ancestors(target.id) if place.kind is Kind.STATE), 0)
        on_page = counts.states.get(state, 0) / named if named else 0.0
        weight = PAIR_SHARE * counts.pairs.get(target.id, 0)
        for name, count in counts.cities.items():
            if row in namesakes[name]:
                people = int(gazetteer.population[namesakes[name]].sum())
                share = target.population / people if people else 0.0
                chance = POPULATION_SHARE * share + (1 - POPULATION_SHARE) * on_page
                weight += (1 - PAIR_SHARE) * chance * count
        if weight:
            scope[target.id] = weight
    return scope


# --- the location hierarchy (SPEC 4) -------------------------------------------------------------------------------


class PlaceNode(Struct, frozen=True):
    """A place of the hierarchy with the weight of all that lies in it, and the places below, heaviest first."""

    place: Place
    weight: float
    below: tuple["PlaceNode", ...] = ()


def hierarchy(gazetteer: Gazetteer, scope: Scope) -> tuple[PlaceNode, ...]:
    """The places of a scope under their states and countries, heaviest first; continents are left out."""
    weights: dict[int, float] = defaultdict(float)
    children: dict[int, set[int]] = defaultdict(set)
    for place, weight in scope.items():
        path = [place, *(a.id for a in gazetteer.ancestors(place) if a.kind is not Kind.CONTINENT)]
        for below, above in zip(path, [*path[1:], 0], strict=True):
            weights[below] += weight
            children[above].add(below)

    def node(place: int) -> PlaceNode:
        return PlaceNode(gazetteer.place(place), weights[place], nodes(place))

    def nodes(above: int) -> tuple[PlaceNode, ...]:
        return tuple(node(place) for place in sorted(children.get(above, ()), key=lambda p: (-weights[p], p)))

    return nodes(0)
