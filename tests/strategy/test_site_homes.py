"""Homes of sites are learned from the log, and never from themselves."""

from msgspec.structs import replace

from toponaut.places.names.finder import NameFinder
from toponaut.records import JudgedPage, Outcome, Page, Visit
from toponaut.strategy.site_homes import LEAST_SURE, SiteHomes

LEXINGTON, PARIS, HAMBURG = 4297983, 2988507, 2911298
SITE = "https://news.example/"


def _visit(url: str, *scope: tuple[int, float]) -> Visit:
    return Visit(0, "n", url, 200, Outcome.FETCHED, own_scope=scope)


def _judged(*scope: tuple[int, float]) -> JudgedPage:
    return JudgedPage(Page(SITE), scope=scope)


def test_a_site_of_one_town(finder: NameFinder) -> None:
    homes = SiteHomes(finder)
    first = homes.with_home(SITE, _judged((LEXINGTON, 1.0)))
    assert (first.scope, first.home) == (((LEXINGTON, 1.0),), 0)
    for k in range(10):
        homes.learn(_visit(f"{SITE}{k}", (LEXINGTON, 0.8), (HAMBURG, 0.2)))
    assert homes.home(f"{SITE}x")[0] == LEXINGTON
    page = homes.with_home(SITE, _judged((HAMBURG, 0.6), (LEXINGTON, 0.4)))
    assert page.home == LEXINGTON
    assert page.scope[0][0] == LEXINGTON
    assert page.own_scope == ((HAMBURG, 0.6), (LEXINGTON, 0.4))
    assert homes.with_home(SITE, _judged()).scope[0][0] == LEXINGTON
    assert homes.with_home("https://other.example/", _judged()).scope == ()


def test_what_a_home_added_is_not_learned(finder: NameFinder) -> None:
    homes = SiteHomes(finder)
    for k in range(10):
        homes.learn(_visit(f"{SITE}{k}", (LEXINGTON, 1.0)))
    before = homes.dump()
    homes.learn(replace(_visit(f"{SITE}empty"), scope=((LEXINGTON, 0.5),)))
    assert homes.dump() == before


def test_a_directory_has_no_home(finder: NameFinder) -> None:
    homes = SiteHomes(finder)
    for place in (LEXINGTON, PARIS, HAMBURG) * 4:
        homes.learn(_visit(f"{SITE}{place}", (place, 1.0)))
    assert homes.home(SITE)[1] < LEAST_SURE
    assert homes.with_home(SITE, _judged((PARIS, 1.0))).scope == ((PARIS, 1.0),)


def test_a_contact_page_counts_more_and_a_host_may_name_its_town(finder: NameFinder) -> None:
    homes = SiteHomes(finder)
    for page, place in (("a", HAMBURG), ("b", PARIS), ("impressum", HAMBURG)):
        homes.learn(_visit(SITE + page, (place, 1.0)))
    assert homes.home(SITE)[0] == HAMBURG
    homes.learn(_visit("https://www.visit-hamburg.example/menu"))
    assert homes.home("https://www.visit-hamburg.example/")[0] == HAMBURG


def test_a_saved_state_goes_on_as_before(finder: NameFinder) -> None:
    whole, first = SiteHomes(finder), SiteHomes(finder)
    visits = [_visit(f"{SITE}{k}", (LEXINGTON if k % 3 else PARIS, 1.0)) for k in range(30)]
    for visit in visits:
        whole.learn(visit)
    for visit in visits[:17]:
        first.learn(visit)
    second = SiteHomes(finder)
    second.load(first.dump())
    for visit in visits[17:]:
        second.learn(visit)
    assert second.dump() == whole.dump()
