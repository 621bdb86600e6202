"""Targets: names made clear, the paper's hundred cities, and how they are parted."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.errors import InputError
from toponaut.job import Job, TargetsSection, load
from toponaut.job.targets import (
    US_TOP_100,
    Territory,
    check_targets,
    check_territories,
    find_place,
    job_targets,
    partition,
    territories,
    us_top_100,
)
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Place

SEEDS = 'seeds = ["https://example.org/"]\n'


def test_the_papers_hundred_cities(gazetteer: Gazetteer) -> None:
    places = us_top_100(gazetteer)
    assert len({place.id for place in places}) == 100
    wanted = [(city, state) for _, state, cities in US_TOP_100 for city in cities.split(", ")]
    for place, (city, state) in zip(places, wanted, strict=True):
        assert (place.country, place.admin1) == ("US", state)
        # The paper has "St. Paul" and "Lexington-Fayette", GeoNames "Saint Paul" and "Lexington".
        assert city.split("-")[0].split(". ")[-1] in place.name
        assert place.population > 40_000  # Augusta without its county has 43,459
    by_name = {(place.name, place.admin1): place.id for place in places}
    assert by_name["Glendale", "AZ"] == 5295985
    assert by_name["Kansas City", "MO"] == 4393217
    assert by_name["Washington", "DC"] == 4140963
    assert by_name["Arlington", "VA"] != by_name["Arlington", "TX"]


def test_the_papers_partition(gazetteer: Gazetteer) -> None:
    """Cn1 Eastern 33, Cn2 Pacific 22, Cn3 Mountain 10, Cn4 Central 33, Cn5 Alaska and Hawaii 2."""
    parts = partition(us_top_100(gazetteer), "timezone", 5)
    assert [(part.node, len(part.targets)) for part in parts] == [
        ("Cn1", 33),
        ("Cn2", 22),
        ("Cn3", 10),
        ("Cn4", 33),
        ("Cn5", 2),
    ]
    assert {place.name for place in parts[4].targets} == {"Anchorage", "Honolulu"}


@pytest.mark.parametrize("scheme", ["even", "population", "nearest"])
@given(count=st.integers(1, 100), nodes=st.integers(1, 12))
def test_a_partition_loses_and_doubles_nothing(
    gazetteer: Gazetteer, scheme: str, count: int, nodes: int
) -> None:
    targets = us_top_100(gazetteer)[:count]
    if nodes > count:
        with pytest.raises(InputError, match="cannot share"):
            partition(targets, scheme, nodes)
        return
    parts = partition(targets, scheme, nodes)
    assert len(parts) == nodes
    assert all(part.targets for part in parts)
    assert Counter(place.id for part in parts for place in part.targets) == Counter(
        place.id for place in targets
    )
    check_territories(parts)


def test_partitions_do_what_they_say(gazetteer: Gazetteer) -> None:
    targets = us_top_100(gazetteer)
    assert {len(part.targets) for part in partition(targets, "even", 5)} == {20}
    people = [
        sum(place.population for place in part.targets)
        for part in partition(targets, "population", 5)
    ]
    assert max(people) < 1.05 * min(people)

    def spread(parts: list[Territory]) -> float:
        return sum(
            max(p.lon for p in part.targets) - min(p.lon for p in part.targets) for part in parts
        )

    assert spread(partition(targets, "nearest", 5)) < spread(partition(targets, "even", 5)) / 2


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        (
            "Glendale",
            '"Glendale" is ambiguous: it may be "Glendale, AZ, US" (240,126) or '
            '"Glendale, CA, US" (201,020)',
        ),
        ("Oldenbrug", 'no place is called "Oldenbrug". Did you mean Oldenburg'),
        ("DE", 'no place is called "DE". Did you mean Germany or Delaware, US?'),
        ("Oldenburg, Texas", 'no place is called "Oldenburg, Texas"'),
        ("7", "no place has the id 7"),
    ],
)
def test_unclear_names_are_refused_with_a_cure(gazetteer: Gazetteer, name: str, cause: str) -> None:
    with pytest.raises(InputError) as error:
        find_place(gazetteer, name)
    assert cause in str(error.value)
    assert error.value.fix
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "first"),
    [("Lisbon", 2267057), ("Oldenburg, DE", 2857458), (5368361, 5368361), ("New York", 5128581)],
)
def test_clear_names_need_no_more(gazetteer: Gazetteer, name: str | int, first: int) -> None:
    assert find_place(gazetteer, name).id == first


def test_the_targets_of_a_job(gazetteer: Gazetteer) -> None:
    job = load(
        SEEDS
        + 'partition = "timezone"\n[targets]\n'
        + 'presets = ["us-top-100"]\nplaces = ["Oldenburg, DE", 5368361]\n'
    )
    places = job_targets(gazetteer, job)
    assert len(places) == 101  # Los Angeles is in the preset already
    assert [part.node for part in territories(gazetteer, job)] == [
        "Cn1",
        "Cn2",
        "Cn3",
        "Cn4",
        "Cn5",
        "Cn6",
    ]


def test_territories_written_out(gazetteer: Gazetteer) -> None:
    text = (
        SEEDS
        + 'partition = "written"\n[[nodes.territories]]\nname = "north"\n'
        + 'targets = ["Oldenburg, DE", "Bremen"]\n'
    )
    assert [
        [place.name for place in part.targets] for part in territories(gazetteer, load(text))
    ] == [["Oldenburg", "Bremen"]]
    twice = (
        text + '[[nodes.territories]]\nname = "south"\ntargets = ["Bremen, Germany", "Munich"]\n'
    )
    with pytest.raises(InputError, match=r'Bremen.* is in the territories of "north" and "south"'):
        territories(gazetteer, load(twice))


def test_a_territory_without_targets(gazetteer: Gazetteer) -> None:
    place: Place = gazetteer.place(2857458)
    with pytest.raises(InputError, match='the territory of node "x" has no targets'):
        check_territories([Territory("y", (place,)), Territory("x", ())])


def test_an_unknown_preset(gazetteer: Gazetteer) -> None:
    with pytest.raises(InputError, match=r'no preset "us-top-7". Presets are: us-top-100'):
        job_targets(gazetteer, load(SEEDS + '[targets]\npresets = ["us-top-7"]\n'))


def test_all_wrong_targets_are_reported_at_once(gazetteer: Gazetteer) -> None:
    job = Job(targets=TargetsSection(places=("Oldenbrug", "Bremen, DE", "Glendale")))
    with pytest.raises(InputError) as raised:
        job_targets(gazetteer, job)
    first, unknown, ambiguous = str(raised.value).split("\n  ")
    assert first == "the job has 2 wrong targets:"
    assert unknown.startswith('no place is called "Oldenbrug". Did you mean')
    assert ambiguous.startswith('"Glendale" is ambiguous')


def test_wrong_targets_are_reported_with_their_lines(gazetteer: Gazetteer) -> None:
    text = SEEDS + (
        'partition = "written"\n'
        "[targets]\n"
        "places = [\n"
        '  "Bremen, DE",\n'
        '  "Oldenbrug",\n'
        "]\n"
        'presets = ["us-top-7"]\n'
        "[[nodes.territories]]\n"
        'targets = ["Hamburg", "Glendale"]\n'
    )
    start = text.splitlines().index("[targets]") + 1
    with pytest.raises(InputError) as raised:
        check_targets(gazetteer, load(text), text, "my.toml")
    first, unknown, preset, ambiguous = str(raised.value).split("\n  ")
    assert first == "my.toml has 3 errors:"
    assert unknown.startswith(f'my.toml:{start + 3}: no place is called "Oldenbrug": did you mean')
    assert preset == f'my.toml:{start + 5}: there is no preset "us-top-7": presets are: us-top-100.'
    assert ambiguous.startswith(f'my.toml:{start + 7}: "Glendale" is ambiguous')
    assert 'or give an id: toponaut places "Glendale" lists them' in ambiguous


def test_one_wrong_target_is_reported_with_its_line(gazetteer: Gazetteer) -> None:
    text = SEEDS + '[targets]\nplaces = ["Oldenbrug"]\n'
    with pytest.raises(InputError, match=r'^job\.toml:3: no place is called "Oldenbrug"'):
        check_targets(gazetteer, load(text), text, "job.toml")
