"""The location hierarchy of a page (Kozanidis, Stamou and Spyros 2009, section 3.2)."""

from toponaut.index.hierarchy import LocationNode, hierarchy
from toponaut.job.targets import find_place
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.toponyms import Toponyms
from toponaut.records import Address, Kind, Outcome, Visit


def page(gazetteer: Gazetteer, scope: dict[str, float], addresses: tuple[str, ...] = ()) -> Visit:
    def place(name: str) -> int:
        return find_place(gazetteer, name).id

    return Visit(
        0,
        "n",
        "http://a.test/",
        200,
        Outcome.FETCHED,
        scope=tuple((place(name), weight) for name, weight in scope.items()),
        addresses=tuple(Address("", -1, -1, place=place(name)) for name in addresses),
    )


def shown(nodes: tuple[LocationNode, ...], depth: int = 0) -> list[str]:
    lines = []
    for node in nodes:
        lines.append(f"{'  ' * depth}{node.name} {node.share:g} {node.addresses}")
        lines += shown(node.inside, depth + 1)
    return lines


def test_towns_below_their_areas(gazetteer: Gazetteer) -> None:
    """Two towns of Lower Saxony and one of Bavaria, one of them with two addresses."""
    visit = page(
        gazetteer,
        {"Oldenburg, Lower Saxony, DE": 2.0, "Hannover, DE": 1.0, "Munich, DE": 1.0},
        ("Oldenburg, Lower Saxony, DE", "Oldenburg, Lower Saxony, DE"),
    )
    found = hierarchy(visit, gazetteer)
    assert shown(found) == [
        "Germany 1 2",
        "  Lower Saxony 0.75 2",
        "    Oldenburg 0.5 2",
        "    Hannover 0.25 0",
        "  Munich 0.25 0",
    ]
    oldenburg = found[0].inside[0].inside[0]
    assert (round(oldenburg.lat, 1), round(oldenburg.lon, 1)) == (53.1, 8.2)


def test_places_of_several_countries(gazetteer: Gazetteer) -> None:
    visit = page(gazetteer, {"Lisbon, PT": 1.0, "Munich, DE": 3.0, "Bavaria, DE": 4.0})
    assert shown(hierarchy(visit, gazetteer)) == [
        "Germany 0.875 0",
        "  Bavaria 0.875 0",
        "    Munich 0.375 0",
        "Portugal 0.125 0",
        "  Lisbon 0.125 0",
    ]


def test_faint_and_unknown_places_are_left_out(gazetteer: Gazetteer) -> None:
    visit = page(gazetteer, {"Munich, DE": 99.0, "Lisbon, PT": 1.0})
    assert [root.name for root in hierarchy(visit, gazetteer)] == ["Germany"]
    unknown = Visit(0, "n", "http://a.test/", 200, Outcome.FETCHED, scope=((10**12, 1.0),))
    assert hierarchy(unknown, gazetteer) == ()
    assert hierarchy(Visit(0, "n", "http://a.test/", 200, Outcome.FETCHED), gazetteer) == ()


def test_landmarks_are_below_the_areas_they_are_part_of(
    gazetteer: Gazetteer, wordnet: Gazetteer
) -> None:
    """The Thames is in no area of the page, and the Gulf of Mexico has no coordinates."""
    text = "From Cape Cod to Yellowstone National Park, unlike the Thames and the Gulf of Mexico"
    landmarks = Toponyms(wordnet, gazetteer).named(f"{text}. Again: Cape Cod.")
    visit = page(gazetteer, {"Boston, MA": 3.0, "Springfield, MA": 1.0, "Denver, CO": 1.0})
    found = hierarchy(visit, gazetteer, landmarks)
    assert shown(found) == [
        "United States 1 0",
        "  Massachusetts 0.8 0",
        "    Boston 0.6 0",
        "    Springfield 0.2 0",
        "    Cape Cod 0 0",
        "  Denver 0.2 0",
        "  Yellowstone National Park 0 0",
    ]
    cape = found[0].inside[0].inside[2]
    assert (cape.kind, round(cape.lat), round(cape.lon)) == (Kind.LANDMARK, 42, -72)
