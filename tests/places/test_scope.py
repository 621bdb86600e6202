"""Scopes: the content formula worked by hand, and Toponaut's own weights."""

import pytest
from tests.support.content import content_scope

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.scope import ContentCounts, count_names, page_scope
from toponaut.records import Address, Mention


def test_pairs_and_single_names_are_counted(finder: NameFinder) -> None:
    text = (
        "ALBANY, Ga. — A man from Albany drove to Portland, Oregon. "
        "Georgia is far from Oregon, he said in Albany."
    )
    gazetteer = finder.gazetteer
    counts = count_names(gazetteer, text, finder.find(text))
    albany, portland = gazetteer.lookup("Albany, GA")[0].id, gazetteer.lookup("Portland, OR")[0].id
    georgia, oregon = gazetteer.lookup("Georgia, US")[0].id, gazetteer.lookup("Oregon")[0].id
    assert counts.pairs == {albany: 1, portland: 1}
    assert counts.cities == {"Albany": 2}
    assert counts.states == {georgia: 1, oregon: 1}


def test_the_content_formula_by_hand(gazetteer: Gazetteer) -> None:
    """Formula 3 with the gazetteer's own populations.

    "Kansas City" alone three times, once with Kansas; the page names Kansas three times and
    Missouri once: pr(KS) = 0.7 * 1 + 0.3 * (0.5 * S_ks + 0.5 * 3/4) * 3, pr(MO) = 0.3 * (0.5 * S_mo
    + 0.5 * 1/4) * 3.
    """
    in_kansas, in_missouri = (
        gazetteer.lookup("Kansas City, KS")[0],
        gazetteer.lookup("Kansas City, MO")[0],
    )
    kansas, missouri = gazetteer.lookup("Kansas")[0].id, gazetteer.lookup("Missouri")[0].id
    people = sum(place.population for place in gazetteer.lookup("Kansas City"))
    counts = ContentCounts({in_kansas.id: 1}, {"Kansas City": 3}, {kansas: 3, missouri: 1})
    scope = content_scope(gazetteer, counts, [in_kansas, in_missouri])
    assert scope[in_kansas.id] == pytest.approx(
        0.7 + 0.9 * (0.5 * in_kansas.population / people + 0.375)
    )
    assert scope[in_missouri.id] == pytest.approx(
        0.9 * (0.5 * in_missouri.population / people + 0.125)
    )
    assert (
        scope[in_kansas.id] > scope[in_missouri.id]
    )  # the smaller city, because the page mentions Kansas


def test_without_states_the_larger_city_wins(gazetteer: Gazetteer) -> None:
    in_kansas, in_missouri = (
        gazetteer.lookup("Kansas City, KS")[0],
        gazetteer.lookup("Kansas City, MO")[0],
    )
    scope = content_scope(
        gazetteer, ContentCounts({}, {"Kansas City": 1}, {}), [in_kansas, in_missouri]
    )
    assert scope[in_missouri.id] > scope[in_kansas.id] > 0


def test_a_page_without_targets_has_no_scope(gazetteer: Gazetteer) -> None:
    assert (
        content_scope(
            gazetteer, ContentCounts({}, {"Lisbon": 5}, {}), [gazetteer.lookup("Oldenburg, DE")[0]]
        )
        == {}
    )
    assert page_scope(gazetteer, [], []) == {}


def test_addresses_weigh_more_than_mentions(gazetteer: Gazetteer) -> None:
    oldenburg, bremen = gazetteer.lookup("Oldenburg, DE")[0].id, gazetteer.lookup("Bremen")[0].id
    address = Address("Escherweg 2, 26121 Oldenburg", 0, 28, place=oldenburg, confidence=1.0)
    mentions = [Mention("Bremen", 30, 36, bremen, (bremen,), 1.0)] * 2
    scope = page_scope(gazetteer, [address], mentions)
    assert scope == {oldenburg: pytest.approx(0.6), bremen: pytest.approx(0.4)}
    assert next(iter(scope)) == oldenburg


def test_a_town_beats_its_own_state(gazetteer: Gazetteer) -> None:
    """Worked by hand: 1 Lexington, 1 Berea, 6 Kentucky, 2 United States, 2 Bremen.

    The country gives 1.6 to Lexington, Berea and Kentucky as 1 : 1 : 6, that is 0.2, 0.2 and 1.2.
    Kentucky then has 7.2 and gives 5.76 to the towns, half each.
    """
    weights = {"Lexington, KY": 1, "Berea, KY": 1, "Kentucky": 6, "United States": 2, "Bremen": 2}
    places = {name: gazetteer.lookup(name)[0].id for name in weights}
    mentions = [
        Mention(name, 0, 1, places[name], (), 1.0)
        for name, many in weights.items()
        for _ in range(many)
    ]
    scope = page_scope(gazetteer, [], mentions)
    expected = {
        "Lexington, KY": 4.08, "Berea, KY": 4.08, "Bremen": 2, "Kentucky": 1.44,
        "United States": 0.4,
    }  # fmt: skip
    assert list(scope) == [places[name] for name in expected]
    assert scope == {places[name]: pytest.approx(weight / 12) for name, weight in expected.items()}


def test_areas_without_named_places_keep_their_weight(gazetteer: Gazetteer) -> None:
    states = [gazetteer.lookup(name)[0].id for name in ("Ohio", "Kentucky", "Bavaria, DE")]
    scope = page_scope(gazetteer, [], [Mention("x", 0, 1, state, (), 1.0) for state in states])
    assert scope == {state: pytest.approx(1 / 3) for state in states}
