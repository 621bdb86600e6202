"""The synthetic web with a clock: what it promises, at any moment."""

import math

import pytest

from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Outcome
from toponaut.synthetic import ChangeSettings, ChangingWeb, SyntheticSettings, SyntheticWeb
from toponaut.synthetic.changing import Sign, SiteLife, events
from toponaut.synthetic.sites import HostFault, SiteKind, SyntheticSite

DAY_S = 86_400.0
YEAR_S = 365 * DAY_S


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=9, contact_address=1.0))


@pytest.fixture(scope="module")
def shops(web: SyntheticWeb) -> list[SyntheticSite]:
    city = max(web.world.cities, key=lambda one: one.sites)
    sites = map(web.sites.site, range(city.first_site, city.first_site + 400))
    return [
        site
        for site in sites
        if site.kind is SiteKind.SHOP
        and site.twin == site.number
        and web.sites.fault(site)[0] is HostFault.NONE
    ]


def front(site: SyntheticSite) -> str:
    return f"http://{site.host}/"


def test_events_come_at_their_rate() -> None:
    """2,000 processes with one event in ten days: 30 days bring three each, within 5 %."""
    mean = sum(events(key, 1, 0.1, 30 * DAY_S) for key in range(2000)) / 2000
    assert mean == pytest.approx(3.0, rel=0.05)
    assert events(7, 1, 0.0, YEAR_S) == 0
    counts = [events(7, 1, 0.1, day * DAY_S) for day in range(100)]
    assert counts == sorted(counts)


def test_nothing_happens_at_rates_of_zero(web: SyntheticWeb, shops: list[SyntheticSite]) -> None:
    still = ChangingWeb(
        web, ChangeSettings(closing=0, moving=0, renaming=0, phone=0, hours=0, text=(), outages=0)
    )
    for shop in shops[:20]:
        assert still.closes_at(shop) == math.inf
        assert still.life(shop, 50 * YEAR_S) == SiteLife()


def test_shops_close_with_all_signs(web: SyntheticWeb, shops: list[SyntheticSite]) -> None:
    changing = ChangingWeb(web, ChangeSettings(closing=1 / 10, outages=0))
    seen = {}
    for shop in shops:
        life = changing.life(shop, YEAR_S)
        assert life.closed is not None
        seen[life.closed] = changing.page(front(shop), YEAR_S)
        before = changing.page(front(shop), changing.closes_at(shop) - 1)
        assert before.status == 200
    assert set(seen) == set(Sign)
    assert seen[Sign.GONE].status in (404, 410)
    assert seen[Sign.VANISHED].fault is Outcome.NO_HOST
    assert seen[Sign.REDIRECT].status == 301
    assert b"domain is for sale" in seen[Sign.PARKED].body
    assert seen[Sign.WORDS].status == 200


def test_shops_open(web: SyntheticWeb, shops: list[SyntheticSite]) -> None:
    changing = ChangingWeb(web, ChangeSettings(unopened=0.5, opening=1 / 30, closing=0, outages=0))
    late = [shop for shop in shops if changing.opens_at(shop)]
    assert 0.3 < len(late) / len(shops) < 0.7
    for shop in late[:10]:
        opens = changing.opens_at(shop)
        assert changing.page(front(shop), opens - 1).fault is Outcome.NO_HOST
        assert changing.page(front(shop), opens + 1).status == 200


def test_hours_change(web: SyntheticWeb, shops: list[SyntheticSite]) -> None:
    changing = ChangingWeb(web, ChangeSettings(hours=1 / 10, closing=0, outages=0, text=()))
    american = next(shop for shop in shops if shop.language == "en")

    def hours(day: float) -> bytes:
        body = changing.page(front(american), day * DAY_S).body
        return body.partition(b"<p>Hours: ")[2].partition(b"</p>")[0]

    assert hours(0.0).startswith(b"Mon-Fri ")
    assert len({hours(day) for day in range(0, 200, 5)}) > 1


def test_the_same_moment_gives_the_same_page(web: SyntheticWeb, shops: list[SyntheticSite]) -> None:
    first, second = (ChangingWeb(web, ChangeSettings(moving=1 / 20)) for _ in range(2))
    for shop in shops[:5]:
        assert first.page(front(shop), YEAR_S) == second.page(front(shop), YEAR_S)
