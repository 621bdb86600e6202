"""Targets: the places a job wants pages about, and how they are divided among nodes."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.job.faults import JobFault, Path
from toponaut.job.reading import faults_error
from toponaut.places.containment import SAME_PLACE_KM
from toponaut.places.gazetteer.gazetteer import CODE, Gazetteer, great_circle_km
from toponaut.records import Kind, Place

# Gao, Lee and Miao 2006, Table 1: time zone, state, cities. As printed: it has one city in Florida,
# none in Tennessee, and puts Indiana and all of Texas into the Central zone.
US_TOP_100: tuple[tuple[str, str, str], ...] = (
    ("Central", "AL", "Birmingham, Montgomery, Mobile"),
    ("Alaska", "AK", "Anchorage"),
    ("Mountain", "AZ", "Phoenix, Tucson, Mesa, Glendale, Scottsdale"),
    ("Pacific", "CA", "Los Angeles, San Diego, San Jose, San Francisco, Long Beach, Fresno, "
     "Oakland, Santa Ana, Anaheim, Bakersfield, Stockton, Fremont, Glendale, Riverside, Modesto, "
     "Sacramento, Huntington Beach"),
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
    ("Central", "TX", "Houston, Dallas, San Antonio, Austin, El Paso, Fort Worth, Arlington, "
     "Corpus Christi, Plano, Garland, Lubbock, Irving"),
    ("Eastern", "VA", "Virginia Beach, Norfolk, Chesapeake, Richmond, Arlington"),
    ("Pacific", "WA", "Seattle, Spokane, Tacoma"),
    ("Central", "WI", "Milwaukee, Madison"),
)  # fmt: skip

# The zone of each state as in the paper; states not in its table by where most people live.
ZONES = {state: zone for zone, state, _ in US_TOP_100}
ZONES |= dict.fromkeys(("AK", "HI"), "Alaska and Hawaii")
ZONES |= dict.fromkeys("CT DE ME NH RI SC VT WV".split(), "Eastern")
ZONES |= dict.fromkeys("AR MS ND SD TN".split(), "Central")
ZONES |= dict.fromkeys("MT UT WY".split(), "Mountain")

# A name is unambiguous if the next place of that name has less than this share of its population:
# Lisbon, Maine has 2 % of Lisbon's, Glendale, California 84 % of Glendale, Arizona's.
CLEAR_SHARE = 0.1

MAKE_THEIR_OWN = ("timezone", "written")  # partitions that determine the number of nodes
_GENERAL = re.compile(r"general\d+")  # names of general nodes


class Territory(Struct, frozen=True):
    """The targets of one node. A general node has none."""

    node: str
    targets: tuple[Place, ...]


# --- names -> places ------------------------------------------------------------------------------


def job_targets(gazetteer: Gazetteer, job: Job) -> list[Place]:
    """The targets of a job: those of its presets, then those it names, each once.

    An InputError lists all names that are unknown or ambiguous.
    """
    found: dict[int, Place] = {}
    wrong: dict[Path, InputError] = {}
    for path, name in _target_names(job):
        try:
            for place in _named_places(gazetteer, name, is_preset="presets" in path):
                found.setdefault(place.id, place)
        except InputError as error:
            wrong[path] = error
    if wrong:
        raise WrongTargetsError(wrong)
    return list(found.values())


def _target_names(job: Job) -> Iterator[tuple[Path, str | int]]:
    """The names of all targets and presets, with their paths in the job."""
    lists: dict[Path, Sequence[str | int]] = {
        ("targets", "presets"): job.targets.presets,
        ("targets", "places"): job.targets.places,
    }
    for number, node in enumerate(job.nodes.territories):
        lists["nodes", "territories", number, "targets"] = node.targets
    for number, region in enumerate(job.regions):
        lists["regions", number, "targets"] = region.targets
    return (((*path, k), name) for path, names in lists.items() for k, name in enumerate(names))


def _named_places(gazetteer: Gazetteer, name: str | int, is_preset: bool) -> list[Place]:
    if not is_preset:
        return [find_place(gazetteer, name)]
    if name not in PRESETS:
        raise InputError(f'there is no preset "{name}"', f"Presets are: {', '.join(PRESETS)}")
    return PRESETS[str(name)](gazetteer)


class WrongTargetsError(InputError):
    """Targets of a job that are unknown or ambiguous, by the paths of their names in the job."""

    def __init__(self, wrong: Mapping[Path, InputError]) -> None:
        self.wrong = wrong
        first, *others = wrong.values()
        if others:
            listed = [f"the job has {len(wrong)} wrong targets:", *map(str, wrong.values())]
            super().__init__("\n  ".join(listed))
        else:
            super().__init__(first.cause, first.fix)


def check_targets(gazetteer: Gazetteer, job: Job, text: str, name: str) -> None:
    """Raises an InputError that lists all wrong targets of a job file with their lines."""
    try:
        job_targets(gazetteer, job)
    except WrongTargetsError as error:
        faults = [
            JobFault(path, one.cause, one.fix[:1].lower() + one.fix[1:])
            for path, one in error.wrong.items()
        ]
        raise faults_error(faults, text, name) from None


def territories(gazetteer: Gazetteer, job: Job) -> list[Territory]:
    """The geographic nodes of a job with their targets."""
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
    """All places that a name or id may mean, most probable first; an InputError if none does."""
    if isinstance(name, int) or name.strip().isdigit():
        try:
            return [gazetteer.place(int(name))]
        except KeyError:
            raise InputError(
                f"no place has the id {name}", 'Find ids with: toponaut places "NAME"'
            ) from None
    places = gazetteer.lookup(name)
    if not places:
        meant = _coded(gazetteer, name) or gazetteer.similar(name.split(",")[0], 3)
        near = [label(place) for place in meant]
        raise InputError(
            f'no place is called "{name}"',
            f"Did you mean {' or '.join(near)}?"
            if near
            else 'Check the spelling, or try the name alone: toponaut places "NAME"',
        )
    return places


def _coded(gazetteer: Gazetteer, code: str) -> list[Place]:
    """The countries and states with a code: "DE" is Germany's and Delaware's."""
    index = gazetteer.names.lookup(code)
    if index < 0:
        return []
    rows, quality = gazetteer.names.postings(index)
    places = [gazetteer.place_at(row) for row in rows[quality == CODE].tolist()]
    return sorted(places, key=lambda place: -place.population)[:3]


def find_place(gazetteer: Gazetteer, name: str | int) -> Place:
    """The one place that a name or id means; an InputError if it is unknown or ambiguous."""
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
            f'Write one of them out, or give an id: toponaut places "{name}" lists them',
        )
    return best


def _same(best: Place, other: Place) -> bool:
    """Whether `other` is the state or county of the same name, or the same place listed twice."""
    around = other.kind in (Kind.STATE, Kind.COUNTY) and other.path == best.path[: len(other.path)]
    return around or great_circle_km(best.lat, best.lon, other.lat, other.lon) < SAME_PLACE_KM


def label(place: Place) -> str:
    """A place with its region: "Glendale, AZ, US", "Oldenburg, Lower Saxony, DE"."""
    if place.kind in (Kind.COUNTRY, Kind.CONTINENT):
        return place.name
    if place.kind is Kind.STATE or len(place.path) < 3:
        return f"{place.name}, {place.country}"
    state = place.admin1 if place.country == "US" else place.path[1]
    return f"{place.name}, {state}, {place.country}"


# --- places -> territories ------------------------------------------------------------------------


def partition(targets: Sequence[Place], scheme: str, nodes: int) -> list[Territory]:
    """Divide targets among `nodes` geographic nodes (by time zone: one node per zone)."""
    if not targets:
        raise InputError("the job has no targets", 'Add [targets] with places = ["Oldenburg, DE"]')
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
    """Check written territories: each has targets, and no target is in two."""
    owner: dict[int, str] = {}
    named = Counter(territory.node for territory in territories)
    for territory in territories:
        if named[territory.node] > 1 or _GENERAL.fullmatch(territory.node):
            raise InputError(
                f'the name of node "{territory.node}" is already taken',
                "Give each territory a unique name, and none like general1",
            )
        if not territory.targets:
            raise InputError(
                f'the territory of node "{territory.node}" has no targets',
                "Add targets, or remove the territory",
            )
        for place in territory.targets:
            if place.id in owner:
                nodes = f'"{owner[place.id]}" and "{territory.node}"'
                raise InputError(
                    f"{label(place)} is in the territories of {nodes}", "Remove it from one of them"
                )
            owner[place.id] = territory.node


def _named(groups: Iterable[Sequence[Place]]) -> list[Territory]:
    return [Territory(f"Cn{k}", tuple(group)) for k, group in enumerate(groups, 1)]


def _by_timezone(targets: Sequence[Place]) -> list[list[Place]]:
    groups: dict[str, list[Place]] = defaultdict(list)
    for place in targets:
        zone = ZONES.get(place.admin1, place.timezone) if place.country == "US" else place.timezone
        groups[zone].append(place)
    # The order in which the paper numbers its nodes.
    order = ["Eastern", "Pacific", "Mountain", "Central", "Alaska and Hawaii"]
    return [
        groups[zone] for zone in [*order, *sorted(groups.keys() - set(order))] if zone in groups
    ]


def _even(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """The same number of targets for each node, large and small ones mixed."""
    groups: list[list[Place]] = [[] for _ in range(nodes)]
    ranked = sorted(targets, key=lambda place: (-place.population, place.id))
    for group, place in zip(cycle(groups), ranked, strict=False):
        group.append(place)
    return groups


def _by_population(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """Equal population: the largest place left goes to the node with the fewest people."""
    groups: list[list[Place]] = [[] for _ in range(nodes)]
    people = [0] * nodes
    for place in sorted(targets, key=lambda place: (-place.population, place.id)):
        fewest = min(range(nodes), key=lambda k: (people[k], len(groups[k]), k))
        groups[fewest].append(place)
        people[fewest] += place.population
    return groups


def _nearest(targets: Sequence[Place], nodes: int) -> list[list[Place]]:
    """Compact areas: cut across the longer side recursively, in proportion to the nodes."""
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
