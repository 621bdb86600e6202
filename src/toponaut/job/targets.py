"""Targets: the places a job wants pages about, and how they are parted among nodes (SPEC 1)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import cycle

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.inside import TWICE_KM
from toponaut.records import Kind, Place

# Table 1 of Gao, Lee and Miao 2006: time zone, state, cities, as printed (it lists one city of Florida and none of
# Tennessee, puts Indiana and all of Texas into the Central zone, and so comes to 33 + 22 + 10 + 33 + 2 = 100).
US_TOP_100: tuple[tuple[str, str, str], ...] = (
    ("Central", "AL", "Birmingham, Montgomery, Mobile"),
    ("Alaska", "AK", "Anchorage"),
    ("Mountain", "AZ", "Phoenix, Tucson, Mesa, Glendale, Scottsdale"),
    ("Pacific", "CA", "Los Angeles, San Diego, San Jose, San Francisco, Long Beach, Fresno, Oakland, Santa Ana, Anaheim, "
     "Bakersfield, Stockton, Fremont, Glendale, Riverside, Modesto, Sacramento, Huntington Beach"),
    ("Mountain", "CO", "Denver, Colorado Springs, Aurora"),
    ("Eastern", "DC", "Washington"),
    ("Eastern", "FL", "Hialeah"),
    ("Eastern", "GA", "Atlanta, Augusta-Richmond County"),
    ("Hawaii", "HI", "Honolulu"),
    ("Mountain", "ID", "Boise"),
    ("Central", "IL", "Chicago"),
    ("Central", "IN", "Indianapolis, Fort Wayne"),
    ("Central", "IA", "Des Moines"),
    ("Central", "KS", "Wichita"),
    ("Eastern", "KY", "Lexington-Fayette, Louisville"),
    ("Central", "LA", "New Orleans, Baton Rouge, Shreveport"),
    ("Eastern", "MD", "Baltimore"),
    ("Eastern", "MA", "Boston"),
    ("Eastern", "MI", "Detroit, Grand Rapids"),
    ("Central", "MN", "Minneapolis, St. Paul"),
    ("Central", "MO", "Kansas City, St. Louis"),
    ("Central", "NE", "Omaha, Lincoln"),
    ("Pacific", "NV", "Las Vegas"),
    ("Eastern", "NJ", "Newark, Jersey City"),
    ("Mountain", "NM", "Albuquerque"),
    ("Eastern", "NY", "New York, Buffalo, Rochester, Yonkers"),
    ("Eastern", "NC", "Charlotte, Raleigh, Greensboro, Durham, Winston-Salem"),
    ("Eastern", "OH", "Columbus, Cleveland, Cincinnati, Toledo, Akron"),
    ("Central", "OK", "Oklahoma City, Tulsa"),
    ("Pacific", "OR", "Portland"),
    ("Eastern", "PA", "Philadelphia, Pittsburgh"),
    ("Central", "TX", "Houston, Dallas, San Antonio, Austin, El Paso, Fort Worth, Arlington, Corpus Christi, Plano, "
     "Garland, Lubbock, Irving"),
    ("Eastern", "VA", "Virginia Beach, Norfolk, Chesapeake, Richmond, Arlington"),
    ("Pacific", "WA", "Seattle, Spokane, Tacoma"),
    ("Central", "WI", "Milwaukee, Madison"),
)  # fmt: skip

# The zone of each state, as the paper parts them; states that its table lacks by where most of their people live.
ZONES = {state: zone for zone, state, _ in US_TOP_100} | dict.fromkeys(
    ("AK", "HI"), "Alaska and Hawaii"
)
ZONES |= dict.fromkeys("CT DE ME NH RI SC VT WV".split(), "Eastern")
ZONES |= dict.fromkeys("AR MS ND SD TN".split(), "Central") | dict.fromkeys(
    "MT UT WY".split(), "Mountain"
)

# A name is taken as meant if the next place of that name has less than this share of its people; Lisbon, Maine has
# 2 % of Lisbon's, Glendale, California 84 % of Glendale, Arizona's.
CLEAR_SHARE = 0.1


MAKE_THEIR_OWN = ("timezone", "written")  # partitions that decide on the number of nodes themselves
_GENERAL = re.compile(r"general\d+")  # how general nodes are called


class Territory(Struct, frozen=True):
    """The targets that one node answers for. A general node has none."""

    node: str
    targets: tuple[Place, ...]


# --- names -> places -----------------------------------------------------------------------------------------------


def job_targets(gazetteer: Gazetteer, job: Job) -> list[Place]:
    """The places that a job wants: those of its presets, then those it names, each once."""
    found: dict[int, Place] = {}
    for preset in job.targets.presets:
        if preset not in PRESETS:
            raise InputError(f'there is no preset "{preset}"', f"Presets are: {', '.join(PRESETS)}")
        found |= {place.id: place for place in PRESETS[preset](gazetteer)}
    for entry in (
        *job.targets.places,
        *(name for node in job.nodes.territories for name in node.targets),
    ):
        place = find_place(gazetteer, entry)
        found.setdefault(place.id, place)
    return list(found.values())


def territories(gazetteer: Gazetteer, job: Job) -> list[Territory]:
    """The geographic nodes of a job with the targets each answers for."""
    if not job.nodes.geographic and job.partition not in MAKE_THEIR_OWN:
        if job.nodes.general:
            return []
        raise InputError(
            "the job has no nodes", "Set nodes.geographic or nodes.general to 1 or more"
        )
    if job.partition != "written":
        return partition(job_targets(gazetteer, job), job.partition, job.nodes.geographic)
    written = [
        Territory(
            node.name or f"Cn{k}", tuple(find_place(gazetteer, name) for name in node.targets)
        )
        for k, node in enumerate(job.nodes.territories, 1)
    ]
    check_territories(written)
    return written


def us_top_100(gazetteer: Gazetteer) -> list[Place]:
    return [
        find_place(gazetteer, f"{city}, {state}, US")
        for _, state, cities in US_TOP_100
        for city in cities.split(", ")
    ]


PRESETS = {"us-top-100": us_top_100}


def look_up(gazetteer: Gazetteer, name: str | int) -> list[Place]:
    """All places that a name or id means, likeliest first; at least one, or an InputError."""
    if isinstance(name, int) or name.strip().isdigit():
        try:
            return [gazetteer.place(int(name))]
        except KeyError:
            raise InputError(
                f"no place has the id {name}", 'Find ids with: toponaut places "NAME"'
            ) from None
    places = gazetteer.lookup(name)
    if not places:
        near = [label(place) for place in gazetteer.similar(name.split(",")[0], 3)]
        raise InputError(
            f'no place is called "{name}"',
            f"Did you mean {' or '.join(near)}?"
            if near
            else 'Check the spelling, or try the name alone: toponaut places "NAME"',
        )
    return places


def find_place(gazetteer: Gazetteer, name: str | int) -> Place:
    """The one place that a name or id means. An unknown or unclear one is an InputError that says what to write."""
    best, *others = look_up(gazetteer, name)
    rivals = [
        place
        for place in others
        if place.population > CLEAR_SHARE * best.population and not _same(best, place)
    ]
    if rivals:
        choices = " or ".join(
            f'"{label(place)}" ({place.population:,})' for place in [best, *rivals][:3]
        )
        more = f" or one of {len(rivals) - 2} more" if len(rivals) > 2 else ""
        raise InputError(
            f'"{name}" is ambiguous: it may be {choices}{more}',
            "Write one of them out, or give its id",
        )
    return best


def _same(best: Place, other: Place) -> bool:
    """The state or county around a city that bears its name, or the same place listed twice (Lexington-Fayette)."""
    around = other.kind in (Kind.STATE, Kind.COUNTY) and other.path == best.path[: len(other.path)]
    return around or great_circle_km(best.lat, best.lon, other.lat, other.lon) < TWICE_KM


def label(place: Place) -> str:
    """A place as one would write it: "Glendale, AZ, US", "Oldenburg, Lower Saxony, DE"."""
    if place.kind in (Kind.COUNTRY, Kind.CONTINENT):
        return place.name
    if place.kind is Kind.STATE or len(place.path) < 3:
        return f"{place.name}, {place.country}"
    state = place.admin1 if place.country == "US" else place.path[1]
    return f"{place.name}, {state}, {place.country}"


# --- places -> territories -----------------------------------------------------------------------------------------


def partition(targets: Sequence[Place], scheme: str, nodes: int) -> list[Territory]:
    """Part targets among `nodes` geographic nodes (by time zone: one node per zone, whatever `nodes` says)."""
    if not targets:
        raise InputError("the job names no targets", 'Add some: targets = ["Oldenburg, DE"]')
    if scheme == "timezone":
        return _named(_by_timezone(targets))
    if nodes > len(targets):
        raise InputError(
            f"{nodes} nodes cannot share {len(targets)} targets",
            f"Ask for at most {len(targets)} geographic nodes",
        )
    schemes = {"even": _even, "population": _by_population, "nearest": _nearest}
    return _named(schemes[scheme](targets, nodes))


def check_territories(territories: Sequence[Territory]) -> None:
    """A territory written out by hand must have targets, and a target one territory."""
    owner: dict[int, str] = {}
    named = Counter(territory.node for territory in territories)
    for territory in territories:
        if named[territory.node] > 1 or _GENERAL.fullmatch(territory.node):
            raise InputError(
                f'another node is called "{territory.node}", too',
                "Give each territory a name of its own",
            )
        if not territory.targets:
            raise InputError(
                f'the territory of node "{territory.node}" has no targets',
                "Give it some, or leave it out",
            )
        for place in territory.targets:
            if place.id in owner:
                raise InputError(
                    f'{label(place)} is in the territories of "{owner[place.id]}" and "{territory.node}"',
                    "Take it out of one of them",
                )
            owner[place.id] = territory.node


def _named(groups: Iterable[Sequence[Place]]) -> list[Territory]:
    return [Territory(f"Cn{k}", tuple(group)) for k, group in enumerate(groups, 1)]


def _by_timezone(targets: Sequence[Place]) -> list[list[Place]]:
    groups: dict[str, list[Place]] = defaultdict(list)
    for place in targets:
        zone = ZONES.get(place.admin1, place.timezone) if place.country == "US" else place.timezone
        groups[zone].append(place)
    order = [
        "Eastern",
        "Pacific",
        "Mountain",
        "Central",
        "Alaska and Hawaii",
    ]  # as the paper numbers its nodes
    return [
        groups[zone] for zone in [*order, *sorted(groups.keys() - set(order))] if zone in groups
    ]


def _even(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """As many targets for each node, large and small ones mixed."""
    groups: list[list[Place]] = [[] for _ in range(nodes)]
    for group, place in zip(
        cycle(groups),
        sorted(targets, key=lambda place: (-place.population, place.id)),
        strict=False,
    ):
        group.append(place)
    return groups


def _by_population(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """As many people for each node: the largest place left goes to the node with the fewest people."""
    groups: list[list[Place]] = [[] for _ in range(nodes)]
    people = [0] * nodes
    for place in sorted(targets, key=lambda place: (-place.population, place.id)):
        fewest = min(range(nodes), key=lambda k: (people[k], len(groups[k]), k))
        groups[fewest].append(place)
        people[fewest] += place.population
    return groups


def _nearest(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """Compact areas: cut across the longer side again and again, so that each part gets its share of nodes."""
    if nodes == 1:
        return [list(targets)]
    south, north = min(targets, key=lambda p: p.lat), max(targets, key=lambda p: p.lat)
    west, east = min(targets, key=lambda p: p.lon), max(targets, key=lambda p: p.lon)
    height = great_circle_km(south.lat, 0, north.lat, 0)
    middle = (south.lat + north.lat) / 2
    width = great_circle_km(middle, west.lon, middle, east.lon)
    ordered = sorted(
        targets, key=lambda p: (p.lon, p.lat, p.id) if width > height else (p.lat, p.lon, p.id)
    )
    half = nodes // 2
    cut = min(max(round(len(ordered) * half / nodes), half), len(ordered) - (nodes - half))
    return _nearest(ordered[:cut], half) + _nearest(ordered[cut:], nodes - half)
