"""Cities in passing, servers, lists and footers of the synthetic web."""

from collections import Counter, defaultdict

import pytest

from toponaut.job.targets import us_top_100
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.synthetic import SyntheticWeb
from toponaut.synthetic.paths import PageSpot, Role
from toponaut.synthetic.sites import SiteKind, SyntheticSite

SITES = 1500
HOUSTON = 4699066


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb(open_gazetteer())


@pytest.fixture(scope="module")
def general(web: SyntheticWeb) -> list[SyntheticSite]:
    first = web.world.local_sites
    return [web.sites.site(first + 7 * k) for k in range(SITES)]


def test_the_topic_decides_how_often_cities_are_mentioned(
    web: SyntheticWeb, general: list[SyntheticSite]
) -> None:
    naming, pages = Counter[str](), Counter[str]()
    for site in general:
        if site.kind is SiteKind.GENERAL:
            for number in range(1, min(web.sites.size(site), 25)):
                pages[site.subject] += 1
                naming[site.subject] += bool(
                    web.planner.plan(site, PageSpot(Role.PAGE, number)).named
                )
    share = {topic: naming[topic] / count for topic, count in pages.items()}
    assert share["travel"] > share["sports"] > share["finance"] > share["software"]
    assert 0.05 < naming.total() / pages.total() < 0.2  # Ahlers: 10 to 20 % of all pages


def test_neighbours_mention_the_same_city(web: SyntheticWeb, general: list[SyntheticSite]) -> None:
    same = pairs = far_same = far_pairs = 0
    for site in general:
        found = [web.paths.passing.mentioned(site, number) for number in range(-6, 42)]
        for k in range(42):
            one, near, far = found[k], found[k + 1], found[k + 6]
            if one and near and k % 6 < 5:
                pairs, same = pairs + 1, same + (one is near)
            if one and far:
                far_pairs, far_same = far_pairs + 1, far_same + (one is far)
    assert 0.18 < same / pairs < 0.4  # of two mentions, one in two each is the section's
    assert far_same / far_pairs < 0.1


def test_front_pages_and_others_are_a_section_too(
    web: SyntheticWeb, general: list[SyntheticSite]
) -> None:
    pairs = same = 0
    for site in general:
        home, about = (
            web.planner.plan(site, PageSpot(role, 0)) for role in (Role.HOME, Role.ABOUT)
        )
        if site.kind is SiteKind.GENERAL and home.named and about.named:
            pairs, same = pairs + 1, same + (home.named[0] is about.named[0])
    assert pairs > 20
    assert 0.1 < same / pairs < 0.6  # each may be a stray


def test_a_url_names_the_city_that_the_truth_says(
    web: SyntheticWeb, general: list[SyntheticSite]
) -> None:
    named = 0
    for site in general:
        for number in (1, 5, 9):
            plan = web.planner.plan(site, PageSpot(Role.PAGE, number))
            path = web.paths.path(site, Role.PAGE, number)
            if plan.in_url is not None:
                named += 1
                assert plan.in_url.slug in path
                assert plan.in_url in plan.named
                assert plan.in_url.name in plan.title
                assert not plan.addresses or site.kind is not SiteKind.GENERAL
    assert named > 30


def test_some_chains_number_their_stores(web: SyntheticWeb, general: list[SyntheticSite]) -> None:
    city = web.world.city_at(HOUSTON)
    assert city is not None
    chains = [site for site in general if site.kind is SiteKind.CHAIN]
    paths = [web.paths.path(site, Role.CITY, city.number) for site in chains]
    for site, path in zip(chains, paths, strict=True):
        assert web.paths.spot(site, path, "") == (Role.CITY, city.number)
    # One site in five numbers its pages, of whatever kind.
    assert 0.7 < sum("houston" in path for path in paths) / len(paths) < 0.9


def test_servers_are_not_all_in_large_cities(
    web: SyntheticWeb, general: list[SyntheticSite]
) -> None:
    targets = {place.id for place in us_top_100(open_gazetteer())}
    share = sum(web.servers.city(site).place in targets for site in general) / len(general)
    assert 0.1 < share < 0.7


def test_lists_of_a_city_repeat_its_well_known_sites(web: SyntheticWeb) -> None:
    city = web.world.city_at(HOUSTON)
    assert city is not None
    guide = web.sites.site(city.first_site)
    listed = Counter[int]()
    for number in range(web.paths.lists(guide)):
        plan = web.planner.plan(guide, PageSpot(Role.LIST, number))
        least, most = web.settings.listed
        assert len({site.number for site in plan.listed}) == len(plan.listed) <= most
        assert len(plan.listed) > 0 < least
        listed.update(site.number for site in plan.listed)
    assert len(listed) < 0.9 * listed.total()


def test_a_footer_is_on_some_pages_of_its_site(web: SyntheticWeb) -> None:
    shown = defaultdict[str, list[bool]](list)
    for number in range(0, 400_000, 97):
        site = web.sites.site(number)
        if web.sites.has_footer_address(site):
            own = web.planner.own_address(site)
            for page in range(1, min(web.sites.size(site), 12)):
                plan = web.planner.plan(site, PageSpot(Role.PAGE, page))
                shown[site.host].append(own in plan.addresses)
    every = [one for some in shown.values() for one in some]
    assert 0.3 < sum(every) / len(every) < 0.5
