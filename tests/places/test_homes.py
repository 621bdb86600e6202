"""The home of a site, and a page's scope with it; examples worked by hand."""

import pytest

from toponaut.places.gazetteer.gazetteer import Gazetteer
from toponaut.places.homes import FEW_PAGES, scope_with_home, site_home
from toponaut.places.scope import page_scope
from toponaut.records import Kind, Mention

LEXINGTON, KENTUCKY, LOUISVILLE, GEORGETOWN = 4297983, 6254925, 4299276, 4292686


def test_a_site_without_a_rival_is_sure_of_its_home(gazetteer: Gazetteer) -> None:
    home, surety = site_home(gazetteer, {LEXINGTON: 8.0}, 8.0)
    assert home == LEXINGTON
    assert surety == pytest.approx(8 / (8 + FEW_PAGES))


def test_a_rival_makes_it_unsure_and_a_neighbour_does_not(gazetteer: Gazetteer) -> None:
    home, surety = site_home(gazetteer, {LEXINGTON: 4.0, LOUISVILLE: 2.0}, 6.0)
    assert home == LEXINGTON
    assert surety == pytest.approx((1 - 2 / 4) ** 3 * 6 / 8)
    assert site_home(gazetteer, {LEXINGTON: 4.0, GEORGETOWN: 2.0}, 6.0)[1] == pytest.approx(6 / 8)


def test_a_town_is_the_home_before_its_state(gazetteer: Gazetteer) -> None:
    assert site_home(gazetteer, {KENTUCKY: 5.0, LEXINGTON: 2.0}, 7.0)[0] == LEXINGTON


def test_a_country_is_not_a_home(gazetteer: Gazetteer) -> None:
    assert site_home(gazetteer, {6252001: 5.0}, 5.0) == (0, 0.0)


def test_the_home_is_a_prior() -> None:
    # Own weights 0.7 and 0.3, surety 0.5: (0.3 + 0.5) / 1.5 and 0.7 / 1.5.
    scope = scope_with_home([(LOUISVILLE, 0.7), (LEXINGTON, 0.3)], LEXINGTON, 0.5, [KENTUCKY])
    assert dict(scope) == pytest.approx({LEXINGTON: 0.8 / 1.5, LOUISVILLE: 0.7 / 1.5})
    assert scope[0][0] == LEXINGTON


def test_the_state_gives_to_the_home() -> None:
    scope = scope_with_home([(KENTUCKY, 1.0)], LEXINGTON, 0.5, [KENTUCKY])
    assert dict(scope) == pytest.approx({LEXINGTON: 1.3 / 1.5, KENTUCKY: 0.2 / 1.5})


def test_a_page_without_places_is_less_about_the_home() -> None:
    scope = scope_with_home((), LEXINGTON, 0.5, [])
    assert dict(scope) == pytest.approx({LEXINGTON: 0.5 / 1.5})


def test_a_list_of_states_is_about_none_of_them(gazetteer: Gazetteer) -> None:
    country = gazetteer.row(6252001)
    states = [
        int(gazetteer.ids[row])
        for rows in gazetteer.rows_below(country)
        for row in rows.tolist()
        if gazetteer.place_at(row).kind is Kind.STATE
    ]
    listed = [Mention("", 0, 0, place, (place,), 0.9) for place in states]
    scope = page_scope(gazetteer, (), [*listed, listed[states.index(KENTUCKY)]] * 2)
    assert next(iter(scope)) == 6252001
    often = [listed[states.index(KENTUCKY)]] * 100
    assert next(iter(page_scope(gazetteer, (), [*listed, *often]))) == KENTUCKY
