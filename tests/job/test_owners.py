"""Which node answers for what: territories over the gazetteer, and the two policies."""

import pytest

from toponaut.errors import InputError
from toponaut.job import Job, NodesSection, TargetsSection, TerritorySection
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, find_place, partition, territories, us_top_100
from toponaut.places.gazetteer import Gazetteer
from toponaut.urls import fingerprint


def place(gazetteer: Gazetteer, name: str) -> int:
    return find_place(gazetteer, name).id


@pytest.fixture(scope="module")
def zones(gazetteer: Gazetteer) -> OwnerTable:
    return OwnerTable(gazetteer, partition(us_top_100(gazetteer), "timezone", 0), ["general1"])


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("Boston, MA", "Cn1"),
        ("Seattle, WA", "Cn2"),
        ("Denver, CO", "Cn3"),
        ("Houston, TX", "Cn4"),
        ("Honolulu, HI", "Cn5"),
    ],
)
def test_the_papers_nodes(gazetteer: Gazetteer, zones: OwnerTable, name: str, node: str) -> None:
    """Gao, Lee and Miao 2006, section 4: Eastern, Pacific, Mountain, Central, Alaska and Hawaii."""
    assert zones.node(place(gazetteer, name)) == node


def test_places_in_a_target_belong_to_its_node(gazetteer: Gazetteer, zones: OwnerTable) -> None:
    hollywood = next(p for p in gazetteer.lookup("Hollywood") if p.admin1 == "CA")
    assert zones.node(hollywood.id) == "Cn2"
    assert zones.target(hollywood.id) == place(gazetteer, "Los Angeles, CA")


def test_places_around_a_target_belong_to_no_node(gazetteer: Gazetteer, zones: OwnerTable) -> None:
    assert zones.node(place(gazetteer, "Texas")) == ""
    assert zones.target(place(gazetteer, "Lisbon, PT")) == 0


def test_kansas_city_is_two_cities(gazetteer: Gazetteer, zones: OwnerTable) -> None:
    """They are neighbours; the paper's is the one in Missouri."""
    assert zones.node(place(gazetteer, "Kansas City, MO")) == "Cn4"
    assert zones.node(place(gazetteer, "Kansas City, KS")) == ""


def test_the_nearest_target_around_counts(gazetteer: Gazetteer) -> None:
    texas, houston = find_place(gazetteer, "Texas"), find_place(gazetteer, "Houston, TX")
    for territories_ in ([("t", texas), ("h", houston)], [("h", houston), ("t", texas)]):
        owners = OwnerTable(
            gazetteer, [Territory(node, (target,)) for node, target in territories_], []
        )
        assert owners.node(houston.id) == "h"
        assert owners.node(place(gazetteer, "Dallas, TX")) == "t"


def test_policy_a_takes_the_likeliest_and_policy_b_all(gazetteer: Gazetteer) -> None:
    """Section 3.2. Two places of Cn1 do not outweigh one of Cn2: each place counts alone."""
    boston, newark, seattle = (
        place(gazetteer, name) for name in ("Boston, MA", "Newark, NJ", "Seattle, WA")
    )
    weights = [(boston, 0.3), (seattle, 0.4), (newark, 0.3), (place(gazetteer, "Lisbon, PT"), 5.0)]
    parts = partition(us_top_100(gazetteer), "timezone", 0)
    assert OwnerTable(gazetteer, parts, ["g"], "A").choose(weights, "http://a.test/") == (
        ("Cn2",),
        seattle,
    )
    assert OwnerTable(gazetteer, parts, ["g"], "B").choose(weights, "http://a.test/") == (
        ("Cn2", "Cn1"),
        seattle,
    )


def test_of_equal_targets_the_most_populous_counts(gazetteer: Gazetteer, zones: OwnerTable) -> None:
    boston, seattle = (
        place(gazetteer, "Boston, MA"),
        place(gazetteer, "Seattle, WA"),
    )  # 654,000 and 737,000
    assert zones.choose([(boston, 1.0), (seattle, 1.0)], "http://a.test/").target == seattle


def test_unclaimed_links_go_to_general_nodes_by_hash(gazetteer: Gazetteer) -> None:
    parts = partition(us_top_100(gazetteer), "timezone", 0)
    owners = OwnerTable(gazetteer, parts, ["general1", "general2"])
    for number in range(20):
        url = f"http://a.test/{number}"
        assert owners.choose([], url) == ((f"general{fingerprint(url) % 2 + 1}",), 0)
    alone = OwnerTable(gazetteer, parts, [])
    assert {alone.choose([], f"http://a.test/{number}").owners[0] for number in range(99)} == set(
        alone.geographic
    )


def test_a_place_without_weight_is_none(gazetteer: Gazetteer, zones: OwnerTable) -> None:
    assert zones.choose([(place(gazetteer, "Boston, MA"), 0.0)], "http://a.test/") == (
        ("general1",),
        0,
    )


def written(*nodes: tuple[str, tuple[str, ...]]) -> Job:
    return Job(
        partition="written",
        nodes=NodesSection(
            territories=tuple(TerritorySection(name=name, targets=t) for name, t in nodes)
        ),
    )


@pytest.mark.parametrize(
    ("wanted", "cause"),
    [
        (written(("north", ())), 'the territory of node "north" has no targets'),
        (
            written(("a", ("Boston, MA",)), ("b", ("Boston, MA",))),
            'Boston, MA, US is in the territories of "a" and "b"',
        ),
        (
            written(("a", ("Boston, MA",)), ("a", ("Seattle, WA",))),
            'the name of node "a" is already taken',
        ),
        (written(("general1", ("Boston, MA",))), 'the name of node "general1" is already taken'),
        (
            Job(targets=TargetsSection(places=("Boston, MA",)), nodes=NodesSection(geographic=0)),
            "the job has no nodes",
        ),
    ],
)
def test_territories_that_cannot_be(gazetteer: Gazetteer, wanted: Job, cause: str) -> None:
    with pytest.raises(InputError) as raised:
        territories(gazetteer, wanted)
    assert cause in str(raised.value)


def test_a_crawl_may_have_general_nodes_only(gazetteer: Gazetteer) -> None:
    wanted = Job(
        targets=TargetsSection(places=("Boston, MA",)), nodes=NodesSection(geographic=0, general=2)
    )
    assert territories(gazetteer, wanted) == []
